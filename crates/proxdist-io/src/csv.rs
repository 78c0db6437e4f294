//! Delimited text: one streaming pass, numbers parsed where they stand.
//!
//! A look at the first megabyte settles delimiter, header and the kind of each column. After that each field of a
//! numeric column is parsed in place and goes to its final position in the row-major matrix; only fields that are not
//! plain numbers (missing, quoted, mistaken) are cut out first. Room for the matrix is reserved once, from the length
//! of the file and of the first rows.

mod record;
mod sniff;

use crate::collect::{At, Collector};
use crate::compression::Lines;
use crate::encode;
use crate::error::{Error, Place, Result, excerpt};
use crate::layout::{self, Kind, Layout, Role, numbered_names};
use crate::options::ReadOptions;
use crate::outlet::Outlet;
use crate::table::Table;
use record::{After, Trouble, after, field, skip_blanks};
use sniff::{Sample, skip_blank_lines};

/// A quoted field longer than this has lost its closing quote.
const LONGEST_QUOTE: usize = 64 << 20;
/// Records looked at before reading.
const SAMPLED: usize = 1000;

impl<'a> Reader<'a> {
    /// Looks at the first file and reads it.
    pub(crate) fn begin(lines: &mut Lines<'_>, options: &ReadOptions, outlet: Outlet<'a>) -> Result<Self> {
        let opened = Opened::new(lines, options)?;
        let source = lines.input.name.clone();
        let columns = opened.columns();
        let options = &*options.written_out(&source, columns)?;
        let header = options.header.unwrap_or_else(|| sniff::header(&opened.sample.records, options));
        let names = if header { opened.names(&source)? } else { numbered_names(columns) };
        let body = opened.body(header);
        let kinds = sniff::kinds(body, columns, options);
        check_decimals(&source, &names, body, &kinds, options)?;
        let layout = Layout::new(&source, names, header, &kinds, options)?;
        let collector = Collector::new(&source, layout, options, outlet);
        let mut reader = Reader { collector, delimiter: opened.delimiter, line: 1, header, first: source.clone() };
        reader.collector.notices.push(found(&source, opened.delimiter, columns, header));
        if let (Some(length), false) = (lines.input.length, body.is_empty()) {
            let head = if header { opened.sample.first_bytes } else { 0 };
            let row = (opened.sample.bytes - head).max(1) as f64 / body.len() as f64;
            reader.collector.expect_rows((length.saturating_sub(head as u64) as f64 / row * 1.02) as u64 + 16);
        }
        reader.rows(lines, opened)?;
        Ok(reader)
    }

    /// Reads another file of the same data set, which must have the same columns.
    pub(crate) fn append(&mut self, lines: &mut Lines<'_>) -> Result<()> {
        let opened = Opened::new(lines, &self.collector.options)?;
        let source = lines.input.name.clone();
        let expected = &self.collector.layout.names;
        if self.header {
            layout::same_columns(&source, &opened.names(&source)?, &self.first, expected)?;
        } else if opened.columns() != expected.len() {
            layout::same_columns(&source, &numbered_names(opened.columns()), &self.first, expected)?;
        }
        let kinds = sniff::kinds(opened.body(self.header), opened.columns(), &self.collector.options);
        for (column, kind) in kinds.iter().enumerate() {
            let is_number = matches!(self.collector.layout.roles[column], Role::Number(_));
            if is_number && *kind == Kind::Text {
                let place = Place::file(&source).column(column, &expected[column]).boxed();
                let (found, expected) = ("text", "numbers");
                return Err(Error::DifferentTypes { place, found, first: self.first.clone(), expected });
            }
        }
        self.collector.next_file(&source);
        (self.delimiter, self.line) = (opened.delimiter, 1);
        self.rows(lines, opened)
    }

    fn rows(&mut self, lines: &mut Lines<'_>, opened: Opened) -> Result<()> {
        if self.header {
            lines.consume(opened.sample.first_bytes);
            self.line += opened.sample.first_lines;
        }
        drop(opened);
        while self.run(lines, usize::MAX)? == Read::All {
            lines.fill()?;
        }
        Ok(())
    }

    /// All rows of all files.
    pub(crate) fn finish(self) -> Result<Table> {
        encode::finish(self.collector)
    }
}

/// Where a reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// All rows in the window are read.
    All,
    /// There are as many rows as were wanted.
    Enough,
    /// There is no more row.
    End,
}

/// What is known of delimited text once its first lines have been looked at: what later rows are read by.
pub(crate) struct Form {
    delimiter: u8,
    header: bool,
    names: Vec<String>,
    kinds: Vec<Kind>,
    /// Line of the next record.
    line: u64,
    pub(crate) notice: String,
}

