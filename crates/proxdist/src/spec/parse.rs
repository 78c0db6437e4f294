//! Text to [`SetSpec`], with errors that point at the character.

use super::{Block, Direction, Groups, SetSpec, sets};
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
    if name.text() == "blocks" {
        return blocks(piece, Piece { start: name.end, ..piece }.trimmed(), depth);
    }
    if name.text().is_empty() || !sets().iter().any(|entry| entry.name == name.text()) || name.text() == "&" {
        return Err(name.error(unknown(name.text())));
    }
    let given = Arguments::read(piece, name)?;
    match name.text() {
        "none" => given.only(false, &[]).map(|()| SetSpec::WholeSpace),
        "nonneg" => given.only(false, &[]).map(|()| SetSpec::NonNegative),
        "ball" => {
            given.only(true, &["center", "centre"])?;
            let center = given.option("center").or(given.option("centre")).map(numbers).transpose()?;
            Ok(SetSpec::Ball { radius: number(given.main("a radius, as in ball:1")?)?, center })
        }
        "sparsity" => {
            given.only(true, &[])?;
            let rule = "a number of nonzero entries, as in sparsity:20";
            Ok(SetSpec::Sparsity { keep: count(given.main(rule)?, rule)? })
        }
        "rank" => {
            given.only(true, &[])?;
            let rule = "a rank, as in rank:2";
            Ok(SetSpec::Rank { rank: count(given.main(rule)?, rule)? })
        }
        "box" => bounds(&given),
        "l1" => {
            given.only(true, &[])?;
            Ok(SetSpec::L1Ball { radius: number(given.main("a radius, as in l1:3")?)? })
        }
        "linf" => {
            given.only(true, &[])?;
            Ok(SetSpec::LinfBall { radius: number(given.main("a radius, as in linf:2")?)? })
        }
        "simplex" => {
            given.only(true, &[])?;
            Ok(SetSpec::Simplex { total: given.main.map_or(Ok(1.0), number)? })
        }
        "affine" => {
            given.only(false, &["a", "b"])?;
            let rows = given.required("a", "affine;a=1,1,1|1,-1,0;b=1,0")?.split(|c| c == '|');
            let rows = rows.into_iter().map(numbers).collect::<Result<_>>()?;
            Ok(SetSpec::Affine { rows, right: numbers(given.required("b", "affine;a=1,1,1|1,-1,0;b=1,0")?)? })
        }
        "halfspace" => {
            given.only(false, &["a", "b"])?;
            let normal = numbers(given.required("a", "halfspace;a=1,1,1;b=2")?)?;
            Ok(SetSpec::HalfSpace { normal, offset: number(given.required("b", "halfspace;a=1,1,1;b=2")?)? })
        }
        "monotone" => {
            given.only(true, &[])?;
            let direction = match given.main.map(|piece| (piece, piece.text())) {
                None | Some((_, "increasing")) => Direction::Increasing,
                Some((_, "decreasing")) => Direction::Decreasing,
                Some((piece, _)) => return Err(piece.error("increasing or decreasing is expected")),
            };
            Ok(SetSpec::Monotone { direction })
        }
        _ => group_sparsity(&given),
    }
}

fn bounds(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &["lower", "upper"])?;
    let example = "box:0,inf or box;lower=0,0,-1;upper=1,inf,1";
    let (lower, upper) = (given.option("lower"), given.option("upper"));
    let Some(main) = given.main else {
        let lower = lower.map(numbers).transpose()?;
        let upper = upper.map(numbers).transpose()?;
        let free = |other: &[f64], limit| vec![limit; other.len()];
        return match (lower, upper) {
            (Some(lower), Some(upper)) => Ok(SetSpec::BoundsEach { lower, upper }),
            (Some(lower), None) => Ok(SetSpec::BoundsEach { upper: free(&lower, f64::INFINITY), lower }),
            (None, Some(upper)) => Ok(SetSpec::BoundsEach { lower: free(&upper, f64::NEG_INFINITY), upper }),
            (None, None) => Err(given.set.error(format!("limits are missing, as in {example}"))),
        };
    };
    if let Some(option) = lower.or(upper) {
        return Err(option.error("limits are either shared or given one by one, not both"));
    }
    match numbers(main)?[..] {
        [lower, upper] => Ok(SetSpec::Bounds { lower, upper }),
        _ => Err(main.error(format!("two limits are expected, as in {example}"))),
    }
}

