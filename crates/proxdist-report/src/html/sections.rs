//! The sections of the page that are a figure, a table or both.

use super::{Report, embedded, facts, folded, notes, part, section, thresholds};
use crate::escape::escape;
use crate::figures;
use crate::figures::Plot;
use crate::input::{
    CalibrationBin, CertificateLine, CvCurve, Fact, Notice, ProofStory, Residual, RocCurve, Section, Severity,
    TracePoint,
};
use crate::model_input::{Image, Thresholds};
use crate::number::{count, duration, exponent, minus, number};
use crate::svg::Style;

/// Widths of the two versions of a figure; the style sheet shows the one that fits.
const WIDE: f64 = 780.0;
const NARROW: f64 = 330.0;

/// A figure in a wide and a narrow version, so that its text stays readable on a phone.
pub fn figure(draw: impl Fn(Style) -> String, caption: &str) -> String {
    let caption =
        if caption.is_empty() { String::new() } else { format!("<figcaption>{}</figcaption>", escape(caption)) };
    let (wide, narrow) = (draw(Style::inline().width(WIDE)), draw(Style::inline().width(NARROW)));
    format!("<figure><div class=\"wide\">{wide}</div><div class=\"narrow\">{narrow}</div>{caption}</figure>\n")
}

/// A figure in one version, for those that are small anyway.
fn small_figure(draw: impl Fn(Style) -> String, width: f64) -> String {
    format!("<figure>{}</figure>\n", draw(Style::inline().width(width)))
}

pub(super) fn scores(scores: &[Fact]) -> String {
    if scores.is_empty() {
        return String::new();
    }
    let tile = |f: &Fact| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(&f.label), escape(&f.value));
    format!("<dl class=\"tiles\">\n{}</dl>\n", scores.iter().map(tile).collect::<String>())
}

pub(super) fn notices(notices: &[Notice]) -> String {
    let line = |n: &Notice| {
        let (class, word) = match n.severity {
            Severity::Notice => ("notice", ""),
            Severity::Warning => ("notice warning", "<strong>Warning:</strong> "),
        };
        format!("<p class=\"{class}\">{word}{}</p>\n", escape(&n.text))
    };
    // What matters most comes first.
    let (warnings, rest): (Vec<_>, Vec<_>) = notices.iter().partition(|n| n.severity == Severity::Warning);
    warnings.into_iter().chain(rest).map(line).collect()
}

/// What is certain, in words; the numbers behind it are folded away where there are words.
pub(super) fn guarantees(words: &[String], lines: &[CertificateLine]) -> String {
    match (words, lines) {
        ([], []) => String::new(),
        ([], lines) => section("Certificate", &measures(lines)),
        (words, lines) => {
            let line = |text: &String| format!("<li>{}</li>\n", escape(text));
            let mut content = format!("<ul>\n{}</ul>\n", words.iter().map(line).collect::<String>());
            if !lines.is_empty() {
                content.push_str(&folded("The numbers of the certificate", &measures(lines)));
            }
            section("What is certain", &content)
        }
    }
}

/// Where the model comes from.
pub(super) fn data(rows: &[Fact], remarks: &[String]) -> String {
    if rows.is_empty() && remarks.is_empty() {
        return String::new();
    }
    let remark = |text: &String| format!("<li>{}</li>\n", escape(text));
    let list = remarks.iter().map(remark).collect::<String>();
    let list = if list.is_empty() { list } else { format!("<ul>\n{list}</ul>\n") };
    section("The data", &(facts(rows) + &list))
}

/// A section that is none of the usual ones.
pub(super) fn free(free: &Section) -> String {
    let mut content = String::new();
    if !free.text.is_empty() {
        content.push_str(&format!("<p>{}</p>\n", escape(&free.text)));
    }
    if !free.lines.is_empty() {
        content.push_str(&measures(&free.lines));
    }
    if !free.rows.is_empty() {
        content.push_str(&long_table(&free.columns, &free.rows));
    }
    if let Some(curve) = &free.curve {
        content.push_str(&figure(|style| figures::cv_curve(curve, style), ""));
    }
    if let Some(plot) = &free.plot {
        content.push_str(&figure(|style| figures::lines(plot, style), ""));
    }
    if let Some(plot) = &free.biplot {
        content.push_str(&figure(|style| figures::biplot(plot, style), ""));
    }
    if !free.plots.is_empty() {
        let plots: Vec<Plot> = free.plots.iter().cloned().map(Plot::Lines).collect();
        content.push_str(&figure(|style| figures::small_multiples("", &plots, style), ""));
    }
    if !free.images.is_empty() {
        let draw = |image: &Image| {
            let picture = figures::titled_heat_map(&image.title, &image.matrix, Style::inline().width(300.0));
            format!("<figure>{picture}<figcaption>{}</figcaption></figure>\n", escape(&image.title))
        };
        let images: String = free.images.iter().map(draw).collect();
        content.push_str(&format!("<div class=\"pair\">\n{images}</div>\n"));
    }
    content.push_str(&notes(&free.notes));
    section(&free.heading, &content)
}

