//! `path` with several outputs: numbers of shared features, or ranks, each from its neighbours, and the choice between them by rows that are held out.

use super::told::Told;
use super::tune::{Chosen, Search};
use super::{Given, add_model, check_table, page, say, tell};
use crate::args::{PathArgs, Ridges, Select, Sizes};
use crate::commands::Ending;
use crate::csv::field;
use crate::failure::{Failure, Result};
use crate::output::{self, Outputs};
use crate::scores::Scores;
use crate::summary::peak_memory;
use crate::terminal::visible;
use crate::words::{number, plural};
use comfy_table::{CellAlignment, ContentArrangement};
use proxdist::path::Criterion;
use proxdist::selection::{Choice, Grid, Scoring};
use proxdist::spec::SetSpec;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::IsTerminal as _;

/// Sizes that are looked at if none are named, and ranks.
const USUAL: usize = 30;
const USUAL_RANKS: usize = 8;
/// Names shown in a cell.
const NAMES: usize = 6;
/// Columns of the table: those of one output.
const COLUMNS: &str =
    "ridge,size,objective,mean,standard_error,aic,bic,ebic,separated,separated_folds,gap,proven,chosen,support";

/// What is varied.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    Rows,
    Rank,
}

impl Axis {
    fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Rank => "rank",
        }
    }
}

/// What is looked for.
struct Request {
    axis: Axis,
    sizes: Sizes,
    ridges: Ridges,
    select: Select,
}

impl Request {
    fn of(args: &PathArgs, spec: &SetSpec, (rows, features, outputs): (usize, usize, usize)) -> Result<Self> {
        if args.select == Select::Nothing {
            let message = "--select none: several outputs are chosen by rows that are held out, or by a criterion";
            return Err(Failure::new(message, "leave --select out, or give --select bic"));
        }
        let (axis, most, own) = match spec {
            SetSpec::WholeSpace => (Axis::Rows, features, None),
            SetSpec::Rows { keep } => (Axis::Rows, features, Some(*keep)),
            SetSpec::Rank { rank } => (Axis::Rank, features.min(outputs), Some(*rank)),
            other => {
                let message = format!("--constraint {other}: a path of several outputs is over rows or rank");
                return Err(Failure::new(message, "`proxdist tune --grid` varies the numbers of other sets"));
            }
        };
        let usual = match (axis, own) {
            (_, Some(own)) if own > 0 => own.min(most),
            (Axis::Rows, _) => USUAL.min(most).min(rows / 2).max(1),
            (Axis::Rank, _) => USUAL_RANKS.min(most),
        };
        let sizes = args.sizes.clone().unwrap_or_else(|| Sizes::up_to(usual));
        if sizes.largest() > most {
            let what = if axis == Axis::Rank { "ranks go up to" } else { "the number of features is" };
            let message = format!("--sizes {sizes}: {what} {most}");
            return Err(Failure::new(message, format!("choose sizes from 1 to {most}")));
        }
        if matches!(args.select, Select::Criterion(_)) && axis == Axis::Rank {
            let message = format!("--select {}: ranks are chosen by rows that are held out", args.select);
            return Err(Failure::new(message, "leave --select out, or give a path over rows"));
        }
        let ridges = args.ridge_grid.clone().unwrap_or_else(|| match args.select {
            Select::CrossValidation => Ridges::usual(),
            // Criteria do not know what a ridge does: the smallest would always win.
            _ => Ridges::none(),
        });
        Ok(Self { axis, sizes, ridges, select: args.select })
    }

    /// The grid; sizes ascend, so that each starts from the one before.
    fn grid(&self) -> Result<Grid> {
        let sizes: Vec<String> =
            (0..=self.sizes.largest()).filter(|size| self.sizes.has(*size)).map(|size| size.to_string()).collect();
        let ridges: Vec<String> = self.ridges.weights().iter().map(|weight| format!("{weight:e}")).collect();
        let axes = [format!("{}:{}", self.axis.name(), sizes.join(",")), format!("ridge:{}", ridges.join(","))];
        Ok(Grid::parse(axes)?)
    }
}

/// One point of the grid.
struct Line<'a> {
    size: usize,
    ridge: f64,
    mean: f64,
    standard_error: f64,
    folds: &'a [f64],
    separated_folds: usize,
    /// On all rows, for numbers of features.
    objective: Option<f64>,
    is_separated: bool,
    support: Option<Vec<String>>,
    /// AIC, BIC and EBIC.
    criteria: [Option<f64>; 3],
}

