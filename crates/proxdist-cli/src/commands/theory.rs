//! `proxdist theory`

use super::Ending;
use crate::args::TheoryArgs;
use crate::failure::{Failure, Result};
use crate::output::{self, Outputs};
use crate::progress::{Limits, Watcher};
use crate::report::About;
use crate::rows::FileRows;
use crate::theory::Findings;
use crate::{input, scaling, setup, signals};
use proxdist::theory::{Bounds, Measured, Plan, Study, advise, assumptions, measure};
use proxdist::{Problem, Settings, Stop};
use std::path::PathBuf;
use std::time::Instant;

/// Reads, studies, measures if asked to, writes and tells.
pub(crate) fn run(args: &TheoryArgs) -> Result<Ending> {
    let loss = setup::loss(&args.problem.loss)?;
    let spec = setup::constraint(&args.problem.constraint)?;
    let quiet = args.quiet;
    let places = [("--out", args.out.as_ref()), ("--report", args.report.as_ref()), ("--plot", args.plot.as_ref())];
    output::check_places(&places, &args.data.inputs())?;
    check(args)?;
    let settings = args.settings.apply(Settings::default())?;
    signals::listen(quiet);

    let wanted = input::Wanted {
        loss: &*loss,
        memory: args.settings.memory(&settings),
        out: args.out.as_ref(),
        quiet,
        takes_outputs: false,
        strata: None,
        holdout: None,
    };
    let (table, _) = input::training(&args.data, wanted)?;
    let response = table.response.as_deref().unwrap_or(&[]);
    let source = args.data.name();
    let whole = input::view(&source, &table, response, args.problem.shape)?;
    let set = setup::build(&spec, &whole)?;
    let units = scaling::units(&whole, &*set, &args.problem.units, args.problem.ridge)?;
    scaling::tell(&units, quiet);
    let data = units.apply(whole)?;
    let problem = Problem::new(&data, loss, set)
        .ridge(units.ridge(args.problem.ridge))
        .intercept(!args.problem.units.no_intercept);

    let started = Instant::now();
    let mut watcher = Watcher::new(quiet, Limits::of(&settings, data.rows()), setup::rank_of(&spec));
    let study = Study::observed(&problem, &settings, &mut watcher)
        .map_err(|error| FileRows::of(&source, &table).explain(error))?;
    drop(watcher);
    if study.fit.stop() == Stop::Interrupted {
        return Err(Failure::interrupted());
    }
    let rho1 = settings.rho1_value().unwrap_or(study.auto_rho1);
    let plan = Plan {
        rho1,
        gamma: settings.gamma_value(),
        steps: args.steps,
        repeats: args.repeats,
        seed: settings.seed_value(),
        threads: settings.threads_value(),
    };
    let findings = Findings {
        bounds: Bounds::new(study.constants, rho1, plan.gamma)?,
        assumptions: assumptions(&problem, &study, plan.gamma),
        advice: advise(study.constants, args.at)?,
        measured: if args.measure { Some(measured(&problem, &study, &plan)?) } else { None },
        study: &study,
        has_intercept: problem.has_intercept(),
        is_auto: settings.rho1_value().is_none(),
        seed: plan.seed,
        repeats: args.repeats,
        about: About {
            fit: &study.fit,
            model: study.fit.model(),
            is_scaled: units.is_scaled(),
            data: &data,
            table: &table,
            source: &source,
            spec: &spec,
            units: &args.problem.units,
            parts: None,
            crossed: None,
            seconds: started.elapsed().as_secs_f64(),
        },
    };
    let written = write(args, &findings)?;
    if args.json {
        output::print(&format!("{}\n", findings.json(&written)))?;
    } else if !quiet {
        output::say(&(findings.text() + &output::wrote(&written)))?;
    }
    Ok(Ending::Written)
}

fn check(args: &TheoryArgs) -> Result<()> {
    let is_stdout = [&args.out, &args.report, &args.plot].into_iter().flatten().any(|path| path.as_os_str() == "-");
    if is_stdout {
        return Err(Failure::new(
            "standard output has the summary or the JSON object",
            "give a file name instead of -",
        ));
    }
    // The library says the same, but only once the data are read and fitted.
    let beyond = |option: &str, value: u64, most: u64| {
        let hint = format!("give a number from 1 to {most}, or leave it out");
        Failure::new(format!("{option} must be from 1 to {most}, got {value}"), hint)
    };
    for (option, value, most) in
        [("--at", args.at, 1_000_000), ("--steps", args.steps, 100_000_000), ("--repeats", args.repeats as u64, 10_000)]
    {
        if !(1..=most).contains(&value) {
            return Err(beyond(option, value, most));
        }
    }
    Ok(())
}

fn measured(problem: &Problem, study: &Study, plan: &Plan) -> Result<Measured> {
    measure(problem, study, plan, &signals::asked_to_stop)?.ok_or_else(Failure::interrupted)
}

fn write(args: &TheoryArgs, findings: &Findings) -> Result<Vec<PathBuf>> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.out {
        outputs.add(path, findings.table());
    }
    if let Some(path) = &args.report {
        outputs.add(path, findings.page().to_html());
    }
    if let Some(path) = &args.plot {
        outputs.add(path, findings.picture());
    }
    outputs.commit()
}
