//! Several outputs on the command line: more than two labels, or `--target a,b,c`.
//!
//! What belongs to one output only (checkpoints, proofs, other methods, data on the disk) is refused here or by the library, with a hint.

mod evaluate;
mod page;
mod predict;
mod targets;
mod tell;

pub(crate) use evaluate::evaluate;
pub(crate) use predict::predict;

use crate::args::FitArgs;
use crate::commands::Ending;
use crate::failure::{Failure, Result, constraint_hint};
use crate::model_file::{Holdout, StoredOutputs, Training};
use crate::output::{self, Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::{holdout, input, scaling, setup};
use proxdist::data::Part;
use proxdist::outputs::{
    OutputLoss, OutputsEvaluation, OutputsFit, OutputsModel, OutputsProblem, Responses, build_set,
};
use proxdist::spec::SetSpec;
use proxdist::{Data, Setting, Settings};
use proxdist_io::{Features, Table};
use std::time::Instant;

/// Whether a training table has several outputs.
pub(crate) fn are_several(args: &FitArgs, table: &Table) -> bool {
    args.data.targets().len() > 1 || !table.schema.classes.is_empty()
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
    args: &'a FitArgs,
    table: &'a Table,
    source: &'a str,
    spec: &'a SetSpec,
    fit: &'a OutputsFit,
    /// In the units of the file.
    model: &'a OutputsModel,
    is_scaled: bool,
    rows: usize,
    training: &'a OutputsEvaluation,
    heldout: Option<&'a OutputsEvaluation>,
    /// Of reading and of fitting.
    seconds: (f64, f64),
}

/// Fits, writes and tells.
pub(crate) fn fit(args: &FitArgs, given: Given) -> Result<Ending> {
    let Given { mut table, reading, spec, settings } = given;
    let (quiet, source) = (args.output.quiet, args.data.name());
    check(args, &table)?;
    let names = args.data.targets();
    let (loss, outputs, responses) = if table.schema.classes.is_empty() {
        let loss = OutputLoss::parse(&args.run.problem.loss).map_err(|error| {
            Failure::from(error).about("several targets").hint("use --loss squared or --loss huber, or one target")
        })?;
        let responses = targets::split(&mut table, &names, &source)?;
        note(quiet, &format!("{} responses are explained together, one column of coefficients each", names.len()));
        (loss, names.clone(), responses)
    } else {
        let classes = table.schema.classes.clone();
        let text = "classes are explained together by their probabilities (softmax), one column of coefficients each; \
                    --positive LABEL --one-vs-rest compares one with all others";
        note(quiet, &format!("{} {text}", classes.len()));
        (OutputLoss::Softmax, classes, table.response.clone().unwrap_or_default())
    };
    let (is_classes, each) = (loss.is_classification(), loss.responses(outputs.len()));
    let total = table.features.rows();
    let kept_out = args.holdout.map(|share| Holdout { share, seed: settings.seed_value(), rows: total });
    let labels: Vec<f64> = responses.iter().step_by(each).copied().collect();
    let split = kept_out.map(|kept_out| holdout::split(kept_out, &labels, is_classes)).transpose()?;
    let none = vec![0.0; total];
    let whole = input::view(&source, &table, &none, None)?;
    let set = build_set(&spec, &whole, &outputs).map_err(|error| match error {
        proxdist::Error::Constraint { spec, fault } => {
            Failure::new(format!("--constraint {spec}: {fault}"), constraint_hint(&fault))
        }
        other => other.into(),
    })?;
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
    let own = picked(&responses, each, chosen);
    let rows_of_file = FileRows::of(&source, &table).only(chosen);
    let count = outputs.len();
    let told = if is_classes { Responses::classes(&own, count) } else { Responses::numbers(&own, count) };
    let problem = OutputsProblem::new(data, told, loss, set)
        .ridge(units.ridge(ridge))
        .intercept(!wanted.no_intercept)
        .names(outputs.iter().cloned());
    let mut watcher = Watcher::new(quiet, Limits::of(&settings, data.rows()), setup::rank_of(&spec));
    let fitting = Instant::now();
    let fit = problem.fit_observed(&settings, &mut watcher).map_err(|error| rows_of_file.explain(error))?;
    drop(watcher);
    let seconds = (reading, fitting.elapsed().as_secs_f64());
    if fit.model().separates_classes() {
        let text = "the model separates the classes of all rows: its coefficients have no natural size; --ridge or a ball gives them one";
        note(quiet, text);
    }
    let elsewhere: &[Setting] = if args.holdout.is_some() { &[Setting::Seed] } else { &[] };
    setup::without_effect(fit.notes(), elsewhere).iter().for_each(|text| note(quiet, text));
    let on_training = measured(fit.model(), data, &own)?;
    let heldout = match &parts {
        Some((_, heldout)) => {
            let part: &Part = heldout;
            Some(measured(fit.model(), &part.data()?, &picked(&responses, each, Some(part.rows())))?)
        }
        None => None,
    };
    let model = fit.model().restored(&units)?;
    model.check_finite()?;
    let done = Done {
        args,
        table: &table,
        source: &source,
        spec: &spec,
        fit: &fit,
        model: &model,
        is_scaled: units.is_scaled(),
        rows: data.rows(),
        training: &on_training,
        heldout: heldout.as_ref(),
        seconds,
    };
    let written = write(&done, kept_out)?;
    tell::show(&done, &written)?;
    Ok(crate::commands::fit::ending(args, fit.stop()))
}

/// What cannot be done for several outputs is found before any work.
fn check(args: &FitArgs, table: &Table) -> Result<()> {
    let refused =
        |what: &str, hint: &str| Err(Failure::new(format!("{what} is not available for several outputs"), hint));
    if args.checkpoint.is_some() {
        return refused("--checkpoint", "leave it out: fits of several outputs cannot go on in the middle yet");
    }
    if args.plot.is_some() {
        return refused("--plot", "--report FILE.html has the figures of several outputs");
    }
    if args.run.problem.shape.is_some() {
        return refused(
            "--shape",
            "leave it out: the coefficients have a row for each feature and a column for each output",
        );
    }
    if table.offset.is_some() {
        return refused("--offset", "leave it out, or explain one target");
    }
    if matches!(table.features, Features::Stored(_)) {
        let hint = "allow more --memory, so that the data need not stay on the disk, or explain one target";
        return refused("data on the disk", hint);
    }
    Ok(())
}

/// The responses of some rows, or of all.
fn picked(responses: &[f64], each: usize, rows: Option<&[usize]>) -> Vec<f64> {
    match rows {
        None => responses.to_vec(),
        Some(rows) => rows.iter().flat_map(|&row| responses[row * each..(row + 1) * each].iter().copied()).collect(),
    }
}

/// How good a model is on some rows.
fn measured(model: &OutputsModel, data: &Data, responses: &[f64]) -> Result<OutputsEvaluation> {
    let weights: Vec<f64> = (0..data.rows()).map(|row| data.weight(row)).collect();
    let predictors = model.linear_predictors(data.source())?;
    Ok(OutputsEvaluation::of(model, &predictors, responses, Some(&weights))?)
}

/// All files at once.
fn write(done: &Done, kept_out: Option<Holdout>) -> Result<Vec<std::path::PathBuf>> {
    let (args, mut outputs) = (done.args, Outputs::default());
    if let Some(path) = &args.output.out {
        let mut training = Training::new(done.table.schema.clone(), &args.data, kept_out, done.is_scaled);
        training.more_targets = args.data.targets().into_iter().skip(1).collect();
        let stored = StoredOutputs { model: done.model.clone(), training: Some(training) };
        outputs.add(path, stored.to_json()?);
    }
    if let Some(path) = &args.output.report {
        outputs.add(path, page::of_fit(done).to_html());
    }
    if let Some(path) = &args.trace {
        outputs.add(path, crate::commands::fit::trace_table(done.fit.trace()));
    }
    outputs.commit()
}

/// Lines for standard output, unless the model is there.
fn say(done: &Done, text: &str, written: &[std::path::PathBuf]) -> Result<()> {
    let (streams, files): (Vec<_>, Vec<_>) = written.iter().partition(|path| path.as_os_str() == "-");
    let text = format!("{text}{}", output::wrote(files));
    if done.args.output.quiet {
        return Ok(());
    }
    if streams.is_empty() {
        return output::say(&text);
    }
    output::complain(text.trim_end());
    Ok(())
}
