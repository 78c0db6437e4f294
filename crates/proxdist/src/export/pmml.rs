//! Predictive Model Markup Language 4.4: a `RegressionModel` that scoring engines read.
//!
//! The log link is the normalisation `exp`, the logit one `logit` with a table for each label. Fills are `missingValueReplacement`, an offset is a predictor with factor 1, an exposure a derived
//! field, its logarithm.

use super::{ExportFault, InputKind, KnownPart, ScoreLink, Scorer, exact};
use std::fmt::Write as _;

/// The name of the derived logarithm of an exposure.
const LOGARITHM: &str = "proxdist log exposure";

pub(super) fn written(scorer: &Scorer) -> Result<String, ExportFault> {
    // XML has no way to write these, not even escaped.
    scorer.check("PMML", |c| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{7f}'..='\u{9f}'))
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    })?;
    let target = free_name(scorer);
    let mut fields = String::new();
    let mut schema = String::new();
    let mut predictors = String::new();
    let mut bins = String::new();
    for input in &scorer.inputs {
        let name = escaped(&input.column);
        let fill = match &input.kind {
            InputKind::Number { coefficient, fill } => {
                let _ = writeln!(fields, "    <DataField name=\"{name}\" optype=\"continuous\" dataType=\"double\"/>");
                let _ = writeln!(
                    predictors,
                    "      <NumericPredictor name=\"{name}\" coefficient=\"{}\"/>",
                    exact(*coefficient)
                );
                fill.map(exact)
            }
            InputKind::Bins { edges, adds, .. } => {
                let _ = writeln!(fields, "    <DataField name=\"{name}\" optype=\"continuous\" dataType=\"double\"/>");
                let of_bin = escaped(&format!("proxdist bin of {}", input.column));
                bins += &discretized(&name, &of_bin, edges, (adds, input.kind.missing_adds()));
                let _ = writeln!(predictors, "      <NumericPredictor name=\"{of_bin}\" coefficient=\"1\"/>");
                None
            }
            InputKind::Text { levels, fill } => {
                let _ = writeln!(fields, "    <DataField name=\"{name}\" optype=\"categorical\" dataType=\"string\">");
                for (level, adds) in levels {
                    let level = escaped(level);
                    let _ = writeln!(fields, "      <Value value=\"{level}\"/>");
                    let _ = writeln!(
                        predictors,
                        "      <CategoricalPredictor name=\"{name}\" value=\"{level}\" coefficient=\"{}\"/>",
                        exact(*adds)
                    );
                }
                fields += "    </DataField>\n";
                fill.as_ref().map(|fill| escaped(fill))
            }
        };
        let fill = fill.map_or_else(String::new, |fill| format!(" missingValueReplacement=\"{fill}\""));
        let _ = writeln!(schema, "      <MiningField name=\"{name}\"{fill} invalidValueTreatment=\"returnInvalid\"/>");
    }
    let mut logarithm = String::new();
    if let Some(KnownPart::Offset(column) | KnownPart::Exposure(column)) = &scorer.known {
        let name = escaped(column);
        let _ = writeln!(fields, "    <DataField name=\"{name}\" optype=\"continuous\" dataType=\"double\"/>");
        let _ = writeln!(schema, "      <MiningField name=\"{name}\"/>");
        let predictor = if matches!(scorer.known, Some(KnownPart::Exposure(_))) {
            logarithm = format!(
                "      <DerivedField name=\"{LOGARITHM}\" optype=\"continuous\" dataType=\"double\">\n        <Apply function=\"ln\"><FieldRef field=\"{name}\"/></Apply>\n      </DerivedField>\n"
            );
            LOGARITHM
        } else {
            &name
        };
        // Numbers come before texts in a table.
        predictors = format!("      <NumericPredictor name=\"{predictor}\" coefficient=\"1\"/>\n{predictors}");
    }
    let predictors = numbers_first(&predictors);
    let derived = match bins + &logarithm {
        fields if fields.is_empty() => fields,
        fields => format!("    <LocalTransformations>\n{fields}    </LocalTransformations>\n"),
    };
    let is_classes = scorer.link == ScoreLink::Logit;
    let labels = scorer.labels.as_ref().filter(|_| is_classes);
    let (function, normalization) = match scorer.link {
        ScoreLink::Logit => ("classification", "logit"),
        ScoreLink::Log => ("regression", "exp"),
        ScoreLink::Identity | ScoreLink::Margin => ("regression", "none"),
    };
    let of_target = match labels {
        Some([negative, positive]) => format!(
            "    <DataField name=\"{target}\" optype=\"categorical\" dataType=\"string\">\n      <Value value=\"{}\"/>\n      <Value value=\"{}\"/>\n    </DataField>\n",
            escaped(negative),
            escaped(positive)
        ),
        None => format!("    <DataField name=\"{target}\" optype=\"continuous\" dataType=\"double\"/>\n"),
    };
    let category =
        labels.map_or_else(String::new, |[_, positive]| format!(" targetCategory=\"{}\"", escaped(positive)));
    let mut tables = format!(
        "    <RegressionTable intercept=\"{}\"{category}>\n{predictors}    </RegressionTable>\n",
        exact(scorer.intercept)
    );
    if let Some([negative, _]) = labels {
        let _ = writeln!(tables, "    <RegressionTable intercept=\"0\" targetCategory=\"{}\"/>", escaped(negative));
    }
    let count = scorer.inputs.len() + usize::from(scorer.known.is_some()) + 1;
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PMML version=\"4.4\" xmlns=\"http://www.dmg.org/PMML-4_4\">\n  <Header>\n    <Application name=\"proxdist\" version=\"{}\"/>\n  </Header>\n  \
         <DataDictionary numberOfFields=\"{count}\">\n{fields}{of_target}  </DataDictionary>\n  <RegressionModel functionName=\"{function}\" normalizationMethod=\"{normalization}\">\n    \
         <MiningSchema>\n{schema}      <MiningField name=\"{target}\" usageType=\"target\"/>\n    </MiningSchema>\n{derived}{tables}  </RegressionModel>\n</PMML>\n",
        env!("CARGO_PKG_VERSION")
    ))
}

