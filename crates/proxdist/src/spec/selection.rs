//! Selections as text: `sparsity:10;keep=…;drop=…;most=2 per …;heredity=strong;products=…`, and the same after `group-sparsity:3;groups=…`.
//!
//! After `per` comes a list of groups as in `groups=` (`1-3,age+income,asset_*`), a table of them (`families.csv`, `file` and a name), `prefix` (features whose names begin alike; `prefix .` with another
//! separator), `source` (the indicators of one text column) or `size 4`. Several limits stand apart by a bar. A product is written `P=A*B`.

use super::coordinates::{Coordinates, Place, place, quoted};
use super::names::Names;
use super::parse::Arguments;
use super::piece::{Piece, count};
use super::print::{grouping, joined};
use super::table::is_table;
use super::{Groups, SetSpec};
use crate::constraint::SetFault;
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
    /// Features that are always in; with groups, the groups that hold them.
    pub keep: Coordinates,
    /// Features that are never in.
    pub drop: Coordinates,
    /// Limits for groups of features, which need not hold every feature.
    pub quotas: Vec<Quota>,
    /// When a product may come.
    pub heredity: Heredity,
    /// Products of features.
    pub products: Vec<Product>,
}

/// At most so many of each of some groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The limit of each.
    pub most: usize,
    /// The groups, which do not overlap.
    pub of: Groups,
}

/// A feature that is the product of two others; each list names one feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The product.
    pub product: Coordinates,
    /// What it is the product of.
    pub factors: [Coordinates; 2],
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
    let list = |key: &str| given.option(key).map_or(Ok(Coordinates::default()), |piece| Coordinates::read(piece, ','));
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
    let (units, keep, drop) = (units.cloned(), list("keep")?, list("drop")?);
    let rules = SelectionRules { most, units, keep, drop, quotas, heredity, products };
    Ok(Some(SetSpec::Selection(Box::new(rules))))
}

/// `2 per 1-3,4+6`
fn quota(piece: Piece) -> Result<Quota> {
    let rule = "a limit and its groups, as in most=2 per 1-3,4+6";
    let Some((most, of)) = piece.split_at(" per ") else { return Err(piece.error(format!("{rule}, is expected"))) };
    let of = match of.text() {
        "prefix" => Groups::Prefix { separator: "_".to_owned() },
        "source" => Groups::Source,
        text if text.starts_with("prefix ") => {
            Groups::Prefix { separator: super::coordinates::name(of.last(text.len() - "prefix ".len()))? }
        }
        text if text.starts_with("size ") => {
            Groups::Consecutive { size: count(of.last(text.len() - "size ".len()), "a group size, as in size 4")? }
        }
        text if text.starts_with("file ") => {
            Groups::File(super::coordinates::name(of.last(text.len() - "file ".len()))?)
        }
        text if is_table(text) => Groups::File(super::coordinates::name(of)?),
        _ => super::table::groups(of)?,
    };
    Ok(Quota { most: count(most, rule)?, of })
}

/// `6=1*2`
fn product(piece: Piece) -> Result<Product> {
    let fault = || piece.error("a product and its two factors are expected, as in products=6=1*2");
    let (equals, _) = piece.characters().find(|(_, c)| *c == '=').ok_or_else(fault)?;
    let one = |piece: Piece| Ok(Coordinates { places: vec![place(piece)?] });
    let own = one(piece.between(piece.start(), equals))?;
    match piece.between(equals + 1, piece.end()).split(|c| c == '*')[..] {
        [first, second] => Ok(Product { product: own, factors: [one(first)?, one(second)?] }),
        _ => Err(fault()),
    }
}

impl fmt::Display for SelectionRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.units {
            None => write!(f, "sparsity:{}", self.most)?,
            Some(groups) => write!(f, "group-sparsity:{};{}", self.most, grouping(groups))?,
        }
        for (key, list) in [("keep", &self.keep), ("drop", &self.drop)] {
            if !list.places.is_empty() {
                write!(f, ";{key}={list}")?;
            }
        }
        if !self.quotas.is_empty() {
            let quota = |Quota { most, of }: &Quota| format!("{most} per {}", per(of));
            write!(f, ";most={}", joined(&self.quotas, "|", quota))?;
        }
        if !self.products.is_empty() {
            let product = |Product { product, factors: [first, second] }: &Product| {
                format!("{}={}*{}", single(product), single(first), single(second))
            };
            write!(f, ";heredity={};products={}", self.heredity.word(), joined(&self.products, ",", product))?;
        }
        Ok(())
    }
}

