//! From a path and options to a table, and from a table to the data of a fit.

use crate::args::{DataArgs, MissingPolicy, NewDataArgs, UnknownPolicy};
use crate::failure::{Failure, Result};
use crate::memory;
use crate::model_file::StoredModel;
use crate::output::note;
use crate::reading::{self, Purpose};
use crate::rows::FileRows;
use proxdist::loss::Task;
use proxdist::{Data, Model, Shape};
use proxdist_io::{ColumnKind, Features, Missing, ReadOptions, Schema, SchemaColumn, Table, Unknown};
use std::path::Path;
use std::time::Instant;

/// How the target of a task is read: labels may be text.
fn target_of(task: Task) -> proxdist_io::Task {
    match task {
        Task::TwoClasses => proxdist_io::Task::Classes,
        _ => proxdist_io::Task::Regression,
    }
}

/// A file to train on, its notices told, and the seconds that reading took.
pub(crate) fn training(args: &DataArgs, task: Task, quiet: bool) -> Result<(Table, f64)> {
    let started = Instant::now();
    let table = read_training(args, task)?;
    let seconds = started.elapsed().as_secs_f64();
    table.notices.iter().for_each(|notice| note(quiet, notice));
    Ok((table, seconds))
}

/// How a file to train on is read.
pub(crate) fn training_options(args: &DataArgs, task: Task) -> Result<ReadOptions> {
    let mut options = with_text(ReadOptions::new(), &args.text)
        .ignore(args.ignore.iter().cloned())
        .categorical(args.categorical.iter().cloned())
        .one_against_rest(args.one_vs_rest)
        .task(target_of(task));
    let named = [
        (&args.target, ReadOptions::target as fn(ReadOptions, String) -> ReadOptions),
        (&args.positive, ReadOptions::positive),
        (&args.weights, ReadOptions::weights),
        (&args.offset, ReadOptions::offset),
    ];
    for (value, set) in named {
        if let Some(value) = value {
            options = set(options, value.clone());
        }
    }
    if let Some(positive) = args.positive.as_ref().filter(|_| task != Task::TwoClasses) {
        let message = format!("--positive {positive}: the target of this loss is a number, not a label");
        return Err(Failure::new(message, "add --loss logistic, or leave --positive out"));
    }
    if let Some(features) = args.features {
        options = options.columns(features);
    }
    Ok(options)
}

/// Reads a file to train on.
fn read_training(args: &DataArgs, task: Task) -> Result<Table> {
    let options = training_options(args, task)?;
    let table = options.read(&args.data).map_err(|error| reading::failure(&error, &args.text, Purpose::Training))?;
    memory::check(&table, &args.data.display().to_string())?;
    if table.response.is_some() {
        return Ok(table);
    }
    Err(no_target(&args.data.display().to_string()))
}

/// The failure of a file whose target is not known.
pub(crate) fn no_target(source: &str) -> Failure {
    let hint = "--target COL names the column to be explained, or gives its number from 1";
    Failure::new(format!("{source}: no target is given"), hint)
}

fn with_text(options: ReadOptions, text: &crate::args::TextArgs) -> ReadOptions {
    let options = options.missing(match text.missing {
        MissingPolicy::Error => Missing::Error,
        MissingPolicy::Drop => Missing::Drop,
        MissingPolicy::Mean => Missing::Mean,
    });
    let options = match (text.header, text.no_header) {
        (true, _) => options.header(true),
        (_, true) => options.header(false),
        _ => options,
    };
    match text.delimiter {
        Some(delimiter) => options.delimiter(delimiter.0),
        None => options,
    }
}

