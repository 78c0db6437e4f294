//! `proxdist compare`: several methods on the same data, with the same batches, trace and stopping.

use super::Ending;
use crate::args::CompareArgs;
use crate::args::compare::{PASSES, TOLERANCE};
use crate::comparison::{Comparison, Entry};
use crate::failure::{Failure, Result};
use crate::output::{self, Outputs};
use crate::progress::{Limits, Watcher};
use crate::rows::FileRows;
use crate::summary::processor_seconds;
use crate::{input, report, scaling, setup, signals};
use proxdist::{Method, Problem, Setting, Settings};
use std::time::Instant;

/// Steps at most where passes or time are the limit.
const MANY_STEPS: u64 = 1_000_000_000;

/// Reads, finds the optimum, tunes and runs every method, writes and tells.
pub(crate) fn run(args: &CompareArgs) -> Result<Ending> {
    let loss = setup::loss(&args.run.problem.loss)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let quiet = args.quiet;
    let methods = methods(args)?;
    let settings = settings(args)?;
    let places = [("--out", args.out.as_ref()), ("--report", args.report.as_ref()), ("--plot", args.plot.as_ref())];
    output::check_places(&places, &args.data.inputs())?;
    signals::listen(quiet);

    let wanted = input::Wanted {
        loss: &*loss,
        memory: args.run.settings.memory(&settings),
        out: args.out.as_ref(),
        quiet,
        takes_outputs: false,
        strata: None,
        holdout: None,
    };
    let (table, _) = input::training(&args.data, wanted)?;
    let response = table.response.as_deref().unwrap_or(&[]);
    let source = args.data.name();
    let whole = input::view(&source, &table, response, args.run.problem.shape)?;
    let set = setup::build(&spec, &whole)?;
    let units = scaling::units(&whole, &*set, &args.run.problem.units, args.run.problem.ridge)?;
    scaling::tell(&units, quiet);
    let data = units.apply(whole)?;
    let problem = Problem::new(&data, loss, set)
        .ridge(units.ridge(args.run.problem.ridge))
        .intercept(!args.run.problem.units.no_intercept);

    let watcher = || Watcher::new(quiet, Limits::of(&settings, data.rows()), setup::rank_of(&spec));
    let finish = Settings::default().seed(settings.seed_value());
    let finish = settings.threads_value().map_or(finish.clone(), |threads| finish.threads(threads));
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
        is_scaled: units.is_scaled(),
        start: problem.objective().value(&problem.layout().zeros())?,
    };
    write_and_tell(args, &comparison, settings.seed_value())
}

fn write_and_tell(args: &CompareArgs, comparison: &Comparison, seed: u64) -> Result<Ending> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.out {
        outputs.add(path, comparison.traces());
    }
    if let Some(path) = &args.plot {
        outputs.add(path, comparison.plot());
    }
    if let Some(path) = &args.report {
        outputs.add(path, report::comparison_page(comparison, seed).to_html());
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
    if args.run.settings.has(Setting::Method) {
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
    if args.run.settings.has(Setting::Schedule) {
        let message = "--schedule: compare tunes the first penalty of rho1 k^gamma";
        return Err(Failure::new(message, "leave --schedule out; --gamma sets the power"));
    }
    let given = &args.run.settings;
    let mut settings = setup::settings(given.apply(Settings::default()), args.quiet)?.polish(false);
    if !given.has(Setting::Tolerance) {
        settings = settings.with(Setting::Tolerance, TOLERANCE)?;
    }
    if !given.has(Setting::MaxSteps) {
        settings = settings.max_steps(MANY_STEPS);
        if !given.has(Setting::MaxPasses) && !given.has(Setting::TimeLimit) {
            settings = settings.with(Setting::MaxPasses, PASSES)?;
        }
    }
    Ok(settings)
}
