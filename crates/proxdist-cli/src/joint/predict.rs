//! `predict` with times or ordered labels: the linear predictor, the chance to be without the event at some times, or the chances of the labels and the likeliest.

use super::answers::{self, Roles};
use crate::args::PredictArgs;
use crate::commands::Ending;
use crate::failure::{Failure, Result};
use crate::kept::Kept;
use crate::model_file::StoredJoint;
use crate::output::note;
use crate::row_writer::RowWriter;
use crate::{csv, input};
use proxdist::joint::{JointKind, JointModel, likeliest};
use proxdist_io::Table;
use std::collections::VecDeque;

/// Reads, predicts and writes, block by block.
pub(crate) fn predict(args: &PredictArgs, stored: &StoredJoint) -> Result<Ending> {
    let model = &stored.model;
    let header = header(args, model)?;
    let mut known = stored.known();
    let columns = stored.training.as_ref().and_then(|training| training.times.clone());
    let strata = columns.as_ref().filter(|_| !args.times.is_empty()).and_then(|columns| columns.strata.clone());
    if let (Some(columns), Some(_), Some(schema)) = (&columns, &strata, &known.schema) {
        known.schema = Some(answers::with_columns(schema, columns, false));
    }
    let mut writer = RowWriter::new(args.out.as_deref())?;
    let width = header.len();
    let kept = Kept::new(&args.keep, args.raw);
    let header = kept.header() + &header.join(",");
    let mut lines = Lines { quiet: args.quiet, width, row: 0, dropped: VecDeque::new(), has_dropped: false, kept };
    let (source, mut is_first, mut is_closed) = (args.data.name(), true, false);
    let read = input::each_block(&args.data, &known, (false, args.quiet), &args.keep, &mut |mut table| {
        lines.tell(&table);
        lines.kept.take(&mut table)?;
        let mut names = None;
        if let Some(column) = &strata {
            let roles = Roles { event: None, entry: None, strata: Some(&column.name) };
            names = answers::take(&mut table, roles, &source)?.0.strata_names();
        }
        let predictors = predictors(&source, model, &table)?;
        let cells = cells(args, model, &predictors, names.as_deref())?;
        let head = if std::mem::take(&mut is_first) { format!("{header}\n") } else { String::new() };
        is_closed = !writer.write(&(head + &lines.text(&cells, &table.dropped)))?;
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

/// The names of the columns, and whether what is asked for makes sense.
fn header(args: &PredictArgs, model: &JointModel) -> Result<Vec<String>> {
    match &model.kind {
        JointKind::Cox { .. } if args.proba => Err(Failure::new(
            "--proba: a model of times has no labels",
            "--times 1,5,10 gives chances to be without the event",
        )),
        JointKind::Cox { .. } if args.times.is_empty() => {
            Ok(vec!["linear_predictor".to_owned(), "relative_risk".to_owned()])
        }
        JointKind::Cox { .. } => Ok(args.times.iter().map(|time| format!("survival@{time}")).collect()),
        JointKind::Ordinal { .. } if !args.times.is_empty() => {
            Err(Failure::new("--times: a model of ordered labels knows no times", "leave --times out"))
        }
        JointKind::Ordinal { .. } if args.linear => Ok(vec!["linear_predictor".to_owned()]),
        JointKind::Ordinal { levels, .. } => {
            let mut names: Vec<String> = levels.iter().map(|label| csv::field(label, args.raw)).collect();
            if !args.proba {
                names.push("prediction".to_owned());
            }
            Ok(names)
        }
        _ => Ok(Vec::new()),
    }
}

/// The cells of each row.
fn cells(args: &PredictArgs, model: &JointModel, etas: &[f64], strata: Option<&[String]>) -> Result<Vec<Vec<String>>> {
    let texts = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>();
    Ok(match &model.kind {
        JointKind::Cox { baseline, .. } if args.times.is_empty() => {
            etas.iter().map(|eta| texts(&[*eta, (eta - baseline.center).exp()])).collect()
        }
        JointKind::Cox { .. } => {
            let found = model.survival(etas, strata, &args.times)?.unwrap_or_default();
            found.chunks_exact(args.times.len()).map(texts).collect()
        }
        JointKind::Ordinal { .. } if args.linear => etas.iter().map(|eta| texts(&[*eta])).collect(),
        JointKind::Ordinal { levels, .. } => {
            let found = model.class_probabilities(etas).unwrap_or_default();
            let row = |chances: &[f64]| {
                let mut cells = texts(chances);
                if !args.proba {
                    cells.push(csv::field(&levels[likeliest(chances)], args.raw));
                }
                cells
            };
            found.chunks_exact(levels.len()).map(row).collect()
        }
        _ => Vec::new(),
    })
}

/// The linear predictors of a block.
pub(super) fn predictors(source: &str, model: &JointModel, table: &Table) -> Result<Vec<f64>> {
    if table.features.rows() == 0 {
        return Ok(Vec::new());
    }
    let none = vec![0.0; table.features.rows()];
    let data = input::view(source, table, &none, None)?;
    Ok(model.linear_predictors(data.source(), table.offset.as_deref())?)
}

/// Lines of the rows of a file; those that are left out have `NA` in every column.
struct Lines<'a> {
    quiet: bool,
    width: usize,
    row: u64,
    dropped: VecDeque<u64>,
    has_dropped: bool,
    kept: Kept<'a>,
}

impl Lines<'_> {
    fn tell(&mut self, table: &Table) {
        table.notices.iter().for_each(|notice| note(self.quiet, notice));
        if !table.dropped.is_empty() && !std::mem::replace(&mut self.has_dropped, true) {
            note(self.quiet, "rows that are left out have the prediction NA, so that lines and rows agree");
        }
    }

    fn text(&mut self, rows: &[Vec<String>], dropped: &[u64]) -> String {
        let mut text = String::new();
        self.dropped.extend(dropped);
        for cells in rows {
            self.skip(&mut text);
            text += &self.kept.next();
            text += &cells.join(",");
            text.push('\n');
            self.row += 1;
        }
        text
    }

    fn skip(&mut self, text: &mut String) {
        while self.dropped.front() == Some(&self.row) {
            self.dropped.pop_front();
            *text += &self.kept.next();
            *text += &vec!["NA"; self.width].join(",");
            text.push('\n');
            self.row += 1;
        }
    }
}
