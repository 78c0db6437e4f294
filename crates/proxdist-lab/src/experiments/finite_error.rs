//! Figures 1 and 2: the error after k steps at several γ, in the objective, $F(P_C(\theta_k)) - F(\theta_*)$, and in the parameter,
//! $\|P_C(\theta_k) - \theta_*\|^2$.
//!
//! $\theta_*$ is the optimum on the sample, from the exact finish. All γ see the same batches. The figures show one path a setting, as
//! the paper's do; statements are judged on geometric means over the repeats.
//!
//! Where $\gamma > 1$, the path can still move by about $\mu\sum_{j>k}1/\rho_j = \mu k^{1-\gamma}/((\gamma - 1)\rho_1)$ in logarithm after step k, and flattens once that is
//! small. With the paper's $\rho_1 = 10^{-3}$ for sparsity and γ = 5/3 that is at about $k = (1500\mu)^{3/2}$, 60 000 for the linear model (μ ≈ 1), so its first
//! repeats go on for longer at γ = 1 and 5/3.

mod judged;

use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Section};
use crate::frame::Frame;
use crate::paper;
use crate::settings::{FiniteError as Settings, Size, fraction};
use crate::study::{Model, Run, Schedule, Set, log_spaced, repeat_seed, squared_distance, with_optimum};
use proxdist::solver::Method;
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, number};
use std::ops::RangeInclusive;

/// A set, a model and a size: one panel of a figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    pub(super) set: Set,
    pub(super) model: Model,
    pub(super) is_high: bool,
    pub(super) size: Size,
    pub(super) batch: usize,
}

impl Panel {
    pub(super) fn dimension(&self) -> &'static str {
        if self.is_high { "high" } else { "low" }
    }

    pub(super) fn title(&self) -> String {
        let Size { n, p } = self.size;
        format!("{}, {}, n = {n}, p = {p}", self.set.name(), self.model.name())
    }

    pub(super) fn rows(&self, frame: &Frame) -> Frame {
        frame.only(&[("set", &self.set.name()), ("model", self.model.name()), ("dimension", self.dimension())])
    }
}

/// Both sets, both models, both sizes.
pub(super) fn panels(settings: &Settings) -> Vec<Panel> {
    let mut panels = Vec::new();
    for set in [Set::Ball, Set::Sparsity(settings.sparsity)] {
        for model in [Model::Linear, Model::Logistic] {
            for (is_high, size) in [(false, settings.low), (true, settings.high)] {
                let share = if model == Model::Linear { settings.linear_batch } else { settings.logistic_batch };
                let batch = ((size.n as f64 * share).round() as usize).clamp(1, size.n);
                panels.push(Panel { set, model, is_high, size, batch });
            }
        }
    }
    panels
}

/// A schedule with its names in the file.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) gamma: String,
    pub(super) rho1: f64,
}

const COLUMNS: [&str; 10] =
    ["set", "model", "dimension", "gamma", "rho1", "repeat", "step", "excess", "squared_error", "residual"];

/// The paths of several schedules on the same data and batches, with rows at checkpoints among these steps.
pub(super) fn path_cell(panel: Panel, tried: Vec<Tried>, shown: RangeInclusive<u64>, seed: u64, repeat: u64) -> Cell {
    let (first, steps) = shown.into_inner();
    let names: Vec<String> = tried.iter().map(|t| format!("{}:{}", t.gamma, t.rho1)).collect();
    let key = format!("{} b={} {} steps={first}..{steps} repeat={repeat}", panel.title(), panel.batch, names.join(" "));
    let weight = step_seconds(panel) * (steps * tried.len() as u64) as f64;
    Cell::new("paths", key, weight, move |halt| {
        let seed = repeat_seed(seed, repeat);
        with_optimum(panel.model, panel.set, panel.size, seed, |problem, best| {
            let objective = problem.objective();
            let mut frame = Frame::new(&COLUMNS);
            for Tried { gamma, rho1 } in &tried {
                let schedule =
                    Schedule { rho1: *rho1, gamma: fraction(gamma).unwrap_or(1.0), batch: panel.batch, steps };
                let checkpoints = log_spaced(steps, 12).into_iter().filter(|&step| step >= first);
                let run = Run { problem, method: Method::ProximalDistance, schedule, seed, halt };
                run.follow(checkpoints, |step, point| {
                    frame.push([
                        panel.set.name().into(),
                        panel.model.name().into(),
                        panel.dimension().into(),
                        gamma.as_str().into(),
                        (*rho1).into(),
                        repeat.into(),
                        step.into(),
                        (objective.value(point)? - best.objective).into(),
                        squared_distance(point, &best.theta).into(),
                        best.stationarity.into(),
                    ]);
                    Ok(true)
                })?;
            }
            Ok(frame)
        })
    })
}

