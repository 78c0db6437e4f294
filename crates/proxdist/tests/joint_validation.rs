//! Paths and cross-validation of times and ordered labels against loops of single fits, every choice and formulas written out.

use proxdist::constraint::{Sparsity, WholeSpace};
use proxdist::joint::{JointProblem, JointValidation};
use proxdist::path::Criterion;
use proxdist::selection::{Choice, Grid, Scoring, Split};
use proxdist::survival::{SurvivalTimes, Ties, concordance};
use proxdist::{Data, Settings, Standardize};

struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / 9_007_199_254_740_992.0
    }
}

struct Made {
    x: Vec<f64>,
    time: Vec<f64>,
    event: Vec<bool>,
    strata: Vec<usize>,
    labels: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    zeros: Vec<f64>,
}

const FEATURES: usize = 5;

fn made(seed: u64, rows: usize) -> Made {
    let mut draw = Draw(seed * 77 + 5);
    let mut made = Made {
        x: Vec::new(),
        time: Vec::new(),
        event: Vec::new(),
        strata: (0..rows).map(|i| i % 2).collect(),
        labels: Vec::new(),
        weights: Vec::new(),
        offset: Vec::new(),
        zeros: vec![0.0; rows],
    };
    for i in 0..rows {
        let row: Vec<f64> = (0..FEATURES).map(|j| 10_f64.powf(j as f64 - 2.0) * (2.0 * draw.next() - 1.0)).collect();
        let known = 0.3 * draw.next();
        let eta = 150.0 * row[0] - 1.5 * row[2] + 0.05 * row[4] + known;
        made.x.extend(row);
        let (died, left) = (-(1.0 - draw.next()).ln() * (-eta).exp(), 0.3 + 3.0 * draw.next());
        made.time.push((20.0 * died.min(left)).ceil() / 20.0);
        made.event.push(died <= left);
        let latent = eta + (draw.next().max(1e-9) / (1.0 - draw.next()).max(1e-9)).ln();
        made.labels.push(if i < 12 {
            (i % 3) as f64
        } else {
            f64::from(u8::from(latent > -0.7)) + f64::from(u8::from(latent > 0.8))
        });
        made.weights.push(0.5 + (i % 3) as f64 * 0.5);
        made.offset.push(known);
    }
    made
}

impl Made {
    fn data(&self) -> Data<'_> {
        let data = Data::dense(&self.x, FEATURES, &self.zeros).unwrap();
        data.weights(&self.weights).unwrap().offset(&self.offset).unwrap()
    }

    fn times(&self) -> SurvivalTimes<'_> {
        SurvivalTimes::new(&self.time, &self.event).unwrap().strata(&self.strata).unwrap()
    }
}

fn supports(size: usize) -> impl Iterator<Item = Vec<usize>> {
    (0_usize..1 << FEATURES)
        .filter(move |bits| bits.count_ones() as usize == size)
        .map(|bits| (0..FEATURES).filter(|j| bits >> j & 1 == 1).collect())
}

/// F on some columns, fitted without a set.
fn least(made: &Made, support: &[usize], is_cox: bool) -> f64 {
    let columns: Vec<f64> = made.x.chunks(FEATURES).flat_map(|row| support.iter().map(move |&j| row[j])).collect();
    let data = Data::dense(&columns, support.len(), &made.zeros).unwrap();
    let data = data.weights(&made.weights).unwrap().offset(&made.offset).unwrap();
    let problem = if is_cox {
        JointProblem::cox(&data, &made.times(), Ties::Efron, WholeSpace).unwrap()
    } else {
        JointProblem::ordinal(&data, &made.labels, ["a", "b", "c"], WholeSpace).unwrap()
    };
    problem.fit(&Settings::default()).unwrap().objective()
}

