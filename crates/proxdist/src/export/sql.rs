//! A SELECT statement in standard SQL: names in double quotes, doubled inside; text in single quotes, doubled inside.
//!
//! A missing value without a fill makes the predictor NULL, and a text that is not known as well. `EXP` is the only function; its argument is held where no database complains of underflow.

use super::{ExportFault, InputKind, KnownPart, ScoreLink, Scorer, exact};

pub(super) fn written(scorer: &Scorer, table: &str) -> Result<String, ExportFault> {
    scorer.check("SQL", |c| c == '\0')?;
    if table.is_empty() || table.contains('\0') {
        return Err(ExportFault::Name { form: "SQL", name: table.to_owned(), character: '\0' });
    }
    let mut terms = vec![exact(scorer.intercept)];
    terms.extend(scorer.inputs.iter().map(|input| term(&input.column, &input.kind)));
    terms.extend(scorer.known.as_ref().map(|known| match known {
        KnownPart::Offset(column) => number(column),
        KnownPart::Exposure(column) => format!("LN({})", number(column)),
    }));
    let inner = format!(
        "SELECT *,\n         {}\n         AS \"proxdist_linear\"\n  FROM {}",
        terms.join("\n         + "),
        name(table)
    );
    let eta = "\"proxdist_linear\"";
    let label = scorer.labels.as_ref().map(|[negative, positive]| {
        format!(
            "CASE WHEN {eta} IS NULL THEN NULL WHEN {eta} > 0 THEN {} ELSE {} END AS \"label\"",
            text(positive),
            text(negative)
        )
    });
    let answers = match scorer.link {
        ScoreLink::Identity => vec![format!("{eta} AS \"prediction\"")],
        ScoreLink::Log => vec![format!("EXP({eta}) AS \"prediction\"")],
        ScoreLink::Logit => vec![format!(
            "CASE WHEN {eta} > 700 THEN 1e0 WHEN {eta} < -700 THEN 0e0 ELSE 1e0 / (1e0 + EXP(-{eta})) END AS \"probability\""
        )],
        ScoreLink::Margin => Vec::new(),
    };
    let answers: Vec<String> = answers.into_iter().chain(label).collect();
    Ok(format!("SELECT scored.*,\n       {}\nFROM (\n  {inner}\n) AS scored;\n", answers.join(",\n       ")))
}

fn term(column: &str, kind: &InputKind) -> String {
    match kind {
        InputKind::Number { coefficient, fill: None } => format!("{} * {}", exact(*coefficient), number(column)),
        InputKind::Number { coefficient, fill: Some(fill) } => {
            format!("{} * COALESCE({}, {})", exact(*coefficient), number(column), exact(*fill))
        }
        InputKind::Text { levels, fill } => {
            // Longer texts are cut here, to something that is still longer than every known one.
            let longest = levels.iter().map(|(level, _)| level.chars().count()).max().unwrap_or(0) + 1;
            let cast = format!("CAST({} AS VARCHAR({longest}))", name(column));
            let value = fill.as_ref().map_or_else(|| cast.clone(), |fill| format!("COALESCE({cast}, {})", text(fill)));
            let cases: Vec<String> =
                levels.iter().map(|(level, adds)| format!("WHEN {} THEN {}", text(level), exact(*adds))).collect();
            format!("CASE {value} {} END", cases.join(" "))
        }
        InputKind::Bins { edges, adds, .. } => {
            let value = number(column);
            let missing = kind.missing_adds().map_or_else(|| "NULL".to_owned(), exact);
            let below = edges
                .iter()
                .zip(adds)
                .map(|(edge, adds)| format!("WHEN {value} < {} THEN {}", exact(*edge), exact(*adds)));
            let below: Vec<String> = below.collect();
            let last = exact(adds.last().copied().unwrap_or(0.0));
            format!("CASE WHEN {} IS NULL THEN {missing} {} ELSE {last} END", name(column), below.join(" "))
        }
    }
}

fn number(column: &str) -> String {
    format!("CAST({} AS DOUBLE PRECISION)", name(column))
}

fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}
