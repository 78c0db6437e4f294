//! Table 1: measured slopes beside the exponents of Theorems 2 and 3.
//!
//! $\delta_k = E\|P_C(\theta_k) - \theta_*\|^2 = O(k^{-\gamma})$ for γ in (½, 1) and $O(k^{-\min\{1, \log(1 + \mu/\rho_1)\}})$ at γ = 1; the bound on
//! $\zeta_k = E[F(P_C(\theta_k)) - F(\theta_*)]$ has half the exponent. These are guarantees from above: a run may do better. The setting is that of the
//! theorems: squared loss, unit ball, one row a step. μ is the smallest eigenvalue of $X^TX/n$.

use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::settings::{Rates as Settings, Size};
use crate::stats::{log_slope, mean};
use crate::study::{Model, Run, Schedule, Set, log_spaced, repeat_seed, squared_distance, with_optimum};
use proxdist::objective::Objective;
use proxdist::solver::Method;
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, number};

pub(super) struct Rates {
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

/// How far a slope may miss its exponent by chance.
const TOLERANCE: f64 = 0.1;

impl Rates {
    /// γ and ρ₁/μ of the runs.
    fn schedules(&self) -> Vec<(f64, f64)> {
        let below = self.settings.gammas.iter().map(|&gamma| (gamma, 1.0));
        below.chain(self.settings.rho1_over_mu.iter().map(|&ratio| (1.0, ratio))).collect()
    }

