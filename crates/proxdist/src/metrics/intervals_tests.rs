//! Intervals against the bootstrap, an O(n²) count, and how often they hold the truth.

use super::{Evaluation, Measured, measured, wilson};
use crate::loss::{Logistic, Loss, Poisson, Quantile, Squared};
use crate::random::{self, Purpose};
use rand_chacha::ChaCha8Rng;

struct Random(ChaCha8Rng);

impl Random {
    fn uniform(&mut self) -> f64 {
        random::uniform(&mut self.0)
    }

    /// By Box and Muller.
    fn normal(&mut self) -> f64 {
        let (radius, angle) = ((-2.0 * (1.0 - self.uniform()).ln()).sqrt(), std::f64::consts::TAU * self.uniform());
        radius * angle.cos()
    }
}

fn draws(seed: u64) -> Random {
    Random(random::stream(seed, Purpose::Simulation, 7))
}

/// Predictors and responses of n rows: a signal with noise, as fits the loss.
fn rows(loss: &dyn Loss, n: usize, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let is_classes = loss.has_probabilities();
    let is_counts = loss.deviance(0.0, 1.0).is_some() && !is_classes && !loss.is_quadratic();
    let eta: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let y = eta.iter().map(|&eta| match () {
        () if is_classes => f64::from(random.uniform() < loss.mean(eta)),
        () if is_counts => {
            // Knuth's product of uniforms.
            let (limit, mut product, mut count) = ((-(0.5 * eta).exp()).exp(), 1.0, -1.0);
            while product > limit {
                product *= random.uniform();
                count += 1.0;
            }
            count
        }
        () => eta + 0.8 * random.normal(),
    });
    let y = y.collect();
    let eta = if is_counts { eta.iter().map(|eta| 0.5 * eta).collect() } else { eta };
    (eta, y)
}

fn find(all: &[Measured], name: &str) -> Measured {
    *all.iter().find(|one| one.name == name).unwrap()
}