/// All that was found.
struct Findings<'a> {
    request: &'a Request,
    search: &'a Search<'a>,
    scores: Scores<'a>,
    lines: Vec<Line<'a>>,
}

/// Finds models of all sizes, fits the chosen one, writes and tells.
pub(crate) fn path(args: &PathArgs, mut given: Given) -> Result<Ending> {
    check_table(&given.table)?;
    let told = Told::of(&args.data, &args.loss, &mut given.table, args.output.quiet)?;
    let sizes = (given.table.features.rows(), given.table.features.columns(), told.outputs.len());
    let request = Request::of(args, &given.spec, sizes)?;
    let search = Search {
        data: &args.data,
        units: &args.units,
        output: &args.output,
        spec: SetSpec::WholeSpace,
        ridge: 0.0,
        grid: request.grid()?,
        folds: args.folds,
        seed: given.settings.seed_value(),
        scoring: Scoring::Loss,
        choice: args.choice,
    };
    let criterion = match args.select {
        Select::Criterion(criterion) => Some(criterion),
        _ => None,
    };
    let chosen = Chosen::find_by(&search, &given, &told, criterion)?;
    let source = args.data.name();
    let done = chosen.done(&search, &given.table, &source);
    let findings = Findings::new(&request, &search, &chosen, &given.table.names());
    findings.notes().iter().for_each(|text| output::note(args.output.quiet, text));
    let mut outputs = Outputs::default();
    add_model(&done, None, &mut outputs)?;
    if let Some(path) = &args.table {
        outputs.add(path, findings.table());
    }
    if let Some(path) = &args.output.report {
        let mut page = page::of_fit(&done);
        if criterion.is_none() {
            page.cross_validation = Some(findings.scores.curve(&search.grid));
        }
        page.alternatives.push(findings.section());
        outputs.add(path, page.to_html());
    }
    let written = outputs.commit()?;
    if args.output.json {
        let document = findings.json(&tell::document(&done, &written));
        output::print(&format!("{document}\n"))?;
    } else {
        let text = findings.text(std::io::stdout().is_terminal());
        let measures = tell::measures("rows of the fit", &chosen.training);
        say(&args.output, &format!("{text}{}\n{measures}", tell::summary(&done)), &written)?;
    }
    Ok(chosen.ending(&args.output))
}

impl<'a> Findings<'a> {
    fn new(request: &'a Request, search: &'a Search, chosen: &'a Chosen, names: &[String]) -> Self {
        let scores = Scores::of_outputs(&chosen.selection);
        let line = |(at, score): (usize, &'a proxdist::selection::Score)| {
            let size = match score.point.constraint {
                SetSpec::Rows { keep } => keep,
                SetSpec::Rank { rank } => rank,
                _ => 0,
            };
            let point = chosen.selection.points.get(at);
            let name = |j: &usize| names.get(*j).cloned().unwrap_or_else(|| format!("V{}", j + 1));
            Line {
                size,
                ridge: score.point.ridge,
                mean: score.mean,
                standard_error: score.standard_error,
                folds: &score.folds,
                separated_folds: match request.select {
                    Select::CrossValidation => chosen.selection.table.folds - score.converged,
                    _ => 0,
                },
                objective: point.map(|point| point.objective),
                is_separated: point.is_some_and(|point| point.separation.is_there()),
                support: point.map(|point| point.support.iter().map(name).collect()),
                criteria: criteria_of(request.select)
                    .map(|criterion| point.and_then(|point| point.criterion(criterion))),
            }
        };
        let lines = scores.table.scores.iter().enumerate().map(line).collect();
        Self { request, search, scores, lines }
    }

