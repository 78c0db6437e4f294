//! `predict` with several outputs: a column for each class with its probability and the likeliest label, or a column for each response.

use super::told::check_offsets;
use super::{add_offset, targets};
use crate::args::{NewDataArgs, PredictArgs};
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::kept::Kept;
use crate::model_file::StoredOutputs;
use crate::output::note;
use crate::row_writer::RowWriter;
use crate::{csv, input};
use proxdist::outputs::OutputsModel;
use proxdist_io::Table;
use std::collections::VecDeque;
use std::fmt::Write as _;

/// Reads, predicts and writes, block by block.
pub(crate) fn predict(args: &PredictArgs, stored: &StoredOutputs) -> Result<Ending> {
    let model = &stored.model;
    if args.proba && !model.loss.is_classification() {
        let message = format!("--proba: a model with the {} loss gives no probabilities", model.loss);
        return Err(Failure::new(message, "leave --proba out"));
    }
    let mut writer = RowWriter::new(args.out.as_deref())?;
    let labels: Vec<String> = model.outputs.iter().map(|label| csv::field(label, args.raw)).collect();
    let with_label = model.loss.is_classification() && !args.linear && !args.proba;
    let kept = Kept::new(&args.keep, args.raw);
    let mut header = kept.header() + &labels.join(",");
    if with_label {
        header += ",prediction";
    }
    let mut lines =
        Lines { args, labels: &labels, with_label, row: 0, dropped: VecDeque::new(), has_dropped: false, kept };
    let (source, mut is_first, mut is_closed) = (args.data.name(), true, false);
    let offsets = offsets(&args.data, stored)?;
    let mut known = stored.known();
    known.schema = known.schema.map(|schema| targets::with_targets(&schema, &offsets));
    let read = input::each_block(&args.data, &known, (false, args.quiet), &args.keep, &mut |mut table| {
        lines.tell(&table);
        lines.kept.take(&mut table)?;
        let head = if std::mem::take(&mut is_first) { format!("{header}\n") } else { String::new() };
        let text = head + &lines.text(&predictors(&source, model, &mut table, &offsets)?, &table.dropped);
        is_closed = !writer.write(&text)?;
        if is_closed { Err(Failure::interrupted()) } else { Ok(()) }
    });
    if !is_closed {
        read?;
        let mut rest = String::new();
        lines.skip(&mut rest);
        writer.write(&rest)?;
    }
    writer.finish()?;
    Ok(Ending::Written)
}

/// The columns of offsets: those that are told, or those of the fit.
pub(super) fn offsets(args: &NewDataArgs, stored: &StoredOutputs) -> Result<Vec<String>> {
    let told = args.offsets();
    if told.is_empty() && args.offset.is_some() {
        let message = "--offset with one column is not available for several outputs";
        return Err(Failure::new(message, "name a column for each output, with commas between: --offset a,b,c"));
    }
    let own = || stored.training.as_ref().map(|training| training.offsets.clone()).unwrap_or_default();
    let found = if told.is_empty() { own() } else { told };
    if !found.is_empty() {
        check_offsets(&found, &stored.model.outputs)?;
    }
    Ok(found)
}

/// The linear predictors of a block, row by row, with the offsets that are among its columns.
pub(super) fn predictors(
    source: &str,
    model: &OutputsModel,
    table: &mut Table,
    offsets: &[String],
) -> Result<Vec<f64>> {
    if table.features.rows() == 0 {
        return Ok(Vec::new());
    }
    let offset = if offsets.is_empty() { None } else { Some(targets::take_offsets(table, offsets, source)?) };
    let none = vec![0.0; table.features.rows()];
    let data = input::view(source, table, &none, None)?;
    let mut found = model.linear_predictors(data.source())?;
    add_offset(&mut found, offset.as_deref());
    Ok(found)
}

/// Lines of the rows of a file; those that are left out have `NA` in every column.
struct Lines<'a> {
    args: &'a PredictArgs,
    labels: &'a [String],
    with_label: bool,
    row: u64,
    dropped: VecDeque<u64>,
    has_dropped: bool,
    kept: Kept<'a>,
}

impl Lines<'_> {
    fn tell(&mut self, table: &Table) {
        table.notices.iter().for_each(|notice| note(self.args.quiet, notice));
        if !table.dropped.is_empty() && !std::mem::replace(&mut self.has_dropped, true) {
            note(self.args.quiet, "rows that are left out have the prediction NA, so that lines and rows agree");
        }
    }

    fn text(&mut self, predictors: &[f64], dropped: &[u64]) -> String {
        let (size, mut text) = (self.labels.len(), String::new());
        self.dropped.extend(dropped);
        let is_probability = self.with_label || self.args.proba;
        for eta in predictors.chunks_exact(size) {
            self.skip(&mut text);
            text += &self.kept.next();
            let mut shown = eta.to_vec();
            if is_probability {
                let top = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                shown.iter_mut().for_each(|eta| *eta = (*eta - top).exp());
                let sum: f64 = shown.iter().sum();
                shown.iter_mut().for_each(|p| *p /= sum);
            }
            let fields: Vec<String> = shown.iter().map(f64::to_string).collect();
            text += &fields.join(",");
            if self.with_label {
                let best = (0..size).rev().max_by(|&a, &b| eta[a].total_cmp(&eta[b])).unwrap_or(0);
                let _ = write!(text, ",{}", self.labels[best]);
            }
            text.push('\n');
            self.row += 1;
        }
        text
    }

    fn skip(&mut self, text: &mut String) {
        let columns = self.labels.len() + usize::from(self.with_label);
        while self.dropped.front() == Some(&self.row) {
            self.dropped.pop_front();
            *text += &self.kept.next();
            *text += &vec!["NA"; columns].join(",");
            text.push('\n');
            self.row += 1;
        }
    }
}
