//! Figure 3a and the supplement's figures on real data: QSAR oral toxicity.
//!
//! Ten-fold cross-validation on the training rows of the first split offers (s, ρ₁) to SPD, and α₁ at s = 100 to PSGD. Then, as in the paper, s = 100 in every
//! replicate: a new 80/20 split, both methods at each batch size with the paper's stop rule, from zero and without intercept. Beside them on the same
//! splits: the exact finish; the exact finish with a ridge term chosen by cross-validation within the training rows of the split; and an
//! L1 fit of the same size by scikit-learn, recorded once (`recorded/`), whose splits are checked by their fingerprint.

mod judged;

use crate::cell::{Cell, Halt};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Section};
use crate::frame::Frame;
use crate::machine::Stopwatch;
use crate::settings::Qsar as Settings;
use crate::stats::mean;
use crate::store::fingerprint;
use proxdist::constraint::Sparsity;
use proxdist::loss::Logistic;
use proxdist::metrics::{Classification, Evaluation, Labelled};
use proxdist::selection::folds;
use proxdist::solver::Method;
use proxdist::trace::{Observer, Progress};
use proxdist::{Data, Fit, Problem, Settings as FitSettings, StopRule};
use proxdist_io::{ReadOptions, Table, Task, read_path};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Where the file lies in the data folder.
pub const FILE: &str = "classification/qsar_oral_toxicity.csv.gz";

/// The sparsity of the paper's comparison.
const KEEP: usize = 100;
const SPD: &str = "SPD";
const PSGD: &str = "PSGD";
const FINISH: &str = "exact finish";
const RIDGE: &str = "exact finish with ridge";
const COLUMNS: [&str; 8] = ["stage", "replicate", "method", "batch", "sparsity", "rate", "measure", "value"];
/// False positive rates at which ROC curves are kept.
const GRID: usize = 50;

pub(super) struct Qsar {
    pub(super) settings: Settings,
    pub(super) seed: u64,
    pub(super) file: PathBuf,
}

/// Training and test rows of a replicate: a random fifth is kept for the test.
pub fn split(rows: usize, seed: u64, replicate: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    let parts = folds(rows, 5, None, crate::study::repeat_seed(seed, replicate))?;
    let of = |is_test: bool| (0..rows).filter(|&row| (parts[row] == 0) == is_test).collect();
    Ok((of(false), of(true)))
}

/// These rows without those of a fold, and those of the fold.
fn parted(rows: &[usize], parts: &[usize], fold: usize) -> (Vec<usize>, Vec<usize>) {
    let of = |held: bool| rows.iter().zip(parts).filter(move |(_, part)| (**part == fold) == held).map(|(row, _)| *row);
    (of(false).collect(), of(true).collect())
}

/// A number that tells test sets apart.
fn split_fingerprint(test: &[usize]) -> u64 {
    fingerprint(test.iter().flat_map(|row| (*row as u32).to_le_bytes()))
}

fn read(file: &Path) -> Result<Table> {
    let options = ReadOptions::new().header(false).target("1025").task(Task::Classes).positive("positive");
    Ok(read_path(file, &options.storage(proxdist_io::Storage::Dense))?)
}

/// The file as a data set.
fn data<'t>(table: &'t Table, file: &Path) -> Result<Data<'t>> {
    let wrong = |found: &str| Error::WrongData {
        path: file.to_owned(),
        found: found.to_owned(),
        expected: "1024 features and a class".to_owned(),
    };
    let response = table.response.as_ref().ok_or_else(|| wrong("no response"))?;
    match (table.features.dense_f64(), table.features.dense_f32()) {
        (Some(x), _) => Ok(Data::dense(x, table.features.columns(), response)?),
        (_, Some(x)) => Ok(Data::dense(x, table.features.columns(), response)?),
        _ => Err(wrong("sparse rows")),
    }
}

struct Ear<'h>(Halt<'h>);

