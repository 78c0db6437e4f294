//! Two classes: ROC curves, calibration, decisions at a threshold, gains and lift.

use crate::words::percent;
use crate::{Judged, Subject};
use proxdist::Result;
use proxdist::loss::{Link, Loss};
use proxdist::metrics::{Evaluation, Labelled, Measured, Scale, gain_at};
use proxdist_report::{CalibrationBin, Cut, LinePlot, Report, RocCurve, Section, Series, Thresholds, number};

/// Points of a gains curve.
const MOST_POINTS: usize = 200;

/// What scores of a loss mean.
fn scale(loss: &dyn Loss) -> Scale {
    match loss.link() {
        Link::Logit => Scale::LogOdds,
        Link::Own => Scale::Probability,
        _ => Scale::Margin,
    }
}

pub(crate) fn add(subject: &Subject, judged: &[(Judged, Vec<Measured>)], report: &mut Report) -> Result<()> {
    for (number_of, (rows, _)) in judged.iter().enumerate() {
        let found = Evaluation::of(subject.loss, &rows.predictors, &rows.response, rows.weights.as_deref())?;
        let Evaluation::Classification(found) = found else { return Ok(()) };
        if !found.roc.is_empty() {
            let points = found.roc.iter().map(|at| (at.false_positive_rate, at.true_positive_rate)).collect();
            report.roc.push(RocCurve { label: rows.label.clone(), auc: found.auc, points });
        }
        // The rest is about the rows that are shown first.
        if number_of > 0 {
            continue;
        }
        let bin = |bin: &proxdist::metrics::CalibrationBin| CalibrationBin {
            predicted: bin.mean_predicted,
            observed: bin.observed_rate,
            count: bin.count as f64,
        };
        report.calibration = found.calibration.iter().map(bin).collect();
        let scale = scale(subject.loss);
        let scores: Vec<f64> = match scale {
            Scale::Probability => rows.predictors.iter().map(|&eta| subject.loss.mean(eta)).collect(),
            _ => rows.predictors.clone(),
        };
        let labelled = Labelled::new(&scores, &rows.response, rows.weights.as_deref())?;
        report.thresholds = Some(thresholds(subject, rows, &labelled, scale));
        report.performance.extend(gains(rows, &labelled));
    }
    Ok(())
}

fn thresholds(subject: &Subject, rows: &Judged, labelled: &Labelled, scale: Scale) -> Thresholds {
    let cut = |cut: &proxdist::metrics::Cut| Cut {
        threshold: cut.threshold,
        true_positives: cut.confusion.true_positives,
        false_positives: cut.confusion.false_positives,
        true_negatives: cut.confusion.true_negatives,
        false_negatives: cut.confusion.false_negatives,
    };
    let cuts: Vec<Cut> = labelled.cuts(scale).iter().map(cut).collect();
    let usual = if scale == Scale::Margin { 0.0 } else { 0.5 };
    let nearest = |a: &&Cut, b: &&Cut| (a.threshold - usual).abs().total_cmp(&(b.threshold - usual).abs());
    let start = cuts.iter().min_by(nearest).and_then(|best| cuts.iter().position(|cut| cut == best)).unwrap_or(0);
    let [negative, positive] = subject.classes.clone().unwrap_or_else(|| ["0", "1"].map(str::to_owned));
    let label = if scale == Scale::Margin { "margin" } else { "probability" };
    Thresholds { label: label.to_owned(), positive, negative, rows: rows.label.clone(), cuts, start }
}

/// How many of the ones are among the rows that score highest.
fn gains(rows: &Judged, labelled: &Labelled) -> Option<Section> {
    let curve = labelled.gains()?;
    let row = |tenth: usize| {
        let share = tenth as f64 / 10.0;
        let gain = gain_at(&curve, share);
        vec![percent(share), percent(gain), number(gain / share, 3)]
    };
    let step = curve.len().div_ceil(MOST_POINTS).max(1);
    let mut points: Vec<(f64, f64)> = curve.iter().step_by(step).copied().collect();
    points.extend(curve.last().filter(|last| points.last() != Some(last)));
    Some(Section {
        heading: "Gains and lift".to_owned(),
        text: format!(
            "Who takes the rows that score highest first finds so many of the positive ones ({}). The lift is how much more that is than by chance.",
            rows.label
        ),
        columns: ["highest rows", "positive ones found", "lift"].map(str::to_owned).to_vec(),
        rows: [1, 2, 3, 4, 5, 7, 10].into_iter().map(row).collect(),
        plot: Some(LinePlot {
            title: "Gains".to_owned(),
            x_label: "share of the rows, highest scores first".to_owned(),
            y_label: "share of the positive ones".to_owned(),
            series: vec![Series::new("model", points), Series::new("chance", vec![(0.0, 0.0), (1.0, 1.0)])],
            ..LinePlot::default()
        }),
        ..Section::default()
    })
}
