//! `proxdist path`

use super::Ending;
use super::fit::tell;
use crate::args::{PathArgs, Select};
use crate::failure::{Failure, Result};
use crate::model_file::{StoredModel, Training};
use crate::output::{self, Outputs, note};
use crate::path::{self, Findings, Request, Searched, search};
use crate::progress::{Limits, Watcher};
use crate::report::{self, About};
use crate::rows::FileRows;
use crate::summary::{Summary, has_converged, peak_memory};
use crate::{input, joint, outputs, setup, signals};
use proxdist::loss::Loss;
use proxdist::path::PathPoint;
use proxdist::spec::SetSpec;
use proxdist::{Data, Fit, Model, Problem, Setting, Settings, Units};
use proxdist_io::Table;
use proxdist_pages::Crossed;
use serde_json::{Value, json};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Instant;

/// Reads, finds the best models of all sizes, fits the chosen one, writes and tells.
pub(crate) fn run(args: &PathArgs) -> Result<Ending> {
    if let Some(loss) = joint::Loss::of(&args.loss) {
        check_files(args)?;
        return joint::path(args, loss);
    }
    joint::refuse_options(&args.joint, &args.loss)?;
    let loss = setup::loss(&args.loss)?;
    check(args, &*loss)?;
    let spec = setup::constraint(&args.constraint)?;
    let quiet = args.output.quiet;
    let settings = setup::settings(args.settings.apply(Settings::default()), quiet)?;
    signals::listen_saying(
        quiet,
        "stopping with the sizes found so far, if there are any; a second signal ends at once, without them",
    );

    let wanted = input::Wanted::of(&*loss, args.settings.memory(&settings), args.output.out.as_ref(), quiet);
    let (table, reading) = input::training(&args.data, wanted)?;
    if matches!(args.select, Select::CrossValidation) {
        input::remind_of_bins(&args.data, quiet);
    }
    if signals::asked_to_stop() {
        return Err(Failure::interrupted());
    }
    if outputs::are_several(&args.data, &table) {
        return outputs::path(args, outputs::Given { table, reading, spec, settings });
    }
    let set = path::set(&args.constraint)?;
    let response = table.response.as_deref().unwrap_or(&[]);
    let source = args.data.name();
    let whole = input::view(&source, &table, response, None)?;
    let request = Request::of(args, &set, settings.seed_value(), (whole.rows(), whole.columns()))?;
    let rows = FileRows::of(&source, &table);
    let searching = Instant::now();
    let searched = Searched { args, loss: &*loss, rows };
    let (mut found, data) = search(&searched, whole, &request, &settings)?;
    found.prove(&searched, &data, &request, &settings)?;
    let units = found.units.clone();
    let findings = Findings::new(request, found, table.names())?;
    findings.notes().iter().for_each(|text| note(quiet, text));

    let work = Work { args, loss: &*loss, table: &table, data: &data, units: &units, source: &source, rows };
    let chosen =
        findings.chosen_point().map(|point| work.fitted(point, findings.set_of(point), settings)).transpose()?;
    let seconds = (reading, searching.elapsed().as_secs_f64());
    let written = work.write(&findings, chosen.as_ref(), seconds.1)?;
    let summary = chosen.as_ref().map(|chosen| work.summary(chosen, seconds, &written));
    if args.output.json {
        let fit = summary.as_ref().map(|summary| summary.json(&Value::Null));
        let mut document = findings.json(&fit.unwrap_or_default());
        document["seconds"] = json!({"read": seconds.0, "path": seconds.1});
        document["peak_memory_bytes"] = json!(peak_memory());
        document["files"] = written.iter().map(|path| path.display().to_string()).collect();
        output::print(&format!("{document}\n"))?;
    } else {
        let text = findings.text(std::io::stdout().is_terminal());
        match &summary {
            Some(summary) => tell(&args.output, summary, &text, None)?,
            None if !quiet => output::say(&(text.trim_end().to_owned() + "\n" + &output::wrote(&written)))?,
            None => {}
        }
    }
    let is_short = findings.is_interrupted() || chosen.is_some_and(|chosen| !has_converged(chosen.fit.stop()));
    Ok(if is_short && args.output.require_convergence { Ending::NotConverged } else { Ending::Written })
}

/// What can be wrong before anything is read.
fn check(args: &PathArgs, loss: &dyn Loss) -> Result<()> {
    check_files(args)?;
    if matches!(args.select, Select::Criterion(_)) && loss.deviance(0.0, 1.0).is_none() {
        let message = format!("--select {}: the {} loss is no likelihood", args.select, loss.spec());
        return Err(Failure::new(message, "--select cv chooses for every loss"));
    }
    Ok(())
}

