//! `proxdist predict`: one line for each row of the file, in its order. A row that is left out because of missing values has
//! the line `NA`, so that predictions can be put beside the file.
//!
//! Rows are read, predicted and written in blocks: any number of them takes the same memory.

use super::Ending;
use crate::args::PredictArgs;
use crate::failure::{Failure, Result};
use crate::kept::Kept;
use crate::model_file::{Stored, StoredModel};
use crate::output::{self, note};
use crate::row_writer::RowWriter;
use crate::{csv, input, joint, outputs};
use proxdist::loss::{Loss, Task};
use proxdist_io::Table;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::Path;

/// Reads, predicts and writes.
pub(crate) fn run(args: &PredictArgs) -> Result<Ending> {
    let both_streams = args.model.as_os_str() == "-" && args.data.data.as_os_str() == "-";
    if both_streams {
        return Err(Failure::new("model and data cannot both come from standard input", "give a file for one of them"));
    }
    let inputs: Vec<&Path> = args.data.inputs().into_iter().chain([args.model.as_path()]).collect();
    output::check_places(&[("--out", args.out.as_ref())], &inputs)?;
    let stored = match Stored::load(&args.model)? {
        Stored::One(stored) => stored,
        Stored::Several(stored) => return outputs::predict(args, &stored),
        Stored::Joint(stored) => return joint::predict(args, &stored),
    };
    let loss = stored.model.loss.known()?;
    if args.proba && !loss.has_probabilities() {
        let message = format!("--proba: a model with the {} loss gives no probabilities", stored.model.loss);
        return Err(Failure::new(message, "leave --proba out, or fit with --loss logistic"));
    }
    if !args.times.is_empty() {
        return Err(Failure::new("--times: this model knows no times", "leave it out, or fit with --loss cox"));
    }
    let mut writer = RowWriter::new(args.out.as_deref())?;
    let mut lines = Lines::new(args, &stored, loss);
    let (mut is_first, mut is_closed) = (true, false);
    let source = args.data.name();
    let read = input::each_block(&args.data, &stored.known()?, (false, args.quiet), &args.keep, &mut |mut table| {
        lines.tell(&table);
        lines.kept.take(&mut table)?;
        let predictors = linear_predictors(&source, &stored, &table)?;
        let text = lines.text(&predictors, &table.dropped, std::mem::take(&mut is_first));
        is_closed = !writer.write(&text)?;
        // A reader that has seen enough ends the work.
        if is_closed { Err(Failure::interrupted()) } else { Ok(()) }
    });
    if !is_closed {
        read?;
        writer.write(&lines.rest())?;
    }
    writer.finish()?;
    Ok(Ending::Written)
}

/// Stands for the prediction of a row that is left out.
const NONE: &str = "NA";

/// What a line says.
enum Said {
    Linear,
    Mean,
    Probability,
    Label([String; 2]),
}

/// A line for each row of the file.
struct Lines<'a> {
    said: Said,
    loss: &'a dyn Loss,
    quiet: bool,
    /// Rows so far.
    row: u64,
    /// Rows without a prediction, counted from 0, that have no line yet.
    dropped: VecDeque<u64>,
    has_dropped: bool,
    kept: Kept<'a>,
}

impl<'a> Lines<'a> {
    fn new(args: &'a PredictArgs, stored: &StoredModel, loss: &'a dyn Loss) -> Self {
        let said = match loss.task() {
            _ if args.linear => Said::Linear,
            _ if args.proba => Said::Probability,
            Task::TwoClasses => Said::Label(labels(args, stored)),
            _ => Said::Mean,
        };
        let kept = Kept::new(&args.keep, args.raw);
        Self { said, loss, quiet: args.quiet, row: 0, dropped: VecDeque::new(), has_dropped: false, kept }
    }

    /// What is to be known about a block.
    fn tell(&mut self, table: &Table) {
        table.notices.iter().for_each(|notice| note(self.quiet, notice));
        if !table.dropped.is_empty() && !std::mem::replace(&mut self.has_dropped, true) {
            note(
                self.quiet,
                &format!("rows that are left out have the prediction {NONE}, so that lines and rows agree"),
            );
        }
    }

    /// The lines of a block; `dropped` are rows without a prediction among those up to its end.
    fn text(&mut self, predictors: &[f64], dropped: &[u64], is_first: bool) -> String {
        let mut text = String::with_capacity(predictors.len() * 12);
        if is_first {
            let header = match self.said {
                Said::Linear => "linear",
                Said::Probability => "probability",
                Said::Mean | Said::Label(_) => "prediction",
            };
            let _ = writeln!(text, "{}{header}", self.kept.header());
        }
        self.dropped.extend(dropped);
        for &eta in predictors {
            self.skip(&mut text);
            text += &self.kept.next();
            let _ = match &self.said {
                Said::Linear => writeln!(text, "{eta}"),
                Said::Mean | Said::Probability => writeln!(text, "{}", self.loss.mean(eta)),
                Said::Label(labels) => writeln!(text, "{}", labels[usize::from(eta > 0.0)]),
            };
            self.row += 1;
        }
        text
    }

    fn skip(&mut self, text: &mut String) {
        while self.dropped.front() == Some(&self.row) {
            self.dropped.pop_front();
            let _ = writeln!(text, "{}{NONE}", self.kept.next());
            self.row += 1;
        }
    }

    /// The lines of rows that are left out after the last one with a prediction.
    fn rest(&mut self) -> String {
        let mut text = String::new();
        self.skip(&mut text);
        text
    }
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
pub(super) fn linear_predictors(source: &str, stored: &StoredModel, table: &Table) -> Result<Vec<f64>> {
    if table.features.rows() == 0 {
        return Ok(Vec::new());
    }
    let none = vec![0.0; table.features.rows()];
    let data = input::view(source, table, &none, None)?;
    let mut predictors = stored.model.linear_predictors(data.source())?;
    if let Some(offset) = &table.offset {
        predictors.iter_mut().zip(offset).for_each(|(eta, offset)| *eta += offset);
    }
    Ok(predictors)
}
