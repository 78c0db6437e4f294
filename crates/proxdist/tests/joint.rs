//! Fits of times and ordered labels: against enumeration with an independent Newton's method, over convex sets against many feasible points, and what they say of themselves.

use proxdist::constraint::{Constraint, NonNegative, Sparsity, WholeSpace, projected};
use proxdist::joint::{CoxEvaluation, JointFit, JointKind, JointModel, JointProblem, OrdinalEvaluation};
use proxdist::spec::SetSpec;
use proxdist::survival::{SurvivalTimes, Ties};
use proxdist::{Data, Error, Exchanges, Preparation, Settings, Shape, Standardize, Stop};

/// A generator of its own, so that nothing is shared with the library.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / 9_007_199_254_740_992.0
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.next()).ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos()
    }
}

/// Correlated columns over five decades, times with ties and censoring, labels from the same predictor.
#[derive(Clone)]
struct Made {
    features: usize,
    x: Vec<f64>,
    time: Vec<f64>,
    event: Vec<bool>,
    labels: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    zeros: Vec<f64>,
    scales: Vec<f64>,
}

fn made(seed: u64, rows: usize, features: usize) -> Made {
    let mut draw = Draw(seed * 77 + 13);
    let scales: Vec<f64> = (0..features).map(|j| 10_f64.powf(5.0 * j as f64 / features as f64 - 2.5)).collect();
    let (mut x, mut time, mut event, mut labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut weights, mut offset) = (Vec::new(), Vec::new());
    for i in 0..rows {
        let common = draw.normal();
        let row: Vec<f64> = (0..features).map(|_| 0.6 * common + draw.normal()).collect();
        let known = 0.3 * draw.normal();
        let eta = 1.1 * row[0] - 0.9 * row[1] + 0.5 * row[features - 1] + known;
        x.extend(row.iter().zip(&scales).map(|(v, s)| v * s + 3.0 * s));
        let died = -(1.0 - draw.next()).ln() * (-eta).exp();
        let left = 0.2 + 3.0 * draw.next();
        // Rounded times have ties.
        time.push((20.0 * died.min(left)).ceil() / 20.0);
        event.push(died <= left);
        let latent = eta + (draw.next().max(1e-12) / (1.0 - draw.next()).max(1e-12)).ln();
        labels.push(if i < 3 {
            i as f64
        } else if latent < -1.0 {
            0.0
        } else if latent < 1.0 {
            1.0
        } else {
            2.0
        });
        weights.push(0.5 + (i % 3) as f64 * 0.5);
        offset.push(known);
    }
    Made { features, x, time, event, labels, weights, offset, zeros: vec![0.0; rows], scales }
}

