//! A problem with several outputs, what is checked of it, and the result of its fit.

use super::finish::Run;
use super::loss::{OutputLoss, RowsLoss};
use super::model::OutputsModel;
use super::objective::Objective;
use crate::certificate::Certificate;
use crate::constraint::Constraint;
use crate::data::{Data, LARGEST};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::pool::in_pool;
use crate::preparation::Units;
use crate::ridge::Ridge;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::solver::{Method, Note, Settings, Stop};
use crate::trace::{Observer, Progress, Silent};
use std::borrow::Cow;

/// What each row says about the outputs: its class, or a number for each of them.
#[derive(Clone, Copy, Debug)]
pub struct Responses<'a> {
    pub(crate) values: &'a [f64],
    /// Numbers of a row.
    pub(crate) each: usize,
    pub(crate) outputs: usize,
    /// A known part of each predictor, row by row.
    pub(crate) offset: Option<&'a [f64]>,
}

impl<'a> Responses<'a> {
    /// One class of so many for each row, counted from 0.
    pub fn classes(values: &'a [f64], classes: usize) -> Self {
        Self { values, each: 1, outputs: classes, offset: None }
    }

    /// So many numbers for each row, row by row.
    pub fn numbers(values: &'a [f64], responses: usize) -> Self {
        Self { values, each: responses, outputs: responses, offset: None }
    }

    /// Adds a known part of the predictors: a number for each row and output, row by row.
    #[must_use]
    pub fn offset(mut self, offset: &'a [f64]) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Numbers with what is known of their predictors taken away.
    pub(crate) fn without_offset(&self) -> Cow<'a, [f64]> {
        match self.offset {
            None => Cow::Borrowed(self.values),
            Some(offset) => self.values.iter().zip(offset).map(|(y, known)| y - known).collect(),
        }
    }

    /// Outputs, K.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// $\min F(\Theta, b)$ over $\Theta \in C$; see [`crate::outputs`].
///
/// ```
/// use proxdist::outputs::{OutputLoss, OutputsProblem, Responses};
/// use proxdist::{Data, Settings, spec::SetSpec, Shape};
///
/// let x = [0.0, 1.0, 1.0, 0.0, 2.0, 1.0, 3.0, 5.0, 4.0, 3.0];
/// let y = [0.1, 1.0, 1.1, 2.0, 1.9, 3.1, 3.0, 4.2, 4.1, 4.9];
/// let data = Data::dense(&x, 2, &[0.0; 5])?;
/// let set = SetSpec::parse("rows:1")?.build(Shape::Matrix { rows: 2, columns: 2 })?;
/// let problem = OutputsProblem::new(&data, Responses::numbers(&y, 2), OutputLoss::Squared, set).intercept(true);
/// let fit = problem.fit(&Settings::default())?;
/// assert_eq!(fit.model().support(), [0]);
/// # Ok::<(), proxdist::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputsProblem<'a> {
    data: &'a Data<'a>,
    responses: Responses<'a>,
    loss: OutputLoss,
    constraint: Box<dyn Constraint + 'a>,
    ridge: Ridge<'a>,
    intercept: bool,
    names: Option<Vec<String>>,
}

/// A feasible parameter, how it was reached and why the run ended.
#[derive(Clone, Debug)]
pub struct OutputsFit {
    pub(crate) model: OutputsModel,
    pub(crate) trace: Vec<Progress>,
    pub(crate) notes: Vec<Note>,
}

impl OutputsFit {
    /// What predictions need, ready to be saved.
    pub fn model(&self) -> &OutputsModel {
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

    /// F at the result, on all rows.
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

    /// The fit of scaled columns with its model in the units of the data.
    pub fn restored(self, units: &Units) -> Result<Self> {
        Ok(Self { model: self.model.restored(units)?, ..self })
    }
}

impl<'a> OutputsProblem<'a> {
    /// A problem without ridge term or intercepts. The response that the data have of their own is not looked at.
    pub fn new(
        data: &'a Data<'a>,
        responses: Responses<'a>,
        loss: OutputLoss,
        constraint: impl Constraint + 'a,
    ) -> Self {
        let constraint = Box::new(constraint);
        Self { data, responses, loss, constraint, ridge: Ridge::default(), intercept: false, names: None }
    }

    /// Adds $\tfrac12\sum\lambda_j\Theta_{jk}^2$ to the objective; intercepts are never shrunk.
    #[must_use]
    pub fn ridge(mut self, ridge: impl Into<Ridge<'a>>) -> Self {
        self.ridge = ridge.into();
        self
    }

    /// Gives every output an intercept, which the set does not see.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// What the outputs are called: the labels of the classes, or the names of the responses.
    #[must_use]
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// How the coefficients are arranged, which is what a set must be for.
    pub fn shape(&self) -> Shape {
        Shape::Matrix { rows: self.data.columns(), columns: self.responses.outputs }
    }

    /// How the parameter is arranged: coefficients feature by feature, then the intercepts.
    pub fn layout(&self) -> Layout {
        Layout::vector(self.data.columns()).outputs(self.responses.outputs).intercepts(self.intercept)
    }

    /// Fits by the method that the set has.
    pub fn fit(&self, settings: &Settings) -> Result<OutputsFit> {
        self.fit_observed(settings, &mut Silent)
    }

