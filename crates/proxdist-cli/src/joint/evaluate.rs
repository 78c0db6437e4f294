//! `evaluate` with times or ordered labels.

use super::answers::{self, Answers, Roles, Times};
use super::predict::predictors;
use super::{page, tell};
use crate::args::{EvaluateArgs, RowsArg};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::model_file::StoredJoint;
use crate::output::{self, note};
use crate::{holdout, input};
use proxdist::joint::JointKind;
use serde_json::json;

/// Predicts, compares, tells.
pub(crate) fn evaluate(args: &EvaluateArgs, stored: &StoredJoint) -> Result<Ending> {
    let (model, source) = (&stored.model, args.data.name());
    let training = stored.training.clone().unwrap_or_default();
    let mut known = stored.known();
    let is_times = matches!(model.kind, JointKind::Cox { .. });
    if is_times {
        let Some(columns) = &training.times else {
            let message = "this model file does not say which columns its times are";
            return Err(Failure::new(message, "fit with `proxdist fit --loss cox --out FILE`"));
        };
        known.schema = known.schema.map(|schema| answers::with_columns(&schema, columns, true));
    }
    let mut all = if is_times { Answers::Times(Times::default()) } else { Answers::Levels { labels: Vec::new() } };
    let (mut etas, mut offset, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    input::each_block(&args.data, &known, (true, args.quiet), &[], &mut |mut table| {
        table.notices.iter().for_each(|notice| note(args.quiet, notice));
        let rows = table.features.rows();
        if rows == 0 {
            return Ok(());
        }
        if table.response.is_none() {
            let message = format!("{source}: there is no column of true responses");
            return Err(Failure::new(message, "--target COL names the column to compare with"));
        }
        let own = match (&training.times, &model.kind) {
            (Some(columns), JointKind::Cox { .. }) => {
                let strata = columns.strata.as_ref().map(|column| column.name.as_str());
                let roles = Roles { event: Some(&columns.event), entry: columns.entry.as_deref(), strata };
                Answers::Times(answers::take(&mut table, roles, &source)?.0)
            }
            (_, JointKind::Ordinal { levels, .. }) => {
                Answers::Levels { labels: super::ordered(&table, Some(levels), &source)?.0 }
            }
            _ => return Ok(()),
        };
        all.extend(own);
        etas.extend(predictors(&source, model, &table)?);
        offset.extend(table.offset.take().unwrap_or_else(|| vec![0.0; rows]));
        weights.extend(table.weights.take().unwrap_or_else(|| vec![1.0; rows]));
        Ok(())
    })?;
    if let Some(rows) = chosen(args, stored, &all)? {
        let pick = |numbers: &[f64]| -> Vec<f64> { rows.iter().map(|&row| numbers[row]).collect() };
        (etas, offset, weights) = (pick(&etas), pick(&offset), pick(&weights));
        all = all.picked(Some(&rows));
    }
    let evaluation = all.measured(model, &etas, Some(&offset), &weights)?;
    if let Some(path) = &args.report {
        output::write_file(path, page::of_evaluation(model, &source, &evaluation).to_html().as_bytes())?;
    }
    if args.json {
        let document = json!({
            "command": "evaluate",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {"source": source, "rows": weights.len()},
            "loss": model.kind.loss(),
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
fn chosen(args: &EvaluateArgs, stored: &StoredJoint, answers: &Answers) -> Result<Option<Vec<usize>>> {
    if args.rows == RowsArg::All {
        return Ok(None);
    }
    let Some(kept_out) = stored.training.as_ref().and_then(|training| training.holdout) else {
        let message = "--rows: this model was fitted to all rows of its file";
        return Err(Failure::new(message, "fit with --holdout 0.2, or leave --rows out"));
    };
    let classes = answers.classes();
    if kept_out.rows != classes.len() {
        let message = format!("--rows: the model's file had {} rows, this one has {}", kept_out.rows, classes.len());
        return Err(Failure::new(message, "give the training file, read in the same way"));
    }
    let parts = holdout::split(kept_out, &classes, true)?;
    Ok(Some(if args.rows == RowsArg::Heldout { parts.heldout } else { parts.training }))
}
