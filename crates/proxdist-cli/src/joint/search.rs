//! `path` and `tune` for times and ordered labels.

use super::reading::{Asked, Read};
use super::sizes::Sized;
use super::{Done, Loss, measured, page, tell, without_size};
use crate::args::{PathArgs, Select, TuneArgs};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::model_file::{StoredJoint, Training};
use crate::output::{self, Outputs, note};
use crate::path::{self, Request};
use crate::rows::FileRows;
use crate::scores::{Scores, Watcher};
use crate::summary::{has_converged, peak_memory};
use crate::{input, scaling, setup, signals};
use proxdist::joint::{JointEvaluation, JointModel, JointPath, JointSelection, JointValidation};
use proxdist::selection::{Grid, Scoring};
use proxdist::{Data, Settings};
use serde_json::json;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::time::Instant;

/// The chosen point on all rows.
struct Chosen {
    at: usize,
    /// In the units of the file.
    model: JointModel,
    training: JointEvaluation,
    is_scaled: bool,
}

impl Chosen {
    fn of(path: &JointPath, at: usize, whole: Data, read: &Read, quiet: bool) -> Result<Self> {
        let data = path.units.apply(whole)?;
        let fit = &path.points[at].fit;
        without_size(fit, &data).iter().for_each(|text| note(quiet, text));
        let training = measured(fit.model(), &data, &read.answers)?;
        let model = fit.model().restored(&path.units)?;
        model.check_finite()?;
        Ok(Self { at, model, training, is_scaled: path.units.is_scaled() })
    }
}

fn explained(read: &Read, source: &str, error: proxdist::Error) -> Failure {
    FileRows::of(source, &read.table).explain(error)
}

/// Models of all sizes, the chosen one, files and what is told.
pub(crate) fn path(args: &PathArgs, loss: Loss) -> Result<Ending> {
    let (quiet, source) = (args.output.quiet, args.data.name());
    let settings = setup::settings(args.settings.apply(Settings::default()), quiet)?;
    let memory = args.settings.memory(&settings);
    let out = args.output.out.as_ref();
    let asked = Asked { data: &args.data, joint: &args.joint, loss, memory, out, quiet, holdout: None };
    asked.check()?;
    signals::listen(quiet);
    let set = path::set(&args.constraint)?;
    let read = asked.read()?;
    let features = &read.table.features;
    let request = Request::of(args, &set, settings.seed_value(), (features.rows(), features.columns()))?;
    let grid = request.grid()?;
    let none = vec![0.0; features.rows()];
    let whole = input::view(&source, &read.table, &none, None)?;
    let told = |error| explained(&read, &source, error);
    let validation = asked.validation(&whole, (&read.answers, &read.levels), request.set.clone()).map_err(told)?;
    let validation = validation
        .standardize(scaling::wanted(&args.units))
        .folds(request.folds)
        .seed(request.seed)
        .choice(request.choice);
    let begun = Instant::now();
    let watcher = Watcher::new(quiet);
    let found = searched(&validation, &grid, &settings, request.select == Select::CrossValidation, &watcher);
    watcher.finish();
    let (path, selection) = found.map_err(told)?.ok_or_else(Failure::interrupted)?;
    drop(validation);
    let seconds = (read.seconds, begun.elapsed().as_secs_f64());
    let names = read.table.names();
    let sized = Sized::new(&request, &path, selection.as_ref(), names)?;
    sized.notes().iter().for_each(|text| note(quiet, text));
    let chosen = sized.chosen.map(|at| Chosen::of(&path, at, whole, &read, quiet)).transpose()?;
    let spec = chosen.as_ref().map(|chosen| path.points[chosen.at].point.constraint.clone());
    let done = chosen.as_ref().zip(spec.as_ref()).map(|(chosen, spec)| Done {
        data: &args.data,
        output: &args.output,
        trace: None,
        table: &read.table,
        source: &source,
        spec,
        fit: &path.points[chosen.at].fit,
        model: &chosen.model,
        is_scaled: chosen.is_scaled,
        rows: read.table.features.rows(),
        training: &chosen.training,
        heldout: None,
        seconds,
    });
    let mut outputs = Outputs::default();
    if let Some(done) = &done {
        add_model(done, &read, &mut outputs)?;
    }
    if let Some(path) = &args.table {
        outputs.add(path, sized.table());
    }
    if let (Some(path), Some(done)) = (&args.output.report, &done) {
        let mut page = page::of_fit(done);
        page.opening = vec![sized.section()];
        outputs.add(path, page.to_html());
    }
    let written = outputs.commit()?;
    if args.output.json {
        let fit = done.as_ref().map(|done| tell::document(done, &written)).unwrap_or_default();
        output::print(&format!("{}\n", sized.json(&fit)))?;
    } else if let Some(done) = &done {
        let text =
            format!("{}{}\n{}", sized.text(), tell::summary(done), tell::measures("rows of the fit", done.training));
        super::say(done, &text, &written)?;
    } else if !quiet {
        output::say(&(sized.text().trim_end().to_owned() + "\n" + &output::wrote(&written)))?;
    }
    Ok(ending(done.as_ref(), args.output.require_convergence))
}

