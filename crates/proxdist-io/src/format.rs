//! Which format a file has: its magic bytes decide, then its extension, then a look at its first line.

use std::path::Path;

use crate::error::{Error, Result, excerpt};
use crate::options::Format;

impl Format {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Svmlight => "svmlight",
            Self::Npy => ".npy",
            Self::Npz => ".npz",
            Self::Parquet => "Parquet",
        }
    }

    fn by_magic(content: &[u8]) -> Option<Self> {
        match content {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Self::Npy),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Npz),
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            _ => None,
        }
    }

    fn by_extension(extension: &str) -> Option<Self> {
        match extension {
            "csv" | "tsv" | "tab" => Some(Self::Csv),
            "svm" | "libsvm" | "svmlight" => Some(Self::Svmlight),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Whether a file of this name is data.
pub(crate) fn is_known(name: &str) -> bool {
    Format::by_extension(&extension(name)).is_some()
}

/// The extension in lower case, looking through `.gz`.
pub(crate) fn extension(name: &str) -> String {
    let lower = name.to_lowercase();
    let inner = lower.strip_suffix(".gz").unwrap_or(&lower);
    Path::new(inner).extension().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The format of the file called `name` that begins with `content`, and what to say about it.
pub(crate) fn detect(name: &str, content: &[u8], given: Option<Format>) -> Result<(Format, Option<String>)> {
    let source_name = name.to_owned();
    if content.is_empty() {
        return Err(Error::EmptyFile { source_name });
    }
    let magic = Format::by_magic(content);
    let extension = extension(name);
    let expected = given.or_else(|| Format::by_extension(&extension));
    let found = || format!("{:?}", excerpt(&content[..content.len().min(8)]));
    match (magic, expected) {
        (Some(magic), Some(expected)) if magic != expected && given.is_some() => {
            Err(Error::WrongMagic { source_name, expected: expected.title(), found: found() })
        }
        (Some(Format::Npz), None) if matches!(extension.as_str(), "xlsx" | "ods" | "docx" | "zip") => {
            Err(Error::UnknownFormat { source_name, found: format!("an archive named .{extension}") })
        }
        (Some(magic), Some(expected)) if magic != expected => {
            Ok((magic, Some(format!("{name} is a {} file, whatever its extension says", magic.title()))))
        }
        (Some(magic), _) => Ok((magic, None)),
        (None, Some(expected @ (Format::Npy | Format::Npz | Format::Parquet))) => {
            Err(Error::WrongMagic { source_name, expected: expected.title(), found: found() })
        }
        (None, Some(expected)) => Ok((expected, None)),
        (None, None) => by_content(content).map_err(|found| Error::UnknownFormat { source_name, found }),
    }
}

fn by_content(content: &[u8]) -> std::result::Result<(Format, Option<String>), String> {
    let head = &content[..content.len().min(4096)];
    let utf16 = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    if memchr::memchr(0, head).is_some() && !utf16 {
        return Err("binary data without known magic bytes".to_owned());
    }
    let first = head.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    if let Some(byte @ (b'{' | b'[' | b'<' | b'@' | b'%')) = first {
        return Err(format!("text that begins with {:?}", char::from(byte)));
    }
    if looks_like_svmlight(head) { Ok((Format::Svmlight, None)) } else { Ok((Format::Csv, None)) }
}

/// Whether the first line of data reads `number index:value …`.
fn looks_like_svmlight(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(line) = lines.find(|line| !line.is_empty() && line[0] != b'#') else { return false };
    let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
    let label = tokens.next().is_some_and(|token| crate::number::parse(token).is_some());
    let pair = tokens.next().is_some_and(|token| {
        let colon = memchr::memchr(b':', token).unwrap_or(0);
        colon > 0 && (token.starts_with(b"qid") || token[..colon].iter().all(u8::is_ascii_digit))
    });
    label && pair
}
