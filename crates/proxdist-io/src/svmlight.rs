//! svmlight or LIBSVM text: `label index:value index:value … # comment`.
//!
//! Indices increase within a line and start at 1, or at 0 if an index 0 occurs or the options say so. A `qid:` pair
//! is ignored. The result is sparse.

mod packed;

use crate::compression::Lines;
use crate::csv::Read;
use crate::error::{Error, Place, Result, excerpt};
use crate::labels::Labels;
use crate::number;
use crate::options::{ReadOptions, Task};
use crate::outlet::{BLOCK, Outlet};
use crate::schema::{MOST_COLUMNS, Schema, believed_columns};
use crate::table::{Features, Table};
use packed::Packed;

/// Reads svmlight text, one file or several.
pub(crate) struct Reader<'a> {
    source: String,
    options: ReadOptions,
    outlet: Outlet<'a>,
    packed: Option<Packed>,
    line: u64,
    row_starts: Vec<usize>,
    /// As written: shifted at the end, when it is known where indices start.
    columns_of: Vec<u32>,
    values: Vec<f64>,
    response: Vec<f64>,
    labels: Option<Labels>,
    smallest: u32,
    /// Largest index and its line.
    largest: Option<(u32, u64)>,
    queries: usize,
    rows: usize,
}

impl<'a> Reader<'a> {
    fn new(options: &ReadOptions, outlet: Outlet<'a>) -> Self {
        Reader {
            source: String::new(),
            options: options.clone(),
            outlet,
            packed: None,
            line: 0,
            row_starts: vec![0],
            columns_of: Vec::new(),
            values: Vec::new(),
            response: Vec::new(),
            labels: (options.task == Task::Classes).then(Labels::default),
            smallest: u32::MAX,
            largest: None,
            queries: 0,
            rows: 0,
        }
    }

    /// Reads the first file.
    pub(crate) fn begin(lines: &mut Lines<'_>, options: &ReadOptions, outlet: Outlet<'a>) -> Result<Self> {
        let mut reader = Self::new(options, outlet);
        reader.append(lines)?;
        Ok(reader)
    }

    /// Reads another file.
    pub(crate) fn append(&mut self, lines: &mut Lines<'_>) -> Result<()> {
        lines.skip_mark()?;
        self.source.clone_from(&lines.input.name);
        self.line = 0;
        while self.run(lines, usize::MAX)? == Read::All {
            self.relieve()?;
            lines.fill()?;
        }
        self.relieve()
    }

    /// Reads what is in the window, until `most` rows are held.
    fn run(&mut self, lines: &mut Lines<'_>, most: usize) -> Result<Read> {
        let finished = lines.finished;
        let data = lines.complete();
        let mut rest = data;
        while !rest.is_empty() && self.response.len() < most {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.line += 1;
            self.row(&rest[..end])?;
            rest = &rest[(end + 1).min(rest.len())..];
        }
        let stand = match finished {
            _ if self.response.len() >= most => Read::Enough,
            true => Read::End,
            false => Read::All,
        };
        let used = data.len() - rest.len();
        lines.consume(used);
        Ok(stand)
    }

    /// Lets rows go where they are to go once there are enough of them.
    fn relieve(&mut self) -> Result<()> {
        let held = 12 * self.values.len() + 16 * self.response.len();
        match std::mem::take(&mut self.outlet) {
            Outlet::Memory => {}
            Outlet::Pack(pack) => {
                if self.packed.is_some() || held > pack.limit {
                    let packed = match self.packed.take() {
                        Some(packed) => packed,
                        None => Packed::new(pack.draft()?)?,
                    };
                    self.packed = Some(self.moved_to(packed)?);
                }
                self.outlet = Outlet::Pack(pack);
            }
            Outlet::Blocks(mut blocks) => {
                let known = self.options.schema.as_ref().and_then(|schema| schema.index_base);
                // Without knowing where indices start, no row can be handed on before the last one has come.
                if held > BLOCK && (known.is_some() || self.options.index_base.is_some()) {
                    let table = self.table()?;
                    blocks.hand(table)?;
                }
                self.outlet = Outlet::Blocks(blocks);
            }
        }
        Ok(())
    }

