//! `proxdist scorecard`: whole points for the features of a model of two labels.

use super::Ending;
use crate::args::ScorecardArgs;
use crate::failure::{Failure, Result};
use crate::model_file::{Stored, StoredModel};
use crate::output::{self, Outputs, note};
use crate::rows::FileRows;
use crate::{csv, input};
use proxdist::loss::Link;
use proxdist::scorecard::{
    Attribute, COLUMNS, CardOptions, Feature, FeatureKind, Measured, Predictor, Scorecard, ScorecardFault, numbers,
};
use proxdist::{Error, Shape};
use proxdist_io::{ColumnKind, Schema, SchemaColumn, Table};
use proxdist_report::{Fact, TablePage};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

/// Reads, rounds, writes and tells.
pub(crate) fn run(args: &ScorecardArgs) -> Result<Ending> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    let rows = [args.data.as_deref(), args.test.as_deref()].into_iter().flatten();
    if rows.clone().chain([args.model.as_path()]).filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::new("only one input can come from standard input", "give files for the others"));
    }
    let inputs: Vec<&Path> = rows.chain([args.model.as_path()]).collect();
    output::check_places(&[("--csv", args.csv.as_ref()), ("--html", args.html.as_ref())], &inputs)?;
    let stored = two_labels(args)?;
    let labels = labels(&stored);
    let options = options(args, &labels)?;
    let features = features(&stored);
    let model =
        Predictor { coefficients: &stored.model.coefficients, intercept: stored.model.intercept, features: &features };
    let table = args.data.as_deref().map(|path| read(args, &stored, path)).transpose()?;
    let source = args.data.as_ref().map_or_else(String::new, |path| path.display().to_string());
    let data = table.as_ref().map(|table| input::view_for_fit(&source, table, None)).transpose()?;
    let explained = |error| match &table {
        Some(table) => FileRows::of(&source, table).explain(error),
        None => Failure::from(error),
    };
    let card = Scorecard::new(&model, &options, data.as_ref()).map_err(explained)?;
    let elsewhere = match &args.test {
        Some(path) => Some(tested(args, &stored, (&model, &card), path)?),
        None => None,
    };
    card.notes.iter().for_each(|text| note(args.quiet, text));
    let mut outputs = Outputs::default();
    if let Some(path) = &args.csv {
        outputs.add(path, table_of(&card, args.raw));
    }
    if let Some(path) = &args.html {
        outputs.add(path, page(args, &card, &labels, elsewhere.as_ref()));
    }
    let written = outputs.commit()?;
    if args.json {
        let document = json!({
            "command": "scorecard",
            "version": env!("CARGO_PKG_VERSION"),
            "labels": labels,
            "scorecard": card,
            "test": elsewhere,
        });
        output::print(&format!("{document}\n"))?;
    } else {
        let mut text = format!("{card}\n");
        for sentence in sentences(&card, &labels, elsewhere.as_ref()) {
            let _ = writeln!(text, "{sentence}");
        }
        if !args.quiet {
            text += &output::wrote(&written);
        }
        output::say(&text)?;
    }
    Ok(Ending::Written)
}

/// A model that has log odds.
fn two_labels(args: &ScorecardArgs) -> Result<StoredModel> {
    let path = args.model.display();
    let stored = match Stored::load(&args.model)? {
        Stored::One(stored) => stored,
        Stored::Several(_) => {
            let message = format!("{path}: a scorecard is for two labels, and this model has several outputs");
            return Err(Failure::new(message, "fit one label against the rest: --positive LABEL --one-vs-rest"));
        }
        Stored::Joint(_) => {
            let message =
                format!("{path}: a scorecard is for two labels, and this model is about times or ordered labels");
            return Err(Failure::new(message, "fit two labels with --loss logistic"));
        }
    };
    let fault = |fault: ScorecardFault| Failure::from(Error::Scorecard(fault)).about(path.to_string());
    let loss = stored.model.loss.known()?;
    if loss.link() != Link::Logit {
        return Err(fault(ScorecardFault::NoOdds { loss: loss.spec() }).hint("fit two labels with --loss logistic"));
    }
    if !matches!(stored.model.shape, Shape::Vector(_)) {
        return Err(fault(ScorecardFault::Matrix).hint("fit the columns without --shape"));
    }
    Ok(stored)
}

/// The negative and the positive label.
fn labels(stored: &StoredModel) -> [String; 2] {
    let known = stored.training.as_ref().and_then(|training| training.schema.labels.clone());
    known.unwrap_or_else(|| ["0".to_owned(), "1".to_owned()])
}

