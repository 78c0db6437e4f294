//! The findings as a page and as a picture.

use super::Findings;
use crate::report;
use crate::words::{from_ln, number};
use proxdist::theory::{Curve, Verdict, rate};
use proxdist_report::{CertificateLine, Fact, LinePlot, Notice, Report, Section, Series, Style, figures};

/// A bound this many times above everything else would flatten the picture: it is named, not drawn.
const FAR_ABOVE: f64 = 1e6;

impl Findings<'_> {
    /// The picture: bounds and, if there were runs, their mean and range, on logarithmic axes.
    pub(crate) fn picture(&self) -> String {
        figures::lines(&self.parameter_plot(), Style::standalone())
    }

    /// The page.
    pub(crate) fn page(&self) -> Report {
        let about = &self.about;
        let is_warned = self.assumptions.iter().any(|assumption| assumption.verdict == Verdict::Fails);
        let conclusion = format!("Assumptions: {}.", self.conclusion());
        let notice = if is_warned { Notice::warning(conclusion) } else { Notice::remark(conclusion) };
        let constants = self.constants().into_iter().map(|c| line(c.name, c.value, c.meaning, None)).collect();
        let mark = |verdict| match verdict {
            Verdict::Holds => Some(true),
            Verdict::Open => None,
            Verdict::Fails => Some(false),
        };
        let word = |verdict| match verdict {
            Verdict::Holds => "holds",
            Verdict::Open => "open",
            Verdict::Fails => "fails",
        };
        let conditions = self.assumptions.iter().map(|a| {
            line(a.name, word(a.verdict).to_owned(), format!("{}: {}", a.statement, a.reason), mark(a.verdict))
        });
        let section = |heading: &str, lines| Section { heading: heading.to_owned(), lines, ..Section::default() };
        let drawn =
            |heading: &str, plot| Section { heading: heading.to_owned(), plot: Some(plot), ..Section::default() };
        let mut sections = vec![
            section("Constants", constants),
            section("Assumptions", conditions.collect()),
            drawn("Distance to the solution", self.parameter_plot()),
            drawn("Objective above its optimum", self.objective_plot()),
        ];
        sections.insert(2, section("Rates and advice", self.guidance()));
        Report {
            title: format!("Convergence theory of {} on {}", about.model.constraint, report::file_name(about.source)),
            result: format!(
                "L = {}, mu = {} for batches of {}; penalty {} k^{}.",
                number(self.study.constants.lipschitz),
                number(self.study.constants.mu),
                self.study.batch_size,
                number(self.bounds.rho1),
                number(self.bounds.gamma)
            ),
            scores: self.scores(),
            notices: vec![notice],
            problem: Some(report::problem(about)),
            sections,
            seconds: Some(about.seconds),
            ..report::repeat(Some(self.seed))
        }
    }

    fn scores(&self) -> Vec<Fact> {
        let mut facts = vec![
            Fact::new("L", number(self.study.constants.lipschitz)),
            Fact::new("mu", number(self.study.constants.mu)),
            Fact::new("rho1 for rate 1/k", number(self.advice.fastest_rho1)),
        ];
        let slope = self.measured.as_ref().and_then(|measured| measured.parameter.slope);
        facts.extend(slope.map(|slope| Fact::new("measured slope", format!("{:.2}", slope.value))));
        facts
    }

    fn guidance(&self) -> Vec<CertificateLine> {
        let (bounds, advice) = (&self.bounds, &self.advice);
        let proven = rate(bounds.constants.mu, bounds.rho1, bounds.gamma);
        let mut lines = vec![line(
            "proven rate",
            proven.map_or_else(|| "none".to_owned(), |rate| format!("k^-{:.3}", rate.parameter)),
            "of the squared distance to the solution; half of it for the objective".to_owned(),
            None,
        )];
        if let Some(slope) = self.measured.as_ref().and_then(|measured| measured.parameter.slope) {
            let meaning = format!(
                "over {} runs from step {} on, between {:.3} and {:.3}",
                self.repeats, slope.from, slope.low, slope.high
            );
            let is_as_proven = proven.map(|rate| slope.value <= -rate.parameter + 0.1);
            lines.push(line("measured rate", format!("k^{:.3}", slope.value), meaning, is_as_proven));
        }
        let meaning = "largest first penalty with rate 1/k at gamma = 1: mu / (e - 1)".to_owned();
        lines.push(line("fastest rho1", number(advice.fastest_rho1), meaning, None));
        for (name, found) in
            [("least bound step by step", advice.step_by_step), ("least bound of Theorem 2", advice.theorem)]
        {
            let meaning =
                format!("at step {}: rho1 {}, gamma {}", advice.steps, number(found.rho1), number(found.gamma));
            lines.push(line(name, from_ln(found.ln_bound), meaning, None));
        }
        lines.push(line(
            "rho1 chosen by the race",
            number(self.study.auto_rho1),
            "what --rho1 auto uses".to_owned(),
            None,
        ));
        lines
    }

    fn parameter_plot(&self) -> LinePlot {
        let steps = self.steps();
        let stepwise = self.bounds.ln_parameter_step_by_step(&steps);
        let theorem = steps.iter().map(|&k| self.bounds.ln_parameter(k)).collect();
        let measured = self.measured.as_ref().map(|measured| &measured.parameter);
        Quantity { label: "‖P(θ) − θ*‖²", measured, stepwise, theorem, theorem_name: "Theorem 2" }.plot(&steps)
    }

    fn objective_plot(&self) -> LinePlot {
        let steps = self.steps();
        let stepwise = self.bounds.ln_parameter_step_by_step(&steps);
        let stepwise: Vec<f64> = stepwise.into_iter().map(|ln| self.bounds.ln_objective_from(ln)).collect();
        let theorem = steps.iter().map(|&k| self.bounds.ln_objective(k)).collect();
        let measured = self.measured.as_ref().map(|measured| &measured.objective);
        Quantity { label: "F(P(θ)) − F(θ*)", measured, stepwise, theorem, theorem_name: "Theorem 3" }.plot(&steps)
    }
}

