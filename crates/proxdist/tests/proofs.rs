//! What certificates say about the global optimum, against enumeration: random problems in raw units, with intercept, weights, offset and ridge.

mod enumeration;

use enumeration::{least_squares, subsets};
use proxdist::constraint::Sparsity;
use proxdist::loss::{Logistic, Squared};
use proxdist::path::{Path, PathProof, PathSettings};
use proxdist::run::State;
use proxdist::spec::SetSpec;
use proxdist::trace::{Observer, Progress};
use proxdist::{Data, Effort, Fit, Problem, Proof, Proven, Settings, Shape, Stop};
use std::ops::ControlFlow;
use std::time::Duration;

/// Numbers between −1 and 1 that depend on the seed alone.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1_u64 << 53) as f64).mul_add(2.0, -1.0)
    }
}

/// Rows, response, weights and offset, with columns over five decades, some of them nearly collinear.
struct Case {
    columns: usize,
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    has_intercept: bool,
    ridge: f64,
}

impl Case {
    fn new(seed: u64) -> Self {
        Self::sized(seed, 12 + (seed % 19) as usize, 5 + (seed % 4) as usize)
    }

    fn sized(seed: u64, rows: usize, columns: usize) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        (0..8).for_each(|_| _ = numbers.next());
        let units: Vec<f64> = (0..columns).map(|_| 10f64.powf(2.5 * numbers.next())).collect();
        let likeness = [0.0, 0.9, 0.999][(seed % 3) as usize];
        let mut x = Vec::new();
        for _ in 0..rows {
            let shared = numbers.next();
            x.extend(units.iter().map(|unit| {
                let own = numbers.next();
                unit * (likeness * shared + (1.0 - likeness) * own + 0.2)
            }));
        }
        let truth: Vec<f64> = units.iter().map(|unit| (numbers.next() * 2.0).round() / unit).collect();
        let signal = |row: &[f64]| row.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>();
        let y = x.chunks_exact(columns).map(|row| signal(row) + numbers.next()).collect();
        let weight = |i: usize| if i.is_multiple_of(7) { 0.0 } else { 1.0 + (i % 3) as f64 };
        let is_weighted = seed % 5 > 2;
        Self {
            columns,
            x,
            y,
            weights: (0..rows).map(|i| if is_weighted { weight(i) } else { 1.0 }).collect(),
            offset: (0..rows).map(|i| if seed.is_multiple_of(4) { 0.3 * (i % 5) as f64 } else { 0.0 }).collect(),
            has_intercept: !seed.is_multiple_of(2),
            ridge: if seed % 6 == 5 { 0.05 } else { 0.0 },
        }
    }

    fn fit(&self, set: &str, settings: &Settings) -> Fit {
        let data = Data::dense(&self.x, self.columns, &self.y).unwrap();
        let data = data.weights(&self.weights).unwrap().offset(&self.offset).unwrap();
        let set: SetSpec = set.parse().unwrap();
        let problem = Problem::new(&data, Squared, set.build(Shape::Vector(self.columns)).unwrap());
        let problem = problem.intercept(self.has_intercept).ridge(self.ridge);
        problem.fit(settings).unwrap()
    }

    /// The least F on a support, by orthogonal columns, with the ridge as further rows.
    fn on(&self, support: &[usize]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let rows = self.y.len();
        let roots: Vec<f64> = self.weights.iter().map(|w| (w / total).sqrt()).collect();
        let length = rows + self.columns;
        let mut response: Vec<f64> = (0..rows).map(|i| roots[i] * (self.y[i] - self.offset[i])).collect();
        response.resize(length, 0.0);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        if self.has_intercept {
            let mut ones = roots.clone();
            ones.resize(length, 0.0);
            columns.push(ones);
        }
        for &j in support {
            let mut column: Vec<f64> = (0..rows).map(|i| roots[i] * self.x[i * self.columns + j]).collect();
            column.resize(length, 0.0);
            column[rows + j] = self.ridge.sqrt();
            columns.push(column);
        }
        0.5 * least_squares(columns, &response)
    }

    /// The least F over all supports that a rule allows.
    fn best(&self, is_allowed: impl Fn(&[usize]) -> bool) -> f64 {
        let supports =
            (0..1_usize << self.columns).map(|bits| (0..self.columns).filter(|j| bits >> j & 1 == 1).collect());
        supports.filter(|support: &Vec<usize>| is_allowed(support)).map(|s| self.on(&s)).fold(f64::INFINITY, f64::min)
    }
}

