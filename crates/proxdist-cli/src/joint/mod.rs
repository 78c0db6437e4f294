//! Times until an event and ordered labels on the command line: `--loss cox`, `--loss ordinal`.
//!
//! What belongs to other losses (checkpoints, proofs, other methods, data on the disk) is refused here or by the library, with a hint.

mod answers;
mod evaluate;
mod page;
mod predict;
mod reading;
mod search;
mod sizes;
mod tell;

pub(crate) use answers::TimeColumns;
pub(crate) use evaluate::evaluate;
pub(crate) use predict::predict;
pub(crate) use search::{path, tune};

use crate::args::{DataArgs, FitArgs, JointArgs, OutputArgs};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::model_file::{Holdout, StoredJoint, Training};
use crate::output::{self, Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::{holdout, input, scaling, setup, signals};
use answers::Answers;
use proxdist::data::Part;
use proxdist::joint::{JointEvaluation, JointFit, JointModel};
use proxdist::spec::SetSpec;
use proxdist::{Data, Preparation, Setting};
use proxdist_io::Table;
use reading::{Asked, Read};
use std::path::PathBuf;
use std::time::Instant;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    Cox,
    Ordinal,
}

impl Loss {
    /// Of `--loss`, if it is one of these.
    pub(crate) fn of(text: &str) -> Option<Self> {
        match text.trim() {
            "cox" => Some(Self::Cox),
            "ordinal" => Some(Self::Ordinal),
            _ => None,
        }
    }
}

/// A fit and what is said of it.
struct Done<'a> {
    data: &'a DataArgs,
    output: &'a OutputArgs,
    /// Where its steps are written to.
    trace: Option<&'a PathBuf>,
    table: &'a Table,
    source: &'a str,
    spec: &'a SetSpec,
    fit: &'a JointFit,
    /// In the units of the file.
    model: &'a JointModel,
    is_scaled: bool,
    rows: usize,
    training: &'a JointEvaluation,
    heldout: Option<&'a JointEvaluation>,
    /// Of reading and of fitting.
    seconds: (f64, f64),
}