/// Roughly the time of a step, for the time left.
pub(super) fn step_seconds(panel: Panel) -> f64 {
    let (b, p) = (panel.batch as f64, panel.size.p as f64);
    let newton = if panel.model == Model::Linear { 1.0 } else { 2.5 };
    2e-6 + newton * (0.4e-9 * b * p * b.min(p) + 6e-9 * b * p.min(50.0))
}

/// Figure 1 or Figure 2: the same runs, another measure.
pub(super) struct FiniteError {
    settings: Settings,
    seed: u64,
    name: &'static str,
    column: &'static str,
    label: &'static str,
}

impl FiniteError {
    pub(super) fn in_objective(settings: Settings, seed: u64) -> Self {
        let label = "F(P(θ)) − F(θ*)";
        FiniteError { settings, seed, name: "figure1", column: "excess", label }
    }

    pub(super) fn in_parameter(settings: Settings, seed: u64) -> Self {
        let label = "‖P(θ) − θ*‖²";
        FiniteError { settings, seed, name: "figure2", column: "squared_error", label }
    }

    fn rho1(&self, set: Set) -> f64 {
        if set == Set::Ball { self.settings.ball_rho1 } else { self.settings.sparsity_rho1 }
    }
}

impl Experiment for FiniteError {
    fn cells(&self) -> Vec<Cell> {
        let Settings { gammas, steps, repeats, long_steps, long_repeats, .. } = &self.settings;
        let mut cells = Vec::new();
        for panel in panels(&self.settings) {
            let rho1 = self.rho1(panel.set);
            for repeat in 0..*repeats {
                let tried = gammas.iter().map(|gamma| Tried { gamma: gamma.clone(), rho1 }).collect();
                cells.push(path_cell(panel, tried, 1..=*steps, self.seed, repeat));
            }
        }
        let tried = ["1", "5/3"].map(|gamma| Tried { gamma: gamma.into(), rho1: self.settings.sparsity_rho1 });
        for panel in panels(&self.settings).into_iter().filter(|panel| is_long(*panel)) {
            let cell = |repeat| path_cell(panel, tried.to_vec(), steps + 1..=*long_steps, self.seed, repeat);
            cells.extend((0..*long_repeats).map(cell));
        }
        cells
    }

    fn foreign_columns(&self) -> &'static [&'static str] {
        if self.name == "figure1" { &["squared_error"] } else { &["excess"] }
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let (title, text) = match self.name {
            "figure1" => ("Figure 1: finite error in the objective", paper::FIGURE1),
            _ => ("Figure 2: finite error in the parameter", paper::FIGURE2),
        };
        let mut section = Section::new(title, text);
        let settings = &self.settings;
        section.fact(
            "Sets",
            format!(
                "unit ball with ρ₁ = {}, sparsity {} with ρ₁ = {}",
                settings.ball_rho1, settings.sparsity, settings.sparsity_rho1
            ),
        );
        section.fact(
            "Batches",
            format!(
                "{} of n linear, {} of n logistic; the same for all γ",
                settings.linear_batch, settings.logistic_batch
            ),
        );
        section.fact(
            "Open in the paper",
            format!(
                "n and p as in the titles, {} steps from θ = 0, {} repeats with new data; linear under sparsity goes on to {} steps at γ = 1 and 5/3, {} repeats",
                settings.steps, settings.repeats, settings.long_steps, settings.long_repeats
            ),
        );
        section.fact(
            "θ*",
            format!(
                "optimum on the sample by the exact finish; largest certificate residual {}",
                number(results.numbers("residual").into_iter().fold(0.0, f64::max), 2)
            ),
        );
        for (part, set) in [("ball", Set::Ball), ("sparsity", Set::Sparsity(settings.sparsity))] {
            let plots: Vec<Plot> =
                panels(settings).into_iter().filter(|p| p.set == set).map(|p| self.plot(p, results)).collect();
            let heading = format!("{title}, {}", set.name());
            let caption = format!("{}, first repeat; one line for each γ.", set.name());
            section.picture(&format!("{}-{part}", self.name), &caption, move |style| {
                small_multiples(&heading, &plots, style)
            });
        }
        section.statements = self.statements(results);
        Ok(section)
    }
}

impl FiniteError {
    fn plot(&self, panel: Panel, results: &Frame) -> Plot {
        let first = panel.rows(results).only(&[("repeat", "0")]);
        let series = |gamma: &String| {
            Series::new(format!("γ = {gamma}"), first.only(&[("gamma", gamma)]).points("step", self.column))
        };
        Plot::Lines(LinePlot {
            title: panel.title(),
            x_label: "step k".into(),
            y_label: self.label.into(),
            log_x: true,
            log_y: true,
            series: self.settings.gammas.iter().map(series).collect(),
            mark: None,
            rings: None,
        })
    }
}

/// Whether a panel is followed for longer, because its path flattens later.
fn is_long(panel: Panel) -> bool {
    panel.model == Model::Linear && panel.set != Set::Ball
}
