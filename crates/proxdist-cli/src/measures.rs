//! How well a model predicts, in words and as facts for the report.

use crate::terminal::visible;
use crate::words::{number, plural};
use proxdist::metrics::Evaluation;
use std::fmt::Write as _;

/// The measures that belong to the task, by name.
pub(crate) fn list(evaluation: &Evaluation) -> Vec<(&'static str, Option<f64>)> {
    match evaluation {
        Evaluation::Classification(result) => {
            vec![("AUC", result.auc), ("accuracy", Some(result.accuracy)), ("log loss", result.log_loss)]
        }
        Evaluation::Regression(result) => {
            let mut list = vec![
                ("R2", result.r_squared),
                ("MSE", Some(result.mean_squared_error)),
                ("MAE", Some(result.mean_absolute_error)),
            ];
            if result.pinball_loss.is_some() {
                list.push(("pinball", result.pinball_loss));
                list.push(("D2", result.d_squared));
            }
            if result.deviance.is_some() {
                list.push(("deviance", result.deviance));
                list.push(("D2", result.d_squared));
            }
            list
        }
    }
}

/// Rows that were predicted.
pub(crate) fn rows(evaluation: &Evaluation) -> usize {
    match evaluation {
        Evaluation::Classification(result) => result.rows,
        Evaluation::Regression(result) => result.rows,
    }
}

/// A heading and a line for each measure.
pub(crate) fn text(heading: &str, evaluation: &Evaluation) -> String {
    let mut text = format!("{}, {}:\n", visible(heading), plural(rows(evaluation), "row"));
    for (name, value) in list(evaluation) {
        let value = value.map_or_else(|| "not defined for these rows".to_owned(), number);
        let _ = writeln!(text, "  {name:<10}{value}");
    }
    text
}
