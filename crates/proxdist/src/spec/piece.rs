//! Parts of a text that know where they are, so that errors point at the character.

use crate::error::{Error, Result};

/// A part of the text that knows where it is; offsets are in bytes.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    whole: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Piece<'a> {
    pub(super) fn text(self) -> &'a str {
        &self.whole[self.start..self.end]
    }

    /// A whole text, if every backquote in it is closed.
    pub(super) fn whole(text: &'a str) -> Result<Self> {
        let piece = Self { whole: text, start: 0, end: text.len() };
        match text.rfind('`') {
            Some(at) if text.matches('`').count() % 2 == 1 => {
                Err(piece.from(at).error("this backquote is never closed"))
            }
            _ => Ok(piece.trimmed()),
        }
    }

    /// The characters outside backquotes, with their places: what stands in backquotes is never part of the grammar.
    pub(super) fn characters(self) -> impl Iterator<Item = (usize, char)> + 'a {
        let mut inside = false;
        self.text().char_indices().filter_map(move |(offset, c)| {
            inside ^= c == '`';
            (!inside && c != '`').then_some((self.start + offset, c))
        })
    }

    /// What comes before and after the first occurrence of a mark outside backquotes.
    pub(super) fn split_at(self, mark: &str) -> Option<(Self, Self)> {
        let first = mark.chars().next()?;
        let mut places = self.characters().filter(|(_, c)| *c == first).map(|(at, _)| at);
        let at = places.find(|&at| self.whole[at..self.end].starts_with(mark))?;
        Some((Self { end: at, ..self }.trimmed(), Self { start: at + mark.len(), ..self }.trimmed()))
    }

    /// The last so many bytes, without the white space around them.
    pub(super) fn last(self, length: usize) -> Self {
        Self { start: self.end - length, ..self }.trimmed()
    }

    /// What lies between two places of the text, without the white space around it.
    pub(super) fn between(self, start: usize, end: usize) -> Self {
        Self { start, end, ..self }.trimmed()
    }

    pub(super) fn start(self) -> usize {
        self.start
    }

    pub(super) fn end(self) -> usize {
        self.end
    }

    pub(super) fn trimmed(self) -> Self {
        let text = self.text();
        let start = self.end - text.trim_start().len();
        Self { start, end: start + text.trim().len(), ..self }
    }

    /// The rest of the piece from a position on.
    pub(super) fn from(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// The beginning of the piece, up to a character, without the white space around it.
    pub(super) fn until(self, stop: impl Fn(char) -> bool) -> Self {
        let end = self.characters().find(|(_, c)| stop(*c)).map_or(self.end, |(at, _)| at);
        Self { end, ..self }.trimmed()
    }

    pub(super) fn split(self, separator: impl Fn(char) -> bool) -> Vec<Self> {
        let mut pieces = Vec::new();
        let mut start = self.start;
        for (at, c) in self.characters().filter(|(_, c)| separator(*c)) {
            pieces.push(Self { start, end: at, ..self }.trimmed());
            start = at + c.len_utf8();
        }
        pieces.push(Self { start, ..self }.trimmed());
        pieces
    }

    pub(super) fn error(self, reason: impl Into<String>) -> Error {
        let position = self.whole[..self.start].chars().count() + 1;
        Error::Spec { text: self.whole.to_owned(), at: self.text().to_owned(), position, reason: reason.into() }
    }
}

pub(super) fn number(piece: Piece) -> Result<f64> {
    match piece.text().parse::<f64>() {
        Ok(value) if !value.is_nan() => Ok(value),
        _ => Err(piece.error("a number is expected, such as 0.5, 1e-3, inf or -inf")),
    }
}

pub(super) fn numbers(piece: Piece) -> Result<Vec<f64>> {
    piece.split(|c| c == ',').into_iter().map(number).collect()
}

pub(super) fn count(piece: Piece, rule: &str) -> Result<usize> {
    piece.text().parse().map_err(|_| piece.error(format!("a whole number is expected: {rule}")))
}