fn group_sparsity(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &["groups", "size"])?;
    let example = "group-sparsity:2;groups=0-3,4-7,8+10+12,9+11 or group-sparsity:2;size=4";
    let keep = count(given.main(example)?, "a number of groups, as in group-sparsity:2;size=4")?;
    let groups = match (given.option("groups"), given.option("size")) {
        (Some(lists), None) => {
            let list = |group: Piece| group.split(|c| c == '+').into_iter().map(range).collect::<Result<_>>();
            Groups::Listed(lists.split(|c| c == ',').into_iter().map(list).collect::<Result<_>>()?)
        }
        (None, Some(size)) => Groups::Consecutive { size: count(size, "a group size, as in size=4")? },
        (Some(_), Some(size)) => return Err(size.error("give groups or size, not both")),
        (None, None) => return Err(given.set.error(format!("the groups are missing, as in {example}"))),
    };
    Ok(SetSpec::GroupSparsity { keep, groups })
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
struct Arguments<'a> {
    set: Piece<'a>,
    main: Option<Piece<'a>>,
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
    fn only(&self, takes_main: bool, keys: &[&str]) -> Result<()> {
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

    fn main(&self, expected: &str) -> Result<Piece<'a>> {
        self.main.ok_or_else(|| self.set.error(format!("{expected}, is missing")))
    }

    fn option(&self, key: &str) -> Option<Piece<'a>> {
        self.options.iter().find(|(name, _)| name.text() == key).map(|(_, value)| *value)
    }

    fn required(&self, key: &str, example: &str) -> Result<Piece<'a>> {
        self.option(key).ok_or_else(|| self.set.error(format!("{key}=... is missing, as in {example}")))
    }
}

/// A part of the text that knows where it is; offsets are in bytes.
#[derive(Clone, Copy)]
struct Piece<'a> {
    whole: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Piece<'a> {
    fn text(self) -> &'a str {
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

    /// The rest of the piece from a position on.
    fn from(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// The beginning of the piece, up to a character, without the white space around it.
    fn until(self, stop: impl Fn(char) -> bool) -> Self {
        let end = self.characters().find(|(_, c)| stop(*c)).map_or(self.end, |(at, _)| at);
        Self { end, ..self }.trimmed()
    }

    fn split(self, separator: impl Fn(char) -> bool) -> Vec<Self> {
        let mut pieces = Vec::new();
        let mut start = self.start;
        for (at, c) in self.characters().filter(|(_, c)| separator(*c)) {
            pieces.push(Self { start, end: at, ..self }.trimmed());
            start = at + c.len_utf8();
        }
        pieces.push(Self { start, ..self }.trimmed());
        pieces
    }

    fn error(self, reason: impl Into<String>) -> Error {
        let position = self.whole[..self.start].chars().count() + 1;
        Error::Spec { text: self.whole.to_owned(), at: self.text().to_owned(), position, reason: reason.into() }
    }
}

fn number(piece: Piece) -> Result<f64> {
    match piece.text().parse::<f64>() {
        Ok(value) if !value.is_nan() => Ok(value),
        _ => Err(piece.error("a number is expected, such as 0.5, 1e-3, inf or -inf")),
    }
}

fn numbers(piece: Piece) -> Result<Vec<f64>> {
    piece.split(|c| c == ',').into_iter().map(number).collect()
}

fn count(piece: Piece, rule: &str) -> Result<usize> {
    piece.text().parse().map_err(|_| piece.error(format!("a whole number is expected: {rule}")))
}

/// `4` or `4-7`.
fn range(piece: Piece) -> Result<(usize, usize)> {
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
    sets().iter().map(|entry| entry.name).filter(|name| *name != "&")
}

fn known_names() -> String {
    format!("a set is expected: {}", names().collect::<Vec<_>>().join(", "))
}

fn unknown(name: &str) -> String {
    let nearest = names().map(|known| (edit_distance(name, known), known)).min();
    match nearest {
        Some((distance, known)) if !name.is_empty() && distance <= known.len() / 2 => {
            format!("no such set; did you mean {known}? {}", known_names())
        }
        _ => known_names(),
    }
}

/// How many letters must be added, removed or replaced to turn one word into the other.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    // A name is short; the tail of a long text cannot bring it nearer.
    for (i, a) in from.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
