//! What pages say about a model: effects, decisions, measures, alternatives.

use super::{HOSTILE, Random, coefficients, low_rank};
use proxdist_report::{Cut, Effect, Effects, Fact, Image, LinePlot, Report, Section, Series, Thresholds};

/// Effects with intervals and odds ratios.
pub fn effects(names: &[&str]) -> Effects {
    let mut random = Random::new(21);
    let row = |name: &&str| {
        let (value, deviation) = (0.8 * random.normal(), 0.5 + random.uniform());
        let half = 0.3 + 0.4 * random.uniform();
        let interval = (value - half, value + half);
        Effect {
            name: (*name).to_owned(),
            value,
            interval: Some(interval),
            effect: Some(value * deviation),
            effect_interval: Some((interval.0 * deviation, interval.1 * deviation)),
            ratio: Some(value.exp()),
            ratio_interval: Some((interval.0.exp(), interval.1.exp())),
        }
    };
    Effects {
        effect_label: "effect of one SD".into(),
        interval_label: "95 % interval".into(),
        ratio_label: "odds ratio".into(),
        rows: names.iter().map(row).collect(),
        intercept: Some(Effect { name: "(intercept)".into(), value: -1.2, ..Effect::default() }),
        text: "Bars compare features.".into(),
        notes: vec!["They take the chosen features as given.".into()],
    }
}

/// Two classes of 300 rows, the positive ones scoring higher.
pub fn thresholds(positive: &str, negative: &str) -> Thresholds {
    let cut = |i: u32| {
        let t = f64::from(i) / 100.0;
        let (tp, fp) = ((100.0 * (1.0 - t * t)).round(), (200.0 * (1.0 - t).powi(2)).round());
        Cut {
            threshold: t,
            true_positives: tp,
            false_positives: fp,
            true_negatives: 200.0 - fp,
            false_negatives: 100.0 - tp,
        }
    };
    Thresholds {
        label: "probability".into(),
        positive: positive.into(),
        negative: negative.into(),
        rows: "held out".into(),
        cuts: (0..=100).map(cut).collect(),
        start: 50,
    }
}

pub fn performance(name: &str) -> Section {
    Section {
        heading: "Performance".into(),
        text: "Rows that the model has not seen.".into(),
        columns: ["measure", "held out, 300 rows", "95 % interval", "what it is"].map(str::to_owned).to_vec(),
        rows: vec![
            [name, "0.81", "0.77 to 0.85", "chance that a positive row scores higher"].map(str::to_owned).to_vec(),
        ],
        notes: vec!["Intervals take rows as independent.".into()],
        ..Section::default()
    }
}

pub fn acting(names: &[&str]) -> Section {
    let plot = |name: &&str| {
        let points: Vec<(f64, f64)> =
            (0..=40).map(|i| f64::from(i) / 4.0).map(|x| (x, 1.0 / (1.0 + (3.0 - x).exp()))).collect();
        let band = points.iter().map(|&(x, y)| (x, 0.8 * y, (1.1 * y).min(1.0))).collect();
        LinePlot {
            title: (*name).to_owned(),
            x_label: (*name).to_owned(),
            y_label: "probability of yes".into(),
            series: vec![Series { band, rug: vec![0.0, 1.0, 3.0, 5.0, 6.0, 8.0, 10.0], ..Series::new("", points) }],
            ..LinePlot::default()
        }
    };
    Section {
        heading: "How features act".into(),
        plots: names.iter().map(plot).collect(),
        images: vec![Image { title: format!("Factor {}", names[0]), matrix: low_rank(12, 8) }],
        ..Section::default()
    }
}

/// All of it beside another report.
pub fn told(names: &[&str], report: Report) -> Report {
    let row = vec![format!("{} instead of {}", names[0], names[1]), "0.2315".into(), "+0.0001".into()];
    Report {
        headline: format!("{} = {} from 20 of 1 024 features; AUC 0.83 (held out: 0.81).", names[0], names[1]),
        performance: vec![performance(names[0]), Section { heading: "Gains and lift".into(), ..Section::default() }],
        thresholds: Some(thresholds(names[1], names[0])),
        effects: Some(effects(names)),
        model: vec![acting(names)],
        guarantees: vec![format!("The constraint holds exactly: {}.", names[0])],
        alternatives: vec![Section {
            heading: "Alternatives".into(),
            columns: ["choice", "F", "change"].map(str::to_owned).to_vec(),
            rows: vec![row],
            ..Section::default()
        }],
        data: vec![Fact::new("file", names[0])],
        data_notes: vec![format!("the text column {} became indicators", names[1])],
        ending: format!("The run converged: {}.", names[0]),
        ..report
    }
}

/// The same with a name that tries to break out everywhere.
pub fn hostile(report: Report) -> Report {
    told(&[HOSTILE, HOSTILE, HOSTILE], report)
}

pub fn large() -> Report {
    Report {
        title: "50 000 coefficients".into(),
        result: "A stress test of the table.".into(),
        coefficients: coefficients(50_000, 1500),
        ..Report::default()
    }
}
