//! A problem whose loss ties all rows together, what is checked of it, and the result of its fit.

use super::answers::{Answers, Times};
use super::certify::Run;
use super::loss::JointLoss;
use super::model::{JointKind, JointModel};
use super::objective::Objective;
use crate::certificate::Certificate;
use crate::constraint::{Constraint, Structure};
use crate::data::{Data, LARGEST};
use crate::error::{Error, Result};
use crate::ordinal::OrdinalLoss;
use crate::pool::in_pool;
use crate::ridge::Ridge;
use crate::rule::Rule;
use crate::solver::{Method, Note, Settings, Stop};
use crate::survival::{Baseline, PartialLikelihood, SurvivalTimes, Ties};
use crate::trace::{Observer, Progress, Silent};

/// What is explained.
#[derive(Clone, Debug)]
enum Explained {
    Times { loss: PartialLikelihood, strata: Vec<String> },
    Levels { loss: OrdinalLoss, levels: Vec<String> },
}

/// $\min_{\theta \in C}F(\theta)$ for times until an event or ordered labels; see [`crate::joint`].
///
/// ```
/// use proxdist::joint::JointProblem;
/// use proxdist::survival::{SurvivalTimes, Ties};
/// use proxdist::{Data, Settings, constraint::Sparsity};
///
/// let x = [0.2, 1.0, 1.4, 0.3, 0.9, 1.0, 2.0, 0.5, 0.1, 0.4, 1.2, 0.8];
/// let (time, event) = ([5.0, 1.0, 3.0, 2.0, 6.0, 4.0], [true, true, false, true, true, true]);
/// let data = Data::dense(&x, 2, &[0.0; 6])?;
/// let times = SurvivalTimes::new(&time, &event)?;
/// let fit = JointProblem::cox(&data, &times, Ties::Efron, Sparsity::at_most(1))?.fit(&Settings::default())?;
/// assert_eq!(fit.model().support(), [0]);
/// # Ok::<(), proxdist::Error>(())
/// ```
#[derive(Debug)]
pub struct JointProblem<'a> {
    data: &'a Data<'a>,
    explained: Explained,
    /// What rows have to say, so that some of them can be looked at first.
    answers: Answers,
    constraint: Box<dyn Constraint + 'a>,
    ridge: Ridge<'a>,
}

/// A feasible parameter, how good it is and why the run ended.
#[derive(Clone, Debug)]
pub struct JointFit {
    pub(super) model: JointModel,
    pub(super) trace: Vec<Progress>,
    pub(super) notes: Vec<Note>,
    pub(super) undetermined: Vec<usize>,
}

impl JointFit {
    /// What predictions need, ready to be saved.
    pub fn model(&self) -> &JointModel {
        &self.model
    }

    /// The checkpoints.
    pub fn trace(&self) -> &[Progress] {
        &self.trace
    }

    /// Settings that were given and had no effect, with the reason.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Features whose coefficients have no natural size: doubling them costs next to nothing. They tell rows apart without error, and a ridge or a ball would give them one.
    pub fn undetermined(&self) -> &[usize] {
        &self.undetermined
    }

    /// F at the result.
    pub fn objective(&self) -> f64 {
        self.model.objective
    }

    /// How good the result is.
    pub fn certificate(&self) -> &Certificate {
        &self.model.certificate
    }

    /// Why the run ended.
    pub fn stop(&self) -> Stop {
        self.model.stop
    }
}

impl<'a> JointProblem<'a> {
    /// Cox regression. The response that the data have of their own is not looked at; weights and offset are.
    pub fn cox(
        data: &'a Data<'a>,
        times: &SurvivalTimes,
        ties: Ties,
        constraint: impl Constraint + 'a,
    ) -> Result<Self> {
        if times.rows() != data.rows() {
            let (found, expected) = (times.rows(), data.rows());
            return Err(Error::Length { what: "times", found, expected, rule: "one for each row" });
        }
        let loss = PartialLikelihood::new(times, ties, weights_of(data))?;
        let answers = Answers::Times(Times::of(times, ties));
        Ok(Self::new(data, (Explained::Times { loss, strata: Vec::new() }, answers), constraint))
    }

    /// Ordered labels, each as the number of its level from 0 on; levels are in ascending order.
    pub fn ordinal<S: Into<String>>(
        data: &'a Data<'a>,
        labels: &[f64],
        levels: impl IntoIterator<Item = S>,
        constraint: impl Constraint + 'a,
    ) -> Result<Self> {
        let levels: Vec<String> = levels.into_iter().map(Into::into).collect();
        if labels.len() != data.rows() {
            let (found, expected) = (labels.len(), data.rows());
            return Err(Error::Length { what: "labels", found, expected, rule: "one for each row" });
        }
        let loss = OrdinalLoss::new(labels, &levels, &weights_of(data))?;
        let answers = Answers::Levels { labels: labels.to_vec(), levels: levels.clone() };
        Ok(Self::new(data, (Explained::Levels { loss, levels }, answers), constraint))
    }

