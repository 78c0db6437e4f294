//! How values of settings are read from text and written as text.

use super::setting::Word;
use crate::error::Error;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// Why a value is not taken.
pub(super) enum Refused {
    /// It breaks the rule of the declaration.
    ByRule,
    /// It has a grammar of its own, which says more.
    Because(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Because(error)
    }
}

pub(super) type Read<T> = Result<T, Refused>;

pub(super) fn put<T>(place: &mut T, value: Read<T>) -> Read<()> {
    *place = value?;
    Ok(())
}

/// Nothing for the word that stands for it, and a value otherwise.
pub(super) fn unless<T>(nothing: &str, text: &str, read: impl Fn(&str) -> Read<T>) -> Read<Option<T>> {
    if text == nothing { Ok(None) } else { read(text).map(Some) }
}

pub(super) fn or(nothing: &str, value: Option<impl Display>) -> String {
    value.map_or_else(|| nothing.to_owned(), |value| value.to_string())
}

pub(super) fn plain<T: FromStr>(text: &str) -> Read<T> {
    text.trim().parse().map_err(|_| Refused::ByRule)
}

pub(super) fn number(text: &str, is_fine: impl Fn(&f64) -> bool) -> Read<f64> {
    plain(text).and_then(|value| if is_fine(&value) { Ok(value) } else { Err(Refused::ByRule) })
}

pub(super) fn from_one<T: FromStr + PartialEq + Default>(text: &str) -> Read<T> {
    plain(text).and_then(|count| if count == T::default() { Err(Refused::ByRule) } else { Ok(count) })
}

/// Snake case is for those who write Python.
pub(super) fn position(words: &[Word], text: &str) -> Read<usize> {
    let text = text.replace('_', "-");
    let is_meant = |word: &Word| word.name == text || word.alias == Some(&text[..]);
    words.iter().position(is_meant).ok_or(Refused::ByRule)
}

pub(super) fn word<T: PartialEq>(words: &[Word], values: &[T], value: &T) -> String {
    let found = values.iter().zip(words).find(|(known, _)| **known == *value);
    found.map_or_else(String::new, |(_, word)| word.name.to_owned())
}

pub(super) fn time(text: &str) -> Read<Duration> {
    let split = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(Refused::ByRule),
    } * plain::<f64>(number)?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(Refused::ByRule),
    }
}

/// Units of memory, the largest first, each 1024 of the next.
const UNITS: [(char, u32); 4] = [('T', 40), ('G', 30), ('M', 20), ('K', 10)];

/// An amount of memory in bytes: `512M`, `1.5G`, `2GiB` or a plain number.
pub(super) fn bytes(text: &str) -> Read<usize> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
    let (amount, unit) = text.split_at(split);
    let unit = unit.to_ascii_uppercase();
    let known = UNITS.iter().find(|(letter, _)| {
        unit.strip_prefix(*letter).is_some_and(|rest| rest.is_empty() || rest == "B" || rest == "IB")
    });
    let shift = match (known, &unit[..]) {
        (Some((_, shift)), _) => *shift,
        (None, "" | "B") => 0,
        _ => return Err(Refused::ByRule),
    };
    let amount = number(amount, |amount| *amount > 0.0)? * (1_u64 << shift) as f64;
    // Beyond what can be addressed there is no difference.
    if (1.0..2f64.powi(63)).contains(&amount) { Ok(amount as usize) } else { Err(Refused::ByRule) }
}

/// The same as text, in the largest unit that leaves a whole number.
pub(super) fn amount(bytes: usize) -> String {
    let unit = UNITS.iter().find(|(_, shift)| bytes.trailing_zeros() >= *shift && bytes > 0);
    unit.map_or_else(|| bytes.to_string(), |(letter, shift)| format!("{}{letter}", bytes >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_units_and_reads_back() {
        let read = |text: &str| bytes(text).ok();
        let known = [("512M", 512 << 20), ("2G", 2 << 30), ("1.5GiB", 3 << 29), ("64k", 64 << 10), ("1", 1), ("7B", 7)];
        for (text, expected) in known {
            assert_eq!(read(text), Some(expected), "{text}");
            assert_eq!(read(&amount(expected)), Some(expected), "{text}");
        }
        assert_eq!([1 << 30, 3 << 29, 1000].map(amount), ["1G", "1536M", "1000"]);
        let wrong = ["", "M", "-1M", "0", "0.5", "1 year", "inf", "nan", "9e99G", "2Gb/s", "1e30"];
        assert!(wrong.iter().all(|text| read(text).is_none()));
    }

    #[test]
    fn times_have_units() {
        let read = |text: &str| time(text).ok();
        assert_eq!(read("30s"), Some(Duration::from_secs(30)));
        assert_eq!(read("1.5m"), Some(Duration::from_secs(90)));
        assert_eq!(read("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(read("2"), Some(Duration::from_secs(2)));
        assert!(["", "s", "-1s", "0s", "1 year", "inf", "1e300h", "nan"].iter().all(|text| read(text).is_none()));
    }
}
