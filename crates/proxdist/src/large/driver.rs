//! A fit by readings: what it knows, and how it looks at a point on all rows.

use super::frame::{Bent, Frame, Looked};
use super::pseudo::Pseudo;
use super::reader::Reader;
use super::request::{Second, SumsRequest};
use super::survey::Surveyed;
use crate::certificate::Judge;
use crate::constraint::{Constraint, Structure, Workspace};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::gap::Measured;
use crate::layout::Layout;
use crate::loss::{Loss, Squared};
use crate::objective::Objective;
use crate::polish::{Finish, Polished, floored, relative};
use crate::solver::Settings;
use std::ops::ControlFlow;

/// A fit on its way.
pub(super) struct Driver<'d, 'r> {
    pub(super) reader: Reader<'r>,
    pub(super) frame: Frame<'d>,
    pub(super) loss: &'d dyn Loss,
    pub(super) constraint: &'d dyn Constraint,
    pub(super) settings: &'d Settings,
    pub(super) surveyed: &'d Surveyed,
    /// The sample, in the units of the fit.
    pub(super) sample: Option<&'d Data<'d>>,
    /// Bytes that the fit may hold.
    pub(super) budget: usize,
}

/// A point, and F with its derivatives there on all rows.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// In the units of the fit.
    pub(super) theta: Vec<f64>,
    pub(super) looked: Looked,
    pub(super) bent: Bent,
    /// Whether second derivatives of all pairs of columns are known.
    pub(super) is_whole: bool,
}

impl Place {
    /// F there.
    pub(super) fn value(&self) -> f64 {
        self.looked.value
    }
}

impl Driver<'_, '_> {
    pub(super) fn layout(&self) -> Layout {
        self.frame.layout
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.layout().coefficient_count()
    }

    /// F without any feature, on all rows.
    pub(super) fn at_zero(&self) -> f64 {
        self.surveyed.at_zero / self.surveyed.weight
    }

    /// One reading of all rows at a point; `None` if it was cut short.
    pub(super) fn look(&mut self, theta: Vec<f64>, second: Second, caution: f64) -> Result<Option<Place>> {
        let (coefficients, intercept) = self.frame.inward(&theta);
        let is_whole = second == Second::All;
        let request =
            SumsRequest { coefficients, intercept, scaling: Some(self.frame.scaling.clone()), caution, second };
        let Some(sums) = self.reader.sums(request)? else { return Ok(None) };
        let looked = self.frame.looked(&theta, &sums);
        let nonzeros = self.layout().coefficients(&theta).iter().filter(|value| **value != 0.0).count();
        if looked.value.is_finite() {
            self.reader.record(looked.value, nonzeros);
        }
        let bent = self.frame.bent(sums, is_whole);
        Ok(Some(Place { theta, looked, bent, is_whole }))
    }

    /// The same for a point that is the result even if the fit is to end.
    pub(super) fn last_look(&mut self, theta: Vec<f64>) -> Result<Place> {
        self.reader.is_last = true;
        let place = self.look(theta, Second::Cross(Vec::new()), 0.0)?;
        place.ok_or(Error::Interrupted)
    }

    /// A point of the set near zero.
    pub(super) fn feasible_zero(&self) -> Result<Vec<f64>> {
        let mut theta = self.layout().zeros();
        self.constraint.project(self.layout().coefficients_mut(&mut theta), &mut Workspace::default())?;
        Ok(theta)
    }

    /// Finishes on a model of F from the place that it was made at.
    pub(super) fn finish_on(&mut self, pseudo: &Pseudo, place: &Place) -> Result<Polished> {
        let data = pseudo.data()?;
        let Self { reader, frame, constraint, settings, .. } = self;
        let finish = Finish {
            objective: Objective::new(&data, &Squared, frame.ridge),
            constraint: *constraint,
            l1: 0.0,
            is_near: false,
            effort: settings.effort,
            seed: settings.seed,
        };
        let start = frame.layout.coefficients(&place.theta);
        finish.run(&[start], &mut || if reader.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The model of F at a place.
    pub(super) fn model(&self, place: &Place, damping: f64) -> Result<Pseudo> {
        let parts = (&place.looked, &place.bent);
        Pseudo::new(&self.frame, &place.theta, parts, damping, self.loss.is_quadratic())
    }

    /// The objective on the sample: for what depends on columns and units, and little on the rows.
    pub(super) fn sampled(&self) -> Option<Objective<'_>> {
        let has_intercept = self.layout().has_intercepts();
        self.sample.map(|data| Objective::new(data, self.loss, self.frame.ridge).intercept(has_intercept))
    }

    /// The metric of the scaled columns at a place.
    pub(super) fn metric(&self, place: &Place) -> Result<Vec<f64>> {
        let mut metric = self.frame.metric(&place.bent);
        if self.loss.has_straight_pieces()
            && let Some(objective) = self.sampled()
        {
            // Rows on straight pieces have no curvature; that of a parabola above them, on the sample, is the scale.
            let above = crate::polish::metric(&mut crate::polish::OnData::new(objective), &place.theta)?;
            metric.iter_mut().zip(above).for_each(|(own, above)| *own = own.max(above));
        }
        Ok(metric)
    }

    /// How far a place is from being stationary, relative to $\sqrt{2F}$, by what was computed on all rows.
    pub(super) fn stationarity(&self, place: &Place) -> Result<f64> {
        if let Structure::Rank { .. } = self.constraint.structure()
            && place.is_whole
        {
            let pseudo = self.model(place, 0.0)?;
            let data = pseudo.data()?;
            let objective = Objective::new(&data, &Squared, self.frame.ridge);
            let coefficients = self.layout().coefficients(&place.theta);
            if let Some(found) = Finish::stationarity_of_rank(objective, self.constraint, coefficients)? {
                return Ok(found);
            }
        }
        let Some(objective) = self.sampled() else { return Ok(f64::INFINITY) };
        let judge = Judge {
            objective,
            constraint: self.constraint,
            l1: 0.0,
            schedule_meets_theory: false,
            seed: self.settings.seed,
        };
        let (gradient, metric) = (self.frame.gradient(&place.looked), self.metric(place)?);
        let measured = Measured { theta: &place.theta, value: place.value(), gradient: &gradient, metric: &metric };
        Ok(relative(judge.residual(measured)?, floored(place.value(), self.at_zero())))
    }

    /// Refuses work that does not fit into the memory of the fit.
    pub(super) fn allow(&self, what: &'static str, bytes: f64, remedy: &'static str) -> Result<()> {
        if bytes <= self.budget as f64 {
            return Ok(());
        }
        Err(Error::Memory { what, needed: bytes as u64, allowed: self.budget as u64, remedy })
    }

    /// Bytes that the second derivatives of all pairs of columns take, with the sums of the parts that are read at the same time and what is
    /// made of them.
    pub(super) fn bytes_of_all(&self) -> f64 {
        let columns = self.columns() as f64;
        8.0 * columns * columns * COPIES
    }
}

/// Copies of a matrix of second derivatives that there are at a time; the same at any number of threads, so that a fit takes the same way.
const COPIES: f64 = 12.0;
