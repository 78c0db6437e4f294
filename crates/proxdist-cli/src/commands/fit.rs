//! `proxdist fit`

use super::Ending;
use crate::args::{FitArgs, OutputArgs};
use crate::checkpoint::{self, Keeper};
use crate::failure::{Failure, Result};
use crate::model_file::{Holdout, StoredModel, Training};
use crate::output::{self, Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::report::{self, About};
use crate::rows::FileRows;
use crate::summary::{Summary, has_converged, separation};
use crate::{holdout, input, joint, measures, outputs, scaling, setup, signals, streaming};
use proxdist::constraint::Constraint;
use proxdist::data::Part;
use proxdist::large::{LargeFit, LargeProblem, Parts};
use proxdist::loss::Loss;
use proxdist::metrics::Evaluation;
use proxdist::spec::SetSpec;
use proxdist::trace::Progress;
use proxdist::{Data, Fit, Problem, Setting, Settings, Shape, Stop};
use proxdist_io::Features;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

/// Reads, fits, writes and tells.
pub(crate) fn run(args: &FitArgs) -> Result<Ending> {
    match joint::Loss::of(&args.run.problem.loss) {
        _ if args.stream.stream => streaming::run(args),
        Some(loss) => joint::fit(args, loss),
        None => sum_over_rows(args),
    }
}

/// The same for losses that are sums over rows.
fn sum_over_rows(args: &FitArgs) -> Result<Ending> {
    // Everything that can be wrong without the data is found before they are read.
    joint::refuse_options(&args.joint, &args.run.problem.loss)?;
    let loss = setup::loss(&args.run.problem.loss)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let quiet = args.output.quiet;
    let settings = setup::settings(args.settings(), quiet)?;
    check_outputs(args)?;
    signals::listen(quiet);

    let wanted = input::Wanted::of(&*loss, args.run.settings.memory(&settings), args.output.out.as_ref(), quiet);
    let wanted = input::Wanted { holdout: args.holdout.map(|share| (share, settings.seed_value())), ..wanted };
    let (table, reading) = input::training(&args.data, wanted)?;
    remind(args);
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
    }
    if outputs::are_several(&args.data, &table) {
        return outputs::fit(args, outputs::Given { table, reading, spec, settings });
    }

    let rows = table.features.rows();
    let kept_out = args.holdout.map(|share| Holdout { share, seed: settings.seed_value(), rows });
    let labels = table.response.as_deref().unwrap_or(&[]);
    let split = kept_out.map(|kept_out| holdout::split(kept_out, labels, table.classes.is_some())).transpose()?;
    let source = args.data.name();
    let whole = input::view_for_fit(&source, &table, args.run.problem.shape)?;
    let set = setup::build(&spec, &whole)?;
    let training_rows = split.as_ref().map(|split| &split.training[..]);
    let (wanted, ridge) = (&args.run.problem.units, args.run.problem.ridge);
    let fitting = Instant::now();
    let rows_of_file = FileRows::of(&source, &table);
    let in_order = match &table.features {
        Features::Stored(_) => {
            let part = training_rows.map(|rows| whole.subset(rows.to_vec())).transpose()?;
            let part = part.as_ref().map(Part::data).transpose()?;
            let found = fitted_in_order(args, part.as_ref().unwrap_or(&whole), (&*loss, &*set), &settings, &spec);
            Some(found.map_err(|error| rows_of_file.only(training_rows).explain(error))?)
        }
        _ => None,
    };
    let in_order_seconds = fitting.elapsed().as_secs_f64();
    let units = match (&in_order, training_rows) {
        (Some(found), _) => found.units.clone(),
        (None, None) => scaling::units(&whole, &*set, wanted, ridge)?,
        (None, Some(rows)) => scaling::units(&whole.subset(rows.to_vec())?.data()?, &*set, wanted, ridge)?,
    };
    scaling::tell(&units, quiet);
    let whole = units.apply(whole)?;
    let parts = split.map(|rows| Ok::<_, Failure>((whole.subset(rows.training)?, whole.subset(rows.heldout)?)));
    let parts = parts.transpose()?;
    let training = parts.as_ref().map(|(training, _)| training.data()).transpose()?;
    let data = training.as_ref().unwrap_or(&whole);

    let problem = Problem::new(data, loss, set).ridge(units.ridge(ridge)).intercept(!wanted.no_intercept);
    let chosen = parts.as_ref().map(|(training, _)| training.rows());
    let fitting = Instant::now();
    let (fit, fitting) = if let Some(found) = in_order {
        (found.fit, in_order_seconds)
    } else {
        let fit = fitted(args, &problem, settings, &spec, rows_of_file.only(chosen))?;
        (fit, fitting.elapsed().as_secs_f64())
    };
    let heldout = parts.as_ref().map(|(_, heldout)| evaluated(&fit, heldout, rows_of_file)).transpose()?;

    if let Some(text) = separation(fit.model()) {
        note(quiet, text);
    }
    // The seed decides which rows are kept out, too.
    let elsewhere: &[Setting] = if args.holdout.is_some() { &[Setting::Seed] } else { &[] };
    let notes = setup::without_effect(fit.notes(), elsewhere);
    notes.iter().for_each(|text| note(quiet, text));
    let model = units.restored(fit.model())?;
    // What is not a number is no result, for people and programs alike.
    model.check_finite()?;
    let about = About {
        fit: &fit,
        model: &model,
        is_scaled: units.is_scaled(),
        data,
        table: &table,
        source: &source,
        spec: &spec,
        units: wanted,
        parts: parts.as_ref().map(|(training, heldout)| (training.rows(), heldout.rows())),
        crossed: None,
        seconds: fitting,
    };
    let written = write(args, &about, kept_out)?;
    let summary = Summary {
        fit: &fit,
        model: &model,
        is_scaled: units.is_scaled(),
        table: &table,
        rows: data.rows(),
        source,
        spec: &spec,
        seconds: (reading, fitting),
        notes: &notes,
        written: &written,
    };
    show(&args.output, &summary, heldout.as_ref())?;
    Ok(ending(args, fit.stop()))
}

