//! What a held-out fold is scored by.

use crate::data::Data;
use crate::error::{Error, Result};
use crate::loss::{Loss, Task};
use crate::metrics::{self, Labelled, Regression, linear_predictors, weights};
use crate::objective::Objective;
use crate::preparation::Units;
use crate::rule::Rule;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A score of a model on rows it has not seen; definitions in [`crate::metrics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scoring {
    /// `loss`: the mean loss, without ridge term; smaller is better.
    #[default]
    Loss,
    /// `auc`: larger is better; needs labels 0 and 1.
    Auc,
    /// `accuracy`: larger is better; needs labels 0 and 1.
    Accuracy,
    /// `mse`: the mean squared error of the predicted mean; smaller is better.
    #[serde(rename = "mse")]
    MeanSquaredError,
    /// `deviance`: the mean deviance; smaller is better; needs a loss that is a likelihood.
    Deviance,
    /// `d2`: the share of the deviance explained, or of the pinball loss; larger is better; needs a likelihood of counts or amounts, or a quantile.
    #[serde(rename = "d2")]
    Explained,
    /// `concordance`: the share of pairs of rows whose risks are in the order of their events; larger is better; for times alone.
    Concordance,
    /// `own`: an [`OwnScore`]; larger is better.
    Own,
}

/// A score of one's own, of models on the rows that a split holds out; the larger the better. Called from several threads.
pub trait OwnScore: Sync {
    /// The score of a model, in the units of the data, on the rows that the split of this number holds out.
    fn score(&self, split: usize, coefficients: &[f64], intercept: Option<f64>) -> Result<f64>;
}

/// What models are scored by: one of the scores with a name, or one's own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Judge<'a> {
    pub(crate) scoring: Scoring,
    own: Option<&'a dyn OwnScore>,
}

/// The rows that a split holds out, in the units of its models.
#[derive(Clone, Copy)]
pub(crate) struct HeldOut<'s> {
    pub(crate) split: usize,
    pub(crate) rows: &'s Data<'s>,
    pub(crate) units: &'s Units,
}

impl<'a> Judge<'a> {
    /// A score with a name.
    pub(crate) fn named(scoring: Scoring) -> Self {
        Self { scoring, own: None }
    }

    /// One's own.
    pub(crate) fn own(own: &'a dyn OwnScore) -> Self {
        Self { scoring: Scoring::Own, own: Some(own) }
    }

    /// The score of coefficients and an intercept, in the units of the rows held out.
    pub(crate) fn score(
        &self,
        loss: &dyn Loss,
        held_out: HeldOut,
        coefficients: &[f64],
        intercept: Option<f64>,
    ) -> Result<f64> {
        let Some(own) = self.own else { return self.scoring.score_at(loss, coefficients, intercept, held_out.rows) };
        let (coefficients, intercept) = held_out.units.restored_point(coefficients.to_vec(), intercept)?;
        own.score(held_out.split, &coefficients, intercept)
    }
}

impl Scoring {
    const ALL: [Self; 7] = [
        Self::Loss,
        Self::Auc,
        Self::Accuracy,
        Self::MeanSquaredError,
        Self::Deviance,
        Self::Explained,
        Self::Concordance,
    ];

    /// Whether a larger score is better.
    pub fn larger_is_better(self) -> bool {
        matches!(self, Self::Auc | Self::Accuracy | Self::Explained | Self::Concordance | Self::Own)
    }

    /// Whether the score is one of classes.
    fn is_of_classes(self) -> bool {
        matches!(self, Self::Auc | Self::Accuracy)
    }

    /// Whether folds need their share of each class.
    pub(crate) fn needs_classes(self, loss: &dyn Loss) -> bool {
        self.is_of_classes() || loss.task() == Task::TwoClasses
    }

    /// Refuses losses and responses that the score is not defined for, before anything is fitted.
    pub(crate) fn check(self, loss: &dyn Loss, response: &[f64]) -> Result<()> {
        if self == Self::Concordance {
            return Err(Error::setting("scoring", Rule::ScoreOfRows, format!("{self} with {}", loss.spec())));
        }
        let has_deviance = response.first().is_some_and(|&y| loss.deviance(0.0, y).is_some());
        let is_of_means = matches!(loss.task(), Task::Counts | Task::Amounts);
        let is_explained = has_deviance && is_of_means || loss.kinked().is_some() && loss.task() == Task::Regression;
        if self == Self::Deviance && !has_deviance || self == Self::Explained && !is_explained {
            return Err(Error::setting("scoring", Rule::ScoreOfLikelihood, format!("{self} with {}", loss.spec())));
        }
        if !self.is_of_classes() {
            return Ok(());
        }
        match response.iter().position(|y| *y != 0.0 && *y != 1.0) {
            None => Ok(()),
            Some(row) => {
                let found = format!("{self} with a response of {} at row {row}", response[row]);
                Err(Error::setting("scoring", Rule::ScoreOfNumbers, found))
            }
        }
    }

    /// The score of coefficients and an intercept on held-out rows; the loss where it is one's own and there is none.
    fn score_at(self, loss: &dyn Loss, coefficients: &[f64], intercept: Option<f64>, held_out: &Data) -> Result<f64> {
        if matches!(self, Self::Loss | Self::Own) {
            let theta: Vec<f64> = coefficients.iter().copied().chain(intercept).collect();
            return Objective::new(held_out, loss, 0.0).intercept(intercept.is_some()).value(&theta);
        }
        let mut predictors = linear_predictors(held_out, coefficients, intercept.unwrap_or(0.0))?;
        let (response, weights) = (held_out.response(), Some(&weights(held_out)[..]));
        match self {
            Self::Deviance => {
                let terms = predictors.iter().zip(response).map(|(&eta, &y)| loss.deviance(eta, y).unwrap_or(f64::NAN));
                let rows = weights.unwrap_or_default();
                let total: f64 =
                    terms.zip(rows).map(|(term, weight)| if *weight > 0.0 { weight * term } else { 0.0 }).sum();
                Ok(total / rows.iter().sum::<f64>())
            }
            Self::Explained => match loss.kinked() {
                Some(kinked) => Regression::of_quantile(kinked, &predictors, response, weights)?,
                None => Regression::of_counts(loss, &predictors, response, weights)?,
            }
            .d_squared
            .ok_or_else(|| Error::setting("scoring", Rule::ScoreOfConstant, "d2")),
            Self::Auc => Labelled::new(&predictors, response, weights)?
                .auc()
                .ok_or_else(|| Error::setting("scoring", Rule::ScoreOfOneClass, "auc")),
            Self::Accuracy if loss.task() == Task::TwoClasses => {
                let (scores, scale) = metrics::scores(loss, &predictors);
                Ok(Labelled::new(&scores, response, weights)?.accuracy(scale.threshold()))
            }
            _ => {
                predictors.iter_mut().for_each(|eta| *eta = loss.mean(*eta));
                if self == Self::Accuracy {
                    return Ok(Labelled::new(&predictors, response, weights)?.accuracy(0.5));
                }
                Ok(Regression::of(&predictors, response, weights)?.mean_squared_error)
            }
        }
    }
}

impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "loss",
            Self::Auc => "auc",
            Self::Accuracy => "accuracy",
            Self::MeanSquaredError => "mse",
            Self::Deviance => "deviance",
            Self::Explained => "d2",
            Self::Concordance => "concordance",
            Self::Own => "own",
        })
    }
}

impl FromStr for Scoring {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|scoring| scoring.to_string() == text.trim());
        known.ok_or_else(|| {
            let names: Vec<String> = Self::ALL.iter().map(ToString::to_string).collect();
            let reason = format!("no such score; the scores are {}", names.join(", "));
            Error::Spec { text: text.to_owned(), at: text.trim().to_owned(), position: 1, reason }
        })
    }
}
