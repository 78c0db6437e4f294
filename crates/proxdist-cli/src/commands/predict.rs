//! `proxdist predict`

use super::Ending;
use crate::args::PredictArgs;
use crate::failure::{Failure, Result};
use crate::input;
use crate::model_file::StoredModel;
use crate::output::{self, note};
use proxdist_io::Table;
use std::fmt::Write as _;

/// One line per row of the file, in its order.
pub(crate) fn run(args: &PredictArgs) -> Result<Ending> {
    let both_streams = args.model.as_os_str() == "-" && args.data.data.as_os_str() == "-";
    if both_streams {
        return Err(Failure::new("model and data cannot both come from standard input", "give a file for one of them"));
    }
    output::check_places(&[("--out", args.out.as_ref())], &[&args.model, &args.data.data])?;
    let stored = StoredModel::load(&args.model)?;
    let loss = proxdist::loss::parse(&stored.model.loss)?;
    let classes = input::is_for_classes(&*loss);
    if args.proba && stored.model.loss != "logistic" {
        let message = format!("--proba: a model with the {} loss gives no probabilities", stored.model.loss);
        return Err(Failure::new(message, "leave --proba out, or fit with --loss logistic"));
    }
    let table = input::read_new(&args.data, &stored, false)?;
    table.notices.iter().for_each(|notice| note(args.quiet, notice));
    let predictors = linear_predictors(&stored, &table)?;
    let mut text = String::with_capacity(predictors.len() * 12);
    if args.linear {
        lines(&mut text, "linear", &predictors, f64::to_string);
    } else if args.proba {
        lines(&mut text, "probability", &predictors, |eta| loss.mean(*eta).to_string());
    } else if classes {
        let labels = stored.training.as_ref().and_then(|training| training.schema.labels.clone());
        let labels = labels.unwrap_or_else(|| ["0".to_owned(), "1".to_owned()]).map(|label| quoted(&label));
        lines(&mut text, "prediction", &predictors, |eta| labels[usize::from(*eta > 0.0)].clone());
    } else {
        lines(&mut text, "prediction", &predictors, |eta| loss.mean(*eta).to_string());
    }
    match &args.out {
        Some(path) => output::write_file(path, text.as_bytes())?,
        None => output::print(&text)?,
    }
    Ok(Ending::Written)
}

fn lines(text: &mut String, header: &str, predictors: &[f64], show: impl Fn(&f64) -> String) {
    let _ = writeln!(text, "{header}");
    for eta in predictors {
        let _ = writeln!(text, "{}", show(eta));
    }
}

/// A label as a field of CSV.
fn quoted(label: &str) -> String {
    if label.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", label.replace('"', "\"\""))
    } else {
        label.to_owned()
    }
}

/// Coefficients times features, plus intercept and offset.
pub(crate) fn linear_predictors(stored: &StoredModel, table: &Table) -> Result<Vec<f64>> {
    let none = vec![0.0; table.features.rows()];
    let data = input::view(table, &none, None)?;
    let mut predictors = stored.model.linear_predictors(data.source())?;
    if let Some(offset) = &table.offset {
        predictors.iter_mut().zip(offset).for_each(|(eta, offset)| *eta += offset);
    }
    Ok(predictors)
}
