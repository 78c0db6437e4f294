//! From a path and options to a table, and from a table to the data of a fit.

use crate::args::{DataArgs, MissingPolicy, NewDataArgs, UnknownPolicy};
use crate::failure::{Failure, Result};
use crate::model_file::{Holdout, Known};
use crate::output::note;
use crate::reading::{self, Purpose};
use crate::reading_line::ReadingLine;
use crate::rows::FileRows;
use crate::table_rows::{PickedRows, StoredRows};
use crate::{holdout, memory, outputs};
use proxdist::loss::{Link, Loss, Task};
use proxdist::{Data, Model, Shape};
use proxdist_io::{Features, Missing, ReadOptions, Schema, SchemaColumn, StorePlace, Table, Unknown};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How the target of a task is read: labels may be text.
fn target_of(task: Task) -> proxdist_io::Task {
    match task {
        Task::TwoClasses => proxdist_io::Task::Classes,
        _ => proxdist_io::Task::Regression,
    }
}

/// What is asked of the reading of a file to train on.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// What explains the target.
    pub(crate) loss: &'a dyn Loss,
    /// `--memory`, if it was given.
    pub(crate) memory: Option<usize>,
    /// `--out`, if it was given: what is packed goes beside it.
    pub(crate) out: Option<&'a PathBuf>,
    /// No notes.
    pub(crate) quiet: bool,
    /// Whether there may be more than two labels, or several targets.
    pub(crate) takes_outputs: bool,
    /// A column that says which rows are compared with each other, whatever it holds.
    pub(crate) strata: Option<&'a str>,
    /// Share of rows that are kept out, and the seed that says which: bins are not learned from them.
    pub(crate) holdout: Option<(f64, u64)>,
}

impl<'a> Wanted<'a> {
    /// For a model of one output, or of several where the loss has them.
    pub(crate) fn of(loss: &'a dyn Loss, memory: Option<usize>, out: Option<&'a PathBuf>, quiet: bool) -> Self {
        let takes_outputs = loss.task() != Task::TwoClasses || loss.has_probabilities();
        Self { loss, memory, out, quiet, takes_outputs, strata: None, holdout: None }
    }
}

/// A file to train on, its notices told, and the seconds that reading took.
pub(crate) fn training(args: &DataArgs, wanted: Wanted) -> Result<(Table, f64)> {
    let started = Instant::now();
    let table = read_training(args, wanted)?;
    let seconds = started.elapsed().as_secs_f64();
    table.notices.iter().for_each(|notice| note(wanted.quiet, notice));
    let offsets = args.offsets();
    if !offsets.is_empty() && !outputs::are_several(args, &table) {
        let message = format!("--offset {}: there is one output, which has one offset", offsets.join(","));
        return Err(Failure::new(message, "name one column"));
    }
    Ok((table, seconds))
}

/// Says what folds do not see: bins that responses have a part in are learned once, before the rows are dealt.
pub(crate) fn remind_of_bins(args: &DataArgs, quiet: bool) {
    if args.bins.iter().any(|request| request.rule.uses_response()) {
        note(quiet, "monotone bins are learned once, from all rows: held-out scores are a little too good");
    }
}

/// Where data that do not fit are packed: where it is said, beside the model, or among temporary files.
fn store_place(args: &DataArgs, out: Option<&PathBuf>) -> StorePlace {
    let beside = out.filter(|out| out.as_os_str() != "-" && !out.starts_with("/dev"));
    let beside = beside.and_then(|out| out.parent()).map(Path::to_owned);
    match args.cache.clone().or(beside) {
        Some(folder) if folder.as_os_str().is_empty() => StorePlace::Kept(PathBuf::from(".")),
        Some(folder) => StorePlace::Kept(folder),
        None => StorePlace::Temporary,
    }
}

