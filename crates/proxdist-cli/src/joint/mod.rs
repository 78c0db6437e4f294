//! Times until an event and ordered labels on the command line: `--loss cox`, `--loss ordinal`.
//!
//! What belongs to other losses (checkpoints, proofs, other methods, data on the disk) is refused here or by the library, with a hint.

mod answers;
mod evaluate;
mod page;
mod predict;
mod tell;

pub(crate) use answers::TimeColumns;
pub(crate) use evaluate::evaluate;
pub(crate) use predict::predict;

use crate::args::FitArgs;
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::model_file::{Holdout, StoredJoint, Training};
use crate::output::{self, Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::{holdout, input, scaling, setup, signals};
use answers::{Answers, Roles};
use proxdist::data::Part;
use proxdist::joint::{JointEvaluation, JointFit, JointModel, JointProblem};
use proxdist::spec::SetSpec;
use proxdist::survival::Ties;
use proxdist::{Data, Preparation, Setting};
use proxdist_io::Table;
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
    args: &'a FitArgs,
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
    check(args, loss)?;
    let (quiet, source) = (args.output.quiet, args.data.name());
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let settings = setup::settings(args.settings(), quiet)?;
    signals::listen(quiet);
    // The target is read like that of a loss of numbers, or of labels.
    let reading = setup::loss(if loss == Loss::Cox { "squared" } else { "logistic" })?;
    let wanted = input::Wanted {
        loss: &*reading,
        memory: args.run.settings.memory(&settings),
        out: args.output.out.as_ref(),
        quiet,
        takes_outputs: true,
        strata: args.joint.strata.as_deref(),
        holdout: args.holdout.map(|share| (share, settings.seed_value())),
    };
    let (mut table, reading) = input::training(&args.data, wanted)?;
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
    }
    let (answers, levels, columns) = match loss {
        Loss::Cox => {
            let (event, entry, strata) = (&args.joint.event, &args.joint.entry, &args.joint.strata);
            let roles = Roles { event: event.as_deref(), entry: entry.as_deref(), strata: strata.as_deref() };
            let (times, strata) = answers::take(&mut table, roles, &source)?;
            let columns = TimeColumns { event: event.clone().unwrap_or_default(), entry: entry.clone(), strata };
            (Answers::Times(times), Vec::new(), Some(columns))
        }
        Loss::Ordinal => {
            let (labels, levels) = ordered(&table, args.joint.levels.as_deref(), &source)?;
            note(quiet, &format!("labels in ascending order: {}", levels.join(" < ")));
            (Answers::Levels { labels }, levels, None)
        }
    };
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
    let problem = match &own {
        Answers::Times(times) => {
            let view = times.view().map_err(explained)?;
            let ties = args.joint.ties.map(Ties::from).unwrap_or_default();
            JointProblem::cox(data, &view, ties, set).map_err(explained)?.strata(times.names.iter().cloned())
        }
        Answers::Levels { labels } => {
            JointProblem::ordinal(data, labels, levels.iter().cloned(), set).map_err(explained)?
        }
    };
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

/// What cannot be done is found before any work.
fn check(args: &FitArgs, loss: Loss) -> Result<()> {
    let name = &args.run.problem.loss;
    let refused =
        |what: &str, hint: &str| Err(Failure::new(format!("{what} is not available for --loss {name}"), hint));
    let joint = &args.joint;
    match loss {
        Loss::Cox if joint.event.is_none() => {
            let message = "--loss cox: which rows had the event is not known";
            return Err(Failure::new(message, "--event COL names a column of 1 (it happened) and 0 (censored)"));
        }
        Loss::Cox if joint.levels.is_some() => return refused("--levels", "it orders the labels of --loss ordinal"),
        Loss::Ordinal if joint.event.is_some() || joint.entry.is_some() || joint.strata.is_some() => {
            return refused("--event, --entry or --strata", "they belong to the times of --loss cox");
        }
        Loss::Ordinal if joint.ties.is_some() => return refused("--ties", "it belongs to --loss cox"),
        _ => {}
    }
    if args.data.positive.is_some() {
        return refused("--positive", "labels are ordered by --levels; times have none");
    }
    if loss == Loss::Cox && !args.data.bins.is_empty() {
        return refused("--bins", "bin the columns of the file beforehand");
    }
    if args.checkpoint.is_some() {
        return refused("--checkpoint", "leave it out: such a fit has no steps to go on from");
    }
    if args.plot.is_some() {
        return refused("--plot", "--report FILE.html has the figures");
    }
    if args.run.problem.shape.is_some() {
        return refused("--shape", "leave it out: each feature has one coefficient");
    }
    if args.data.exposure.is_some() {
        return refused("--exposure", "use --offset, which is added to the linear predictor");
    }
    crate::commands::fit::check_outputs(args)
}

/// Options of these losses beside another one are a mistake.
pub(crate) fn refuse_options(args: &FitArgs) -> Result<()> {
    let joint = &args.joint;
    let times = joint.event.is_some() || joint.entry.is_some() || joint.strata.is_some() || joint.ties.is_some();
    let (options, loss) = match (times, joint.levels.is_some()) {
        (true, _) => ("--event, --entry, --strata and --ties", "cox"),
        (_, true) => ("--levels", "ordinal"),
        _ => return Ok(()),
    };
    let message = format!("{options} do not belong to --loss {}", args.run.problem.loss);
    Err(Failure::new(message, format!("add --loss {loss}, or leave it out")))
}

/// How good a model is on some rows.
fn measured(model: &JointModel, data: &Data, answers: &Answers) -> Result<JointEvaluation> {
    let weights: Vec<f64> = (0..data.rows()).map(|row| data.weight(row)).collect();
    let offset: Vec<f64> = (0..data.rows()).map(|row| data.offset_of(row)).collect();
    let predictors = model.linear_predictors(data.source(), Some(&offset))?;
    Ok(answers.measured(model, &predictors, Some(&offset), &weights)?)
}

/// All files at once.
fn write(done: &Done, kept_out: Option<Holdout>, columns: Option<TimeColumns>) -> Result<Vec<std::path::PathBuf>> {
    let (args, mut outputs) = (done.args, Outputs::default());
    if let Some(path) = &args.output.out {
        let mut training = Training::new(done.table.schema.clone(), &args.data, kept_out, done.is_scaled);
        training.times = columns;
        let stored = StoredJoint { model: done.model.clone(), training: Some(training) };
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

/// Names of features in a note at most.
const NAMED: usize = 5;

/// Tells of coefficients that could as well be twice as large.
fn without_size(fit: &JointFit, data: &Data) -> Option<String> {
    let found = fit.undetermined();
    let name = |j: &usize| {
        data.feature_names().and_then(|names| names.get(*j)).cloned().unwrap_or_else(|| (j + 1).to_string())
    };
    let which: Vec<String> = found.iter().take(NAMED).map(name).collect();
    (!found.is_empty()).then(|| {
        let which = which.join(", ");
        format!("coefficients without a natural size, since their features tell rows apart without error: {which}; --ridge 0.001 or --constraint ball:R gives them one")
    })
}