/// What can be wrong with the files to be written.
fn check_files(args: &PathArgs) -> Result<()> {
    let output = &args.output;
    let places =
        [("--out", output.out.as_ref()), ("--report", output.report.as_ref()), ("--table", args.table.as_ref())];
    output::check_places(&places, &args.data.inputs())?;
    output.check()?;
    for (option, path) in [("--report", &output.report), ("--table", &args.table)] {
        if path.as_ref().is_some_and(|path| path.as_os_str() == "-") {
            let message = format!("{option} -: standard output has the summary or the JSON object");
            return Err(Failure::new(message, "give a file name instead of -"));
        }
    }
    if args.select == Select::Nothing && output.out.is_some() {
        let message = "--out: with --select none no model is chosen";
        return Err(Failure::new(message, "leave --out out, or choose by cv, aic, bic or ebic"));
    }
    Ok(())
}

/// The fit of the chosen point.
struct Chosen {
    fit: Fit,
    /// In the units of the file.
    model: Model,
    spec: SetSpec,
    notes: Vec<String>,
}

/// What the chosen fit and all that is written about it have in common.
struct Work<'a> {
    args: &'a PathArgs,
    loss: &'a dyn Loss,
    table: &'a Table,
    /// In the units of the path.
    data: &'a Data<'a>,
    units: &'a Units,
    source: &'a str,
    rows: FileRows<'a>,
}

impl Work<'_> {
    /// The ordinary fit of this size and ridge, which starts from the point and is never above it.
    fn fitted(&self, point: &PathPoint, spec: SetSpec, settings: Settings) -> Result<Chosen> {
        let quiet = self.args.output.quiet;
        let set = setup::build(&spec, self.data)?;
        let intercept = !self.args.units.no_intercept;
        let problem = Problem::new(self.data, self.loss, set).ridge(self.units.ridge(point.ridge)).intercept(intercept);
        let (coefficients, constant) = problem.layout().into_parts(point.theta.clone());
        let settings = settings.start(coefficients, constant.unwrap_or(0.0));
        let mut watcher = Watcher::new(quiet, Limits::of(&settings, self.data.rows()), None);
        // A signal that ended the search is not to cut this short, too: one fit is left. A second one ends the program.
        let fitted = if signals::asked_to_stop() {
            problem.fit(&settings)
        } else {
            problem.fit_observed(&settings, &mut watcher)
        };
        let fit = fitted.map_err(|error| self.rows.explain(error))?;
        drop(watcher);
        // The seed deals the folds, too.
        let mut notes = setup::without_effect(fit.notes(), &[Setting::Seed]);
        if fit.objective() < point.objective * (1.0 - IMPROVED) && fit.support() != point.support {
            notes.push("the fit of the chosen size found better features than the path had".to_owned());
        }
        notes.iter().for_each(|text| note(quiet, text));
        let model = self.units.restored(fit.model())?;
        model.check_finite()?;
        Ok(Chosen { fit, model, spec, notes })
    }

    /// All files at once.
    fn write(&self, findings: &Findings, chosen: Option<&Chosen>, seconds: f64) -> Result<Vec<PathBuf>> {
        let mut outputs = Outputs::default();
        match (&self.args.output.out, chosen) {
            (Some(path), Some(chosen)) => {
                let schema = self.table.schema.clone();
                let training = Training::new(schema, &self.args.data, None, self.units.is_scaled());
                let training = training.in_units(&self.args.units);
                let stored = StoredModel { model: chosen.model.clone(), training: Some(training) };
                outputs.add(path, stored.to_json()?);
            }
            (Some(path), None) => {
                note(self.args.output.quiet, &format!("{} is not written: no size is chosen", path.display()));
            }
            (None, _) => {}
        }
        if let Some(path) = &self.args.table {
            outputs.add(path, findings.table());
        }
        if let Some(path) = &self.args.output.report {
            let mut page = match chosen {
                Some(chosen) => report::page(&self.about(chosen, findings.crossed(), seconds))?,
                None => report::repeat(Some(findings.seed())),
            };
            page.title = findings.title(report::file_name(self.source));
            page.result = findings.result();
            page.notices.extend(findings.notices());
            // Sizes are what else was possible; where none is chosen they are all there is.
            page.alternatives.splice(0..0, findings.sections());
            // The run of the chosen fit is a detail of a path.
            page.trace.clear();
            outputs.add(path, page.to_html());
        }
        outputs.commit()
    }

    fn about<'c>(&'c self, chosen: &'c Chosen, crossed: Option<Crossed>, seconds: f64) -> About<'c> {
        About {
            fit: &chosen.fit,
            model: &chosen.model,
            is_scaled: self.units.is_scaled(),
            data: self.data,
            table: self.table,
            source: self.source,
            spec: &chosen.spec,
            units: &self.args.units,
            parts: None,
            crossed,
            seconds,
        }
    }

    fn summary<'c>(&'c self, chosen: &'c Chosen, seconds: (f64, f64), written: &'c [PathBuf]) -> Summary<'c> {
        Summary {
            fit: &chosen.fit,
            model: &chosen.model,
            is_scaled: self.units.is_scaled(),
            table: self.table,
            rows: self.data.rows(),
            source: self.source.to_owned(),
            spec: &chosen.spec,
            seconds,
            notes: &chosen.notes,
            written,
        }
    }
}

/// Relative fall of F that is more than rounding.
const IMPROVED: f64 = 1e-9;
