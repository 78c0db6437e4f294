//! Mistakes in data files, with remedies in terms of the options that the command at hand has and that were not already given.

use crate::args::{MissingPolicy, TextArgs};
use crate::failure::Failure;
use proxdist_io::{Error as E, Schema};

/// What a file is read for: that decides which remedies there are.
#[derive(Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// A fit: columns can be left out, labels chosen.
    Training,
    /// Predictions of a model, which knows its columns; a model file of the library alone has no schema.
    Model(Option<&'a Schema>),
}

/// The failure that an error of a reader is.
pub(crate) fn failure(error: &E, text: &TextArgs, purpose: Purpose) -> Failure {
    if matches!(error, E::Stopped) {
        return Failure::interrupted();
    }
    let hint = match purpose {
        Purpose::Training => training_hint(error, text),
        Purpose::Model(schema) => model_hint(error, text, schema),
    };
    Failure::new(error.to_string(), hint.unwrap_or_else(|| common_hint(error, text)))
}

/// The same for every command.
fn common_hint(error: &E, text: &TextArgs) -> String {
    match error {
        E::RaggedRow { .. } if text.delimiter.is_some() => {
            "complete or remove this line, quote a field that contains the delimiter, or give another --delimiter"
                .to_owned()
        }
        E::RaggedRow { .. } => format!("{}: --delimiter ';', for example", error.hint()),
        E::DecimalComma { .. } => "give --decimal , if the comma is the decimal sign".to_owned(),
        E::NotANumber { text: value, .. } if value.contains(',') && text.decimal != ',' => {
            "write numbers with a decimal point and without thousands separators, or give --decimal , if the comma is the decimal sign"
                .to_owned()
        }
        E::NotANumber { text: value, .. } if value.contains('.') && text.decimal == ',' => {
            "with --decimal , a number has no point, not between thousands either: correct the value, or leave --decimal out"
                .to_owned()
        }
        E::UnknownFormat { .. } | E::WrongMagic { .. } => {
            "use .csv, .tsv, .svm, .npy, .npz or .parquet, and an extension that fits the content".to_owned()
        }
        other => other.hint(),
    }
}

fn training_hint(error: &E, text: &TextArgs) -> Option<String> {
    Some(match error {
        E::MissingValue { .. } => {
            "--missing drop leaves such rows out, --missing mean fills in means (and --missing indicator marks them), --ignore COL leaves the column out"
                .to_owned()
        }
        E::NotFinite { text: value, .. } if value.to_lowercase().contains("nan") && is_strict(text) => {
            "remove the row, or treat NaN as missing with --missing drop or --missing mean".to_owned()
        }
        E::NotFinite { .. } => {
            "correct the value, remove the row, or leave the column out with --ignore COL".to_owned()
        }
        E::NoMean { .. } => "leave the column out with --ignore COL".to_owned(),
        E::BinsNotHere { .. } => "write the data as CSV or Parquet, allow more --memory, or leave --bins out".to_owned(),
        E::NotANumber { place, .. } if place.column.is_some() && !error.hint().contains("decimal point") => {
            "correct the value; --categorical COL turns a text column into indicators, --ignore COL leaves it out, \
             --loss logistic takes labels"
                .to_owned()
        }
        E::DecimalComma { place, .. } => format!(
            "give --decimal , if the comma is the decimal sign; --categorical {} takes the column as text",
            column(place)
        ),
        E::ManyClasses { labels, .. } => format!(
            "compare one label with all others: --positive {} --one-vs-rest",
            labels.first().map_or("LABEL", String::as_str)
        ),
        E::UnknownColumn { role: "target", nearest, columns, .. } if nearest.is_empty() => {
            format!("--target takes a column name or a number from 1 to {columns}")
        }
        E::Identifier { place, .. } => {
            let name = column(place);
            format!("leave it out with --ignore {name}, or keep it with --categorical {name}")
        }
        E::TooManyCategories { place, .. } => {
            format!("leave it out with --ignore {}, or join texts that hardly occur", column(place))
        }
        E::UnknownCategory { .. } => {
            "correct the value, take it as none of the known ones with --unknown zero, or find it in a larger first --block"
                .to_owned()
        }
        E::OneClass { .. } => {
            "check the target column: a classifier cannot learn from one class; in a stream both must occur in the first --block"
                .to_owned()
        },
        E::UnknownLabel { .. } => "give one of these labels to --positive, as it is written in the file".to_owned(),
        E::IndexBeyond { index, .. } => format!("give --features {index} or more, or leave --features out"),
        E::TooManyColumns { columns, .. } if *columns <= proxdist_io::MOST_COLUMNS as u64 => format!(
            "number the features from 1 on without gaps; where there really are so many, give --features {columns}"
        ),
        E::NoRowsLeft { .. } if is_filled(text) => {
            "rows without target, weight or offset are left out: check these columns".to_owned()
        }
        E::NoRowsLeft { .. } => "leave mostly missing columns out with --ignore, or fill in --missing mean".to_owned(),
        _ => return None,
    })
}