impl Observer for Ear<'_> {
    fn checkpoint(&mut self, _: &Progress) -> ControlFlow<()> {
        self.poll()
    }
    fn poll(&mut self) -> ControlFlow<()> {
        if self.0.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// One fit and the processor time it took.
fn fitted(train: &Data, keep: usize, ridge: f64, settings: &FitSettings, halt: Halt) -> Result<(Fit, f64)> {
    let watch = Stopwatch::start();
    let fit =
        Problem::new(train, Logistic, Sparsity::at_most(keep)).ridge(ridge).fit_observed(settings, &mut Ear(halt))?;
    halt.check()?;
    Ok((fit, watch.elapsed().as_secs_f64()))
}

fn classification(fit: &Fit, test: &Data) -> Result<Classification> {
    match Evaluation::of_model(fit.model(), test)? {
        Evaluation::Classification(result) => Ok(result),
        Evaluation::Regression(_) => {
            Err(Error::WrongData { path: FILE.into(), found: "numbers".into(), expected: "two classes".into() })
        }
    }
}

impl Qsar {
    /// A stochastic run as the paper has it; `rate` is ρ₁ or α₁.
    fn stochastic(&self, method: &str, rate: f64, batch: usize, seed: u64) -> FitSettings {
        let Settings { tolerance, steps, .. } = self.settings;
        let base = FitSettings::default()
            .batch_size(batch)
            .max_steps(steps)
            .stop(StopRule::Paper)
            .tolerance(tolerance)
            .polish(false)
            .seed(seed);
        match method {
            SPD => base.method(Method::ProximalDistance).rho1(rate),
            _ => base.method(Method::ProjectedGradient).rho1(1.0 / rate),
        }
    }

    /// Candidates of the cross-validation: method, sparsity, rate.
    fn candidates(&self) -> Vec<(&'static str, usize, f64)> {
        let Settings { sparsity, rho1, alpha1, .. } = &self.settings;
        let spd = sparsity.iter().flat_map(|&keep| rho1.iter().map(move |&rate| (SPD, keep, rate)));
        spd.chain(alpha1.iter().map(|&rate| (PSGD, KEEP, rate))).collect()
    }

    fn fold(&self, fold: usize) -> Cell {
        let Settings { folds: count, tolerance, steps, .. } = self.settings;
        let (batch, seed, file) = (self.settings.batches.first().copied().unwrap_or(200), self.seed, self.file.clone());
        let candidates = self.candidates();
        let key = format!("fold {fold} of {count} b={batch} tolerance={tolerance} steps={steps} {candidates:?}");
        let this = Qsar { settings: self.settings.clone(), seed, file: file.clone() };
        Cell::new("qsar", key, 2e-3 * steps as f64 * candidates.len() as f64, move |halt| {
            let table = read(&file)?;
            let all = data(&table, &file)?;
            let (train, _) = split(all.rows(), seed, 0)?;
            let parts = folds(train.len(), count, None, seed)?;
            let (inner, held) = parted(&train, &parts, fold);
            let (inner, held) = (all.subset(inner)?, all.subset(held)?);
            let (inner, held) = (inner.data()?, held.data()?);
            let mut frame = Frame::new(&COLUMNS);
            for &(method, keep, rate) in &candidates {
                let (fit, _) = fitted(&inner, keep, 0.0, &this.stochastic(method, rate, batch, seed), halt)?;
                let auc = classification(&fit, &held)?.auc.unwrap_or(f64::NAN);
                frame.push([
                    "cv".into(),
                    fold.into(),
                    method.into(),
                    batch.into(),
                    keep.into(),
                    rate.into(),
                    "auc".into(),
                    auc.into(),
                ]);
            }
            Ok(frame)
        })
    }

    /// The rate with the best mean AUC at the paper's sparsity.
    fn tuned(first: &Frame, method: &str) -> f64 {
        let rows = first.only(&[("stage", "cv"), ("method", method), ("sparsity", &KEEP.to_string())]);
        let score = |rate: &String| mean(&rows.only(&[("rate", rate)]).numbers("value"));
        let best = rows.levels("rate").into_iter().max_by(|a, b| score(a).total_cmp(&score(b)));
        best.and_then(|rate| rate.parse().ok()).unwrap_or(1e-2)
    }

    /// About how long a replicate takes.
    fn replicate_seconds(&self) -> f64 {
        let Settings { steps, ridge, ridge_folds, .. } = &self.settings;
        5e-3 * *steps as f64 + 2.0 * (2 + ridge.len() * ridge_folds) as f64
    }

    fn replicate(&self, rates: (f64, f64), replicate: u64) -> Cell {
        let Settings { tolerance, steps, batches, ridge, ridge_folds, .. } = &self.settings;
        let key = format!(
            "replicate {replicate} rates={rates:?} batches={batches:?} tolerance={tolerance} steps={steps} \
             ridge={ridge:?} by {ridge_folds} folds"
        );
        let this = Qsar { settings: self.settings.clone(), seed: self.seed, file: self.file.clone() };
        Cell::new("qsar", key, self.replicate_seconds(), move |halt| this.run_replicate(rates, replicate, halt))
    }

    fn run_replicate(&self, rates: (f64, f64), replicate: u64, halt: Halt) -> Result<Frame> {
        let table = read(&self.file)?;
        let all = data(&table, &self.file)?;
        let seed = crate::study::repeat_seed(self.seed, replicate);
        let (train_rows, test_rows) = split(all.rows(), self.seed, replicate)?;
        let (train, test) = (all.subset(train_rows.clone())?, all.subset(test_rows)?);
        let (train, test) = (train.data()?, test.data()?);
        let mut frame = Frame::new(&COLUMNS);
        let mut report = |method: &str, batch: usize, rate: f64, fit: &Fit, seconds: f64| -> Result<()> {
            let result = classification(fit, &test)?;
            let measures = [
                ("auc", result.auc),
                ("accuracy", Some(result.accuracy)),
                ("log_loss", result.log_loss),
                ("steps", Some(fit.steps() as f64)),
                ("seconds", Some(seconds)),
                ("training_loss", Some(fit.objective())),
            ];
            let mut push = |measure: &str, value: f64| {
                frame.push([
                    "replicate".into(),
                    replicate.into(),
                    method.into(),
                    batch.into(),
                    KEEP.into(),
                    rate.into(),
                    measure.into(),
                    value.into(),
                ]);
            };
            measures.iter().for_each(|(name, value)| push(name, value.unwrap_or(f64::NAN)));
            let scores = fit.model().linear_predictors(test.source())?;
            for (i, height) in heights(&scores, test.response())?.into_iter().enumerate() {
                push(&format!("tpr at {}", i as f64 / GRID as f64), height);
            }
            Ok(())
        };
        for &batch in &self.settings.batches {
            for (method, rate) in [(SPD, rates.0), (PSGD, rates.1)] {
                let (fit, seconds) = fitted(&train, KEEP, 0.0, &self.stochastic(method, rate, batch, seed), halt)?;
                report(method, batch, rate, &fit, seconds)?;
            }
        }
        let exact = FitSettings::default().seed(seed);
        let (fit, seconds) = fitted(&train, KEEP, 0.0, &exact, halt)?;
        report(FINISH, 0, 0.0, &fit, seconds)?;
        let watch = Stopwatch::start();
        let ridge = self.best_ridge(&all, &train_rows, seed, halt)?;
        let choosing = watch.elapsed().as_secs_f64();
        let (fit, seconds) = fitted(&train, KEEP, ridge, &exact, halt)?;
        report(RIDGE, 0, ridge, &fit, seconds + choosing)?;
        Ok(frame)
    }

    /// The ridge weight with the best mean AUC over folds of the training rows; the first of equals.
    fn best_ridge(&self, all: &Data, train: &[usize], seed: u64, halt: Halt) -> Result<f64> {
        let Settings { ridge, ridge_folds, .. } = &self.settings;
        let parts = folds(train.len(), *ridge_folds, None, seed)?;
        let mut scores = vec![0.0; ridge.len()];
        for fold in 0..*ridge_folds {
            let (inner, held) = parted(train, &parts, fold);
            let (inner, held) = (all.subset(inner)?, all.subset(held)?);
            let (inner, held) = (inner.data()?, held.data()?);
            for (score, weight) in scores.iter_mut().zip(ridge) {
                let (fit, _) = fitted(&inner, KEEP, *weight, &FitSettings::default().seed(seed), halt)?;
                *score += classification(&fit, &held)?.auc.unwrap_or(0.0);
            }
        }
        let best = ridge.iter().zip(&scores).rev().max_by(|a, b| a.1.total_cmp(b.1));
        Ok(best.map_or(0.0, |(weight, _)| *weight))
    }
}

/// True positive rates of a ROC curve at equally spaced false positive rates.
fn heights(scores: &[f64], labels: &[f64]) -> Result<Vec<f64>> {
    let curve = Labelled::new(scores, labels, None)?.roc_curve().unwrap_or_default();
    let at = |rate: f64| {
        let after = curve.iter().position(|point| point.false_positive_rate >= rate).unwrap_or(0);
        let (b, a) = (&curve[after], &curve[after.saturating_sub(1)]);
        let width = b.false_positive_rate - a.false_positive_rate;
        let share = if width > 0.0 { (rate - a.false_positive_rate) / width } else { 1.0 };
        a.true_positive_rate + share * (b.true_positive_rate - a.true_positive_rate)
    };
    Ok(if curve.is_empty() { Vec::new() } else { (0..=GRID).map(|i| at(i as f64 / GRID as f64)).collect() })
}

impl Experiment for Qsar {
    fn cells(&self) -> Vec<Cell> {
        (0..self.settings.folds).map(|fold| self.fold(fold)).collect()
    }

    fn stage(&self, stage: usize, so_far: &Frame) -> Result<Vec<Cell>> {
        let rates = || (Self::tuned(so_far, SPD), Self::tuned(so_far, PSGD));
        Ok(match stage {
            0 => self.cells(),
            1 => (0..self.settings.replicates).map(|replicate| self.replicate(rates(), replicate)).collect(),
            _ => Vec::new(),
        })
    }

    fn expected(&self, stage: usize) -> f64 {
        if stage > 1 {
            return 0.0;
        }
        self.replicate_seconds() * self.settings.replicates as f64
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        judged::section(self, results)
    }
}
