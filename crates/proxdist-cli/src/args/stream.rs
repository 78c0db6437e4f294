//! Options of `fit --stream`.

use super::UnknownPolicy;
use clap::Args;
use std::time::Duration;

/// How a stream is learned.
#[derive(Debug, Args)]
#[command(next_help_heading = "Stream")]
pub(crate) struct StreamArgs {
    /// Learn CSV or svmlight rows as they come, each once, in constant memory, from a file or without end from standard input (`-`)
    #[arg(long, conflicts_with_all = ["holdout", "report", "plot", "trace", "rate", "require_convergence"])]
    pub(crate) stream: bool,
    /// Rows learned at a time; the first block also tells the kinds of columns, the texts in them and the labels
    #[arg(long, requires = "stream", default_value_t = 1000, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) block: u32,
    /// Rows after which a row counts half, for data that change; otherwise nothing is forgotten
    #[arg(long, requires = "stream", value_name = "ROWS", value_parser = rows)]
    pub(crate) half_life: Option<f64>,
    /// When the model and the checkpoint are written: every so many rows, or seconds as in 30s
    #[arg(long, requires = "stream", default_value = "10s", value_name = "ROWS|TIME", value_parser = every)]
    pub(crate) every: Every,
    /// At the end, fit a sample of the stream exactly
    #[arg(long, requires = "stream")]
    pub(crate) finish: bool,
    /// Rows of that sample
    #[arg(long, requires = "finish", default_value_t = 10_000, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: u32,
    /// What to do with a text that did not occur in the first block
    #[arg(long, requires = "stream", value_enum, default_value_t = UnknownPolicy::Error, value_name = "POLICY")]
    pub(crate) unknown: UnknownPolicy,
}

/// A rhythm in rows or in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Every {
    Rows(u64),
    Time(Duration),
}

fn rows(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a number of rows is expected, such as 10000".to_owned()),
    }
}

fn every(text: &str) -> Result<Every, String> {
    let wrong = || "a number of rows or a time is expected, such as 10000 or 30s".to_owned();
    if let Ok(rows) = text.parse::<u64>() {
        return if rows > 0 { Ok(Every::Rows(rows)) } else { Err(wrong()) };
    }
    let (number, seconds) = match text.char_indices().next_back() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        _ => return Err(wrong()),
    };
    let time = number.parse::<f64>().ok().filter(|number| *number > 0.0).map(|number| number * seconds);
    time.and_then(|time| Duration::try_from_secs_f64(time).ok()).map(Every::Time).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rhythm_is_in_rows_or_in_time() {
        assert_eq!(every("10000"), Ok(Every::Rows(10_000)));
        assert_eq!(every("30s"), Ok(Every::Time(Duration::from_secs(30))));
        assert_eq!(every("1.5m"), Ok(Every::Time(Duration::from_secs(90))));
        for wrong in ["", "0", "-5", "s", "0s", "-1s", "10x", "nans", "1e400h", "é"] {
            assert!(every(wrong).is_err(), "{wrong}");
        }
    }
}
