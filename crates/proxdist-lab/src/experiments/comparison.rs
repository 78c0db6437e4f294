//! Table 2: stochastic proximal distance, projected SGD, and the exact finish on twelve problems.
//!
//! Both iterations take the same number of steps on the same batches with linear rates, $\rho_k = \rho_1k$ and $\alpha_k = \alpha_1/k$; their first rates come from
//! one grid, $\alpha_1 = 1/\rho_1$, and are tuned in two stages on data of their own: all of the grid on a few data sets, then the best few on many, where each method
//! takes the value with the smallest mean $F(P_C(\theta_K))$. Many, because a rate may lose a feature in one data set out of ten, which decides its mean. Errors are measured against the truth for
//! sparsity and rank and against the optimum on the sample for the ball, whose truth lies outside the set. The oracle knows the support and
//! maximises the likelihood there; for rank r no estimator goes below about $r(128 - r)/n$, the dimension of the set over n.

mod judged;

use crate::cell::{Cell, Halt};
use crate::error::Result;
use crate::experiment::{Experiment, Section};
use crate::frame::Frame;
use crate::settings::{Comparison as Settings, Size};
use crate::stats::mean;
use crate::study::{Model, Run, Schedule, Set, optimum, repeat_seed, simulate, squared_distance};
use proxdist::constraint::WholeSpace;
use proxdist::simulate::Simulated;
use proxdist::solver::Method;
use proxdist::{Data, Error as FitError, Problem};

pub(super) struct Comparison {
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

const COLUMNS: [&str; 11] = [
    "stage",
    "model",
    "set",
    "method",
    "rho1",
    "repeat",
    "objective",
    "error_truth",
    "error_optimum",
    "discovered",
    "residual",
];
/// Data for tuning come from repeats that the table never reaches.
const TUNING: u64 = 1_000_000;
const FINAL: u64 = 2_000_000;

const SPD: &str = "SPD";
const PSGD: &str = "PSGD";
const FINISH: &str = "exact finish";
const ORACLE: &str = "oracle";

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    model: Model,
    set: Set,
}

fn rows() -> Vec<Row> {
    let vector = [Model::Linear, Model::Logistic, Model::Huber].into_iter();
    let sets = [Set::Sparsity(5), Set::Sparsity(20), Set::Ball];
    let vectors = vector.flat_map(|model| sets.map(|set| Row { model, set }));
    vectors.chain([1, 2, 5].map(|r| Row { model: Model::Matrix, set: Set::Rank(r) })).collect()
}

/// A method with its first rate: $\rho_1$, or $1/\alpha_1$.
#[derive(Clone, Copy, Debug)]
struct Runner {
    name: &'static str,
    rho1: f64,
    steps: u64,
}

impl Runner {
    fn method(&self) -> Method {
        if self.name == SPD { Method::ProximalDistance } else { Method::ProjectedGradient }
    }
}

impl Row {
    fn rows(&self, frame: &Frame) -> Frame {
        frame.only(&[("model", self.model.name()), ("set", &self.set.name())])
    }

    /// Roughly the seconds of a thousand steps.
    fn seconds(&self) -> f64 {
        match self.model {
            Model::Linear => 0.2,
            Model::Huber => 0.3,
            Model::Logistic => 1.5,
            Model::Matrix => 1.2,
        }
    }
}

impl Comparison {
    fn batch(&self, row: Row) -> usize {
        if row.model == Model::Logistic { self.settings.logistic_batch } else { self.settings.batch }
    }