    /// What a size counts.
    fn unit(&self) -> &'static str {
        if self.request.axis == Axis::Rank { "rank" } else { "feature" }
    }

    fn rule(&self) -> String {
        if let Select::Criterion(criterion) = self.request.select {
            return format!("the least {}", crate::path::name(criterion));
        }
        let rule = match self.search.choice {
            Choice::Best => "the best",
            _ => "the smallest size within one standard error of the best",
        };
        format!("{}-fold cross-validation, {rule}", self.search.folds)
    }

    fn notes(&self) -> Vec<String> {
        let is_separated = self.lines.iter().any(|line| line.is_separated || line.separated_folds > 0);
        let hint = "some sizes are separated: F has no minimum there, its coefficients only grow; \
                    weights above 0, as in --ridge-grid 1e-4,1e-3,1e-2, give it one";
        let is_said = is_separated && self.request.axis == Axis::Rows;
        is_said.then(|| hint.to_owned()).into_iter().collect()
    }

    /// Positions of the points with the ridge of the chosen one.
    fn shown(&self) -> Vec<usize> {
        let ridge = self.lines[self.scores.chosen].ridge;
        (0..self.lines.len()).filter(|&at| self.lines[at].ridge.total_cmp(&ridge).is_eq()).collect()
    }

    /// Names that enter and leave from one point to another; from nothing at first.
    fn change(&self, before: Option<usize>, at: usize) -> (Vec<&str>, Vec<&str>) {
        let names = |at: Option<usize>| -> &[String] {
            at.and_then(|at| self.lines[at].support.as_deref()).unwrap_or_default()
        };
        let (old, new) = (names(before), names(Some(at)));
        (without(new, old), without(old, new))
    }

    fn marks(&self, at: usize) -> String {
        let line = &self.lines[at];
        let mut marks = Vec::new();
        if at == self.scores.chosen {
            marks.push("chosen".to_owned());
        }
        if at == self.scores.best && at != self.scores.chosen {
            marks.push("best".to_owned());
        }
        if line.is_separated {
            marks.push("separated".to_owned());
        }
        if line.separated_folds > 0 && self.request.axis == Axis::Rows {
            marks.push(format!("{} of {} folds separated", line.separated_folds, self.search.folds));
        }
        marks.join(", ")
    }

    /// Header and rows of the table of sizes; `shorten` keeps cells short.
    fn cells(&self, shorten: bool) -> (Vec<String>, Vec<Vec<String>>) {
        let is_rows = self.request.axis == Axis::Rows;
        let mut header = vec![if is_rows { "size" } else { "rank" }.to_owned()];
        if is_rows {
            header.push("F".to_owned());
        }
        let is_scored = self.request.select == Select::CrossValidation;
        header.push(if is_scored { "held-out loss".to_owned() } else { self.request.select.to_string() });
        if is_rows {
            header.extend(["enters", "leaves"].map(str::to_owned));
        }
        header.push(String::new());
        let names = |names: &[&str]| if shorten { some(names) } else { names.join(", ") };
        let mut before = None;
        let row = |at: usize| {
            let line = &self.lines[at];
            let mut cells = vec![line.size.to_string()];
            cells.extend(line.objective.filter(|_| is_rows).map(number));
            cells.push(if is_scored {
                format!("{} ± {}", number(line.mean), number(line.standard_error))
            } else {
                format!("{:.2}", line.mean)
            });
            if is_rows {
                let (enters, leaves) = self.change(before, at);
                before = Some(at);
                cells.extend([names(&enters), names(&leaves)]);
            }
            cells.push(self.marks(at));
            cells
        };
        let rows = self.shown().into_iter().map(row).collect();
        (header, rows)
    }

    /// The best of each ridge.
    fn ridges(&self) -> Vec<String> {
        let best_of = |ridge: &f64| {
            let of = (0..self.lines.len()).filter(|&at| self.lines[at].ridge.total_cmp(ridge).is_eq());
            let best = of.min_by(|&a, &b| self.lines[a].mean.total_cmp(&self.lines[b].mean))?;
            let line = &self.lines[best];
            let what = if self.request.select == Select::CrossValidation { "held-out loss" } else { "criterion" };
            let text = format!("ridge {}: best size {}, {what} {}", number(*ridge), line.size, number(line.mean));
            let is_chosen = self.lines[self.scores.chosen].ridge.total_cmp(ridge).is_eq();
            let size = self.lines[self.scores.chosen].size;
            Some(if is_chosen { format!("{text}; chosen with size {size}") } else { text })
        };
        self.request.ridges.weights().iter().filter_map(best_of).collect()
    }

    fn text(&self, styled: bool) -> String {
        let what = match self.request.axis {
            Axis::Rows => format!("models of {} features shared by all outputs", self.request.sizes),
            Axis::Rank => format!("models of rank {}", self.request.sizes),
        };
        let ridge = number(self.lines[self.scores.chosen].ridge);
        let mut text = format!("{what}, ridge {}\nchosen by {}\n\nridge {ridge}\n", self.request.ridges, self.rule());
        let mut table = comfy_table::Table::new();
        table.load_style(if styled {
            comfy_table::presets::UTF8_FULL_CONDENSED
        } else {
            comfy_table::presets::NOTHING
        });
        table.set_content_arrangement(ContentArrangement::Disabled);
        let (header, rows) = self.cells(true);
        table.set_header(header);
        rows.into_iter().for_each(|row| {
            table.add_row(row);
        });
        for column in 0..=usize::from(self.request.axis == Axis::Rows) + 1 {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        let _ = writeln!(text, "{}\n", lines.join("\n"));
        if self.request.ridges.weights().len() > 1 {
            let _ = writeln!(text, "{}\n", self.ridges().join("\n"));
        }
        text
    }

    fn section(&self) -> proxdist_report::Section {
        let (columns, rows) = self.cells(false);
        let (size, ridge) = (self.lines[self.scores.chosen].size, self.lines[self.scores.chosen].ridge);
        let chosen = match self.request.axis {
            Axis::Rows => plural(size, self.unit()),
            Axis::Rank => format!("rank {size}"),
        };
        let text = format!("{chosen}, chosen by {}; ridge {}.", self.rule(), number(ridge));
        proxdist_report::Section { heading: "Sizes".to_owned(), text, columns, rows, ..Default::default() }
    }

    fn place(&self, at: usize) -> Value {
        let line = &self.lines[at];
        json!({"size": line.size, "ridge": line.ridge, "support": line.support})
    }

    fn json(&self, fit: &Value) -> Value {
        let mut before: Option<usize> = None;
        let point = |at: usize| {
            let line = &self.lines[at];
            let earlier = before.filter(|&before| self.lines[before].size < line.size);
            let (enters, leaves) = self.change(earlier, at);
            before = Some(at);
            json!({
                "size": line.size,
                "ridge": line.ridge,
                "objective": line.objective,
                "mean": self.scored(line.mean),
                "standard_error": self.scored(line.standard_error),
                "folds": line.folds,
                "aic": line.criteria[0],
                "bic": line.criteria[1],
                "ebic": line.criteria[2],
                "separated": line.is_separated,
                "separated_folds": line.separated_folds,
                "support": line.support,
                "enters": enters,
                "leaves": leaves,
            })
        };
        let points: Vec<Value> = (0..self.lines.len()).map(point).collect();
        json!({
            "command": "path",
            "version": env!("CARGO_PKG_VERSION"),
            "sizes": self.request.sizes.to_string(),
            "constraint": format!("{}:{}", self.request.axis.name(), self.request.sizes.largest()),
            "ridges": self.request.ridges.weights(),
            "select": self.request.select.to_string(),
            "rule": self.rule(),
            "folds": self.search.folds,
            "choice": self.search.choice.to_string(),
            "seed": self.search.seed,
            "points": points,
            "best": self.place(self.scores.best),
            "chosen": self.place(self.scores.chosen),
            "interrupted": false,
            "notes": self.notes(),
            "fit": fit,
            "peak_memory_bytes": peak_memory(),
        })
    }

    /// A held-out score, where there are some.
    fn scored(&self, value: f64) -> Option<f64> {
        Some(value).filter(|_| self.request.select == Select::CrossValidation)
    }

    /// One line for each ridge and size; what there is none of is empty.
    fn table(&self) -> String {
        let shown = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let mut text = format!("{COLUMNS}\n");
        for (at, line) in self.lines.iter().enumerate() {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},,,{},{}",
                line.ridge,
                line.size,
                line.objective.map_or_else(String::new, |value| value.to_string()),
                shown(self.scored(line.mean)),
                shown(self.scored(line.standard_error)),
                shown(line.criteria[0]),
                shown(line.criteria[1]),
                shown(line.criteria[2]),
                line.is_separated,
                line.separated_folds,
                at == self.scores.chosen,
                field(&line.support.as_ref().map_or_else(String::new, |names| names.join(";")), false),
            );
        }
        text
    }
}

/// The criteria that are told; EBIC as it is asked for.
fn criteria_of(select: Select) -> [Criterion; 3] {
    let extended = match select {
        Select::Criterion(criterion @ Criterion::ExtendedBayes { .. }) => criterion,
        _ => Select::EXTENDED,
    };
    [Criterion::Akaike, Criterion::Bayes, extended]
}

/// Names that are not among others.
fn without<'n>(names: &'n [String], others: &[String]) -> Vec<&'n str> {
    names.iter().filter(|name| !others.contains(name)).map(String::as_str).collect()
}

/// The first few names, and how many more there are.
fn some(names: &[&str]) -> String {
    let shown: Vec<_> = names.iter().take(NAMES).map(|name| visible(name)).collect();
    let rest = names.len().saturating_sub(NAMES);
    if rest == 0 { shown.join(", ") } else { format!("{} and {rest} more", shown.join(", ")) }
}
