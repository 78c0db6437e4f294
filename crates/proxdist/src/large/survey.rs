//! What the data are like: one reading that checks every number, takes the moments of the columns and draws a sample.
//!
//! With weights $w_i$, a part sums $w_i(x_{ij} - c_j)$ and $w_i(x_{ij} - c_j)^2$ about its first row $c$, which keeps the digits of columns with large means
//! ([`crate::Scaling`] says why). Parts are joined by
//! $$M = M_a + M_b + \frac{W_aW_b}{W_a + W_b}(m_a - m_b)^2, \qquad m = m_a + \frac{W_b}{W_a + W_b}(m_b - m_a)$$
//! for the means $m$ and the sums of squares about them $M$.
//!
//! Every number is looked at once: a NaN or an infinity leaves a sum that is no number, and what is too large is the largest of its column, so that sums and sizes clear a whole block.

use super::part::{Block, Part};
use super::request::SurveyRequest;
use super::sample::Sample;
use crate::data::{LARGEST, Rows};
use crate::error::{Error, Result};
use crate::linalg::{Extent, all_finite};
use crate::loss::Loss;
use crate::scaling::{Moments, Scaling};
use serde::{Deserialize, Serialize};

/// What one part is like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Number of rows.
    pub rows: u64,
    /// Whether they are sparse.
    pub is_sparse: bool,
    /// Whether they have weights.
    pub has_weights: bool,
    /// Whether they have offsets.
    pub has_offset: bool,
    /// $\sum_i w_i$
    pub weight: f64,
    /// The largest weight.
    pub largest_weight: f64,
    /// What the moments are about: the first row, or zero for sparse rows.
    pub center: Vec<f64>,
    /// $\sum_i w_i(x_{ij} - c_j)$, then $\sum_i w_i(x_{ij} - c_j)^2$.
    pub sums: Vec<f64>,
    /// The largest size in each column.
    pub largest: Vec<f64>,
    /// $\sum_i w_i\ell(o_i; y_i)$
    pub at_zero: f64,
    /// A number that $\sum_i w_i\ell(\cdot\,; y_i)$ is never below.
    pub infimum: f64,
    /// The first number that a fit cannot use. If there is one, the rest was not looked at.
    pub fault: Option<Fault>,
    /// The rows with the smallest keys.
    pub sample: Sample,
}

/// What a number in the data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// The feature of a column.
    Feature(usize),
    /// The response.
    Response,
    /// The weight.
    Weight,
    /// The offset.
    Offset,
}

/// A number that a fit cannot use, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// What it is.
    pub cell: Cell,
    /// Its row, in the part.
    pub row: u64,
    /// The number as text, since NaN and infinities are no JSON.
    #[serde(with = "as_text")]
    pub value: f64,
}

/// Numbers of any kind as text.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

impl Fault {
    /// The same as an error, for the row of this number and a column of this name.
    pub(super) fn error(self, loss: &dyn Loss, row: usize, names: Option<&[String]>) -> Error {
        let Self { cell, value, .. } = self;
        let (what, column) = match cell {
            Cell::Feature(j) => {
                ("feature", Some(names.and_then(|names| names.get(j)).cloned().unwrap_or_else(|| j.to_string())))
            }
            Cell::Response => ("response", None),
            Cell::Weight => ("weight", None),
            Cell::Offset => ("offset", None),
        };
        match cell {
            _ if !value.is_finite() => Error::NotFiniteData { what, row, column, value },
            Cell::Weight => Error::NegativeWeight { row, value },
            Cell::Response if value.abs() <= LARGEST => {
                let rule = loss.check_response(value).err().unwrap_or("another response");
                Error::Response { loss: loss.spec(), task: loss.task(), row, value, rule }
            }
            _ => Error::TooLarge { what, row, column, value, limit: LARGEST },
        }
    }
}

/// Surveys one part.
pub(super) fn answer(request: SurveyRequest, part: &dyn Part, number: usize, loss: &dyn Loss) -> Result<Survey> {
    let columns = part.columns();
    let mut survey = Survey::default();
    let mut weights = Vec::new();
    part.read(None, &mut |block| {
        if survey.fault.is_some() || block.rows.is_empty() {
            return Ok(());
        }
        if block.rows.width() != columns {
            let rule = "as many columns as the part says";
            return Err(Error::Length { what: "a row", found: block.rows.width(), expected: columns, rule });
        }
        if survey.rows == 0 {
            survey.begin(&block);
        }
        weights.clear();
        weights.extend((0..block.rows.len()).map(|at| block.weight(at)));
        if !survey.measure(&block, &weights)
            && let Some(fault) = first_fault(&block, loss)
        {
            // Nothing of what was summed up has a meaning.
            survey = Survey { fault: Some(fault), ..Survey::default() };
            return Ok(());
        }
        survey.fault = first_beside(&block, loss);
        if survey.fault.is_some() {
            return Ok(());
        }
        survey.add(&block, &weights, loss);
        survey.sample.take(request, number, &block);
        Ok(())
    })?;
    survey.sample.cut(request.rows);
    Ok(survey)
}

