//! From names to positions: what a list of coordinates means for the features of a data set.
//!
//! A data set without names has `V1`, …, `Vp`, as summaries and reports call them. A name that two features share means neither, and a number that is the
//! name of another feature than the one at that position is refused: both readings would be right.

use super::coordinates::{Coordinates, Place, positions};
use crate::constraint::SetFault;
use crate::data::Data;
use crate::shape::Shape;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The features that sets speak of, in order.
#[derive(Debug)]
pub struct Names<'a> {
    count: usize,
    known: Known<'a>,
    /// Which column of a file each feature comes from.
    origins: Option<Cow<'a, [usize]>>,
    /// The place of each name; none for a name that several features have.
    places: OnceCell<HashMap<String, Option<usize>>>,
}

#[derive(Clone, Debug)]
enum Known<'a> {
    Given(Cow<'a, [String]>),
    Numbered,
    Matrix,
}

impl<'a> Names<'a> {
    /// Features with these names.
    pub fn of(names: &'a [String]) -> Self {
        Self::from(names.len(), Known::Given(Cow::Borrowed(names)))
    }

    /// So many features without names: they are `V1`, `V2`, ….
    pub fn numbered(count: usize) -> Self {
        Self::from(count, Known::Numbered)
    }

    /// The entries of a matrix, which have positions only.
    pub fn of_matrix(count: usize) -> Self {
        Self::from(count, Known::Matrix)
    }

    /// The coordinates of a parameter without names.
    pub fn of_shape(shape: Shape) -> Self {
        match shape {
            Shape::Vector(count) => Self::numbered(count),
            Shape::Matrix { .. } => Self::of_matrix(shape.len()),
        }
    }

    fn from(count: usize, known: Known<'a>) -> Self {
        Self { count, known, origins: None, places: OnceCell::new() }
    }

    /// The features of a data set.
    pub fn of_data(data: &'a Data) -> Self {
        let shape = data.parameter_shape();
        let names = match (data.feature_names(), shape) {
            (Some(names), Shape::Vector(_)) => Self::of(names),
            _ => Self::of_shape(shape),
        };
        Self { origins: data.feature_origins().map(Cow::Borrowed), ..names }
    }

    /// Which column of a file each feature comes from, where that is known.
    pub(super) fn origins(&self) -> Option<&[usize]> {
        self.origins.as_deref()
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no feature.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The name of a feature.
    pub fn name(&self, index: usize) -> String {
        match &self.known {
            Known::Given(names) => names.get(index).cloned().unwrap_or_default(),
            Known::Numbered | Known::Matrix => format!("V{}", index + 1),
        }
    }

    /// Whether the features have names of their own.
    pub(super) fn are_given(&self) -> bool {
        matches!(self.known, Known::Given(_))
    }

    /// The features at these positions, as a set on these coordinates alone sees them.
    pub(super) fn part(&self, indices: &[usize]) -> Names<'static> {
        let known = match &self.known {
            Known::Matrix => Known::Matrix,
            Known::Given(_) | Known::Numbered => Known::Given(indices.iter().map(|&j| self.name(j)).collect()),
        };
        let origins = self.origins.as_ref().map(|origins| indices.iter().map(|&j| origins[j]).collect());
        Names { origins, ..Names::from(indices.len(), known) }
    }

    /// The positions of a list of coordinates, in its order, each once; at least one.
    pub fn find(&self, on: &Coordinates) -> Result<Vec<usize>, SetFault> {
        let (mut found, mut is_in) = (Vec::new(), Marks::default());
        if matches!(on.places.first(), Some(Place::Except(_))) {
            found.extend(0..self.count);
            (0..self.count).for_each(|j| _ = is_in.set(j));
        }
        for place in &on.places {
            if let Place::Except(inside) = place {
                let without = self.place(inside)?;
                without.iter().for_each(|&j| is_in.clear(j));
                found.retain(|&j| is_in.has(j));
            } else {
                found.extend(self.place(place)?.into_iter().filter(|&j| is_in.set(j)));
            }
        }
        if found.is_empty() { Err(SetFault::NoCoordinates { list: on.brief() }) } else { Ok(found) }
    }

    fn place(&self, place: &Place) -> Result<Vec<usize>, SetFault> {
        match place {
            Place::Positions { first, last } if *last >= self.count || first > last => {
                let is_name = first == last && self.are_given() && self.position_of(&positions(*first, *last)).is_ok();
                Err(if is_name {
                    SetFault::PositionOrName { number: positions(*first, *last) }
                } else {
                    SetFault::BeyondParameter { first: *first, last: *last, entries: self.count }
                })
            }
            Place::Positions { first, last } => {
                let is_name_of_another =
                    |j: &usize| self.are_given() && self.position_of(&positions(*j, *j)).is_ok_and(|at| at != *j);
                match (*first..=*last).find(is_name_of_another) {
                    Some(j) => Err(SetFault::PositionOrName { number: positions(j, j) }),
                    None => Ok((*first..=*last).collect()),
                }
            }
            Place::Name(name) => Ok(vec![self.position(name)?]),
            Place::Between { first, last } => match (self.position(first)?, self.position(last)?) {
                (from, to) if from <= to => Ok((from..=to).collect()),
                _ => Err(SetFault::NamesBackwards { first: first.clone(), last: last.clone() }),
            },
            Place::Pattern(pattern) => self.matching(pattern),
            Place::Except(inside) => {
                let without = self.place(inside)?;
                Ok((0..self.count).filter(|j| !without.contains(j)).collect())
            }
        }
    }

