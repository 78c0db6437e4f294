//! Text to [`SetSpec`], with errors that point at the character.

use super::coordinates::Coordinates;
pub(super) use super::piece::{Piece, count, number, numbers};
use super::table::{Form, sets};
use super::{Block, Row, SetSpec};
use crate::error::Result;
use crate::shape::Shape;

/// Blocks inside blocks inside blocks: deeper than this is a mistake.
const DEEPEST: usize = 8;

/// Reads a whole specification.
pub(super) fn set(text: &str) -> Result<SetSpec> {
    any_set(Piece::whole(text)?, 0)
}

/// Reads `1000` or `64x64`.
pub(super) fn shape(text: &str) -> Result<Shape> {
    let piece = Piece::whole(text)?;
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
    let (mut parts, mut open, mut start) = (Vec::new(), Vec::new(), piece.start());
    for (at, c) in piece.characters() {
        match c {
            '[' => open.push(at),
            ']' if open.pop().is_none() => return Err(piece.from(at).error("this bracket was never opened")),
            '&' if open.is_empty() => {
                parts.push(piece.between(start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    if let Some(at) = open.pop() {
        return Err(piece.from(at).error("this bracket is never closed"));
    }
    parts.push(piece.from(start).trimmed());
    Ok(parts)
}

fn one_set(piece: Piece, depth: usize) -> Result<SetSpec> {
    let name = piece.until(|c| matches!(c, ':' | ';' | '['));
    match sets()
        .iter()
        .find(|entry| entry.name == name.text() || entry.also == Some(name.text()))
        .map(|entry| entry.form)
    {
        Some(Form::Arguments(read)) => {
            let (whole, on) = on_coordinates(piece)?;
            let set = read(&Arguments::read(whole, name)?)?;
            Ok(match on {
                Some(on) => SetSpec::Blocks(vec![Block { on, set }]),
                None => set,
            })
        }
        Some(Form::Brackets) => blocks(piece, piece.from(name.end()).trimmed(), depth),
        Some(Form::Between | Form::Words) | None if Row::is_meant(piece) => Row::read(piece).map(SetSpec::Linear),
        Some(Form::Between | Form::Words) | None => Err(name.error(unknown(name.text()))),
    }
}

/// A set and the coordinates in the brackets behind it, if there are any.
fn on_coordinates(piece: Piece) -> Result<(Piece, Option<Coordinates>)> {
    let Some((open, _)) = piece.characters().find(|(_, c)| *c == '[') else {
        return Ok((piece, None));
    };
    // Brackets are balanced: the split at `&` has seen to it.
    let close = piece.characters().find(|(_, c)| *c == ']').map_or(piece.end(), |(at, _)| at);
    let after = piece.from((close + 1).min(piece.end())).trimmed();
    if !after.text().is_empty() {
        return Err(after.error("nothing follows the coordinates in brackets, as in nonneg[age,income]"));
    }
    let list = piece.between(open + 1, close);
    Ok((piece.between(piece.start(), open), Some(Coordinates::read(list, ',')?)))
}

/// The list `[1-10: simplex][age,income: box:0,1]`.
fn blocks(whole: Piece, list: Piece, depth: usize) -> Result<SetSpec> {
    let example = "blocks[1-10: simplex][age,income: box:0,1]";
    let (mut blocks, mut level, mut start) = (Vec::new(), 0_usize, list.start());
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
                    blocks.push(block(list.between(start, at), depth)?);
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
    let Some((on, set)) = piece.split_at(":") else {
        return Err(piece.error("a block is a list of coordinates, a colon and a set, as in [1-10: simplex]"));
    };
    Ok(Block { on: Coordinates::read(on, ',')?, set: any_set(set, depth + 1)? })
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
        let after_name = head.from(name.end()).trimmed();
        let main = match after_name.text().chars().next() {
            None => None,
            Some(':') => Some(after_name.from(after_name.start() + 1).trimmed()),
            Some(_) => return Err(after_name.error("a colon, a semicolon or the end is expected here")),
        };
        let option =
            |field: Piece<'a>| field.split_at("=").ok_or_else(|| field.error("an option is written key=value"));
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

fn names() -> impl Iterator<Item = &'static str> {
    sets().iter().filter(|entry| matches!(entry.form, Form::Arguments(_) | Form::Brackets)).map(|entry| entry.name)
}

fn known_names() -> String {
    format!("a set is expected: {}", names().collect::<Vec<_>>().join(", "))
}

fn unknown(name: &str) -> String {
    // A name is short; the tail of a long text cannot bring it nearer.
    let start: String = name.chars().take(64).collect();
    if let Some(ours) = crate::synonyms::set(&start) {
        return format!("no such set; did you mean {ours}? {}", known_names());
    }
    if matches!(start.to_lowercase().as_str(), "ridge" | "elastic-net" | "elasticnet") {
        return format!("no such set; a ridge is a term of F, an option of its own beside the set; {}", known_names());
    }
    let nearest = names().map(|known| (strsim::levenshtein(&start, known), known)).min();
    match nearest {
        Some((distance, known)) if !name.is_empty() && distance <= known.len() / 2 => {
            format!("no such set; did you mean {known}? {}", known_names())
        }
        _ => known_names(),
    }
}