    /// Writes the entries that are held; responses and where rows start stay.
    fn moved_to(&mut self, mut packed: Packed) -> Result<Packed> {
        packed.columns.push_columns(&self.columns_of)?;
        packed.values.push(&self.values)?;
        if self.values.capacity() * 12 > 4 * BLOCK {
            (self.columns_of, self.values) = (Vec::new(), Vec::new());
        }
        self.columns_of.clear();
        self.values.clear();
        Ok(packed)
    }
}

impl Reader<'_> {
    /// Entries so far, here and on the disk.
    fn entries(&self) -> usize {
        self.values.len() + self.packed.as_ref().map_or(0, |packed| packed.values.entries() as usize)
    }

    fn place(&self) -> Place {
        Place::file(&self.source).line(self.line)
    }

    fn row(&mut self, line: &[u8]) -> Result<()> {
        let line = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
        let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
        let Some(label) = tokens.next() else { return Ok(()) };
        self.label(label)?;
        let mut previous = None;
        for token in tokens {
            let Some((index, value)) = pair(token) else {
                if token.starts_with(b"qid:") {
                    self.queries += 1;
                    continue;
                }
                return Err(Error::BadPair { place: self.place().boxed(), text: excerpt(token) });
            };
            if !value.is_finite() {
                let place = self.place().column((index as usize).saturating_sub(1), "").boxed();
                return Err(Error::SparseNotFinite { place, text: excerpt(token) });
            }
            if let Some(previous) = previous.filter(|&previous| previous >= index) {
                let (index, previous) = (u64::from(index), u64::from(previous));
                return Err(Error::IndexOrder { place: self.place().boxed(), index, previous });
            }
            previous = Some(index);
            self.smallest = self.smallest.min(index);
            if self.largest.is_none_or(|(largest, _)| index > largest) {
                self.largest = Some((index, self.line));
            }
            if value != 0.0 {
                self.columns_of.push(index);
                self.values.push(value);
            }
        }
        self.row_starts.push(self.entries());
        self.rows += 1;
        Ok(())
    }

    fn label(&mut self, text: &[u8]) -> Result<()> {
        let here = self.place();
        let place = || here.clone().column(0, "label").boxed();
        let value = if let Some(labels) = &mut self.labels {
            let Ok(text) = std::str::from_utf8(text) else {
                return Err(Error::NotUtf8 { place: place(), text: excerpt(text) });
            };
            let Some(code) = labels.code(text) else { return Err(labels.too_many(*place())) };
            labels.count(code);
            code as f64
        } else {
            match number::parse(text) {
                Some(value) if value.is_finite() => value,
                Some(_) => return Err(Error::NotFinite { place: place(), text: excerpt(text) }),
                None => return Err(Error::NotANumber { place: place(), text: excerpt(text) }),
            }
        };
        self.response.push(value);
        Ok(())
    }

    /// All rows of all files.
    pub(crate) fn finish(mut self) -> Result<Table> {
        if self.rows == 0 {
            return Err(Error::EmptyFile { source_name: self.source });
        }
        self.table()
    }

    /// The rows that are held or packed.
    fn table(&mut self) -> Result<Table> {
        let rows = self.response.len();
        let known = self.options.schema.clone();
        let mut notices = Vec::new();
        let base = self.options.index_base.or_else(|| known.as_ref().and_then(|schema| schema.index_base));
        let base = u32::from(base.unwrap_or(u8::from(self.smallest != 0)));
        let columns = self.columns(base, known.as_ref())?;
        if base == 0 {
            notices.push(format!("{}: indices start at 0", self.source));
        }
        if known.is_none() && self.options.columns.is_none() {
            notices.push(format!("{}: {columns} columns, the largest index found", self.source));
        }
        if self.queries > 0 {
            notices.push(format!("{}: {} qid pairs are ignored", self.source, self.queries));
        }
        let mut schema = known.clone().unwrap_or_else(|| Schema::numbered(columns));
        let mut classes = None;
        let mut response = std::mem::take(&mut self.response);
        if let Some(labels) = &self.labels {
            let place = Place::file(&self.source).column(0, "label");
            let found = labels.told(&mut response, place, &self.options)?;
            notices.push(found.notice());
            classes = found.noted(&mut schema, &self.options);
        }
        schema.index_base = Some(base as u8);
        let (weights, offset, dropped) = (None, None, Vec::new());
        let row_starts = std::mem::replace(&mut self.row_starts, vec![0]);
        let (mut columns_of, mut values) = (std::mem::take(&mut self.columns_of), std::mem::take(&mut self.values));
        if let Some(packed) = self.packed.take() {
            let (columns_of, values) = (Vec::new(), Vec::new());
            let features = Features::Sparse { rows, columns, row_starts: Vec::new(), columns_of, values };
            let table = Table {
                features,
                response: Some(response),
                weights,
                offset,
                classes,
                schema,
                dropped,
                notices,
                echoed: Vec::new(),
            };
            return packed.finish(table, base, &row_starts, &self.options);
        }
        for column in &mut columns_of {
            *column -= base;
        }
        columns_of.shrink_to_fit();
        values.shrink_to_fit();
        let features = Features::Sparse { rows, columns, row_starts, columns_of, values };
        Ok(Table {
            features,
            response: Some(response),
            weights,
            offset,
            classes,
            schema,
            dropped,
            notices,
            echoed: Vec::new(),
        })
    }

    /// The number of features, if the file can have it.
    fn columns(&self, base: u32, known: Option<&Schema>) -> Result<usize> {
        if self.smallest < base {
            return Err(Error::IndexZero { place: Place::file(&self.source).boxed() });
        }
        let found = self.largest.map_or(0, |(index, _)| (index - base) as usize + 1);
        if let Some(schema) = known.filter(|schema| !schema.is_plain()) {
            let (source_name, expected) = (self.source.clone(), schema.width());
            return Err(Error::ColumnCount { source_name, found, expected });
        }
        let stated = known.map(Schema::width).or(self.options.columns);
        let columns = stated.unwrap_or(found);
        let (entries, place) = (self.entries(), Place::file(&self.source));
        if let (true, Some((index, line))) = (found > columns, self.largest) {
            let place = place.line(line).boxed();
            return Err(Error::IndexBeyond { place, index: u64::from(index), columns: columns as u64 });
        }
        let most = if stated.is_some() { MOST_COLUMNS } else { believed_columns(entries) };
        if columns > most {
            let place = self.largest.filter(|_| stated.is_none()).map_or(place.clone(), |(_, line)| place.line(line));
            return Err(too_many(place, columns, entries, most));
        }
        if columns == 0 {
            return Err(Error::NoFeatures { source_name: self.source.clone() });
        }
        Ok(columns)
    }
}

