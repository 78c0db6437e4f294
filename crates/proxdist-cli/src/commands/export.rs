//! `proxdist export`

use super::Ending;
use crate::args::{ExportArgs, ExportForm};
use crate::failure::{Failure, Result};
use crate::model_file::{Stored, StoredModel, Training};
use crate::output;
use proxdist::export::{ExportFault, Form, Input, InputKind, KnownPart, Scorer};
use proxdist_io::{ColumnKind, Schema};

/// Reads the model, writes the form.
pub(crate) fn run(args: &ExportArgs) -> Result<Ending> {
    output::check_places(&[("--out", args.out.as_ref())], &[args.model.as_path()])?;
    if args.table.is_some() && args.to != ExportForm::Sql {
        return Err(Failure::new("--table is the name of a table in SQL", "add --to sql, or leave --table out"));
    }
    let stored = match Stored::load(&args.model)? {
        Stored::One(stored) => stored,
        Stored::Joint(_) => {
            let message = format!("{}: models of times or ordered labels cannot be exported", args.model.display());
            return Err(Failure::new(message, "the model file itself is JSON, with every coefficient by name"));
        }
        Stored::Several(_) => {
            let message = format!("{}: models of several outputs cannot be exported", args.model.display());
            return Err(Failure::new(
                message,
                "fit one target, or one label against the rest: --positive LABEL --one-vs-rest",
            ));
        }
    };
    let form = match args.to {
        ExportForm::Sql => Form::Sql { table: args.table.as_deref().unwrap_or("data") },
        ExportForm::Python => Form::Python,
        ExportForm::C => Form::C,
        ExportForm::Pmml => Form::Pmml,
        ExportForm::Json => Form::Json,
        ExportForm::Formula => Form::Formula,
        ExportForm::Onnx => {
            let message = "--to onnx: this program does not write ONNX";
            return Err(Failure::new(
                message,
                "in Python: proxdist.load(\"model.json\").export(\"onnx\", \"model.onnx\"), with the package onnx",
            ));
        }
    };
    let text = scorer(&stored).and_then(|scorer| scorer.written(form)).map_err(|fault| failed(&fault))?;
    match &args.out {
        Some(path) if path.as_os_str() != "-" => output::write_file(path, text.as_bytes())?,
        _ => output::print(&text)?,
    }
    Ok(Ending::Written)
}

fn failed(fault: &ExportFault) -> Failure {
    let hint = match fault {
        ExportFault::Name { .. } => "give the column or value another name and fit again, or choose another form",
        ExportFault::Marked { .. } => "fit with --missing mean or drop to export the model",
        ExportFault::Twice { .. } => "give one of the columns another name and fit again",
        _ => "export a model of one of the losses that `proxdist losses` lists",
    };
    Failure::new(format!("--to: {fault}"), hint)
}

/// The model in terms of the columns of its file.
fn scorer(stored: &StoredModel) -> std::result::Result<Scorer, ExportFault> {
    let Some(training) = &stored.training else { return Scorer::of_numbers(&stored.model, None) };
    if let Some(marked) = training.schema.columns.iter().find(|column| column.marked) {
        return Err(ExportFault::Marked { column: marked.name.clone() });
    }
    let inputs = inputs(&training.schema, &stored.model.coefficients);
    let scorer = Scorer::new(&stored.model, inputs, training.schema.labels.clone())?;
    Ok(Scorer { known: known_part(training), target: training.schema.target.clone(), ..scorer })
}

fn known_part(training: &Training) -> Option<KnownPart> {
    let offset = training.offset.clone().map(KnownPart::Offset);
    offset.or_else(|| training.exposure.clone().map(KnownPart::Exposure))
}

/// The columns with a coefficient.
fn inputs(schema: &Schema, coefficients: &[f64]) -> Vec<Input> {
    if schema.numbered.is_some() {
        let chosen = coefficients.iter().enumerate().filter(|(_, value)| **value != 0.0);
        let number = |(j, &coefficient): (usize, &f64)| Input {
            column: format!("V{}", j + 1),
            kind: InputKind::Number { coefficient, fill: None },
        };
        return chosen.map(number).collect();
    }
    let (mut place, mut inputs) = (0, Vec::new());
    for column in &schema.columns {
        let (kind, width) = match &column.kind {
            ColumnKind::Number { fill } => (InputKind::Number { coefficient: coefficients[place], fill: *fill }, 1),
            ColumnKind::Bins { bins, coding, fill } => {
                let first = coding.first_coded(bins.count());
                let adds = |bin: usize| bin.checked_sub(first).map_or(0.0, |at| coefficients[place + at]);
                let numbers = bins.edges.len() + 1;
                let kind = InputKind::Bins {
                    edges: bins.edges.clone(),
                    adds: (0..numbers).map(adds).collect(),
                    missing: bins.missing.then(|| adds(numbers)),
                    fill: *fill,
                };
                (kind, bins.count() - first)
            }
            ColumnKind::Levels { levels, coding, fill } => {
                let first = coding.first_coded(levels.len());
                let adds = |at: usize| at.checked_sub(first).map_or(0.0, |at| coefficients[place + at]);
                let each = levels.iter().enumerate().map(|(at, level)| (level.clone(), adds(at))).collect();
                (InputKind::Text { levels: each, fill: fill.clone() }, levels.len() - first)
            }
        };
        if coefficients[place..place + width].iter().any(|value| *value != 0.0) {
            inputs.push(Input { column: column.name.clone(), kind });
        }
        place += width;
    }
    inputs
}
