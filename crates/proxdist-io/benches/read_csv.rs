//! How fast is a large numeric CSV file read, plain and gzip compressed, and how much memory beyond the matrix does it
//! take? About 200 MB of text: rows of 100 numbers with 1 to 17 digits; and 0/1 fingerprints like the QSAR data.
//!
//! The peak is the growth of `VmHWM` (Linux) during the first read of a file in a fresh process, so the file to read
//! is chosen by `divan`'s filter: `cargo bench -p proxdist-io --bench read_csv -- plain`.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use divan::Bencher;
use divan::counter::BytesCount;
use proxdist_io::ReadOptions;

/// Bytes of text, 200 MB unless `PROXDIST_BENCH_MB` says otherwise.
fn bytes() -> u64 {
    let given = std::env::var("PROXDIST_BENCH_MB").ok().and_then(|text| text.parse::<u64>().ok());
    given.unwrap_or(200) << 20
}

fn main() {
    divan::main();
}

/// A simple generator, so that the file is the same every time.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join("proxdist-io-bench");
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

/// Writes the file unless it is there.
fn file(name: &str, columns: usize, field: impl Fn(&mut u64, &mut Vec<u8>)) -> PathBuf {
    let path = folder().join(format!("{}-{name}", bytes() >> 20));
    if path.exists() {
        return path;
    }
    let plain = File::create(&path).expect("a file to write");
    let mut out: Box<dyn Write> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(BufWriter::new(flate2::write::GzEncoder::new(plain, flate2::Compression::fast())))
    } else {
        Box::new(BufWriter::new(plain))
    };
    let names: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    writeln!(out, "{}", names.join(",")).expect("room on the disk");
    let (mut state, mut written) = (88_172_645_463_325_252, 0);
    let mut line = Vec::new();
    while written < bytes() {
        line.clear();
        for _ in 0..columns {
            field(&mut state, &mut line);
            line.push(b',');
        }
        line.pop();
        line.push(b'\n');
        out.write_all(&line).expect("room on the disk");
        written += line.len() as u64;
    }
    out.flush().expect("room on the disk");
    path
}

/// Numbers as they occur in tables: counts, prices, measurements, everything a program prints.
fn mixed(state: &mut u64, line: &mut Vec<u8>) {
    let draw = next(state);
    let unit = (draw >> 11) as f64 / (1_u64 << 53) as f64;
    let written = match draw % 4 {
        0 => write!(line, "{}", draw % 1000),
        1 => write!(line, "{:.2}", unit * 1000.0),
        2 => write!(line, "{:.6}", unit - 0.5),
        _ => write!(line, "{unit}"),
    };
    written.expect("memory");
}

fn bit(state: &mut u64, line: &mut Vec<u8>) {
    line.push(b'0' + u8::from(next(state).is_multiple_of(11)));
}

/// `VmHWM` or `VmRSS` in MB; zero where there is no `/proc`.
fn memory(key: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn run(bencher: Bencher<'_, '_>, path: &Path, text_bytes: u64) {
    let options = ReadOptions::new();
    let before = memory("VmRSS");
    let start = Instant::now();
    let table = options.read(path).expect("a valid file");
    let seconds = start.elapsed().as_secs_f64();
    let matrix = (table.features.stored() * 8) as f64 / f64::from(1 << 20);
    let growth = memory("VmHWM") - before;
    let speed = text_bytes as f64 / 1e6 / seconds;
    println!(
        "\n{}: {:?}, {speed:.0} MB/s, matrix {matrix:.0} MB, peak growth {growth:.0} MB",
        path.display(),
        table.features
    );
    drop(table);
    bencher.counter(BytesCount::new(text_bytes)).bench_local(|| options.read(path).expect("a valid file"));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn plain(bencher: Bencher<'_, '_>) {
    let path = file("mixed.csv", 100, mixed);
    run(bencher, &path, fs::metadata(&path).expect("a file").len());
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn compressed(bencher: Bencher<'_, '_>) {
    let path = file("mixed.csv.gz", 100, mixed);
    run(bencher, &path, bytes());
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn fingerprints(bencher: Bencher<'_, '_>) {
    let path = file("bits.csv", 1024, bit);
    run(bencher, &path, fs::metadata(&path).expect("a file").len());
}
