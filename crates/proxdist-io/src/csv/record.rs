//! Splitting delimited text into fields.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// What follows a field, and where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// Another field of the same record.
    Field(usize),
    /// The end of the record.
    Record(usize),
}

/// A field, as it is meant.
#[derive(Debug)]
pub(super) struct Field<'a> {
    /// Without quotes and without blanks around it.
    pub(super) text: Cow<'a, [u8]>,
    pub(super) quoted: bool,
    /// Line ends inside quotes.
    pub(super) lines: u64,
    pub(super) after: After,
}

/// Why a field could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A quote is still open at the end of the data.
    Open,
    /// There is text between the closing quote and the delimiter.
    Stray,
}

/// What follows at `position`, if a field may end there.
#[inline]
pub(super) fn after(data: &[u8], position: usize, delimiter: u8) -> Option<After> {
    match data.get(position) {
        Some(&byte) if byte == delimiter && delimiter != b' ' => Some(After::Field(position + 1)),
        Some(b'\n') | None => Some(After::Record((position + 1).min(data.len()))),
        Some(b'\r') if matches!(data.get(position + 1), Some(b'\n') | None) => {
            Some(After::Record((position + 2).min(data.len())))
        }
        Some(b' ' | b'\t') if delimiter == b' ' => {
            let next = skip_blanks(data, position);
            match after_blanks(data, next) {
                Some(end) => Some(end),
                None => Some(After::Field(next)),
            }
        }
        _ => None,
    }
}

fn after_blanks(data: &[u8], position: usize) -> Option<After> {
    match data.get(position) {
        Some(b'\n') | None => Some(After::Record((position + 1).min(data.len()))),
        Some(b'\r') if matches!(data.get(position + 1), Some(b'\n') | None) => {
            Some(After::Record((position + 2).min(data.len())))
        }
        _ => None,
    }
}

/// The first position from `position` on that is neither blank nor tab.
pub(super) fn skip_blanks(data: &[u8], mut position: usize) -> usize {
    while matches!(data.get(position), Some(b' ' | b'\t')) {
        position += 1;
    }
    position
}

/// The field that begins at `position`.
pub(super) fn field(data: &[u8], position: usize, delimiter: u8) -> Result<Field<'_>, Trouble> {
    let mut begin = position;
    while data.get(begin) == Some(&b' ') {
        begin += 1;
    }
    if data.get(begin) == Some(&b'"') {
        return quoted(data, begin + 1, delimiter);
    }
    let rest = &data[position.min(data.len())..];
    let length = match delimiter {
        b' ' => rest.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\n')),
        _ => memchr2(delimiter, b'\n', rest),
    };
    let mut end = position + length.unwrap_or(rest.len());
    // A carriage return belongs to the line end.
    if matches!(data.get(end), Some(b'\n') | None) && end > position && data[end - 1] == b'\r' {
        end -= 1;
    }
    let after = after(data, end, delimiter).unwrap_or(After::Record(data.len()));
    let text = Cow::Borrowed(data[position.min(end)..end].trim_ascii());
    Ok(Field { text, quoted: false, lines: 0, after })
}

/// The rest of a field after its opening quote.
fn quoted(data: &[u8], begin: usize, delimiter: u8) -> Result<Field<'_>, Trouble> {
    let mut owned: Option<Vec<u8>> = None;
    let mut from = begin;
    loop {
        let close = from + memchr(b'"', &data[from..]).ok_or(Trouble::Open)?;
        if data.get(close + 1) == Some(&b'"') {
            owned.get_or_insert_with(Vec::new).extend_from_slice(&data[from..=close]);
            from = close + 2;
            continue;
        }
        let text = match owned {
            Some(mut text) => {
                text.extend_from_slice(&data[from..close]);
                Cow::Owned(text.trim_ascii().to_vec())
            }
            None => Cow::Borrowed(data[begin..close].trim_ascii()),
        };
        let lines = memchr::memchr_iter(b'\n', &data[begin..close]).count() as u64;
        let mut end = close + 1;
        while delimiter != b' ' && data.get(end) == Some(&b' ') {
            end += 1;
        }
        let after = after(data, end, delimiter).ok_or(Trouble::Stray)?;
        return Ok(Field { text, quoted: true, lines, after });
    }
}