impl Form {
    /// Looks at all that is in the window, and passes over a header.
    pub(crate) fn open(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<Self> {
        let opened = Opened::new(lines, options)?;
        let (source, columns) = (lines.input.name.clone(), opened.columns());
        let header = options.header.unwrap_or_else(|| sniff::header(&opened.sample.records, options));
        let names = if header { opened.names(&source)? } else { numbered_names(columns) };
        let kinds = sniff::kinds(opened.body(header), columns, options);
        check_decimals(&source, &names, opened.body(header), &kinds, options)?;
        let notice = found(&source, opened.delimiter, columns, header);
        if header {
            lines.consume(opened.sample.first_bytes);
        }
        let line = if header { 1 + opened.sample.first_lines } else { 1 };
        Ok(Self { delimiter: opened.delimiter, header, names, kinds, line, notice })
    }

    /// Columns of a record.
    pub(crate) fn columns(&self) -> usize {
        self.names.len()
    }

    /// Reads up to `most` rows into a table in the making; `more` makes the window larger, or says that there is nothing now. The second value tells whether there is no more at all.
    pub(crate) fn collect(
        &mut self,
        lines: &mut Lines<'_>,
        options: &ReadOptions,
        most: usize,
        more: &mut dyn FnMut(&mut Lines<'_>) -> Result<bool>,
    ) -> Result<(Collector<'static>, bool)> {
        let source = lines.input.name.clone();
        let layout = Layout::new(&source, self.names.clone(), self.header, &self.kinds, options)?;
        let collector = Collector::new(&source, layout, options, Outlet::Memory);
        let (delimiter, line, header) = (self.delimiter, self.line, self.header);
        let mut reader = Reader { collector, delimiter, line, header, first: source };
        let is_over = loop {
            match reader.run(lines, most)? {
                Read::End => break true,
                Read::Enough => break false,
                Read::All if !more(lines)? => break false,
                Read::All => {}
            }
        };
        self.line = reader.line;
        Ok((reader.collector, is_over))
    }
}

/// What to say about the form of a file.
fn found(source: &str, delimiter: u8, columns: usize, header: bool) -> String {
    let said = match delimiter {
        b'\t' => "tab".to_owned(),
        b' ' => "blank".to_owned(),
        byte => format!("{:?}", char::from(byte)),
    };
    let first_line = if header { "the first line holds names" } else { "there is no header" };
    format!("{source}: delimiter {said}, {columns} columns, {first_line}")
}

/// Refuses columns of numbers with a decimal comma: they would be taken for text, and each number for a category.
fn check_decimals(
    source: &str,
    names: &[String],
    body: &[Vec<sniff::Sampled>],
    kinds: &[Kind],
    options: &ReadOptions,
) -> Result<()> {
    let Some((column, text)) = sniff::decimal_comma(body, kinds) else { return Ok(()) };
    let is_said = |name: &String| name == &names[column] || *name == (column + 1).to_string();
    // Columns of codes, columns that are left out and those that a model knows as text stay as they are.
    let is_known = |schema: &crate::Schema| {
        let found = schema.columns.iter().find(|known| known.name == names[column]);
        found.is_none_or(|known| matches!(known.kind, crate::ColumnKind::Levels { .. }))
    };
    if options.categorical.iter().chain(&options.ignore).any(is_said) || options.schema.as_ref().is_some_and(is_known) {
        return Ok(());
    }
    let place = Place::file(source).column(column, &names[column]).boxed();
    Err(Error::DecimalComma { place, text: excerpt(&text) })
}

/// What a look at the first records of a file says.
struct Opened {
    delimiter: u8,
    sample: Sample,
}

impl Opened {
    fn new(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<Self> {
        lines.skip_mark()?;
        let (delimiter, sample) = look(lines, options)?;
        let source = lines.input.name.clone();
        if sample.records.is_empty() && lines.data().trim_ascii().is_empty() {
            return Err(Error::EmptyFile { source_name: source });
        }
        if sample.records.is_empty() {
            let place = Place::file(&source).line(1).boxed();
            return Err(Error::Quote { place, reason: "a quote is opened but not closed properly" });
        }
        Ok(Self { delimiter, sample })
    }

    fn columns(&self) -> usize {
        self.sample.records.first().map_or(0, Vec::len)
    }

    fn names(&self, source: &str) -> Result<Vec<String>> {
        names(source, self.sample.records.first().map_or(&[][..], Vec::as_slice), self.sample.first_lines)
    }

    fn body(&self, header: bool) -> &[Vec<sniff::Sampled>] {
        &self.sample.records[usize::from(header).min(self.sample.records.len())..]
    }
}

/// Delimiter and first records; reads on until there is a record of data beside a possible header.
fn look(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<(u8, Sample)> {
    loop {
        let data = lines.complete();
        let extension = crate::format::extension(&lines.input.name);
        let delimiter =
            options.delimiter.unwrap_or_else(|| sniff::delimiter(data, &extension, options.decimal_comma).0);
        let sample = sniff::sample(data, delimiter, SAMPLED);
        if sample.records.len() >= 2 || lines.finished || lines.data().len() > LONGEST_QUOTE {
            return Ok((delimiter, sample));
        }
        lines.fill()?;
    }
}

fn names(source: &str, first: &[sniff::Sampled], line: u64) -> Result<Vec<String>> {
    let name = |(column, field): (usize, &sniff::Sampled)| match std::str::from_utf8(&field.text) {
        Ok("") => Ok(format!("V{}", column + 1)),
        Ok(text) => Ok(text.to_owned()),
        Err(_) => {
            let place = Place::file(source).line(line).column(column, "").boxed();
            Err(Error::NotUtf8 { place, text: excerpt(&field.text) })
        }
    };
    first.iter().enumerate().map(name).collect()
}

/// Reads delimited text, one file or several of the same columns.
pub(crate) struct Reader<'a> {
    collector: Collector<'a>,
    delimiter: u8,
    /// Line of the current record.
    line: u64,
    /// Whether the first line holds names.
    header: bool,
    /// Name of the first file.
    first: String,
}

impl Reader<'_> {
    /// Reads what is in the window, until `most` rows are held.
    fn run(&mut self, lines: &mut Lines<'_>, most: usize) -> Result<Read> {
        let finished = lines.finished;
        let data = lines.complete();
        let (mut position, mut stand) = (0, if finished { Read::End } else { Read::All });
        loop {
            if self.collector.rows >= most {
                stand = Read::Enough;
                break;
            }
            let (next, blank) = skip_blank_lines(data, position, self.delimiter);
            position = next;
            self.line += blank;
            if position >= data.len() {
                break;
            }
            match self.record(data, position, finished)? {
                Some(next) => position = next,
                None => break,
            }
        }
        lines.consume(position);
        Ok(stand)
    }

    /// Takes the record at `position` and returns where the next one begins, or `None` if more data are needed.
    fn record(&mut self, data: &[u8], start: usize, finished: bool) -> Result<Option<usize>> {
        let delimiter = self.delimiter;
        let columns = self.collector.layout.roles.len();
        let mut position = if delimiter == b' ' { skip_blanks(data, start) } else { start };
        let mut inner_lines = 0;
        let is_plain = !self.collector.options.decimal_comma;
        self.collector.begin_row();
        for column in 0..columns {
            if let Some(slot) = self.collector.layout.kept_at(column)
                && let Ok(found) = field(data, position, delimiter)
            {
                self.collector.keeping[slot] = String::from_utf8_lossy(&found.text).into_owned();
            }
            let next = match self.collector.layout.roles[column] {
                Role::Number(slot) if is_plain => match plain_number(data, position, delimiter) {
                    Some((value, next)) => {
                        self.collector.row[slot] = value;
                        Some(next)
                    }
                    None => None,
                },
                _ => None,
            };
            let next = match next {
                Some(next) => next,
                None => match field(data, position, delimiter) {
                    Ok(found) => {
                        self.collector.field(column, &found.text, At::Line(self.line))?;
                        inner_lines += found.lines;
                        found.after
                    }
                    Err(trouble) => return self.trouble(trouble, column, data.len() - start, finished),
                },
            };
            match next {
                After::Field(next) if column + 1 < columns => position = next,
                After::Record(next) if column + 1 == columns => {
                    self.collector.echo();
                    self.collector.end_row()?;
                    self.line += inner_lines + 1;
                    return Ok(Some(next));
                }
                After::Field(next) => return Err(self.ragged(columns + count_fields(data, next, delimiter))),
                After::Record(_) => return Err(self.ragged(column + 1)),
            }
        }
        // Without columns there is nothing to take; a layout always has some.
        Ok(Some(data.len()))
    }

    fn ragged(&self, found: usize) -> Error {
        let place = Place::file(&self.collector.source).line(self.line).boxed();
        Error::RaggedRow { place, found, expected: self.collector.layout.roles.len() }
    }

    /// An open quote may be closed in data not read yet.
    fn trouble(&self, trouble: Trouble, column: usize, length: usize, finished: bool) -> Result<Option<usize>> {
        let reason = match trouble {
            Trouble::Open if !finished && length < LONGEST_QUOTE => return Ok(None),
            Trouble::Open => "a quote is opened but never closed",
            Trouble::Stray => "there is text after the closing quote",
        };
        Err(Error::Quote { place: self.collector.place(column, At::Line(self.line)).boxed(), reason })
    }
}

/// A finite number that stands at `position` and ends where a field may end.
#[inline]
fn plain_number(data: &[u8], position: usize, delimiter: u8) -> Option<(f64, After)> {
    let rest = &data[position..];
    // Files of zeros and ones are common enough to deserve this.
    if let [digit @ b'0'..=b'9', next, ..] = *rest
        && next == delimiter
        && delimiter != b' '
    {
        return Some((f64::from(digit - b'0'), After::Field(position + 2)));
    }
    let (value, used) = fast_float2::parse_partial::<f64, _>(rest).ok()?;
    let next = after(data, position + used, delimiter)?;
    value.is_finite().then_some((value, next))
}

/// Fields from `position` to the end of the record, for a message.
fn count_fields(data: &[u8], mut position: usize, delimiter: u8) -> usize {
    let mut count = 1;
    while let Ok(found) = field(data, position, delimiter) {
        match found.after {
            After::Field(next) => position = next,
            After::Record(_) => break,
        }
        count += 1;
    }
    count
}
