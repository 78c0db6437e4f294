//! The stages of a fit by readings: survey, the sample, the route that the set asks for, the certificate.

use super::backend::Backend;
use super::driver::{Driver, Place};
use super::frame::Frame;
use super::memory;
use super::reader::Reader;
use super::request::SurveyRequest;
use super::sample;
use super::survey::Surveyed;
use super::table::Table;
use crate::certificate::{Certified, Evidence, Judge, Reached};
use crate::constraint::{Constraint, Structure};
use crate::data::{Data, LARGEST};
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Measured, Proof};
use crate::layout::Layout;
use crate::loss::{Loss, Squared};
use crate::objective::Objective;
use crate::preparation::Units;
use crate::problem::Problem;
use crate::ridge::Ridge;
use crate::rule::Rule;
use crate::run::Explored;
use crate::scaling::Scaling;
use crate::shape::Shape;
use crate::solver::{Ended, Fit, Settings, Stop};
use crate::trace::{Observer, Progress, Reading};
use std::ops::ControlFlow;
use std::time::Instant;

/// Columns up to which the sums of all pairs cost next to nothing beside the reading.
const FEW_COLUMNS: usize = 256;

/// What is to be fitted, and on which rows.
pub(super) struct Asked<'a> {
    pub(super) backend: &'a dyn Backend,
    pub(super) loss: &'a dyn Loss,
    pub(super) constraint: &'a dyn Constraint,
    pub(super) layout: Layout,
    pub(super) names: Option<&'a [String]>,
    pub(super) settings: &'a Settings,
}

/// What the first reading has found.
pub(super) struct Begun<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) surveyed: Surveyed,
    pub(super) budget: usize,
}

/// The units of a fit, what the ridge is in them, and the settings with a start in them.
#[derive(Clone, Copy)]
pub(super) struct Sizes<'u> {
    pub(super) units: &'u Units,
    pub(super) ridge: Ridge<'u>,
    pub(super) settings: &'u Settings,
}

impl<'a> Asked<'a> {
    /// Everything that can be wrong without reading the data.
    pub(super) fn check(&self, ridge: f64) -> Result<()> {
        let columns = self.backend.columns();
        if columns == 0 {
            return Err(Error::Empty { what: "columns" });
        }
        if self.backend.parts() == 0 {
            return Err(Error::Empty { what: "rows" });
        }
        if self.layout.features() != columns {
            let rule = "rows times columns of the shape must be the number of features";
            return Err(Error::Length { what: "shape", found: self.layout.features(), expected: columns, rule });
        }
        if let Some(found) = self.names.map(<[String]>::len).filter(|found| *found != columns) {
            return Err(Error::Length { what: "names", found, expected: columns, rule: "one name a column" });
        }
        if !(0.0..=LARGEST).contains(&ridge) {
            return Err(Error::setting("ridge", Rule::UpTo { most: LARGEST }, ridge));
        }
        self.settings.check(usize::MAX, columns)?;
        if self.settings.resume.is_some() || self.settings.method.l1_weight() > 0.0 {
            return Err(Error::InOrderOnly);
        }
        self.constraint.check(self.layout.shape())
    }

    /// The first reading.
    pub(super) fn begin<'o>(&'o self, observer: &'o mut dyn Observer) -> Result<Begun<'o>>
    where
        'a: 'o,
    {
        let budget = memory::budget(self.settings);
        let rows = sample::size(self.backend, budget)?;
        // A few more than wanted, so that the smallest keys are among them.
        let share = self.backend.rows().map_or(1.0, |all| {
            let wanted = rows as f64;
            (wanted + 8.0 * wanted.sqrt() + 8.0) / (all as f64).max(1.0)
        });
        let mut reader = Reader {
            backend: self.backend,
            loss: self.loss,
            observer,
            names: self.names,
            time_limit: self.settings.time_limit,
            began: Instant::now(),
            reads: 0,
            rows: Vec::new(),
            rows_read: 0,
            trace: Vec::new(),
            stop: None,
            is_last: false,
        };
        let request = SurveyRequest { seed: self.settings.seed, rows, share: share.min(1.0) };
        let Some(surveyed) = reader.survey(request)? else { return Err(Error::Interrupted) };
        Ok(Begun { reader, surveyed, budget })
    }

