//! Which coordinates a set speaks of: positions, names of features, ranges of names, patterns, and what to leave out.
//!
//! | text | coordinates |
//! |---|---|
//! | `age,income` | the features of these names, in this order |
//! | `dose_1..dose_9` | from one feature to another, in the order of the columns |
//! | `asset_*`, `x?` | every feature whose name fits: `*` is any text, `?` any one character |
//! | `3`, `4-7` | by position, the first feature being 1 |
//! | `!id_*` | all that was named before without these; at the start of a list, all features without these |
//! | `` `a, b` `` | a name with characters of the grammar in it; a backquote in a name is doubled |
//!
//! A list keeps its order (`monotone[low,middle,high]`), and a feature named twice counts once. Text counts positions from 1, as `--target`, messages
//! and model files do; values in Rust count from 0, as slices do.

use super::piece::Piece;
use crate::error::Result;
use std::fmt;

/// Which coordinates a set speaks of, as written: names have a meaning only together with the names of the features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coordinates {
    /// The list, in order.
    pub places: Vec<Place>,
}

/// One entry of a list of coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Positions from 0, the last included.
    Positions {
        /// The first of them.
        first: usize,
        /// The last of them.
        last: usize,
    },
    /// The feature of this name.
    Name(String),
    /// From one name to another, in the order of the columns.
    Between {
        /// Name of the first feature.
        first: String,
        /// Name of the last one.
        last: String,
    },
    /// Every feature whose name fits; `*` stands for any text and `?` for any one character.
    Pattern(String),
    /// Not these.
    Except(Box<Place>),
}

impl Coordinates {
    /// The positions `first..=last`, from 0.
    pub fn range(first: usize, last: usize) -> Self {
        Self { places: vec![Place::Positions { first, last }] }
    }

    /// These positions, from 0; neighbours are written as ranges.
    pub fn positions(indices: &[usize]) -> Self {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &index in indices {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(index) => *last = index,
                _ => ranges.push((index, index)),
            }
        }
        Self { places: ranges.into_iter().map(|(first, last)| Place::Positions { first, last }).collect() }
    }

    /// The features of these names.
    pub fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { places: names.into_iter().map(|name| Place::Name(name.into())).collect() }
    }

    /// Whether only positions are used, so that no names are needed.
    pub fn is_resolved(&self) -> bool {
        self.places.iter().all(|place| matches!(place, Place::Positions { .. }))
    }

    /// The ranges of positions, if there is nothing else.
    pub fn ranges(&self) -> Option<Vec<(usize, usize)>> {
        let range = |place: &Place| match place {
            Place::Positions { first, last } => Some((*first, *last)),
            _ => None,
        };
        self.places.iter().map(range).collect()
    }

    /// The positions one by one, if there is nothing else and none is at `length` or beyond.
    pub(crate) fn indices(&self, length: usize) -> Option<Vec<usize>> {
        let ranges = self.ranges()?;
        // Before anything is written out: a slip in a number would cost memory.
        let is_inside = ranges.iter().all(|&(_, last)| last < length);
        is_inside.then(|| ranges.iter().flat_map(|&(first, last)| first..=last).collect())
    }

    /// Reads a list such as `age,dose_*`.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(Piece::whole(text)?, ',')
    }

    /// Reads a list, its entries apart by `separator`.
    pub(super) fn read(piece: Piece, separator: char) -> Result<Self> {
        let places = piece.split(|c| c == separator).into_iter().map(place).collect::<Result<_>>()?;
        Ok(Self { places })
    }

    /// The text of the list with this between entries.
    pub(super) fn text(&self, separator: &str) -> String {
        self.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
    }

    /// The text of the list, cut short for messages.
    pub fn brief(&self) -> String {
        const SHOWN: usize = 4;
        let shown = Self { places: self.places.iter().take(SHOWN).cloned().collect() };
        let more = self.places.len() - shown.places.len();
        if more == 0 { shown.to_string() } else { format!("{shown} and {more} more") }
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(","))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positions { first, last } => f.write_str(&positions(*first, *last)),
            Self::Name(name) => f.write_str(&quoted(name)),
            Self::Between { first, last } => write!(f, "{}..{}", quoted(first), quoted(last)),
            Self::Pattern(pattern) => f.write_str(&pattern_text(pattern)),
            Self::Except(place) => write!(f, "!{place}"),
        }
    }
}

