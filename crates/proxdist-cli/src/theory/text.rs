//! The summary for people.

use super::{Findings, POWERS};
use crate::terminal::visible;
use crate::words::{count, from_ln, number, plural};
use proxdist::theory::{Bounds, Curve, Measured, Recommendation, Verdict, rate};
use std::fmt::Write as _;

impl Findings<'_> {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.head(&mut text);
        let _ = writeln!(text, "\nConstants");
        let rows = self.constants().into_iter().map(|c| vec![c.name.to_owned(), c.value, c.meaning]);
        columns(&mut text, &rows.collect::<Vec<_>>());
        let _ = writeln!(text, "\nAssumptions: {}", self.conclusion());
        for assumption in &self.assumptions {
            let _ = writeln!(text, "  {:<7}{:<14}{}", word(assumption.verdict), assumption.name, assumption.statement);
            let _ = writeln!(text, "  {:<21}{}", "", assumption.reason);
        }
        self.rates(&mut text);
        self.comparison(&mut text);
        self.advice_text(&mut text);
        text
    }

    fn head(&self, text: &mut String) {
        let (about, model) = (&self.about, self.about.model);
        let ridge = if model.ridge > 0.0 { format!(", ridge {}", number(model.ridge)) } else { String::new() };
        let intercept = if self.has_intercept { "" } else { ", no intercept" };
        let _ = writeln!(text, "{} loss{ridge}{intercept}: {}", model.loss, about.spec.words());
        let (rows, features) = (plural(about.data.rows(), "row"), plural(about.data.columns(), "feature"));
        let scaled = if about.is_scaled { "; columns are scaled" } else { "; columns as in the file" };
        let _ = writeln!(text, "{rows} x {features}, {}{scaled}", visible(about.source));
        let origin = if self.is_auto { " (chosen by the race)" } else { "" };
        let Bounds { rho1, gamma, .. } = self.bounds;
        let size = self.study.batch_size;
        let _ = writeln!(
            text,
            "rho_k = {}{origin} k^{}, batches of {size}, seed {}",
            number(rho1),
            number(gamma),
            self.seed
        );
        let fit = self.study.fit.objective();
        let residual = self.study.fit.certificate().stationarity;
        let _ = writeln!(
            text,
            "theta_* from the exact finish: F = {}, stationarity residual {}",
            number(fit),
            number(residual)
        );
    }

    fn rates(&self, text: &mut String) {
        let Bounds { rho1, gamma, constants, .. } = self.bounds;
        let _ = writeln!(text, "\nRates for rho1 = {} (powers of 1/k)", number(rho1));
        let _ = writeln!(text, "  {:<11}{:<22}F - F(theta_*)", "gamma", "|theta - theta_*|^2");
        let mut powers = POWERS.to_vec();
        powers.push(gamma);
        powers.sort_by(f64::total_cmp);
        powers.dedup();
        for power in powers {
            let mark = if power == gamma { " <- asked about" } else { "" };
            let _ = match rate(constants.mu, rho1, power) {
                Some(rate) => {
                    let [parameter, objective] = [rate.parameter, rate.objective].map(|rate| format!("{rate:.3}"));
                    writeln!(text, "  {:<11}{parameter:<22}{objective}{mark}", number(power))
                }
                None => writeln!(text, "  {:<11}{:<22}no rate{mark}", number(power), "no rate"),
            };
        }
    }

    /// Bounds at a few steps, with what was measured beside them.
    fn comparison(&self, text: &mut String) {
        let (steps, bounds) = (self.steps(), &self.bounds);
        let stepwise = bounds.ln_parameter_step_by_step(&steps);
        let optional = |ln: Option<f64>| ln.map_or_else(|| "none".to_owned(), from_ln);
        let mean = |i: usize, curve: fn(&Measured) -> &Curve| {
            self.measured.as_ref().map(|measured| short(curve(measured).mean[i]))
        };
        let titles = |closed: &str| {
            let rest = ["step by step".to_owned()].into_iter();
            [closed.to_owned()].into_iter().chain(rest).chain(self.measured.as_ref().map(|_| "measured".to_owned()))
        };
        let mut parameter = vec![["step".to_owned()].into_iter().chain(titles("Theorem 2")).collect::<Vec<_>>()];
        parameter[0].push("Prop. 2 (a)".to_owned());
        let mut objective = vec![["step".to_owned()].into_iter().chain(titles("Theorem 3")).collect::<Vec<_>>()];
        for i in (0..steps.len()).filter(|&i| i + 1 == steps.len() || is_round(steps[i])) {
            let step = steps[i];
            let mut row = vec![count(step), optional(bounds.ln_parameter(step)), from_ln(stepwise[i])];
            row.extend(mean(i, |measured| &measured.parameter));
            row.push(from_ln(bounds.ln_distance(step)));
            parameter.push(row);
            let sharp = from_ln(bounds.ln_objective_from(stepwise[i]));
            let mut row = vec![count(step), optional(bounds.ln_objective(step)), sharp];
            row.extend(mean(i, |measured| &measured.objective));
            objective.push(row);
        }
        let _ = writeln!(text, "\nBounds on |theta - theta_*|^2");
        columns(text, &parameter);
        let _ = writeln!(text, "\nBounds on F - F(theta_*)");
        columns(text, &objective);
        let Some(measured) = &self.measured else { return };
        let _ = writeln!(
            text,
            "\nMeasured slopes over the last decade of steps, {}, 95 % intervals",
            plural(self.repeats, "run")
        );
        let proven = rate(self.bounds.constants.mu, self.bounds.rho1, self.bounds.gamma);
        let lines = [
            ("|theta - theta_*|^2", &measured.parameter, proven.map(|rate| rate.parameter)),
            ("F - F(theta_*)", &measured.objective, proven.map(|rate| rate.objective)),
        ];
        for (name, curve, proven) in lines {
            let proven = proven
                .map_or_else(|| "no rate is proven".to_owned(), |rate| format!("proven: {:.3} or steeper", -rate));
            let _ = match curve.slope {
                Some(slope) => {
                    writeln!(text, "  {name:<22}{:.3} ({:.3} to {:.3}); {proven}", slope.value, slope.low, slope.high)
                }
                None => writeln!(text, "  {name:<22}too few runs or steps for a slope; {proven}"),
            };
        }
    }

    fn advice_text(&self, text: &mut String) {
        let advice = &self.advice;
        let _ = writeln!(text, "\nAdvice");
        let mut line = |what: String, value: String| {
            let _ = writeln!(text, "  {what:<48}{value}");
        };
        let schedule = |found: &Recommendation| {
            let bound = from_ln(found.ln_bound);
            format!("rho1 {}, gamma {}: at most {bound}", short(found.rho1), number(found.gamma))
        };
        line(
            "largest rho1 with rate 1/k at gamma = 1".to_owned(),
            format!("{} (mu / (e - 1))", short(advice.fastest_rho1)),
        );
        let at = count(advice.steps);
        line(format!("least bound step by step at step {at}"), schedule(&advice.step_by_step));
        line(format!("least bound of Theorem 2 at step {at}"), schedule(&advice.theorem));
        let auto = self.study.auto_rho1;
        line(
            "chosen by the race (what `--rho1 auto` uses)".to_owned(),
            format!("rho1 {}, {} mu", number(auto), short(auto / self.study.constants.mu)),
        );
    }
}

/// Rows of text in columns as wide as what is in them.
fn columns(text: &mut String, rows: &[Vec<String>]) {
    let width = |j: usize| rows.iter().filter_map(|row| row.get(j)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    for row in rows {
        let cells: Vec<String> =
            row.iter().enumerate().map(|(j, cell)| format!("{cell:<width$}", width = width(j))).collect();
        let _ = writeln!(text, "  {}", cells.join("   ").trim_end());
    }
}

/// Three digits.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    format!("{value:.2e}").parse().map_or_else(|_| number(value), number)
}

/// 1, 10, 100, ...
fn is_round(step: u64) -> bool {
    step == 10_u64.pow(step.max(1).ilog10())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Open => "open",
        Verdict::Fails => "FAILS",
    }
}