    /// Fits while an observer watches, who may end the run early.
    pub fn fit_observed(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<OutputsFit> {
        let settings = &*settings.resolved()?;
        self.check(settings)?;
        in_pool(settings.threads, || Run::new(self, settings, observer).fit())
    }

    /// F without any gauge.
    pub(crate) fn objective(&self) -> Objective<'_> {
        Objective {
            data: self.data,
            responses: self.responses,
            loss: RowsLoss { loss: self.loss, outputs: self.responses.outputs, has_gauge: false },
            ridge: self.ridge,
            has_intercepts: self.intercept,
            has_intercept_gauge: false,
        }
    }

    pub(crate) fn constraint(&self) -> &dyn Constraint {
        &*self.constraint
    }

    pub(crate) fn data(&self) -> &'a Data<'a> {
        self.data
    }

    pub(crate) fn output_loss(&self) -> OutputLoss {
        self.loss
    }

    pub(crate) fn ridge_weight(&self) -> f64 {
        self.ridge.weight()
    }

    /// The names of the outputs, or their numbers from 1.
    pub(crate) fn output_names(&self) -> Vec<String> {
        let numbered = || (1..=self.responses.outputs).map(|number| number.to_string()).collect();
        self.names.clone().unwrap_or_else(numbered)
    }

    pub(super) fn check(&self, settings: &Settings) -> Result<()> {
        let (rows, outputs) = (self.data.rows(), self.responses.outputs);
        settings.check(rows, self.data.columns().saturating_mul(outputs))?;
        Self::check_settings(settings)?;
        if !(0.0..=LARGEST).contains(&self.ridge.weight()) {
            return Err(Error::setting("ridge", Rule::UpTo { most: LARGEST }, self.ridge.weight()));
        }
        if let Some(found) = self.ridge.columns().filter(|found| *found != self.data.columns()) {
            let (expected, rule) = (self.data.columns(), "one weight for each column");
            return Err(Error::Length { what: "ridge", found, expected, rule });
        }
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != outputs) {
            let rule = "one name for each output";
            return Err(Error::Length { what: "names of outputs", found: names.len(), expected: outputs, rule });
        }
        if self.data.has_offset() {
            return Err(Error::NotForOutputs { what: "an offset of one number for each row" });
        }
        self.data.random_access()?;
        self.data.check_magnitudes()?;
        self.constraint.check(self.shape())?;
        self.check_responses()
    }

    /// What a run of several outputs cannot do is refused, not passed over.
    fn check_settings(settings: &Settings) -> Result<()> {
        let refused = |what: &'static str| Err(Error::NotForOutputs { what });
        match settings {
            _ if settings.method.to_string() != Method::default().to_string() => refused("another method than spd"),
            _ if settings.prove.is_some() => refused("a search for a proof"),
            _ if settings.resume.is_some() => refused("going on from a checkpoint"),
            _ if settings.average => refused("an average of iterates"),
            _ => Ok(()),
        }
    }

    fn check_responses(&self) -> Result<()> {
        let Responses { values, each, outputs, offset } = self.responses;
        let rows = self.data.rows();
        if outputs == 0 || each != self.loss.responses(outputs) {
            return Err(Error::Empty { what: "outputs" });
        }
        if values.len() != rows * each {
            let (found, expected) = (values.len(), rows * each);
            return Err(Error::Length { what: "responses", found, expected, rule: "one for each row and response" });
        }
        let names = self.output_names();
        if let Some(offset) = offset {
            let (found, expected) = (offset.len(), rows * outputs);
            if found != expected {
                return Err(Error::Length { what: "offset", found, expected, rule: "one for each row and output" });
            }
            if let Some(place) = offset.iter().position(|value| !value.is_finite() || value.abs() > LARGEST) {
                let (what, row, value) = ("offset", place / outputs, offset[place]);
                let column = Some(names[place % outputs].clone());
                return Err(if value.is_finite() {
                    Error::TooLarge { what, row, column, value, limit: LARGEST }
                } else {
                    Error::NotFiniteData { what, row, column, value }
                });
            }
        }
        if let Some(place) = values.iter().position(|value| !value.is_finite() || value.abs() > LARGEST) {
            let column = (each > 1).then(|| names[place % each].clone());
            let (what, row, value, limit) = ("response", place / each, values[place], LARGEST);
            return Err(if value.is_finite() {
                Error::TooLarge { what, row, column, value, limit }
            } else {
                Error::NotFiniteData { what, row, column, value }
            });
        }
        if !self.loss.is_classification() {
            return Ok(());
        }
        if outputs < 2 {
            return Err(Error::OneClass { class: names.first().cloned().unwrap_or_default() });
        }
        let mut weights = vec![0.0; outputs];
        for (row, &value) in values.iter().enumerate() {
            if value < 0.0 || value.fract() != 0.0 || value >= outputs as f64 {
                return Err(Error::ClassNumber { row, value, classes: outputs });
            }
            weights[value as usize] += self.data.weight(row);
        }
        match weights.iter().position(|weight| *weight == 0.0) {
            Some(absent) => Err(Error::AbsentClass { class: names[absent].clone(), classes: outputs }),
            None => Ok(()),
        }
    }
}
