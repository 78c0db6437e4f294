//! Linear rows in words: `age + 2*income <= 3`, `a - b >= 0`, `a + b + c = 1`, `0 <= sum(asset_*) <= 0.4`.
//!
//! A row is $l \le \sum_k f_k \sum_{j \in I_k} x_j \le u$, where $I_k$ is one feature or a list in `sum(…)`; what stands on the wrong side is moved. Names
//! that are not plain words stand in backquotes. Sets are closed, so `<` is refused rather than read as `<=`.

use super::SetSpec;
use super::coordinates::{Coordinates, Place, name};
use super::names::Names;
use super::piece::Piece;
use crate::constraint::SetFault;
use crate::error::Result;
use std::fmt;

/// One linear row: a sum of terms between two limits, either of which may be infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is added up.
    pub terms: Vec<Term>,
    /// The sum is at least this.
    pub lower: f64,
    /// The sum is at most this.
    pub upper: f64,
}

/// A factor times a coordinate, or times the sum of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The factor.
    pub factor: f64,
    /// What it multiplies.
    pub on: Coordinates,
}

impl Row {
    /// Reads one row, such as a line of a file.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(Piece::whole(text)?)
    }

    /// Whether a text could be a row: it has a sign of comparison outside backquotes.
    pub(super) fn is_meant(piece: Piece) -> bool {
        piece.characters().any(|(_, c)| matches!(c, '<' | '>' | '=' | '≤' | '≥'))
    }

    pub(super) fn read(piece: Piece) -> Result<Self> {
        let (sides, signs) = sides(piece)?;
        let sums = sides.iter().map(|side| Sum::read(*side)).collect::<Result<Vec<_>>>()?;
        let row = match (&sums[..], &signs[..]) {
            ([left, right], [(sign, _)]) => {
                let moved = left.minus(right);
                let limit = 0.0 - moved.constant;
                let (lower, upper) = match sign {
                    Sign::AtMost => (f64::NEG_INFINITY, limit),
                    Sign::AtLeast => (limit, f64::INFINITY),
                    Sign::Equal => (limit, limit),
                };
                Self { terms: moved.terms, lower, upper }
            }
            ([first, middle, last], [(a, _), (b, at)]) => {
                if a != b || *a == Sign::Equal || !first.terms.is_empty() || !last.terms.is_empty() {
                    return Err(
                        at.error("a row between two limits is written 0 <= a + b <= 1, with numbers at both ends")
                    );
                }
                let ends = [first, last].map(|end| end.constant - middle.constant);
                let [lower, upper] = if *a == Sign::AtMost { ends } else { [ends[1], ends[0]] };
                Self { terms: middle.terms.clone(), lower, upper }
            }
            _ => return Err(piece.error("a row has one comparison, or two around its middle, as in 0 <= a + b <= 1")),
        };
        if row.terms.is_empty() {
            return Err(piece.error("a row names at least one feature, as in age + 2*income <= 3"));
        }
        if [row.lower, row.upper].iter().any(|limit| limit.is_nan())
            || row.terms.iter().any(|term| !term.factor.is_finite())
        {
            return Err(piece.error("the numbers of a row must be finite"));
        }
        Ok(row)
    }

    /// The row for these features: a half-space, an equation, or two half-spaces.
    pub(super) fn resolve(&self, names: &Names) -> std::result::Result<SetSpec, SetFault> {
        let mut normal = vec![0.0; names.len()];
        for term in &self.terms {
            for j in names.find(&term.on)? {
                normal[j] += term.factor;
            }
        }
        let (lower, upper) = (self.lower, self.upper);
        if lower > upper {
            return Err(SetFault::empty(format!("nothing is at least {lower} and at most {upper}")));
        }
        let above = |normal: &[f64]| SetSpec::HalfSpace {
            normal: normal.iter().map(|a| 0.0 - a).collect(),
            offset: 0.0 - lower,
        };
        Ok(match (lower > f64::NEG_INFINITY, upper < f64::INFINITY) {
            (true, true) if lower == upper => SetSpec::Affine { rows: vec![normal], right: vec![upper] },
            (true, true) => SetSpec::Intersection(vec![above(&normal), SetSpec::HalfSpace { normal, offset: upper }]),
            (true, false) => above(&normal),
            (false, true) => SetSpec::HalfSpace { normal, offset: upper },
            (false, false) => SetSpec::WholeSpace,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    AtMost,
    AtLeast,
    Equal,
}

/// What stands between signs of comparison, and the signs.
type Sides<'a> = (Vec<Piece<'a>>, Vec<(Sign, Piece<'a>)>);

/// What stands between the signs of comparison, and the signs with their places.
fn sides(piece: Piece<'_>) -> Result<Sides<'_>> {
    let (mut sides, mut signs, mut start) = (Vec::new(), Vec::new(), piece.start());
    let mut depth = 0_i32;
    for (at, c) in piece.characters() {
        // An equals sign may be part of a name inside sum(…).
        depth += i32::from(c == '(') - i32::from(c == ')');
        if at < start || depth > 0 {
            continue;
        }
        let rest = piece.from(at);
        let sign = match c {
            '≤' => Some((Sign::AtMost, c.len_utf8())),
            '≥' => Some((Sign::AtLeast, c.len_utf8())),
            '<' if rest.text().starts_with("<=") => Some((Sign::AtMost, 2)),
            '>' if rest.text().starts_with(">=") => Some((Sign::AtLeast, 2)),
            '<' | '>' => return Err(rest.error("sets hold their limits: write <= or >=")),
            '=' if rest.text().starts_with("==") => Some((Sign::Equal, 2)),
            '=' => Some((Sign::Equal, 1)),
            _ => None,
        };
        if let Some((sign, length)) = sign {
            sides.push(piece.between(start, at));
            signs.push((sign, piece.between(at, at + length)));
            start = at + length;
        }
    }
    sides.push(piece.from(start).trimmed());
    Ok((sides, signs))
}

/// Terms and a number.
#[derive(Default)]
struct Sum {
    terms: Vec<Term>,
    constant: f64,
}

impl Sum {
    fn minus(&self, other: &Self) -> Self {
        let moved = other.terms.iter().map(|term| Term { factor: 0.0 - term.factor, on: term.on.clone() });
        Self { terms: self.terms.iter().cloned().chain(moved).collect(), constant: self.constant - other.constant }
    }

    /// `-a + 2*b - 3`
    fn read(piece: Piece) -> Result<Self> {
        let mut sum = Self::default();
        let mut rest = piece;
        let mut is_first = true;
        while is_first || !rest.text().is_empty() {
            let sign = match rest.text().chars().next() {
                Some('-') => -1.0,
                Some('+') => 1.0,
                Some(_) if is_first => 1.0,
                Some(_) => return Err(rest.error("+, - or a comparison is expected here")),
                None => return Err(rest.error("a name or a number is missing here")),
            };
            if rest.text().starts_with(['+', '-']) {
                rest = rest.from(rest.start() + 1).trimmed();
            }
            let (factor, on, after) = product(rest)?;
            match on {
                Some(on) => sum.terms.push(Term { factor: sign * factor, on }),
                None => sum.constant += sign * factor,
            }
            (rest, is_first) = (after, false);
        }
        Ok(sum)
    }
}

/// `2*age`, `age*2`, `age/2`, `2`: the number, what it multiplies, and what follows.
fn product(piece: Piece) -> Result<(f64, Option<Coordinates>, Piece)> {
    let (mut factor, mut on, mut rest, mut divides) = (1.0, None, piece, false);
    loop {
        let after = match number(rest) {
            Some((value, after)) => {
                factor = if divides { factor / value } else { factor * value };
                after
            }
            None if divides || on.is_some() => return Err(rest.error("a number is expected here: a row is linear")),
            None => {
                let (found, after) = feature(rest)?;
                on = Some(found);
                after
            }
        };
        divides = after.text().starts_with('/');
        if !divides && !after.text().starts_with('*') {
            return Ok((factor, on, after));
        }
        rest = after.from(after.start() + 1).trimmed();
    }
}

/// A number at the start, and what follows it.
fn number(piece: Piece) -> Option<(f64, Piece)> {
    let bytes = piece.text().as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    if end > 0 && matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(end + 1 + sign).map_or(0, |_| digits(end + 1 + sign));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let value = piece.text()[..end].parse().ok()?;
    Some((value, piece.from(piece.start() + end).trimmed()))
}

/// A name or `sum(…)` at the start, and what follows it.
fn feature(piece: Piece) -> Result<(Coordinates, Piece)> {
    if let Some(length) = quotation(piece.text()) {
        let at = piece.start() + length;
        let name = name(piece.between(piece.start(), at))?;
        return Ok((Coordinates::names([name]), piece.from(at).trimmed()));
    }
    let word = piece.text().chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
    let after = piece.from(piece.start() + word).trimmed();
    if &piece.text()[..word] == "sum" && after.text().starts_with('(') {
        let Some((close, _)) = after.characters().find(|(_, c)| *c == ')') else {
            return Err(after.error("this parenthesis is never closed"));
        };
        let list = Coordinates::read(after.between(after.start() + 1, close), ',')?;
        return Ok((list, after.from(close + 1).trimmed()));
    }
    if word == 0 || !piece.text().starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return Err(piece.error("a feature is expected here: a word, any name in backquotes, or sum(list)"));
    }
    Ok((Coordinates::names([&piece.text()[..word]]), after))
}

/// Bytes of the quotation at the start of a text, if there is one; a doubled backquote is part of it.
fn quotation(text: &str) -> Option<usize> {
    let mut rest = text.strip_prefix('`')?;
    loop {
        let end = rest.find('`')?;
        rest = &rest[end + 1..];
        match rest.strip_prefix('`') {
            Some(more) => rest = more,
            None => return Some(text.len() - rest.len()),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (has_lower, has_upper) = (self.lower > f64::NEG_INFINITY, self.upper < f64::INFINITY);
        let is_between = has_lower && has_upper && self.lower != self.upper;
        if is_between {
            write!(f, "{} <= ", super::print::number(self.lower))?;
        }
        for (k, term) in self.terms.iter().enumerate() {
            let is_negative = term.factor.is_sign_negative();
            f.write_str(match (k, is_negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            })?;
            if term.factor.abs() != 1.0 {
                write!(f, "{}*", super::print::number(term.factor.abs()))?;
            }
            match &term.on.places[..] {
                [Place::Name(name)] => f.write_str(&in_row(name))?,
                _ => write!(f, "sum({})", term.on)?,
            }
        }
        match (has_lower, has_upper) {
            (true, true) if !is_between => write!(f, " = {}", super::print::number(self.upper)),
            (_, true) => write!(f, " <= {}", super::print::number(self.upper)),
            (_, false) => write!(f, " >= {}", super::print::number(self.lower)),
        }
    }
}

/// A name as a row reads it.
fn in_row(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_word);
    // A word that starts a set would be read as that set.
    if is_plain && name != "sum" { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}
