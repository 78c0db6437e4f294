//! Selections as text: `sparsity:10;keep=…;drop=…;most=2 per …;heredity=strong;products=…`, and the same after `group-sparsity:3;groups=…`.

use super::parse::{Arguments, Piece, count, range};
use super::print::{groups_text, joined, ranges_text};
use super::{Groups, SetSpec};
use crate::error::Result;
use crate::words::plural;
use std::fmt;

/// Rules about which features may be nonzero, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectionRules {
    /// Largest number of features, or of groups where groups move as one. Those that are always in count.
    pub most: usize,
    /// Groups that are chosen as one; together they hold every feature once. Without them features are chosen one by one.
    pub units: Option<Groups>,
    /// Features that are always in, from 0; with groups, the groups that hold them.
    pub keep: Vec<usize>,
    /// Features that are never in, from 0.
    pub drop: Vec<usize>,
    /// At most so many of each of these groups, which need not hold every feature.
    pub quotas: Vec<(usize, Groups)>,
    /// When a product may come.
    pub heredity: Heredity,
    /// Products with their two factors, from 0: `[product, factor, factor]`.
    pub products: Vec<[usize; 3]>,
}

/// When a product of two features may be in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heredity {
    /// With both of its factors.
    #[default]
    Strong,
    /// With one of its factors at least.
    Weak,
}

impl Heredity {
    fn word(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
        }
    }
}

/// The options of a selection.
pub(super) const OPTIONS: [&str; 5] = ["keep", "drop", "most", "heredity", "products"];

/// The selection that options ask for; `None` if there is none of them.
pub(super) fn read(given: &Arguments, most: usize, units: Option<&Groups>) -> Result<Option<SetSpec>> {
    if OPTIONS.iter().all(|key| given.option(key).is_none()) {
        return Ok(None);
    }
    let list = |key: &str| -> Result<Vec<usize>> { given.option(key).map_or(Ok(Vec::new()), indices) };
    let quotas = match given.option("most") {
        Some(piece) => piece.split(|c| c == '|').into_iter().map(quota).collect::<Result<_>>()?,
        None => Vec::new(),
    };
    let heredity = match given.option("heredity").map(|piece| (piece, piece.text())) {
        None | Some((_, "strong")) => Heredity::Strong,
        Some((_, "weak")) => Heredity::Weak,
        Some((piece, _)) => return Err(piece.error("strong or weak is expected")),
    };
    let products = match given.option("products") {
        Some(piece) => piece.split(|c| c == ',').into_iter().map(product).collect::<Result<_>>()?,
        None => match given.option("heredity") {
            Some(piece) => return Err(piece.error("the products are missing, as in products=6=1*2,7=1*3")),
            None => Vec::new(),
        },
    };
    let units = units.cloned();
    let (keep, drop) = (list("keep")?, list("drop")?);
    Ok(Some(SetSpec::Selection(SelectionRules { most, units, keep, drop, quotas, heredity, products })))
}

fn indices(piece: Piece) -> Result<Vec<usize>> {
    let ranges = piece.split(|c| c == ',').into_iter().map(range).collect::<Result<Vec<_>>>()?;
    match ranges.iter().find(|(first, last)| last - first > MOST_INDICES) {
        Some(_) => Err(piece.error("the positions are too large")),
        None => Ok(ranges.into_iter().flat_map(|(first, last)| first..=last).collect()),
    }
}

/// Beyond this many positions a list is a slip of the pen.
const MOST_INDICES: usize = 1 << 26;

/// `2 per 0-3,4+6`
fn quota(piece: Piece) -> Result<(usize, Groups)> {
    let rule = "a limit and its groups, as in most=2 per 1-3,4+6";
    let words = piece.until(char::is_whitespace);
    let most = count(words, rule)?;
    let rest = piece.after(words);
    let word = rest.until(char::is_whitespace);
    if word.text() != "per" {
        return Err(piece.error(format!("{rule}, is expected")));
    }
    Ok((most, super::table::groups(rest.after(word))?))
}

/// `5=0*1`
fn product(piece: Piece) -> Result<[usize; 3]> {
    let rule = "a product and its two factors, as in products=6=1*2";
    let sides = piece.split(|c| c == '=');
    let [own, factors] = sides[..] else { return Err(piece.error(format!("{rule}, are expected"))) };
    match factors.split(|c| c == '*')[..] {
        [first, second] => Ok([count(own, rule)?, count(first, rule)?, count(second, rule)?]),
        _ => Err(piece.error(format!("{rule}, are expected"))),
    }
}

impl fmt::Display for SelectionRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.units {
            None => write!(f, "sparsity:{}", self.most)?,
            Some(groups) => write!(f, "group-sparsity:{};{}", self.most, groups_text(groups))?,
        }
        for (key, list) in [("keep", &self.keep), ("drop", &self.drop)] {
            if !list.is_empty() {
                write!(f, ";{key}={}", ranges_text(list))?;
            }
        }
        if !self.quotas.is_empty() {
            let quota = |(most, groups): &(usize, Groups)| format!("{most} per {}", groups_text(groups).trim_start_matches("groups="));
            write!(f, ";most={}", joined(&self.quotas, "|", quota))?;
        }
        if !self.products.is_empty() {
            let product = |[own, first, second]: &[usize; 3]| format!("{own}={first}*{second}");
            write!(f, ";heredity={};products={}", self.heredity.word(), joined(&self.products, ",", product))?;
        }
        Ok(())
    }
}

impl SelectionRules {
    /// What the rules ask for, in words.
    pub(super) fn words(&self) -> String {
        let what = if self.units.is_some() { "nonzero group" } else { "nonzero coefficient" };
        let mut words = format!("at most {}", plural(self.most, what));
        if !self.keep.is_empty() {
            words += &format!(", {} always in", self.keep.len());
        }
        if !self.drop.is_empty() {
            words += &format!(", {} never in", self.drop.len());
        }
        for (most, _) in &self.quotas {
            words += &format!(", at most {most} of each family");
        }
        if !self.products.is_empty() {
            let with = match self.heredity {
                Heredity::Strong => "both factors",
                Heredity::Weak => "a factor",
            };
            words += &format!(", products only with {with}");
        }
        words
    }
}
