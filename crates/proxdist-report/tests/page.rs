//! The page: well-formed, complete in itself, and deaf to hostile text.

mod samples;

use proptest::prelude::*;
use proxdist_report::{
    CertificateLine, Coefficient, ComparisonTable, LinePlot, Mark, Notice, ProofStory, Report, Section, Series,
};

/// Elements without an end tag.
const VOID: [&str; 4] = ["meta", "input", "br", "hr"];

/// Checks that tags nest; gives the elements in order. Scripts and styles end at their end tag, as in a browser.
fn elements(html: &str) -> Vec<String> {
    let (mut rest, mut open, mut seen) = (html, Vec::new(), Vec::new());
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if rest.starts_with('!') {
            rest = &rest[rest.find('>').unwrap()..];
            continue;
        }
        let name: String = rest.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(!name.is_empty(), "a bare < before {rest:.40}");
        let (mut quote, mut end) = (None, None);
        for (i, c) in rest.char_indices() {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(q), c) if q == c => quote = None,
                (None, '>') => {
                    end = Some(i);
                    break;
                }
                (None, '<') => panic!("< inside the tag {name}"),
                _ => {}
            }
        }
        let tag = &rest[..end.unwrap()];
        rest = &rest[tag.len() + 1..];
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()));
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name.clone());
            if name == "script" || name == "style" {
                rest = &rest[rest.find(&format!("</{name}")).unwrap()..];
            }
            seen.push(name);
        } else {
            seen.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    seen
}

#[test]
fn a_comparison_has_a_line_and_a_row_for_each_run_and_escapes_their_names() {
    let names = ["spd", "<b>psgd</b>"];
    let series = |name: &&str| Series::new(*name, vec![(1.0, 0.1), (10.0, 0.01)]);
    let row = |name: &&str| [name, "0.5", "converged"].map(str::to_owned).to_vec();
    let table = ComparisonTable {
        caption: "F* = 1 & more.".to_owned(),
        columns: ["method", "F - F*", "stop"].map(str::to_owned).to_vec(),
        rows: names.iter().map(row).collect(),
        plot: LinePlot { log_x: true, log_y: true, series: names.iter().map(series).collect(), ..LinePlot::default() },
    };
    let html = Report { comparison: Some(table), ..Report::default() }.to_html();
    let elements = elements(&html);
    assert_eq!(elements.iter().filter(|e| *e == "svg").count(), 1);
    assert_eq!(html.matches("<th scope=\"row\">").count(), 2);
    assert!(html.contains("1 &amp; more") && !html.contains("<b>psgd"));
}

#[test]
fn sample_pages_nest_and_have_their_sections() {
    for (name, report) in samples::reports() {
        let html = report.to_html();
        let elements = elements(&html);
        assert_eq!(elements.iter().filter(|e| *e == "main").count(), 1, "{name}");
    }
    let html = samples::tune().to_html();
    // In the order in which a reader asks.
    let mut place = html.find("<h1>age = bmi from 20 of 1 024 features; AUC 0.83 (held out: 0.81).</h1>").unwrap();
    for heading in [
        "<h2>Performance</h2>",
        "<h2>Cross-validation</h2>",
        "<h2>Discrimination and calibration</h2>",
        "<h3>Decisions at a threshold</h3>",
        "<h2>Gains and lift</h2>",
        "<h2>Coefficients</h2>",
        "<h2>How features act</h2>",
        "<h2>What is certain</h2>",
        "<h2>Alternatives</h2>",
        "<h2>The data</h2>",
        "<h2>How it was computed</h2>",
        "<h3>Problem</h3>",
        "<h3>Convergence</h3>",
        "<h3>The run</h3>",
    ] {
        let next = html.find(heading).unwrap_or_else(|| panic!("{heading}"));
        assert!(place < next, "{heading} comes too early");
        place = next;
    }
    // The log is folded away, and so are the numbers of the certificate.
    let log = html.find("<details class=\"log\">").unwrap();
    assert!(log < html.find("<h3>Problem</h3>").unwrap() && html[log..].contains("To repeat the run"));
    assert!(html.contains("<summary>The numbers of the certificate</summary>"));
    assert!(samples::regression().to_html().contains("<h2>Residuals</h2>"));
    assert!(samples::matrix().to_html().contains("<h2>Coefficient matrix</h2>"));
}

#[test]
fn effects_have_units_ratios_and_intervals() {
    let html = samples::logistic().to_html();
    let table = &html[html.find("<table class=\"stack effects\">").unwrap()..];
    let table = &table[..table.find("</table>").unwrap()];
    for expected in ["effect of one SD", "coefficient", "95 % interval", "odds ratio", "(intercept)"] {
        assert!(table.contains(expected), "{expected}");
    }
    assert_eq!(table.matches("<tr>").count(), 1 + 5 + 1, "a head, five features, the intercept");
    // Without standard errors there is no column for them.
    let mut plain = samples::told::effects(&["age"]);
    plain.rows.iter_mut().for_each(|row| {
        (row.interval, row.effect_interval, row.ratio_interval) = (None, None, None);
    });
    plain.notes = vec!["There are no intervals: <why>.".into()];
    let html = Report { effects: Some(plain), ..Report::default() }.to_html();
    assert!(!html.contains("95 % interval") && html.contains("There are no intervals: &lt;why&gt;."));
}

#[test]
fn decisions_are_readable_without_scripts() {
    let html = samples::logistic().to_html();
    // At one half: 75 of 100 positive and 50 of 200 negative rows are above it.
    for expected in [
        "<td class=\"number\" id=\"cut-tp\">75</td>",
        "<td class=\"number\" id=\"cut-fp\">50</td>",
        "<td class=\"number\" id=\"cut-accuracy\">75.0 %</td>",
        "<td class=\"number\" id=\"cut-precision\">60.0 %</td>",
        "<td class=\"number\" id=\"cut-taken\">41.7 %</td>",
    ] {
        assert!(html.contains(expected), "{expected}");
    }
    let nothing = proxdist_report::Thresholds::default();
    let html = Report { thresholds: Some(nothing), ..Report::default() }.to_html();
    assert!(!html.contains("cut-tp"));
}

