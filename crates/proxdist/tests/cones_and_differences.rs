//! Second-order cones and sums of differences, alone and beside other sets, against the interior-point crate `clarabel` on another formulation: the length of the residual is a variable that is
//! minimised in a second-order cone, and magnitudes are split into a positive and a negative part.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use proxdist::loss::Squared;
use proxdist::spec::SetSpec;
use proxdist::{Data, Problem, Settings};

const P: usize = 6;
const ROWS: usize = 20;

/// Random numbers between −1 and 1 that are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1_u64 << 53) as f64).mul_add(2.0, -1.0)
    }
}

/// Factors of variables, and the number on the right.
type Row = (Vec<(usize, f64)>, f64);

/// Rows `terms·(t, θ, splits) ≤ right`, second-order cones as rows whose slack is in the cone, and equations.
#[derive(Default)]
struct Program {
    variables: usize,
    equal: Vec<Row>,
    below: Vec<Row>,
    cones: Vec<Vec<Row>>,
}

impl Program {
    /// The least first variable.
    fn least(&self) -> Option<f64> {
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut add = |(terms, right): &Row| {
            let mut row = vec![0.0; self.variables];
            terms.iter().for_each(|&(j, a)| row[j] += a);
            rows.push((row, *right));
        };
        self.equal.iter().chain(&self.below).for_each(&mut add);
        self.cones.iter().flatten().for_each(&mut add);
        let mut cones =
            vec![SupportedConeT::ZeroConeT(self.equal.len()), SupportedConeT::NonnegativeConeT(self.below.len())];
        cones.extend(self.cones.iter().map(|cone| SupportedConeT::SecondOrderConeT(cone.len())));
        let (matrix, right): (Vec<Vec<f64>>, Vec<f64>) = rows.into_iter().unzip();
        let mut linear = vec![0.0; self.variables];
        linear[0] = 1.0;
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-11,
            tol_gap_rel: 1e-11,
            tol_feas: 1e-11,
            ..DefaultSettings::default()
        };
        let none = CscMatrix::zeros((self.variables, self.variables));
        let mut solver =
            DefaultSolver::new(&none, &linear, &CscMatrix::from(&matrix), &right, &cones, settings).ok()?;
        solver.solve();
        matches!(solver.solution.status, SolverStatus::Solved).then(|| solver.solution.x[0])
    }
}

struct Instance {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Instance {
    /// Columns of different sizes, correlated; the cone and the differences matter to some and not to others.
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32);
        (0..5).for_each(|_| _ = random.next());
        let units: Vec<f64> = (0..P).map(|_| 10.0_f64.powf(random.next())).collect();
        let truth: Vec<f64> = (0..P).map(|_| 2.0 * random.next()).collect();
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..ROWS {
            let common = random.next();
            let row: Vec<f64> = units.iter().map(|unit| unit * (random.next() + 0.5 * common)).collect();
            y.push(row.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>() + 0.5 * random.next());
            x.extend(row);
        }
        Self { x, y }
    }

    /// The length of the residual in the first variable, θ behind it.
    fn program(&self) -> Program {
        let mut cone = vec![(vec![(0, -1.0)], 0.0)];
        for (row, y) in self.x.chunks_exact(P).zip(&self.y) {
            cone.push((row.iter().enumerate().map(|(j, x)| (1 + j, *x)).collect(), *y));
        }
        Program { variables: 1 + P, cones: vec![cone], ..Program::default() }
    }
}

/// What a text means, put into the other program.
fn put(program: &mut Program, text: &str) {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let number = |text: &str| text.parse::<f64>().unwrap();
    match name {
        "cone" => {
            let slope = if rest.is_empty() { 1.0 } else { number(rest) };
            let mut cone = vec![(vec![(1, -slope)], 0.0)];
            cone.extend((1..P).map(|j| (vec![(1 + j, -1.0)], 0.0)));
            program.cones.push(cone);
        }
        "ball" => {
            let mut cone = vec![(Vec::new(), number(rest))];
            cone.extend((0..P).map(|j| (vec![(1 + j, -1.0)], 0.0)));
            program.cones.push(cone);
        }
        "box" => {
            let (low, high) = rest.split_once(',').unwrap();
            program.below.extend((0..P).map(|j| (vec![(1 + j, -1.0)], -number(low))));
            program.below.extend((0..P).map(|j| (vec![(1 + j, 1.0)], number(high))));
        }
        "nonneg" => program.below.extend((0..P).map(|j| (vec![(1 + j, -1.0)], 0.0))),
        "simplex" => {
            program.below.extend((0..P).map(|j| (vec![(1 + j, -1.0)], 0.0)));
            program.equal.push(((0..P).map(|j| (1 + j, 1.0)).collect(), 1.0));
        }
        "monotone" => program.below.extend((1..P).map(|j| (vec![(j, 1.0), (1 + j, -1.0)], 0.0))),
        "fused" => {
            let (radius, kind) = rest.split_once(';').unwrap_or((rest, "order=1"));
            let combinations: Vec<Vec<f64>> = match kind {
                "order=1" => (1..P).map(|j| placed(&[-1.0, 1.0], j - 1)).collect(),
                "order=2" => (2..P).map(|j| placed(&[1.0, -2.0, 1.0], j - 2)).collect(),
                matrix => {
                    let rows = matrix.trim_start_matches("d=").split('|');
                    rows.map(|row| row.split(',').map(number).collect()).collect()
                }
            };
            let first = program.variables;
            program.variables += 2 * combinations.len();
            for (i, row) in combinations.iter().enumerate() {
                let mut terms: Vec<(usize, f64)> = row.iter().enumerate().map(|(j, a)| (1 + j, *a)).collect();
                terms.extend([(first + 2 * i, -1.0), (first + 2 * i + 1, 1.0)]);
                program.equal.push((terms, 0.0));
            }
            let parts = first..program.variables;
            program.below.extend(parts.clone().map(|t| (vec![(t, -1.0)], 0.0)));
            program.below.push((parts.map(|t| (t, 1.0)).collect(), number(radius)));
        }
        other => panic!("{other}"),
    }
}