/// Reads a file as the model was trained, so that its columns mean the same.
pub(crate) fn read_new(args: &NewDataArgs, stored: &StoredModel, with_target: bool) -> Result<Table> {
    let unknown = match args.unknown {
        UnknownPolicy::Error => Unknown::Error,
        UnknownPolicy::Zero => Unknown::Zero,
    };
    let mut options = with_text(ReadOptions::new(), &args.text).unknown(unknown).need_target(with_target);
    options = options.task(target_of(stored.model.task()?));
    if let Some(target) = args.target.as_ref().filter(|_| with_target) {
        options = options.target(target.clone());
    }
    if let Some(weights) = &args.weights {
        options = options.weights(weights.clone());
    }
    let trained_offset = stored.training.as_ref().and_then(|training| training.offset.clone());
    if let Some(offset) = args.offset.clone().or(trained_offset) {
        options = options.offset(offset);
    }
    let schema = stored.training.as_ref().map(|training| &training.schema);
    let read = match schema {
        Some(schema) => options.schema(schema.clone()).read(&args.data),
        None => read_by_names_or_count(&args.data, &stored.model, &options),
    };
    read.map_err(|error| reading::failure(&error, &args.text, Purpose::Model(schema)))
}

/// For a model file that says nothing about its training data beyond the names, if it has any.
fn read_by_names_or_count(path: &Path, model: &Model, options: &ReadOptions) -> proxdist_io::Result<Table> {
    let expected = model.coefficients.len();
    if let Some(names) = &model.names {
        let column = |name: &String| SchemaColumn { name: name.clone(), kind: ColumnKind::Number { fill: None } };
        let schema = Schema { columns: names.iter().map(column).collect(), ..Schema::default() };
        match options.clone().schema(schema).read(path) {
            Err(proxdist_io::Error::UnknownColumn { role: "feature", .. }) if path.as_os_str() != "-" => {}
            read => return read,
        }
    }
    let mut table = options.clone().columns(expected).read(path)?;
    let found = table.features.columns();
    if found != expected {
        let source_name = path.display().to_string();
        return Err(proxdist_io::Error::ColumnCount { source_name, found, expected });
    }
    table.notices.push("the model knows no names of these columns: they are taken in order".to_owned());
    Ok(table)
}

/// The table as a fit or an evaluation wants it; `response` is the table's own, or zeros where there is none. Errors name the
/// file.
pub(crate) fn view<'a>(source: &str, table: &'a Table, response: &'a [f64], shape: Option<Shape>) -> Result<Data<'a>> {
    data_of(table, response, shape).map_err(|error| FileRows::of(source, table).explain(error))
}

fn data_of<'a>(table: &'a Table, response: &'a [f64], shape: Option<Shape>) -> proxdist::Result<Data<'a>> {
    let columns = table.features.columns();
    let data = match &table.features {
        Features::Sparse { row_starts, columns_of, values, .. } => {
            Data::sparse(row_starts, columns_of, values, columns, response)?
        }
        features => match (features.dense_f64(), features.dense_f32()) {
            (Some(values), _) => Data::dense(values, columns, response)?,
            (_, values) => Data::dense(values.unwrap_or(&[]), columns, response)?,
        },
    };
    let data = match &table.weights {
        Some(weights) => data.weights(weights)?,
        None => data,
    };
    let data = match &table.offset {
        Some(offset) => data.offset(offset)?,
        None => data,
    };
    // Names such as V7 say no more than the position does.
    let is_named = table.schema.numbered.is_none();
    let data = if is_named { data.names(table.names())?.origins(table.schema.origins())? } else { data };
    match shape {
        Some(Shape::Matrix { rows, columns }) => Ok(data.shape(rows, columns)?),
        _ => Ok(data),
    }
}

/// What to call a coefficient.
pub(crate) fn name_of(model: &Model, index: usize) -> String {
    match (&model.names, model.shape) {
        (Some(names), _) => names.get(index).cloned().unwrap_or_default(),
        (None, Shape::Matrix { columns, .. }) => format!("({}, {})", index / columns + 1, index % columns + 1),
        (None, Shape::Vector(_)) => format!("V{}", index + 1),
    }
}
