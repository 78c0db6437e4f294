//! Text to [`SetSpec`], with errors that point at the character.

use super::table::{Form, sets};
use super::{Block, SetSpec};
use crate::error::{Error, Result};
use crate::shape::Shape;

/// Blocks inside blocks inside blocks: deeper than this is a mistake.
const DEEPEST: usize = 8;

/// Reads a whole specification.
pub(super) fn set(text: &str) -> Result<SetSpec> {
    any_set(Piece { whole: text, start: 0, end: text.len() }.trimmed(), 0)
}

/// Reads `1000` or `64x64`.
pub(super) fn shape(text: &str) -> Result<Shape> {
    let piece = Piece { whole: text, start: 0, end: text.len() }.trimmed();
    let sizes = piece.split(|c| c == 'x' || c == 'X' || c == '×');
    match sizes[..] {
        [length] => Ok(Shape::Vector(count(length, "a length such as 1000 or a shape such as 64x64")?)),
        [rows, columns] => {
            let rule = "a shape such as 64x64";
            Ok(Shape::Matrix { rows: count(rows, rule)?, columns: count(columns, rule)? })
        }
        _ => Err(piece.error("a shape has two sizes, such as 64x64")),
    }
}

fn any_set(piece: Piece, depth: usize) -> Result<SetSpec> {
    if depth > DEEPEST {
        return Err(piece.error(format!("blocks are nested more than {DEEPEST} deep")));
    }
    let mut parts = top_level_parts(piece)?.into_iter().map(|part| one_set(part, depth)).collect::<Result<Vec<_>>>()?;
    if parts.len() > 1 {
        return Ok(SetSpec::Intersection(parts));
    }
    parts.pop().ok_or_else(|| piece.error(known_names()))
}

/// Splits at `&` outside brackets.
fn top_level_parts(piece: Piece) -> Result<Vec<Piece>> {
    let (mut parts, mut open, mut start) = (Vec::new(), Vec::new(), piece.start);
    for (at, c) in piece.characters() {
        match c {
            '[' => open.push(at),
            ']' if open.pop().is_none() => return Err(piece.from(at).error("this bracket was never opened")),
            '&' if open.is_empty() => {
                parts.push(Piece { start, end: at, ..piece }.trimmed());
                start = at + 1;
            }
            _ => {}
        }
    }
    if let Some(at) = open.pop() {
        return Err(piece.from(at).error("this bracket is never closed"));
    }
    parts.push(Piece { start, ..piece }.trimmed());
    Ok(parts)
}

fn one_set(piece: Piece, depth: usize) -> Result<SetSpec> {
    let name = piece.until(|c| matches!(c, ':' | ';' | '['));
    match sets().iter().find(|entry| entry.name == name.text()).map(|entry| entry.form) {
        Some(Form::Arguments(read)) => read(&Arguments::read(piece, name)?),
        Some(Form::Brackets) => blocks(piece, Piece { start: name.end, ..piece }.trimmed(), depth),
        Some(Form::Between) | None => Err(name.error(unknown(name.text()))),
    }
}

/// The list `[0-9: simplex][10-19: box:0,1]`.
fn blocks(whole: Piece, list: Piece, depth: usize) -> Result<SetSpec> {
    let example = "blocks[0-9: simplex][10-19: box:0,1]";
    let (mut blocks, mut level, mut start) = (Vec::new(), 0_usize, list.start);
    for (at, c) in list.characters() {
        match c {
            '[' => {
                if level == 0 {
                    start = at + 1;
                }
                level += 1;
            }
            // Brackets are balanced: the split at `&` has seen to it.
            ']' => {
                level = level.saturating_sub(1);
                if level == 0 {
                    blocks.push(block(Piece { start, end: at, ..list }, depth)?);
                }
            }
            c if level == 0 && !c.is_whitespace() => {
                return Err(list.from(at).error(format!("a block in brackets is expected, as in {example}")));
            }
            _ => {}
        }
    }
    if blocks.is_empty() {
        return Err(whole.error(format!("at least one block is needed, as in {example}")));
    }
    Ok(SetSpec::Blocks(blocks))
}

fn block(piece: Piece, depth: usize) -> Result<Block> {
    let Some((colon, _)) = piece.characters().find(|(_, c)| *c == ':') else {
        return Err(piece.trimmed().error("a block is a range, a colon and a set, as in [0-9: simplex]"));
    };
    let (first, last) = range(Piece { end: colon, ..piece }.trimmed())?;
    Ok(Block { first, last, set: any_set(piece.from(colon + 1).trimmed(), depth + 1)? })
}