fn placed(factors: &[f64], first: usize) -> Vec<f64> {
    let mut row = vec![0.0; P];
    row[first..first + factors.len()].copy_from_slice(factors);
    row
}

/// Fits each set to each instance; none ends above the other solver, outside its set, or unfinished but for `most_unfinished`.
fn agree(sets: &[&str], seeds: std::ops::Range<u64>, most_unfinished: usize) {
    let (mut fitted, mut unfinished) = (0, Vec::new());
    for seed in seeds {
        let instance = Instance::new(seed);
        let data = Data::dense(&instance.x, P, &instance.y).unwrap();
        for text in sets {
            let mut program = instance.program();
            text.split(" & ").for_each(|part| put(&mut program, part));
            let Some(length) = program.least() else { continue };
            let least = 0.5 * length * length / ROWS as f64;
            let set = SetSpec::parse(text).unwrap().build(data.parameter_shape());
            let set = set.unwrap_or_else(|error| panic!("seed {seed}, {text}: {error}"));
            let fit = Problem::new(&data, Squared, set).fit(&Settings::default());
            let fit = fit.unwrap_or_else(|error| panic!("seed {seed}, {text}: {error}"));
            let (value, certificate) = (fit.objective(), fit.certificate());
            let top = fit.coefficients().iter().fold(0.0_f64, |top, x| top.max(x.abs()));
            assert!(certificate.distance <= 1e-9 * (1.0 + top), "seed {seed}, {text}: {}", certificate.distance);
            assert!(value <= least * (1.0 + 1e-6) + 1e-9, "seed {seed}, {text}: {value} above {least}");
            assert!(value >= least * (1.0 - 1e-6) - 1e-9, "seed {seed}, {text}: {value} below {least}");
            fitted += 1;
            if !fit.stop().is_success() {
                unfinished.push(format!("seed {seed}, {text}: {:?} {certificate:?}", fit.stop()));
                continue;
            }
            let gap = certificate.gap.unwrap_or_else(|| panic!("seed {seed}, {text}: no gap"));
            assert!(value - gap.value <= least + 1e-6 * least + 1e-9, "seed {seed}, {text}: {gap:?}");
            assert!(gap.value <= 1e-6 * value + 1e-9, "seed {seed}, {text}: {gap:?} at {value}");
        }
    }
    assert!(
        fitted > 0 && unfinished.len() <= most_unfinished,
        "{} of {fitted}:\n{}",
        unfinished.len(),
        unfinished.join("\n")
    );
}

#[test]
fn cones_are_finished_with_a_proven_gap() {
    agree(&["cone", "cone:0.3", "cone:3"], 0..8, 0);
}

#[test]
fn cones_beside_other_sets_end_at_the_optimum() {
    agree(&["cone & ball:1", "cone & box:-0.5,0.7", "cone:2 & monotone", "nonneg & cone", "cone & fused:1"], 0..5, 0);
}

#[test]
fn sums_of_differences_are_finished() {
    agree(&["fused:0.5", "fused:2", "fused:1;order=2", "fused:0.7;d=1,-1,0,0,0,0|0,0,1,0,-2,0|0,1,1,1,0,0"], 0..6, 0);
}

/// The same where many differences are zero that other rows hold as well: corners in which more rows meet than there are variables.
#[test]
fn sums_of_differences_beside_other_sets_end_at_the_optimum() {
    let sets = [
        "fused:1 & nonneg",
        "fused:0.5 & ball:1",
        "fused:1 & simplex",
        "fused:2 & box:-0.3,0.6",
        "fused:1;order=2 & monotone",
    ];
    agree(&sets, 0..10, 0);
}
