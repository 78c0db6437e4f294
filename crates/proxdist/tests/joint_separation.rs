//! Times and ordered labels whose loss has no minimum: found where there is none, and nowhere else.
//!
//! With two features an exact answer is at hand: the differences of rows that a loss compares are vectors of the plane, and F falls without end along a direction that has no negative product with any of them and a positive one with some. If there is such a
//! direction, there is one among the differences, their normals and the opposites of both. Entries are small whole numbers, so that products are exact.

use proxdist::constraint::{Constraint, WholeSpace};
use proxdist::joint::{JointFit, JointProblem};
use proxdist::spec::SetSpec;
use proxdist::survival::{SurvivalTimes, Ties};
use proxdist::{Data, Exchanges, Settings, Shape};

struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }
}

fn set(text: &str, features: usize) -> Box<dyn Constraint> {
    text.parse::<SetSpec>().unwrap().build(Shape::Vector(features)).unwrap()
}

/// Rows with two features, times with ties, entries and strata, and labels.
struct Made {
    x: Vec<[f64; 2]>,
    time: Vec<f64>,
    event: Vec<bool>,
    entry: Vec<f64>,
    strata: Vec<usize>,
    labels: Vec<f64>,
}

fn made(seed: u64, rows: usize, is_sorted: bool) -> Made {
    let mut draw = Draw(seed * 1_000_003 + 17);
    let mut x: Vec<[f64; 2]> = (0..rows).map(|_| [draw.below(9) as f64 - 4.0, draw.below(9) as f64 - 4.0]).collect();
    let way = [draw.below(5) as f64 - 2.0, draw.below(5) as f64 - 2.0];
    if is_sorted {
        // The earlier, the larger in one direction; one row may break it.
        x.sort_by(|a, b| (b[0] * way[0] + b[1] * way[1]).total_cmp(&(a[0] * way[0] + a[1] * way[1])));
        let (a, b) = (draw.below(rows), draw.below(rows));
        if draw.below(2) == 0 {
            x.swap(a, b);
        }
    }
    let time: Vec<f64> = (0..rows).map(|i| (i / (1 + draw.below(2)) + 2) as f64).collect();
    let mut event: Vec<bool> = (0..rows).map(|_| draw.below(3) > 0).collect();
    event[0] = true;
    let entry = time.iter().map(|t| draw.below(*t as usize) as f64).collect();
    let strata = (0..rows).map(|_| draw.below(2)).collect();
    let labels = (0..rows).map(|i| (3 * i / rows) as f64).collect();
    Made { x, time, event, entry, strata, labels }
}

impl Made {
    /// Differences of those who die and those at risk.
    fn compared(&self, has_strata: bool, has_entry: bool) -> Vec<[f64; 2]> {
        let mut found = Vec::new();
        for i in (0..self.x.len()).filter(|&i| self.event[i]) {
            for j in 0..self.x.len() {
                let is_at_risk = self.time[j] >= self.time[i] && (!has_entry || self.entry[j] < self.time[i]);
                if is_at_risk && (!has_strata || self.strata[i] == self.strata[j]) {
                    found.push([self.x[i][0] - self.x[j][0], self.x[i][1] - self.x[j][1]]);
                }
            }
        }
        found
    }

    /// Differences of rows with higher and lower labels.
    fn ordered(&self) -> Vec<[f64; 2]> {
        let mut found = Vec::new();
        for i in 0..self.x.len() {
            let lower = (0..self.x.len()).filter(|&j| self.labels[j] < self.labels[i]);
            found.extend(lower.map(|j| [self.x[i][0] - self.x[j][0], self.x[i][1] - self.x[j][1]]));
        }
        found
    }

    fn columns(&self, unit: f64) -> Vec<f64> {
        self.x.iter().flat_map(|row| [row[0] * unit, row[1]]).collect()
    }
}

/// Whether some direction among those that a set has makes F fall without end.
fn has_ray(differences: &[[f64; 2]], is_in: impl Fn([f64; 2]) -> bool) -> bool {
    let mut directions = vec![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    for [a, b] in differences {
        directions.extend([[*a, *b], [-a, -b], [-b, *a], [*b, -a]]);
    }
    directions.into_iter().filter(|d| is_in(*d)).any(|d| {
        let products = || differences.iter().map(|a| a[0] * d[0] + a[1] * d[1]);
        products().all(|p| p >= 0.0) && products().any(|p| p > 0.0)
    })
}

fn claims_nothing(fit: &JointFit) -> bool {
    let certificate = fit.certificate();
    let exchanges = matches!(certificate.exchanges, Exchanges::NotApplicable | Exchanges::CutShort);
    certificate.gap.is_none() && exchanges && certificate.proven(fit.objective()).is_none()
}

#[test]
fn rays_of_times_are_found_exactly_where_there_are_some() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..120 {
        let made = made(seed, 7 + seed as usize % 9, seed % 3 > 0);
        let rows = made.x.len();
        let (has_strata, has_entry) = (seed % 2 == 1, seed % 4 > 1);
        let unit = [1.0, 1e-4, 1e5][seed as usize % 3];
        let (x, zeros) = (made.columns(unit), vec![0.0; rows]);
        let data = Data::dense(&x, 2, &zeros).unwrap();
        let mut times = SurvivalTimes::new(&made.time, &made.event).unwrap();
        if has_strata {
            times = times.strata(&made.strata).unwrap();
        }
        if has_entry {
            times = times.entry(&made.entry).unwrap();
        }
        let differences = made.compared(has_strata, has_entry);
        let ties = if seed % 5 == 0 { Ties::Breslow } else { Ties::Efron };
        for (name, is_in) in [
            ("sparsity:2", (|_| true) as fn([f64; 2]) -> bool),
            ("nonneg", |d| d[0] >= 0.0 && d[1] >= 0.0),
            ("ball:3", |_| false),
        ] {
            let expected = has_ray(&differences, is_in);
            let problem = JointProblem::cox(&data, &times, ties, set(name, 2)).unwrap();
            let fit = problem.fit(&Settings::default()).unwrap();
            assert_eq!(!fit.undetermined().is_empty(), expected, "seed {seed} {name} {:?}", fit.model().coefficients);
            assert!(!expected || claims_nothing(&fit), "seed {seed} {name}");
            if expected { with += 1 } else { without += 1 }
        }
    }
    assert!(with > 15 && without > 40, "{with} {without}");
}

