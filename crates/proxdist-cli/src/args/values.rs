//! Values of options that are more than a word or a number.

use super::Delimiter;
use proxdist::binning::BinFault;
use proxdist::selection::Choice;
use proxdist::spec::Coordinates;
use proxdist::{Method, Setting, Shape};
use proxdist_io::BinRequest;

type Parsed<T> = std::result::Result<T, String>;

/// One of the first penalties that `tune` chooses from.
pub(super) fn first_penalty(text: &str) -> Parsed<String> {
    super::settings::checked(Setting::Rho1.declaration(), text)
}

/// An amount of memory, as the library's setting reads it.
pub(super) fn memory(text: &str) -> Parsed<usize> {
    let settings = proxdist::Settings::default().with(Setting::Memory, text);
    settings.map(|settings| settings.memory_value()).map_err(|error| error.to_string())
}

pub(super) fn choice(text: &str) -> Parsed<Choice> {
    text.parse().map_err(|error: proxdist::Error| error.to_string())
}

/// Columns, if some are named, and the rule for their bins; a rule has no `=`.
pub(super) fn bins(text: &str) -> Parsed<BinRequest> {
    let said = |fault: BinFault| format!("{fault}: {}", fault.remedy());
    let (columns, rule) = match text.rsplit_once('=') {
        Some((columns, rule)) => (Some(Coordinates::parse(columns).map_err(|error| error.to_string())?), rule),
        None => (None, text),
    };
    Ok(BinRequest { columns, rule: rule.parse().map_err(said)? })
}

/// A name and a positive number.
pub(super) fn unit(text: &str) -> Parsed<(String, f64)> {
    let read = text.rsplit_once('=').and_then(|(name, unit)| Some((name.trim().to_owned(), unit.trim().parse().ok()?)));
    read.filter(|(_, unit)| *unit > 0.0 && f64::is_finite(*unit))
        .ok_or_else(|| "a name and a positive number are expected, such as income=1000".to_owned())
}

pub(super) fn rate(text: &str) -> Parsed<f64> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() && value.recip().is_finite() => Ok(value),
        _ => Err("a positive number is expected".to_owned()),
    }
}

pub(super) fn method(text: &str) -> Parsed<Method> {
    let text = super::settings::checked(Setting::Method.declaration(), text)?;
    text.parse().map_err(|error: proxdist::Error| error.to_string())
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

pub(super) fn time(text: &str) -> Parsed<f64> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("times are numbers, zero or positive, with commas between, such as 1,5,10".to_owned()),
    }
}

pub(super) fn threshold(text: &str) -> Parsed<f64> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.5 && value <= 1.0 => Ok(value),
        _ => Err("a number above 0.5 and at most 1 is expected, such as 0.75".to_owned()),
    }
}

pub(super) fn repetitions(text: &str) -> Parsed<u64> {
    const MOST: u64 = 1_000_000;
    match text.parse::<u64>() {
        Ok(value) if (1..=MOST).contains(&value) => Ok(value),
        _ => Err(format!("a whole number from 1 to {MOST} is expected, such as 500")),
    }
}

pub(super) fn decimal(text: &str) -> Parsed<char> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("a point or a comma is expected".to_owned()),
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
