//! What to do about an error.

use crate::error::Error;

impl Error {
    /// One sentence that names the remedy.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownColumn { nearest, columns, .. } if nearest.is_empty() => {
                format!("give a column name or a number from 1 to {columns}")
            }
            Self::UnknownColumn { nearest, .. } => match nearest.as_slice() {
                [one] => format!("did you mean {one:?}?"),
                many => format!("did you mean one of {many:?}?"),
            },
            Self::DuplicateName { second, .. } => format!("rename column {second} in the header"),
            Self::RaggedRow { found, expected, .. } if found > expected => {
                "a field that contains the delimiter must be quoted; or the delimiter was detected wrongly and must be given"
                    .to_owned()
            }
            Self::ManyClasses { labels, .. } => format!(
                "compare one label with all the others (one against rest, positive label {:?}), or drop rows",
                labels.first().map_or("", String::as_str)
            ),
            Self::TooManyCategories { limit, place } => match &place.column {
                Some((_, name)) => format!("ignore column {name:?}, or allow more than {limit} categories"),
                None => format!("allow more than {limit} categories"),
            },
            Self::Identifier { place, .. } => match &place.column {
                Some((_, name)) => format!("ignore column {name:?}, or list it as categorical to keep it"),
                None => "ignore this column, or list it as categorical to keep it".to_owned(),
            },
            Self::IndexBeyond { index, .. } => {
                format!("the number of columns must be at least {index}; a model only knows the columns it was trained on")
            }
            Self::TooManyColumns { columns, .. } if *columns > crate::MOST_COLUMNS as u64 => {
                "number the features from 1 on without gaps".to_owned()
            }
            Self::TooManyColumns { columns, .. } => format!(
                "number the features from 1 on without gaps; where there really are so many, state that there are {columns}"
            ),
            Self::NotANumber { text, .. } if text.contains(',') && text.contains(|digit: char| digit.is_ascii_digit()) => {
                "write numbers with a decimal point and without thousands separators, or say that the comma is one (decimal comma)".to_owned()
            }
            Self::DecimalComma { .. } => {
                "say that numbers have a decimal comma, or take the column as text by naming it categorical".to_owned()
            }
            Self::Bins { fault, .. } => fault.remedy().to_owned(),
            Self::Setting { .. } => "correct this setting".to_owned(),
            other => other.fixed_hint().to_owned(),
        }
    }

    fn fixed_hint(&self) -> &'static str {
        match self {
            Self::FileMissing { .. } => "check the path and the working directory",
            Self::Io { .. } => "check that the path is a file and that you may read it",
            Self::UnknownFormat { .. } => {
                "use .csv, .tsv, .svm, .npy, .npz or .parquet (text also with .gz), or state the format"
            }
            Self::WrongMagic { .. } => "the extension does not match the content: rename the file or state its format",
            Self::FormatNotBuilt { .. } => "build with the cargo feature `parquet`, or convert the file to CSV or .npy",
            Self::EmptyFile { .. } | Self::HeaderOnly { .. } => "check how the file was written",
            Self::NoRowsLeft { .. } => "ignore the columns that are mostly missing, or fill in means",
            Self::NoFeatures { .. } => {
                "at least one column must remain beside target, weights, offset and ignored ones"
            }
            Self::TruncatedGzip { .. } | Self::CorruptGzip { .. } | Self::Truncated { .. } => {
                "copy or download the file again"
            }
            Self::RaggedRow { .. } => "complete or remove this line, or state the delimiter if it was detected wrongly",
            Self::Quote { .. } => {
                "a field in quotes ends with a quote before the delimiter; write a quote inside as two"
            }
            Self::NotANumber { .. } => {
                "correct the value; if the column holds text, list it as categorical or ignore it; labels need a classification task"
            }
            Self::NotFinite { text, .. } if !is_nan(text) => "correct the value or remove the row",
            Self::NotFinite { .. } => {
                "remove the row; where NaN stands for missing, choose to drop rows or fill in means"
            }
            Self::NoFill { .. } => "leave such rows out, or train on a file that is read with means to fill in",
            Self::SparseNotFinite { .. } => "correct the entry, or leave it out: what is not listed counts as zero",
            Self::MissingValue { .. } => {
                "choose to drop rows with missing values or to fill in means, or ignore the column"
            }
            Self::NoMean { .. } => "ignore this column",
            Self::NotUtf8 { .. } => "save the file as UTF-8 text",
            Self::NegativeWeight { .. } => "weights must be zero or positive",
            Self::Exposure { .. } => {
                "leave rows without any exposure out of the file: nothing can be counted in them; logarithms that are known already are an --offset"
            }
            Self::TwoRoles { .. } => "a column can have one role only",
            Self::ColumnCount { .. } => "use data with the columns of the training file",
            Self::OneClass { .. } => "check the target column: a classifier cannot learn from one class",
            Self::UnknownLabel { .. } => "use one of the labels as they are written in the file",
            Self::UnknownCategory { .. } => {
                "correct the value, or let unknown categories count as none of the known ones"
            }
            Self::BadPair { .. } => "after the label each line holds pairs such as 3:0.5, separated by blanks",
            Self::IndexOrder { .. } => "sort the pairs of this line by index and join duplicates",
            Self::IndexZero { .. } => "state that indices start at 0",
            Self::BinColumns { .. } => "names are those of the header: age,dose_* or `a, b`; numbers count from 1",
            Self::BinsOfText { .. } => "leave this column to its categories, or correct what is not a number in it",
            Self::BinsNotHere { .. } => "write the data as CSV or Parquet, allow more memory, or fit without bins",
            Self::Dtype { .. } => "convert the array, for example with X.astype('float64')",
            Self::NpyHeader { .. } => "write the array again with numpy.save",
            Self::Shape { .. } => "reshape the array, for example with X.reshape(len(y), -1)",
            Self::NoArray { .. } => "write the archive with numpy.savez(file, X=X, y=y), or name one of its arrays",
            Self::SparseMatrix { .. } => "write it with scipy.sparse.save_npz(file, X.tocsr())",
            Self::Archive { .. } => "write the archive again with numpy.savez",
            Self::Parquet { .. } => "write the file again; compression by snappy, zstd, gzip or lz4 can be read",
            Self::ColumnType { .. } => "ignore this column or convert it to numbers or text",
            Self::TooLarge { .. } => "use a sparse format, fewer columns, or a machine with more memory",
            Self::OverLimit { what, .. } if what.contains("row group") => {
                "allow more memory, or write the file with smaller row groups"
            }
            Self::OverLimit { what, .. } if what.contains("column-major") => {
                "allow more memory, or save the array row by row: numpy.save(file, numpy.ascontiguousarray(X))"
            }
            Self::OverLimit { what, .. } if what.contains("compressed") => {
                "allow more memory, or write the archive with numpy.savez, uncompressed"
            }
            Self::OverLimit { .. } => "allow more memory, or use fewer rows or columns",
            Self::Changed { .. } => "start again once no other program writes to it",
            Self::NoFiles { .. } => {
                "give a folder or a quoted pattern with .csv, .tsv, .svm or .parquet files, text also with .gz"
            }
            Self::MixedFormats { .. } => {
                "keep files of one format in the folder, or give a pattern such as 'data/*.parquet'"
            }
            Self::OneFileOnly { .. } => "give one file, or folders of CSV, svmlight or Parquet files",
            Self::DifferentColumns { .. } | Self::DifferentTypes { .. } => {
                "all files of a data set need the same columns in the same order; correct this file or take it away"
            }
            Self::Store { .. } => "remove the folder and pack the source again",
            Self::PackedOtherwise { .. } => {
                "give the source instead of the store, so that it is packed again as asked for"
            }
            Self::Unwritable { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                    "make room on the disk, or choose another place for the packed data"
                }
                _ => "choose a place for the packed data that you may write to",
            },
            Self::Stopped => "nothing was written",
            _ => "see the documentation of the format",
        }
    }
}

/// Only NaN may stand for a missing value; an infinity, or a number too large to be stored, never does.
fn is_nan(text: &str) -> bool {
    text.to_lowercase().contains("nan")
}
