//! Several outputs on the command line: more than two labels, or `--target a,b,c`.
//!
//! What belongs to one output only (checkpoints, proofs, other methods, data on the disk) is refused here or by the library, with a hint.

mod evaluate;
mod page;
mod path;
mod predict;
mod targets;
mod tell;
mod told;
mod tune;

pub(crate) use evaluate::evaluate;
pub(crate) use path::path;
pub(crate) use predict::predict;
pub(crate) use tune::tune;

use self::told::Told;
use crate::args::{DataArgs, FitArgs, OutputArgs};
use crate::commands::Ending;
use crate::failure::{Failure, Result, constraint_hint};
use crate::model_file::{Holdout, StoredOutputs, Training};
use crate::output::{Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::{holdout, input, scaling, setup};
use proxdist::data::Part;
use proxdist::outputs::{OutputsEvaluation, OutputsFit, OutputsModel, OutputsProblem, build_set};
use proxdist::spec::SetSpec;
use proxdist::{Data, Scaling, Setting, Settings, Shape};
use proxdist_io::{Features, Table};
use proxdist_report::RocCurve;
use std::path::PathBuf;
use std::time::Instant;

/// Whether a training table has several outputs.
pub(crate) fn are_several(args: &DataArgs, table: &Table) -> bool {
    args.targets().len() > 1 || !table.schema.classes.is_empty()
}

/// What was read and asked for before it was known that there are several outputs.
pub(crate) struct Given {
    pub(crate) table: Table,
    /// Seconds of reading.
    pub(crate) reading: f64,
    pub(crate) spec: SetSpec,
    pub(crate) settings: Settings,
}

/// A fit and what is said of it.
struct Done<'a> {
    data: &'a DataArgs,
    output: &'a OutputArgs,
    table: &'a Table,
    source: &'a str,
    spec: &'a SetSpec,
    fit: &'a OutputsFit,
    /// In the units of the file.
    model: &'a OutputsModel,
    is_scaled: bool,
    /// The standard deviations of the columns that were fitted; none without a page.
    deviations: Option<&'a [f64]>,
    rows: usize,
    training: &'a OutputsEvaluation,
    heldout: Option<&'a OutputsEvaluation>,
    /// Of each class against the rest, on rows kept out if there are any.
    roc: &'a [RocCurve],
    /// Of reading and of fitting.
    seconds: (f64, f64),
}

/// Fits, writes and tells.
pub(crate) fn fit(args: &FitArgs, given: Given) -> Result<Ending> {
    let Given { mut table, reading, spec, settings } = given;
    let (quiet, source) = (args.output.quiet, args.data.name());
    check(args)?;
    check_table(&table)?;
    let told = Told::of(&args.data, &args.run.problem.loss, &mut table, quiet)?;
    let Told { loss, outputs, responses, offset } = &told;
    let (is_classes, each, count) = (loss.is_classification(), loss.responses(outputs.len()), outputs.len());
    let total = table.features.rows();
    let kept_out = args.holdout.map(|share| Holdout { share, seed: settings.seed_value(), rows: total });
    let labels: Vec<f64> = responses.iter().step_by(each).copied().collect();
    let split = kept_out.map(|kept_out| holdout::split(kept_out, &labels, is_classes)).transpose()?;
    let none = vec![0.0; total];
    let whole = input::view(&source, &table, &none, None)?;
    let set = build_set(&spec, &whole, outputs).map_err(about_set)?;
    let (wanted, ridge) = (&args.run.problem.units, args.run.problem.ridge);
    let units = match &split {
        None => scaling::units(&whole, &*set, wanted, ridge)?,
        Some(split) => scaling::units(&whole.subset(split.training.clone())?.data()?, &*set, wanted, ridge)?,
    };
    scaling::tell(&units, quiet);
    let whole = units.apply(whole)?;
    let parts = split.map(|rows| Ok::<_, Failure>((whole.subset(rows.training)?, whole.subset(rows.heldout)?)));
    let parts = parts.transpose()?;
    let training = parts.as_ref().map(|(training, _)| training.data()).transpose()?;
    let data = training.as_ref().unwrap_or(&whole);
    let chosen = parts.as_ref().map(|(training, _)| training.rows());
    let known = |rows: Option<&[usize]>| offset.as_ref().map(|offset| picked(offset, count, rows));
    let (own, own_offset) = (picked(responses, each, chosen), known(chosen));
    let rows_of_file = FileRows::of(&source, &table).only(chosen);
    let problem = OutputsProblem::new(data, told.of_rows(&own, own_offset.as_deref()), *loss, set)
        .ridge(units.ridge(ridge))
        .intercept(!wanted.no_intercept)
        .names(outputs.iter().cloned());
    let mut watcher = Watcher::new(quiet, Limits::of(&settings, data.rows()), setup::rank_of(&spec));
    let fitting = Instant::now();
    let fit = problem.fit_observed(&settings, &mut watcher).map_err(|error| rows_of_file.explain(error))?;
    drop(watcher);
    let seconds = (reading, fitting.elapsed().as_secs_f64());
    tell_separation(fit.model(), quiet);
    let elsewhere: &[Setting] = if args.holdout.is_some() { &[Setting::Seed] } else { &[] };
    setup::without_effect(fit.notes(), elsewhere).iter().for_each(|text| note(quiet, text));
    let (on_training, mut roc) = measured(fit.model(), data, &own, own_offset.as_deref())?;
    let heldout = match &parts {
        Some((_, heldout)) => {
            let part: &Part = heldout;
            let (kept, offset) = (picked(responses, each, Some(part.rows())), known(Some(part.rows())));
            let (found, curves) = measured(fit.model(), &part.data()?, &kept, offset.as_deref())?;
            roc = curves;
            Some(found)
        }
        None => None,
    };
    let model = fit.model().restored(&units)?;
    model.check_finite()?;
    let deviations = deviations(data, &args.output)?;
    let done = Done {
        data: &args.data,
        output: &args.output,
        table: &table,
        source: &source,
        spec: &spec,
        fit: &fit,
        model: &model,
        is_scaled: units.is_scaled(),
        deviations: deviations.as_deref(),
        rows: data.rows(),
        training: &on_training,
        heldout: heldout.as_ref(),
        roc: &roc,
        seconds,
    };
    let written = write(&done, kept_out, args.trace.as_ref())?;
    tell::show(&done, &written)?;
    Ok(crate::commands::fit::ending(args, fit.stop()))
}