impl Survey {
    /// Makes room for rows like the first ones.
    fn begin(&mut self, block: &Block<'_>) {
        let columns = block.rows.width();
        (self.is_sparse, self.has_weights, self.has_offset) =
            (block.rows.is_sparse(), block.weights.is_some(), block.offset.is_some());
        (self.center, self.sums, self.largest) = (vec![0.0; columns], vec![0.0; 2 * columns], vec![0.0; columns]);
        if !self.is_sparse {
            block.rows.row(0).for_each(|(j, x)| self.center[j] = x);
        }
    }

    /// Moments and sizes of the columns. False if some number may be one that a fit cannot use, which is then to be looked for: it would show in a sum, or be the largest.
    fn measure(&mut self, block: &Block<'_>, weights: &[f64]) -> bool {
        match block.rows {
            Rows::Dense { values, columns, .. } => {
                let (sums, squares) = self.sums.split_at_mut(columns);
                Extent { center: &self.center, sums, squares, largest: &mut self.largest }.add(values, weights);
            }
            Rows::Sparse { .. } => {
                block.rows.add_moments(weights, &self.center, &mut self.sums);
                for at in 0..block.rows.len() {
                    block.rows.row(at).for_each(|(j, x)| self.largest[j] = self.largest[j].max(x.abs()));
                }
            }
        }
        all_finite(&self.sums) && self.largest.iter().all(|most| *most <= LARGEST)
    }

    /// What belongs to the rows.
    fn add(&mut self, block: &Block<'_>, weights: &[f64], loss: &dyn Loss) {
        self.rows += block.rows.len() as u64;
        self.weight += weights.iter().sum::<f64>();
        self.largest_weight = weights.iter().copied().fold(self.largest_weight, f64::max);
        for (at, (&weight, &response)) in weights.iter().zip(block.response).enumerate().filter(|(_, (w, _))| **w > 0.0)
        {
            self.at_zero += weight * loss.value(block.offset_of(at), response);
            self.infimum += weight * loss.infimum(response);
        }
    }
}

/// The first number of some rows that a fit cannot use.
fn first_fault(block: &Block<'_>, loss: &dyn Loss) -> Option<Fault> {
    let fault = |found: crate::data::Cell| Fault {
        cell: Cell::Feature(found.column),
        row: found.row as u64,
        value: found.value,
    };
    let feature = block.piece().first_beyond(LARGEST).map(fault);
    feature.into_iter().chain(first_beside(block, loss)).min_by_key(|fault| fault.row)
}

/// The same of what belongs to the rows.
fn first_beside(block: &Block<'_>, loss: &dyn Loss) -> Option<Fault> {
    let within = |value: f64| value.abs() <= LARGEST;
    let response = block.response.iter().position(|&y| !within(y) || loss.check_response(y).is_err());
    let weights = block.weights.unwrap_or(&[]);
    let weight = weights.iter().position(|&w| !(w >= 0.0 && w.is_finite()));
    let offset = block.offset.unwrap_or(&[]);
    let far = offset.iter().position(|&o| !within(o));
    let found = [
        response.map(|at| (at, Cell::Response, block.response[at])),
        weight.map(|at| (at, Cell::Weight, weights[at])),
        far.map(|at| (at, Cell::Offset, offset[at])),
    ];
    let (at, cell, value) = found.into_iter().flatten().min_by_key(|(at, _, _)| *at)?;
    Some(Fault { cell, row: (block.first + at) as u64, value })
}

/// What all parts are like together.
#[derive(Debug, Default)]
pub(super) struct Surveyed {
    /// Rows of each part.
    pub(super) rows: Vec<u64>,
    pub(super) is_sparse: bool,
    pub(super) has_weights: bool,
    pub(super) has_offset: bool,
    pub(super) weight: f64,
    pub(super) at_zero: f64,
    pub(super) infimum: f64,
    pub(super) sample: Sample,
    largest_weight: f64,
    /// The first row of all.
    first: Vec<f64>,
    means: Vec<f64>,
    /// $\sum_i w_i(x_{ij} - m_j)^2$
    squares: Vec<f64>,
    largest: Vec<f64>,
}

