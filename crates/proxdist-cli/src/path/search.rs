//! The search itself: the library's path, with folds or without.

use super::Request;
use super::watch::Line;
use crate::args::{PathArgs, Select};
use crate::failure::{Failure, Result};
use crate::output::note;
use crate::rows::FileRows;
use crate::{scaling, setup, signals};
use proxdist::loss::Loss;
use proxdist::path::{Path, PathProof, PathScore, PathSettings, PathValidation};
use proxdist::{Data, Error, Preparation, Problem, Settings, Units};
use std::ops::ControlFlow;

/// Held-out scores of all points, and what they say about the sizes that were asked for.
pub(crate) struct Validated {
    pub(super) scores: Vec<PathScore>,
    pub(super) best: usize,
    pub(super) simplest: usize,
}

/// A path in its units, and its scores where there are any.
pub(crate) struct Found {
    pub(super) path: Path,
    pub(crate) units: Units,
    pub(super) validated: Option<Validated>,
}

/// What is searched.
pub(crate) struct Searched<'a> {
    pub(crate) args: &'a PathArgs,
    pub(crate) loss: &'a dyn Loss,
    pub(crate) rows: FileRows<'a>,
}

/// Finds the path, with held-out scores if the choice needs them; hands back the data in the units of the path.
pub(crate) fn search<'d>(
    searched: &Searched,
    data: Data<'d>,
    request: &Request,
    settings: &Settings,
) -> Result<(Found, Data<'d>)> {
    let how = PathSettings::default().ridges(request.ridges.weights().iter().copied());
    let how = settings.threads_value().map_or(how.clone(), |threads| how.threads(threads));
    let quiet = searched.args.output.quiet;
    let folds = if request.select == Select::CrossValidation { request.folds } else { 0 };
    let line = Line::new(quiet, request.ridges.weights(), folds);
    if request.select == Select::CrossValidation {
        let found = validated(searched, &data, request, &how, line)?;
        let data = found.units.apply(data)?;
        return Ok((found, data));
    }
    let set = setup::build(&request.set, &data)?;
    let units = scaling::units(&data, &set, &searched.args.units, request.ridges.largest())?;
    scaling::tell(&units, quiet);
    let data = units.apply(data)?;
    let intercept = !searched.args.units.no_intercept;
    let problem = Problem::new(&data, searched.loss, &*set).ridge(units.ridge(0.0)).intercept(intercept);
    let path = Path::trace_observed(&problem, &how, &mut &line).map_err(|error| explained(searched.rows, error))?;
    drop(problem);
    Ok((Found { path, units, validated: None }, data))
}

impl Found {
    /// Proves how far the models of all sizes can be from the best ones, if that is asked for.
    pub(crate) fn prove(
        &mut self,
        searched: &Searched,
        data: &Data,
        request: &Request,
        settings: &Settings,
    ) -> Result<()> {
        let Some((time, gap)) = settings.prove_value() else { return Ok(()) };
        let (quiet, intercept) = (searched.args.output.quiet, !searched.args.units.no_intercept);
        if !searched.loss.is_quadratic() {
            note(quiet, "--prove: there are proofs for all sizes with squared loss only");
            return Ok(());
        }
        let wanted = PathProof { time, gap, memory: settings.memory_value() };
        let bar = crate::progress::line(quiet);
        bar.set_message("proving how far each size is from the best choice of features");
        let set = setup::build(&request.set, data)?;
        let problem = Problem::new(data, searched.loss, &*set).ridge(self.units.ridge(0.0)).intercept(intercept);
        let proven = self.path.prove(&problem, wanted, &mut || {
            bar.tick();
            if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        bar.finish_and_clear();
        proven.map_err(|error| explained(searched.rows, error))?;
        if !request.is_plain() && self.path.points.iter().all(|point| point.gap.is_none()) {
            note(
                quiet,
                "--prove: there are no proofs for all sizes where products need factors or convex sets stand beside the choice",
            );
        }
        Ok(())
    }
}

fn validated(searched: &Searched, data: &Data, request: &Request, how: &PathSettings, line: Line) -> Result<Found> {
    let Searched { args, loss, rows } = *searched;
    let (largest, intercept) = (request.sizes.largest(), !args.units.no_intercept);
    let standardize = scaling::wanted(&args.units);
    let set = setup::build(&request.set, data)?;
    if Preparation::decide(standardize, [&*set], intercept)?.is_scaled() {
        note(
            args.output.quiet,
            "columns are scaled for each path by the rows it is found on (--no-standardize turns it off)",
        );
    }
    let validation = PathValidation::new(data, loss, largest)
        .constraint(&*set)
        .intercept(intercept)
        .standardize(standardize)
        .folds(request.folds)
        .seed(request.seed);
    match validation.run_watched(how, &line).map_err(|error| explained(rows, error))? {
        ControlFlow::Continue(found) => {
            let picked = found.among(|size| request.sizes.has(size));
            let (best, simplest) = picked.unwrap_or((found.best, found.one_standard_error));
            let validated = Validated { best, simplest, scores: found.scores };
            Ok(Found { path: found.path, units: found.units, validated: Some(validated) })
        }
        // The path of all rows may have been found before the folds were ended.
        ControlFlow::Break(()) => {
            let (path, units) = line.into_whole().ok_or_else(Failure::interrupted)?;
            Ok(Found { path, units, validated: None })
        }
    }
}

/// Errors in terms of this command.
fn explained(rows: FileRows, error: Error) -> Failure {
    match error {
        Error::Fold { fold, folds, source, .. } => {
            rows.explain(*source).about(format_args!("the path without part {fold} of {folds}"))
        }
        Error::Setting { setting: "ridge", rule, value } => {
            Failure::new(format!("--ridge-grid: a weight must be {rule}, got {value}"), "0 means no ridge term")
        }
        error => rows.explain(error),
    }
}
