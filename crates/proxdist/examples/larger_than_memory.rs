//! How long does a fit of a file take that is never in memory, in readings of it?
//!
//! `cargo run --release --example larger_than_memory -- FILE ROWS COLUMNS LOSS SET [MEMORY]` fits a file of `ROWS` rows of `COLUMNS` features and their response, each
//! a little-endian double, after a header of 128 bytes as numpy writes it. Memory is in megabytes.

use proxdist::large::{Block, LargeProblem, Part, Parts, VisitBlock};
use proxdist::spec::SetSpec;
use proxdist::{Error, Result, Settings, Shape};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

const HEADER: u64 = 128;

/// Some rows of the file; the last number of each is its response.
struct Stretch {
    path: PathBuf,
    rows: Range<usize>,
    columns: usize,
}

impl Part for Stretch {
    fn columns(&self) -> usize {
        self.columns
    }

    fn read(&self, _columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()> {
        let failed = |source| Error::File { path: self.path.clone(), source };
        let mut file = File::open(&self.path).map_err(failed)?;
        let width = 8 * (self.columns + 1);
        file.seek(SeekFrom::Start(HEADER + (self.rows.start * width) as u64)).map_err(failed)?;
        let (mut bytes, mut values, mut response) = (Vec::new(), Vec::new(), Vec::new());
        let at_once = ((1 << 20) / width).max(1);
        for first in self.rows.clone().step_by(at_once) {
            let rows = at_once.min(self.rows.end - first);
            bytes.resize(rows * width, 0);
            file.read_exact(&mut bytes).map_err(failed)?;
            values.clear();
            response.clear();
            let number = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
            for row in bytes.chunks_exact(width) {
                let (features, last) = row.split_at(width - 8);
                values.extend(features.chunks_exact(8).map(number));
                response.push(number(last));
            }
            visit(Block {
                first: first - self.rows.start,
                rows: proxdist::data::Rows::Dense { values: &values, rows, columns: self.columns },
                columns: None,
                response: &response,
                weights: None,
                offset: None,
            })?;
        }
        Ok(())
    }
}

fn parts(path: &Path, rows: usize, columns: usize) -> Vec<Box<dyn Part>> {
    let strip = (1 << 22) / columns.max(1);
    let part = |first: usize| {
        let rows = first..rows.min(first + strip);
        Box::new(Stretch { path: path.to_owned(), rows, columns }) as Box<dyn Part>
    };
    (0..rows).step_by(strip.max(1)).map(part).collect()
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, rows, columns, loss, set, rest @ ..] = &arguments[..] else {
        println!("usage: larger_than_memory FILE ROWS COLUMNS LOSS SET [MEMORY]");
        return Ok(());
    };
    let (Ok(rows), Ok(columns)) = (rows.parse::<usize>(), columns.parse::<usize>()) else {
        println!("ROWS and COLUMNS are numbers");
        return Ok(());
    };
    let mut settings = Settings::default();
    if let Some(memory) = rest.first().and_then(|text| text.parse::<usize>().ok()) {
        settings = settings.memory(memory << 20);
    }
    let began = Instant::now();
    let mut total = 0.0;
    for part in parts(Path::new(path), rows, columns) {
        part.read(None, &mut |block| {
            total += block.response.iter().sum::<f64>();
            Ok(())
        })?;
    }
    let reading = began.elapsed().as_secs_f64();
    println!("one reading in one thread: {reading:.2} s (sum of responses {total:.3})");
    let backend = Parts::new(parts(Path::new(path), rows, columns))?.with_rows(rows as u64);
    let loss = proxdist::loss::parse(loss)?;
    let set = SetSpec::parse(set)?.build(Shape::Vector(columns))?;
    let began = Instant::now();
    let found = LargeProblem::new(&backend, loss, set).intercept(true).fit(&settings)?;
    let seconds = began.elapsed().as_secs_f64();
    println!("{}: {seconds:.2} s, reads of the data: {}", found.fit.stop(), found.fit.reads().unwrap_or(0));
    println!("F = {}, {:?}", found.fit.objective(), found.fit.certificate());
    println!("{:?}", found.model()?.support());
    Ok(())
}