/// Reads up to `most` rows from the line after `line` on, asking for `more` of them; says on which line it ended and whether there is no more. `None` if there was no row.
pub(crate) fn read_some(
    lines: &mut Lines<'_>,
    options: &ReadOptions,
    line: &mut u64,
    most: usize,
    more: &mut dyn FnMut(&mut Lines<'_>) -> Result<bool>,
) -> Result<(Option<Table>, bool)> {
    let mut reader = Reader::new(options, Outlet::Memory);
    reader.source.clone_from(&lines.input.name);
    reader.line = *line;
    let is_over = loop {
        match reader.run(lines, most)? {
            Read::End => break true,
            Read::Enough => break false,
            Read::All if !more(lines)? => break false,
            Read::All => {}
        }
    };
    *line = reader.line;
    let table = if reader.response.is_empty() && *line > 0 { None } else { Some(reader.finish()?) };
    Ok((table, is_over))
}

/// More columns than there can be.
pub(crate) fn too_many(place: Place, columns: usize, entries: usize, most: usize) -> Error {
    let (columns, entries, most) = (columns as u64, entries as u64, most as u64);
    Error::TooManyColumns { place: place.boxed(), columns, entries, most }
}

/// `index:value`, with an index that leaves room for the shift to zero-based numbers.
fn pair(token: &[u8]) -> Option<(u32, f64)> {
    let mut index = 0_u32;
    let mut digits = 0;
    for &byte in token {
        if byte == b':' {
            break;
        }
        if !byte.is_ascii_digit() {
            return None;
        }
        index = index.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?;
        digits += 1;
    }
    if digits == 0 || index == u32::MAX || token.get(digits) != Some(&b':') {
        return None;
    }
    Some((index, number::parse(&token[digits + 1..])?))
}
