//! `tune` with several outputs.

use super::told::Told;
use super::{Done, Given, add_model, check_shape, check_table, measured, page, say, tell, tell_separation};
use crate::args::{DataArgs, OutputArgs, TuneArgs, UnitArgs};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::output::{self, Outputs, note};
use crate::rows::FileRows;
use crate::scores::{Scores, Watcher};
use crate::summary::{has_converged, peak_memory};
use crate::{input, scaling, setup};
use proxdist::outputs::{OutputsEvaluation, OutputsModel, OutputsSelection, OutputsValidation};
use proxdist::path::Criterion;
use proxdist::selection::{Choice, Grid, Scoring};
use proxdist::spec::SetSpec;
use proxdist::{Data, Setting};
use proxdist_io::Table;
use proxdist_report::RocCurve;
use serde_json::json;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::time::Instant;

/// What a search is told, whatever the command.
pub(super) struct Search<'a> {
    pub(super) data: &'a DataArgs,
    pub(super) units: &'a UnitArgs,
    pub(super) output: &'a OutputArgs,
    pub(super) spec: SetSpec,
    pub(super) ridge: f64,
    pub(super) grid: Grid,
    pub(super) folds: usize,
    pub(super) seed: u64,
    pub(super) scoring: Scoring,
    pub(super) choice: Choice,
}

impl Search<'_> {
    /// The library's search.
    pub(super) fn validation<'d>(&self, whole: &'d Data<'d>, told: &'d Told) -> OutputsValidation<'d> {
        OutputsValidation::new(whole, told.responses(), told.loss, told.outputs.iter().cloned())
            .constraint(self.spec.clone())
            .ridge(self.ridge)
            .intercept(!self.units.no_intercept)
            .standardize(scaling::wanted(self.units))
            .folds(self.folds)
            .seed(self.seed)
            .scoring(self.scoring)
            .choice(self.choice)
    }

    /// Errors in terms of the file and the options.
    pub(super) fn explained(&self, table: &Table, error: proxdist::Error) -> Failure {
        match error {
            proxdist::Error::Constraint { .. } => super::about_set(error),
            other => FileRows::of(&self.data.name(), table).explain(other),
        }
    }
}

/// A search that has come to its end, with the model in the units of the file.
pub(super) struct Chosen {
    pub(super) selection: OutputsSelection,
    pub(super) model: OutputsModel,
    pub(super) training: OutputsEvaluation,
    roc: Vec<RocCurve>,
    /// The standard deviations of the columns that were fitted; none without a page.
    deviations: Option<Vec<f64>>,
    /// Of reading and of searching.
    pub(super) seconds: (f64, f64),
}

impl Chosen {
    /// Searches, fits the chosen point and measures it on all rows.
    pub(super) fn find(search: &Search, given: &Given, told: &Told) -> Result<Self> {
        Self::find_by(search, given, told, None)
    }

    /// The same by a criterion on all rows, if there is one.
    pub(super) fn find_by(search: &Search, given: &Given, told: &Told, criterion: Option<Criterion>) -> Result<Self> {
        let (quiet, table, source) = (search.output.quiet, &given.table, search.data.name());
        let none = vec![0.0; table.features.rows()];
        let whole = input::view(&source, table, &none, None)?;
        let validation = search.validation(&whole, told);
        let explained = |error| search.explained(table, error);
        if validation.preparation(&search.grid, &given.settings).map_err(explained)?.is_scaled() {
            note(quiet, "columns are scaled for each fit by the rows it is fitted to (--no-standardize turns it off)");
        }
        let (searching, watcher) = (Instant::now(), Watcher::new(quiet));
        let outcome = match criterion {
            None => validation.run_watched(&search.grid, &given.settings, &watcher),
            Some(criterion) => validation.run_by_criterion(&search.grid, &given.settings, criterion, &watcher),
        };
        watcher.finish();
        let ControlFlow::Continue(selection) = outcome.map_err(explained)? else { return Err(Failure::interrupted()) };
        let seconds = (given.reading, searching.elapsed().as_secs_f64());
        drop(validation);
        tell_separation(selection.fit.model(), quiet);
        // The seed deals the rows, too.
        setup::without_effect(&selection.notes, &[Setting::Seed]).iter().for_each(|text| note(quiet, text));
        let data = selection.units.apply(whole)?;
        let (training, roc) = measured(selection.fit.model(), &data, &told.responses, told.offset.as_deref())?;
        let model = selection.fit.model().restored(&selection.units)?;
        model.check_finite()?;
        let deviations = super::deviations(&data, search.output)?;
        Ok(Self { selection, model, training, roc, deviations, seconds })
    }

    /// For what is written and told.
    pub(super) fn done<'d>(&'d self, search: &'d Search, table: &'d Table, source: &'d str) -> Done<'d> {
        Done {
            data: search.data,
            output: search.output,
            table,
            source,
            spec: &self.selection.chosen().point.constraint,
            fit: &self.selection.fit,
            model: &self.model,
            is_scaled: self.selection.units.is_scaled(),
            deviations: self.deviations.as_deref(),
            rows: table.features.rows(),
            training: &self.training,
            heldout: None,
            roc: &self.roc,
            seconds: self.seconds,
        }
    }

    /// How the command ends.
    pub(super) fn ending(&self, output: &OutputArgs) -> Ending {
        let is_short = output.require_convergence && !has_converged(self.selection.fit.stop());
        if is_short { Ending::NotConverged } else { Ending::Written }
    }
}

/// Tries every point of the grid on every fold, fits the chosen one, writes and tells.
pub(crate) fn tune(args: &TuneArgs, mut given: Given, grid: &Grid, scoring: Scoring) -> Result<Ending> {
    check_shape(args.run.problem.shape)?;
    check_table(&given.table)?;
    let told = Told::of(&args.data, &args.run.problem.loss, &mut given.table, args.output.quiet)?;
    let search = Search {
        data: &args.data,
        units: &args.run.problem.units,
        output: &args.output,
        spec: given.spec.clone(),
        ridge: args.run.problem.ridge,
        grid: grid.clone(),
        folds: args.folds,
        seed: given.settings.seed_value(),
        scoring,
        choice: args.choice,
    };
    let chosen = Chosen::find(&search, &given, &told)?;
    let source = args.data.name();
    let (done, scores) = (chosen.done(&search, &given.table, &source), Scores::of_outputs(&chosen.selection));
    let mut outputs = Outputs::default();
    add_model(&done, None, &mut outputs)?;
    if let Some(path) = &args.output.report {
        let mut page = page::of_fit(&done);
        page.cross_validation = Some(scores.curve(grid));
        outputs.add(path, page.to_html());
    }
    let written = outputs.commit()?;
    if args.output.json {
        let label = |i: usize| scores.table.scores.get(i).map(|score| score.point.to_string());
        let document = json!({
            "command": "tune",
            "version": env!("CARGO_PKG_VERSION"),
            "table": scores.table,
            "best": label(scores.best),
            "one_standard_error": label(scores.one_standard_error),
            "chosen": label(scores.chosen),
            "fit": tell::document(&done, &written),
            "peak_memory_bytes": peak_memory(),
        });
        output::print(&format!("{document}\n"))?;
    } else {
        let text = scores.text(std::io::stdout().is_terminal());
        let measures = tell::measures("rows of the fit", &chosen.training);
        say(&args.output, &format!("{text}{}\n{measures}", tell::summary(&done)), &written)?;
    }
    Ok(chosen.ending(&args.output))
}