#[test]
fn paths_are_the_best_of_every_choice_and_criteria_are_their_formulas() {
    for is_cox in [true, false] {
        let made = made(3, 90);
        let data = made.data();
        let validation = if is_cox {
            JointValidation::cox(&data, &made.times(), Ties::Efron)
        } else {
            JointValidation::ordinal(&data, &made.labels, ["a", "b", "c"])
        };
        let grid = Grid::parse(["sparsity:1-4"]).unwrap();
        let path = validation.trace(&grid, &Settings::default()).unwrap();
        let events = made.event.iter().filter(|event| **event).count();
        assert_eq!(path.count, if is_cox { events } else { 90 });
        let (aic, bic) = (path.criterion(Criterion::Akaike).unwrap(), path.criterion(Criterion::Bayes).unwrap());
        let ebic = path.criterion(Criterion::ExtendedBayes { gamma: 1.0 }).unwrap();
        let counts = [5.0_f64, 10.0, 10.0, 5.0];
        for (at, point) in path.points.iter().enumerate() {
            let size = at + 1;
            let best = supports(size).map(|support| least(&made, &support, is_cox)).fold(f64::INFINITY, f64::min);
            assert!((point.fit.objective() - best).abs() <= 1e-9 * best, "{size}: {} {best}", point.fit.objective());
            let deviance = 2.0 * 90.0 * best;
            assert!((point.deviance - deviance).abs() < 1e-6);
            let size = size as f64;
            assert!((aic[at] - deviance - 2.0 * size).abs() < 1e-6);
            assert!((bic[at] - deviance - size * (path.count as f64).ln()).abs() < 1e-6);
            assert!((ebic[at] - bic[at] - 2.0 * counts[at].ln()).abs() < 1e-9);
        }
        let chosen = path.least(Criterion::Bayes).unwrap();
        assert!(bic.iter().all(|value| bic[chosen] <= *value));
        assert!(path.criterion(Criterion::ExtendedBayes { gamma: 2.0 }).is_err());
    }
}

/// The log partial likelihood of some rows, straight from its definition (Breslow's ties), not divided by anything.
fn partial(made: &Made, rows: &[usize], eta: &[f64]) -> f64 {
    let mut total = 0.0;
    for (a, &i) in rows.iter().enumerate().filter(|(_, i)| made.event[**i]) {
        let at_risk = rows
            .iter()
            .enumerate()
            .filter(|(_, j)| made.time[**j] >= made.time[i] && made.strata[**j] == made.strata[i]);
        let sum: f64 = at_risk.map(|(b, &j)| made.weights[j] * eta[b].exp()).sum();
        total += made.weights[i] * (eta[a] - sum.ln());
    }
    total
}

