//! `proxdist tune`

use super::Ending;
use super::fit::tell;
use crate::args::TuneArgs;
use crate::failure::{Failure, Result};
use crate::model_file::{StoredModel, Training};
use crate::output::{self, Outputs, note};
use crate::report::{self, About};
use crate::rows::FileRows;
use crate::scores::{Scores, Watcher};
use crate::summary::{Summary, has_converged, peak_memory};
use crate::{input, joint, outputs, scaling, setup, signals};
use proxdist::selection::{CrossValidation, Grid, Scoring, Selection};
use proxdist::{Setting, Settings};
use serde_json::json;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::time::Instant;

/// Reads, tries every point of the grid on every fold, fits the chosen one, writes and tells.
pub(crate) fn run(args: &TuneArgs) -> Result<Ending> {
    let places = [("--out", args.output.out.as_ref()), ("--report", args.output.report.as_ref())];
    output::check_places(&places, &args.data.inputs())?;
    args.output.check()?;
    if let Some(loss) = joint::Loss::of(&args.run.problem.loss) {
        return joint::tune(args, loss, &grid(args)?, scoring(args)?);
    }
    joint::refuse_options(&args.joint, &args.run.problem.loss)?;
    sum_over_rows(args)
}

/// The same for losses that are sums over rows.
fn sum_over_rows(args: &TuneArgs) -> Result<Ending> {
    let loss = setup::loss(&args.run.problem.loss)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let quiet = args.output.quiet;
    let grid = grid(args)?;
    let settings = setup::settings(settings(args), quiet)?;
    let scoring = scoring(args)?;
    signals::listen(quiet);

    let wanted = input::Wanted::of(&*loss, args.run.settings.memory(&settings), args.output.out.as_ref(), quiet);
    let (table, reading) = input::training(&args.data, wanted)?;
    input::remind_of_bins(&args.data, quiet);
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
    }
    if outputs::are_several(&args.data, &table) {
        let given = outputs::Given { table, reading, spec, settings };
        return outputs::tune(args, given, &grid, scoring);
    }
    let response = table.response.as_deref().unwrap_or(&[]);
    let source = args.data.name();
    let whole = input::view(&source, &table, response, args.run.problem.shape)?;
    let search = CrossValidation::new(&whole, loss, spec)
        .ridge(args.run.problem.ridge)
        .intercept(!args.run.problem.units.no_intercept)
        .standardize(scaling::wanted(&args.run.problem.units))
        .folds(args.folds)
        .seed(settings.seed_value())
        .scoring(scoring)
        .choice(args.choice);
    let explained = |error| FileRows::of(&source, &table).explain(error);
    if search.preparation(&grid, &settings).map_err(explained)?.is_scaled() {
        note(quiet, "columns are scaled for each fit by the rows it is fitted to (--no-standardize turns it off)");
    }
    let tuning = Instant::now();
    let watcher = Watcher::new(quiet);
    let outcome = search.run_watched(&grid, &settings, &watcher);
    drop(search);
    watcher.finish();
    let outcome = outcome.map_err(explained)?;
    let ControlFlow::Continue(selection) = outcome else { return Err(Failure::interrupted()) };
    let tuning = tuning.elapsed().as_secs_f64();
    // The seed deals the rows, too.
    let notes = setup::without_effect(&selection.notes, &[Setting::Seed]);
    notes.iter().for_each(|text| note(quiet, text));

    let model = selection.model()?;
    let (data, is_scaled) = (selection.units.apply(whole)?, selection.units.is_scaled());
    let chosen_set = &selection.chosen().point.constraint;
    model.check_finite()?;
    let mut outputs = Outputs::default();
    if let Some(path) = &args.output.out {
        let training = Training::new(table.schema.clone(), &args.data, None, is_scaled);
        let training = training.in_units(&args.run.problem.units);
        let stored = StoredModel { model: model.clone(), training: Some(training) };
        outputs.add(path, stored.to_json()?);
    }
    if let Some(path) = &args.output.report {
        let about = About {
            fit: &selection.fit,
            model: &model,
            is_scaled,
            data: &data,
            table: &table,
            source: &source,
            spec: chosen_set,
            units: &args.run.problem.units,
            parts: None,
            crossed: Some(Scores::of(&selection).crossed()),
            seconds: tuning,
        };
        let mut page = report::page(&about)?;
        page.cross_validation = Some(Scores::of(&selection).curve(&grid));
        outputs.add(path, page.to_html());
    }
    let written = outputs.commit()?;
    let seconds = (reading, tuning);
    let (fit, rows) = (&selection.fit, data.rows());
    let summary = Summary {
        fit,
        model: &model,
        is_scaled,
        table: &table,
        rows,
        source,
        spec: chosen_set,
        seconds,
        notes: &notes,
        written: &written,
    };
    if args.output.json {
        output::print(&format!("{}\n", document(&selection, &summary)))?;
    } else {
        let scores = Scores::of(&selection).text(std::io::stdout().is_terminal());
        tell(&args.output, &summary, &scores, None)?;
    }
    let is_short = args.output.require_convergence && !has_converged(fit.stop());
    Ok(if is_short { Ending::NotConverged } else { Ending::Written })
}

/// The axes of `--grid`; several values of `--rho1` are one more.
fn grid(args: &TuneArgs) -> Result<Grid> {
    let mut axes = args.grid.clone();
    if args.rho1.len() > 1 {
        axes.push(format!("rho1:{}", args.rho1.join(",")));
    }
    Grid::parse(&axes).map_err(|error| {
        Failure::from(error)
            .about("--grid")
            .hint("write sparsity:1-20, ball:1,5, ridge:0,1e-4..1,log,5 or rho1:1e-3,auto, each name once")
    })
}

/// The settings that were given; several first penalties are for the grid.
pub(crate) fn settings(args: &TuneArgs) -> proxdist::Result<Settings> {
    let settings = args.run.settings.apply(Settings::default())?;
    match &args.rho1[..] {
        [one] => settings.with(Setting::Rho1, one),
        _ => Ok(settings),
    }
}

fn scoring(args: &TuneArgs) -> Result<Scoring> {
    let failed = |error| {
        Failure::from(error)
            .about("--score")
            .hint("choose loss, auc, accuracy, mse, deviance or d2, for times concordance")
    };
    args.score.parse::<Scoring>().map_err(failed)
}

fn document(selection: &Selection, summary: &Summary) -> serde_json::Value {
    let label = |i: usize| selection.table.scores.get(i).map(|score| score.point.to_string());
    json!({
        "command": "tune",
        "version": env!("CARGO_PKG_VERSION"),
        "table": selection.table,
        "best": label(selection.best),
        "one_standard_error": label(selection.one_standard_error),
        "chosen": label(selection.chosen),
        "fit": summary.json(&serde_json::Value::Null),
        "peak_memory_bytes": peak_memory(),
    })
}