fn line(label: &str, value: String, verdict: String, good: Option<bool>) -> CertificateLine {
    CertificateLine { label: label.to_owned(), value, verdict, good }
}

/// A quantity that is measured at steps and bounded there; bounds are logarithms.
struct Quantity<'q> {
    label: &'static str,
    measured: Option<&'q Curve>,
    stepwise: Vec<f64>,
    theorem: Vec<Option<f64>>,
    theorem_name: &'static str,
}

impl Quantity<'_> {
    fn plot(self, steps: &[u64]) -> LinePlot {
        let at = |i: usize| steps[i] as f64;
        let mut series = Vec::new();
        let mut highest = f64::NAN;
        if let Some(curve) = self.measured {
            let points = (0..steps.len()).map(|i| (at(i), curve.mean[i])).collect();
            let band = (0..steps.len()).map(|i| (at(i), curve.low[i], curve.high[i])).collect();
            series.push(Series { band, ..Series::new("measured: mean, and 80 % of the runs", points) });
            highest = curve.high.iter().copied().fold(highest, f64::max);
        }
        let stepwise = self.stepwise.into_iter().map(Some).collect();
        for (name, ln) in [("bound step by step", stepwise), (self.theorem_name, self.theorem)] {
            let ends: Vec<f64> = ln.iter().flatten().copied().collect();
            let (Some(last), top) = (ends.last(), ends.iter().copied().fold(f64::NEG_INFINITY, f64::max)) else {
                series.push(Series::new(format!("{name}: none here"), Vec::new()));
                continue;
            };
            // The first line sets the scale, whatever it is.
            if highest.is_finite() && top > (FAR_ABOVE * highest).ln() {
                series.push(Series::new(format!("{name}: {} at the end, not drawn", from_ln(*last)), Vec::new()));
                continue;
            }
            highest = highest.max(top.exp());
            series.push(Series::new(name, (0..steps.len()).filter_map(|i| Some((at(i), ln[i]?.exp()))).collect()));
        }
        LinePlot {
            title: "Theory and measurement".to_owned(),
            x_label: "step k".to_owned(),
            y_label: self.label.to_owned(),
            log_x: true,
            log_y: true,
            series,
            mark: None,
            rings: None,
        }
    }
}