type Found = (JointPath, Option<JointSelection>);

/// The fits of all points, with held-out scores if they are wanted; `None` if it was interrupted.
fn searched(
    validation: &JointValidation,
    grid: &Grid,
    settings: &Settings,
    is_scored: bool,
    watcher: &Watcher,
) -> proxdist::Result<Option<Found>> {
    if !is_scored {
        return Ok(match validation.trace_watched(grid, settings, watcher)? {
            ControlFlow::Continue(path) => Some((path, None)),
            ControlFlow::Break(()) => None,
        });
    }
    Ok(match validation.run_watched(grid, settings, watcher)? {
        ControlFlow::Continue(selection) => Some((selection.path.clone(), Some(selection))),
        ControlFlow::Break(()) => None,
    })
}

/// Tries every point of the grid on every fold, takes the chosen one, writes and tells.
pub(crate) fn tune(args: &TuneArgs, loss: Loss, grid: &Grid, scoring: Scoring) -> Result<Ending> {
    let (quiet, source) = (args.output.quiet, args.data.name());
    let problem = &args.run.problem;
    if problem.shape.is_some() {
        let message = format!("--shape is not available for --loss {}", problem.loss);
        return Err(Failure::new(message, "leave it out: each feature has one coefficient"));
    }
    let spec = setup::constraint(&problem.constraint)?;
    let settings = setup::settings(crate::commands::tune::settings(args), quiet)?;
    let memory = args.run.settings.memory(&settings);
    let out = args.output.out.as_ref();
    let asked = Asked { data: &args.data, joint: &args.joint, loss, memory, out, quiet, holdout: None };
    asked.check()?;
    signals::listen(quiet);
    let read = asked.read()?;
    let none = vec![0.0; read.table.features.rows()];
    let whole = input::view(&source, &read.table, &none, None)?;
    let told = |error| explained(&read, &source, error);
    let validation = asked.validation(&whole, (&read.answers, &read.levels), spec).map_err(told)?;
    let validation = validation
        .ridge(problem.ridge)
        .standardize(scaling::wanted(&problem.units))
        .folds(args.folds)
        .seed(settings.seed_value())
        .scoring(scoring)
        .choice(args.choice);
    if validation.preparation(grid, &settings).map_err(told)?.is_scaled() {
        note(quiet, "columns are scaled for each fit by the rows it is fitted to (--no-standardize turns it off)");
    }
    let (begun, watcher) = (Instant::now(), Watcher::new(quiet));
    let found = searched(&validation, grid, &settings, true, &watcher);
    watcher.finish();
    let Some((path, Some(selection))) = found.map_err(told)? else { return Err(Failure::interrupted()) };
    drop(validation);
    let seconds = (read.seconds, begun.elapsed().as_secs_f64());
    let chosen = Chosen::of(&path, selection.chosen, whole, &read, quiet)?;
    let done = Done {
        data: &args.data,
        output: &args.output,
        trace: None,
        table: &read.table,
        source: &source,
        spec: &path.points[chosen.at].point.constraint,
        fit: &path.points[chosen.at].fit,
        model: &chosen.model,
        is_scaled: chosen.is_scaled,
        rows: read.table.features.rows(),
        training: &chosen.training,
        heldout: None,
        seconds,
    };
    let scores = Scores::of_joint(&selection);
    let mut outputs = Outputs::default();
    add_model(&done, &read, &mut outputs)?;
    if let Some(path) = &args.output.report {
        let mut page = page::of_fit(&done);
        page.cross_validation = Some(scores.curve(grid));
        outputs.add(path, page.to_html());
    }
    let written = outputs.commit()?;
    if args.output.json {
        let label = |i: usize| scores.table.scores.get(i).map(|score| score.point.to_string());
        let document = json!({
            "command": "tune",
            "version": env!("CARGO_PKG_VERSION"),
            "table": scores.table,
            "best": label(scores.best),
            "one_standard_error": label(scores.one_standard_error),
            "chosen": label(scores.chosen),
            "fit": tell::document(&done, &written),
            "peak_memory_bytes": peak_memory(),
        });
        output::print(&format!("{document}\n"))?;
    } else {
        let text = scores.text(std::io::stdout().is_terminal());
        let measures = tell::measures("rows of the fit", &chosen.training);
        super::say(&done, &format!("{text}{}\n{measures}", tell::summary(&done)), &written)?;
    }
    Ok(ending(Some(&done), args.output.require_convergence))
}

fn add_model(done: &Done, read: &Read, outputs: &mut Outputs) -> Result<()> {
    if let Some(path) = &done.output.out {
        let mut training = Training::new(done.table.schema.clone(), done.data, None, done.is_scaled);
        training.times.clone_from(&read.columns);
        let stored = StoredJoint { model: done.model.clone(), training: Some(training) };
        outputs.add(path, stored.to_json()?);
    }
    Ok(())
}

fn ending(done: Option<&Done>, requires_convergence: bool) -> Ending {
    let is_short = done.is_some_and(|done| !has_converged(done.fit.stop()));
    if is_short && requires_convergence { Ending::NotConverged } else { Ending::Written }
}
