//! Made-up results that look like real ones, shared by the tests and the gallery.
#![allow(dead_code, unreachable_pub, reason = "each user takes a part")]

pub mod told;

use proxdist_report::{
    BoxGroup, BoxPlots, CalibrationBin, CertificateLine, Coefficient, CoefficientMatrix, CvCurve, CvPoint, Fact,
    LinePlot, Notice, Problem, ProofPoint, ProofStory, Report, Residual, Rings, RocCurve, Section, Series, TracePoint,
};
pub use told::large;

/// A feature that tries to break out of every context.
pub const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&<!--]]>";

/// Uniform and normal numbers from a seed; the quality is good enough for pictures.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

pub fn trace(points: u64) -> Vec<TracePoint> {
    let mut random = Random::new(3);
    let point = |i: u64| {
        let k = (i * 25 + 25) as f64;
        TracePoint {
            step: i * 25 + 25,
            objective: 0.2314 + 0.45 * (-k / 300.0).exp() * (1.0 + 0.2 * random.normal()) + 3e-6 * random.uniform(),
            distance: 3.0 / k.powf(1.1) * (0.3 * random.normal()).exp(),
            rho: 0.001 * k,
            nonzeros: 20,
            seconds: k * 4e-4,
        }
    };
    (0..points).map(point).collect()
}

/// A proof that closes: bounds rise, better choices are found now and then.
pub fn proof(points: u64) -> Vec<ProofPoint> {
    let point = |i: u64| {
        let share = (-(i as f64) / 9.0).exp();
        let value = 0.0412 + if i < points / 5 { 0.0004 } else { 0.0 } + if i < points / 3 { 0.0003 } else { 0.0 };
        let bound = if i + 1 == points { value } else { 0.0412 - 0.004 * share };
        ProofPoint { seconds: 0.4 + 0.08 * (i as f64).powf(1.3), nodes: i * i * 8, value, bound }
    };
    (0..points).map(point).collect()
}

/// A run that stays in the set and ends at its reference value.
pub fn zero_distance() -> Vec<TracePoint> {
    trace(30)
        .into_iter()
        .map(|t| TracePoint { distance: 0.0, objective: if t.step > 600 { 0.2 } else { t.objective }, ..t })
        .collect()
}

pub fn coefficients(total: usize, nonzero: usize) -> Vec<Coefficient> {
    let mut random = Random::new(5);
    let names = [
        "age",
        "bmi",
        "systolic_blood_pressure",
        "smoker=yes",
        "family_history_of_cardiovascular_disease=first degree relative",
        "hdl",
        "Größe",
        "收缩压",
    ];
    let every = (total / nonzero.max(1)).max(1);
    let mut kept = 0;
    (0..total)
        .map(|j| {
            let name = names.get(j).map_or_else(|| format!("feature_{j}"), ToString::to_string);
            let keep = j % every == 0 && kept < nonzero;
            kept += usize::from(keep);
            Coefficient { name, value: if keep { random.normal() * 1.3 } else { 0.0 } }
        })
        .collect()
}

pub fn roc_curves() -> Vec<RocCurve> {
    let curve = |label: &str, power: f64| RocCurve {
        label: label.into(),
        auc: None,
        points: (0..=300).map(|i| f64::from(i) / 300.0).map(|t| (t.powf(power), t.powf(1.0 / power))).collect(),
    };
    vec![curve("training", 1.9), curve("test", 1.6)]
}

pub fn calibration_bins() -> Vec<CalibrationBin> {
    let mut random = Random::new(8);
    let bin = |i: i32| {
        let predicted = (f64::from(i) + 0.5) / 10.0;
        let count = (900.0 * ((predicted - 0.4) * 2.2).powi(2) + 60.0).round();
        CalibrationBin { predicted, observed: (predicted + 0.05 * random.normal()).clamp(0.0, 1.0), count }
    };
    (0..10).map(bin).collect()
}

pub fn residual_cloud(n: usize) -> Vec<Residual> {
    let mut random = Random::new(13);
    (0..n).map(|_| Residual { fitted: 20.0 + 8.0 * random.normal(), residual: 3.0 * random.normal() }).collect()
}

pub fn cv_curve(ridges: &[&str]) -> CvCurve {
    let sizes = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0];
    let mut points = Vec::new();
    for (r, ridge) in ridges.iter().enumerate() {
        for size in sizes {
            let distance: f64 = (size / 40.0_f64).ln();
            let mean = 0.842 - 0.012 * distance * distance / (1.0 + 0.4 * r as f64) - 0.003 * r as f64;
            points.push(CvPoint {
                value: size,
                line: (*ridge).into(),
                mean,
                standard_error: 0.006 + 0.0004 * size.ln(),
            });
        }
    }
    CvCurve {
        parameter: "sparsity".into(),
        score: "AUC".into(),
        larger_is_better: true,
        folds: 10,
        points,
        chosen: Some(4),
        one_standard_error: Some(3),
    }
}