impl Made {
    fn data(&self) -> Data<'_> {
        let data = Data::dense(&self.x, self.features, &self.zeros).unwrap();
        data.weights(&self.weights).unwrap().offset(&self.offset).unwrap()
    }

    fn times(&self) -> SurvivalTimes<'_> {
        SurvivalTimes::new(&self.time, &self.event).unwrap()
    }

    fn fit(&self, is_cox: bool, set: Box<dyn Constraint>, ridge: f64) -> JointFit {
        self.fit_with(is_cox, set, ridge, &Settings::default()).unwrap()
    }

    fn fit_with(
        &self,
        is_cox: bool,
        set: Box<dyn Constraint>,
        ridge: f64,
        settings: &Settings,
    ) -> proxdist::Result<JointFit> {
        let data = self.data();
        let problem = if is_cox {
            JointProblem::cox(&data, &self.times(), Ties::Efron, set)?
        } else {
            JointProblem::ordinal(&data, &self.labels, ["a", "b", "c"], set)?
        };
        problem.ridge(ridge).fit(settings)
    }

    /// F by its definition, in one loop over all pairs of rows; thresholds by plain descent on them.
    fn naive(&self, is_cox: bool, theta: &[f64], ridge: f64) -> f64 {
        let rows = self.time.len();
        let row = |i: usize| &self.x[i * self.features..(i + 1) * self.features];
        let dot = |x: &[f64]| x.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>();
        let eta: Vec<f64> = (0..rows).map(|i| dot(row(i)) + self.offset[i]).collect();
        let total: f64 = self.weights.iter().sum();
        let penalty = 0.5 * ridge * theta.iter().map(|t| t * t).sum::<f64>();
        let loss = if is_cox { self.naive_cox(&eta) } else { self.naive_ordinal(&eta) };
        loss / total + penalty
    }

    fn naive_cox(&self, eta: &[f64]) -> f64 {
        let mut times: Vec<f64> =
            self.time.iter().zip(&self.event).filter(|(_, event)| **event).map(|(time, _)| *time).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut loss = 0.0;
        for now in times {
            let dies = |i: &usize| self.time[*i] == now && self.event[*i];
            let hazard = |i: usize| self.weights[i] * eta[i].exp();
            let deaths: Vec<usize> = (0..eta.len()).filter(dies).collect();
            let at_risk: f64 = (0..eta.len()).filter(|i| self.time[*i] >= now).map(hazard).sum();
            let dying: f64 = deaths.iter().map(|i| hazard(*i)).sum();
            let (weight, count) = (deaths.iter().map(|i| self.weights[*i]).sum::<f64>(), deaths.len() as f64);
            for l in 0..deaths.len() {
                loss += weight / count * ((at_risk - l as f64 / count * dying) / (weight / count)).ln();
            }
            loss -= deaths.iter().map(|i| self.weights[*i] * eta[*i]).sum::<f64>();
        }
        loss
    }

    fn naive_ordinal(&self, eta: &[f64]) -> f64 {
        let loss = |cuts: [f64; 2]| {
            let sigmoid = |z: f64| 1.0 / (1.0 + (-z).exp());
            let mut sum = 0.0;
            for (i, eta) in eta.iter().enumerate() {
                let (low, high) = (sigmoid(cuts[0] - eta), sigmoid(cuts[1] - eta));
                let chance = [low, high - low, 1.0 - high][self.labels[i] as usize];
                sum -= self.weights[i] * chance.ln();
            }
            if cuts[0] < cuts[1] { sum } else { f64::INFINITY }
        };
        // Coordinate search with shrinking steps: slow, and nothing to get wrong.
        let mean = eta.iter().sum::<f64>() / eta.len() as f64;
        let (mut cuts, mut step) = ([mean - 1.0, mean + 1.0], 2.0);
        let mut best = loss(cuts);
        while step > 1e-9 {
            let mut moved = false;
            for by in [[step, 0.0], [-step, 0.0], [0.0, step], [0.0, -step], [step, step], [-step, -step]] {
                let next = [cuts[0] + by[0], cuts[1] + by[1]];
                let value = loss(next);
                if value < best {
                    (cuts, best, moved) = (next, value, true);
                }
            }
            step *= if moved { 1.0 } else { 0.5 };
        }
        best
    }

    /// The least F on a support by Newton's method with derivatives by differences of [`Made::naive`], in units in which columns are of size one.
    fn least_on(&self, is_cox: bool, support: &[usize], ridge: f64) -> f64 {
        let size = support.len();
        let value = |point: &[f64]| {
            let mut theta = vec![0.0; self.features];
            support.iter().zip(point).for_each(|(&j, v)| theta[j] = v / self.scales[j]);
            self.naive(is_cox, &theta, ridge)
        };
        let mut point = vec![0.0; size];
        let mut best = value(&point);
        let step = 1e-4;
        for _ in 0..12 {
            let moved = |changes: &[(usize, f64)]| {
                let mut at = point.clone();
                changes.iter().for_each(|(j, by)| at[*j] += by);
                value(&at)
            };
            let mut gradient = vec![0.0; size];
            let mut hessian = vec![vec![0.0; size]; size];
            for i in 0..size {
                gradient[i] = (moved(&[(i, step)]) - moved(&[(i, -step)])) / (2.0 * step);
                for j in 0..size {
                    let corner = |a: f64, b: f64| moved(&[(i, a * step), (j, b * step)]);
                    hessian[i][j] = (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                        / (4.0 * step * step);
                }
            }
            let direction = solved(hessian, &gradient);
            let mut length = 1.0;
            while length > 1e-6 {
                let at: Vec<f64> = point.iter().zip(&direction).map(|(p, d)| p - length * d).collect();
                let next = value(&at);
                if next < best {
                    (point, best) = (at, next);
                    break;
                }
                length *= 0.5;
            }
            if length <= 1e-6 {
                break;
            }
        }
        best
    }
}

/// Gaussian elimination.
fn solved(mut matrix: Vec<Vec<f64>>, right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut right = right.to_vec();
    for i in 0..size {
        for k in i + 1..size {
            let factor = matrix[k][i] / matrix[i][i];
            for j in i..size {
                matrix[k][j] -= factor * matrix[i][j];
            }
            right[k] -= factor * right[i];
        }
    }
    for i in (0..size).rev() {
        let rest: f64 = (i + 1..size).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - rest) / matrix[i][i];
    }
    right
}

