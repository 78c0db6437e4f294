//! The supplement's box plots: the error after a fixed number of steps over all pairs of γ and $\rho_1$.

use super::finite_error::{Panel, panels, step_seconds};
use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::settings::{BoxPlots as Settings, FiniteError, fraction};
use crate::stats::{mean, median};
use crate::study::{Model, Run, Schedule, Set, repeat_seed, squared_distance, with_optimum};
use proxdist::solver::Method;
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{BoxGroup, BoxPlots as Boxes, number};

pub(super) struct BoxPlots {
    pub(super) settings: Settings,
    pub(super) panels: FiniteError,
    pub(super) seed: u64,
}

const COLUMNS: [&str; 9] = ["set", "model", "dimension", "gamma", "rho1", "repeat", "excess", "error", "norm"];

impl BoxPlots {
    fn cell(&self, panel: Panel, repeat: u64) -> Cell {
        let (steps, seed) = (self.settings.steps, self.seed);
        let (gammas, rho1s) = (self.panels.gammas.clone(), self.settings.rho1.clone());
        let key = format!(
            "{} b={} gammas={gammas:?} rho1={rho1s:?} steps={steps} repeat={repeat}",
            panel.title(),
            panel.batch
        );
        let runs = (gammas.len() * rho1s.len()) as f64;
        Cell::new("boxplots", key, step_seconds(panel) * steps as f64 * runs, move |halt| {
            let seed = repeat_seed(seed, repeat);
            with_optimum(panel.model, panel.set, panel.size, seed, |problem, best| {
                let objective = problem.objective();
                let norm = squared_distance(&best.theta, &vec![0.0; best.theta.len()]).sqrt();
                let mut frame = Frame::new(&COLUMNS);
                for gamma in &gammas {
                    for &rho1 in &rho1s {
                        let schedule =
                            Schedule { rho1, gamma: fraction(gamma).unwrap_or(1.0), batch: panel.batch, steps };
                        let run = Run { problem, method: Method::ProximalDistance, schedule, seed, halt };
                        run.follow(std::iter::once(steps), |_, point| {
                            frame.push([
                                panel.set.name().into(),
                                panel.model.name().into(),
                                panel.dimension().into(),
                                gamma.as_str().into(),
                                rho1.into(),
                                repeat.into(),
                                (objective.value(point)? - best.objective).into(),
                                squared_distance(point, &best.theta).sqrt().into(),
                                norm.into(),
                            ]);
                            Ok(true)
                        })?;
                    }
                }
                Ok(frame)
            })
        })
    }
}

impl Experiment for BoxPlots {
    fn cells(&self) -> Vec<Cell> {
        let repeats =
            |panel: &Panel| if panel.is_high { self.settings.high_repeats } else { self.settings.low_repeats };
        let cells = panels(&self.panels).into_iter().flat_map(|panel| (0..repeats(&panel)).map(move |r| (panel, r)));
        cells.map(|(panel, repeat)| self.cell(panel, repeat)).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let mut section = Section::new("Supplement: box plots over γ and ρ₁", paper::BOXPLOTS);
        let Settings { steps, low_repeats, high_repeats, .. } = &self.settings;
        section.fact("Runs", format!("{steps} steps; {low_repeats} repeats in low dimension, {high_repeats} in high dimension, each with new data"));
        for (name, set) in [("boxplots-ball", Set::Ball), ("boxplots-sparsity", Set::Sparsity(self.panels.sparsity))] {
            let plots: Vec<Plot> =
                panels(&self.panels).into_iter().filter(|p| p.set == set).map(|p| plot(p, results)).collect();
            let heading = format!("Error after {steps} steps, {}", set.name());
            section.picture(
                name,
                "‖P(θ) − θ*‖ after the last step; groups are ρ₁, colours γ.",
                move |style| small_multiples(&heading, &plots, style),
            );
        }
        section.statements = self.statements(results);
        Ok(section)
    }
}

impl BoxPlots {
    fn statements(&self, results: &Frame) -> Vec<Statement> {
        let levels = results.levels("rho1");
        let error = |rows: &Frame, gamma: &str, rho1: &str| {
            median(&rows.only(&[("gamma", gamma), ("rho1", rho1)]).numbers("error"))
        };
        let mut statements = Vec::new();
        let (mut turned, mut shown) = (0, Vec::new());
        let all = panels(&self.panels);
        for panel in &all {
            let rows = panel.rows(results);
            let errors: Vec<f64> = levels.iter().map(|rho1| error(&rows, "1", rho1)).collect();
            let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
            let fails = errors[errors.len() - 1] / errors[best];
            turned += usize::from(best > 0 && fails > 1.5);
            shown.push(format!("{} best {} (largest ρ₁: × {})", panel.title(), levels[best], number(fails, 2)));
        }
        let ours = format!(
            "at γ = 1 the median error falls, then rises again in {turned} of {} panels: {}",
            all.len(),
            shown.join("; ")
        );
        statements.push(Statement::new(
            "improves then fails",
            paper::BOX_UP_TO_A_POINT,
            ours,
            Verdict::when(turned == all.len()),
        ));
        if let Some(panel) = all.iter().find(|p| p.set == Set::Ball && p.model == Model::Linear && !p.is_high) {
            let rows = panel.rows(results);
            let largest = levels.last().map_or("", String::as_str);
            let (steep, one) = (error(&rows, "5/3", largest), error(&rows, "1", largest));
            let ours = format!(
                "median error {} at γ = 5/3 against {} at γ = 1, both at ρ₁ = {largest}",
                number(steep, 3),
                number(one, 3)
            );
            statements.push(Statement::new("fails at 5/3", paper::BOX_FAILS, ours, Verdict::when(steep > 2.0 * one)));
        }
        let sparse: Vec<f64> =
            all.iter().filter(|p| p.set != Set::Ball).flat_map(|p| p.rows(results).numbers("norm")).collect();
        let norm = mean(&sparse);
        statements.push(Statement::new(
            "norm",
            paper::BOX_NORM,
            format!("mean norm of θ* under sparsity {}", number(norm, 3)),
            Verdict::when((norm - 12.0).abs() < 2.0),
        ));
        statements
    }
}

fn plot(panel: Panel, results: &Frame) -> Plot {
    let rows = panel.rows(results);
    let gammas = rows.levels("gamma");
    let group = |rho1: &String| {
        let at = rows.only(&[("rho1", rho1)]);
        let values = gammas.iter().map(|gamma| at.only(&[("gamma", gamma)]).numbers("error")).collect();
        BoxGroup { label: rho1.clone(), values }
    };
    Plot::Boxes(Boxes {
        title: panel.title(),
        label: "‖P(θ) − θ*‖, over ρ₁".into(),
        log: true,
        series: gammas.iter().map(|gamma| format!("γ = {gamma}")).collect(),
        groups: rows.levels("rho1").iter().map(group).collect(),
    })
}
