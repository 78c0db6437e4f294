//! A function in C99: a struct with a field for each column, and functions of a pointer to it.
//!
//! A missing number is NaN and a missing text a null pointer; without a fill the result is NaN, as it is for a text that is not known. Names stand in comments beside the fields, with nothing in
//! them that could end a comment.

use super::{InputKind, KnownPart, ScoreLink, Scorer, exact};
use std::fmt::Write as _;

pub(super) fn written(scorer: &Scorer) -> String {
    let mut text = "/* A model written by proxdist. C99; link with -lm. */\n#include <math.h>\n#include <stddef.h>\n#include <string.h>\n\n".to_owned();
    text += "/* A row: NaN is a missing number, NULL a missing text. */\ntypedef struct {\n";
    for (at, input) in scorer.inputs.iter().enumerate() {
        let kind = if matches!(input.kind, InputKind::Text { .. }) { "const char *" } else { "double " };
        let _ = writeln!(text, "    {kind}x{}; /* {} */", at + 1, comment(&input.column));
    }
    match &scorer.known {
        Some(KnownPart::Offset(column)) => drop(writeln!(text, "    double offset; /* {} */", comment(column))),
        Some(KnownPart::Exposure(column)) => drop(writeln!(text, "    double exposure; /* {} */", comment(column))),
        None => {}
    }
    if scorer.inputs.is_empty() && scorer.known.is_none() {
        text += "    double unused;\n";
    }
    text += "} proxdist_row;\n\n";
    for (at, input) in scorer.inputs.iter().enumerate() {
        if let InputKind::Text { levels, fill } = &input.kind {
            let _ = writeln!(text, "static double proxdist_x{}(const char *value)\n{{", at + 1);
            match fill {
                Some(fill) => drop(writeln!(text, "    if (value == NULL) value = {};", literal(fill))),
                None => text += "    if (value == NULL) return NAN;\n",
            }
            for (level, adds) in levels {
                let _ = writeln!(text, "    if (strcmp(value, {}) == 0) return {};", literal(level), exact(*adds));
            }
            text += "    return NAN;\n}\n\n";
        }
        if let InputKind::Bins { edges, adds, .. } = &input.kind {
            let missing = input.kind.missing_adds().map_or_else(|| "NAN".to_owned(), exact);
            let _ = writeln!(
                text,
                "static double proxdist_x{}(double value)\n{{\n    if (isnan(value)) return {missing};",
                at + 1
            );
            for (edge, adds) in edges.iter().zip(adds) {
                let _ = writeln!(text, "    if (value < {}) return {};", exact(*edge), exact(*adds));
            }
            let _ = writeln!(text, "    return {};\n}}\n", exact(adds.last().copied().unwrap_or(0.0)));
        }
    }
    text += "/* The linear predictor. */\ndouble proxdist_linear(const proxdist_row *row)\n{\n";
    let _ = writeln!(text, "    double eta = {};", exact(scorer.intercept));
    for (at, input) in scorer.inputs.iter().enumerate() {
        let field = format!("row->x{}", at + 1);
        let _ = match &input.kind {
            InputKind::Number { coefficient, fill: None } => {
                writeln!(text, "    eta += {} * {field};", exact(*coefficient))
            }
            InputKind::Number { coefficient, fill: Some(fill) } => {
                writeln!(text, "    eta += {} * (isnan({field}) ? {} : {field});", exact(*coefficient), exact(*fill))
            }
            InputKind::Text { .. } | InputKind::Bins { .. } => {
                writeln!(text, "    eta += proxdist_x{}({field});", at + 1)
            }
        };
    }
    match &scorer.known {
        Some(KnownPart::Offset(_)) => text += "    eta += row->offset;\n",
        Some(KnownPart::Exposure(_)) => text += "    eta += log(row->exposure);\n",
        None if scorer.inputs.is_empty() => text += "    (void)row;\n",
        None => {}
    }
    text += "    return eta;\n}\n\n";
    let (doc, mean) = match scorer.link {
        ScoreLink::Identity => ("The prediction.", "eta"),
        ScoreLink::Log => ("The mean response.", "exp(eta)"),
        ScoreLink::Logit => {
            ("The probability of the positive label.", "eta >= 0 ? 1 / (1 + exp(-eta)) : exp(eta) / (1 + exp(eta))")
        }
        ScoreLink::Margin => ("The margin, positive for the positive label.", "eta"),
    };
    let _ = writeln!(
        text,
        "/* {doc} */\ndouble proxdist_predict(const proxdist_row *row)\n{{\n    double eta = proxdist_linear(row);\n    return {mean};\n}}"
    );
    if let Some([negative, positive]) = &scorer.labels {
        let _ = writeln!(
            text,
            "\n/* The label; NULL if a value is missing. */\nconst char *proxdist_label(const proxdist_row *row)\n{{\n    double eta = proxdist_linear(row);\n    if (isnan(eta)) return NULL;\n    return eta > 0 ? {} : {};\n}}",
            literal(positive),
            literal(negative)
        );
    }
    text
}

/// A string of bytes: what is not plain is written in octal, three digits each, so that nothing after it is taken for one.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' | b'_' | b'-' | b'.' | b',' | b'=' | b'+' => {
                out.push(char::from(byte));
            }
            other => drop(write!(out, "\\{other:03o}")),
        }
    }
    out + "\""
}

/// A name inside a comment.
fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_control() || matches!(c, '*' | '/' | '\\' | '?') { '.' } else { c };
    text.chars().map(plain).collect()
}