fn set(text: &str, features: usize) -> Box<dyn Constraint> {
    SetSpec::parse(text).unwrap().build(Shape::Vector(features)).unwrap()
}

#[test]
fn the_best_of_all_supports_is_found_and_said_to_be() {
    for seed in 0..3 {
        for is_cox in [true, false] {
            let made = made(seed, 40, 5);
            let fit = made.fit(is_cox, Box::new(Sparsity::at_most(2)), 0.0);
            let mut least = f64::INFINITY;
            for i in 0..5 {
                for j in i + 1..5 {
                    least = least.min(made.least_on(is_cox, &[i, j], 0.0));
                }
            }
            let own = made.naive(is_cox, &fit.model().coefficients, 0.0);
            assert!((fit.objective() - own).abs() < 1e-7 * own, "seed {seed}: {} {own}", fit.objective());
            assert!(fit.objective() <= least + 1e-7 * least, "seed {seed}, {is_cox}: {} {least}", fit.objective());
            assert_eq!(fit.certificate().exchanges, Exchanges::EveryChoice);
            assert_eq!(fit.stop(), Stop::Polished);
        }
    }
}

/// Too many choices for all of them: the result is a support from which no exchange leads lower, which is checked one by one.
#[test]
fn no_exchange_lowers_f_where_none_is_said_to() {
    for is_cox in [true, false] {
        let made = made(5, 60, 24);
        let fit = made.fit(is_cox, Box::new(Sparsity::at_most(5)), 1e-9);
        let support = fit.model().support();
        assert_eq!(support.len(), 5);
        assert_eq!(fit.certificate().exchanges, Exchanges::Refitted);
        for out in 0..5 {
            for into in (0..24).filter(|j| !support.contains(j)) {
                let mut other = support.clone();
                other[out] = into;
                other.sort_unstable();
                let columns = other.iter().map(|&j| made.x.iter().skip(j).step_by(24).copied().collect::<Vec<_>>());
                let columns: Vec<Vec<f64>> = columns.collect();
                let x: Vec<f64> = (0..60).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
                let part = Made { features: 5, x, ..made.clone() };
                let least = part.fit(is_cox, Box::new(WholeSpace), 1e-9).objective();
                assert!(fit.objective() <= least * (1.0 + 1e-9), "{} {least}", fit.objective());
            }
        }
    }
}

/// Over convex sets no feasible point near by or far is lower, and the gap is never smaller than the truth.
#[test]
fn no_feasible_point_is_lower_over_convex_sets() {
    for (text, ridge) in [("nonneg", 0.0), ("ball:2", 0.0), ("l1:1.5", 0.01), ("box:-0.5,0.7", 0.1), ("none", 0.0)] {
        for is_cox in [true, false] {
            let mut made = made(9, 50, 4);
            made.x.chunks_exact_mut(4).for_each(|row| row.iter_mut().zip(&made.scales).for_each(|(x, s)| *x /= s));
            let fit = made.fit(is_cox, set(text, 4), ridge);
            assert_eq!(fit.stop(), Stop::Polished, "{text}");
            let theta = &fit.model().coefficients;
            let (own, constraint) = (made.naive(is_cox, theta, ridge), set(text, 4));
            assert!((own - fit.objective()).abs() < 1e-8 * own, "{text}: {own} {}", fit.objective());
            let mut draw = Draw(3);
            for size in [1e-4, 1e-2, 0.3, 2.0] {
                for _ in 0..20 {
                    let moved: Vec<f64> = theta.iter().map(|t| t + size * draw.normal()).collect();
                    let other = made.naive(is_cox, &projected(&*constraint, &moved).unwrap(), ridge);
                    assert!(other >= own - 1e-8 * own, "{text}, {is_cox}: {other} below {own}");
                }
            }
            if is_cox || ridge > 0.0 {
                let gap = fit.certificate().gap.expect("a bound");
                assert!(gap.value < 1e-9 * own, "{text}: {gap:?}");
            }
        }
    }
}