/// How the command ends, by how the fit did.
pub(crate) fn ending(args: &FitArgs, stop: Stop) -> Ending {
    let is_short = args.output.require_convergence && !has_converged(stop);
    if is_short { Ending::NotConverged } else { Ending::Written }
}

/// Files that would be written over each other, or over what is read, are found before anything is done.
pub(crate) fn check_outputs(args: &FitArgs) -> Result<()> {
    let places = [
        ("--out", args.output.out.as_ref()),
        ("--report", args.output.report.as_ref()),
        ("--plot", args.plot.as_ref()),
        ("--trace", args.trace.as_ref()),
        ("--checkpoint", args.checkpoint.as_ref()),
    ];
    output::check_places(&places, &args.data.inputs())?;
    args.output.check()
}

/// Notes about what was not asked for.
fn remind(args: &FitArgs) {
    let quiet = args.output.quiet;
    if args.run.problem.constraint.is_empty() {
        note(quiet, "no --constraint is given: the coefficients are free");
    }
    if args.output.out.is_none() && !args.output.json {
        note(quiet, "the model is not kept; --out FILE writes it");
    }
}

/// How good the model is on rows that were kept out.
fn evaluated(fit: &Fit, heldout: &Part, rows: FileRows) -> Result<Evaluation> {
    let evaluation = Evaluation::of_model(fit.model(), &heldout.data()?);
    evaluation.map_err(|error| rows.only(Some(heldout.rows())).explain(error))
}

/// The fit of rows that stay on the disk and are read in order, a few times.
fn fitted_in_order(
    args: &FitArgs,
    data: &Data,
    (loss, set): (&dyn Loss, &dyn Constraint),
    settings: &Settings,
    spec: &SetSpec,
) -> proxdist::Result<LargeFit> {
    let quiet = args.output.quiet;
    if args.checkpoint.is_some() {
        note(quiet, "--checkpoint had no effect: a fit of rows that stay on the disk cannot go on in the middle");
    }
    let backend = Parts::of(data);
    let units = &args.run.problem.units;
    let mut problem = LargeProblem::new(&backend, loss, set)
        .ridge(args.run.problem.ridge)
        .intercept(!units.no_intercept)
        .standardize(scaling::wanted(units));
    if let Shape::Matrix { rows, columns } = data.parameter_shape() {
        problem = problem.shape(rows, columns);
    }
    if let Some(names) = data.feature_names() {
        problem = problem.names(names.to_vec());
    }
    let mut watcher = Watcher::new(quiet, Limits::of(settings, data.rows()), setup::rank_of(spec));
    problem.fit_observed(settings, &mut watcher)
}