/// What a column in bins adds, as a field of its own.
fn discretized(name: &str, of_bin: &str, edges: &[f64], (adds, missing): (&[f64], Option<f64>)) -> String {
    let missing = missing.map_or_else(String::new, |adds| format!(" mapMissingTo=\"{}\"", exact(adds)));
    let mut text = format!(
        "      <DerivedField name=\"{of_bin}\" optype=\"continuous\" dataType=\"double\">\n        <Discretize field=\"{name}\"{missing} dataType=\"double\">\n"
    );
    for (bin, adds) in adds.iter().enumerate() {
        let left = bin.checked_sub(1).map_or_else(String::new, |at| format!(" leftMargin=\"{}\"", exact(edges[at])));
        let right = edges.get(bin).map_or_else(String::new, |edge| format!(" rightMargin=\"{}\"", exact(*edge)));
        let closure = if bin == 0 { "openOpen" } else { "closedOpen" };
        let _ = writeln!(
            text,
            "          <DiscretizeBin binValue=\"{}\"><Interval closure=\"{closure}\"{left}{right}/></DiscretizeBin>",
            exact(*adds)
        );
    }
    text + "        </Discretize>\n      </DerivedField>\n"
}

/// The elements of a table in the order of the schema: numbers, then texts.
fn numbers_first(predictors: &str) -> String {
    let (numbers, texts): (Vec<&str>, Vec<&str>) =
        predictors.lines().partition(|line| line.trim_start().starts_with("<NumericPredictor"));
    numbers.into_iter().chain(texts).flat_map(|line| [line, "\n"]).collect()
}

/// The name of the target, which must not be one of a column.
fn free_name(scorer: &Scorer) -> String {
    let mut name = scorer.target.clone().unwrap_or_else(|| "prediction".to_owned());
    while scorer.inputs.iter().any(|input| input.column == name) {
        name.push('_');
    }
    escaped(&name)
}

/// Text inside an attribute; line breaks would be read as blanks otherwise.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' | '\r' => drop(write!(out, "&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
