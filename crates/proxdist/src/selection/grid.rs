//! The points to try: every combination of the values of some axes.
//!
//! Points are ordered so that neighbours share work: the first penalty changes slowest, then the ridge weight, and parameters
//! of sets fastest, the last one given fastest of all.

use super::axis::{Axis, Kind};
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::spec::SetSpec;
use serde::{Serialize, Serializer};
use std::fmt;

/// Axes, of which every combination of values is tried. Without axes there is one point, the problem itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// From the slowest to the fastest.
    axes: Vec<Axis>,
}

/// One point of a grid: what a fit is told that depends on the grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The values on the axes, such as `sparsity:5, ridge:0.1`; the set, if there are no axes.
    pub label: String,
    /// The set.
    #[serde(serialize_with = "as_text")]
    pub constraint: SetSpec,
    /// Weight of the ridge term.
    pub ridge: f64,
    /// Penalty of the first step; `None` if it is chosen from the data.
    pub rho1: Option<f64>,
    /// How complex a model the point allows, axis by axis; compared from the first on.
    #[serde(skip)]
    pub(super) complexity: Vec<f64>,
    /// Index on each axis, from the slowest to the fastest.
    #[serde(skip)]
    pub(super) coordinates: Vec<usize>,
}

/// Points at most: beyond it is a slip, and a table nobody reads.
const MOST_POINTS: usize = 100_000;

impl Grid {
    /// A grid of these axes, no two of the same name.
    pub fn new(axes: impl IntoIterator<Item = Axis>) -> Result<Self> {
        let mut axes: Vec<Axis> = axes.into_iter().collect();
        for (i, axis) in axes.iter().enumerate() {
            if axes[..i].iter().any(|earlier| earlier.name() == axis.name()) {
                return Err(Error::setting("a grid", Rule::DifferentAxes, format_args!("{axis} twice or more")));
            }
        }
        let points = axes.iter().fold(1_usize, |points, axis| points.saturating_mul(axis.len()));
        if points > MOST_POINTS {
            return Err(Error::setting("a grid", Rule::AtMostPoints { most: MOST_POINTS }, points));
        }
        axes.sort_by_key(|axis| match axis.0 {
            Kind::Rho1(_) => 0,
            Kind::Ridge(_) => 1,
            Kind::Set { .. } => 2,
        });
        Ok(Self { axes })
    }

    /// Reads one axis from each text; see [`Axis::parse`].
    pub fn parse<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Self> {
        Self::new(texts.into_iter().map(|text| Axis::parse(text.as_ref())).collect::<Result<Vec<_>>>()?)
    }

    /// The axes, from the slowest to the fastest.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes.iter().map(Axis::len).product()
    }

    /// Never: a grid has at least one point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points for a problem with this set, ridge weight and first penalty, wherever no axis says otherwise.
    pub fn points(&self, constraint: &SetSpec, ridge: f64, rho1: Option<f64>) -> Result<Vec<Point>> {
        (0..self.len()).map(|number| self.point(number, constraint, ridge, rho1)).collect()
    }

    fn point(&self, mut number: usize, constraint: &SetSpec, ridge: f64, rho1: Option<f64>) -> Result<Point> {
        let mut coordinates = vec![0; self.axes.len()];
        for (coordinate, axis) in coordinates.iter_mut().zip(&self.axes).rev() {
            *coordinate = number % axis.len();
            number /= axis.len();
        }
        let (constraint, complexity) = (constraint.clone(), Vec::new());
        let mut point = Point { label: String::new(), constraint, ridge, rho1, complexity, coordinates };
        let along: Vec<(&Axis, usize)> = self.axes.iter().zip(point.coordinates.iter().copied()).collect();
        for &(axis, index) in &along {
            match &axis.0 {
                Kind::Set { .. } => axis.put_into(&mut point.constraint, index)?,
                Kind::Ridge(values) => point.ridge = values[index],
                Kind::Rho1(values) => point.rho1 = values[index],
            }
        }
        // Sets before ridge, in the text and in what counts as simple.
        let sets_first = || {
            let is_set = |(axis, _): &&(&Axis, usize)| matches!(axis.0, Kind::Set { .. });
            along.iter().filter(is_set).chain(along.iter().rev().filter(move |at| !is_set(at)))
        };
        point.complexity = sets_first().filter_map(|(axis, index)| axis.complexity(*index)).collect();
        point.label = sets_first().map(|(axis, index)| axis.label(*index)).collect::<Vec<_>>().join(", ");
        if point.label.is_empty() {
            point.label = point.constraint.to_string();
        }
        Ok(point)
    }
}

impl Point {
    /// Axes of the grid.
    pub(crate) fn axes(&self) -> usize {
        self.coordinates.len()
    }

    /// The axis along which the point differs from the neighbour it starts from, the fastest that is not at its first value.
    pub(crate) fn moved_along(&self) -> Option<usize> {
        self.coordinates.iter().rposition(|index| *index > 0)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

fn as_text<S: Serializer>(set: &SetSpec, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axes: &[&str], set: &str) -> Vec<String> {
        let points = Grid::parse(axes).unwrap().points(&SetSpec::parse(set).unwrap(), 0.5, None).unwrap();
        points.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_combination_is_there_once_and_sets_change_fastest() {
        assert_eq!(
            labels(&["sparsity:5,10", "ridge:0,1"], "none"),
            ["sparsity:5, ridge:0", "sparsity:10, ridge:0", "sparsity:5, ridge:1", "sparsity:10, ridge:1"]
        );
        assert_eq!(labels(&["sparsity:1,2", "ball:1,2"], "none").len(), 4);
        assert_eq!(
            labels(&["sparsity:1,2", "rho1:auto,1", "ridge:0,2", "ball:1,2"], "none")[9],
            "sparsity:1, ball:2, ridge:0, rho1:1"
        );
        assert_eq!(labels(&[], "simplex"), ["simplex"]);
    }

    #[test]
    fn what_no_axis_mentions_stays_as_the_problem_has_it() {
        let points = Grid::parse(["ball:1,2"]).unwrap().points(&SetSpec::NonNegative, 0.5, Some(3.0)).unwrap();
        assert!(points.iter().all(|point| point.ridge == 0.5 && point.rho1 == Some(3.0)));
        assert_eq!(points[1].constraint.to_string(), "nonneg & ball:2");
        let json = serde_json::to_value(&points[1]).unwrap();
        assert_eq!((json["constraint"].as_str(), json["ridge"].as_f64()), (Some("nonneg & ball:2"), Some(0.5)));
    }

    #[test]
    fn grids_that_repeat_an_axis_or_explode_are_refused() {
        assert!(Grid::parse(["ridge:0", "ridge:1"]).unwrap_err().to_string().contains("different names"));
        let many = |name: &str| format!("{name}:{}", (1..=400).map(|i| i.to_string()).collect::<Vec<_>>().join(","));
        let message = Grid::parse([many("ridge"), many("sparsity")]).unwrap_err().to_string();
        assert_eq!(message, "a grid must be of at most 100000 points, got 160000");
    }
}