/// What follows a name: `:main;key=value;key=value`.
pub(super) struct Arguments<'a> {
    pub(super) set: Piece<'a>,
    pub(super) main: Option<Piece<'a>>,
    options: Vec<(Piece<'a>, Piece<'a>)>,
}

impl<'a> Arguments<'a> {
    fn read(set: Piece<'a>, name: Piece<'a>) -> Result<Self> {
        let mut fields = set.split(|c| c == ';').into_iter();
        let head = fields.next().unwrap_or(set);
        let after_name = Piece { start: name.end, ..head }.trimmed();
        let main = match after_name.text().chars().next() {
            None => None,
            Some(':') => Some(Piece { start: after_name.start + 1, ..after_name }.trimmed()),
            Some(_) => return Err(after_name.error("a colon, a semicolon or the end is expected here")),
        };
        let option = |field: Piece<'a>| {
            let key = field.until(|c| c == '=');
            match field.whole[key.end..field.end].find('=') {
                Some(offset) => Ok((key, Piece { start: key.end + offset + 1, ..field }.trimmed())),
                None => Err(field.error("an option is written key=value")),
            }
        };
        Ok(Self { set, main, options: fields.map(option).collect::<Result<_>>()? })
    }

    /// Refuses whatever the set does not take.
    pub(super) fn only(&self, takes_main: bool, keys: &[&str]) -> Result<()> {
        if let (Some(main), false) = (self.main, takes_main) {
            return Err(main.error("this set takes no number after the colon"));
        }
        for (i, (key, _)) in self.options.iter().enumerate() {
            if !keys.contains(&key.text()) {
                let allowed = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
                return Err(key.error(format!("no such option; allowed: {allowed}")));
            }
            if self.options[..i].iter().any(|(earlier, _)| earlier.text() == key.text()) {
                return Err(key.error("this option is given twice"));
            }
        }
        Ok(())
    }

    pub(super) fn main(&self, expected: &str) -> Result<Piece<'a>> {
        self.main.ok_or_else(|| self.set.error(format!("{expected}, is missing")))
    }

    pub(super) fn option(&self, key: &str) -> Option<Piece<'a>> {
        self.options.iter().find(|(name, _)| name.text() == key).map(|(_, value)| *value)
    }

    pub(super) fn required(&self, key: &str, example: &str) -> Result<Piece<'a>> {
        self.option(key).ok_or_else(|| self.set.error(format!("{key}=... is missing, as in {example}")))
    }
}

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

    fn characters(self) -> impl Iterator<Item = (usize, char)> + 'a {
        self.text().char_indices().map(move |(offset, c)| (self.start + offset, c))
    }

    fn trimmed(self) -> Self {
        let text = self.text();
        let start = self.end - text.trim_start().len();
        Self { start, end: start + text.trim().len(), ..self }
    }

    /// What comes after a beginning of the piece, without the white space around it.
    pub(super) fn after(self, beginning: Self) -> Self {
        self.from(beginning.end).trimmed()
    }

    /// The rest of the piece from a position on.
    fn from(self, start: usize) -> Self {
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

/// `4` or `4-7`.
pub(super) fn range(piece: Piece) -> Result<(usize, usize)> {
    let rule = "an index such as 4 or a range such as 4-7";
    match piece.split(|c| c == '-')[..] {
        [only] => count(only, rule).map(|index| (index, index)),
        [first, last] => match (count(first, rule)?, count(last, rule)?) {
            (first, last) if first <= last => Ok((first, last)),
            _ => Err(piece.error("the range runs backwards")),
        },
        _ => Err(piece.error(format!("{rule} is expected"))),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    sets().iter().filter(|entry| !matches!(entry.form, Form::Between)).map(|entry| entry.name)
}

fn known_names() -> String {
    format!("a set is expected: {}", names().collect::<Vec<_>>().join(", "))
}

fn unknown(name: &str) -> String {
    // A name is short; the tail of a long text cannot bring it nearer.
    let start: String = name.chars().take(64).collect();
    let nearest = names().map(|known| (strsim::levenshtein(&start, known), known)).min();
    match nearest {
        Some((distance, known)) if !name.is_empty() && distance <= known.len() / 2 => {
            format!("no such set; did you mean {known}? {}", known_names())
        }
        _ => known_names(),
    }
}
