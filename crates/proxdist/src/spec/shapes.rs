//! Rows and shapes as plain data, and how they are read.

use super::SetSpec;
use super::coordinates::name;
use super::parse::{Arguments, count, number, numbers};
use crate::error::Result;

/// Left and right sides of linear rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearRows {
    /// The numbers on the left, one for each coordinate.
    pub rows: Vec<Vec<f64>>,
    /// The numbers on the right.
    pub right: Vec<f64>,
}

/// Which way a curve bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// Upwards: slopes never fall.
    Convex,
    /// Downwards: slopes never rise.
    Concave,
}

/// Where a vector is not like its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Where a piecewise constant vector takes another value.
    Jump,
    /// Where a piecewise linear vector takes another slope.
    Kink,
}

/// What the magnitudes of a fused set are of.
#[derive(Clone, Debug, PartialEq)]
pub enum Differences {
    /// Differences of an order: 1 for those between neighbours, 2 for those between these, and so on.
    Order(usize),
    /// $Dx$ for the rows of a matrix.
    Rows(Vec<Vec<f64>>),
}

impl Break {
    /// The word for several of them.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Jump => "jumps",
            Self::Kink => "kinks",
        }
    }
}

pub(super) fn polyhedron(given: &Arguments) -> Result<SetSpec> {
    given.only(false, &["a", "b", "e", "f", "file"])?;
    if let Some(file) = given.option("file") {
        if let Some(other) = ["a", "b", "e", "f"].iter().find_map(|key| given.option(key)) {
            return Err(other.error("rows are either here or in a file, not both"));
        }
        return Ok(SetSpec::PolyhedronFile { path: name(file)? });
    }
    let example = "polyhedron;a=1,1|1,-1;b=1,0 or polyhedron;a=1,1;b=1;e=1,-1;f=0";
    let side = |left: &str, right: &str| {
        if given.option(left).is_none() && given.option(right).is_none() {
            return Ok(LinearRows::default());
        }
        let rows = given.required(left, example)?.split(|c| c == '|');
        let rows = rows.into_iter().map(numbers).collect::<Result<_>>()?;
        Ok(LinearRows { rows, right: numbers(given.required(right, example)?)? })
    };
    let (inequalities, equations) = (Box::new(side("a", "b")?), Box::new(side("e", "f")?));
    if inequalities.rows.is_empty() && equations.rows.is_empty() {
        return Err(given.set.error(format!("the rows are missing, as in {example}")));
    }
    Ok(SetSpec::Polyhedron { inequalities, equations })
}

pub(super) fn curved(given: &Arguments, bend: Bend) -> Result<SetSpec> {
    given.only(false, &["at"])?;
    Ok(SetSpec::Curved { bend, at: given.option("at").map(numbers).transpose()? })
}

pub(super) fn kinks(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &["at"])?;
    let rule = "a number of kinks, as in kinks:2";
    let most = count(given.main(rule)?, rule)?;
    Ok(SetSpec::Breaks { kind: Break::Kink, most, at: given.option("at").map(numbers).transpose()? })
}

pub(super) fn fused(given: &Arguments) -> Result<SetSpec> {
    given.only(true, &["order", "d"])?;
    let radius = number(given.main("a total, as in fused:3")?)?;
    let of = match (given.option("order"), given.option("d")) {
        (Some(_), Some(rows)) => return Err(rows.error("give an order or the rows of a matrix, not both")),
        (None, Some(rows)) => {
            Differences::Rows(rows.split(|c| c == '|').into_iter().map(numbers).collect::<Result<_>>()?)
        }
        (order, None) => {
            let rule = "an order of differences, as in fused:3;order=2";
            let order = order.map_or(Ok(1), |order| match count(order, rule)? {
                0 => Err(order.error("differences are of order 1 or more")),
                order => Ok(order),
            })?;
            Differences::Order(order)
        }
    };
    Ok(SetSpec::Fused { radius, of: Box::new(of) })
}
