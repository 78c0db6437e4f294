//! `proxdist fit`

use super::Ending;
use crate::args::FitArgs;
use crate::failure::{Failure, Result};
use crate::model_file::{StoredModel, Training};
use crate::output::{self, Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::summary::Summary;
use crate::{input, setup, signals};
use proxdist::trace::Progress;
use proxdist::{Fit, Problem, Stop};
use std::fmt::Write as _;
use std::time::Instant;

/// Reads, fits, writes and tells.
pub(crate) fn run(args: &FitArgs) -> Result<Ending> {
    // Everything that can be wrong without the data is found before they are read.
    let loss = setup::loss(&args.run.loss)?;
    let spec = setup::constraint(&args.run.constraint)?;
    let quiet = args.output.quiet;
    let settings = setup::settings(&args.run, args.rho1, quiet)?;
    let places = [
        ("--out", args.output.out.as_ref()),
        ("--report", args.output.report.as_ref()),
        ("--plot", args.plot.as_ref()),
        ("--trace", args.trace.as_ref()),
        ("--checkpoint", args.checkpoint.as_ref()),
    ];
    output::check_places(&places, &[&args.data.data])?;
    signals::listen();

    let started = Instant::now();
    let table = input::read_training(&args.data, input::is_for_classes(&*loss))?;
    let reading = started.elapsed().as_secs_f64();
    table.notices.iter().for_each(|notice| note(quiet, notice));
    if args.run.constraint.is_empty() {
        note(quiet, "no --constraint is given: the coefficients are free");
    }
    if args.output.out.is_none() && !args.output.json {
        note(quiet, "the model is not kept; --out FILE writes it");
    }
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
    }

    let response = table.response.as_deref().unwrap_or(&[]);
    let data = input::view(&table, response, args.run.shape)?;
    let set = setup::build(&spec, data.parameter_shape())?;
    let problem = Problem::new(&data, loss, set).ridge(args.run.ridge).intercept(!args.run.no_intercept);
    let limits = Limits {
        steps: args.run.max_steps.unwrap_or(setup::MAX_STEPS),
        rows: args.run.passes.map(|passes| passes * data.rows() as f64),
        time: args.run.time,
    };
    let fitting = Instant::now();
    let fit = problem.fit_observed(&settings, &mut Watcher::new(quiet, limits, setup::rank_of(&spec)))?;
    let fitting = fitting.elapsed().as_secs_f64();

    let training = Training::new(table.schema.clone(), args.data.offset.clone(), None);
    let written = write(args, &fit, training)?;
    let summary = Summary {
        fit: &fit,
        table: &table,
        rows: data.rows(),
        source: args.data.data.display().to_string(),
        spec: &spec,
        seconds: (reading, fitting),
        written: &written,
    };
    tell(args, &summary)?;
    let is_short = args.output.require_convergence && fit.stop() != Stop::Converged;
    Ok(if is_short { Ending::NotConverged } else { Ending::Written })
}

/// All files at once, so that there is never a model without its report.
fn write(args: &FitArgs, fit: &Fit, training: Training) -> Result<Vec<std::path::PathBuf>> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.output.out {
        let stored = StoredModel { model: fit.model().clone(), training: Some(training) };
        outputs.add(path, stored.to_json()?);
    }
    if let Some(path) = &args.trace {
        outputs.add(path, trace_table(fit.trace()));
    }
    outputs.commit()
}

fn tell(args: &FitArgs, summary: &Summary) -> Result<()> {
    if args.output.json {
        return output::print(&format!("{}\n", summary.json(&serde_json::Value::Null)));
    }
    if args.output.quiet {
        return Ok(());
    }
    let mut text = summary.text();
    let files: Vec<String> =
        summary.written.iter().filter(|path| path.as_os_str() != "-").map(|path| path.display().to_string()).collect();
    if !files.is_empty() {
        let _ = writeln!(text, "\nwrote {}", files.join(", "));
    }
    // With the model on standard output, that must hold nothing else.
    if summary.written.iter().any(|path| path.as_os_str() == "-") {
        output::complain(text.trim_end());
        return Ok(());
    }
    output::print(&text)
}

/// One line per checkpoint.
fn trace_table(trace: &[Progress]) -> String {
    let mut text = "step,objective,distance,rho,nonzeros,rows_seen,seconds\n".to_owned();
    for at in trace {
        let Progress { step, objective, distance, rho, nonzeros, rows_seen, elapsed } = at;
        let _ = writeln!(text, "{step},{objective},{distance},{rho},{nonzeros},{rows_seen},{}", elapsed.as_secs_f64());
    }
    text
}