/// The standard deviations of the columns, where a page compares effects by them.
fn deviations(data: &Data, output: &OutputArgs) -> Result<Option<Vec<f64>>> {
    if output.report.is_none() {
        return Ok(None);
    }
    Ok(Some(Scaling::of(data, true)?.deviations()))
}

/// What cannot be done for several outputs is found before any work.
fn check(args: &FitArgs) -> Result<()> {
    if args.checkpoint.is_some() {
        return refused("--checkpoint", "leave it out: fits of several outputs cannot go on in the middle yet");
    }
    if args.plot.is_some() {
        return refused("--plot", "--report FILE.html has the figures of several outputs");
    }
    check_shape(args.run.problem.shape)
}

fn refused(what: &str, hint: &str) -> Result<()> {
    Err(Failure::new(format!("{what} is not available for several outputs"), hint))
}

/// Coefficients of several outputs have a shape of their own.
fn check_shape(shape: Option<Shape>) -> Result<()> {
    if shape.is_none() {
        return Ok(());
    }
    refused("--shape", "leave it out: the coefficients have a row for each feature and a column for each output")
}

/// What a table may hold for one output only.
fn check_table(table: &Table) -> Result<()> {
    if table.offset.is_some() {
        return refused(
            "--offset with one column",
            "name a column for each output, with commas between: --offset a,b,c",
        );
    }
    if matches!(table.features, Features::Stored(_)) {
        let hint = "allow more --memory, so that the data need not stay on the disk, or explain one target";
        return refused("data on the disk", hint);
    }
    Ok(())
}

/// A set that does not fit, in terms of the option.
fn about_set(error: proxdist::Error) -> Failure {
    match error {
        proxdist::Error::Constraint { spec, fault } => {
            Failure::new(format!("--constraint {spec}: {fault}"), constraint_hint(&fault))
        }
        other => other.into(),
    }
}

/// Tells where classes are told apart without error.
fn tell_separation(model: &OutputsModel, quiet: bool) {
    let separation = model.separation();
    if separation.is_there() {
        note(quiet, &format!("{separation}; --ridge or a ball gives them one, as in --ridge 1e-3"));
    }
}

/// The responses of some rows, or of all.
fn picked(responses: &[f64], each: usize, rows: Option<&[usize]>) -> Vec<f64> {
    match rows {
        None => responses.to_vec(),
        Some(rows) => rows.iter().flat_map(|&row| responses[row * each..(row + 1) * each].iter().copied()).collect(),
    }
}

/// How good a model is on some rows, and the ROC curves of its classes.
fn measured(
    model: &OutputsModel,
    data: &Data,
    responses: &[f64],
    offset: Option<&[f64]>,
) -> Result<(OutputsEvaluation, Vec<RocCurve>)> {
    let weights: Vec<f64> = (0..data.rows()).map(|row| data.weight(row)).collect();
    let mut predictors = model.linear_predictors(data.source())?;
    add_offset(&mut predictors, offset);
    let roc = page::roc(model, &predictors, responses, &weights)?;
    Ok((OutputsEvaluation::of(model, &predictors, responses, Some(&weights))?, roc))
}

/// What is known of the predictors comes to them.
fn add_offset(predictors: &mut [f64], offset: Option<&[f64]>) {
    predictors.iter_mut().zip(offset.unwrap_or_default()).for_each(|(eta, known)| *eta += known);
}

/// All files at once.
fn write(done: &Done, kept_out: Option<Holdout>, trace: Option<&PathBuf>) -> Result<Vec<PathBuf>> {
    let mut outputs = Outputs::default();
    add_model(done, kept_out, &mut outputs)?;
    if let Some(path) = &done.output.report {
        outputs.add(path, page::of_fit(done).to_html());
    }
    if let Some(path) = trace {
        outputs.add(path, crate::commands::fit::trace_table(done.fit.trace()));
    }
    outputs.commit()
}

/// The model file, if one is asked for.
fn add_model(done: &Done, kept_out: Option<Holdout>, outputs: &mut Outputs) -> Result<()> {
    let Some(path) = &done.output.out else { return Ok(()) };
    let mut training = Training::new(done.table.schema.clone(), done.data, kept_out, done.is_scaled);
    training.more_targets = done.data.targets().into_iter().skip(1).collect();
    let stored = StoredOutputs { model: done.model.clone(), training: Some(training) };
    outputs.add(path, stored.to_json()?);
    Ok(())
}

/// Lines for standard output, unless the model is there.
fn say(output: &OutputArgs, text: &str, written: &[PathBuf]) -> Result<()> {
    let (streams, files): (Vec<_>, Vec<_>) = written.iter().partition(|path| path.as_os_str() == "-");
    let text = format!("{text}{}", crate::output::wrote(files));
    if output.quiet {
        return Ok(());
    }
    if streams.is_empty() {
        return crate::output::say(&text);
    }
    crate::output::complain(text.trim_end());
    Ok(())
}
