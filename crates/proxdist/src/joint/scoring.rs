//! What a model of times or ordered labels is worth on rows that its fit has not seen.
//!
//! - `loss` for times: what those rows add to the deviance of the partial likelihood, $2(W_{A}L_A - W_TL_T)/W_H$ at the predictors of the model, with $T$ the rows of the fit, $H$ the rows held out and $A$ both (Verweij and van Houwelingen 1993). A
//!   few rows alone have next to no risk sets; beside those of the fit each of their events is compared with all who were at risk.
//! - `concordance` for times: that of the rows held out, within strata.
//! - `loss` for labels: the mean of $-\log p$ of the label. `accuracy`: the share of rows whose likeliest label is theirs.

use super::answers::{Answers, Times};
use super::loss::JointLoss as _;
use super::measures::{CoxEvaluation, OrdinalEvaluation};
use super::model::JointModel;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::selection::Scoring;
use crate::survival::PartialLikelihood;

/// Refuses scores that are not those of the loss.
pub(super) fn check(scoring: Scoring, answers: &Answers) -> Result<()> {
    let (rule, is_known) = match answers {
        Answers::Times(_) => (Rule::ScoreOfTimes, matches!(scoring, Scoring::Loss | Scoring::Concordance)),
        Answers::Levels { .. } => (Rule::ScoreOfLevels, matches!(scoring, Scoring::Loss | Scoring::Accuracy)),
    };
    if is_known { Ok(()) } else { Err(Error::setting("scoring", rule, scoring)) }
}

/// Rows of a fold in the units of its fits: those of the fit first, then those held out.
pub(super) struct Scored<'s> {
    pub(super) data: &'s Data<'s>,
    pub(super) answers: &'s Answers,
    /// How many were fitted to.
    pub(super) fitted: usize,
}

impl Scored<'_> {
    pub(super) fn score(&self, scoring: Scoring, model: &JointModel) -> Result<f64> {
        let rows = self.data.rows();
        let offset: Vec<f64> = (0..rows).map(|row| self.data.offset_of(row)).collect();
        let weights: Vec<f64> = (0..rows).map(|row| self.data.weight(row)).collect();
        let predictors = model.linear_predictors(self.data.source(), Some(&offset))?;
        let held_out: Vec<usize> = (self.fitted..rows).collect();
        let (own, own_weights) = (&predictors[self.fitted..], &weights[self.fitted..]);
        if own_weights.iter().sum::<f64>() <= 0.0 {
            return Err(Error::ZeroWeights { rows: own.len() });
        }
        match (self.answers, &self.answers.picked(&held_out)) {
            (Answers::Times(_), Answers::Times(times)) if scoring == Scoring::Concordance => {
                let evaluated = CoxEvaluation::of(model, own, None, &times.view()?, Some(own_weights))?;
                let none = || Error::setting("scoring", Rule::ScoreOfPairs, scoring);
                evaluated.concordance.ok_or_else(none)
            }
            (Answers::Times(all), _) => {
                let fitted: Vec<usize> = (0..self.fitted).collect();
                let Answers::Times(training) = self.answers.picked(&fitted) else { return Ok(f64::NAN) };
                let both = summed(all, &predictors, &weights)?;
                let before = summed(&training, &predictors[..self.fitted], &weights[..self.fitted])?;
                Ok(2.0 * (both - before) / own_weights.iter().sum::<f64>())
            }
            (_, Answers::Levels { labels, .. }) => {
                let evaluated = OrdinalEvaluation::of(model, own, labels, Some(own_weights))?;
                Ok(if scoring == Scoring::Accuracy { evaluated.accuracy } else { evaluated.log_loss })
            }
            _ => Ok(f64::NAN),
        }
    }
}

/// The loss of all rows together, not divided by their weight.
fn summed(times: &Times, predictors: &[f64], weights: &[f64]) -> Result<f64> {
    let loss = PartialLikelihood::new(&times.view()?, times.ties, weights.to_vec())?;
    Ok(loss.value(predictors, &mut Vec::new()) * weights.iter().sum::<f64>())
}
