//! `proxdist evaluate`

use super::Ending;
use crate::args::{EvaluateArgs, RowsArg};
use crate::failure::{Failure, Result};
use crate::model_file::StoredModel;
use crate::output::{self, note};
use crate::rows::FileRows;
use crate::summary::peak_memory;
use crate::{holdout, input, measures, report};
use proxdist::data::Part;
use proxdist::metrics::Evaluation;
use proxdist_io::Table;
use serde_json::json;

/// Predicts, compares, tells.
pub(crate) fn run(args: &EvaluateArgs) -> Result<Ending> {
    if args.model.as_os_str() == "-" && args.data.data.as_os_str() == "-" {
        return Err(Failure::new("model and data cannot both come from standard input", "give a file for one of them"));
    }
    output::check_places(&[("--report", args.report.as_ref())], &[&args.model, &args.data.data])?;
    let stored = StoredModel::load(&args.model)?;
    let table = input::read_new(&args.data, &stored, true)?;
    table.notices.iter().for_each(|notice| note(args.quiet, notice));
    let source = args.data.data.display().to_string();
    let Some(response) = &table.response else {
        let message = format!("{source}: there is no column of true responses");
        return Err(Failure::new(message, "--target COL names the column to compare with"));
    };
    let whole = input::view(&source, &table, response, None)?;
    let rows = chosen_rows(args, &stored, &table, response)?;
    let part = rows.map(|rows| whole.subset(rows)).transpose()?;
    let subset = part.as_ref().map(Part::data).transpose()?;
    let data = subset.as_ref().unwrap_or(&whole);
    let rows_of_file = FileRows::of(&source, &table).only(part.as_ref().map(Part::rows));
    let evaluation = Evaluation::of_model(&stored.model, data).map_err(|error| rows_of_file.explain(error))?;
    if let Some(path) = &args.report {
        let page = report::evaluation_page(&stored.model, data, &source, &evaluation)?;
        output::write_file(path, page.to_html().as_bytes())?;
    }
    if args.json {
        let document = json!({
            "command": "evaluate",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {"source": source, "rows": data.rows(), "notices": table.notices},
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

/// The rows asked for, unless all.
fn chosen_rows(
    args: &EvaluateArgs,
    stored: &StoredModel,
    table: &Table,
    response: &[f64],
) -> Result<Option<Vec<usize>>> {
    if args.rows == RowsArg::All {
        return Ok(None);
    }
    let Some(holdout) = stored.training.as_ref().and_then(|training| training.holdout) else {
        let message = "--rows: this model was fitted to all rows of its file";
        return Err(Failure::new(message, "fit with --holdout 0.2, or leave --rows out"));
    };
    if holdout.rows != response.len() {
        let message = format!("--rows: the model's file had {} rows, this one has {}", holdout.rows, response.len());
        return Err(Failure::new(message, "give the training file, read in the same way"));
    }
    let parts = holdout::split(holdout, response, table.classes.is_some())?;
    Ok(Some(if args.rows == RowsArg::Heldout { parts.heldout } else { parts.training }))
}
