//! `proxdist losses`, `constraints` and `methods`

use super::Ending;
use crate::args::CatalogueArgs;
use crate::failure::Result;
use crate::output;
use comfy_table::{ContentArrangement, Table, presets};
use proxdist::loss::{self, LossEntry};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::IsTerminal as _;

/// The losses.
pub(crate) fn losses(args: &CatalogueArgs) -> Result<Ending> {
    let losses: Vec<(String, &LossEntry)> = loss::catalogue().iter().map(|loss| (loss.syntax(), loss)).collect();
    let rows: Vec<[&str; 3]> =
        losses.iter().map(|(syntax, loss)| [&syntax[..], loss.definition, loss.task.responses()]).collect();
    show(args, ["syntax", "definition", "target"], &rows)
}

/// The sets.
pub(crate) fn constraints(args: &CatalogueArgs) -> Result<Ending> {
    let rows: Vec<[&str; 4]> =
        proxdist::spec::sets().iter().map(|set| [set.syntax, set.definition, set.convex.word(), set.cost]).collect();
    show(args, ["syntax", "the coefficients", "convex", "cost of a projection"], &rows)
}

/// The methods.
pub(crate) fn methods(args: &CatalogueArgs) -> Result<Ending> {
    let rows: Vec<[&str; 3]> =
        proxdist::solver::catalogue().iter().map(|method| [method.syntax, method.definition, method.set]).collect();
    show(args, ["syntax", "step, with a = 1/rho_k and a batch B", "the set"], &rows)
}

/// A table that fits the terminal; columns of plain text, tab separated, for other programs.
fn show<const N: usize>(args: &CatalogueArgs, head: [&str; N], rows: &[[&str; N]]) -> Result<Ending> {
    let text = if args.json {
        let entry =
            |row: &[&str; N]| head.iter().zip(row).map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        let entries: Vec<Value> = rows.iter().map(|row| Value::Object(entry(row))).collect();
        format!("{}\n", Value::Array(entries))
    } else if std::io::stdout().is_terminal() {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_header(head);
        rows.iter().for_each(|row| {
            table.add_row(row);
        });
        format!("{table}\n")
    } else {
        let mut text = format!("{}\n", head.join("\t"));
        rows.iter().for_each(|row| {
            let _ = writeln!(text, "{}", row.join("\t"));
        });
        text
    };
    output::print(&text)?;
    Ok(Ending::Written)
}
