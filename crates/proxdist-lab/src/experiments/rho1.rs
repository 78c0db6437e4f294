//! The supplement's figure over $\rho_1$ at γ = 1 under the unit ball: a larger first penalty helps up to a point.

use super::finite_error::{Panel, Tried, panels, path_cell};
use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::settings::{FiniteError, Rho1 as Settings};
use crate::stats::geometric_mean;
use crate::study::Set;
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, number};

pub(super) struct Rho1 {
    pub(super) settings: Settings,
    pub(super) panels: FiniteError,
    pub(super) seed: u64,
}

impl Rho1 {
    fn panels(&self) -> impl Iterator<Item = Panel> {
        panels(&self.panels).into_iter().filter(|panel| panel.set == Set::Ball)
    }
}

impl Experiment for Rho1 {
    fn cells(&self) -> Vec<Cell> {
        let Settings { values, steps, repeats } = &self.settings;
        let cell = |panel, repeat| {
            let tried = values.iter().map(|&rho1| Tried { gamma: "1".into(), rho1 }).collect();
            path_cell(panel, tried, 1..=*steps, self.seed, repeat)
        };
        self.panels().flat_map(|panel| (0..*repeats).map(move |repeat| cell(panel, repeat))).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let mut section = Section::new("Supplement: error over ρ₁ at γ = 1", paper::RHO1);
        section.fact("Set", "unit ball; data, batches and θ* as in Figure 1");
        section.fact(
            "Open in the paper",
            format!("the values of ρ₁; {} steps, {} repeats", self.settings.steps, self.settings.repeats),
        );
        let levels = results.levels("rho1");
        for (name, column, label) in
            [("rho1-objective", "excess", "F(P(θ)) − F(θ*)"), ("rho1-parameter", "squared_error", "‖P(θ) − θ*‖²")]
        {
            let plots: Vec<Plot> = self.panels().map(|panel| plot(panel, results, &levels, column, label)).collect();
            section.picture(name, "First repeat; one line for each ρ₁.", move |style| {
                small_multiples("Finite error over ρ₁, unit ball, γ = 1", &plots, style)
            });
        }
        let last = self.settings.steps.to_string();
        for panel in self.panels() {
            let rows = panel.rows(results).only(&[("step", &last)]);
            let errors: Vec<f64> = levels
                .iter()
                .map(|rho1| geometric_mean(&rows.only(&[("rho1", rho1)]).numbers("squared_error")))
                .collect();
            let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
            let (first, end) = (errors[0] / errors[best], errors[errors.len() - 1] / errors[best]);
            let ours = format!(
                "{}: best at ρ₁ = {}; the smallest ρ₁ has {} times its squared error, the largest {}",
                panel.title(),
                levels[best],
                number(first, 3),
                number(end, 3)
            );
            let verdict = Verdict::when(best > 0 && best + 1 < errors.len() && end > 2.0);
            section.statements.push(Statement::new("up to a point", paper::RHO1_UP_TO_A_POINT, ours, verdict));
        }
        Ok(section)
    }
}

fn plot(panel: Panel, results: &Frame, levels: &[String], column: &str, label: &str) -> Plot {
    let first = panel.rows(results).only(&[("repeat", "0")]);
    let series =
        |rho1: &String| Series::new(format!("ρ₁ = {rho1}"), first.only(&[("rho1", rho1)]).points("step", column));
    Plot::Lines(LinePlot {
        title: panel.title(),
        x_label: "step k".into(),
        y_label: label.into(),
        log_x: true,
        log_y: true,
        series: levels.iter().map(series).collect(),
        mark: None,
        rings: None,
    })
}
