//! What a backend is asked, and what one part answers: plain data both ways.

use super::gathered::gather;
use super::part::Part;
use super::sums::{self, Sums};
use super::survey::{self, Survey};
use super::table::Table;
use crate::error::Result;
use crate::loss::Loss;
use crate::scaling::Scaling;
use serde::{Deserialize, Serialize};

/// One question about all rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// What the data are like, and a sample of them.
    Survey(SurveyRequest),
    /// These columns of all rows, in ascending order.
    Columns(Vec<usize>),
    /// F and its derivatives at a point.
    Sums(SumsRequest),
}

/// How the sample is drawn: row $i$ of a part has the key `hash(seed, part, i)`, and the rows with the smallest keys are kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyRequest {
    /// Names the sample.
    pub seed: u64,
    /// Rows of the sample at most.
    pub rows: usize,
    /// Rows with keys beyond this share of all keys are left out at once, so that a part need not hand out what could not be among the smallest; 1 for none.
    pub share: f64,
}

/// A point, in which units it is, and which derivatives are wanted there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumsRequest {
    /// One coefficient a column.
    pub coefficients: Vec<f64>,
    /// The intercept, zero if there is none.
    pub intercept: f64,
    /// Columns are scaled by this as they are read; `None` if they stay as they are.
    pub scaling: Option<Scaling>,
    /// The share of the way that second derivatives are moved towards those of parabolas above the loss.
    pub caution: f64,
    /// Which second derivatives.
    pub second: Second,
}

/// Which part of the Hessian is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Second {
    /// None of it.
    Nothing,
    /// Its diagonal, and the columns that belong to these features, in ascending order.
    Cross(Vec<usize>),
    /// All of it.
    All,
}

/// The answer of one part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partial {
    /// To [`Request::Survey`].
    Survey(Box<Survey>),
    /// To [`Request::Columns`].
    Columns(Table),
    /// To [`Request::Sums`].
    Sums(Sums),
}

impl Request {
    /// Numbers that the answer of a part has whatever its rows, roughly, for data of so many columns.
    pub(super) fn size(&self, columns: usize) -> usize {
        let second = match self {
            Self::Sums(SumsRequest { second: Second::All, .. }) => columns,
            Self::Sums(SumsRequest { second: Second::Cross(chosen), .. }) => chosen.len(),
            _ => 0,
        };
        columns.saturating_mul(second.saturating_add(4)).max(1)
    }

    /// The answer for the part of this number, by one reading of it. The loss is that of the fit; workers elsewhere know it by its text.
    pub fn answer(&self, part: &dyn Part, number: usize, loss: &dyn Loss) -> Result<Partial> {
        Ok(match self {
            Self::Survey(request) => Partial::Survey(Box::new(survey::answer(*request, part, number, loss)?)),
            Self::Columns(columns) => Partial::Columns(gather(columns, part)?),
            Self::Sums(request) => Partial::Sums(sums::answer(request, part, loss)?),
        })
    }
}