pub fn boxes() -> BoxPlots {
    let mut random = Random::new(21);
    let mut group = |label: &str, level: f64| {
        let mut list = |shift: f64| (0..40).map(|_| 10f64.powf(level + shift + 0.35 * random.normal())).collect();
        BoxGroup { label: label.into(), values: vec![list(0.0), list(-0.6), list(-1.1)] }
    };
    BoxPlots {
        title: "Squared error by batch size".into(),
        label: "‖θ − θ*‖²".into(),
        log: true,
        series: vec!["projected SGD".into(), "proximal distance".into(), "proximal distance, polished".into()],
        groups: vec![group("b = 50", -0.5), group("b = 100", -0.9), group("b = 200", -1.4), group("b = 500", -2.0)],
    }
}

pub fn low_rank(rows: usize, columns: usize) -> CoefficientMatrix {
    let entry = |i: usize| {
        let (r, c) = ((i / columns) as f64 / rows as f64, (i % columns) as f64 / columns as f64);
        (6.0 * r).sin() * (5.0 * c).cos() + 0.6 * f64::from(u8::from((r - 0.5).abs() < 0.2 && (c - 0.5).abs() < 0.25))
    };
    CoefficientMatrix {
        rows,
        columns,
        values: (0..rows * columns).map(entry).collect(),
        ..CoefficientMatrix::default()
    }
}

pub fn rates() -> LinePlot {
    let line = |label: &str, slope: f64, level: f64| {
        let steps = (0..60).map(|i| 10f64.powf(f64::from(i) / 12.0));
        let points: Vec<_> = steps.map(|k| (k, level * k.powf(slope))).collect();
        let band = points.iter().map(|&(k, y)| (k, 0.6 * y, 1.5 * y)).collect();
        Series { band, ..Series::new(label, points) }
    };
    LinePlot {
        title: "Error against step".into(),
        x_label: "step k".into(),
        y_label: "‖θ − θ*‖²".into(),
        log_x: true,
        log_y: true,
        series: vec![line("γ = 0.6", -0.6, 3.0), line("γ = 0.8", -0.8, 3.4), line("γ = 1", -1.0, 4.0)],
        mark: None,
        rings: None,
    }
}

fn certificate() -> Vec<CertificateLine> {
    let line = |label: &str, value: &str, verdict: &str, good| CertificateLine {
        label: label.into(),
        value: value.into(),
        verdict: verdict.into(),
        good,
    };
    vec![
        line(
            "distance to the set before the last projection",
            "3.1 × 10⁻⁷",
            "the iteration itself ended in the set",
            Some(true),
        ),
        line("stationarity residual", "4.2 × 10⁻⁹", "no small move within the set lowers the objective", Some(true)),
        line("exchange of one feature", "yes", "no swap of one feature for another lowers the objective", Some(true)),
        line("gap to the optimum", "unknown", "the set is not convex: no bound is computable", None),
        line("schedule", "γ = 0.4", "the convergence theorems ask for γ between ½ and 1", Some(false)),
    ]
}

pub fn logistic() -> Report {
    let names = ["age", "bmi", "systolic_blood_pressure", "smoker=yes", "hdl"];
    let report = Report {
        title: "Heart disease, 20 features".into(),
        result: "A logistic model with exactly 20 of 1 024 features separates the classes with a test AUC of 0.81 and meets its certificate.".into(),
        scores: vec![
            Fact::new("objective F", "0.231402"),
            Fact::new("test AUC", "0.81"),
            Fact::new("accuracy", "0.77"),
            Fact::new("nonzeros", "20"),
            Fact::new("time", "0.61 s"),
        ],
        notices: vec![
            Notice::remark("The text column smoker became the indicator smoker=yes."),
            Notice::warning("γ = 0.4 lies outside (½, 1]: the convergence theorems do not cover this schedule."),
        ],
        problem: Some(Problem {
            loss: "logistic".into(),
            loss_formula: "log(1 + e^η) − yη".into(),
            set: "at most 20 nonzero coefficients".into(),
            spec: "sparsity:20".into(),
            rows: 48_842,
            columns: 1024,
            ridge: 0.01,
            intercept: true,
            facts: vec![Fact::new("Data", "heart.csv, target ill, positive class yes"), Fact::new("Columns", "scaled to unit variance")],
            ..Problem::default()
        }),
        certificate: certificate(),
        trace: trace(60),
        reference: Some(0.231_402),
        intercept: Some(-1.234),
        coefficients: coefficients(1024, 20),
        roc: roc_curves(),
        calibration: calibration_bins(),
        settings: vec![
            Fact::new("Schedule", "ρ = 0.001 k^0.4"),
            Fact::new("Batch size", "200"),
            Fact::new("Tolerance", "1e-6"),
            Fact::new("Stopped because", "the objective no longer changes"),
        ],
        versions: vec![Fact::new("proxdist", "0.1.0")],
        seed: Some(7),
        command: "proxdist fit heart.csv --target ill --loss logistic --constraint sparsity:20 --ridge 0.01 --gamma 0.4 --seed 7 --report report.html".into(),
        seconds: Some(0.61),
        ..Report::default()
    };
    told::told(&names, report)
}

