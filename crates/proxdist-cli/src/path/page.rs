//! The findings as sections of a page: held-out loss, F and coefficients against the size.

use super::Findings;
use crate::args::Select;
use crate::words::number;
use proxdist::Proven;
use proxdist::path::PathPoint;
use proxdist_pages::Crossed;
use proxdist_report::{CvCurve, CvPoint, LinePlot, Mark, Notice, Rings, Section, Series};

/// Lines of a picture: there are as many colours.
const LINES: usize = 6;
/// Features whose coefficients are drawn: colours and dashes tell so many apart.
const FEATURES: usize = 12;

impl Findings {
    /// The title of the page.
    pub(crate) fn title(&self, source: &str) -> String {
        format!("Sizes {} on {source}", self.request.sizes)
    }

    /// The result in a sentence.
    pub(crate) fn result(&self) -> String {
        let (size, rule) = (self.chosen_point().map(|point| point.size), self.request.rule());
        let chosen =
            size.map_or_else(|| "No size is chosen".to_owned(), |size| format!("Size {size} is chosen by {rule}"));
        format!("{chosen}; {}.", self.request.ridges_in_words())
    }

    /// What cross-validation said of the chosen model.
    pub(crate) fn crossed(&self) -> Option<Crossed> {
        let score = self.scores.as_ref()?.get(self.chosen?)?;
        Some(Crossed {
            score: "cross-validated loss".to_owned(),
            mean: score.mean,
            standard_error: score.standard_error,
            folds: self.request.folds,
            is_loss: true,
        })
    }

