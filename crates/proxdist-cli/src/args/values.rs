//! Values of options that are more than a word or a number.

use super::Delimiter;
use proxdist::{Method, Shape};
use std::fmt;
use std::time::Duration;

/// A value, or the wish that one be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Auto<T> {
    /// To be found.
    Auto,
    /// Given.
    Given(T),
}

impl<T: fmt::Display> fmt::Display for Auto<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Given(value) => value.fmt(f),
        }
    }
}

/// How the penalty grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScheduleArg {
    /// rho1 times a power of the step.
    Polynomial,
    /// rho1 times a power of `factor` that grows by one every so many steps.
    Geometric {
        /// The factor.
        factor: f64,
        /// Steps between two growths.
        every: u64,
        /// Largest penalty.
        cap: Option<f64>,
    },
    /// rho1 at every step.
    Constant,
}

type Parsed<T> = std::result::Result<T, String>;

pub(super) fn auto_number(text: &str) -> Parsed<Auto<f64>> {
    if text == "auto" {
        return Ok(Auto::Auto);
    }
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(Auto::Given(value)),
        _ => Err("a positive number or `auto` is expected".to_owned()),
    }
}

pub(super) fn rate(text: &str) -> Parsed<f64> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() && value.recip().is_finite() => Ok(value),
        _ => Err("a positive number is expected".to_owned()),
    }
}

pub(super) fn method(text: &str) -> Parsed<Method> {
    text.parse().map_err(|error: proxdist::Error| match error {
        // The text is on the screen already.
        proxdist::Error::Spec { at, reason, .. } if at == text => reason,
        proxdist::Error::Spec { at, reason, .. } => format!("{at:?}: {reason}"),
        other => other.to_string(),
    })
}

pub(super) fn auto_count(text: &str) -> Parsed<Auto<usize>> {
    if text == "auto" {
        return Ok(Auto::Auto);
    }
    match text.parse::<usize>() {
        Ok(value) if value > 0 => Ok(Auto::Given(value)),
        _ => Err("a whole number from 1 on or `auto` is expected".to_owned()),
    }
}

pub(super) fn threads(text: &str) -> Parsed<usize> {
    const MOST: usize = proxdist::Settings::MOST_THREADS;
    match text.parse::<usize>() {
        Ok(value) if (1..=MOST).contains(&value) => Ok(value),
        _ => {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            Err(format!("a whole number from 1 to {MOST} is expected; this machine has use for {cores}"))
        }
    }
}

pub(super) fn share(text: &str) -> Parsed<f64> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("a number between 0 and 1 is expected, such as 0.2".to_owned()),
    }
}

pub(super) fn duration(text: &str) -> Parsed<Duration> {
    let expected = || "a time is expected, such as 500ms, 30s, 5m or 1h".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    } * number.trim().parse::<f64>().map_err(|_| expected())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(expected()),
    }
}

pub(super) fn delimiter(text: &str) -> Parsed<Delimiter> {
    match text {
        "tab" | "\\t" => Ok(Delimiter(b'\t')),
        "space" | "blank" => Ok(Delimiter(b' ')),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Delimiter(*byte)),
            _ => Err("one character is expected, such as ; or the word tab".to_owned()),
        },
    }
}

pub(super) fn matrix_shape(text: &str) -> Parsed<Shape> {
    match text.parse::<Shape>() {
        Ok(shape @ Shape::Matrix { .. }) if !shape.is_empty() => Ok(shape),
        _ => Err("rows and columns are expected, as in 64x64".to_owned()),
    }
}

pub(super) fn schedule(text: &str) -> Parsed<ScheduleArg> {
    let expected = || "poly, constant or geometric:FACTOR,EVERY[,CAP] is expected, as in geometric:1.2,100".to_owned();
    match text.split_once(':') {
        None if text == "poly" => Ok(ScheduleArg::Polynomial),
        None if text == "constant" => Ok(ScheduleArg::Constant),
        Some(("geometric", numbers)) => {
            let parts: Vec<&str> = numbers.split(',').map(str::trim).collect();
            let ([factor, every] | [factor, every, _]) = parts[..] else { return Err(expected()) };
            let number = |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(expected);
            let cap = parts.get(2).map(|text| number(text)).transpose()?;
            let every = every.parse().ok().filter(|every| *every > 0).ok_or_else(expected)?;
            Ok(ScheduleArg::Geometric { factor: number(factor)?, every, cap })
        }
        _ => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(["", "s", "-1s", "0s", "1 year", "inf", "1e300h", "nan"].iter().all(|text| duration(text).is_err()));
    }

    #[test]
    fn schedules_are_read_with_and_without_a_cap() {
        let cap = Some(1e6);
        assert_eq!(schedule("geometric:1.2,100,1e6"), Ok(ScheduleArg::Geometric { factor: 1.2, every: 100, cap }));
        assert!(["geometric", "geometric:1.2", "poly:1", "geometric:x,1"].iter().all(|text| schedule(text).is_err()));
    }
}