    fn cell(&self, gamma: f64, ratio: f64, repeat: u64) -> Cell {
        let Settings { n, p, first_step, steps, .. } = self.settings;
        let seed = self.seed;
        let key = format!("n={n} p={p} gamma={gamma} rho1/mu={ratio} steps={first_step}..{steps} repeat={repeat}");
        Cell::new("rates", key, 1.5e-6 * steps as f64, move |halt| {
            // The same data in every repeat: the expectation of the theorems is over the batches.
            with_optimum(Model::Linear, Set::Ball, Size { n, p }, seed, |problem, best| {
                let objective = problem.objective();
                let mu = smallest_curvature(objective, p)?;
                let schedule = Schedule { rho1: ratio * mu, gamma, batch: 1, steps };
                let checkpoints = log_spaced(steps, 10).into_iter().filter(|&step| step >= first_step);
                let mut frame =
                    Frame::new(&["gamma", "rho1_over_mu", "mu", "repeat", "step", "squared_error", "excess"]);
                let seed = repeat_seed(seed, repeat);
                Run { problem, method: Method::ProximalDistance, schedule, seed, halt }.follow(
                    checkpoints,
                    |step, point| {
                        let (distance, excess) =
                            (squared_distance(point, &best.theta), objective.value(point)? - best.objective);
                        frame.push([
                            gamma.into(),
                            ratio.into(),
                            mu.into(),
                            repeat.into(),
                            step.into(),
                            distance.into(),
                            excess.into(),
                        ]);
                        Ok(true)
                    },
                )?;
                Ok(frame)
            })
        })
    }
}

/// The smallest eigenvalue of the constant Hessian of a quadratic objective, by power iteration on $LI - H$.
fn smallest_curvature(objective: Objective, columns: usize) -> Result<f64> {
    let mut at_zero = vec![0.0; columns];
    objective.gradient(&vec![0.0; columns], &mut at_zero)?;
    let largest_of = |shift: f64| -> Result<f64> {
        let mut v: Vec<f64> = (0..columns).map(|j| 1.0 + (j as f64 * 0.7).sin()).collect();
        let (mut image, mut size) = (vec![0.0; columns], 0.0);
        for _ in 0..2000 {
            let norm = squared_distance(&v, &vec![0.0; columns]).sqrt();
            v.iter_mut().for_each(|v| *v /= norm);
            objective.gradient(&v, &mut image)?;
            for j in 0..columns {
                let product = image[j] - at_zero[j];
                v[j] = if shift == 0.0 { product } else { shift * v[j] - product };
            }
            size = squared_distance(&v, &vec![0.0; columns]).sqrt();
        }
        Ok(size)
    };
    let largest = largest_of(0.0)?;
    Ok(largest - largest_of(largest)?)
}

impl Experiment for Rates {
    fn cells(&self) -> Vec<Cell> {
        let repeats = self.settings.repeats;
        let all = self.schedules().into_iter().flat_map(|(gamma, ratio)| (0..repeats).map(move |r| (gamma, ratio, r)));
        all.map(|(gamma, ratio, repeat)| self.cell(gamma, ratio, repeat)).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let mut section = Section::new("Table 1: convergence rates", paper::TABLE1);
        let Settings { n, p, first_step, steps, repeats, .. } = self.settings;
        let mu = mean(&results.numbers("mu"));
        section.fact("Setting", format!("linear, unit ball, n = {n}, p = {p}, one row a step, μ = {}", number(mu, 3)));
        section.fact(
            "Slopes",
            format!("of the mean over {repeats} repeats, from step {first_step} to {steps}; ρ₁ = μ where γ < 1; slopes may fall short by {TOLERANCE} by chance"),
        );
        let mut table = Grid::new(
            "Exponents: error = O(k^−exponent)",
            &["γ, ρ₁/μ", "‖·‖²: theory at least", "measured", "F: theory at least", "measured"],
        );
        let mut curves: [Vec<Series>; 2] = [Vec::new(), Vec::new()];
        let mut slopes = Vec::new();
        for (gamma, ratio) in self.schedules() {
            let rows = results.only(&[("gamma", &gamma.to_string()), ("rho1_over_mu", &ratio.to_string())]);
            let averaged = |column: &str| -> Vec<(f64, f64)> {
                let levels = rows.levels("step");
                levels
                    .iter()
                    .map(|step| (step.parse().unwrap_or(f64::NAN), mean(&rows.only(&[("step", step)]).numbers(column))))
                    .collect()
            };
            let theory = if gamma < 1.0 { gamma } else { 1.0_f64.min((1.0 + 1.0 / ratio).ln()) };
            let (parameter, objective) = (averaged("squared_error"), averaged("excess"));
            let measured = (-log_slope(&parameter), -log_slope(&objective));
            let name = if gamma < 1.0 { format!("γ = {gamma}") } else { format!("γ = 1, ρ₁ = {ratio} μ") };
            table.rows.push(vec![
                name.clone(),
                number(theory, 3),
                number(measured.0, 3),
                number(theory / 2.0, 3),
                number(measured.1, 3),
            ]);
            let agrees = measured.0 >= theory - TOLERANCE && measured.1 >= theory / 2.0 - TOLERANCE;
            let ours = format!(
                "{name}: {} for ‖·‖² (at least {}), {} for F (at least {})",
                number(measured.0, 3),
                number(theory, 3),
                number(measured.1, 3),
                number(theory / 2.0, 3)
            );
            section.statements.push(Statement::new("rate", paper::RATES, ours, Verdict::when(agrees)));
            if gamma < 1.0 || ratio <= 1.0 {
                slopes.push((gamma, measured.0));
            }
            curves[0].push(Series::new(name.clone(), parameter));
            curves[1].push(Series::new(name, objective));
        }
        let below: Vec<(f64, f64)> = slopes.into_iter().filter(|(gamma, _)| *gamma < 1.0).collect();
        let rises = below.windows(2).all(|w| w[1].1 > w[0].1);
        let shown = below
            .iter()
            .map(|(gamma, slope)| format!("{} at γ = {gamma}", number(*slope, 3)))
            .collect::<Vec<_>>()
            .join(", ");
        section.statements.push(Statement::new(
            "rates rise",
            paper::RATES_RISE,
            format!("measured exponents for ‖·‖²: {shown}"),
            Verdict::when(rises),
        ));
        section.tables.push(table);
        let [parameter, objective] = curves;
        let plot = |title: &str, label: &str, series| {
            Plot::Lines(LinePlot {
                title: title.into(),
                x_label: "step k".into(),
                y_label: label.into(),
                log_x: true,
                log_y: true,
                series,
                mark: None,
                rings: None,
            })
        };
        let plots = vec![
            plot("parameter", "mean ‖P(θ) − θ*‖²", parameter),
            plot("objective", "mean F(P(θ)) − F(θ*)", objective),
        ];
        section.picture("rates", "Straight lines are powers of k.", move |style| {
            small_multiples("Rates of convergence", &plots, style)
        });
        Ok(section)
    }
}