#[test]
fn rays_of_labels_are_found_exactly_where_there_are_some() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..100 {
        let made = made(1000 + seed, 7 + seed as usize % 9, seed % 4 > 0);
        let rows = made.x.len();
        let (x, zeros) = (made.columns(1.0), vec![0.0; rows]);
        let data = Data::dense(&x, 2, &zeros).unwrap();
        let expected = has_ray(&made.ordered(), |_| true);
        let problem = JointProblem::ordinal(&data, &made.labels, ["low", "mid", "high"], WholeSpace).unwrap();
        let fit = problem.fit(&Settings::default()).unwrap();
        assert_eq!(!fit.undetermined().is_empty(), expected, "seed {seed} {:?}", fit.model().coefficients);
        assert!(!expected || claims_nothing(&fit), "seed {seed}");
        if expected { with += 1 } else { without += 1 }
    }
    assert!(with > 15 && without > 15, "{with} {without}");
}

/// Two features of six order the deaths together and neither does alone: a choice of two is claimed to be nothing, and one of one has a minimum.
#[test]
fn a_choice_of_features_that_orders_all_deaths_is_not_called_optimal() {
    let mut draw = Draw(5);
    let (rows, features) = (40, 6);
    let mut x: Vec<f64> = (0..rows * features).map(|_| draw.below(1000) as f64 / 100.0).collect();
    for i in 0..rows {
        // Their sum falls with time, by steps of ½.
        x[i * features + 4] = 0.5 * (rows - i) as f64 - x[i * features + 1];
    }
    let time: Vec<f64> = (1..=rows).map(|t| t as f64).collect();
    let event: Vec<bool> = (0..rows).map(|i| i % 3 != 1).collect();
    let zeros = vec![0.0; rows];
    let data = Data::dense(&x, features, &zeros).unwrap();
    let times = SurvivalTimes::new(&time, &event).unwrap();
    let fit = |name: &str, ridge: f64| {
        let problem = JointProblem::cox(&data, &times, Ties::Efron, set(name, features)).unwrap().ridge(ridge);
        problem.fit(&Settings::default()).unwrap()
    };
    let apart = fit("sparsity:2", 0.0);
    assert_eq!(apart.undetermined(), [1, 4]);
    assert!(claims_nothing(&apart));
    let one = fit("sparsity:1", 0.0);
    assert!(one.undetermined().is_empty());
    assert!(one.certificate().proven(one.objective()).is_some());
    let ridged = fit("sparsity:2", 1e-2);
    assert!(ridged.undetermined().is_empty());
    assert!(ridged.certificate().proven(ridged.objective()).is_some());
}

/// One pair of rows in the wrong order by ever less: as long as data have digits for it there is a minimum, and it is not called a ray.
#[test]
fn problems_next_to_separation_keep_their_minimum() {
    for wrong in [1e-1, 1e-3, 1e-5] {
        let time: Vec<f64> = (1..=20).map(f64::from).collect();
        let mut x: Vec<f64> = (0..20).map(|i| 20.0 - f64::from(i)).collect();
        // The row of time 10 is below that of time 11, by little.
        x[9] = x[10] - wrong;
        let (event, zeros) = ([true; 20], [0.0; 20]);
        let data = Data::dense(&x, 1, &zeros).unwrap();
        let times = SurvivalTimes::new(&time, &event).unwrap();
        let cox = JointProblem::cox(&data, &times, Ties::Efron, WholeSpace).unwrap();
        let fit = cox.fit(&Settings::default()).unwrap();
        assert!(fit.undetermined().is_empty(), "{wrong} {:?}", fit.model().coefficients);
        let labels: Vec<f64> = (0..20).map(|i| f64::from(i >= 10)).collect();
        let ordinal = JointProblem::ordinal(&data, &labels, ["a", "b"], WholeSpace).unwrap();
        let fit = ordinal.fit(&Settings::default()).unwrap();
        assert!(fit.undetermined().is_empty(), "{wrong} {:?}", fit.model().coefficients);
        let mut x = x.clone();
        x[9] = 11.0;
        let data = Data::dense(&x, 1, &zeros).unwrap();
        let cox = JointProblem::cox(&data, &times, Ties::Efron, WholeSpace).unwrap();
        assert_eq!(cox.fit(&Settings::default()).unwrap().undetermined(), [0]);
    }
}
