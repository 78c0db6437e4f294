//! `proxdist tune`

use super::Ending;
use super::fit::tell;
use crate::args::TuneArgs;
use crate::failure::{Failure, Result};
use crate::model_file::{StoredModel, Training};
use crate::output::{self, Outputs, note};
use crate::report::{self, About};
use crate::rows::FileRows;
use crate::summary::{Summary, has_converged, peak_memory};
use crate::words::number;
use crate::{input, progress, scaling, setup, signals};
use comfy_table::{CellAlignment, ContentArrangement};
use indicatif::ProgressBar;
use proxdist::selection::{Axis, CrossValidation, Finished, Grid, Scoring, Selection, Watch};
use proxdist::{Setting, Settings};
use proxdist_report::{CvCurve, CvPoint};
use serde_json::json;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::time::Instant;

/// Reads, tries every point of the grid on every fold, fits the chosen one, writes and tells.
pub(crate) fn run(args: &TuneArgs) -> Result<Ending> {
    let loss = setup::loss(&args.run.problem.loss)?;
    let spec = setup::constraint(&args.run.problem.constraint)?;
    let quiet = args.output.quiet;
    let grid = grid(args)?;
    let settings = setup::settings(settings(args), quiet)?;
    let scoring = scoring(args)?;
    let places = [("--out", args.output.out.as_ref()), ("--report", args.output.report.as_ref())];
    output::check_places(&places, &args.data.inputs())?;
    args.output.check()?;
    signals::listen(quiet);

    let wanted = input::Wanted {
        loss: &*loss,
        memory: args.run.settings.memory(&settings),
        out: args.output.out.as_ref(),
        quiet,
        takes_outputs: false,
    };
    let (table, reading) = input::training(&args.data, wanted)?;
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
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
    let watcher = Watcher { bar: progress::line(quiet), started: tuning };
    let outcome = search.run_watched(&grid, &settings, &watcher);
    drop(search);
    watcher.bar.finish_and_clear();
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
            heldout: None,
            seconds: tuning,
        };
        let mut page = report::page(&about)?;
        page.cross_validation = Some(curve(&grid, &selection));
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
        let scores = score_table(&selection, std::io::stdout().is_terminal());
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
fn settings(args: &TuneArgs) -> proxdist::Result<Settings> {
    let settings = args.run.settings.apply(Settings::default())?;
    match &args.rho1[..] {
        [one] => settings.with(Setting::Rho1, one),
        _ => Ok(settings),
    }
}

fn scoring(args: &TuneArgs) -> Result<Scoring> {
    let failed = |error| Failure::from(error).about("--score").hint("choose loss, auc, accuracy, mse, deviance or d2");
    args.score.parse::<Scoring>().map_err(failed)
}

/// A line on the terminal, and an ear for Ctrl-C.
struct Watcher {
    bar: ProgressBar,
    started: Instant,
}

impl Watch for Watcher {
    type Reason = ();

    fn finished(&self, finished: &Finished) -> ControlFlow<()> {
        let Finished { fold, point, score, done, total, .. } = finished;
        let left = self.started.elapsed().as_secs_f64() * (total - done) as f64 / (*done).max(1) as f64;
        self.bar.set_message(format!(
            "{done} of {total} fits  {point} without part {}: {}  about {left:.0} s left",
            fold + 1,
            number(*score)
        ));
        self.bar.tick();
        self.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// One line a point, marked where it matters.
fn score_table(selection: &Selection, styled: bool) -> String {
    let scores = &selection.table;
    let mut table = comfy_table::Table::new();
    table.load_style(if styled { comfy_table::presets::UTF8_FULL_CONDENSED } else { comfy_table::presets::NOTHING });
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["point", &format!("mean {}", scores.scoring), "standard error", "converged", ""]);
    for (i, score) in scores.scores.iter().enumerate() {
        let mut marks = Vec::new();
        if i == selection.best {
            marks.push("best");
        }
        if i == selection.one_standard_error && i != selection.best {
            marks.push("simplest within one standard error");
        }
        if i == selection.chosen {
            marks.push("chosen");
        }
        let converged = format!("{} of {}", score.converged, scores.folds);
        table.add_row([
            score.point.to_string(),
            number(score.mean),
            number(score.standard_error),
            converged,
            marks.join(", "),
        ]);
    }
    for column in 1..=3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let direction = if scores.scoring.larger_is_better() { "larger" } else { "smaller" };
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    format!(
        "{} by {}-fold cross-validation, {direction} is better\n{}\n\n",
        scores.scoring,
        scores.folds,
        lines.join("\n")
    )
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

/// The scores along the first set's axis, or the only axis there is; other axes tell the lines apart.
fn curve(grid: &Grid, selection: &Selection) -> CvCurve {
    let is_set = |name: &str| name != "ridge" && name != "rho1";
    let names: Vec<&str> = grid.axes().iter().map(Axis::name).collect();
    let along = names.iter().find(|name| is_set(name)).or(names.first()).copied().unwrap_or_default();
    let points = selection.table.scores.iter().map(|score| {
        // A label is the values on the axes, as in `sparsity:5, ridge:0.1`.
        let parts: Vec<(&str, &str)> = score.point.label.split(", ").filter_map(|part| part.split_once(':')).collect();
        let value = parts.iter().find(|(name, _)| *name == along).and_then(|(_, value)| value.parse().ok());
        let others = parts.iter().filter(|(name, _)| *name != along).map(|(name, value)| format!("{name} {value}"));
        CvPoint {
            value: value.unwrap_or(f64::NAN),
            line: others.collect::<Vec<_>>().join(", "),
            mean: score.mean,
            standard_error: score.standard_error,
        }
    });
    CvCurve {
        parameter: along.to_owned(),
        score: selection.table.scoring.to_string(),
        larger_is_better: selection.table.scoring.larger_is_better(),
        folds: selection.table.folds,
        points: points.collect(),
        chosen: Some(selection.chosen),
        one_standard_error: Some(selection.one_standard_error),
    }
}