/// Other choices than plain sparsity: the result is in the set, stationary, and every choice or exchange was looked at.
#[test]
fn groups_signs_and_forced_features_are_kept() {
    for text in
        ["group-sparsity:2;size=2", "sparsity:3 & nonneg", "sparsity:2 & box:-0.01,0.01", "sparsity:2 & ball:0.05"]
    {
        for is_cox in [true, false] {
            let made = made(4, 50, 8);
            let fit = made.fit(is_cox, set(text, 8), 0.0);
            assert!(fit.certificate().distance <= 1e-12, "{text}");
            assert!(fit.certificate().is_stationary(), "{text}: {}", fit.certificate().stationarity);
            assert!(fit.certificate().exchanges.are_exhausted(), "{text}: {:?}", fit.certificate().exchanges);
            let zero = made.naive(is_cox, &[0.0; 8], 0.0);
            assert!(fit.objective() <= zero, "{text}");
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let made = made(2, 300, 20);
    for (text, is_cox) in [("sparsity:4", true), ("nonneg", true), ("sparsity:4", false), ("l1:0.5", false)] {
        let fits = [1, 2, 5].map(|threads| {
            let settings = Settings::default().threads(threads);
            made.fit_with(is_cox, set(text, 20), 1e-6, &settings).unwrap().model().coefficients.clone()
        });
        assert!(fits[1..].iter().all(|other| *other == fits[0]), "{text}");
    }
}

/// Scaled columns and columns as they are pose the same problem, and the restored model predicts the same in the units of the data.
#[test]
fn units_do_not_matter() {
    for is_cox in [true, false] {
        let made = made(6, 80, 6);
        let data = made.data();
        let constraint: Box<dyn Constraint> = Box::new(Sparsity::at_most(3));
        let units = Preparation::decide(Standardize::Auto, [&*constraint], true).unwrap().units(&data, 0.0).unwrap();
        assert!(units.is_scaled() && units.is_centered());
        let scaled = units.apply(made.data()).unwrap();
        let problem = |data, set| {
            if is_cox {
                JointProblem::cox(data, &made.times(), Ties::Breslow, set).unwrap()
            } else {
                JointProblem::ordinal(data, &made.labels, ["a", "b", "c"], set).unwrap()
            }
        };
        let raw =
            problem(&data, Box::new(Sparsity::at_most(3)) as Box<dyn Constraint>).fit(&Settings::default()).unwrap();
        let other = problem(&scaled, constraint).fit(&Settings::default()).unwrap();
        assert!((raw.objective() - other.objective()).abs() < 1e-12, "{} {}", raw.objective(), other.objective());
        let restored = other.model().restored(&units).unwrap();
        assert_eq!(restored.support(), raw.model().support());
        let chances = |model: &JointModel| {
            let eta = model.linear_predictors(data.source(), Some(&made.offset)).unwrap();
            match model.kind {
                JointKind::Cox { .. } => model.survival(&eta, None, &[0.1, 0.5, 2.0]).unwrap().unwrap(),
                _ => model.class_probabilities(&eta).unwrap(),
            }
        };
        let pairs = chances(raw.model()).into_iter().zip(chances(&restored));
        pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-8, "{a} {b}"));
        let text = restored.to_json().unwrap();
        assert_eq!(JointModel::from_json(&text).unwrap(), restored);
        assert!(JointModel::is_one(&text) && proxdist::Model::from_json(&text).is_err());
    }
}

#[test]
fn measures_are_those_of_simple_cases() {
    let made = made(8, 100, 4);
    let data = made.data();
    let fit = made.fit(true, Box::new(WholeSpace), 0.0);
    let eta = fit.model().linear_predictors(data.source(), Some(&made.offset)).unwrap();
    let found = CoxEvaluation::of(fit.model(), &eta, Some(&made.offset), &made.times(), Some(&made.weights)).unwrap();
    assert!(found.concordance.unwrap() > 0.6 && found.deviance_explained.unwrap() > 0.02);
    let null = CoxEvaluation::of(fit.model(), &made.offset, Some(&made.offset), &made.times(), None).unwrap();
    assert_eq!(null.deviance_explained, Some(0.0));

    let fit = made.fit(false, Box::new(WholeSpace), 0.0);
    let eta = fit.model().linear_predictors(data.source(), Some(&made.offset)).unwrap();
    let found = OrdinalEvaluation::of(fit.model(), &eta, &made.labels, Some(&made.weights)).unwrap();
    // Without ridge F is the log loss.
    assert!((found.log_loss - fit.objective()).abs() < 1e-12);
    let right: f64 = (0..3).map(|k| found.confusion[k][k]).sum();
    assert!((found.accuracy - right / made.weights.iter().sum::<f64>()).abs() < 1e-12);
}

