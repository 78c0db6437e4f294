//! A module in Python without imports beyond `math`: `predict(row)` for a mapping from column names to values.

use super::{InputKind, KnownPart, ScoreLink, Scorer, exact, quoted};
use std::fmt::Write as _;

pub(super) fn written(scorer: &Scorer) -> String {
    let mut text = String::from(
        "\"\"\"A model written by proxdist.\n\n\
         predict(row) takes a mapping from the names of columns to values, such as a row of csv.DictReader or a dict. It returns\n\
         None where a value is missing that the model has nothing to fill in for, and raises ValueError for a text that it does\n\
         not know.\n\"\"\"\n\nimport math\n\n",
    );
    let _ = writeln!(text, "INTERCEPT = {}", exact(scorer.intercept));
    // Column, factor, fill.
    text += "NUMBERS = [\n";
    for input in &scorer.inputs {
        if let InputKind::Number { coefficient, fill } = &input.kind {
            let fill = fill.map_or_else(|| "None".to_owned(), exact);
            let _ = writeln!(text, "    ({}, {}, {fill}),", quoted(&input.column), exact(*coefficient));
        }
    }
    text += "]\nTEXTS = [\n";
    for input in &scorer.inputs {
        if let InputKind::Text { levels, fill } = &input.kind {
            let each: Vec<String> =
                levels.iter().map(|(level, adds)| format!("{}: {}", quoted(level), exact(*adds))).collect();
            let fill = fill.as_ref().map_or_else(|| "None".to_owned(), |fill| quoted(fill));
            let _ = writeln!(text, "    ({}, {{{}}}, {fill}),", quoted(&input.column), each.join(", "));
        }
    }
    // Column, edges, what bins add, what a missing number adds.
    text += "]\nBINS = [\n";
    for input in &scorer.inputs {
        if let InputKind::Bins { edges, adds, .. } = &input.kind {
            let list = |values: &[f64]| values.iter().map(|value| exact(*value)).collect::<Vec<_>>().join(", ");
            let missing = input.kind.missing_adds().map_or_else(|| "None".to_owned(), exact);
            let _ = writeln!(text, "    ({}, [{}], [{}], {missing}),", quoted(&input.column), list(edges), list(adds));
        }
    }
    text += "]\n\n\ndef _missing(value):\n    return value is None or value == \"\" or (isinstance(value, float) and math.isnan(value))\n\n\n";
    text += "def linear(row):\n    \"\"\"The linear predictor; None if a value is missing.\"\"\"\n    eta = INTERCEPT\n\
             \x20   for column, coefficient, fill in NUMBERS:\n        value = row[column]\n        if _missing(value):\n            value = fill\n\
             \x20       if value is None:\n            return None\n        eta += coefficient * float(value)\n\
             \x20   for column, edges, adds, missing in BINS:\n        value = row[column]\n        if _missing(value):\n            if missing is None:\n                return None\n\
             \x20           eta += missing\n        else:\n            eta += adds[sum(edge <= float(value) for edge in edges)]\n\
             \x20   for column, levels, fill in TEXTS:\n        value = row[column]\n        if _missing(value):\n            value = fill\n\
             \x20       if value is None:\n            return None\n        if str(value) not in levels:\n\
             \x20           raise ValueError(f\"{column}: {value!r} was not there when the model was fitted\")\n        eta += levels[str(value)]\n";
    let known = match &scorer.known {
        None => String::new(),
        Some(KnownPart::Offset(column)) => format!("float(row[{}])", quoted(column)),
        Some(KnownPart::Exposure(column)) => format!("math.log(float(row[{}]))", quoted(column)),
    };
    if let Some(KnownPart::Offset(column) | KnownPart::Exposure(column)) = &scorer.known {
        let _ = writeln!(text, "    if _missing(row[{}]):\n        return None\n    eta += {known}", quoted(column));
    }
    text += "    return eta\n\n\n";
    let (doc, mean) = match scorer.link {
        ScoreLink::Identity => ("The prediction", "eta"),
        ScoreLink::Log => ("The mean response", "math.exp(eta)"),
        ScoreLink::Logit => (
            "The probability of the positive label",
            "1.0 / (1.0 + math.exp(-eta)) if eta >= 0.0 else math.exp(eta) / (1.0 + math.exp(eta))",
        ),
        ScoreLink::Margin => ("The margin, positive for the positive label", "eta"),
    };
    let _ = writeln!(
        text,
        "def predict(row):\n    \"\"\"{doc}; None if a value is missing.\"\"\"\n    eta = linear(row)\n    if eta is None:\n        return None\n    return {mean}"
    );
    if let Some([negative, positive]) = &scorer.labels {
        let _ = writeln!(
            text,
            "\n\ndef label(row):\n    \"\"\"The label; None if a value is missing.\"\"\"\n    eta = linear(row)\n    if eta is None:\n        return None\n    return {} if eta > 0.0 else {}",
            quoted(positive),
            quoted(negative)
        );
    }
    text
}