    /// Runs of some methods on the data of one repeat; in the last stage also the exact finish and the oracle.
    fn cell(&self, stage: &'static str, row: Row, runners: Vec<Runner>, repeat: u64) -> Cell {
        let Settings { n, p, .. } = self.settings;
        let (batch, seed) = (self.batch(row), repeat_seed(self.seed, repeat));
        let names: Vec<String> = runners.iter().map(|r| format!("{}:{}:{}", r.name, r.rho1, r.steps)).collect();
        let key = format!(
            "{stage} {} {} n={n} p={p} b={batch} {} repeat={repeat}",
            row.model.name(),
            row.set.name(),
            names.join(" ")
        );
        let steps: u64 = runners.iter().filter(|r| r.name == SPD).map(|r| r.steps).sum();
        let weight = row.seconds() * steps as f64 / 1000.0 + 1.5;
        Cell::new("table2", key, weight, move |halt| {
            let simulated = simulate(row.model, row.set, Size { n, p }, seed)?;
            let data = simulated.data()?;
            let (loss, constraint) = (row.model.loss()?, row.set.constraint(simulated.shape)?);
            let problem = Problem::new(&data, &*loss, &*constraint);
            let mut frame = Frame::new(&COLUMNS);
            let best = if stage == "tune" || stage == "final" { None } else { Some(optimum(&problem, seed)?) };
            let target = best.as_ref().map(|best| best.theta.as_slice());
            let mut report = |method: &str, rho1: f64, theta: Option<&[f64]>, residual: f64| -> Result<()> {
                // A run that diverged has no point to measure.
                let distance = |to: Option<&[f64]>| theta.zip(to).map_or(f64::NAN, |(a, b)| squared_distance(a, b));
                let objective = match theta {
                    Some(theta) => problem.objective().value(theta)?,
                    None => f64::INFINITY,
                };
                let found = theta.map_or(0.0, |theta| discovered(row.set, theta, &simulated.truth));
                frame.push([
                    stage.into(),
                    row.model.name().into(),
                    row.set.name().into(),
                    method.into(),
                    rho1.into(),
                    repeat.into(),
                    objective.into(),
                    distance(Some(&simulated.truth)).into(),
                    distance(target).into(),
                    found.into(),
                    residual.into(),
                ]);
                Ok(())
            };
            for runner in &runners {
                let theta = end_of(&problem, *runner, batch, seed, halt)?;
                report(runner.name, runner.rho1, theta.as_deref(), f64::NAN)?;
            }
            if let Some(best) = best.as_ref().filter(|_| stage == "table") {
                report(FINISH, f64::NAN, Some(&best.theta), best.stationarity)?;
                if let Set::Sparsity(_) = row.set {
                    let theta = with_known_support(row.model, &simulated, seed)?;
                    report(ORACLE, f64::NAN, Some(&theta), f64::NAN)?;
                }
            }
            Ok(frame)
        })
    }

    /// The rates tried in a stage of tuning, the one with the smallest mean objective first.
    fn ranking(&self, rows: &Frame, stage: &str, row: Row, method: &str) -> Vec<f64> {
        let tried = row.rows(rows).only(&[("stage", stage), ("method", method)]).points("rho1", "objective");
        let score = |rho1: f64| {
            let same = |(value, objective): &(f64, f64)| ((value / rho1 - 1.0).abs() < 1e-4).then_some(*objective);
            mean(&tried.iter().filter_map(same).collect::<Vec<_>>())
        };
        let mut scored: Vec<(f64, f64)> = self.settings.rho1.iter().map(|&rho1| (score(rho1), rho1)).collect();
        scored.retain(|(score, _)| !score.is_nan());
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        scored.into_iter().map(|(_, rho1)| rho1).collect()
    }

    /// The rate that won the last stage of tuning.
    fn tuned(&self, rows: &Frame, row: Row, method: &str) -> f64 {
        self.ranking(rows, "final", row, method).first().copied().unwrap_or(1.0)
    }

    /// The best few rates of each method on many data sets.
    fn finals(&self, so_far: &Frame) -> Vec<Cell> {
        let Settings { steps, finalists, final_repeats, .. } = self.settings;
        let mut cells = Vec::new();
        for row in rows() {
            let best = |name: &'static str| {
                let rates = self.ranking(so_far, "tune", row, name).into_iter().take(finalists);
                rates.map(move |rho1| Runner { name, rho1, steps })
            };
            let runners: Vec<Runner> = best(SPD).chain(best(PSGD)).collect();
            cells.extend((0..final_repeats).map(|repeat| self.cell("final", row, runners.clone(), FINAL + repeat)));
        }
        cells
    }

    /// The runs of the table itself.
    fn table(&self, so_far: &Frame) -> Vec<Cell> {
        let Settings { steps, repeats, printed, .. } = &self.settings;
        let mut cells = Vec::new();
        for row in rows() {
            let runners = [SPD, PSGD].map(|name| Runner { name, rho1: self.tuned(so_far, row, name), steps: *steps });
            cells.extend((0..*repeats).map(|repeat| self.cell("table", row, runners.to_vec(), repeat)));
        }
        let runners = vec![
            Runner { name: SPD, rho1: printed.rho1, steps: printed.steps },
            Runner { name: PSGD, rho1: 1.0 / printed.alpha1, steps: printed.steps },
        ];
        cells
            .extend((0..printed.repeats).map(|repeat| self.cell("printed", Self::hard_row(), runners.clone(), repeat)));
        cells
    }

    fn hard_row() -> Row {
        Row { model: Model::Logistic, set: Set::Sparsity(20) }
    }
}