    /// What was noted, for the page.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notes().into_iter().map(Notice::warning).collect()
    }

    /// The sections.
    pub(crate) fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.table_section()];
        sections.extend(self.held_out());
        sections.extend(self.criterion_section());
        sections.push(self.objective_section());
        sections.push(self.coefficients());
        sections
    }

    /// The set that a size is put into, in words, unless features are chosen freely.
    fn within(&self) -> String {
        if self.request.is_plain() {
            return String::new();
        }
        format!(" in {}, with the size in place of {},", self.request.set, self.request.sizes.largest())
    }

    /// The ridges whose lines are drawn.
    fn drawn(&self) -> Vec<f64> {
        let ridges = self.ridges();
        if ridges.len() <= LINES { ridges } else { vec![self.main_ridge()] }
    }

    /// What tells lines apart.
    fn line(&self, ridge: f64) -> String {
        if self.drawn().len() > 1 { format!("ridge {}", number(ridge)) } else { String::new() }
    }

    fn table_section(&self) -> Section {
        let ridge = self.main_ridge();
        let mut before = None;
        let mut row = |at: usize| {
            let (enters, leaves) = self.change(before, at);
            before = Some(at);
            let point = &self.path.points[at];
            let numbers = [point.size.to_string(), number(point.objective)].into_iter();
            let numbers = numbers.chain(self.measure().map(|_| self.measured(at)));
            numbers.chain([enters.join(", "), leaves.join(", "), self.marks(at)]).collect()
        };
        let columns = ["size".to_owned(), "F".to_owned()].into_iter().chain(self.measure());
        Section {
            heading: "Sizes".to_owned(),
            text: format!("The best model found of each size{} with ridge {}.", self.within(), number(ridge)),
            rows: self.shown_of(ridge).into_iter().map(&mut row).collect(),
            columns: columns.chain(["enters", "leaves", ""].map(str::to_owned)).collect(),
            ..Section::default()
        }
    }

    fn held_out(&self) -> Option<Section> {
        let scores = self.scores.as_ref()?;
        let main = self.main_ridge();
        let positions: Vec<usize> = self.drawn().into_iter().flat_map(|ridge| self.shown_of(ridge)).collect();
        let point = |&at: &usize| {
            let score = &scores[at];
            // Bars of several lines would hide each other.
            let is_main = score.ridge.total_cmp(&main).is_eq();
            CvPoint {
                value: score.size as f64,
                line: self.line(score.ridge),
                mean: score.mean,
                standard_error: if is_main { score.standard_error } else { 0.0 },
            }
        };
        let curve = CvCurve {
            parameter: format!("number of {}s", self.request.unit()),
            score: "held-out loss".to_owned(),
            larger_is_better: false,
            folds: self.request.folds,
            points: positions.iter().map(point).collect(),
            chosen: positions.iter().position(|at| Some(*at) == self.chosen),
            one_standard_error: None,
        };
        let bars = if self.drawn().len() > 1 { ", drawn for the chosen ridge" } else { "" };
        Some(Section {
            heading: "Loss on rows that were held out".to_owned(),
            text: format!("Mean over {} folds; bars are one standard error{bars}.", self.request.folds),
            curve: Some(curve),
            ..Section::default()
        })
    }

    fn criterion_section(&self) -> Option<Section> {
        let (Select::Criterion(criterion), Some(criteria)) = (self.request.select, &self.criteria) else { return None };
        let values = criteria.values(criterion);
        let value = |at: usize, _: &PathPoint| values[at];
        let plot = self.plot(&self.measure()?, &value);
        Some(Section { heading: super::name(criterion), plot: Some(plot), ..Section::default() })
    }

    fn objective_section(&self) -> Section {
        let value = |_, point: &PathPoint| point.objective;
        let rings = self.proven_sizes();
        let proven = match &rings {
            Some(rings) => format!(
                " For {} of {} models it is proven that no other of their size and ridge has a lower F; they are ringed.",
                rings.points.len(),
                self.drawn().into_iter().map(|ridge| self.shown_of(ridge).len()).sum::<usize>()
            ),
            None => String::new(),
        };
        Section {
            heading: "Objective".to_owned(),
            text: format!("F on all rows, the ridge term included, at the best model found of each size.{proven}"),
            plot: Some(LinePlot { rings, ..self.plot("F", &value) }),
            ..Section::default()
        }
    }

    /// The sizes that are drawn and proven to be globally optimal; none if no proof was asked for or possible.
    fn proven_sizes(&self) -> Option<Rings> {
        let drawn: Vec<usize> = self.drawn().into_iter().flat_map(|ridge| self.shown_of(ridge)).collect();
        let points = || drawn.iter().map(|&at| &self.path.points[at]);
        points().any(|point| point.gap.is_some()).then(|| Rings {
            label: Proven::Optimal.to_string(),
            points: points()
                .filter(|point| point.proven() == Some(Proven::Optimal))
                .map(|point| (point.size as f64, point.objective))
                .collect(),
        })
    }

    /// A line for each ridge, and where the choice fell.
    fn plot(&self, label: &str, value: &dyn Fn(usize, &PathPoint) -> f64) -> LinePlot {
        let points = |ridge: f64| -> Vec<(f64, f64)> {
            let at = |at: usize| (self.path.points[at].size as f64, value(at, &self.path.points[at]));
            self.shown_of(ridge).into_iter().map(at).collect()
        };
        let series = self.drawn().into_iter().map(|ridge| Series::new(self.line(ridge), points(ridge))).collect();
        self.marked(label, series)
    }

    fn coefficients(&self) -> Section {
        let positions = self.shown_of(self.main_ridge());
        let value = |at: usize, feature: usize| {
            let point = &self.path.points[at];
            self.path.layout.coefficients(&point.theta).get(feature).copied().unwrap_or(0.0)
        };
        let mut features: Vec<usize> = positions.iter().flat_map(|&at| self.path.points[at].support.clone()).collect();
        features.sort_unstable();
        features.dedup();
        let largest = |feature: usize| positions.iter().map(|&at| value(at, feature).abs()).fold(0.0, f64::max);
        features.sort_by(|&a, &b| largest(b).total_cmp(&largest(a)).then(a.cmp(&b)));
        let hidden = features.len().saturating_sub(FEATURES);
        features.truncate(FEATURES);
        let line = |&feature: &usize| {
            let points = positions.iter().map(|&at| (self.path.points[at].size as f64, value(at, feature)));
            Series::new(self.name(feature), points.collect())
        };
        let series = features.iter().map(line).collect();
        let label = if self.is_scaled { "coefficient × standard deviation" } else { "coefficient" };
        let rest = if hidden > 0 {
            format!(" The {FEATURES} largest are drawn; {hidden} others are not.")
        } else {
            String::new()
        };
        Section {
            heading: "Coefficients of all sizes".to_owned(),
            text: format!("With ridge {}.{rest}", number(self.main_ridge())),
            plot: Some(self.marked(label, series)),
            ..Section::default()
        }
    }

    /// Lines against the size, with a mark where the choice fell.
    fn marked(&self, label: &str, series: Vec<Series>) -> LinePlot {
        let mark = |chosen: &PathPoint| Mark { at: chosen.size as f64, label: format!("chosen: size {}", chosen.size) };
        LinePlot {
            title: label.to_owned(),
            x_label: format!("number of {}s", self.request.unit()),
            y_label: label.to_owned(),
            log_x: false,
            log_y: false,
            series,
            mark: self.chosen_point().map(mark),
            rings: None,
        }
    }
}