/// Rows of a table beyond which only some are in view, and how many those are.
const LONG: usize = 40;
const IN_VIEW: usize = 20;

/// A table of text; of a long one the first rows are in view and all of it is folded away.
fn long_table(columns: &[String], rows: &[Vec<String>]) -> String {
    if rows.len() <= LONG {
        return plain_table(columns, rows);
    }
    let whole = folded(&format!("All {} rows", count(rows.len())), &plain_table(columns, rows));
    plain_table(columns, &rows[..IN_VIEW]) + &whole
}

/// Characters beyond which a cell is a sentence.
const SENTENCE: usize = 40;

/// A table of text; columns of numbers are set to the right.
fn plain_table(columns: &[String], rows: &[Vec<String>]) -> String {
    // A dash stands for a number that is not there.
    let is_number = |text: &String| {
        text == "–" || text.trim_start_matches(['-', '−', '+']).starts_with(|c: char| c.is_ascii_digit())
    };
    let holds_numbers = |i: usize| rows.iter().filter_map(|row| row.get(i)).all(is_number);
    let numbers: Vec<bool> = (0..columns.len()).map(holds_numbers).collect();
    // Sentences are broken into lines, names are not.
    let is_long = |i: usize| rows.iter().filter_map(|row| row.get(i)).any(|text| text.chars().count() > SENTENCE);
    let sentences: Vec<bool> = (0..columns.len()).map(is_long).collect();
    let class = |i: usize| match (numbers.get(i), sentences.get(i)) {
        (_, Some(true)) => " class=\"text\"",
        (Some(true), _) => " class=\"number\"",
        _ => "",
    };
    let heading = |(i, name): (usize, &String)| format!("<th scope=\"col\"{}>{}</th>", class(i), escape(name));
    let cell = |(i, text): (usize, &String)| format!("<td{}>{}</td>", class(i), escape(text));
    let row = |row: &Vec<String>| format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
    let head: String = columns.iter().enumerate().map(heading).collect();
    let body: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table class=\"comparison\"><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

/// A table of measures, their values and what they mean.
fn measures(lines: &[CertificateLine]) -> String {
    let row = |line: &CertificateLine| {
        let (class, mark, word) = match line.good {
            Some(true) => ("good", "✓", "good: "),
            Some(false) => ("bad", "!", "attention: "),
            None => ("", "·", ""),
        };
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"{class}\"><span class=\"mark\" aria-hidden=\"true\">{mark}</span><span class=\"hidden\">{word}</span>{}</td></tr>\n",
            escape(&line.label),
            escape(&line.value),
            escape(&line.verdict)
        )
    };
    let rows: String = lines.iter().map(row).collect();
    let head = "<thead><tr><th scope=\"col\">measure</th><th scope=\"col\" class=\"number\">value</th><th scope=\"col\">what it means</th></tr></thead>";
    format!("<table class=\"stack certificate\">{head}<tbody>\n{rows}</tbody></table>\n")
}

/// What was proven, in words and as it closed; one point is a sentence.
pub(super) fn proof(story: &ProofStory) -> String {
    let mut content = if story.words.is_empty() { String::new() } else { format!("<p>{}</p>\n", escape(&story.words)) };
    if let [alone] = &story.points[..] {
        content.push_str(&format!("<p class=\"quiet\">{}</p>\n", escape(&figures::proof_alone(Some(alone)))));
    } else if !story.points.is_empty() {
        let caption = "Above: F of the best choice found, and the bound that no choice is below; what lies between them is open. \
                       Below: what is open as a share of F.";
        content.push_str(&figure(|style| figures::proof(&story.points, style), caption));
    }
    section("Proof", &content)
}

pub(super) fn convergence(trace: &[TracePoint], reference: Option<f64>) -> String {
    let Some(last) = trace.last() else { return String::new() };
    let thin = figures::thin_trace(trace, figures::TRACE_POINTS);
    let data: Vec<_> = thin.iter().map(|t| (t.step, t.objective, t.distance, t.rho, t.nonzeros, t.seconds)).collect();
    if last.step == 0 {
        let sentence =
            format!("There was nothing to iterate: the result was found directly, in {}.", duration(last.seconds));
        return part("Convergence", &(format!("<p>{sentence}</p>\n") + &embedded("trace-data", &data)));
    }
    let caption = format!(
        "{} checkpoints up to step {}, in {}. Distance to the set is measured before each projection; the result itself lies in the set.",
        count(trace.len()),
        count(last.step as usize),
        duration(last.seconds)
    );
    let figure = figure(|style| figures::convergence(&thin, reference, style), &caption);
    part("Convergence", &(figure + &embedded("trace-data", &data)))
}

