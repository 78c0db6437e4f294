//! What is certain about a fit: in plain words, and by number.

use crate::words::sentence;
use proxdist::{Certificate, Exchanges, Proven};
use proxdist_report::{CertificateLine, number};

/// What is certain, sentence by sentence, for an F of this value and a set in these words.
pub fn guarantees(certificate: &Certificate, objective: f64, set: &str) -> Vec<String> {
    let mut out = Vec::new();
    if !set.is_empty() {
        out.push(format!("The coefficients satisfy the constraint exactly, not only nearly: {set}."));
    }
    let proven = certificate.in_words(objective);
    let has_choice = certificate.exchanges != Exchanges::NotApplicable;
    match (&proven, certificate.gap) {
        (Some(words), _) => out.push(words.clone()),
        (None, Some(gap)) => {
            out.push(format!(
                "F is above its minimum over the set by at most {}: {}.",
                number(gap.value, 3),
                gap.proof
            ));
        }
        (None, None) if has_choice => out.push(
            "It is not proven that no other choice of features is better: there may be one, though none was found."
                .to_owned(),
        ),
        (None, None) => {}
    }
    if has_choice && certificate.exchanges != Exchanges::EveryChoice {
        out.push(sentence(&format!("exchanges of features: {}", certificate.exchanges)));
    }
    out.push(if certificate.is_stationary() {
        "No small change of the coefficients within the constraint lowers F, the average loss on the rows of the fit.".to_owned()
    } else {
        format!(
            "The fit was not finished: small changes of the coefficients may still lower F (stationarity {}, 0 at a stationary point).",
            number(certificate.stationarity, 2)
        )
    });
    out.push("All this is about F on the rows of the fit. How well the model predicts is a question for rows that it has not seen, under Performance.".to_owned());
    out
}

/// What the numbers of a certificate are told with: F, and the schedule of a run that took steps.
#[derive(Clone, Copy, Debug)]
pub struct Measures<'a> {
    /// F at the result.
    pub objective: f64,
    /// The schedule, if steps were taken.
    pub schedule: Option<&'a str>,
}

/// The same by number.
pub fn lines(certificate: &Certificate, measures: Measures) -> Vec<CertificateLine> {
    let line = |label: &str, value: String, verdict: &str, good: Option<bool>| CertificateLine {
        label: label.to_owned(),
        value,
        verdict: verdict.to_owned(),
        good,
    };
    let shown = proxdist::words::number;
    let mut lines = vec![line(
        "distance to the set",
        shown(certificate.distance),
        "of the coefficients, as measured by projecting them",
        Some(true),
    )];
    if let Some(distance) = certificate.iterate_distance {
        lines.push(line("distance of the last iterate", shown(distance), "before the last projection", None));
    }
    let (verdict, good) = if certificate.is_stationary() {
        ("a stationary point: no small move within the set lowers F", Some(true))
    } else {
        ("0 at a stationary point of F on the set", None)
    };
    lines.push(line("stationarity", shown(certificate.stationarity), verdict, good));
    if let Some(gap) = certificate.gap {
        let verdict = format!("F is above its minimum over the set by at most this, {}", gap.proof);
        lines.push(line("gap", shown(gap.value), &verdict, None));
    }
    if let Some(proven) = certificate.proven(measures.objective) {
        let verdict = match proven {
            Proven::Optimal => "no point of the set has a lower F, up to a millionth of it",
            Proven::Within(_) => "no point of the set has an F that is lower by more than this share",
        };
        lines.push(line("global optimum", proven.to_string(), verdict, Some(proven == Proven::Optimal)));
    }
    let exchanges = certificate.exchanges;
    if exchanges != Exchanges::NotApplicable {
        let good = exchanges.are_exhausted().then_some(true);
        lines.push(line("exchanges", exchanges.name().to_owned(), &exchanges.to_string(), good));
    }
    if let Some(schedule) = measures.schedule {
        let covered = certificate.schedule_meets_theory;
        let verdict =
            if covered { "covered by the convergence theorems" } else { "not covered by the convergence theorems" };
        lines.push(line("schedule", schedule.to_owned(), verdict, Some(covered)));
    }
    lines
}