pub fn regression() -> Report {
    Report {
        title: "Housing, monotone coefficients".into(),
        result: "A linear model with nondecreasing coefficients explains 71 % of the variance.".into(),
        scores: vec![
            Fact::new("objective F", "4.4712"),
            Fact::new("R²", "0.71"),
            Fact::new("mean absolute error", "2.38"),
        ],
        problem: Some(Problem {
            loss: "huber:1.345".into(),
            loss_formula: "½ r^2 where |r| ≤ δ, else δ(|r| − ½δ)".into(),
            set: "coefficients in nondecreasing order".into(),
            spec: "monotone".into(),
            rows: 5000,
            columns: 13,
            intercept: true,
            weighted: true,
            offset: true,
            ..Problem::default()
        }),
        certificate: certificate()[..2].to_vec(),
        trace: trace(2500)
            .into_iter()
            .map(|t| TracePoint { distance: if t.step % 400 == 0 { 0.0 } else { t.distance }, ..t })
            .collect(),
        intercept: Some(12.5),
        coefficients: coefficients(13, 13),
        residuals: residual_cloud(5000),
        seed: Some(1),
        command: "proxdist fit housing.csv --target price --loss huber:1.345 --constraint monotone".into(),
        seconds: Some(75.4),
        ..Report::default()
    }
}

pub fn tune() -> Report {
    Report {
        title: "Choosing the number of features".into(),
        result: "Ten folds prefer 50 features without ridge; 20 features are as good within one standard error.".into(),
        cross_validation: Some(cv_curve(&["ridge 0", "ridge 0.001", "ridge 0.01"])),
        ..logistic()
    }
}

/// The best ten features, with the sizes around them.
pub fn proven() -> Report {
    let points: Vec<_> = (1..=20).map(|s| (f64::from(s), 0.04 + 0.03 / f64::from(s))).collect();
    let rings = Rings { label: "globally optimal, proven".into(), points: points[..13].to_vec() };
    let plot = LinePlot {
        title: "F".into(),
        x_label: "number of features".into(),
        y_label: "F".into(),
        series: vec![Series::new("", points)],
        rings: Some(rings),
        ..LinePlot::default()
    };
    Report {
        title: "The best ten features".into(),
        proof: Some(ProofStory { words: "This is the global optimum & that is proven.".into(), points: proof(60) }),
        sections: vec![Section { heading: "Objective".into(), plot: Some(plot), ..Section::default() }],
        ..regression()
    }
}

pub fn matrix() -> Report {
    let matrix = low_rank(64, 48);
    let name = |i: usize| format!("row {}, column {}", i / 48 + 1, i % 48 + 1);
    Report {
        title: "Matrix regression, rank 2".into(),
        result: "A 64 × 48 coefficient matrix of rank 2 fits with mean squared error 0.011.".into(),
        problem: Some(Problem {
            loss: "squared".into(),
            loss_formula: "½ (y − η)^2".into(),
            set: "matrices of rank at most 2".into(),
            spec: "rank:2".into(),
            rows: 10_000,
            columns: 3072,
            shape: Some((64, 48)),
            ..Problem::default()
        }),
        coefficients: matrix.values.iter().enumerate().map(|(i, &v)| Coefficient::new(name(i), v)).collect(),
        matrix: Some(matrix),
        trace: trace(200),
        certificate: certificate(),
        ..Report::default()
    }
}

pub fn hostile() -> Report {
    let text = || HOSTILE.to_string();
    let mut report = tune();
    report.title = text();
    report.result = text();
    report.command = text();
    report.scores = vec![Fact::new(text(), text())];
    report.settings.clone_from(&report.scores);
    report.versions.clone_from(&report.scores);
    report.notices = vec![Notice::warning(text()), Notice::remark(text())];
    report.certificate = vec![CertificateLine { label: text(), value: text(), verdict: text(), good: Some(true) }];
    for (i, coefficient) in report.coefficients.iter_mut().enumerate() {
        coefficient.name = if i % 2 == 0 { text() } else { "long ".repeat(40) + &text() };
    }
    for curve in &mut report.roc {
        curve.label = text();
    }
    if let Some(curve) = &mut report.cross_validation {
        curve.parameter = text();
        curve.score = text();
        curve.points.iter_mut().for_each(|p| p.line = text() + &p.line);
    }
    if let Some(problem) = &mut report.problem {
        problem.loss = text();
        problem.loss_formula = text();
        problem.set = text();
        problem.spec = text();
        problem.facts.clone_from(&report.scores);
    }
    told::hostile(report)
}

/// All sample reports with the names of their files.
pub fn reports() -> Vec<(&'static str, Report)> {
    vec![
        ("logistic", logistic()),
        ("regression", regression()),
        ("tune", tune()),
        ("proven", proven()),
        ("matrix", matrix()),
        ("hostile", hostile()),
        ("large", large()),
    ]
}