    /// All that follows.
    pub(super) fn finish(&self, begun: Begun<'_>, sizes: Sizes<'_>) -> Result<Fit> {
        let Begun { mut reader, mut surveyed, budget } = begun;
        let Sizes { units, ridge, settings } = sizes;
        let mut table = std::mem::take(&mut surveyed.sample.table);
        if let Some(scaling) = units.scaling() {
            scale(&mut table, scaling);
        }
        let is_all = table.rows() as u64 == surveyed.total_rows();
        let settings = &fitting_settings(settings, table.rows());
        let sample = match table.data() {
            Ok(data) => Some(self.shaped(data)?),
            // Nothing but rows without weight was drawn.
            Err(Error::ZeroWeights { .. } | Error::Empty { .. }) if !is_all => None,
            Err(error) => return Err(error),
        };
        let problem = |data| {
            let problem = Problem::new(data, self.loss, self.constraint);
            problem.ridge(ridge).intercept(self.layout.has_intercepts())
        };
        let mut explored = None;
        if let Some(data) = &sample {
            let problem = problem(data);
            if settings.method.extended(&problem).is_some() {
                return Err(Error::InOrderOnly);
            }
            if is_all {
                let fit = problem.fit_observed(settings, &mut Relay(reader.observer))?;
                return Ok(fit.after_reads(reader.reads, settings));
            }
            if self.needs_start() {
                explored = Some(problem.explore(settings, &mut Relay(reader.observer))?);
            }
        }
        if let Some(stop @ (Stop::Interrupted | Stop::TimeLimit)) = explored.as_ref().and_then(|explored| explored.stop)
        {
            reader.stop = Some(stop);
        }
        let frame = match units.scaling() {
            Some(scaling) => Frame::new(self.layout, scaling.clone(), true, ridge),
            None => Frame::new(self.layout, surveyed.steady(self.layout.has_intercepts()), false, ridge),
        };
        let mut driver = Driver {
            reader,
            frame,
            loss: self.loss,
            constraint: self.constraint,
            settings,
            surveyed: &surveyed,
            sample: sample.as_ref(),
            budget,
        };
        let start = match &explored {
            Some(explored) => explored.theta.clone(),
            None => driver.feasible_start()?,
        };
        let (place, exchanges) = driver.route(start)?;
        driver.certify(place, exchanges, explored.as_ref())
    }

    /// Whether the route begins at a point that is found on the sample: all but a quadratic F over a convex set, whose optimum is found from anywhere.
    fn needs_start(&self) -> bool {
        !(self.loss.is_quadratic() && self.constraint.is_convex())
    }

    fn shaped<'t>(&self, data: Data<'t>) -> Result<Data<'t>> {
        let data = match self.names {
            Some(names) => data.names(names)?,
            None => data,
        };
        match self.layout.shape() {
            Shape::Matrix { rows, columns } => data.shape(rows, columns),
            Shape::Vector(_) => Ok(data),
        }
    }
}

/// The same settings for a fit to the rows of the sample.
fn fitting_settings(settings: &Settings, rows: usize) -> Settings {
    let most = |count: Option<usize>| count.map(|count| count.min(rows.max(1)));
    Settings {
        batch_size: most(settings.batch_size),
        monitor_rows: most(settings.monitor_rows),
        threads: None,
        ..settings.clone()
    }
}

/// Scales the columns of a table in place.
fn scale(table: &mut Table, scaling: &Scaling) {
    let Scaling { means, factors } = scaling;
    if table.is_sparse {
        table.values.iter_mut().zip(&table.indices).for_each(|(x, &j)| *x *= factors[j as usize]);
        return;
    }
    for row in table.values.chunks_exact_mut(table.columns.max(1)) {
        row.iter_mut().zip(means.iter().zip(factors)).for_each(|(x, (m, f))| *x = (*x - m) * f);
    }
}

/// Passes on what happens on the sample, except states: a run cannot go on from them.
struct Relay<'o>(&'o mut dyn Observer);

impl Observer for Relay<'_> {
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.0.checkpoint(progress)
    }

    fn poll(&mut self) -> ControlFlow<()> {
        self.0.poll()
    }

    fn reading(&mut self, reading: &Reading) -> ControlFlow<()> {
        self.0.reading(reading)
    }
}

impl Driver<'_, '_> {
    /// Where the user asked to start, made feasible.
    fn feasible_start(&self) -> Result<Vec<f64>> {
        let mut theta = self.layout().zeros();
        let (coefficients, intercepts) = self.layout().split_mut(&mut theta);
        if let Some(start) = &self.settings.start {
            coefficients.copy_from_slice(start);
        }
        intercepts.fill(self.settings.start_intercept);
        self.constraint.project(coefficients, &mut crate::constraint::Workspace::default())?;
        Ok(theta)
    }

    /// From a feasible point to the result, and what is known of other choices of features there.
    fn route(&mut self, start: Vec<f64>) -> Result<(Place, Exchanges)> {
        let choosing = match self.constraint.structure() {
            Structure::Choice(choosing) => Some(choosing),
            _ => None,
        };
        let unknown = if choosing.is_some() { Exchanges::CutShort } else { Exchanges::NotApplicable };
        if !self.settings.polish || self.reader.stop.is_some() {
            return Ok((self.last_look(start)?, unknown));
        }
        let Some(choosing) = choosing else { return Ok((self.newton(start)?, Exchanges::NotApplicable)) };
        let is_free = choosing.counted(self.columns()).is_some();
        let fits = self.bytes_of_all() <= self.budget as f64;
        if self.loss.is_quadratic() && fits && (!is_free || self.columns() <= FEW_COLUMNS) {
            return self.by_sums(start);
        }
        self.choose(choosing, start)
    }