/// Reads, fits, writes and tells.
pub(crate) fn fit(args: &FitArgs, loss: Loss) -> Result<Ending> {
    let (quiet, source) = (args.output.quiet, args.data.name());
    let settings = setup::settings(args.settings(), quiet)?;
    let memory = args.run.settings.memory(&settings);
    let (out, kept_out) = (args.output.out.as_ref(), args.holdout.map(|share| (share, settings.seed_value())));
    let asked = Asked { data: &args.data, joint: &args.joint, loss, memory, out, quiet, holdout: kept_out };
    asked.check()?;
    check(args)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    signals::listen(quiet);
    let Read { table, seconds: reading, answers, levels, columns } = asked.read()?;
    let total = table.features.rows();
    let kept_out = args.holdout.map(|share| Holdout { share, seed: settings.seed_value(), rows: total });
    let split = kept_out.map(|kept_out| holdout::split(kept_out, &answers.classes(), true)).transpose()?;
    let none = vec![0.0; total];
    let whole = input::view(&source, &table, &none, None)?;
    let set = setup::build(&spec, &whole)?;
    let (wanted, ridge) = (&args.run.problem.units, args.run.problem.ridge);
    // Means may be taken out of columns: a constant in all predictors changes nothing.
    let preparation = Preparation::decide(scaling::wanted(wanted), [&*set], true)?;
    let units = match &split {
        None => preparation.units(&whole, ridge)?,
        Some(split) => preparation.units(&whole.subset(split.training.clone())?.data()?, ridge)?,
    };
    scaling::tell(&units, quiet);
    let whole = units.apply(whole)?;
    let parts = split.map(|rows| Ok::<_, Failure>((whole.subset(rows.training)?, whole.subset(rows.heldout)?)));
    let parts = parts.transpose()?;
    let training = parts.as_ref().map(|(training, _)| training.data()).transpose()?;
    let data = training.as_ref().unwrap_or(&whole);
    let chosen = parts.as_ref().map(|(training, _)| training.rows());
    let rows_of_file = FileRows::of(&source, &table).only(chosen);
    let own = answers.picked(chosen);
    let explained = |error| rows_of_file.explain(error);
    let problem = asked.problem(data, (&own, &levels), set).map_err(explained)?;
    let problem = problem.ridge(units.ridge(ridge));
    let mut watcher = Watcher::new(quiet, Limits::of(&settings, data.rows()), None);
    let fitting = Instant::now();
    let fit = problem.fit_observed(&units.started(settings), &mut watcher).map_err(explained)?;
    drop(watcher);
    let seconds = (reading, fitting.elapsed().as_secs_f64());
    let elsewhere: &[Setting] = if args.holdout.is_some() { &[Setting::Seed] } else { &[] };
    setup::without_effect(fit.notes(), elsewhere).iter().for_each(|text| note(quiet, text));
    without_size(&fit, data).iter().for_each(|text| note(quiet, text));
    let on_training = measured(fit.model(), data, &own)?;
    let heldout = match &parts {
        Some((_, heldout)) => {
            let part: &Part = heldout;
            Some(measured(fit.model(), &part.data()?, &answers.picked(Some(part.rows())))?)
        }
        None => None,
    };
    let model = fit.model().restored(&units)?;
    model.check_finite()?;
    let done = Done {
        data: &args.data,
        output: &args.output,
        trace: args.trace.as_ref(),
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
    let written = write(&done, kept_out, columns)?;
    tell::show(&done, &written)?;
    Ok(crate::commands::fit::ending(args, fit.stop()))
}

/// The number of the level of each row, and the levels in ascending order: as they are told, or numbers by size and texts by letters.
fn ordered(table: &Table, told: Option<&[String]>, source: &str) -> Result<(Vec<f64>, Vec<String>)> {
    let known = labels_of(table);
    let levels = told.map_or_else(|| known.clone(), <[String]>::to_vec);
    if let Some(missing) = known.iter().find(|label| !levels.contains(label)) {
        let message = format!("{source}: the label {missing:?} is not among --levels {}", levels.join(","));
        return Err(Failure::new(message, "--levels lists all labels of the target, the lowest first"));
    }
    if let Some(twice) = levels.iter().enumerate().find(|(place, level)| levels[..*place].contains(level)) {
        return Err(Failure::new(format!("--levels: {:?} is given twice", twice.1), "name each label once"));
    }
    let number = |label: &String| levels.iter().position(|level| level == label).unwrap_or(0) as f64;
    let numbers: Vec<f64> = known.iter().map(number).collect();
    let labels = table.response.iter().flatten().map(|code| numbers[*code as usize]).collect();
    Ok((labels, levels))
}

/// The labels of a table in the order of their codes.
fn labels_of(table: &Table) -> Vec<String> {
    match (&table.classes, table.schema.classes.is_empty()) {
        (_, false) => table.schema.classes.clone(),
        (Some(two), true) => vec![two.negative.clone(), two.positive.clone()],
        (None, true) => table.schema.labels.clone().map(Vec::from).unwrap_or_default(),
    }
}

/// What a fit cannot do is found before any work.
fn check(args: &FitArgs) -> Result<()> {
    let name = &args.run.problem.loss;
    let refused =
        |what: &str, hint: &str| Err(Failure::new(format!("{what} is not available for --loss {name}"), hint));
    if args.checkpoint.is_some() {
        return refused("--checkpoint", "leave it out: such a fit has no steps to go on from");
    }
    if args.plot.is_some() {
        return refused("--plot", "--report FILE.html has the figures");
    }
    if args.run.problem.shape.is_some() {
        return refused("--shape", "leave it out: each feature has one coefficient");
    }
    crate::commands::fit::check_outputs(args)
}

/// Options of these losses beside another one are a mistake.
pub(crate) fn refuse_options(joint: &JointArgs, loss: &str) -> Result<()> {
    let times = joint.event.is_some() || joint.entry.is_some() || joint.strata.is_some() || joint.ties.is_some();
    let (options, own) = match (times, joint.levels.is_some()) {
        (true, _) => ("--event, --entry, --strata and --ties", "cox"),
        (_, true) => ("--levels", "ordinal"),
        _ => return Ok(()),
    };
    let message = format!("{options} do not belong to --loss {loss}");
    Err(Failure::new(message, format!("add --loss {own}, or leave it out")))
}

/// How good a model is on some rows.
fn measured(model: &JointModel, data: &Data, answers: &Answers) -> Result<JointEvaluation> {
    let weights: Vec<f64> = (0..data.rows()).map(|row| data.weight(row)).collect();
    let offset: Vec<f64> = (0..data.rows()).map(|row| data.offset_of(row)).collect();
    let predictors = model.linear_predictors(data.source(), Some(&offset))?;
    Ok(answers.measured(model, &predictors, Some(&offset), &weights)?)
}

/// All files at once.
fn write(done: &Done, kept_out: Option<Holdout>, columns: Option<TimeColumns>) -> Result<Vec<PathBuf>> {
    let mut outputs = Outputs::default();
    if let Some(path) = &done.output.out {
        let mut training = Training::new(done.table.schema.clone(), done.data, kept_out, done.is_scaled);
        training.times = columns;
        let stored = StoredJoint { model: done.model.clone(), training: Some(training) };
        outputs.add(path, stored.to_json()?);
    }
    if let Some(path) = &done.output.report {
        outputs.add(path, page::of_fit(done).to_html());
    }
    if let Some(path) = done.trace {
        outputs.add(path, crate::commands::fit::trace_table(done.fit.trace()));
    }
    outputs.commit()
}

/// Lines for standard output, unless the model is there.
fn say(done: &Done, text: &str, written: &[PathBuf]) -> Result<()> {
    let (streams, files): (Vec<_>, Vec<_>) = written.iter().partition(|path| path.as_os_str() == "-");
    let text = format!("{text}{}", output::wrote(files));
    if done.output.quiet {
        return Ok(());
    }
    if streams.is_empty() {
        return output::say(&text);
    }
    output::complain(text.trim_end());
    Ok(())
}

/// Names of features in a note at most.
const NAMED: usize = 5;

/// Tells of coefficients that grow without end.
fn without_size(fit: &JointFit, data: &Data) -> Option<String> {
    let found = fit.undetermined();
    let name = |j: &usize| {
        data.feature_names().and_then(|names| names.get(*j)).cloned().unwrap_or_else(|| (j + 1).to_string())
    };
    let which: Vec<String> = found.iter().take(NAMED).map(name).collect();
    (!found.is_empty()).then(|| {
        let which = which.join(", ");
        format!("F has no minimum: coefficients of features that tell rows apart without error only grow ({which}); --ridge 0.001 or --constraint ball:R gives them a size")
    })
}
