//! An extension of ours, not in the paper: low rank with several outputs, beside its experiment with matrix covariates.
//!
//! Rows $x_i$ of $p$ standard normal features and a truth $\Theta_0 = AB^T/\sqrt r$ of rank $r$, $p \times K$, with standard normal $A$ and $B$. *Responses*: $y_i = \Theta_0^Tx_i$ plus noise, fitted by reduced-rank regression, whose
//! closed form is the optimum. *Classes*: the largest entry of $\Theta_0^Tx_i$ plus noise, fitted by softmax along the matrices of each rank. Both are fitted with ranks $1, 2, \dots$ and without any set, and measured on fresh rows:
//! the excess squared error $\|\Theta^Tx - \Theta_0^Tx\|^2/K$, or the log loss. A rank below the truth cannot hold it, a rank above lets noise in, so the error should be least near the true rank.

use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::settings::LowRank as Settings;
use crate::stats::mean;
use crate::study::repeat_seed;
use proxdist::constraint::{Constraint, Rank, WholeSpace};
use proxdist::outputs::{OutputLoss, OutputsEvaluation, OutputsFit, OutputsProblem, Responses};
use proxdist::simulate::{Response, Truth, vector};
use proxdist::{Data, Settings as Run};
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Mark, Series, number};

pub(super) struct LowRank {
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

/// What is explained.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Responses,
    Classes,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Responses, Self::Classes];

    fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Classes => "classes",
        }
    }

    fn measure(self) -> &'static str {
        match self {
            Self::Responses => "excess squared error on fresh rows",
            Self::Classes => "log loss on fresh rows",
        }
    }
}

/// Rows, and what they say about the outputs.
struct Drawn {
    x: Vec<f64>,
    /// $\Theta_0^Tx$, row by row.
    means: Vec<f64>,
    responses: Vec<f64>,
    rows: usize,
}

/// So many standard normal numbers.
fn normals(count: usize, seed: u64) -> Result<Vec<f64>> {
    Ok(vector(Response::Linear, Truth::OutsideBall, count, 1, seed)?.x)
}

impl LowRank {
    fn truth(&self, seed: u64) -> Result<Vec<f64>> {
        let Settings { p, outputs, rank, .. } = self.settings;
        let (a, b) = (normals(p * rank, seed)?, normals(outputs * rank, seed.wrapping_add(1))?);
        let entry = |j: usize, k: usize| (0..rank).map(|r| a[j * rank + r] * b[k * rank + r]).sum::<f64>();
        let scale = 1.0 / ((rank * p) as f64).sqrt();
        Ok((0..p * outputs).map(|at| scale * entry(at / outputs, at % outputs)).collect())
    }

    fn drawn(&self, kind: Kind, truth: &[f64], rows: usize, seed: u64) -> Result<Drawn> {
        let Settings { p, outputs, noise, .. } = self.settings;
        let (x, errors) = (normals(rows * p, seed)?, normals(rows * outputs, seed.wrapping_add(1))?);
        let mut means = vec![0.0; rows * outputs];
        for (x, mean) in x.chunks_exact(p).zip(means.chunks_exact_mut(outputs)) {
            for (x, row) in x.iter().zip(truth.chunks_exact(outputs)) {
                mean.iter_mut().zip(row).for_each(|(mean, t)| *mean += x * t);
            }
        }
        let noisy: Vec<f64> = means.iter().zip(&errors).map(|(mean, error)| mean + noise * error).collect();
        let largest = |row: &[f64]| (0..outputs).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0) as f64;
        let responses = match kind {
            Kind::Responses => noisy,
            Kind::Classes => noisy.chunks_exact(outputs).map(largest).collect(),
        };
        Ok(Drawn { x, means, responses, rows })
    }

    /// The fit of one rank, or of the whole space.
    fn fit(&self, kind: Kind, rows: &Drawn, rank: Option<usize>) -> proxdist::Result<OutputsFit> {
        let Settings { p, outputs, ridge, .. } = self.settings;
        let none = vec![0.0; rows.rows];
        let data = Data::dense(&rows.x, p, &none)?;
        let (loss, responses) = match kind {
            Kind::Responses => (OutputLoss::Squared, Responses::numbers(&rows.responses, outputs)),
            Kind::Classes => (OutputLoss::Softmax, Responses::classes(&rows.responses, outputs)),
        };
        let set: Box<dyn Constraint> = match rank {
            Some(rank) => Box::new(Rank::at_most(rank, p, outputs)),
            None => Box::new(WholeSpace),
        };
        // Softmax needs a little of it: classes may be told apart without error.
        let ridge = if kind == Kind::Classes { ridge } else { 0.0 };
        OutputsProblem::new(&data, responses, loss, set).ridge(ridge).intercept(true).fit(&Run::default())
    }

    /// What is measured on fresh rows.
    fn error(&self, kind: Kind, fit: &OutputsFit, fresh: &Drawn) -> proxdist::Result<f64> {
        let none = vec![0.0; fresh.rows];
        let data = Data::dense(&fresh.x, self.settings.p, &none)?;
        let predictors = fit.model().linear_predictors(data.source())?;
        let found = OutputsEvaluation::of(fit.model(), &predictors, &fresh.responses, None)?;
        if let (Kind::Classes, OutputsEvaluation::Classes(found)) = (kind, found) {
            Ok(found.log_loss)
        } else {
            let squares = predictors.iter().zip(&fresh.means).map(|(eta, mean)| (eta - mean).powi(2));
            Ok(squares.sum::<f64>() / predictors.len() as f64)
        }
    }

    fn cell(&self, kind: Kind, repeat: u64) -> Cell {
        let Settings { n, fresh, p, outputs, rank, largest, noise, ridge, .. } = self.settings;
        let seed = repeat_seed(self.seed, repeat);
        let key = format!(
            "{} n={n} fresh={fresh} p={p} outputs={outputs} rank={rank} largest={largest} noise={noise} ridge={ridge} repeat={repeat}",
            kind.name()
        );
        let own = Self { settings: self.settings.clone(), seed: self.seed };
        Cell::new("lowrank", key, 1.0, move |halt| {
            let mut frame = Frame::new(&["kind", "repeat", "rank", "objective", "stationarity", "proven", "error"]);
            let truth = own.truth(seed)?;
            let (rows, new) = (
                own.drawn(kind, &truth, n, seed.wrapping_add(10))?,
                own.drawn(kind, &truth, fresh, seed.wrapping_add(20))?,
            );
            for tried in (1..=largest).map(Some).chain([None]) {
                halt.check()?;
                let fit = own.fit(kind, &rows, tried)?;
                let error = own.error(kind, &fit, &new)?;
                let proven = fit.certificate().gap.is_some_and(|gap| gap.value <= 1e-8 * fit.objective());
                frame.push([
                    kind.name().into(),
                    repeat.into(),
                    tried.map_or_else(|| "none".to_owned(), |rank| rank.to_string()).into(),
                    fit.objective().into(),
                    fit.certificate().stationarity.into(),
                    usize::from(proven).into(),
                    error.into(),
                ]);
            }
            Ok(frame)
        })
    }
}