    /// A choice of features for a quadratic F, from its second derivatives alone.
    fn by_sums(&mut self, start: Vec<f64>) -> Result<(Place, Exchanges)> {
        let Some(mut at) = self.look(start.clone(), super::request::Second::All, 0.0)? else {
            return Ok((self.last_look(start)?, Exchanges::CutShort));
        };
        let mut exchanges = Exchanges::CutShort;
        for _ in 0..REFINEMENTS {
            let pseudo = self.model(&at, 0.0)?;
            let found = self.finish_on(&pseudo, &at)?;
            exchanges = found.exchanges;
            let theta = pseudo.completed(&self.frame, &found.theta);
            if self.reader.stop.is_some() {
                exchanges = Exchanges::CutShort;
            }
            if theta == at.theta {
                break;
            }
            self.reader.is_last = self.reader.stop.is_some();
            let Some(next) = self.elsewhere(&mut at, None, theta)? else { return Ok((at, Exchanges::CutShort)) };
            at = next;
            if self.reader.stop.is_some() || self.stationarity(&at)? <= REFINED {
                break;
            }
        }
        Ok((at, exchanges))
    }

    /// Measures the result, and says why the fit ended.
    fn certify(mut self, place: Place, exchanges: Exchanges, explored: Option<&Explored>) -> Result<Fit> {
        let mut trace = explored.map(|explored| explored.trace.clone()).unwrap_or_default();
        trace.append(&mut self.reader.trace);
        let Some(objective) = self.sampled() else {
            return Err(Error::ZeroWeights { rows: self.surveyed.total_rows() as usize });
        };
        let has_schedule = explored.and_then(|explored| explored.schedule.as_ref());
        let judge = Judge {
            objective,
            constraint: self.constraint,
            l1: 0.0,
            schedule_meets_theory: has_schedule.is_some_and(|schedule| schedule.meets_theory()),
            seed: self.settings.seed,
        };
        let (gradient, metric) = (self.frame.gradient(&place.looked), self.metric(&place)?);
        let evidence = Evidence {
            gradient,
            metric,
            at_zero: self.at_zero(),
            infimum: self.surveyed.infimum / self.surveyed.weight,
            gap: self.bound(&place)?,
        };
        let reached = Reached {
            known: Some((place.value(), Vec::new())),
            stationarity: Some(self.stationarity(&place)?),
            exchanges,
            ..Reached::at(place.theta.clone(), explored.and_then(|explored| explored.iterate_distance))
        };
        let Certified { mut certificate, value, reference } = judge.certify_by(reached, evidence)?;
        if !value.is_finite() || !certificate.stationarity.is_finite() || !place.theta.iter().all(|t| t.is_finite()) {
            return Err(Error::Overflows { objective: value });
        }
        let is_finished = certificate.is_finished(&self.constraint.structure(), reference);
        if !is_finished && certificate.exchanges.are_exhausted() {
            certificate.exchanges = Exchanges::CutShort;
        }
        let stop = match self.reader.stop {
            Some(stop) => stop,
            None if is_finished && self.settings.polish => Stop::Polished,
            None => explored.and_then(|explored| explored.stop).unwrap_or(Stop::Unfinished),
        };
        let stop = if stop == Stop::Converged && self.settings.polish { Stop::Unfinished } else { stop };
        let (coefficients, intercept) = self.layout().into_parts(place.theta);
        let ended = Ended {
            coefficients,
            intercept,
            objective: value,
            certificate,
            stop,
            steps: explored.map_or(0, |explored| explored.steps),
            rho1: explored.and_then(|explored| explored.rho1),
            schedule: has_schedule.map(|schedule| schedule.spec()),
            batch_size: explored.map_or(0, |explored| explored.batch_size),
            trace,
        };
        let sample = objective.data;
        let problem = Problem::new(sample, self.loss, self.constraint).ridge(self.frame.ridge);
        let problem = problem.intercept(self.layout().has_intercepts());
        Ok(Fit::new(&problem, self.settings, ended).after_reads(self.reader.reads, self.settings))
    }

    /// A bound on how far F is above its minimum, where it is quadratic and the set convex.
    fn bound(&self, place: &Place) -> Result<Option<Gap>> {
        if !(self.loss.is_quadratic() && self.constraint.is_convex() && place.is_whole) {
            return Ok(None);
        }
        let pseudo = self.model(place, 0.0)?;
        let data = pseudo.data()?;
        let objective = Objective::new(&data, &Squared, self.frame.ridge);
        let theta = self.layout().coefficients(&place.theta);
        let mut gradient = vec![0.0; theta.len()];
        objective.gradient(theta, &mut gradient)?;
        let metric = self.metric(place)?;
        let value = place.value();
        let measured = Measured { theta, value, gradient: &gradient, metric: &metric[..theta.len()] };
        let bound = crate::gap::by_curvature(objective, self.constraint, measured)?;
        // The model has the best intercept for its coefficients.
        let slope = self.layout().intercept(&place.looked.gradient).unwrap_or(0.0);
        let lost = if slope == 0.0 { 0.0 } else { 0.5 * slope * slope / place.bent.border[theta.len()] };
        Ok(bound.map(|value| Gap { value: value + lost, proof: Proof::Curvature }))
    }
}

/// Readings at most that only make up for rounding, and the stationarity that needs none.
const REFINEMENTS: usize = 4;
const REFINED: f64 = 2e-11;
