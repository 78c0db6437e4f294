//! The scores of a grid: the line while they are computed, the table, and the curve of a page.

use crate::words::number;
use crate::{progress, signals};
use comfy_table::{CellAlignment, ContentArrangement};
use indicatif::ProgressBar;
use proxdist::joint::JointSelection;
use proxdist::outputs::OutputsSelection;
use proxdist::selection::{Axis, Finished, Grid, Scoring, Selection, Table, Watch};
use proxdist_pages::Crossed;
use proxdist_report::{CvCurve, CvPoint};
use std::ops::ControlFlow;
use std::time::Instant;

/// A line on the terminal, and an ear for Ctrl-C.
pub(crate) struct Watcher {
    bar: ProgressBar,
    started: Instant,
}

impl Watcher {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { bar: progress::line(quiet), started: Instant::now() }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Watcher {
    type Reason = ();

    fn finished(&self, finished: &Finished) -> ControlFlow<()> {
        let Finished { fold, point, score, done, total, .. } = finished;
        let left = self.started.elapsed().as_secs_f64() * (total - done) as f64 / (*done).max(1) as f64;
        self.bar.set_message(format!(
            "{done} of {total} fits  {point} without part {}: {}  about {left:.0} s left",
            fold + 1,
            number(*score)
        ));
        self.bar.tick();
        self.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The scores of all points, and the places that matter.
pub(crate) struct Scores<'a> {
    pub(crate) table: &'a Table,
    pub(crate) best: usize,
    pub(crate) one_standard_error: usize,
    pub(crate) chosen: usize,
}

impl<'a> Scores<'a> {
    /// Those of one output.
    pub(crate) fn of(selection: &'a Selection) -> Self {
        let Selection { table, best, one_standard_error, chosen, .. } = selection;
        Self { table, best: *best, one_standard_error: *one_standard_error, chosen: *chosen }
    }

    /// Those of several outputs.
    pub(crate) fn of_outputs(selection: &'a OutputsSelection) -> Self {
        let OutputsSelection { table, best, one_standard_error, chosen, .. } = selection;
        Self { table, best: *best, one_standard_error: *one_standard_error, chosen: *chosen }
    }

    /// What is said of the chosen point on its page.
    pub(crate) fn crossed(&self) -> Crossed {
        let Table { scores, scoring, folds, .. } = self.table;
        let chosen = scores.get(self.chosen);
        Crossed {
            score: format!("cross-validated {scoring}"),
            mean: chosen.map_or(f64::NAN, |score| score.mean),
            standard_error: chosen.map_or(f64::NAN, |score| score.standard_error),
            folds: *folds,
            is_loss: *scoring == Scoring::Loss,
        }
    }

    /// Those of times or ordered labels.
    pub(crate) fn of_joint(selection: &'a JointSelection) -> Self {
        let JointSelection { table, best, one_standard_error, chosen, .. } = selection;
        Self { table, best: *best, one_standard_error: *one_standard_error, chosen: *chosen }
    }

    /// One line a point, marked where it matters.
    pub(crate) fn text(&self, styled: bool) -> String {
        let scores = self.table;
        let mut table = comfy_table::Table::new();
        table.load_style(if styled {
            comfy_table::presets::UTF8_FULL_CONDENSED
        } else {
            comfy_table::presets::NOTHING
        });
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(["point", &format!("mean {}", scores.scoring), "standard error", "converged", ""]);
        for (i, score) in scores.scores.iter().enumerate() {
            let mut marks = Vec::new();
            if i == self.best {
                marks.push("best");
            }
            if i == self.one_standard_error && i != self.best {
                marks.push("simplest within one standard error");
            }
            if i == self.chosen {
                marks.push("chosen");
            }
            let converged = format!("{} of {}", score.converged, scores.folds);
            table.add_row([
                score.point.to_string(),
                number(score.mean),
                number(score.standard_error),
                converged,
                marks.join(", "),
            ]);
        }
        for column in 1..=3 {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let direction = if scores.scoring.larger_is_better() { "larger" } else { "smaller" };
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        format!(
            "{} by {}-fold cross-validation, {direction} is better\n{}\n\n",
            scores.scoring,
            scores.folds,
            lines.join("\n")
        )
    }

    /// The scores along the first set's axis, or the only axis there is; other axes tell the lines apart.
    pub(crate) fn curve(&self, grid: &Grid) -> CvCurve {
        let is_set = |name: &str| name != "ridge" && name != "rho1";
        let names: Vec<&str> = grid.axes().iter().map(Axis::name).collect();
        let along = names.iter().find(|name| is_set(name)).or(names.first()).copied().unwrap_or_default();
        let points = self.table.scores.iter().map(|score| {
            // A label is the values on the axes, as in `sparsity:5, ridge:0.1`.
            let parts: Vec<(&str, &str)> =
                score.point.label.split(", ").filter_map(|part| part.split_once(':')).collect();
            let value = parts.iter().find(|(name, _)| *name == along).and_then(|(_, value)| value.parse().ok());
            let others = parts.iter().filter(|(name, _)| *name != along).map(|(name, value)| format!("{name} {value}"));
            CvPoint {
                value: value.unwrap_or(f64::NAN),
                line: others.collect::<Vec<_>>().join(", "),
                mean: score.mean,
                standard_error: score.standard_error,
            }
        });
        CvCurve {
            parameter: along.to_owned(),
            score: self.table.scoring.to_string(),
            larger_is_better: self.table.scoring.larger_is_better(),
            folds: self.table.folds,
            points: points.collect(),
            chosen: Some(self.chosen),
            one_standard_error: Some(self.one_standard_error),
        }
    }
}