#[test]
fn a_proof_is_words_and_a_figure_or_a_sentence() {
    let page = |points: u64| {
        let proof = ProofStory { words: "a < b, proven".into(), points: samples::proof(points) };
        let html = Report { proof: Some(proof), ..Report::default() }.to_html();
        elements(&html);
        assert!(html.contains("<h2>Proof</h2>") && html.contains("<p>a &lt; b, proven</p>"));
        html
    };
    let many = page(40);
    assert_eq!(many.matches("<svg").count(), 2, "one for wide and one for narrow pages");
    assert!(many.contains("no choice is below") && many.contains("gap, as a share of F"));
    let one = page(1);
    assert!(!one.contains("<svg") && one.contains("The first bound was the last"));
    let none = page(0);
    assert!(!none.contains("<svg") && !none.contains("bound"), "words are enough");
    let ringed = samples::proven().to_html();
    assert_eq!(ringed.matches("globally optimal, proven</text>").count(), 2);
}

#[test]
fn an_empty_report_is_a_page_without_sections() {
    let html = Report::default().to_html();
    elements(&html);
    assert!(!html.contains("<h2>"));
}

#[test]
fn nothing_is_fetched() {
    for (_, report) in samples::reports() {
        let html = report.to_html().replace("http://www.w3.org/2000/svg", "");
        for sign in ["http:", "https:", "url(", "@import", "<link", "src=\"", " href="] {
            assert!(!html.contains(sign), "{sign}");
        }
    }
}

#[test]
fn hostile_text_adds_no_element() {
    let kind = |report: &Report| {
        let mut names = elements(&report.to_html());
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(kind(&samples::hostile()), kind(&samples::tune()));
    assert!(!samples::hostile().to_html().contains("<img"));
}

#[test]
fn embedded_data_can_be_read_back() {
    let mut report = samples::logistic();
    report.coefficients[0] = Coefficient::new(samples::HOSTILE, f64::NAN);
    let html = report.to_html();
    let start = html.find("id=\"coefficient-data\">").unwrap() + "id=\"coefficient-data\">".len();
    let json = &html[start..start + html[start..].find("</script>").unwrap()];
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["names"].as_array().unwrap().len(), 1024);
    assert_eq!(data["names"][0], samples::HOSTILE);
    assert!(data["values"][0].is_null());
    assert!(html.contains("not finite"));
}

#[test]
fn a_report_survives_being_stored() {
    let report = samples::logistic();
    let stored = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&stored).unwrap(), report);
    let partial: Report = serde_json::from_str(r#"{"title": "short"}"#).unwrap();
    assert_eq!(partial.title, "short");
}

#[test]
fn a_free_section_has_its_text_table_and_figure() {
    let line = CertificateLine { label: "L".into(), value: "3".into(), verdict: "<curved>".into(), good: None };
    let plot = Some(samples::rates());
    let section = Section {
        heading: "Theory & practice".into(),
        text: "a < b".into(),
        lines: vec![line],
        plot,
        ..Section::default()
    };
    let html = Report { sections: vec![section], ..Report::default() }.to_html();
    elements(&html);
    for expected in ["<h2>Theory &amp; practice</h2>", "<p>a &lt; b</p>", "&lt;curved&gt;", "γ = 0.8"] {
        assert!(html.contains(expected), "{expected}");
    }
}

#[test]
fn opening_sections_come_first_with_tables_curves_and_marks() {
    let mark = Some(Mark { at: 100.0, label: "chosen & marked".into() });
    let opening = Section {
        heading: "Sizes".into(),
        columns: ["size", "F", "enters"].map(str::to_owned).to_vec(),
        rows: vec![["1", "0.5", "<age>"].map(str::to_owned).to_vec(), ["2", "-0.1", ""].map(str::to_owned).to_vec()],
        curve: Some(samples::cv_curve(&["0", "0.1"])),
        plot: Some(LinePlot { mark, ..samples::rates() }),
        ..Section::default()
    };
    let later = Section { heading: "Later".into(), ..Section::default() };
    let html = Report { opening: vec![opening], sections: vec![later], ..Report::default() }.to_html();
    elements(&html);
    assert!(html.find("<h2>Sizes</h2>").unwrap() < html.find("<h2>Later</h2>").unwrap());
    for expected in
        ["<td class=\"number\">-0.1</td>", "<td>&lt;age&gt;</td>", "chosen &amp; marked", "± standard error"]
    {
        assert!(html.contains(expected), "{expected}");
    }
}

#[test]
fn warnings_come_before_notices() {
    let notices = vec![Notice::remark("second"), Notice::warning("first")];
    let html = Report { notices, ..Report::default() }.to_html();
    assert!(html.find("first").unwrap() < html.find("second").unwrap());
}

#[test]
fn a_wide_model_stays_small_enough_to_mail() {
    let report = Report { coefficients: samples::coefficients(60_000, 500), ..Report::default() };
    let size = report.to_html().len();
    assert!(size < 2_000_000, "{size} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_a_page_that_nests(text in any::<String>(), value in any::<f64>()) {
        let mut report = samples::hostile();
        report.title.clone_from(&text);
        report.result.clone_from(&text);
        report.command.clone_from(&text);
        report.seconds = Some(value);
        report.reference = Some(value);
        report.coefficients = vec![Coefficient::new(text, value)];
        elements(&report.to_html());
    }
}
