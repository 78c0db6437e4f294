//! `proxdist compare`: several methods on the same data, with the same batches, trace and stopping.

use super::Ending;
use crate::args::{Auto, CompareArgs, ScheduleArg};
use crate::comparison::{Comparison, Entry};
use crate::failure::{Failure, Result};
use crate::output::{self, Outputs, note};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::summary::processor_seconds;
use crate::{input, report, scaling, setup, signals};
use proxdist::{Method, Problem, Settings};
use std::time::Instant;

/// Passes over the data that each method gets, unless told otherwise.
const PASSES: f64 = 50.0;
/// Steps at most where passes or time are the limit.
const MANY_STEPS: u64 = 1_000_000_000;
/// Change that counts as none: small, so that methods are seen to the end of what they can do.
const TOLERANCE: f64 = 1e-8;

/// Reads, finds the optimum, tunes and runs every method, writes and tells.
pub(crate) fn run(args: &CompareArgs) -> Result<Ending> {
    let loss = setup::loss(&args.run.problem.loss)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let quiet = args.quiet;
    let methods = methods(args)?;
    let settings = settings(args)?;
    let places = [("--out", args.out.as_ref()), ("--report", args.report.as_ref()), ("--plot", args.plot.as_ref())];
    output::check_places(&places, &[&args.data.data])?;
    signals::listen(quiet);

    let table = input::read_training(&args.data, loss.task())?;
    table.notices.iter().for_each(|notice| note(quiet, notice));
    let sets = std::slice::from_ref(&spec);
    let response = table.response.as_deref().unwrap_or(&[]);
    let source = args.data.data.display().to_string();
    let whole = input::view(&source, &table, response, args.run.problem.shape)?;
    let (data, scaling) = scaling::standardised(whole, None, sets, &args.run.problem, quiet)?;
    let set = setup::build(&spec, data.parameter_shape())?;
    let problem =
        Problem::new(&data, loss, set).ridge(args.run.problem.ridge).intercept(!args.run.problem.no_intercept);

    let watcher = || {
        let rows = args.run.passes.map(|passes| passes * data.rows() as f64);
        let limits = Limits { steps: args.run.max_steps.unwrap_or(MANY_STEPS), rows, time: args.run.time };
        Watcher::new(quiet, limits, setup::rank_of(&spec))
    };
    let finish = Settings::default().seed(args.run.seed);
    let finish = args.run.threads.map_or(finish.clone(), |threads| finish.threads(threads));
    let at = FileRows::of(&source, &table);
    let reference = problem.fit_observed(&finish, &mut watcher()).map_err(|error| at.explain(error))?;
    let mut entries = Vec::new();
    for method in methods {
        if signals::asked_to_stop() {
            return Err(Failure::interrupted());
        }
        // All rows are watched, so that F at a checkpoint can be compared with the optimum.
        let mut settings = settings.clone().method(method.clone()).monitor_rows(data.rows());
        if method.is_full_batch() {
            settings = settings.check_every(1);
        }
        let rho1 = problem.first_penalty(&settings, &mut watcher())?;
        let (started, before) = (Instant::now(), processor_seconds());
        let fit = rho1.map(|rho1| problem.fit_observed(&settings.rho1(rho1), &mut watcher())).transpose()?;
        let processor = processor_seconds().zip(before).map(|(after, before)| after - before);
        let seconds = started.elapsed().as_secs_f64();
        entries.push(Entry { method: method.to_string(), rho1, fit, seconds, processor });
    }
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
    }
    let comparison = Comparison {
        reference,
        entries,
        source: source.clone(),
        rows: data.rows(),
        is_scaled: scaling.is_some(),
        start: problem.objective().value(&vec![0.0; data.columns() + usize::from(problem.has_intercept())])?,
    };
    write_and_tell(args, &comparison)
}

fn write_and_tell(args: &CompareArgs, comparison: &Comparison) -> Result<Ending> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.out {
        outputs.add(path, comparison.traces());
    }
    if let Some(path) = &args.plot {
        outputs.add(path, comparison.plot());
    }
    if let Some(path) = &args.report {
        outputs.add(path, report::comparison_page(comparison, args.run.seed).to_html());
    }
    let written = outputs.commit()?;
    if args.json {
        output::print(&format!("{}\n", comparison.json()))?;
    } else if !args.quiet {
        let text = comparison.text() + &output::wrote(&written);
        if written.iter().any(|path| path.as_os_str() == "-") {
            output::complain(text.trim_end());
        } else {
            output::say(&text)?;
        }
    }
    Ok(Ending::Written)
}

/// The methods of `--methods`, each once, all of them minimising the same function.
fn methods(args: &CompareArgs) -> Result<Vec<Method>> {
    if !matches!(args.run.method, Method::ProximalDistance) {
        let message = "--method: compare runs several methods";
        return Err(Failure::new(message, "give them as a list: --methods spd,psgd,pd"));
    }
    let mut seen: Vec<String> = Vec::new();
    for method in &args.methods {
        let text = method.to_string();
        if !method.keeps_objective() {
            let message = format!("--methods {text}: it minimises another function than the others");
            return Err(Failure::new(message, "compare methods without an added loss or penalty"));
        }
        if seen.contains(&text) {
            return Err(Failure::new(format!("--methods: {text} is given twice"), "give each method once"));
        }
        seen.push(text);
    }
    Ok(args.methods.clone())
}

/// What all methods share.
fn settings(args: &CompareArgs) -> Result<Settings> {
    if args.run.schedule != ScheduleArg::Polynomial {
        let message = "--schedule: compare tunes the first penalty of rho1 k^gamma";
        return Err(Failure::new(message, "leave --schedule out; --gamma sets the power"));
    }
    let run = &args.run;
    let mut settings = setup::settings(run, Auto::Auto, args.quiet)?.polish(false);
    if run.tolerance.is_none() {
        settings = settings.tolerance(TOLERANCE);
    }
    if run.max_steps.is_none() {
        settings = settings.max_steps(MANY_STEPS);
        if run.passes.is_none() && run.time.is_none() {
            settings = settings.max_passes(PASSES);
        }
    }
    Ok(settings)
}
