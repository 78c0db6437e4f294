//! Delimiter, header and kind of each column, judged from the first lines.

use super::record::{After, field, skip_blanks};
use crate::layout::Kind;
use crate::number;
use crate::options::ReadOptions;

/// Records looked at.
const RECORDS: usize = 1000;
/// Records compared to find the delimiter.
const COMPARED: usize = 50;

/// One field of the sample.
#[derive(Clone, Debug)]
pub(super) struct Sampled {
    pub(super) text: Vec<u8>,
    pub(super) quoted: bool,
}

/// The first records and the bytes they take.
pub(super) struct Sample {
    pub(super) records: Vec<Vec<Sampled>>,
    /// Bytes of the first record, with blank lines before it.
    pub(super) first_bytes: usize,
    pub(super) bytes: usize,
    /// Lines taken by the first record, with blank lines before it.
    pub(super) first_lines: u64,
}

/// The position after blank lines, and how many there were. A line of tabs is a record where tabs delimit.
pub(super) fn skip_blank_lines(data: &[u8], mut position: usize, delimiter: u8) -> (usize, u64) {
    let mut lines = 0;
    loop {
        let mut next = if delimiter == b'\t' { position } else { skip_blanks(data, position) };
        if data.get(next) == Some(&b'\r') {
            next += 1;
        }
        match data.get(next) {
            Some(b'\n') => (position, lines) = (next + 1, lines + 1),
            None => return (data.len(), lines),
            _ => return (position, lines),
        }
    }
}

/// Splits the first records of `data`, which are whole lines, or all of a short file.
pub(super) fn sample(data: &[u8], delimiter: u8, most: usize) -> Sample {
    let mut sample = Sample { records: Vec::new(), first_bytes: 0, bytes: 0, first_lines: 0 };
    let mut position = 0;
    while sample.records.len() < most {
        let (start, mut lines) = skip_blank_lines(data, position, delimiter);
        position = if delimiter == b' ' { skip_blanks(data, start) } else { start };
        if position >= data.len() {
            break;
        }
        let mut record = Vec::new();
        loop {
            // Trouble with quotes is reported where the record is read in earnest.
            let Ok(found) = field(data, position, delimiter) else { return sample };
            lines += found.lines;
            record.push(Sampled { text: found.text.into_owned(), quoted: found.quoted });
            match found.after {
                After::Field(next) => position = next,
                After::Record(next) => {
                    position = next;
                    break;
                }
            }
        }
        if sample.records.is_empty() {
            sample.first_bytes = position;
            sample.first_lines = lines + 1;
        }
        sample.records.push(record);
        sample.bytes = position;
    }
    sample
}

/// The delimiter under which most records have the same number of fields, at least two.
///
/// A blank is believed only if nothing else works, because texts contain blanks. The second value tells whether
/// there was anything to go by.
pub(super) fn delimiter(data: &[u8], extension: &str, is_comma_decimal: bool) -> (u8, bool) {
    let judge = |candidate: u8| {
        if candidate == b',' && is_comma_decimal {
            return None;
        }
        let records = sample(data, candidate, COMPARED).records;
        let first = records.first().map(Vec::len);
        let mut counts: Vec<usize> = records.iter().map(Vec::len).collect();
        counts.sort_unstable();
        let usual = counts.get(counts.len() / 2).copied().unwrap_or(1);
        let share = counts.iter().filter(|&&count| count == usual).count() as f64 / counts.len().max(1) as f64;
        // Commas in numbers, where something else delimits, are not in the names above them.
        (usual >= 2 && share >= 0.6).then_some((share >= 0.99 && first == Some(usual), usual))
    };
    let best = |candidates: &[u8]| {
        let judged = candidates.iter().filter_map(|&candidate| judge(candidate).map(|score| (score, candidate)));
        // The first of equals wins, so compare strictly.
        judged.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, candidate)| candidate)
    };
    let order: &[u8] = if matches!(extension, "tsv" | "tab") { b"\t,;|" } else { b",;\t|" };
    match best(order).or_else(|| best(b" ")) {
        Some(found) => (found, true),
        None => (order[0], false),
    }
}

/// Whether the first record holds names: none of its fields is a number, or it names the target asked for.
pub(super) fn header(records: &[Vec<Sampled>], options: &ReadOptions) -> bool {
    let Some(first) = records.first() else { return false };
    let words = |field: &Sampled| number::parse_decimal(&field.text, options.decimal_comma).is_none();
    let asked = |wanted: &Option<String>| {
        let wanted = wanted.as_deref().unwrap_or("").trim().as_bytes();
        number::parse(wanted).is_none() && !wanted.is_empty() && first.iter().any(|field| *field.text == *wanted)
    };
    let quoted = |record: &Vec<Sampled>| record.iter().all(|field| field.quoted || field.text.is_empty());
    let all_words = first.iter().all(words) && first.iter().any(|field| !number::is_missing(&field.text));
    let only_names_quoted = quoted(first) && records.get(1).is_some_and(|second| !second.iter().any(|f| f.quoted));
    all_words || only_names_quoted || asked(&options.target) || asked(&options.weights)
}

/// A column is text if most of its fields are no numbers; a few odd fields among numbers are mistakes to report.
pub(super) fn kinds(records: &[Vec<Sampled>], columns: usize, options: &ReadOptions) -> Vec<Kind> {
    let mut balance = vec![0_i64; columns];
    for record in records.iter().take(RECORDS) {
        for (column, field) in balance.iter_mut().zip(record) {
            if !number::is_missing(&field.text) {
                *column += if number::parse_decimal(&field.text, options.decimal_comma).is_some() { 1 } else { -1 };
            }
        }
    }
    balance.into_iter().map(|sum| if sum < 0 { Kind::Text } else { Kind::Number }).collect()
}

/// The first field with a decimal comma in a column that would be numbers if commas were decimal points: its column, and the text.
pub(super) fn decimal_comma(records: &[Vec<Sampled>], kinds: &[Kind]) -> Option<(usize, Vec<u8>)> {
    let texts = kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Text);
    texts.map(|(column, _)| column).find_map(|column| {
        let fields =
            || records.iter().filter_map(|record| record.get(column)).filter(|field| !number::is_missing(&field.text));
        let is_number =
            |field: &Sampled| number::parse(&field.text).is_some() || number::has_decimal_comma(&field.text);
        if !fields().all(is_number) {
            return None;
        }
        fields().find(|field| number::has_decimal_comma(&field.text)).map(|field| (column, field.text.clone()))
    })
}
