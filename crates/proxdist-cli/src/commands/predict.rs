//! `proxdist predict`: one line for each row of the file, in its order. A row that is left out because of missing values has
//! the line `NA`, so that predictions can be put beside the file.

use super::Ending;
use crate::args::PredictArgs;
use crate::failure::{Failure, Result};
use crate::model_file::StoredModel;
use crate::output::{self, note};
use crate::{csv, input};
use proxdist::loss::Task;
use proxdist_io::Table;
use std::fmt::Write as _;

/// Reads, predicts and writes.
pub(crate) fn run(args: &PredictArgs) -> Result<Ending> {
    let both_streams = args.model.as_os_str() == "-" && args.data.data.as_os_str() == "-";
    if both_streams {
        return Err(Failure::new("model and data cannot both come from standard input", "give a file for one of them"));
    }
    output::check_places(&[("--out", args.out.as_ref())], &[&args.model, &args.data.data])?;
    let stored = StoredModel::load(&args.model)?;
    let loss = stored.model.loss.known()?;
    if args.proba && !loss.has_probabilities() {
        let message = format!("--proba: a model with the {} loss gives no probabilities", stored.model.loss);
        return Err(Failure::new(message, "leave --proba out, or fit with --loss logistic"));
    }
    let table = input::read_new(&args.data, &stored, false)?;
    table.notices.iter().for_each(|notice| note(args.quiet, notice));
    if !table.dropped.is_empty() {
        note(args.quiet, &format!("rows that are left out have the prediction {NONE}, so that lines and rows agree"));
    }
    let predictors = linear_predictors(&args.data.data.display().to_string(), &stored, &table)?;
    let text = if args.linear {
        lines("linear", &predictors, &table.dropped, f64::to_string)
    } else if args.proba {
        lines("probability", &predictors, &table.dropped, |eta| loss.mean(*eta).to_string())
    } else if loss.task() == Task::TwoClasses {
        let labels = labels(args, &stored);
        lines("prediction", &predictors, &table.dropped, |eta| labels[usize::from(*eta > 0.0)].clone())
    } else {
        lines("prediction", &predictors, &table.dropped, |eta| loss.mean(*eta).to_string())
    };
    match &args.out {
        Some(path) => output::write_file(path, text.as_bytes())?,
        None => output::print_rows(&text)?,
    }
    Ok(Ending::Written)
}

/// Stands for the prediction of a row that is left out.
const NONE: &str = "NA";

/// A line for each row of the file; `dropped` are the rows without a prediction, counted from 0, in order.
fn lines(header: &str, predictors: &[f64], dropped: &[u64], show: impl Fn(&f64) -> String) -> String {
    let mut text = String::with_capacity(predictors.len() * 12);
    let _ = writeln!(text, "{header}");
    let (mut row, mut dropped) = (0, dropped.iter().peekable());
    let mut skip = |text: &mut String, row: &mut u64| {
        while dropped.next_if_eq(&&*row).is_some() {
            let _ = writeln!(text, "{NONE}");
            *row += 1;
        }
    };
    for eta in predictors {
        skip(&mut text, &mut row);
        let _ = writeln!(text, "{}", show(eta));
        row += 1;
    }
    skip(&mut text, &mut row);
    text
}

/// Negative and positive label as fields of CSV.
fn labels(args: &PredictArgs, stored: &StoredModel) -> [String; 2] {
    let labels = stored.training.as_ref().and_then(|training| training.schema.labels.clone());
    let labels = labels.unwrap_or_else(|| ["0".to_owned(), "1".to_owned()]);
    if !args.raw && labels.iter().any(|label| csv::is_formula(label)) {
        let text = "labels that a spreadsheet would run are written with an apostrophe in front; --raw leaves it out";
        note(args.quiet, text);
    }
    labels.map(|label| csv::field(&label, args.raw))
}

/// Coefficients times features, plus intercept and offset.
fn linear_predictors(source: &str, stored: &StoredModel, table: &Table) -> Result<Vec<f64>> {
    let none = vec![0.0; table.features.rows()];
    let data = input::view(source, table, &none, None)?;
    let mut predictors = stored.model.linear_predictors(data.source())?;
    if let Some(offset) = &table.offset {
        predictors.iter_mut().zip(offset).for_each(|(eta, offset)| *eta += offset);
    }
    Ok(predictors)
}
