//! What the paths of Figures 1 and 2 say, judged on geometric means over the repeats.

use super::{FiniteError, Panel, is_long, panels};
use crate::experiment::{Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::stats::{geometric_mean, mean};
use crate::study::{Model, Set, log_spaced};
use proxdist_report::number;

/// The panels with their rows.
type Panels = Vec<(Panel, Frame)>;

impl FiniteError {
    pub(super) fn statements(&self, results: &Frame) -> Vec<Statement> {
        let all: Panels = panels(&self.settings).into_iter().map(|panel| (panel, panel.rows(results))).collect();
        let last = self.settings.steps;
        let held: Vec<bool> = all
            .iter()
            .map(|(_, rows)| self.fall(rows, "2/3", last) < 1.0 && self.fall(rows, "1", last) < 1.0)
            .collect();
        let progress = Statement::new(
            "progress",
            paper::PROGRESS,
            format!(
                "error at step {last} below that at step {} for γ = 2/3 and 1 {}",
                a_decade_before(last),
                where_held(&all, &held)
            ),
            Verdict::when(held.iter().all(|h| *h)),
        );
        let end = |rows: &Frame, gamma: &str| self.error(rows, gamma, last);
        let falls = |rows: &Frame| end(rows, "1/3") > end(rows, "2/3") && end(rows, "2/3") > end(rows, "1");
        let held: Vec<bool> = all.iter().map(|(_, rows)| falls(rows)).collect();
        let monotone = Statement::new(
            "monotone",
            paper::MONOTONE,
            format!("final errors fall from γ = 1/3 to 2/3 to 1 {}", where_held(&all, &held)),
            Verdict::when(held.iter().all(|h| *h)),
        );
        let linear_ball = all.iter().filter(|(p, _)| p.set == Set::Ball && p.model == Model::Linear);
        let ratios: Vec<f64> = linear_ball.map(|(_, rows)| end(rows, "4/3") / end(rows, "1")).collect();
        let faster = Statement::new(
            "faster beyond one",
            paper::FASTER,
            format!("linear, unit ball: final error at γ = 4/3 over that at γ = 1: {} (low, high)", list(&ratios)),
            Verdict::when(ratios.iter().all(|r| *r < 1.0)),
        );
        vec![progress, monotone, faster, self.asymptote(&all), self.early_asymptote(&all), self.choppy(&all)]
    }

    /// Geometric mean over repeats of the error at a step.
    fn error(&self, rows: &Frame, gamma: &str, step: u64) -> f64 {
        geometric_mean(&rows.only(&[("gamma", gamma), ("step", &step.to_string())]).numbers(self.column))
    }

    /// The error at the last of so many steps over that a decade before.
    fn fall(&self, rows: &Frame, gamma: &str, last: u64) -> f64 {
        self.error(rows, gamma, last) / self.error(rows, gamma, a_decade_before(last))
    }

    fn asymptote(&self, all: &Panels) -> Statement {
        let (last, long_last) = (self.settings.steps, self.settings.long_steps);
        let falls = |gamma: &str| -> Vec<f64> { all.iter().map(|(_, rows)| self.fall(rows, gamma, last)).collect() };
        let flat: Vec<bool> = falls("5/3").iter().zip(falls("1")).map(|(beyond, one)| *beyond > one).collect();
        let long = |gamma: &str| -> Vec<f64> {
            let followed = all.iter().filter(|(panel, _)| is_long(*panel));
            followed.map(|(_, rows)| self.fall(rows, gamma, long_last)).collect()
        };
        let later = long("5/3").iter().zip(long("1")).all(|(beyond, one)| *beyond > one);
        let held = all.iter().zip(&flat).all(|((panel, _), flat)| *flat || (is_long(*panel) && later));
        let ours = format!(
            "over the last decade of {last} steps the error at γ = 5/3 falls by less than at γ = 1 {}; factors {}. Linear under sparsity, where ρ₁ is small, in the last \
             decade of {long_last} steps: {} at γ = 5/3, {} at γ = 1",
            where_held(all, &flat),
            list(&falls("5/3")),
            list(&long("5/3")),
            list(&long("1"))
        );
        Statement::new("asymptote", paper::ASYMPTOTE, ours, Verdict::when(held))
    }

    fn early_asymptote(&self, all: &Panels) -> Statement {
        let last = self.settings.steps;
        let logistic = all.iter().filter(|(p, _)| p.model == Model::Logistic);
        let early: Vec<bool> =
            logistic.map(|(_, rows)| self.fall(rows, "4/3", last) > self.fall(rows, "1", last)).collect();
        let ours = format!(
            "logistic: at γ = 4/3 the error falls by less than at γ = 1 over the last decade in {} of {} panels",
            early.iter().filter(|e| **e).count(),
            early.len()
        );
        let verdict = Verdict::when(early.iter().all(|e| *e));
        Statement::new("asymptote logistic", paper::ASYMPTOTE_LOGISTIC, ours, verdict)
    }

    fn choppy(&self, all: &Panels) -> Statement {
        let last = self.settings.steps as f64;
        let rough = |is_ball: bool| {
            let of = |(_, rows): &(Panel, Frame)| {
                let path = rows.only(&[("repeat", "0"), ("gamma", "1")]).points("step", self.column);
                let path = path.into_iter().filter(|(step, _)| *step <= last);
                roughness(&path.map(|(_, error)| error).collect::<Vec<_>>())
            };
            let chosen = all.iter().filter(|(p, _)| (p.set == Set::Ball) == is_ball);
            mean(&chosen.map(of).collect::<Vec<_>>())
        };
        let (ball, sparse) = (rough(true), rough(false));
        let ours = format!(
            "mean absolute second difference of the log error at γ = 1: ball {}, sparsity {}",
            number(ball, 2),
            number(sparse, 2)
        );
        Statement::new("choppy", paper::CHOPPY, ours, Verdict::when(sparse > ball))
    }
}

/// The last checkpoint up to a tenth of so many steps.
fn a_decade_before(last: u64) -> u64 {
    log_spaced(last, 12).into_iter().rfind(|&step| step <= last / 10).unwrap_or(1)
}

fn list(values: &[f64]) -> String {
    values.iter().map(|value| number(*value, 2)).collect::<Vec<_>>().join(", ")
}

/// In how many panels something holds, and in which it does not.
fn where_held(all: &Panels, held: &[bool]) -> String {
    let missed: Vec<String> = all.iter().zip(held).filter(|(_, held)| !**held).map(|((p, _), _)| p.title()).collect();
    let rest = if missed.is_empty() { String::new() } else { format!("; not in {}", missed.join("; ")) };
    format!("in {} of {} panels{rest}", held.len() - missed.len(), held.len())
}

/// Mean absolute second difference of the logarithms.
fn roughness(errors: &[f64]) -> f64 {
    let logs: Vec<f64> = errors.iter().filter(|e| **e > 0.0).map(|e| e.ln()).collect();
    mean(&logs.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs()).collect::<Vec<_>>())
}