#[test]
fn held_out_scores_are_those_of_single_fits() {
    let made = made(8, 60);
    let data = made.data();
    let splits: Vec<Split> = (0..3)
        .map(|fold| {
            let part = |inside: bool| (0..60).filter(|i| (i / 2 % 3 == fold) == inside).collect::<Vec<usize>>();
            Split { training: part(false), held_out: part(true) }
        })
        .collect();
    let grid = Grid::parse(["ridge:0,0.01", "sparsity:1,2"]).unwrap();
    let predictors = |coefficients: &[f64], rows: &[usize]| -> Vec<f64> {
        let eta = |&i: &usize| {
            (0..FEATURES).map(|j| made.x[i * FEATURES + j] * coefficients[j]).sum::<f64>() + made.offset[i]
        };
        rows.iter().map(eta).collect()
    };
    for scoring in [Scoring::Loss, Scoring::Concordance] {
        let validation = JointValidation::cox(&data, &made.times(), Ties::Breslow)
            .splits(splits.clone())
            .scoring(scoring)
            .choice(Choice::Best);
        let found = validation.run(&grid, &Settings::default()).unwrap();
        for score in &found.table.scores {
            for (split, told) in splits.iter().zip(&score.folds) {
                let part = data.subset(split.training.clone()).unwrap();
                let training = part.data().unwrap();
                let pick = |all: &[f64]| split.training.iter().map(|&i| all[i]).collect::<Vec<f64>>();
                let (time, event) =
                    (pick(&made.time), split.training.iter().map(|&i| made.event[i]).collect::<Vec<bool>>());
                let strata: Vec<usize> = split.training.iter().map(|&i| made.strata[i]).collect();
                let times = SurvivalTimes::new(&time, &event).unwrap().strata(&strata).unwrap();
                let size = score.point.constraint.size().unwrap();
                let problem = JointProblem::cox(&training, &times, Ties::Breslow, Sparsity::at_most(size)).unwrap();
                let fit = problem.ridge(score.point.ridge).fit(&Settings::default()).unwrap();
                let both: Vec<usize> = split.training.iter().chain(&split.held_out).copied().collect();
                let coefficients = &fit.model().coefficients;
                let expected = if scoring == Scoring::Loss {
                    let all = partial(&made, &both, &predictors(coefficients, &both));
                    let before = partial(&made, &split.training, &predictors(coefficients, &split.training));
                    let constant = constants(&made, &both) - constants(&made, &split.training);
                    let weight: f64 = split.held_out.iter().map(|&i| made.weights[i]).sum();
                    2.0 * (before - all - constant) / weight
                } else {
                    let own = |all: &[f64]| split.held_out.iter().map(|&i| all[i]).collect::<Vec<f64>>();
                    let (time, weights) = (own(&made.time), own(&made.weights));
                    let event: Vec<bool> = split.held_out.iter().map(|&i| made.event[i]).collect();
                    let strata: Vec<usize> = split.held_out.iter().map(|&i| made.strata[i]).collect();
                    let times = SurvivalTimes::new(&time, &event).unwrap().strata(&strata).unwrap();
                    let eta = predictors(coefficients, &split.held_out);
                    concordance(&times, &eta, Some(&weights)).unwrap().index().unwrap()
                };
                assert!((told - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{scoring}: {told} {expected}");
            }
        }
        let best = found.table.scores[found.chosen].mean;
        let is_best = |mean: f64| if scoring == Scoring::Loss { best <= mean } else { best >= mean };
        assert!(found.table.scores.iter().all(|score| is_best(score.mean)));
    }
}

/// What the loss of weighted rows has besides the likelihood: the logarithm of the mean weight of the deaths of each time and stratum.
fn constants(made: &Made, rows: &[usize]) -> f64 {
    let mut total = 0.0;
    for &i in rows.iter().filter(|i| made.event[**i]) {
        let same: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|&j| made.event[j] && made.time[j] == made.time[i] && made.strata[j] == made.strata[i])
            .collect();
        let mean = same.iter().map(|&j| made.weights[j]).sum::<f64>() / same.len() as f64;
        total += made.weights[i] * mean.ln();
    }
    total
}

#[test]
fn labels_are_scored_by_their_chances_and_bad_searches_are_refused() {
    let made = made(21, 80);
    let data = made.data();
    let grid = Grid::parse(["sparsity:1-3"]).unwrap();
    let validation = || JointValidation::ordinal(&data, &made.labels, ["a", "b", "c"]).folds(4).seed(3);
    let found = validation().standardize(Standardize::Auto).run(&grid, &Settings::default()).unwrap();
    assert_eq!(found.table.scores.len(), 3);
    // Better than the shares of the labels, and the same again with the same seed.
    let shares: Vec<f64> =
        (0..3).map(|k| made.labels.iter().filter(|l| **l == f64::from(k)).count() as f64 / 80.0).collect();
    let entropy: f64 = shares.iter().map(|share| -share * share.ln()).sum();
    assert!(found.table.scores[found.best].mean < entropy);
    let again = validation().standardize(Standardize::Auto).run(&grid, &Settings::default()).unwrap();
    assert_eq!(found.table, again.table);
    let accuracy = validation().scoring(Scoring::Accuracy).run(&grid, &Settings::default()).unwrap();
    assert!(accuracy.table.scores.iter().all(|score| (0.0..=1.0).contains(&score.mean)));

    let says = |error: proxdist::Error| error.to_string();
    let refused = validation().scoring(Scoring::Auc).run(&grid, &Settings::default());
    assert!(says(refused.unwrap_err()).contains("loss or accuracy for ordered labels"));
    let times = made.times();
    let cox = || JointValidation::cox(&data, &times, Ties::Efron);
    let refused = cox().scoring(Scoring::Accuracy).run(&grid, &Settings::default());
    assert!(says(refused.unwrap_err()).contains("loss or concordance for times"));
    let refused = cox().run(&Grid::parse(["rho1:1,2"]).unwrap(), &Settings::default());
    assert!(says(refused.unwrap_err()).contains("a grid over rho1"));
    let refused = validation().folds(60).run(&grid, &Settings::default());
    assert!(says(refused.unwrap_err()).contains("60 folds need a row of it each"));
    // A training part without any event.
    let censored: Vec<usize> = (0..80).filter(|&i| !made.event[i]).collect();
    let rest: Vec<usize> = (0..80).filter(|&i| made.event[i]).collect();
    let splits = vec![Split { training: censored, held_out: rest }];
    let refused = cox().splits(splits).run(&grid, &Settings::default());
    let error = refused.unwrap_err();
    let source = std::error::Error::source(&error).expect("the fit that failed").to_string();
    assert!(source.contains("rows are censored"), "{source}");
}