    /// The features whose names fit, in order.
    fn matching(&self, pattern: &str) -> Result<Vec<usize>, SetFault> {
        // Everything needs no names.
        if pattern == "*" && self.count > 0 {
            return Ok((0..self.count).collect());
        }
        self.require_names(pattern)?;
        let wanted: Vec<char> = pattern.chars().collect();
        let found: Vec<usize> = (0..self.count).filter(|&j| fits(&wanted, &self.name(j))).collect();
        if found.is_empty() {
            return Err(SetFault::NoMatch { pattern: pattern.to_owned(), features: self.count });
        }
        Ok(found)
    }

    /// The position of the feature of this name.
    pub fn position(&self, name: &str) -> Result<usize, SetFault> {
        self.require_names(name)?;
        self.position_of(name)
    }

    fn position_of(&self, name: &str) -> Result<usize, SetFault> {
        let unknown =
            || SetFault::UnknownName { name: name.to_owned(), nearest: self.nearest(name), features: self.count };
        let names = match &self.known {
            Known::Given(names) => names,
            Known::Numbered | Known::Matrix => {
                let number = name.strip_prefix('V').filter(|rest| !rest.starts_with(['0', '+']));
                let index = number.and_then(|rest| rest.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
                return index.filter(|&j| j < self.count).ok_or_else(unknown);
            }
        };
        let places = self.places.get_or_init(|| {
            let mut places = HashMap::with_capacity(names.len());
            for (j, name) in names.iter().enumerate() {
                places.entry(name.clone()).and_modify(|at| *at = None).or_insert(Some(j));
            }
            places
        });
        match places.get(name) {
            Some(Some(j)) => Ok(*j),
            Some(None) => {
                let at: Vec<usize> = (0..names.len()).filter(|&j| names[j] == name).take(2).collect();
                Err(SetFault::SharedName { name: name.to_owned(), first: at[0], second: at[at.len() - 1] })
            }
            None => Err(unknown()),
        }
    }

    fn require_names(&self, name: &str) -> Result<(), SetFault> {
        match self.known {
            Known::Matrix => Err(SetFault::MatrixHasPositions { name: name.to_owned() }),
            Known::Given(_) | Known::Numbered => Ok(()),
        }
    }

    /// The names most like one that is not there.
    fn nearest(&self, name: &str) -> Vec<String> {
        const SHOWN: usize = 3;
        const LOOKED_AT: usize = 20_000;
        let start: String = name.chars().take(64).collect::<String>().to_lowercase();
        let mut near: Vec<(usize, usize)> = (0..self.count.min(LOOKED_AT))
            .map(|j| {
                (strsim::levenshtein(&start, &self.name(j).chars().take(64).collect::<String>().to_lowercase()), j)
            })
            .filter(|(distance, _)| *distance <= (start.chars().count() / 2).max(1))
            .collect();
        near.sort_unstable();
        near.into_iter().take(SHOWN).map(|(_, j)| self.name(j)).collect()
    }
}

/// Which positions have been named.
#[derive(Default)]
struct Marks(Vec<bool>);

impl Marks {
    fn has(&self, j: usize) -> bool {
        self.0.get(j).copied().unwrap_or(false)
    }

    /// Marks a position, and says whether it was not marked before.
    fn set(&mut self, j: usize) -> bool {
        if j >= self.0.len() {
            self.0.resize(j + 1, false);
        }
        !std::mem::replace(&mut self.0[j], true)
    }

    fn clear(&mut self, j: usize) {
        if let Some(mark) = self.0.get_mut(j) {
            *mark = false;
        }
    }
}

/// Whether a name fits a pattern. One star is remembered at a time: where the text after it fails, the star takes one character more, which loses
/// nothing since an earlier star could only have taken what this one can.
fn fits(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, n) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, by trying everything.
    fn fits_by_definition(pattern: &[char], name: &[char]) -> bool {
        match (pattern.first(), name.first()) {
            (None, first) => first.is_none(),
            (Some('*'), _) => (0..=name.len()).any(|taken| fits_by_definition(&pattern[1..], &name[taken..])),
            (Some('?'), Some(_)) => fits_by_definition(&pattern[1..], &name[1..]),
            (Some(c), Some(d)) => c == d && fits_by_definition(&pattern[1..], &name[1..]),
            (Some(_), None) => false,
        }
    }

    #[test]
    fn patterns_fit_as_their_definition_says() {
        let words = |letters: &[char], longest: u32| -> Vec<Vec<char>> {
            let n = letters.len();
            (0..=longest)
                .flat_map(|length| {
                    (0..n.pow(length)).map(move |code| (0..length).map(|k| code / n.pow(k) % n).collect::<Vec<_>>())
                })
                .map(|word| word.into_iter().map(|k| letters[k]).collect())
                .collect()
        };
        let names = words(&['a', 'é'], 4);
        for pattern in words(&['a', 'é', '*', '?'], 4) {
            for name in &names {
                let text: String = name.iter().collect();
                assert_eq!(fits(&pattern, &text), fits_by_definition(&pattern, name), "{pattern:?} {text}");
            }
        }
    }
}