/// Positions from 0, as text counts them.
pub(crate) fn positions(first: usize, last: usize) -> String {
    let [from, to] = [first, last].map(|j| j as u128 + 1);
    if from == to { from.to_string() } else { format!("{from}-{to}") }
}

/// A name as the grammar reads it: in backquotes where it has characters of the grammar.
pub(crate) fn quoted(name: &str) -> String {
    let is_plain = !name.is_empty()
        && name.chars().all(is_plain)
        && !name.contains("..")
        && !name.starts_with('.')
        && !name.ends_with('.')
        && !is_number_like(name);
    if is_plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// A pattern, with backquotes around what belongs to the grammar.
fn pattern_text(pattern: &str) -> String {
    let (mut text, mut inside) = (String::new(), false);
    for c in pattern.chars() {
        let is_bare = matches!(c, '*' | '?') || (is_plain(c) && c != '.');
        if is_bare == inside {
            text.push('`');
            inside = !inside;
        }
        text.push(c);
        if c == '`' {
            text.push('`');
        }
    }
    if inside {
        text.push('`');
    }
    text
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '=' | '-')
}

/// What would be read as a position, or as a range of them gone wrong.
fn is_number_like(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | ' '))
}

/// One entry of a list.
pub(super) fn place(piece: Piece) -> Result<Place> {
    let text = piece.text();
    if let Some(rest) = text.strip_prefix('!') {
        let rest = piece.last(rest.len());
        return match place(rest)? {
            Place::Except(_) => Err(rest.error("! stands once")),
            inside => Ok(Place::Except(Box::new(inside))),
        };
    }
    if text.is_empty() {
        return Err(piece.error("a name, a pattern or a position is expected here"));
    }
    if is_number_like(text) {
        return range(piece).map(|(first, last)| Place::Positions { first, last });
    }
    if let Some((first, last)) = piece.split_at("..") {
        return Ok(Place::Between { first: name(first)?, last: name(last)? });
    }
    let has_wildcard = piece.characters().any(|(_, c)| matches!(c, '*' | '?'));
    if has_wildcard { pattern(piece).map(Place::Pattern) } else { name(piece).map(Place::Name) }
}

/// `4`, `4-7` or `4..7`, counted from 1 and returned from 0.
pub(super) fn range(piece: Piece) -> Result<(usize, usize)> {
    let rule = "a position such as 4 or a range such as 4-7";
    let ends = piece.split_at("..").map_or_else(|| piece.split(|c| c == '-'), |(first, last)| vec![first, last]);
    match ends[..] {
        [only] => position(only, rule).map(|index| (index, index)),
        [first, last] => match (position(first, rule)?, position(last, rule)?) {
            (first, last) if first <= last => Ok((first, last)),
            _ => Err(piece.error("the range runs backwards")),
        },
        _ => Err(piece.error(format!("{rule} is expected"))),
    }
}

fn position(piece: Piece, rule: &str) -> Result<usize> {
    match super::piece::count(piece, rule)?.checked_sub(1) {
        Some(index) => Ok(index),
        None => Err(piece.error("positions count from 1, the first feature")),
    }
}

/// A name, in backquotes or not.
pub(super) fn name(piece: Piece) -> Result<String> {
    let text = piece.text();
    if let Some(inside) = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).filter(|_| text.len() > 1) {
        // Outside backquotes there is nothing: the name is one quotation.
        if piece.characters().next().is_none() {
            return Ok(inside.replace("``", "`"));
        }
    }
    if text.is_empty() || text.contains('`') {
        return Err(piece.error("a name is expected, wholly in backquotes if it has characters such as , ; [ ] in it"));
    }
    let is_allowed = |c: &char| !matches!(c, ':' | '[' | ']' | ';' | '&' | '|' | '+' | '*' | '?' | '!');
    match text.chars().find(|c| !is_allowed(c)) {
        Some(c) => Err(piece.error(format!("a name with {c} in it is written in backquotes, as in `a{c}b`"))),
        None => Ok(text.to_owned()),
    }
}

/// A pattern; what stands in backquotes is meant literally.
fn pattern(piece: Piece) -> Result<String> {
    let (mut text, mut inside) = (String::new(), false);
    let mut characters = piece.text().chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '`' if inside && characters.peek() == Some(&'`') => {
                characters.next();
                text.push('`');
            }
            '`' => inside = !inside,
            '*' | '?' if inside => {
                return Err(piece.error("a pattern cannot ask for this very character: ? stands for any one"));
            }
            c => text.push(c),
        }
    }
    Ok(text)
}