/// Nothing that is said is more than the truth. Returns whether the optimum was claimed.
fn holds(fit: &Fit, least: f64, what: &str) -> bool {
    let (certificate, value) = (fit.certificate(), fit.objective());
    let rounding = 1e-12 * value.abs();
    assert!(value >= least * (1.0 - 1e-10) - rounding, "{what}: {value} below the truth {least}");
    if let Some(gap) = certificate.gap {
        assert!(value - gap.value <= least + rounding, "{what}: {gap:?} at {value}, truth {least}");
    }
    match certificate.proven(value) {
        Some(Proven::Optimal) => {
            assert!(value - least <= 1.001e-6 * value + rounding, "{what}: {value} claimed, truth {least}");
            true
        }
        Some(Proven::Within(share)) => {
            assert!(value - least <= share * value + rounding, "{what}: within {share}, {value}, truth {least}");
            false
        }
        None => false,
    }
}

#[test]
fn no_claim_about_the_global_optimum_is_false() {
    let (mut asked, mut claimed) = (0, 0);
    for seed in 0..120 {
        let case = Case::new(seed);
        let size = 1 + (seed % 4) as usize;
        let least = case.best(|support| support.len() <= size);
        let set = format!("sparsity:{size}");
        // Quick and with one step only, so that wrong choices occur too.
        let hasty = Settings::default().effort(Effort::Quick).max_steps(1);
        holds(&case.fit(&set, &hasty), least, &format!("seed {seed}, hasty"));
        let proof = case.fit(&set, &Settings::default().prove(Duration::from_secs(20)));
        asked += 1;
        claimed += usize::from(holds(&proof, least, &format!("seed {seed}, proof")));
    }
    assert!(claimed * 20 >= asked * 19, "{claimed} of {asked} proven");
}

#[test]
fn groups_and_signs_claim_no_more_than_is_true() {
    let mut claimed = 0;
    for seed in 0..120 {
        let case = Case::new(seed);
        // Pairs of neighbours, one or two of them.
        let pairs = case.columns.div_ceil(2);
        let member = |g: usize| {
            if 2 * g + 1 < case.columns { format!("{}+{}", 2 * g + 1, 2 * g + 2) } else { (2 * g + 1).to_string() }
        };
        let names: Vec<String> = (0..pairs).map(member).collect();
        let count = 1 + (seed % 2) as usize;
        let used = |support: &[usize]| (0..pairs).filter(|g| support.iter().any(|j| j / 2 == *g)).count();
        let least = case.best(|support| used(support) <= count);
        let fit = case.fit(&format!("group-sparsity:{count};groups={}", names.join(",")), &Settings::default());
        claimed += usize::from(holds(&fit, least, &format!("seed {seed}, groups")));
        // A bound for any signs is one for nonnegative coefficients, whose optimum is no lower.
        let any = case.best(|support| support.len() <= 2);
        let fit = case.fit("sparsity:2 & nonneg", &Settings::default());
        if let Some(gap) = fit.certificate().gap.filter(|gap| gap.proof == Proof::Diagonal) {
            let all_positive = fit.coefficients().iter().all(|c| *c >= 0.0);
            assert!(all_positive && fit.objective() - gap.value <= any * (1.0 + 1e-9) + 1e-12, "seed {seed}: {gap:?}");
        }
    }
    assert!(claimed > 30, "{claimed}");
}

