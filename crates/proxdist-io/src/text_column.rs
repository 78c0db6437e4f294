//! A text column on its way into a table: each different text is a code, in the order in which they come.

use std::collections::HashMap;

/// A text column as codes.
#[derive(Debug, Default)]
pub(crate) struct TextColumn {
    dictionary: HashMap<Box<[u8]>, u32>,
    pub(crate) levels: Vec<String>,
    pub(crate) codes: Vec<u32>,
    /// Levels come from training and no other is accepted.
    pub(crate) closed: bool,
}

impl TextColumn {
    /// Takes the levels of training, and no other from now on.
    pub(crate) fn close(&mut self, levels: &[String]) {
        for level in levels {
            self.push(level);
        }
        self.closed = true;
    }

    /// The code at a row.
    pub(crate) fn code(&self, row: usize) -> u32 {
        self.codes[row]
    }

    /// The code of a text that has come before.
    pub(crate) fn known(&self, text: &[u8]) -> Option<u32> {
        self.dictionary.get(text).copied()
    }

    /// A new level.
    pub(crate) fn push(&mut self, level: &str) -> u32 {
        let code = self.levels.len() as u32;
        self.dictionary.insert(level.as_bytes().into(), code);
        self.levels.push(level.to_owned());
        code
    }

    /// The code of another spelling of a level: `3` and `3.0`, `True`, `true` and `TRUE` are the same.
    pub(crate) fn learn(&mut self, text: &str) -> Option<u32> {
        let code = twins(text).iter().find_map(|twin| self.known(twin.as_bytes()))?;
        self.dictionary.insert(text.as_bytes().into(), code);
        Some(code)
    }

    /// How a flag is spelled here: as a word, unless the levels of training are 0 and 1.
    pub(crate) fn spelled(&self, flag: bool) -> &'static [u8] {
        let (word, digit): (&[u8], &[u8]) = if flag { (b"True", b"1") } else { (b"False", b"0") };
        let is_number = self.closed && ["0", "1"].iter().any(|level| self.known(level.as_bytes()).is_some());
        if is_number { digit } else { word }
    }
}

/// Other ways in which programs write the same value.
fn twins(text: &str) -> Vec<String> {
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((digits, zeros)) if is_whole(digits) && zeros.bytes().all(|byte| byte == b'0') => vec![digits.to_owned()],
        None if is_whole(text) => vec![format!("{text}.0")],
        None => {
            let spellings = [["True", "true", "TRUE"], ["False", "false", "FALSE"]];
            let same = spellings.iter().find(|spellings| spellings.contains(&text));
            same.map_or_else(Vec::new, |spellings| spellings.iter().map(|&word| word.to_owned()).collect())
        }
        Some(_) => Vec::new(),
    }
}