pub(super) fn classes(roc: &[RocCurve], calibration: &[CalibrationBin], decisions: Option<&Thresholds>) -> String {
    if roc.is_empty() && calibration.is_empty() && decisions.is_none() {
        return String::new();
    }
    let mut content = String::from("<div class=\"pair\">\n");
    if !roc.is_empty() {
        content.push_str(&small_figure(|style| figures::roc(roc, style), 384.0));
    }
    if !calibration.is_empty() {
        content.push_str(&small_figure(|style| figures::calibration(calibration, style), 384.0));
    }
    content.push_str("</div>\n");
    if !calibration.is_empty() {
        let columns = ["predicted", "observed", "95 % interval", "rows"].map(str::to_owned);
        let row = |bin: &CalibrationBin| {
            let (low, high) = figures::wilson(bin.observed, bin.count);
            vec![
                number(bin.predicted, 3),
                number(bin.observed, 3),
                format!("{} to {}", number(low, 3), number(high, 3)),
                number(bin.count, 6),
            ]
        };
        let rows: Vec<Vec<String>> = calibration.iter().filter(|bin| bin.count > 0.0).map(row).collect();
        content.push_str(&folded("The bins of the calibration: as many rows in each", &plain_table(&columns, &rows)));
    }
    content.push_str(&decisions.map_or_else(String::new, thresholds::content));
    section("Discrimination and calibration", &content)
}

pub(super) fn residuals(residuals: &[Residual]) -> String {
    if residuals.is_empty() {
        return String::new();
    }
    let caption = "Left or above: residuals against fitted values. Right or below: residuals against normal quantiles; normal errors lie on the line.";
    section("Residuals", &figure(|style| figures::residuals(residuals, style), caption))
}

/// Longer grids are cut in the table; the figure shows them all.
const CANDIDATES: usize = 500;

pub(super) fn cross_validation(curve: &CvCurve) -> String {
    if curve.points.is_empty() {
        return String::new();
    }
    let caption = match curve.folds {
        0 => String::new(),
        folds => format!("Mean over {folds} folds; bars are one standard error."),
    };
    let mut content = figure(|style| figures::cv_curve(curve, style), &caption);
    let several = curve.points.iter().any(|p| !p.line.is_empty());
    let other = |text: &str, tag: &str| if several { format!("<{tag}>{text}</{tag}>") } else { String::new() };
    let parameter = if curve.parameter.is_empty() { "parameter" } else { &curve.parameter };
    let score = if curve.score.is_empty() { "score" } else { &curve.score };
    // Five digits of the largest score and as many decimals for all, so that the column lines up.
    let largest = curve.points.iter().map(|p| p.mean.abs()).filter(|m| m.is_finite()).fold(0.0, f64::max);
    let show = |v: f64| aligned(v, largest);
    let mut rows = String::new();
    for (i, point) in curve.points.iter().enumerate().take(CANDIDATES) {
        let mut remarks = Vec::new();
        if curve.chosen == Some(i) {
            remarks.push("chosen");
        }
        if curve.one_standard_error == Some(i) {
            remarks.push("1-SE rule");
        }
        let class = if remarks.is_empty() { "" } else { " class=\"chosen\"" };
        rows.push_str(&format!(
            "<tr{class}><td>{}</td>{}<td class=\"number\">{} ± {}</td><td>{}</td></tr>\n",
            number(point.value, 6),
            other(&escape(&point.line), "td"),
            show(point.mean),
            show(point.standard_error),
            remarks.join(", ")
        ));
    }
    content.push_str(&format!(
        "<div class=\"scroll\"><table class=\"candidates\"><thead><tr><th>{}</th>{}<th class=\"number\">{} ± error</th><th><span class=\"hidden\">remark</span></th></tr></thead><tbody>\n{rows}</tbody></table></div>\n",
        escape(parameter),
        other("with", "th"),
        escape(score)
    ));
    if curve.points.len() > CANDIDATES {
        content.push_str(&format!(
            "<p class=\"quiet\">The first {CANDIDATES} of {} candidates.</p>\n",
            count(curve.points.len())
        ));
    }
    section("Cross-validation", &content)
}

/// A number with the decimals that give the largest of a column five digits.
fn aligned(value: f64, largest: f64) -> String {
    if !value.is_finite() || !(1e-3..1e6).contains(&largest) {
        return number(value, 5);
    }
    let decimals = (4 - exponent(largest)).clamp(0, 7) as usize;
    minus(&format!("{value:.decimals$}"))
}

pub(super) fn run(report: &Report) -> String {
    let mut content = String::new();
    if !report.command.is_empty() {
        // Browsers break lines after hyphens, which would split options: each word is kept whole where it fits.
        let words = report.command.split(' ').map(|w| format!("<span class=\"word\">{}</span>", escape(w)));
        let command = words.collect::<Vec<_>>().join(" ");
        content.push_str(&format!("<p>To repeat the run:</p>\n<pre><code>{command}</code></pre>\n"));
    }
    let mut rows = Vec::new();
    if let Some(seconds) = report.seconds {
        rows.push(Fact::new("Time taken", duration(seconds)));
    }
    if let Some(seed) = report.seed {
        rows.push(Fact::new("Seed", seed.to_string()));
    }
    rows.extend(report.settings.iter().cloned());
    rows.extend(report.versions.iter().cloned());
    content.push_str(&facts(&rows));
    if content.is_empty() { String::new() } else { part("The run", &content) }
}
