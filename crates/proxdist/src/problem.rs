//! A problem: data, a loss and a set; and the way from it to a fit.

use crate::certificate::certify;
use crate::constraint::Constraint;
use crate::data::{Data, RowBuffer, Support};
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::objective::Objective;
use crate::prox::Prox;
use crate::sampling::{Sampler, monitor_sample};
use crate::schedule::{Polynomial, Schedule};
use crate::solver::{Fit, ProximalDistance, Settings, Solver, run};
use crate::trace::{Observer, Silent};
use std::sync::Arc;

/// $\min F(\theta)$ over $\theta \in C$, with $F$ as in [`crate::objective`].
pub struct Problem<'a> {
    data: &'a Data<'a>,
    loss: Box<dyn Loss + 'a>,
    constraint: Box<dyn Constraint + 'a>,
    ridge: f64,
    intercept: bool,
}

impl<'a> Problem<'a> {
    /// A problem without ridge term or intercept.
    pub fn new(data: &'a Data<'a>, loss: impl Loss + 'a, constraint: impl Constraint + 'a) -> Self {
        Self { data, loss: Box::new(loss), constraint: Box::new(constraint), ridge: 0.0, intercept: false }
    }

    /// Adds $(\lambda/2)\|\theta\|^2$ to the objective; the intercept is never shrunk.
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
        self.ridge
    }

    /// Whether the model has an intercept.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// The objective F.
    pub fn objective(&self) -> Objective<'_> {
        Objective::new(self.data, &*self.loss, self.ridge)
    }

    /// Fits with the stochastic proximal distance algorithm.
    pub fn fit(&self, settings: &Settings) -> Result<Fit> {
        self.fit_observed(settings, &mut Silent)
    }

    /// Fits while an observer watches, who may end the run early.
    pub fn fit_observed(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<Fit> {
        self.check(settings)?;
        match settings.threads {
            None => self.fit_here(settings, observer),
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let pool = pool.map_err(|error| Error::Threads { threads, reason: error.to_string() })?;
                pool.install(|| self.fit_here(settings, observer))
            }
        }
    }

    /// A solver of this problem for those who want to take the steps themselves.
    pub fn solver(&self, settings: &Settings, schedule: &'a dyn Schedule) -> Result<ProximalDistance<'_>> {
        self.check(settings)?;
        self.start_solver(settings, schedule)
    }

    fn fit_here(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<Fit> {
        let schedule = self.schedule(settings)?;
        let mut solver = self.start_solver(settings, &*schedule)?;
        let outcome = run(&mut solver, self.objective(), &*self.constraint, settings, observer)?;
        let batch_size = solver.rows_per_step();
        let objective = self.objective().value(&outcome.theta);
        let certificate = certify(
            self.objective(),
            &*self.constraint,
            &outcome.theta,
            outcome.distance,
            schedule.meets_theory(),
            settings.seed,
        )?;
        Ok(Fit::new(self, outcome, objective, certificate, &*schedule, batch_size, settings))
    }

    fn start_solver<'s>(&'s self, settings: &Settings, schedule: &'s dyn Schedule) -> Result<ProximalDistance<'s>> {
        let rows = self.data.rows();
        let usual = if self.loss.is_quadratic() { 64 } else { 256 };
        let batch_size = settings.batch_size.unwrap_or(usual.min(rows));
        let sampler = Sampler::new(settings.sampling, rows, batch_size, settings.seed);
        let prox = Prox::new(&*self.loss).ridge(self.ridge).intercept(self.intercept);
        let mut theta = settings.start.clone().unwrap_or_else(|| vec![0.0; self.data.columns()]);
        theta.extend(self.intercept.then_some(settings.start_intercept));
        ProximalDistance::new(self.data, &*self.constraint, Box::new(prox), schedule, sampler, theta)
    }

    fn schedule(&self, settings: &Settings) -> Result<Arc<dyn Schedule>> {
        if let Some(schedule) = &settings.schedule {
            return Ok(schedule.clone());
        }
        let rho1 = match settings.rho1 {
            Some(rho1) => rho1,
            None => self.usual_rho1(settings),
        };
        Ok(Arc::new(Polynomial::new(rho1, settings.gamma)?))
    }

    /// A tenth of the average curvature of F along a coordinate at the start. The theory wants $\rho_1$ of the order of the
    /// curvature; erring low costs some noise, erring high costs all progress.
    fn usual_rho1(&self, settings: &Settings) -> f64 {
        const SAMPLE: usize = 500;
        let data = self.data;
        let rows = monitor_sample(settings.seed, data.rows(), SAMPLE.min(data.rows()));
        let start = settings.start.clone().unwrap_or_else(|| vec![0.0; data.columns()]);
        let mut total = 0.0;
        let mut buffer = RowBuffer::default();
        for &row in &rows {
            if data.source().gather(&[row], &mut buffer).is_err() {
                continue;
            }
            let predictor = data.source().dot(row, &start, &Support::default())
                + data.offset_of(row)
                + if self.intercept { settings.start_intercept } else { 0.0 };
            total += self.loss.curvature(predictor, data.response()[row]) * buffer.rows().row_norm_squared(0);
        }
        let average = total / (rows.len() as f64 * data.columns() as f64);
        if average.is_normal() { 0.1 * average } else { 0.1 }
    }

    fn check(&self, settings: &Settings) -> Result<()> {
        settings.check(self.data.rows(), self.data.columns())?;
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(Error::setting("ridge", "zero or positive, and finite", self.ridge));
        }
        self.constraint.check(self.data.parameter_shape())?;
        for (row, &value) in self.data.response().iter().enumerate() {
            if let Err(rule) = self.loss.check_response(value) {
                return Err(Error::Response { loss: self.loss.spec(), row, value, rule });
            }
        }
        Ok(())
    }
}