/// A feature of a product, in backquotes where its name has an equals sign in it.
fn single(on: &Coordinates) -> String {
    match &on.places[..] {
        [Place::Name(name)] if name.contains('=') => format!("`{}`", name.replace('`', "``")),
        _ => on.to_string(),
    }
}

/// Groups after `per`.
fn per(groups: &Groups) -> String {
    match groups {
        Groups::Consecutive { size } => format!("size {size}"),
        Groups::Listed(lists) => match joined(lists, ",", |list| list.text("+")) {
            text if matches!(&text[..], "prefix" | "source") => format!("`{text}`"),
            text => text,
        },
        Groups::Prefix { separator } if separator == "_" => "prefix".to_owned(),
        Groups::Prefix { separator } => format!("prefix {}", quoted(separator)),
        Groups::Source => "source".to_owned(),
        Groups::File(path) if is_table(path) && quoted(path) == *path => path.clone(),
        Groups::File(path) => format!("file {}", quoted(path)),
    }
}

impl SelectionRules {
    /// Whether only positions are used.
    pub fn is_resolved(&self) -> bool {
        let products =
            self.products.iter().flat_map(|Product { product, factors }| [product, &factors[0], &factors[1]]);
        self.groups().all(Groups::is_resolved)
            && [&self.keep, &self.drop].into_iter().chain(products).all(Coordinates::is_resolved)
    }

    /// The groups that the rules speak of.
    fn groups(&self) -> impl Iterator<Item = &Groups> {
        self.units.iter().chain(self.quotas.iter().map(|quota| &quota.of))
    }

    /// The same, to be changed.
    pub(super) fn groups_mut(&mut self) -> impl Iterator<Item = &mut Groups> {
        self.units.iter_mut().chain(self.quotas.iter_mut().map(|quota| &mut quota.of))
    }

    /// The same rules by positions.
    pub(super) fn resolve(&self, names: &Names) -> std::result::Result<Self, SetFault> {
        let list = |on: &Coordinates| -> std::result::Result<Coordinates, SetFault> {
            if on.places.is_empty() { Ok(Coordinates::default()) } else { Ok(Coordinates::positions(&names.find(on)?)) }
        };
        let product = |Product { product, factors: [first, second] }: &Product| {
            Ok(Product { product: list(product)?, factors: [list(first)?, list(second)?] })
        };
        let quota = |Quota { most, of }: &Quota| Ok(Quota { most: *most, of: of.resolve_some(names, false)? });
        Ok(Self {
            most: self.most,
            units: self.units.as_ref().map(|groups| groups.resolve(names)).transpose()?,
            keep: list(&self.keep)?,
            drop: list(&self.drop)?,
            quotas: self.quotas.iter().map(quota).collect::<std::result::Result<_, SetFault>>()?,
            heredity: self.heredity,
            products: self.products.iter().map(product).collect::<std::result::Result<_, SetFault>>()?,
        })
    }

    /// What the rules ask for, in words.
    pub(super) fn words(&self) -> String {
        let what = if self.units.is_some() { "nonzero group" } else { "nonzero coefficient" };
        let mut words = vec![format!("at most {}", plural(self.most, what))];
        for (list, when) in [(&self.keep, "always"), (&self.drop, "never")] {
            if !list.places.is_empty() {
                words.push(format!("{} {when} in", list.brief()));
            }
        }
        words.extend(self.quotas.iter().map(|quota| format!("at most {} of each family", quota.most)));
        if !self.products.is_empty() {
            let with = match self.heredity {
                Heredity::Strong => "both factors",
                Heredity::Weak => "a factor",
            };
            words.push(format!("products only with {with}"));
        }
        words.join(", ")
    }
}