/// How a file to train on is read.
pub(crate) fn training_options(args: &DataArgs, loss: &dyn Loss, takes_outputs: bool) -> Result<ReadOptions> {
    let task = loss.task();
    check_exposure(args.exposure.as_deref(), loss.link(), &loss.spec())?;
    let targets = args.targets();
    if targets.len() > 1 && !takes_outputs {
        let message = format!("--target {}: this command explains one column", targets.join(","));
        return Err(Failure::new(message, "`proxdist fit` takes several targets; give one of them here"));
    }
    if targets.len() > 1 && !args.bins.is_empty() {
        let message = format!("--bins: bins are for models of one target, and there are {}", targets.len());
        return Err(Failure::new(message, "explain one target, or leave --bins out"));
    }
    let mut options = with_text(ReadOptions::new(), &args.text)
        .ignore(args.ignore.iter().cloned())
        .categorical(args.categorical.iter().cloned())
        .bins(args.bins.iter().cloned())
        .one_against_rest(args.one_vs_rest)
        .many_classes(takes_outputs && targets.len() < 2)
        .task(target_of(task));
    let named = [
        (&targets.first().cloned(), ReadOptions::target as fn(ReadOptions, String) -> ReadOptions),
        (&args.positive, ReadOptions::positive),
        (&args.weights, ReadOptions::weights),
        (&args.one_offset(), ReadOptions::offset),
        (&args.exposure, ReadOptions::exposure),
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

/// Refuses an exposure where no rate is multiplied by it.
fn check_exposure(column: Option<&str>, link: Link, loss: &str) -> Result<()> {
    match column {
        Some(column) if link != Link::Log => Err(Failure::new(
            format!("--exposure {column}: the {loss} loss has no log link, so nothing is counted per unit of exposure"),
            "use --loss poisson, gamma, tweedie or negative-binomial; --offset adds a known part to any linear predictor",
        )),
        _ => Ok(()),
    }
}

/// Reads a file to train on.
fn read_training(args: &DataArgs, wanted: Wanted) -> Result<Table> {
    let mut options = training_options(args, wanted.loss, wanted.takes_outputs)?
        .memory(memory::budget(wanted.memory))
        .store(store_place(args, wanted.out))
        .single(args.single)
        .categorical(wanted.strata)
        .watch(ReadingLine::new(wanted.quiet));
    if let Some((share, seed)) = wanted.holdout {
        options = options.bin_rows(move |response, are_labels| {
            let kept_out = Holdout { share, seed, rows: response.len() };
            holdout::split(kept_out, response, are_labels).ok().map(|split| split.training)
        });
    }
    let read = proxdist_io::read_paths(&args.paths(), &options);
    let mut table = read.map_err(|error| reading::failure(&error, &args.text, Purpose::Training))?;
    memory::check(&table, &args.name())?;
    if let Features::Stored(stored) = &mut table.features {
        let bytes = 8 * stored.stored() as u64;
        stored.past_the_cache(proxdist::large::free_memory().is_some_and(|free| bytes > free));
    }
    if table.response.is_some() {
        return Ok(table);
    }
    Err(no_target(&args.name()))
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
        MissingPolicy::Indicator => Missing::Indicator,
    });
    let options = options.decimal_comma(text.decimal == ',');
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

/// Reads a file as the model was trained, so that its columns mean the same, and calls `visit` on blocks of its rows in order. A block is all rows
/// where the model does not say how its columns were encoded.
pub(crate) fn each_block(
    args: &NewDataArgs,
    stored: &Known,
    (with_target, quiet): (bool, bool),
    keep: &[String],
    visit: &mut dyn FnMut(Table) -> Result<()>,
) -> Result<()> {
    let options = new_options(args, stored, with_target)?.watch(ReadingLine::new(quiet)).keep(keep.iter().cloned());
    let schema = stored.schema.as_ref();
    let explained = |error: &proxdist_io::Error| reading::failure(error, &args.text, Purpose::Model(schema));
    let Some(known) = schema else {
        let table = read_by_names_or_count(&args.data, stored, &options).map_err(|error| explained(&error))?;
        return visit(table);
    };
    let mut failed = None;
    let read = options.schema(known.clone()).read_blocks(&args.paths(), &mut |table| {
        visit(table).map_err(|failure| {
            failed = Some(failure);
            proxdist_io::Error::Stopped
        })
    });
    match (failed, read) {
        (Some(failure), _) => Err(failure),
        (None, read) => read.map_err(|error| explained(&error)),
    }
}

/// A whole file with its target, read as the model was trained; `weights` is the column of weights unless another was given.
pub(crate) fn whole(args: &NewDataArgs, stored: &Known, weights: Option<&str>, quiet: bool) -> Result<Table> {
    let mut options = new_options(args, stored, true)?.watch(ReadingLine::new(quiet));
    if let (None, Some(weights)) = (&args.weights, weights) {
        options = options.weights(weights);
    }
    let schema = stored.schema.as_ref();
    let read = match schema {
        Some(known) => {
            proxdist_io::read_paths(&args.paths(), &options.schema(known.clone()).store(StorePlace::Temporary))
        }
        None => read_by_names_or_count(&args.data, stored, &options),
    };
    let table = read.map_err(|error| reading::failure(&error, &args.text, Purpose::Model(schema)))?;
    memory::check(&table, &args.name())?;
    table.notices.iter().for_each(|notice| note(quiet, notice));
    if table.response.is_some() {
        return Ok(table);
    }
    let message = format!("{}: there is no column of true responses", args.name());
    Err(Failure::new(message, "--target COL names the column that the model explains"))
}

fn new_options(args: &NewDataArgs, stored: &Known, with_target: bool) -> Result<ReadOptions> {
    let unknown = match args.unknown {
        UnknownPolicy::Error => Unknown::Error,
        UnknownPolicy::Zero => Unknown::Zero,
    };
    let mut options = with_text(ReadOptions::new(), &args.text).unknown(unknown).need_target(with_target);
    options = options.task(target_of(stored.task)).memory(memory::budget(args.memory));
    if let Some(target) = args.target.as_ref().filter(|_| with_target) {
        options = options.target(target.clone());
    }
    if let Some(weights) = &args.weights {
        options = options.weights(weights.clone());
    }
    check_exposure(args.exposure.as_deref(), stored.link, &stored.loss)?;
    let (offset, exposure) = match (&args.offset, &args.exposure) {
        (None, None) => (stored.offset.clone(), stored.exposure.clone()),
        // Those of several outputs are taken out of the features.
        given => (given.0.clone().filter(|_| args.offsets().is_empty()), given.1.clone()),
    };
    if let Some(offset) = offset {
        options = options.offset(offset);
    }
    if let Some(exposure) = exposure {
        options = options.exposure(exposure);
    }
    Ok(options)
}

/// For a model file that says nothing about its training data beyond the names, if it has any.
fn read_by_names_or_count(path: &Path, stored: &Known, options: &ReadOptions) -> proxdist_io::Result<Table> {
    let expected = stored.features;
    if let Some(names) = &stored.names {
        let schema = Schema { columns: names.iter().map(SchemaColumn::number).collect(), ..Schema::default() };
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
    data_of(table, response, shape, false).map_err(|error| FileRows::of(source, table).explain(error))
}

/// The same for a fit, which looks at every entry on the disk in its first reading: none is needed before.
pub(crate) fn view_for_fit<'a>(source: &str, table: &'a Table, shape: Option<Shape>) -> Result<Data<'a>> {
    let response = table.response.as_deref().unwrap_or(&[]);
    data_of(table, response, shape, true).map_err(|error| FileRows::of(source, table).explain(error))
}

fn data_of<'a>(
    table: &'a Table,
    response: &'a [f64],
    shape: Option<Shape>,
    is_looked_at_later: bool,
) -> proxdist::Result<Data<'a>> {
    let columns = table.features.columns();
    let data = match &table.features {
        Features::Sparse { row_starts, columns_of, values, .. } => {
            Data::sparse(row_starts, columns_of, values, columns, response)?
        }
        Features::Stored(stored) => Data::new(StoredRows::new(stored, is_looked_at_later), response)?,
        Features::PickedF64(picked) => {
            let (matrix, width, columns) = (picked.matrix(), picked.width(), picked.columns());
            Data::new(PickedRows { matrix, width, columns }, response)?
        }
        Features::PickedF32(picked) => {
            let (matrix, width, columns) = (picked.matrix(), picked.width(), picked.columns());
            Data::new(PickedRows { matrix, width, columns }, response)?
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
