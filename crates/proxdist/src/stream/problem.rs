//! What a stream is about: a loss, a set and the shape of the parameter, before there is any row.

use super::block::Stream;
use super::settings::StreamSettings;
use super::state::{Start, StreamState};
use crate::constraint::Constraint;
use crate::data::LARGEST;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::loss::{KinkFault, Loss};
use crate::preparation::{Preparation, Standardize};
use crate::rule::Rule;
use crate::shape::Shape;
use std::collections::BTreeMap;

/// A loss, a set, and what else is known before the first row.
#[derive(Debug)]
pub struct StreamProblem<'p> {
    loss: Box<dyn Loss + 'p>,
    constraint: Box<dyn Constraint + 'p>,
    shape: Shape,
    names: Option<Vec<String>>,
    ridge: f64,
    intercept: bool,
    standardize: Standardize,
    start: Option<Start>,
}

/// A problem with its settings, checked.
#[derive(Debug)]
pub(crate) struct Form<'p> {
    pub(crate) loss: Box<dyn Loss + 'p>,
    pub(crate) constraint: Box<dyn Constraint + 'p>,
    pub(crate) layout: Layout,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) ridge: f64,
    pub(crate) preparation: Preparation,
    pub(crate) settings: StreamSettings,
}

impl Form<'_> {
    /// Whether the moments of columns are needed: for their scale, or for a ridge on standardised effects.
    pub(crate) fn needs_moments(&self) -> bool {
        self.preparation.is_scaled() || self.has_uneven_ridge()
    }

    /// Whether each column has a ridge weight of its own, since columns are as they are.
    pub(crate) fn has_uneven_ridge(&self) -> bool {
        !self.preparation.is_scaled() && self.preparation.is_on_effects() && self.ridge > 0.0
    }

    /// What must be the same for a stream to go on. The seed comes with the state.
    pub(crate) fn identity(&self) -> BTreeMap<String, String> {
        let StreamSettings { rho1, gamma, batch_size, half_life, reservoir, in_order, whole_blocks, .. } =
            self.settings;
        let known = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
        let pairs = [
            ("loss", self.loss.spec()),
            ("constraint", self.constraint.spec().to_string()),
            ("features", self.layout.shape().to_string()),
            ("intercept", self.layout.has_intercepts().to_string()),
            ("ridge", self.ridge.to_string()),
            ("scaled columns", self.preparation.is_scaled().to_string()),
            ("ridge on effects", self.preparation.is_on_effects().to_string()),
            ("rho1", known(rho1)),
            ("gamma", gamma.to_string()),
            ("batch_size", batch_size.to_string()),
            ("half_life", known(half_life)),
            ("reservoir", reservoir.to_string()),
            ("in_order", in_order.to_string()),
            ("whole_blocks", whole_blocks.to_string()),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl<'p> StreamProblem<'p> {
    /// A problem without ridge or intercept, columns scaled where the set allows it.
    pub fn new(loss: impl Loss + 'p, constraint: impl Constraint + 'p, shape: Shape) -> Self {
        let (loss, constraint) = (Box::new(loss), Box::new(constraint));
        let standardize = Standardize::default();
        Self { loss, constraint, shape, names: None, ridge: 0.0, intercept: false, standardize, start: None }
    }

    /// Adds a ridge of this weight, on what [`Standardize`] says.
    #[must_use]
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.ridge = ridge;
        self
    }

    /// Gives the model an intercept, which the set does not see.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// Whether columns are scaled by their running moments.
    #[must_use]
    pub fn standardize(mut self, standardize: Standardize) -> Self {
        self.standardize = standardize;
        self
    }

    /// Names of the features, for the model.
    #[must_use]
    pub fn names(mut self, names: Vec<String>) -> Self {
        self.names = Some(names);
        self
    }

    /// Begins at a point in the units of the data that stands for so many rows, as the end of a fit does.
    #[must_use]
    pub fn start(mut self, coefficients: Vec<f64>, intercept: f64, rows: u64) -> Self {
        let intercept = self.intercept.then_some(intercept);
        let theta = coefficients.into_iter().chain(intercept).collect();
        self.start = Some(Start { theta, rows, rho1: None });
        self
    }

    /// The first penalty that belongs to the start, if there is one; a stream whose settings give none takes it over.
    #[must_use]
    pub fn start_rho1(mut self, rho1: Option<f64>) -> Self {
        if let Some(start) = &mut self.start {
            start.rho1 = rho1.filter(|rho1| *rho1 > 0.0 && rho1.is_finite());
        }
        self
    }

    /// A stream before its first row.
    pub fn stream(mut self, settings: StreamSettings) -> Result<Stream<'p>> {
        let start = self.start.take();
        let form = self.form(settings)?;
        let start = start.unwrap_or_else(|| Start { theta: form.layout.zeros(), rows: 0, rho1: None });
        form.layout.check(&start.theta)?;
        if let Some(value) = start.theta.iter().find(|value| !value.is_finite()) {
            return Err(Error::setting("start", Rule::Finite, value));
        }
        let state = StreamState::begin(&form, start);
        Stream::at(form, state)
    }

    /// A stream that goes on from a state, which must be one of the same problem and settings.
    pub fn resume(self, settings: StreamSettings, state: StreamState) -> Result<Stream<'p>> {
        self.resume_from(settings, &mut Some(state))
    }

    /// The same for a state that is taken from its place only if it fits. `None` there begins a new stream.
    pub fn resume_from(self, settings: StreamSettings, place: &mut Option<StreamState>) -> Result<Stream<'p>> {
        if place.is_none() {
            return self.stream(settings);
        }
        let form = self.form(settings)?;
        if let Some(state) = place {
            state.check(&form)?;
        }
        let state = place.take().unwrap_or_else(|| StreamState::begin(&form, Start::default()));
        Stream::at(form, state)
    }

    fn form(self, settings: StreamSettings) -> Result<Form<'p>> {
        settings.check()?;
        KinkFault::Stream.unless_smooth(&*self.loss)?;
        if self.shape.is_empty() {
            return Err(Error::Empty { what: "columns" });
        }
        if !(0.0..=LARGEST).contains(&self.ridge) {
            return Err(Error::setting("ridge", Rule::UpTo { most: LARGEST }, self.ridge));
        }
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != self.shape.len()) {
            let (found, expected, rule) = (names.len(), self.shape.len(), "one name a column");
            return Err(Error::Length { what: "names", found, expected, rule });
        }
        self.constraint.check(self.shape)?;
        let preparation = Preparation::decide(self.standardize, [&*self.constraint], self.intercept)?;
        Ok(Form {
            loss: self.loss,
            constraint: self.constraint,
            layout: Layout::of(self.shape).intercepts(self.intercept),
            names: self.names,
            ridge: self.ridge,
            preparation,
            settings,
        })
    }
}
