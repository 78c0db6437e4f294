//! `evaluate` with several outputs.

use super::predict::{offsets, predictors};
use super::{page, targets, tell};
use crate::args::{EvaluateArgs, RowsArg};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::model_file::StoredOutputs;
use crate::output::{self, note};
use crate::{holdout, input};
use proxdist::outputs::OutputsEvaluation;
use serde_json::json;

/// Predicts, compares, tells.
pub(crate) fn evaluate(args: &EvaluateArgs, stored: &StoredOutputs) -> Result<Ending> {
    let (model, source) = (&stored.model, args.data.name());
    let training = stored.training.clone().unwrap_or_default();
    let mut known = stored.known();
    let names: Vec<String> =
        training.schema.target.iter().cloned().chain(training.more_targets.iter().cloned()).collect();
    let is_classes = model.loss.is_classification();
    if !is_classes {
        if names.len() != model.outputs.len() {
            let message = "this model file does not say which columns its responses are";
            return Err(Failure::new(message, "fit with `proxdist fit --target a,b --out FILE`"));
        }
        known.schema = known.schema.map(|schema| targets::with_targets(&schema, &training.more_targets));
    }
    let offsets = offsets(&args.data, stored)?;
    known.schema = known.schema.map(|schema| targets::with_targets(&schema, &offsets));
    let (mut etas, mut responses, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    input::each_block(&args.data, &known, (true, args.quiet), &[], &mut |mut table| {
        table.notices.iter().for_each(|notice| note(args.quiet, notice));
        if table.features.rows() == 0 {
            return Ok(());
        }
        if table.response.is_none() {
            let message = format!("{source}: there is no column of true responses");
            return Err(Failure::new(message, "--target COL names the column to compare with"));
        }
        let rows = table.features.rows();
        let own = if is_classes {
            table.response.clone().unwrap_or_default()
        } else {
            targets::split(&mut table, &names, &source)?
        };
        responses.extend(own);
        etas.extend(predictors(&source, model, &mut table, &offsets)?);
        weights.extend(table.weights.take().unwrap_or_else(|| vec![1.0; rows]));
        Ok(())
    })?;
    let (size, each) = (model.outputs.len(), model.loss.responses(model.outputs.len()));
    if let Some(rows) = chosen(args, stored, &responses, each)? {
        etas = super::picked(&etas, size, Some(&rows));
        responses = super::picked(&responses, each, Some(&rows));
        weights = super::picked(&weights, 1, Some(&rows));
    }
    let evaluation = OutputsEvaluation::of(model, &etas, &responses, Some(&weights))?;
    if let Some(path) = &args.report {
        let roc = page::roc(model, &etas, &responses, &weights)?;
        output::write_file(path, page::of_evaluation(model, &source, &evaluation, roc).to_html().as_bytes())?;
    }
    if args.json {
        let document = json!({
            "command": "evaluate",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {"source": source, "rows": weights.len()},
            "loss": model.loss.to_string(),
            "constraint": model.constraint,
            "evaluation": evaluation,
        });
        output::print(&format!("{document}\n"))?;
        return Ok(Ending::Written);
    }
    let which = match args.rows {
        RowsArg::All => source,
        RowsArg::Heldout => format!("{source}, rows kept out of the fit"),
        RowsArg::Training => format!("{source}, rows of the fit"),
    };
    let mut text = tell::measures(&which, &evaluation);
    if let (Some(path), false) = (&args.report, args.quiet) {
        text += &output::wrote([path]);
    }
    output::say(&text)?;
    Ok(Ending::Written)
}

/// The rows asked for, unless all.
fn chosen(args: &EvaluateArgs, stored: &StoredOutputs, responses: &[f64], each: usize) -> Result<Option<Vec<usize>>> {
    if args.rows == RowsArg::All {
        return Ok(None);
    }
    let Some(kept_out) = stored.training.as_ref().and_then(|training| training.holdout) else {
        let message = "--rows: this model was fitted to all rows of its file";
        return Err(Failure::new(message, "fit with --holdout 0.2, or leave --rows out"));
    };
    let labels: Vec<f64> = responses.iter().step_by(each).copied().collect();
    if kept_out.rows != labels.len() {
        let message = format!("--rows: the model's file had {} rows, this one has {}", kept_out.rows, labels.len());
        return Err(Failure::new(message, "give the training file, read in the same way"));
    }
    let parts = holdout::split(kept_out, &labels, stored.model.loss.is_classification())?;
    Ok(Some(if args.rows == RowsArg::Heldout { parts.heldout } else { parts.training }))
}