/// Where a run ends; `None` if it diverges.
fn end_of(problem: &Problem, runner: Runner, batch: usize, seed: u64, halt: Halt) -> Result<Option<Vec<f64>>> {
    let schedule = Schedule { rho1: runner.rho1, gamma: 1.0, batch, steps: runner.steps };
    let mut end = None;
    let run = Run { problem, method: runner.method(), schedule, seed, halt };
    let ended = run.follow(std::iter::once(runner.steps), |_, point| {
        end = Some(point.to_vec());
        Ok(true)
    });
    match ended {
        Err(crate::Error::Fit { source: FitError::Diverged { .. } | FitError::Overflow { .. }, .. }) => Ok(None),
        other => other.map(|()| end),
    }
}

/// Share of the true nonzeros that are found; 1 where that makes no sense.
fn discovered(set: Set, theta: &[f64], truth: &[f64]) -> f64 {
    let Set::Sparsity(_) = set else { return 1.0 };
    let true_places = (0..truth.len()).filter(|&j| truth[j] != 0.0);
    mean(&true_places.map(|j| f64::from(u8::from(theta[j] != 0.0))).collect::<Vec<_>>())
}

/// The unconstrained optimum on the columns of the truth.
fn with_known_support(model: Model, simulated: &Simulated, seed: u64) -> Result<Vec<f64>> {
    let places: Vec<usize> = (0..simulated.truth.len()).filter(|&j| simulated.truth[j] != 0.0).collect();
    let columns = simulated.truth.len();
    let x: Vec<f64> = simulated.x.chunks_exact(columns).flat_map(|row| places.iter().map(|&j| row[j])).collect();
    let data = Data::dense(&x, places.len(), &simulated.y)?;
    let loss = model.loss()?;
    let best = optimum(&Problem::new(&data, &*loss, WholeSpace), seed)?;
    let mut theta = vec![0.0; columns];
    places.iter().zip(best.theta).for_each(|(&j, value)| theta[j] = value);
    Ok(theta)
}

impl Experiment for Comparison {
    fn cells(&self) -> Vec<Cell> {
        let Settings { rho1, steps, tuning_repeats, .. } = &self.settings;
        let runner = |name| rho1.iter().map(move |&rho1| Runner { name, rho1, steps: *steps });
        let cell = |row, repeat| self.cell("tune", row, runner(SPD).chain(runner(PSGD)).collect(), TUNING + repeat);
        rows()
            .into_iter()
            .flat_map(|row| (0..*tuning_repeats).map(move |repeat| (row, repeat)))
            .map(|(row, repeat)| cell(row, repeat))
            .collect()
    }

    fn stage(&self, stage: usize, so_far: &Frame) -> Result<Vec<Cell>> {
        Ok(match stage {
            0 => self.cells(),
            1 => self.finals(so_far),
            2 => self.table(so_far),
            _ => Vec::new(),
        })
    }

    fn expected(&self, stage: usize) -> f64 {
        let Settings { steps, finalists, final_repeats, repeats, .. } = self.settings;
        let of = |runs: usize| {
            let each = |row: &Row| row.seconds() * (steps * runs as u64) as f64 / 1000.0 + 1.5;
            rows().iter().map(each).sum::<f64>()
        };
        let table = of(1) * repeats as f64;
        match stage {
            1 => of(finalists) * final_repeats as f64 + table,
            2 => table,
            _ => 0.0,
        }
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        Ok(judged::section(self, results))
    }
}