impl Experiment for LowRank {
    fn cells(&self) -> Vec<Cell> {
        let all = Kind::ALL.into_iter().flat_map(|kind| (0..self.settings.repeats).map(move |repeat| (kind, repeat)));
        all.map(|(kind, repeat)| self.cell(kind, repeat)).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let mut section = Section::new("Extension, not in the paper: several outputs of low rank", paper::LOW_RANK);
        let Settings { n, fresh, p, outputs, rank, largest, noise, ridge, repeats, .. } = self.settings;
        section.fact(
            "Setting",
            format!("n = {n}, p = {p}, K = {outputs}, true rank {rank}, noise {noise}, {repeats} repeats"),
        );
        section.fact("Fresh rows", format!("{fresh}, with the truth of the repeat; softmax has ridge {ridge}"));
        let mut plots = Vec::new();
        for kind in Kind::ALL {
            let of = results.only(&[("kind", kind.name())]);
            let at = |rank: &str| mean(&of.only(&[("rank", rank)]).numbers("error"));
            let errors: Vec<(f64, f64)> = (1..=largest).map(|rank| (rank as f64, at(&rank.to_string()))).collect();
            let without = at("none");
            let mut table = Grid::new(
                &format!("{}: {}", kind.name(), kind.measure()),
                &["rank", "mean", "relative to no set", "fits with a proven optimum"],
            );
            for rank in (1..=largest).map(|rank| rank.to_string()).chain(["none".to_owned()]) {
                let proven = of.only(&[("rank", &rank)]).numbers("proven").iter().sum::<f64>();
                let (mean, share) = (at(&rank), at(&rank) / without);
                table.rows.push(vec![rank, number(mean, 4), number(share, 3), format!("{proven} of {repeats}")]);
            }
            section.tables.push(table);
            let best = errors.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |best| best.0);
            let ours = format!(
                "{}: least at rank {best} (true rank {rank}), {} of the error without a set",
                kind.name(),
                number(at(&format!("{best}")) / without, 3)
            );
            section.statements.push(Statement::new("low rank helps", paper::OURS, ours, Verdict::Note));
            let flat = vec![(1.0, without), (largest as f64, without)];
            plots.push(Plot::Lines(LinePlot {
                title: kind.name().into(),
                x_label: "rank".into(),
                y_label: kind.measure().into(),
                series: vec![Series::new("that rank", errors), Series::new("no set", flat)],
                mark: Some(Mark { at: rank as f64, label: "true rank".into() }),
                ..LinePlot::default()
            }));
        }
        section.picture("lowrank", "An extension of ours: means over the repeats.", move |style| {
            small_multiples("Low rank with several outputs", &plots, style)
        });
        Ok(section)
    }
}