#[test]
fn branch_and_bound_ends_at_the_best_of_all_choices() {
    // So many choices that they are not looked at one by one.
    let all = subsets(20, 7);
    for seed in 0..6 {
        let case = Case::sized(seed, 40, 20);
        let least = all.iter().map(|support| case.on(support)).fold(f64::INFINITY, f64::min);
        let fit = case.fit("sparsity:7", &Settings::default().prove(Duration::from_secs(60)));
        holds(&fit, least, &format!("seed {seed}"));
        // Where columns are nearly collinear, rounding of their products is part of the bound.
        let gap = fit.certificate().gap.unwrap().value;
        assert!(gap <= 1e-5 * fit.objective(), "seed {seed}: {:?}", fit.certificate());
        assert!(fit.certificate().nodes.is_some(), "seed {seed}: {:?}", fit.certificate());
        // The same bits on any number of threads, but for the time that it took.
        let alone = case.fit("sparsity:7", &Settings::default().prove(Duration::from_secs(60)).threads(1));
        assert_eq!(fit.certificate(), alone.certificate(), "seed {seed}");
        assert_eq!(fit.coefficients(), alone.coefficients(), "seed {seed}");
    }
}

/// Ends after some nodes, and keeps the last state that it was shown.
struct Cut {
    left: usize,
    state: Option<State>,
}
impl Observer for Cut {
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.left -= usize::from(progress.bound.is_some());
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    fn snapshot(&mut self, state: &State) {
        self.state = Some(state.clone());
    }
}

#[test]
fn a_proof_that_is_cut_short_keeps_its_bound_and_goes_on_to_the_same_end() {
    let case = Case::sized(2, 40, 20);
    let data = Data::dense(&case.x, case.columns, &case.y).unwrap();
    let data = data.weights(&case.weights).unwrap().offset(&case.offset).unwrap();
    let set: SetSpec = "sparsity:7".parse().unwrap();
    let problem = Problem::new(&data, Squared, set.build(Shape::Vector(case.columns)).unwrap());
    let problem = problem.intercept(case.has_intercept).ridge(case.ridge);
    let settings = || Settings::default().prove(Duration::from_secs(60));
    let whole = problem.fit(&settings()).unwrap();
    let least = whole.objective() - whole.certificate().gap.unwrap().value;
    let mut cut = Cut { left: 2, state: None };
    let short = problem.fit_observed(&settings(), &mut cut).unwrap();
    assert_eq!(short.stop(), Stop::Interrupted);
    let gap = short.certificate().gap.unwrap();
    assert!(short.objective() - gap.value <= least + 2e-6 * least, "{gap:?}");
    let text = serde_json::to_string(&cut.state.unwrap()).unwrap();
    let resumed = problem.fit(&settings().resume(serde_json::from_str(&text).unwrap())).unwrap();
    assert_eq!(whole.certificate(), resumed.certificate());
    assert_eq!(whole.coefficients(), resumed.coefficients());
}

/// Labels from four of many columns.
fn labels(seed: u64, rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
    (0..8).for_each(|_| _ = numbers.next());
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let row: Vec<f64> = (0..columns).map(|_| 1.7 * numbers.next()).collect();
        let eta: f64 = row.iter().take(4).sum();
        y.push(f64::from(u8::from(0.5 + 0.5 * numbers.next() < 1.0 / (1.0 + (-eta).exp()))));
        x.extend(row);
    }
    (x, y)
}

#[test]
fn other_losses_are_proven_too() {
    let (x, y) = labels(3, 2000, 60);
    let data = Data::dense(&x, 60, &y).unwrap();
    let fit = |ridge: f64, limit: Duration| {
        let set: SetSpec = "sparsity:4".parse().unwrap();
        let problem = Problem::new(&data, Logistic, set.build(Shape::Vector(60)).unwrap());
        let problem = problem.intercept(true).ridge(ridge);
        problem.fit(&Settings::default().prove(limit)).unwrap()
    };
    let long = Duration::from_secs(30);
    let plain = fit(0.0, long);
    let certificate = plain.certificate();
    assert_eq!(certificate.proven(plain.objective()), Some(Proven::Optimal), "{certificate:?}");
    assert!(plain.coefficients()[..4].iter().all(|c| *c != 0.0));
    // Little can be tried in so short a time, but with a ridge there is a bound from the first step on.
    let hasty = fit(0.1, Duration::from_micros(1));
    let gap = hasty.certificate().gap.unwrap();
    assert!(matches!(gap.proof, Proof::Relaxation | Proof::Projection), "{gap:?}");
    let whole = fit(0.1, long);
    assert_eq!(whole.certificate().proven(whole.objective()), Some(Proven::Optimal), "{:?}", whole.certificate());
    assert!(hasty.objective() - gap.value <= whole.objective());
}

