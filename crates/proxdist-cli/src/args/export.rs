//! Options of `export`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `export`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    proxdist export model.json --to sql --table customers > score.sql\n  \
    proxdist export model.json --to c --out score.c\n  \
    proxdist export model.json --to formula\n\n\
    Each form computes what `proxdist predict` writes: the mean response, or the probability of the positive label. docs/exporting.md shows how to call them.")]
pub(crate) struct ExportArgs {
    /// Model file written by fit, tune or path; `-` for standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// What to write
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) to: ExportForm,
    /// File to write; standard output otherwise
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Name of the table in SQL [default: data]
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,
}

/// Forms of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// A SELECT statement
    Sql,
    /// A function of one row, without imports beyond math
    Python,
    /// A function of one row in C99
    C,
    /// PMML 4.4, for scoring engines
    Pmml,
    /// ONNX; from Python only
    Onnx,
    /// Columns, codes and coefficients
    Json,
    /// One line for people
    Formula,
}
