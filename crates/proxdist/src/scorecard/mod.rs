//! A scorecard: whole points that a person can add up, for a model of two labels.
//!
//! A model with log odds $\eta = \beta_0 + x^T\beta$ has the score $\text{offset} + \text{factor}\cdot\eta$ (`scale.rs`). Read feature by feature that is a card: base points $\text{offset} + \text{factor}\cdot\beta_0$,
//! and $\text{factor}\cdot\beta_j$ points for an attribute (an indicator such as a bin or a level), or for each unit of a number. These real points reproduce the model exactly. The card of whole points
//! is the best of all cards near them (`rounding/`): every number of points $k_j$ satisfies $|k_j - \text{real}_j| \le$ `reach` and, if asked for, $|k_j| \le$ `max_points`; the base is any whole number; and among all those cards the
//! mean log loss of the log odds that scores stand for is least on the given rows. The scale stays as it is: a score means the same before and after.
//!
//! A number that is no indicator has points per unit, for a unit that is a power of ten: that for which the real points have two digits before the point, or the largest with points up to `max_points`.
//! With `max_points` and no `pdo`, the scale is such that the largest real points of an attribute are just that many.
//!
//! An attribute whose column is a linear combination of those before it (all levels of a text beside the base) could trade points with them without any change of scores: it is held at its rounded real points.

mod card;
mod fault;
mod measured;
mod rounding;
mod scale;
#[cfg(test)]
mod tests;
mod text;

pub use card::{Line, Scorecard};
pub use fault::ScorecardFault;
pub use measured::{Measured, Search};
pub use scale::Scale;
pub use text::COLUMNS;

use serde::Serialize;

/// A linear predictor of log odds, and what its columns are.
#[derive(Clone, Copy, Debug)]
pub struct Predictor<'a> {
    /// Coefficients of all columns.
    pub coefficients: &'a [f64],
    /// The intercept, if there is one.
    pub intercept: Option<f64>,
    /// What people call features; columns that are in none of them must have no coefficient.
    pub features: &'a [Feature],
}

/// A feature as people know it: one or several columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub kind: FeatureKind,
}

/// The columns of a feature.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureKind {
    /// A number, or an indicator without a name for its value.
    Number {
        /// Its column.
        column: usize,
    },
    /// Attributes of which a row has one.
    Attributes(Vec<Attribute>),
}

/// One attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// What it is, such as `in [30, 45)`.
    pub text: String,
    /// Its indicator; none for rows that have no other attribute of the feature.
    pub column: Option<usize>,
}

/// What is asked of a card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CardOptions {
    /// The score of the odds.
    pub points: f64,
    /// The odds of that score.
    pub odds: f64,
    /// Points that double the odds; 20, or as `max_points` has it, if it is not given.
    pub pdo: Option<f64>,
    /// Whether points count for the negative label.
    pub of_negative: bool,
    /// How far whole points may be from real ones.
    pub reach: f64,
    /// Most points, in size, of an attribute or unit.
    pub max_points: Option<u32>,
    /// Units of numbers, by name.
    pub units: Vec<(String, f64)>,
    /// Boxes that the search may look at.
    pub max_nodes: usize,
}

impl Default for CardOptions {
    fn default() -> Self {
        let Scale { points, odds, of_negative, .. } = Scale::default();
        Self { points, odds, pdo: None, of_negative, reach: 2.0, max_points: None, units: Vec::new(), max_nodes: 1000 }
    }
}

impl Predictor<'_> {
    /// The coefficient of a column.
    fn coefficient(&self, column: usize) -> f64 {
        self.coefficients.get(column).copied().unwrap_or(0.0)
    }

    /// A feature with a coefficient that is not zero.
    fn matters(&self, feature: &Feature) -> bool {
        let has = |column: usize| self.coefficient(column) != 0.0;
        match &feature.kind {
            FeatureKind::Number { column } => has(*column),
            FeatureKind::Attributes(each) => each.iter().filter_map(|attribute| attribute.column).any(has),
        }
    }
}

/// The columns of a model without any knowledge of what they are.
pub fn numbers(names: &[String]) -> Vec<Feature> {
    let feature =
        |(column, name): (usize, &String)| Feature { name: name.clone(), kind: FeatureKind::Number { column } };
    names.iter().enumerate().map(feature).collect()
}