/// The fit itself, watched, with its state kept if that is wanted.
fn fitted(args: &FitArgs, problem: &Problem, mut settings: Settings, spec: &SetSpec, rows: FileRows) -> Result<Fit> {
    let (quiet, data) = (args.output.quiet, problem.data());
    let mut watcher = Watcher::new(quiet, Limits::of(&settings, data.rows()), setup::rank_of(spec));
    if let Some(path) = &args.checkpoint {
        let run = checkpoint::identity(&settings, &args.run.problem, problem)?;
        if args.resume {
            match checkpoint::load(path, &run)? {
                Some(state) => settings = settings.resume(state),
                None => note(quiet, &format!("{} is not there: the run starts afresh", path.display())),
            }
        }
        watcher.keeper = Some(Keeper::new(path, run));
    }
    let fit = problem.fit_observed(&settings, &mut watcher).map_err(|error| rows.explain(error))?;
    if let Some(failure) = watcher.keeper.take().and_then(Keeper::finish) {
        note(quiet, &format!("the checkpoint was not kept: {}", failure.message));
    }
    Ok(fit)
}

/// All files at once, so that there is never a model without its report.
fn write(args: &FitArgs, about: &About, kept_out: Option<Holdout>) -> Result<Vec<PathBuf>> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.output.out {
        let training = Training::new(about.table.schema.clone(), &args.data, kept_out, about.is_scaled);
        let training = training.in_units(&args.run.problem.units);
        let stored = StoredModel { model: about.model.clone(), training: Some(training) };
        outputs.add(path, stored.to_json()?);
    }
    if let Some(path) = &args.output.report {
        outputs.add(path, report::page(about)?.to_html());
    }
    if let Some(path) = &args.plot {
        outputs.add(path, report::convergence(about.fit));
    }
    if let Some(path) = &args.trace {
        outputs.add(path, trace_table(about.fit.trace()));
    }
    outputs.commit()
}

/// The result on standard output, for a program or for people.
fn show(output: &OutputArgs, summary: &Summary, heldout: Option<&Evaluation>) -> Result<()> {
    if !output.json {
        return tell(output, summary, "", heldout);
    }
    let evaluation = heldout.map(serde_json::to_value).transpose().unwrap_or_default();
    output::print(&format!("{}\n", summary.json(&evaluation.unwrap_or_default())))
}

/// The summary on standard output, after `before`.
pub(super) fn tell(output: &OutputArgs, summary: &Summary, before: &str, heldout: Option<&Evaluation>) -> Result<()> {
    if output.quiet {
        return Ok(());
    }
    let mut text = before.to_owned() + &summary.text();
    if let Some(evaluation) = heldout {
        let _ = write!(text, "\n{}", measures::text("rows kept out of the fit", evaluation));
    }
    let (streams, files): (Vec<_>, Vec<_>) = summary.written.iter().partition(|path| path.as_os_str() == "-");
    text += &output::wrote(files);
    // With the model on standard output, that must hold nothing else.
    if streams.is_empty() {
        return output::say(&text);
    }
    output::complain(text.trim_end());
    Ok(())
}

/// One line per checkpoint.
pub(crate) fn trace_table(trace: &[Progress]) -> String {
    let mut text = "phase,step,objective,distance,rho,nonzeros,rows_seen,seconds,bound,nodes\n".to_owned();
    for at in trace {
        let phase = at.phase.name();
        let Progress { step, objective, distance, rho, nonzeros, rows_seen, .. } = at;
        let seconds = at.elapsed.as_secs_f64();
        let bound = at.bound.map_or_else(String::new, |bound| bound.to_string());
        let nodes = at.nodes.map_or_else(String::new, |nodes| nodes.to_string());
        let _ = writeln!(
            text,
            "{phase},{step},{objective},{distance},{rho},{nonzeros},{rows_seen},{seconds},{bound},{nodes}"
        );
    }
    text
}