fn options(args: &ScorecardArgs, labels: &[String; 2]) -> Result<CardOptions> {
    let of_negative = match &args.odds_of {
        Some(label) if *label == labels[0] => true,
        Some(label) if *label != labels[1] => {
            let message = format!("--odds-of {label}: the labels of this model are {} and {}", labels[0], labels[1]);
            return Err(Failure::new(message, "give one of them"));
        }
        _ => false,
    };
    let ScorecardArgs { points, odds, pdo, reach, max_points, max_nodes, .. } = *args;
    Ok(CardOptions { points, odds, pdo, of_negative, reach, max_points, units: args.unit.clone(), max_nodes })
}

/// Rows with their labels; weights are those of the fit unless others are named.
fn read(args: &ScorecardArgs, stored: &StoredModel, path: &Path) -> Result<Table> {
    let weights = stored.training.as_ref().and_then(|training| training.weights.as_deref());
    input::whole(&args.reading(path), &stored.known()?, weights, args.quiet)
}

fn tested(
    args: &ScorecardArgs,
    stored: &StoredModel,
    (model, card): (&Predictor, &Scorecard),
    path: &Path,
) -> Result<Measured> {
    let table = read(args, stored, path)?;
    let source = path.display().to_string();
    let data = input::view_for_fit(&source, &table, None)?;
    card.measure(model, &data).map_err(|error| FileRows::of(&source, &table).explain(error))
}

/// The columns of the model as people know them.
fn features(stored: &StoredModel) -> Vec<Feature> {
    let coefficients = &stored.model.coefficients;
    let Some(schema) =
        stored.training.as_ref().map(|training| &training.schema).filter(|schema| schema.numbered.is_none())
    else {
        let names: Vec<String> = (0..coefficients.len()).map(|j| input::name_of(&stored.model, j)).collect();
        return numbers(&names);
    };
    let starts = schema.columns.iter().scan(0, |place, column| {
        let start = *place;
        *place += Schema { columns: vec![column.clone()], ..Schema::default() }.width();
        Some(start)
    });
    let kind = |start: usize, column: &SchemaColumn| match &column.kind {
        ColumnKind::Number { .. } => FeatureKind::Number { column: start },
        ColumnKind::Bins { bins, coding, .. } => {
            let first = coding.first_coded(bins.count());
            let bin =
                |bin: usize| Attribute { text: bins.text(bin), column: bin.checked_sub(first).map(|at| start + at) };
            FeatureKind::Attributes((0..bins.count()).map(bin).collect())
        }
        ColumnKind::Levels { levels, coding, .. } => {
            let first = coding.first_coded(levels.len());
            let place =
                |level: usize| level.checked_sub(first).map(|at| start + at).filter(|&at| coefficients[at] != 0.0);
            let listed = |(at, level): (usize, &String)| {
                place(at).map(|column| Attribute { text: format!("= {level}"), column: Some(column) })
            };
            let mut each: Vec<Attribute> = levels.iter().enumerate().filter_map(listed).collect();
            if each.len() < levels.len() {
                each.push(Attribute { text: "any other".to_owned(), column: None });
            }
            FeatureKind::Attributes(each)
        }
    };
    let feature =
        |(column, start): (&SchemaColumn, usize)| Feature { name: column.name.clone(), kind: kind(start, column) };
    schema.columns.iter().zip(starts).map(feature).collect()
}

/// What is said about the card.
fn sentences(card: &Scorecard, [negative, positive]: &[String; 2], elsewhere: Option<&Measured>) -> Vec<String> {
    let more = elsewhere.map(|measured| format!("Other rows: {}", measured.sentence()));
    card.sentences([negative, positive]).into_iter().chain(more).collect()
}

/// The card as CSV, with all digits.
fn table_of(card: &Scorecard, is_raw: bool) -> String {
    let mut text = String::from("feature,attribute,unit,points,before_rounding,rows,share,positive\n");
    let _ = writeln!(text, "base points,,,{},{},,,", card.base, card.base_real);
    for line in &card.lines {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let cells = [
            csv::field(&line.feature, is_raw),
            csv::field(line.attribute.as_deref().unwrap_or(""), is_raw),
            number(line.unit),
            line.points.to_string(),
            line.real.to_string(),
            line.rows.map_or_else(String::new, |rows| rows.to_string()),
            number(line.share),
            number(line.rate),
        ];
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

fn page(args: &ScorecardArgs, card: &Scorecard, labels: &[String; 2], elsewhere: Option<&Measured>) -> String {
    let columns = if card.measured.is_some() { COLUMNS.len() } else { 4 };
    let file = args.model.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    TablePage {
        title: format!("Scorecard of {file}"),
        sentences: sentences(card, labels, elsewhere),
        scores: card.facts().into_iter().map(|(label, value)| Fact::new(label, value)).collect(),
        columns: COLUMNS[..columns].iter().map(|name| (*name).to_owned()).collect(),
        rows: card.table().into_iter().map(|row| row[..columns].to_vec()).collect(),
        notes: card.notes.clone(),
    }
    .to_html()
}