/// A path over all sizes in raw units: what it says of each size, and F over the sizes.
#[test]
fn paths_are_proven_size_by_size() {
    for seed in 0..12 {
        let case = Case::sized(seed, 40, 12);
        let data = Data::dense(&case.x, case.columns, &case.y).unwrap();
        let data = data.weights(&case.weights).unwrap().offset(&case.offset).unwrap();
        let problem =
            Problem::new(&data, Squared, Sparsity::at_most(8)).intercept(case.has_intercept).ridge(case.ridge);
        let mut path = Path::trace(&problem, &PathSettings::default()).unwrap();
        let wanted = PathProof::within(Duration::from_secs(30));
        path.prove(&problem, wanted, &mut || ControlFlow::Continue(())).unwrap();
        for point in path.points.iter().filter(|point| point.size > 0) {
            let all = subsets(case.columns, point.size);
            let least = all.iter().map(|support| case.on(support)).fold(f64::INFINITY, f64::min);
            let gap = point.gap.unwrap_or_else(|| panic!("seed {seed}, size {}", point.size));
            let rounding = 1e-12 * point.objective;
            assert!(point.objective - gap <= least + rounding, "seed {seed}, size {}: {gap}", point.size);
            // Nearly collinear columns leave rounding in the bound.
            assert!(gap <= 1e-5 * point.objective, "seed {seed}, size {}: {gap}", point.size);
            assert!(point.objective <= least * (1.0 + 1e-5) + rounding, "seed {seed}, size {}", point.size);
        }
        assert!(path.points.windows(2).all(|pair| pair[1].objective <= pair[0].objective));
    }
}

/// With a Hessian that is a multiple of the identity the best matrix of low rank is known (Eckart and Young), and one projection proves it.
#[test]
fn rank_is_proven_where_the_best_matrix_is_known() {
    let (rows, columns) = (4, 3);
    let size = rows * columns;
    for seed in 0..20 {
        let mut numbers = Numbers(seed + 77);
        (0..5).for_each(|_| _ = numbers.next());
        // Each coefficient is seen twice, with the same size.
        let unit = 10f64.powf(numbers.next());
        let mut x = vec![0.0; 2 * size * size];
        (0..2 * size).for_each(|i| x[i * size + i % size] = unit);
        let y: Vec<f64> = (0..2 * size).map(|_| numbers.next()).collect();
        let data = Data::dense(&x, size, &y).unwrap().shape(rows, columns).unwrap();
        let set: SetSpec = "rank:1".parse().unwrap();
        let problem = Problem::new(&data, Squared, set.build(data.parameter_shape()).unwrap());
        let fit = problem.fit(&Settings::default()).unwrap();
        let gap = fit.certificate().gap.unwrap_or_else(|| panic!("seed {seed}: {:?}", fit.certificate()));
        assert_eq!(gap.proof, Proof::Projection, "seed {seed}");
        assert_eq!(fit.certificate().proven(fit.objective()), Some(Proven::Optimal), "seed {seed}: {gap:?}");
    }
}

/// Matrices that are not the best of their rank: the bound holds against the best of many starts.
#[test]
fn bounds_for_rank_are_not_above_what_other_starts_reach() {
    for seed in 0..20 {
        let case = Case::sized(seed, 60, 12);
        let data = Data::dense(&case.x, 12, &case.y).unwrap().shape(4, 3).unwrap();
        let set: SetSpec = "rank:1".parse().unwrap();
        let problem = Problem::new(&data, Squared, set.build(data.parameter_shape()).unwrap()).ridge(case.ridge);
        let fits: Vec<Fit> = (0..6).map(|seed| problem.fit(&Settings::default().seed(seed)).unwrap()).collect();
        let least = fits.iter().map(Fit::objective).fold(f64::INFINITY, f64::min);
        for fit in &fits {
            if let Some(gap) = fit.certificate().gap {
                assert!(fit.objective() - gap.value <= least * (1.0 + 1e-10), "seed {seed}: {gap:?}");
            }
        }
    }
}
