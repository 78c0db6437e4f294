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

#[cfg(test)]
mod tests {
    use super::*;

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