#[test]
fn what_cannot_be_fitted_is_refused_with_the_reason() {
    let made = made(1, 20, 2);
    let data = made.data();
    let refused = |time: &[f64], event: &[bool]| {
        let times = SurvivalTimes::new(time, event)
            .and_then(|times| JointProblem::cox(&data, &times, Ties::Efron, NonNegative));
        times.expect_err("refused").to_string()
    };
    assert_eq!(
        refused(&made.time, &[false; 20]),
        "all 20 rows are censored: without an event of positive weight there is nothing to explain"
    );
    let mut time = made.time.clone();
    time[3] = -1.0;
    assert_eq!(refused(&time, &made.event), "time at row 3 is -1: times must be zero or positive");
    time[3] = f64::NAN;
    assert_eq!(refused(&time, &made.event), "time at row 3 is NaN: times must be zero or positive");
    let late = made.times().entry(&made.time).err().unwrap().to_string();
    assert!(late.starts_with("entry at row 0 is ") && late.ends_with("the row is never at risk"), "{late}");

    let labels = |labels: &[f64]| {
        JointProblem::ordinal(&data, labels, ["a", "b", "c"], NonNegative).expect_err("refused").to_string()
    };
    assert_eq!(labels(&[1.0; 20]), "all rows are of the class \"b\": at least two classes are needed");
    let mut two = vec![0.0; 20];
    two[5] = 2.0;
    assert!(labels(&two).starts_with("no row with a positive weight has the label \"b\""));
    two[5] = 7.0;
    assert!(labels(&two).contains("is 7, not the number of one of 3 classes"));
    let data = Data::dense(&made.x, 4, &made.zeros[..10]).unwrap();
    let times = SurvivalTimes::new(&made.time[..10], &[true; 10]).unwrap();
    let curved = JointProblem::cox(&data, &times, Ties::Efron, set("jumps:1", 4)).unwrap();
    assert!(matches!(curved.fit(&Settings::default()), Err(Error::NotForJoint { loss: "cox", .. })));
}

/// A feature without which no one lives long has no best coefficient, in any units; a ridge, a ball and other data give it one.
#[test]
fn coefficients_without_a_natural_size_are_named() {
    let (time, event) = ([5.0, 1.0, 3.0, 2.0, 6.0, 4.0], [true, true, false, true, true, true]);
    let labels = [1.0, 0.0, 1.0, 0.0, 2.0, 2.0];
    for unit in [1e-5, 1.0, 1e5] {
        let x: Vec<f64> =
            [0.2, 1.0, 1.4, 0.0, 0.9, 1.0, 2.0, 0.0, 0.1, 1.0, 1.2, 1.0].iter().map(|v| v * unit).collect();
        let zeros = [0.0; 6];
        let data = Data::dense(&x, 2, &zeros).unwrap();
        let times = SurvivalTimes::new(&time, &event).unwrap();
        let cox = |set: &str| JointProblem::cox(&data, &times, Ties::Efron, self::set(set, 2)).unwrap();
        let fit = |problem: JointProblem| problem.fit(&Settings::default()).unwrap();
        assert_eq!(fit(cox("sparsity:1")).undetermined(), [1], "unit {unit}");
        let spread = unit * unit;
        assert!(fit(cox("sparsity:1").ridge(1e-3 * spread)).undetermined().is_empty());
        assert!(fit(cox(&format!("ball:{}", 2.0 / unit))).undetermined().is_empty());
        let sorted: Vec<f64> = time.iter().map(|t| t * unit).collect();
        let data = Data::dense(&sorted, 1, &zeros).unwrap();
        let kept = JointProblem::ordinal(&data, &labels, ["low", "middle", "high"], WholeSpace).unwrap();
        assert!(fit(kept).undetermined().is_empty());
        let apart = [2.0, 0.0, 1.0, 0.0, 2.0, 1.0];
        let apart = JointProblem::ordinal(&data, &apart, ["low", "middle", "high"], WholeSpace).unwrap();
        assert_eq!(fit(apart).undetermined(), [0], "unit {unit}");
    }
    for seed in 0..20 {
        let made = made(seed, 60, 4);
        let data = Data::dense(&made.x, 4, &made.zeros).unwrap();
        let times = SurvivalTimes::new(&made.time, &made.event).unwrap();
        let fit = JointProblem::cox(&data, &times, Ties::Breslow, Sparsity::at_most(3)).unwrap();
        assert!(fit.fit(&Settings::default()).unwrap().undetermined().is_empty(), "seed {seed}");
    }
}
