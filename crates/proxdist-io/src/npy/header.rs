//! The header of an `.npy` file: magic, version, and a Python dictionary with type, order and shape.

use std::io::{ErrorKind, Read};

use crate::error::{Error, Result, excerpt};

/// Longest header believed.
const LONGEST: usize = 1 << 20;

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Element,
    pub(crate) big_endian: bool,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
    /// Bytes before the data.
    pub(crate) length: usize,
}

/// Type of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F4,
    F8,
    Bool,
    /// Signed, with this many bytes.
    Int(usize),
    /// Unsigned, with this many bytes.
    Uint(usize),
    /// Text of this many four-byte characters.
    Unicode(usize),
    /// Text of this many bytes.
    Bytes(usize),
}

impl Element {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F4 => 4,
            Self::F8 => 8,
            Self::Bool => 1,
            Self::Int(bytes) | Self::Uint(bytes) | Self::Bytes(bytes) => bytes,
            Self::Unicode(characters) => characters * 4,
        }
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Unicode(_) | Self::Bytes(_))
    }
}

impl Header {
    /// Number of entries, if it is a number at all.
    pub(crate) fn entries(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |product, &side| product.checked_mul(side))
    }

    pub(crate) fn shape_text(&self) -> String {
        let sides: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("({})", sides.join(", "))
    }

    /// Reads the header and leaves `reader` at the data.
    pub(crate) fn read(source: &str, reader: &mut dyn Read) -> Result<Self> {
        let damaged = |reason: &str| Error::NpyHeader { source_name: source.to_owned(), reason: reason.to_owned() };
        let io = |error: std::io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => damaged("the file ends inside it"),
            _ => Error::Io { source_name: source.to_owned(), source: error },
        };
        let mut magic = [0; 8];
        let mut have = 0;
        while have < magic.len() {
            match reader.read(&mut magic[have..]) {
                Ok(0) => break,
                Ok(count) => have += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(io(error)),
            }
        }
        if have < 6 || magic[..6] != *b"\x93NUMPY" {
            let (source_name, found) = (source.to_owned(), format!("{:?}", excerpt(&magic[..have])));
            return Err(Error::WrongMagic { source_name, expected: ".npy", found });
        }
        let (length, before) = match magic[6] {
            1 => {
                let mut bytes = [0; 2];
                reader.read_exact(&mut bytes).map_err(io)?;
                (usize::from(u16::from_le_bytes(bytes)), 10)
            }
            2 | 3 => {
                let mut bytes = [0; 4];
                reader.read_exact(&mut bytes).map_err(io)?;
                (u32::from_le_bytes(bytes) as usize, 12)
            }
            _ => return Err(damaged("its version is not 1, 2 or 3")),
        };
        if length > LONGEST {
            return Err(damaged("it is too long"));
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(io)?;
        let text = std::str::from_utf8(&text).map_err(|_| damaged("it is not text"))?;
        let descr = value(text, "descr").ok_or_else(|| damaged("it has no type"))?;
        let (kind, big_endian) = element(descr)
            .ok_or_else(|| Error::Dtype { source_name: source.to_owned(), dtype: first_item(descr).to_owned() })?;
        let order = value(text, "fortran_order").ok_or_else(|| damaged("it has no order"))?;
        let fortran = match () {
            () if order.starts_with("True") => true,
            () if order.starts_with("False") => false,
            () => return Err(damaged("its order is neither True nor False")),
        };
        let shape = value(text, "shape").and_then(shape).ok_or_else(|| damaged("its shape cannot be read"))?;
        Ok(Self { kind, big_endian, fortran, shape, length: before + length })
    }
}

/// What stands after `'key':` in the dictionary.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let quotes = [format!("'{key}'"), format!("\"{key}\"")];
    let at = quotes.iter().find_map(|quoted| text.find(quoted.as_str()).map(|at| at + quoted.len()))?;
    Some(text[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn first_item(text: &str) -> &str {
    let end = if text.starts_with('[') { text.find(']').map(|at| at + 1) } else { text.find(',') };
    text[..end.unwrap_or(text.len())].trim_end_matches('}').trim().trim_matches(['\'', '"'])
}

/// Type and byte order of `'<f8'` and the like.
fn element(text: &str) -> Option<(Element, bool)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let inner = text[1..].split(quote).next()?;
    let order = inner.chars().next()?;
    let (big, code) = match order {
        '<' | '|' => (false, &inner[1..]),
        '>' => (true, &inner[1..]),
        '=' => (cfg!(target_endian = "big"), &inner[1..]),
        _ => (cfg!(target_endian = "big"), inner),
    };
    let kind = code.chars().next()?;
    let size: usize = code.get(1..)?.parse().ok()?;
    let element = match (kind, size) {
        ('f', 4) => Element::F4,
        ('f', 8) => Element::F8,
        ('b', 1) => Element::Bool,
        ('i', 1 | 2 | 4 | 8) => Element::Int(size),
        ('u', 1 | 2 | 4 | 8) => Element::Uint(size),
        ('U', 1..=10_000) => Element::Unicode(size),
        ('S', 1..=10_000) => Element::Bytes(size),
        _ => return None,
    };
    Some((element, big))
}

fn shape(text: &str) -> Option<Vec<usize>> {
    let inner = text.strip_prefix('(')?;
    let inner = &inner[..inner.find(')')?];
    let sides = inner.split(',').map(|side| side.trim().trim_end_matches('L')).filter(|side| !side.is_empty());
    sides.map(|side| side.parse().ok()).collect()
}

/// The start of an `.npy` file of little-endian `f64` in row-major order: magic, version 1.0 and a description padded to a
/// multiple of 64 bytes. The numbers follow.
pub fn npy_header(shape: &[usize]) -> Vec<u8> {
    described("<f8", shape)
}

/// Shortest header: every shape of two sides fits, so that one can take the place of another.
const SHORTEST: usize = 128;

/// The same for any type.
pub(crate) fn described(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({},), }}", sides.join(", "));
    let length = (10 + text.len() + 1).next_multiple_of(64).max(SHORTEST) - 10;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(version: u8, dictionary: &str) -> Result<Header> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((dictionary.len() as u16).to_le_bytes()),
            _ => bytes.extend((dictionary.len() as u32).to_le_bytes()),
        }
        bytes.extend(dictionary.as_bytes());
        Header::read("x.npy", &mut bytes.as_slice())
    }

    #[test]
    fn all_versions_are_read() {
        for version in 1..=3 {
            let header = parse(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }").unwrap();
            assert_eq!((header.kind, header.shape, header.fortran), (Element::F8, vec![3, 2], false));
        }
        assert!(parse(4, "{}").is_err());
    }

    #[test]
    fn unsupported_types_are_named() {
        let error = parse(1, "{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }").unwrap_err();
        assert!(error.to_string().contains("\"<c16\""), "{error}");
        let error = parse(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }").unwrap_err();
        assert!(matches!(error, Error::Dtype { .. }), "{error}");
    }
}
