//! `proxdist evaluate`
//!
//! Rows are read in blocks, of which the linear predictor, the response and the weight of each row are kept: the area under the ROC curve and the
//! quantiles of residuals need all of them, features are not needed twice.

use super::Ending;
use super::predict::linear_predictors;
use crate::args::{EvaluateArgs, RowsArg};
use crate::failure::{Failure, Result};
use crate::model_file::{Stored, StoredModel};
use crate::output::{self, note};
use crate::reading_line::size;
use crate::rows::FileRows;
use crate::summary::peak_memory;
use crate::{holdout, input, joint, measures, memory, outputs, report};
use proxdist::data::Part;
use proxdist::metrics::Evaluation;
use proxdist::{Data, Model, Shape};
use proxdist_io::Table;
use serde_json::json;
use std::path::Path;

/// Predicts, compares, tells.
pub(crate) fn run(args: &EvaluateArgs) -> Result<Ending> {
    if args.model.as_os_str() == "-" && args.data.data.as_os_str() == "-" {
        return Err(Failure::new("model and data cannot both come from standard input", "give a file for one of them"));
    }
    let inputs: Vec<&Path> = args.data.inputs().into_iter().chain([args.model.as_path()]).collect();
    output::check_places(&[("--report", args.report.as_ref())], &inputs)?;
    let stored = match Stored::load(&args.model)? {
        Stored::One(stored) => stored,
        Stored::Several(stored) => return outputs::evaluate(args, &stored),
        Stored::Joint(stored) => return joint::evaluate(args, &stored),
    };
    let source = args.data.name();
    let limit = memory::budget(args.data.memory);
    let mut compared = Compared::default();
    input::each_block(&args.data, &stored.known()?, (true, args.quiet), &[], &mut |table| {
        table.notices.iter().for_each(|notice| note(args.quiet, notice));
        compared.add(&source, &stored, table, limit)
    })?;
    let whole = compared.data()?;
    let (rows, rows_of_file) = (chosen_rows(args, &stored, &compared)?, FileRows::without(&source, &compared.dropped));
    let part = rows.map(|rows| whole.subset(rows)).transpose()?;
    let subset = part.as_ref().map(Part::data).transpose()?;
    let data = subset.as_ref().unwrap_or(&whole);
    let rows_of_file = rows_of_file.only(part.as_ref().map(Part::rows));
    let model = identity(&stored.model);
    let evaluation = Evaluation::of_model(&model, data).map_err(|error| rows_of_file.explain(error))?;
    if let Some(path) = &args.report {
        let which = match args.rows {
            RowsArg::All => "these rows",
            RowsArg::Heldout => "held out",
            RowsArg::Training => "rows of the fit",
        };
        let page = report::evaluation_page(&stored, data, &source, (which, args.rows == RowsArg::Training))?;
        output::write_file(path, page.to_html().as_bytes())?;
    }
    if args.json {
        let document = json!({
            "command": "evaluate",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {"source": source, "rows": data.rows(), "notices": compared.notices},
            "loss": stored.model.loss,
            "constraint": stored.model.constraint,
            "evaluation": evaluation,
            "peak_memory_bytes": peak_memory(),
        });
        output::print(&format!("{document}\n"))?;
    } else {
        let which = match args.rows {
            RowsArg::All => source,
            RowsArg::Heldout => format!("{source}, rows kept out of the fit"),
            RowsArg::Training => format!("{source}, rows of the fit"),
        };
        let mut text = measures::text(&which, &evaluation);
        if let (Some(path), false) = (&args.report, args.quiet) {
            text += &output::wrote([path]);
        }
        output::say(&text)?;
    }
    Ok(Ending::Written)
}

/// Bytes that are kept of a row, with the copies that measures make of them.
const BYTES_A_ROW: usize = 64;

/// What is kept of each row.
#[derive(Default)]
struct Compared {
    predictors: Vec<f64>,
    response: Vec<f64>,
    weights: Option<Vec<f64>>,
    dropped: Vec<u64>,
    notices: Vec<String>,
    has_classes: bool,
}

impl Compared {
    fn add(&mut self, source: &str, stored: &StoredModel, mut table: Table, limit: usize) -> Result<()> {
        self.notices.append(&mut table.notices);
        self.dropped.append(&mut table.dropped);
        self.has_classes |= table.classes.is_some();
        if table.features.rows() == 0 {
            return Ok(());
        }
        self.predictors.extend(linear_predictors(source, stored, &table)?);
        let Some(response) = table.response else {
            let message = format!("{source}: there is no column of true responses");
            return Err(Failure::new(message, "--target COL names the column to compare with"));
        };
        self.response.extend(response);
        if let Some(weights) = table.weights {
            self.weights.get_or_insert_default().extend(weights);
        }
        let (rows, need) = (self.response.len(), self.response.len() * BYTES_A_ROW);
        if need > limit {
            let (need, limit) = (size(need as f64), size(limit as f64));
            let message = format!("{source}: measures of {rows} rows and more take about {need}, the limit is {limit}");
            return Err(Failure::new(message, "allow more --memory, or evaluate on fewer rows"));
        }
        Ok(())
    }

    /// The linear predictors as the only feature.
    fn data(&self) -> Result<Data<'_>> {
        let data = Data::dense(&self.predictors, 1, &self.response)?;
        Ok(match &self.weights {
            Some(weights) => data.weights(weights)?,
            None => data,
        })
    }
}

/// The model whose linear predictor is its only feature.
fn identity(model: &Model) -> Model {
    let mut identity = model.clone();
    (identity.coefficients, identity.intercept) = (vec![1.0], None);
    (identity.names, identity.shape) = (None, Shape::Vector(1));
    identity
}

/// The rows asked for, unless all.
fn chosen_rows(args: &EvaluateArgs, stored: &StoredModel, compared: &Compared) -> Result<Option<Vec<usize>>> {
    if args.rows == RowsArg::All {
        return Ok(None);
    }
    let response = &compared.response;
    let Some(holdout) = stored.training.as_ref().and_then(|training| training.holdout) else {
        let message = "--rows: this model was fitted to all rows of its file";
        return Err(Failure::new(message, "fit with --holdout 0.2, or leave --rows out"));
    };
    if holdout.rows != response.len() {
        let message = format!("--rows: the model's file had {} rows, this one has {}", holdout.rows, response.len());
        return Err(Failure::new(message, "give the training file, read in the same way"));
    }
    let parts = holdout::split(holdout, response, compared.has_classes)?;
    Ok(Some(if args.rows == RowsArg::Heldout { parts.heldout } else { parts.training }))
}