/// Standard deviations of the measures over draws of rows with replacement, on the scale that intervals are made on.
fn bootstrapped(loss: &dyn Loss, eta: &[f64], y: &[f64], name: &str, scale: &dyn Fn(f64) -> f64) -> f64 {
    let mut random = draws(99);
    let mut values = Vec::new();
    for _ in 0..600 {
        let picked: Vec<usize> = (0..y.len()).map(|_| (random.uniform() * y.len() as f64) as usize).collect();
        let pick = |values: &[f64]| picked.iter().map(|&i| values[i]).collect::<Vec<_>>();
        values.push(scale(find(&measured(loss, &pick(eta), &pick(y), None, 0.95).unwrap(), name).value));
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// A loss, one of its measures, and how that measure looks in other units.
type Case<'a> = (&'a dyn Loss, &'a str, &'a dyn Fn(f64) -> f64);

#[test]
fn widths_are_those_of_the_bootstrap() {
    let logit = |a: f64| (a / (1.0 - a)).ln();
    let log = f64::ln;
    let left = |r: f64| (1.0 - r).ln();
    let quantile = Quantile::at(0.3).unwrap();
    let cases: [Case; 9] = [
        (&Logistic, "AUC", &logit),
        (&Logistic, "accuracy", &logit),
        (&Logistic, "log loss", &log),
        (&Squared, "R2", &left),
        (&Squared, "MSE", &log),
        (&Squared, "MAE", &log),
        (&Poisson, "D2", &left),
        (&Poisson, "deviance", &log),
        (&quantile, "D2", &left),
    ];
    for (loss, name, scale) in cases {
        let (eta, y) = rows(loss, 400, &mut draws(3));
        let found = find(&measured(loss, &eta, &y, None, 0.95).unwrap(), name);
        let (low, high) = found.interval.unwrap();
        let formula = (scale(high) - scale(low)).abs() / (2.0 * 1.959_964);
        let repeated = bootstrapped(loss, &eta, &y, name, scale);
        assert!(low < found.value && found.value < high, "{name}");
        assert!((formula / repeated - 1.0).abs() < 0.12, "{name}: {formula} by formula, {repeated} by the bootstrap");
    }
}

#[test]
fn values_are_those_of_the_evaluation() {
    let (eta, y) = rows(&Logistic, 60, &mut draws(1));
    let all = measured(&Logistic, &eta, &y, None, 0.9).unwrap();
    let Evaluation::Classification(found) = Evaluation::of(&Logistic, &eta, &y, None).unwrap() else { panic!() };
    assert_eq!(Some(find(&all, "AUC").value), found.auc);
    assert_eq!(find(&all, "accuracy").value, found.accuracy);
    assert_eq!(Some(find(&all, "log loss").value), found.log_loss);
    let (area, gini) = (find(&all, "AUC"), find(&all, "Gini"));
    assert!((gini.value - (2.0 * area.value - 1.0)).abs() < 1e-15);
    assert!((gini.interval.unwrap().0 - (2.0 * area.interval.unwrap().0 - 1.0)).abs() < 1e-15);
    assert_eq!(find(&all, "KS").interval, None);
}

/// The definition of DeLong's variance, pair by pair, with ties and weights.
#[test]
fn the_interval_of_an_auc_is_delongs() {
    let (eta, y) = rows(&Logistic, 80, &mut draws(5));
    let eta: Vec<f64> = eta.iter().map(|eta| (2.0 * eta).round() / 2.0).collect();
    let weights: Vec<f64> = (0..80).map(|i| f64::from(i % 4)).collect();
    let found = find(&measured(&Logistic, &eta, &y, Some(&weights), 0.95).unwrap(), "AUC");
    let kept: Vec<usize> = (0..80).filter(|&i| weights[i] > 0.0).collect();
    let of = |label: f64| kept.iter().copied().filter(|&i| y[i] == label).collect::<Vec<usize>>();
    let (ones, zeros) = (of(1.0), of(0.0));
    let sum = |rows: &[usize]| rows.iter().map(|&i| weights[i]).sum::<f64>();
    // By value: minus zero ties with zero.
    let psi = |i: usize, j: usize| if eta[i] == eta[j] { 0.5 } else { f64::from(eta[i] > eta[j]) };
    let v10 = |i: usize| zeros.iter().map(|&j| weights[j] * psi(i, j)).sum::<f64>() / sum(&zeros);
    let v01 = |j: usize| ones.iter().map(|&i| weights[i] * psi(i, j)).sum::<f64>() / sum(&ones);
    let area = ones.iter().map(|&i| weights[i] * v10(i)).sum::<f64>() / sum(&ones);
    let part = |rows: &[usize], value: &dyn Fn(usize) -> f64| {
        let count = rows.len() as f64;
        let squares: f64 = rows.iter().map(|&i| (weights[i] * (value(i) - area)).powi(2)).sum();
        count / (count - 1.0) * squares / sum(rows).powi(2)
    };
    let error = (part(&ones, &v10) + part(&zeros, &v01)).sqrt() / (area * (1.0 - area));
    let (low, high) = found.interval.unwrap();
    let odds = |a: f64| (a / (1.0 - a)).ln();
    assert!((found.value - area).abs() < 1e-12);
    assert!((odds(high) - odds(low) - 2.0 * 1.959_963_984_540_054 * error).abs() < 1e-9);
}

/// The share of intervals that hold the value on very many rows, for 500 samples of 200 rows: 95 % up to the error of the count (3 σ = 2.9 %).
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for (loss, names) in
        [(&Logistic as &dyn Loss, &["AUC", "accuracy", "log loss"][..]), (&Squared, &["R2", "MSE", "MAE"])]
    {
        let (eta, y) = rows(loss, 200_000, &mut draws(1234));
        let truth = measured(loss, &eta, &y, None, 0.95).unwrap();
        let mut held = vec![0_u32; names.len()];
        let mut random = draws(77);
        for _ in 0..500 {
            let (eta, y) = rows(loss, 200, &mut random);
            let found = measured(loss, &eta, &y, None, 0.95).unwrap();
            for (held, name) in held.iter_mut().zip(names) {
                let (low, high) = find(&found, name).interval.unwrap();
                let truth = find(&truth, name).value;
                *held += u32::from(low <= truth && truth <= high);
            }
        }
        for (held, name) in held.iter().zip(names) {
            let share = f64::from(*held) / 500.0;
            println!("{name}: {share}");
            assert!((0.92..=0.98).contains(&share), "{name}: {share}");
        }
    }
}

#[test]
fn what_cannot_be_told_has_no_interval() {
    let perfect = measured(&Logistic, &[-1.0, 1.0, -2.0, 2.0], &[0.0, 1.0, 0.0, 1.0], None, 0.95).unwrap();
    assert_eq!((find(&perfect, "AUC").value, find(&perfect, "AUC").interval), (1.0, None));
    assert!(find(&perfect, "accuracy").interval.is_some_and(|(low, high)| low < 1.0 && high == 1.0));
    let exact = measured(&Squared, &[1.0, 2.0], &[1.0, 2.0], None, 0.95).unwrap();
    assert_eq!(find(&exact, "MSE").interval, None);
    let one = measured(&Squared, &[1.0], &[2.0], None, 0.95).unwrap();
    assert!(one.iter().all(|m| m.interval.is_none()) && one.iter().all(|m| m.name != "R2"));
    // 8 of 10: (0.490, 0.943), a standard example of Wilson's interval.
    let (low, high) = wilson(0.8, 10.0, 1.959_964);
    assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4, "{low} {high}");
}
