//! Inference after a choice by splitting: the features are chosen on one half of the rows and their coefficients estimated on the other.
//!
//! The second half has had no part in the choice, so its intervals are as good as if the features had been given beforehand. They are about the best coefficients of *these* features alone, without
//! constraint and ridge; with half the rows they are wider. Which half is which is decided by the seed.

use super::Audience;
use super::fault::InferenceFault;
use super::procedure::Procedure;
use super::resampling::{Ear, Nobody, shuffled};
use super::wald::{Estimate, Options, Wald, wald};
use crate::constraint::WholeSpace;
use crate::data::{Data, RowBuffer};
use crate::error::{Error, Result};
use crate::preparation::Standardize;
use crate::ridge::Ridge;
use crate::solver::Settings;
use serde::Serialize;

/// Estimates of features that other rows chose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Split {
    /// Rows that chose.
    pub choosing: usize,
    /// Rows that estimated.
    pub estimating: usize,
    /// The estimates.
    #[serde(flatten)]
    pub wald: Wald,
}

/// Chooses on half of the rows and estimates on the others.
pub fn split(
    procedure: &Procedure,
    data: &Data,
    seed: u64,
    options: Options,
    audience: &dyn Audience,
) -> Result<Split> {
    let rows = data.rows();
    if rows < 4 {
        return Err(Error::Inference(InferenceFault::TooFewRows { rows, parameters: 4 }));
    }
    // A stream of its own.
    let order = shuffled(rows, seed, 1 << 41);
    let (mut first, mut second) = (order[..rows / 2].to_vec(), order[rows / 2..].to_vec());
    first.sort_unstable();
    second.sort_unstable();
    let (first, second) = (data.subset(first)?, data.subset(second)?);
    let Some(found) = procedure.repeat(&first.data()?, 0, &mut Ear(audience)) else {
        return Err(Error::Interrupted);
    };
    if let Some(reason) = found.failure {
        return Err(Error::Inference(InferenceFault::NothingRepeated { count: 1, reason }));
    }
    let support: Vec<usize> = found.nonzero.iter().map(|(j, _)| *j).collect();
    if support.is_empty() {
        return Err(Error::Inference(InferenceFault::NothingChosen));
    }
    let second = second.data()?;
    let parameters = support.len() + usize::from(procedure.intercept);
    if second.rows() <= parameters {
        return Err(Error::Inference(InferenceFault::TooFewRows { rows: second.rows(), parameters }));
    }
    let wald = estimated(procedure, &second, &support, options)?;
    Ok(Split { choosing: first.rows().len(), estimating: second.rows(), wald })
}

/// The best coefficients of some features on all rows, with their errors.
fn estimated(procedure: &Procedure, data: &Data, support: &[usize], options: Options) -> Result<Wald> {
    let mut buffer = RowBuffer::default();
    let rows: Vec<usize> = (0..data.rows()).collect();
    data.random_access()?.gather(&rows, Some(support), &mut buffer)?;
    let mut work = Vec::new();
    let block = buffer.rows().spread(&mut work).to_vec();
    let weights = crate::metrics::weights(data);
    let offset: Vec<f64> = rows.iter().map(|&row| data.offset_of(row)).collect();
    let mut chosen = Data::dense(&block, support.len(), data.response())?.weights(&weights)?.offset(&offset)?;
    if let Some(names) = data.feature_names() {
        chosen = chosen.names(support.iter().map(|&j| names[j].clone()))?;
    }
    let free = Procedure {
        set: &WholeSpace,
        ridge: 0.0,
        standardize: Standardize::Auto,
        settings: Settings::default(),
        ..procedure.clone()
    };
    let Some(found) = free.repeat(&chosen, 0, &mut Ear(&Nobody)) else { return Err(Error::Interrupted) };
    if let Some(reason) = found.failure {
        return Err(Error::Inference(InferenceFault::NothingRepeated { count: 1, reason }));
    }
    let mut coefficients = vec![0.0; support.len()];
    found.nonzero.iter().for_each(|&(j, value)| coefficients[j] = value);
    let result = wald(&chosen, procedure.loss, Ridge::default(), (&coefficients, found.intercept), options)?;
    let named = |estimate: Estimate| {
        let name = match (estimate.feature, data.feature_names()) {
            (Some(at), None) => format!("V{}", support[at] + 1),
            _ => estimate.name,
        };
        Estimate { name, feature: estimate.feature.map(|at| support[at]), ..estimate }
    };
    Ok(Wald { estimates: result.estimates.into_iter().map(named).collect(), ..result })
}
