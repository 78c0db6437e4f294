//! A problem: data, a loss and a set; and the way from it to a fit.

use crate::constraint::Constraint;
use crate::data::{Data, LARGEST};
use crate::error::{Error, Result};
use crate::large;
use crate::layout::Layout;
use crate::loss::{KinkFault, Loss, check_responses};
use crate::objective::Objective;
use crate::polish::refusal;
use crate::pool::in_pool;
use crate::ridge::Ridge;
use crate::rule::Rule;
use crate::run;
use crate::solver::{Fit, Settings};
use crate::trace::{Observer, Silent};

/// $\min F(\theta)$ over $\theta \in C$, with $F$ as in [`crate::objective`].
#[derive(Debug)]
pub struct Problem<'a> {
    data: &'a Data<'a>,
    loss: Box<dyn Loss + 'a>,
    constraint: Box<dyn Constraint + 'a>,
    ridge: Ridge<'a>,
    intercept: bool,
}

impl<'a> Problem<'a> {
    /// A problem without ridge term or intercept.
    pub fn new(data: &'a Data<'a>, loss: impl Loss + 'a, constraint: impl Constraint + 'a) -> Self {
        Self { data, loss: Box::new(loss), constraint: Box::new(constraint), ridge: Ridge::default(), intercept: false }
    }

    /// Adds $(\lambda/2)\|\theta\|^2$ to the objective, or another [`Ridge`] term; the intercept is never shrunk.
    #[must_use]
    pub fn ridge(mut self, ridge: impl Into<Ridge<'a>>) -> Self {
        self.ridge = ridge.into();
        self
    }

    /// Gives the model an intercept, which the set does not see.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// The data.
    pub fn data(&self) -> &'a Data<'a> {
        self.data
    }

    /// The loss.
    pub fn loss(&self) -> &dyn Loss {
        &*self.loss
    }

    /// The set.
    pub fn constraint(&self) -> &dyn Constraint {
        &*self.constraint
    }

    /// Weight of the ridge term.
    pub fn ridge_weight(&self) -> f64 {
        self.ridge.weight()
    }

    /// The ridge term.
    pub fn ridge_term(&self) -> Ridge<'a> {
        self.ridge
    }

    /// Whether the model has an intercept.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// How the parameter is arranged: coefficients, then the intercept if there is one.
    pub fn layout(&self) -> Layout {
        self.objective().layout()
    }

    /// The objective F.
    pub fn objective(&self) -> Objective<'_> {
        Objective::new(self.data, &*self.loss, self.ridge).intercept(self.intercept)
    }

    /// Fits with the method of the settings, by default the stochastic proximal distance algorithm.
    pub fn fit(&self, settings: &Settings) -> Result<Fit> {
        self.fit_observed(settings, &mut Silent)
    }

    /// Fits while an observer watches, who may end the run early. Data that can only be read in order are fitted by a few readings of all rows, see
    /// [`crate::large`].
    pub fn fit_observed(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<Fit> {
        let settings = &*settings.resolved()?;
        if self.data.random_access().is_err() {
            KinkFault::InOrder.unless_smooth(&*self.loss)?;
            return large::fit_in_order(self, settings, observer);
        }
        self.with_method(settings, |whole| run::fit(whole, self, settings, observer))
    }

    /// A fit without its proof and certificate.
    pub(crate) fn explore(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<run::Explored> {
        self.with_method(settings, |whole| run::explore(whole, self, settings, observer))
    }

    /// The penalty of the first step with which the method of the settings gets furthest in as many steps or passes as they allow,
    /// but not more than 10 000 steps: all candidates take all of them, on shared batches. Every method is offered
    /// the same candidates, from a thousandth of the average curvature of F to three thousand times as much. `None` if it diverges
    /// with all of them.
    pub fn first_penalty(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<Option<f64>> {
        let settings = &*settings.resolved()?;
        self.with_method(settings, |whole| run::first_penalty(whole, self, settings, observer))
    }

    /// Calls `run` on what the method minimises, with the threads of the settings, once everything is checked.
    fn with_method<T: Send>(&self, settings: &Settings, run: impl FnOnce(&Problem) -> Result<T> + Send) -> Result<T> {
        self.check(settings)?;
        settings.method.check(self)?;
        let extended = settings.method.extended(self);
        let whole = extended.as_ref().unwrap_or(self);
        if extended.is_some() {
            whole.check(settings)?;
        }
        in_pool(settings.threads, || run(whole))
    }

    pub(crate) fn check(&self, settings: &Settings) -> Result<()> {
        settings.check(self.data.rows(), self.data.columns())?;
        if !(0.0..=LARGEST).contains(&self.ridge_weight()) {
            return Err(Error::setting("ridge", Rule::UpTo { most: LARGEST }, self.ridge_weight()));
        }
        let (columns, rule) = (self.data.columns(), "one weight for each column");
        if let Some(found) = self.ridge.columns().filter(|found| *found != columns) {
            return Err(Error::Length { what: "ridge", found, expected: columns, rule });
        }
        let is_sound = |weight: &f64| *weight >= 0.0 && weight.is_finite();
        if let Some(wrong) = (0..columns).map(|j| self.ridge.at(j)).find(|weight| !is_sound(weight)) {
            return Err(Error::setting("ridge", Rule::NotNegativeInColumns, wrong));
        }
        self.data.check_magnitudes()?;
        self.constraint.check(self.data.parameter_shape())?;
        check_responses(&*self.loss, self.data.response())?;
        self.check_kink(settings)
    }

    /// A loss with a kink needs a set that it can be finished over, unless no finish is wanted.
    fn check_kink(&self, settings: &Settings) -> Result<()> {
        let fault = match self.loss.kinked() {
            Some(_) if settings.polish => refusal(&*self.constraint, self.data.columns()),
            None if settings.polish && !self.loss.is_differentiable() => Some(KinkFault::NotStraight),
            _ => None,
        };
        fault.map_or(Ok(()), |fault| Err(fault.of(&*self.loss)))
    }
}
