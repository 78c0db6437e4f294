//! What the paths of Figures 1 and 2 say, judged on geometric means over the repeats.

use super::{FiniteError, Panel, is_long, panels};
use crate::experiment::{Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::stats::{geometric_mean, mean};
use crate::study::{Model, Set, log_spaced};
use proxdist_report::number;

impl FiniteError {
    /// Geometric mean over repeats of the error at a step.
    fn error(&self, rows: &Frame, gamma: &str, step: u64) -> f64 {
        geometric_mean(&rows.only(&[("gamma", gamma), ("step", &step.to_string())]).numbers(self.column))
    }

    pub(super) fn statements(&self, results: &Frame) -> Vec<Statement> {
        let last = self.settings.steps;
        let steps = log_spaced(last, 12);
        let earlier = steps.iter().copied().rfind(|&step| step <= last / 10).unwrap_or(1);
        let all: Vec<(Panel, Frame)> =
            panels(&self.settings).into_iter().map(|panel| (panel, panel.rows(results))).collect();
        let end = |rows: &Frame, gamma: &str| self.error(rows, gamma, last);
        let fall = |rows: &Frame, gamma: &str| end(rows, gamma) / self.error(rows, gamma, earlier);
        let long_fall = |rows: &Frame, gamma: &str| {
            let long_steps = self.settings.long_steps;
            let before = log_spaced(long_steps, 12).into_iter().rfind(|&step| step <= long_steps / 10).unwrap_or(1);
            self.error(rows, gamma, long_steps) / self.error(rows, gamma, before)
        };
        let names = |held: &[bool]| {
            let missed: Vec<String> =
                all.iter().zip(held).filter(|(_, held)| !**held).map(|((p, _), _)| p.title()).collect();
            let count = held.iter().filter(|held| **held).count();
            let rest = if missed.is_empty() { String::new() } else { format!("; not in {}", missed.join("; ")) };
            format!("in {count} of {} panels{rest}", held.len())
        };
        let mut statements = Vec::new();
        let held: Vec<bool> = all.iter().map(|(_, rows)| fall(rows, "2/3") < 1.0 && fall(rows, "1") < 1.0).collect();
        statements.push(Statement::new(
            "progress",
            paper::PROGRESS,
            format!("error at step {last} below that at step {earlier} for γ = 2/3 and 1 {}", names(&held)),
            Verdict::when(held.iter().all(|h| *h)),
        ));
        let held: Vec<bool> = all
            .iter()
            .map(|(_, rows)| end(rows, "1/3") > end(rows, "2/3") && end(rows, "2/3") > end(rows, "1"))
            .collect();
        statements.push(Statement::new(
            "monotone",
            paper::MONOTONE,
            format!("final errors fall from γ = 1/3 to 2/3 to 1 {}", names(&held)),
            Verdict::when(held.iter().all(|h| *h)),
        ));
        let linear_ball: Vec<&Frame> =
            all.iter().filter(|(p, _)| p.set == Set::Ball && p.model == Model::Linear).map(|(_, r)| r).collect();
        let ratios: Vec<f64> = linear_ball.iter().map(|rows| end(rows, "4/3") / end(rows, "1")).collect();
        let shown = ratios.iter().map(|r| number(*r, 2)).collect::<Vec<_>>().join(", ");
        statements.push(Statement::new(
            "faster beyond one",
            paper::FASTER,
            format!("linear, unit ball: final error at γ = 4/3 over that at γ = 1: {shown} (low, high)"),
            Verdict::when(ratios.iter().all(|r| *r < 1.0)),
        ));
        let flat: Vec<bool> = all.iter().map(|(_, rows)| fall(rows, "5/3") > fall(rows, "1")).collect();
        let shown = |falls: &[f64]| falls.iter().map(|f| number(*f, 2)).collect::<Vec<_>>().join(", ");
        let falls: Vec<f64> = all.iter().map(|(_, rows)| fall(rows, "5/3")).collect();
        let long: Vec<(f64, f64)> = all
            .iter()
            .filter(|(panel, _)| is_long(*panel))
            .map(|(_, rows)| (long_fall(rows, "5/3"), long_fall(rows, "1")))
            .collect();
        let later = long.iter().all(|(beyond, one)| beyond > one);
        let held = all.iter().zip(&flat).all(|((panel, _), flat)| *flat || (is_long(*panel) && later));
        let (beyond, one): (Vec<f64>, Vec<f64>) = long.into_iter().unzip();
        statements.push(Statement::new(
            "asymptote",
            paper::ASYMPTOTE,
            format!(
                "over the last decade of {last} steps the error at γ = 5/3 falls by less than at γ = 1 {}; factors {}. Linear under sparsity, where ρ₁ is small, in the last decade of {} steps: {} at γ = 5/3, {} at γ = 1",
                names(&flat),
                shown(&falls),
                self.settings.long_steps,
                shown(&beyond),
                shown(&one)
            ),
            Verdict::when(held),
        ));
        let logistic: Vec<&Frame> = all.iter().filter(|(p, _)| p.model == Model::Logistic).map(|(_, r)| r).collect();
        let early: Vec<bool> = logistic.iter().map(|rows| fall(rows, "4/3") > fall(rows, "1")).collect();
        statements.push(Statement::new(
            "asymptote logistic",
            paper::ASYMPTOTE_LOGISTIC,
            format!(
                "logistic: at γ = 4/3 the error falls by less than at γ = 1 over the last decade in {} of {} panels",
                early.iter().filter(|e| **e).count(),
                early.len()
            ),
            Verdict::when(early.iter().all(|e| *e)),
        ));
        let rough = |set_is_ball: bool| {
            let of = |(_, rows): &&(Panel, Frame)| {
                let path = rows.only(&[("repeat", "0"), ("gamma", "1")]).points("step", self.column);
                let path = path.into_iter().filter(|(step, _)| *step <= last as f64);
                roughness(&path.map(|(_, error)| error).collect::<Vec<_>>())
            };
            mean(
                &all.iter()
                    .filter(|(p, _)| (p.set == Set::Ball) == set_is_ball)
                    .map(|pair| of(&pair))
                    .collect::<Vec<_>>(),
            )
        };
        let (ball, sparse) = (rough(true), rough(false));
        statements.push(Statement::new(
            "choppy",
            paper::CHOPPY,
            format!(
                "mean absolute second difference of the log error at γ = 1: ball {}, sparsity {}",
                number(ball, 2),
                number(sparse, 2)
            ),
            Verdict::when(sparse > ball),
        ));
        statements
    }
}

/// Mean absolute second difference of the logarithms.
fn roughness(errors: &[f64]) -> f64 {
    let logs: Vec<f64> = errors.iter().filter(|e| **e > 0.0).map(|e| e.ln()).collect();
    mean(&logs.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs()).collect::<Vec<_>>())
}