    fn new(data: &'a Data<'a>, (explained, answers): (Explained, Answers), constraint: impl Constraint + 'a) -> Self {
        Self { data, explained, answers, constraint: Box::new(constraint), ridge: Ridge::default() }
    }

    /// Adds $\tfrac12\sum\lambda_j\theta_j^2$ to the objective.
    #[must_use]
    pub fn ridge(mut self, ridge: impl Into<Ridge<'a>>) -> Self {
        self.ridge = ridge.into();
        self
    }

    /// What the strata are called: the name of stratum number $k$ is at place $k$.
    #[must_use]
    pub fn strata<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        if let Explained::Times { strata, .. } = &mut self.explained {
            *strata = names.into_iter().map(Into::into).collect();
        }
        self
    }

    /// Fits by the method that the set has.
    pub fn fit(&self, settings: &Settings) -> Result<JointFit> {
        self.fit_observed(settings, &mut Silent)
    }

    /// Fits while an observer watches, who may end the run early.
    pub fn fit_observed(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<JointFit> {
        let settings = &*settings.resolved()?;
        self.check(settings)?;
        in_pool(settings.threads, || Run { problem: self, settings, observer }.fit())
    }

    pub(super) fn objective(&self) -> Objective<'_> {
        let loss: &dyn JointLoss = match &self.explained {
            Explained::Times { loss, .. } => loss,
            Explained::Levels { loss, .. } => loss,
        };
        Objective { data: self.data, loss, ridge: self.ridge }
    }

    pub(super) fn constraint(&self) -> &dyn Constraint {
        &*self.constraint
    }

    pub(super) fn answers(&self) -> &Answers {
        &self.answers
    }

    pub(super) fn ridge_weight(&self) -> f64 {
        self.ridge.weight()
    }

    /// A number that no loss is below.
    pub(super) fn least(&self) -> f64 {
        match &self.explained {
            Explained::Times { loss, .. } => loss.saturated(),
            Explained::Levels { .. } => 0.0,
        }
    }

    /// What a model needs besides its coefficients.
    pub(super) fn kind(&self, predictors: &[f64], thresholds: Vec<f64>) -> JointKind {
        match &self.explained {
            Explained::Times { loss, strata } => {
                let (events, rows) = loss.counts();
                let baseline = Baseline::of(loss, predictors, strata);
                JointKind::Cox { ties: loss.ties, baseline, events, rows }
            }
            Explained::Levels { levels, .. } => JointKind::Ordinal { levels: levels.clone(), thresholds },
        }
    }

    fn loss_name(&self) -> &'static str {
        match &self.explained {
            Explained::Times { .. } => "cox",
            Explained::Levels { .. } => "ordinal",
        }
    }

    pub(super) fn check(&self, settings: &Settings) -> Result<()> {
        settings.check(self.data.rows(), self.data.columns())?;
        let refused = |what: &'static str| Err(Error::NotForJoint { what, loss: self.loss_name() });
        match settings {
            _ if settings.method.to_string() != Method::default().to_string() => {
                return refused("another method than spd");
            }
            _ if settings.prove.is_some() => return refused("a search for a proof"),
            _ if settings.resume.is_some() => return refused("going on from a checkpoint"),
            _ if settings.average => return refused("an average of iterates"),
            _ if !settings.polish => return refused("a fit without the exact finish"),
            _ => {}
        }
        if !(0.0..=LARGEST).contains(&self.ridge.weight()) {
            return Err(Error::setting("ridge", Rule::UpTo { most: LARGEST }, self.ridge.weight()));
        }
        if let Some(found) = self.ridge.columns().filter(|found| *found != self.data.columns()) {
            let (expected, rule) = (self.data.columns(), "one weight for each column");
            return Err(Error::Length { what: "ridge", found, expected, rule });
        }
        self.data.random_access()?;
        self.data.check_magnitudes()?;
        self.constraint.check(self.data.parameter_shape())?;
        let is_choice = matches!(self.constraint.structure(), Structure::Choice(_));
        if is_choice || self.constraint.is_convex() {
            return Ok(());
        }
        refused("a set that is neither convex nor a choice of features")
    }
}

fn weights_of(data: &Data) -> Vec<f64> {
    (0..data.rows()).map(|row| data.weight(row)).collect()
}