fn model_hint(error: &E, text: &TextArgs, schema: Option<&Schema>) -> Option<String> {
    let means = match schema {
        Some(schema) if schema.columns.iter().any(|column| column.marked) => {
            ", --missing indicator fills in and marks them as in the training file"
        }
        Some(schema) if knows_means(schema) => ", --missing mean fills in the means of the training file",
        _ => "",
    };
    Some(match error {
        E::MissingValue { .. } => format!("--missing drop leaves such rows without a prediction{means}"),
        E::NoFill { .. } => {
            "--missing drop leaves such rows without a prediction; to fill them in, fit the model again with --missing mean, which keeps the means of all columns"
                .to_owned()
        }
        E::NotFinite { text: value, .. } if value.to_lowercase().contains("nan") && is_strict(text) => {
            format!("remove the row, or treat NaN as missing: --missing drop leaves such rows without a prediction{means}")
        }
        E::NotFinite { .. } => "correct the value, or remove the row".to_owned(),
        E::NotANumber { .. } if !error.hint().contains("decimal point") => {
            "correct the value: this column held numbers when the model was fitted".to_owned()
        }
        E::UnknownColumn { role: "feature", nearest, .. } => {
            let near = nearest.first().map_or_else(String::new, |name| format!(" (is it {name:?} here?)"));
            format!("the model needs every column it was fitted to, under the same name{near}")
        }
        E::UnknownColumn { role: "kept column", nearest, columns, .. } => match nearest.first() {
            Some(name) => format!("did you mean --keep {name}?"),
            None => format!("--keep takes names of columns, or numbers from 1 to {columns}"),
        },
        E::UnknownColumn { role, nearest, columns, .. } if nearest.is_empty() => {
            format!("--{role} takes a column name or a number from 1 to {columns}")
        }
        E::UnknownCategory { .. } => {
            "correct the value, or take it as none of the known ones: --unknown zero".to_owned()
        }
        E::ManyClasses { .. } | E::OneClass { .. } | E::UnknownLabel { .. } => {
            "use the labels that the model was fitted to".to_owned()
        }
        E::IndexBeyond { .. } => "a model only knows the columns it was fitted to: leave the others out".to_owned(),
        E::IndexZero { .. } => "number the features from 1 on, as in the training file".to_owned(),
        E::NoRowsLeft { .. } if means.is_empty() => "nothing can be said about rows with gaps; correct the file".to_owned(),
        E::NoRowsLeft { .. } => "fill in the means of the training file with --missing mean".to_owned(),
        E::TwoRoles { .. } => "leave out the option that names this column: the model needs it as a feature".to_owned(),
        _ => return None,
    })
}

/// Whether missing values are filled in.
fn is_filled(text: &TextArgs) -> bool {
    matches!(text.missing, MissingPolicy::Mean | MissingPolicy::Indicator)
}

/// Whether no policy for missing values was given.
fn is_strict(text: &TextArgs) -> bool {
    text.missing == MissingPolicy::Error
}

/// Whether the training file was read with means to fill in.
fn knows_means(schema: &Schema) -> bool {
    use proxdist_io::ColumnKind as Kind;
    schema.columns.iter().any(|column| match &column.kind {
        Kind::Number { fill } | Kind::Bins { fill, .. } => fill.is_some(),
        Kind::Levels { fill, .. } => fill.is_some(),
    })
}

fn column(place: &proxdist_io::Place) -> &str {
    place.column.as_ref().map_or("COL", |(_, name)| name.as_str())
}
