//! The one who asks: counts the readings, adds the answers in order, tells how far they are, and notices when to stop.

use super::backend::Backend;
use super::request::{Partial, Request, SumsRequest, SurveyRequest};
use super::sums::Sums;
use super::survey::Surveyed;
use super::table::Table;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::solver::Stop;
use crate::trace::{Observer, Phase, Progress, Reading};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Asks a backend on behalf of one fit.
pub(super) struct Reader<'r> {
    pub(super) backend: &'r dyn Backend,
    pub(super) loss: &'r dyn Loss,
    pub(super) observer: &'r mut dyn Observer,
    pub(super) names: Option<&'r [String]>,
    pub(super) time_limit: Option<Duration>,
    pub(super) began: Instant,
    /// Readings of all rows so far.
    pub(super) reads: u64,
    /// Rows of each part, once they are known.
    pub(super) rows: Vec<u64>,
    /// Rows that were read, with repetition.
    pub(super) rows_read: u64,
    pub(super) trace: Vec<Progress>,
    /// Why the fit is to end before it is done, if it is.
    pub(super) stop: Option<Stop>,
    /// Whether the next reading is made even so, since the result must be measured.
    pub(super) is_last: bool,
}

impl Reader<'_> {
    /// Whether the fit is to end now.
    pub(super) fn is_over(&mut self) -> bool {
        if self.stop.is_none() {
            if self.observer.poll().is_break() {
                self.stop = Some(Stop::Interrupted);
            } else if self.time_limit.is_some_and(|limit| self.began.elapsed() >= limit) {
                self.stop = Some(Stop::TimeLimit);
            }
        }
        self.stop.is_some()
    }

    /// What the data are like; `None` if the reading was cut short.
    pub(super) fn survey(&mut self, request: SurveyRequest) -> Result<Option<Surveyed>> {
        let mut total = Surveyed::default();
        let (loss, names) = (self.loss, self.names);
        let is_whole = self.read(&Request::Survey(request), &mut |part, backend, answer| {
            let Partial::Survey(survey) = answer else { return Err(misfit(part)) };
            if let Some(fault) = survey.fault {
                return Err(match backend.name(part) {
                    Some(name) => {
                        let source = Box::new(fault.error(loss, fault.row as usize, names));
                        Error::InPart { part: name, source }
                    }
                    None => fault.error(loss, (total.total_rows() + fault.row) as usize, names),
                });
            }
            let rows = survey.rows;
            total.add(*survey, request.rows).map_err(|error| in_part(backend, part, error))?;
            Ok(rows)
        })?;
        if !is_whole {
            return Ok(None);
        }
        total.sample.cut(request.rows);
        total.check_weights()?;
        self.rows.clone_from(&total.rows);
        Ok(Some(total))
    }

    /// A few columns of all rows; `None` if the reading was cut short.
    pub(super) fn columns(&mut self, columns: &[usize]) -> Result<Option<Table>> {
        let mut total = Table { columns: columns.len(), ..Table::default() };
        let rows: u64 = self.rows.iter().sum();
        let is_whole = self.read(&Request::Columns(columns.to_vec()), &mut |part, backend, answer| {
            let Partial::Columns(table) = answer else { return Err(misfit(part)) };
            let count = table.rows() as u64;
            if total.rows() == 0 {
                // All of it at once, so that no copy is made when it grows.
                total.values.reserve_exact(rows as usize * columns.len());
            }
            total.append(table).map_err(|error| in_part(backend, part, error))?;
            Ok(count)
        })?;
        Ok(is_whole.then_some(total))
    }

    /// F and its derivatives; `None` if the reading was cut short.
    pub(super) fn sums(&mut self, request: SumsRequest) -> Result<Option<Sums>> {
        let mut total = Sums::default();
        let is_whole = self.read(&Request::Sums(request), &mut |part, backend, answer| {
            let Partial::Sums(sums) = answer else { return Err(misfit(part)) };
            let rows = sums.rows;
            total.add(sums).map_err(|error| in_part(backend, part, error))?;
            Ok(rows)
        })?;
        Ok(is_whole.then_some(total))
    }

    /// One reading: `add` is given each answer and returns its rows. False if it was cut short.
    fn read(
        &mut self,
        request: &Request,
        add: &mut (dyn FnMut(usize, &dyn Backend, Partial) -> Result<u64> + Send),
    ) -> Result<bool> {
        if !self.is_last && self.is_over() {
            return Ok(false);
        }
        self.reads += 1;
        let known = if self.rows.is_empty() { self.backend.rows() } else { Some(self.rows.iter().sum()) };
        let (mut part, mut rows, mut failure, began) = (0, 0, None, Instant::now());
        let Self { backend, loss, observer, rows: before, stop, time_limit, reads, is_last, .. } = self;
        let (backend, fit_began) = (*backend, self.began);
        backend.map(request, *loss, &mut |answer| {
            match add(part, backend, answer).and_then(|found| match before.get(part) {
                Some(&expected) if expected != found => {
                    Err(Error::Changed { part: named(backend, part), found, expected })
                }
                _ => Ok(found),
            }) {
                Ok(found) => rows += found,
                Err(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            part += 1;
            let reading =
                Reading { number: *reads, rows, of: known, columns: backend.columns(), elapsed: began.elapsed() };
            if observer.reading(&reading).is_break() {
                *stop = stop.or(Some(Stop::Interrupted));
            } else if time_limit.is_some_and(|limit| fit_began.elapsed() >= limit) {
                *stop = stop.or(Some(Stop::TimeLimit));
            }
            if stop.is_some() && !*is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.rows_read += rows;
        if let Some(error) = failure {
            return Err(error);
        }
        let is_cut = part < self.backend.parts();
        if is_cut && self.stop.is_none() {
            return Err(Error::Chunks { first: part, found: 0, expected: self.backend.parts() - part });
        }
        Ok(!is_cut)
    }

    /// Notes F at a point that was looked at on all rows.
    pub(super) fn record(&mut self, objective: f64, nonzeros: usize) {
        let progress = Progress {
            phase: Phase::Reading,
            step: self.reads,
            objective,
            distance: 0.0,
            rho: 0.0,
            nonzeros,
            rows_seen: self.rows_read,
            elapsed: self.began.elapsed(),
            bound: None,
            nodes: None,
        };
        self.trace.push(progress);
        if self.observer.checkpoint(&progress).is_break() {
            self.stop = self.stop.or(Some(Stop::Interrupted));
        }
    }
}

fn named(backend: &dyn Backend, part: usize) -> String {
    backend.name(part).unwrap_or_else(|| format!("part {part}"))
}

fn in_part(backend: &dyn Backend, part: usize, source: Error) -> Error {
    Error::InPart { part: named(backend, part), source: Box::new(source) }
}

/// An answer to another question than the one that was asked.
fn misfit(part: usize) -> Error {
    Error::Chunks { first: part, found: 0, expected: 1 }
}