impl Surveyed {
    /// All rows.
    pub(super) fn total_rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// Joins the next part. The sample keeps so many rows.
    pub(super) fn add(&mut self, part: Survey, sample: usize) -> Result<()> {
        let is_first = self.total_rows() == 0;
        self.rows.push(part.rows);
        if part.rows == 0 {
            return Ok(());
        }
        if is_first {
            (self.is_sparse, self.has_weights, self.has_offset) = (part.is_sparse, part.has_weights, part.has_offset);
            self.first.clone_from(&part.center);
            (self.means, self.squares) = (part.center.clone(), vec![0.0; part.center.len()]);
            self.largest = vec![0.0; part.center.len()];
        }
        self.check_like(&part)?;
        self.join(&part);
        self.largest_weight = self.largest_weight.max(part.largest_weight);
        self.largest.iter_mut().zip(&part.largest).for_each(|(most, x)| *most = most.max(*x));
        self.at_zero += part.at_zero;
        self.infimum += part.infimum;
        self.sample.append(part.sample, sample)
    }

    fn check_like(&self, part: &Survey) -> Result<()> {
        let ours = [
            self.means.len(),
            usize::from(self.has_weights),
            usize::from(self.has_offset),
            usize::from(self.is_sparse),
        ];
        let theirs = [
            part.center.len(),
            usize::from(part.has_weights),
            usize::from(part.has_offset),
            usize::from(part.is_sparse),
        ];
        let rules = [
            ("a row", "as many columns as in the parts before"),
            ("weights", "all parts have them, or none has"),
            ("offset", "all parts have one, or none has"),
            ("sparse rows", "all parts are sparse, or none is"),
        ];
        for ((expected, found), (what, rule)) in ours.into_iter().zip(theirs).zip(rules) {
            if expected != found {
                return Err(Error::Length { what, found, expected, rule });
            }
        }
        Ok(())
    }

    fn join(&mut self, part: &Survey) {
        if part.weight == 0.0 {
            return;
        }
        let total = self.weight + part.weight;
        let (shifts, squares) = part.sums.split_at(self.means.len());
        for j in 0..self.means.len() {
            let shift = shifts[j] / part.weight;
            let mean = part.center[j] + shift;
            let about_mean = (squares[j] - shift * shifts[j]).max(0.0);
            let apart = mean - self.means[j];
            let both = apart * (self.weight / total);
            // Written so that a first part has the moments it says.
            self.squares[j] += about_mean + part.weight * apart * both;
            self.means[j] = if self.weight == 0.0 { mean } else { self.means[j] + apart * (part.weight / total) };
        }
        self.weight = total;
    }

    /// Refuses weights that a fit cannot use.
    pub(super) fn check_weights(&self) -> Result<()> {
        if self.total_rows() == 0 {
            return Err(Error::Empty { what: "rows" });
        }
        if self.weight == 0.0 {
            return Err(Error::ZeroWeights { rows: self.total_rows() as usize });
        }
        if self.has_weights && !USUAL_WEIGHTS.contains(&self.largest_weight) {
            return Err(Error::setting(
                "weights",
                crate::rule::Rule::UsualWeights,
                format!("{:e}", self.largest_weight),
            ));
        }
        Ok(())
    }

    /// The scaling of the columns as [`Scaling::of`] has it.
    pub(super) fn scaling(&self, has_intercept: bool) -> Scaling {
        let moments = |j: usize| {
            let shift = self.means[j] - self.first[j];
            let variance = self.squares[j] / self.weight;
            Moments::joined(self.means[j], variance, shift * shift + variance, self.largest[j])
        };
        let is_centered = has_intercept && !self.is_sparse;
        let all: Vec<Moments> = (0..self.means.len()).map(moments).collect();
        Scaling {
            means: all.iter().map(|moments| if is_centered { moments.mean } else { 0.0 }).collect(),
            factors: all.iter().map(|moments| moments.factor()).collect(),
        }
    }
}

impl Surveyed {
    /// A scaling that keeps the digits of sums: as [`Self::scaling`] where means are taken off, to mean square 1 where they are not.
    pub(super) fn steady(&self, has_intercept: bool) -> Scaling {
        let mut scaling = self.scaling(has_intercept);
        if !scaling.is_centered() {
            for (j, factor) in scaling.factors.iter_mut().enumerate() {
                let square = self.squares[j] / self.weight + self.means[j] * self.means[j];
                let usual = 1.0 / square.sqrt();
                *factor = if usual.is_normal() { usual } else { 1.0 };
            }
        }
        scaling
    }
}

/// Largest weights that need no change of their unit.
const USUAL_WEIGHTS: std::ops::RangeInclusive<f64> = 1e-20..=1e20;
