//! How long does it take to prove a best subset, or how much is left open after a while?
//!
//! Squared loss, columns standardised, tolerance 1e-6, one thread unless `PROXDIST_THREADS` says otherwise; CPU seconds with the Gram matrix, from a support that was found by
//! additions and exchanges. Real data come from `PROXDIST_DATA`, or `shared/data` beside the repository; rows whose files are missing are left out.
//! `PROXDIST_PARTS` chooses among `small`, `diabetes`, `communities`, `blog`, `simulated`, `wide`; `PROXDIST_SECONDS` limits each row (60).

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};
use proxdist::proof::{Quadratic, Search, Stopped};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

/// CPU seconds of the whole process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields.get(11..13).map_or(0.0, |f| f.iter().filter_map(|v| v.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

/// Rows in order, and a response.
struct Table {
    x: Vec<f64>,
    y: Vec<f64>,
    columns: usize,
}

impl Table {
    /// Columns brought to mean 0 and mean square 1, without those that do not vary or repeat another one.
    fn standardised(&self) -> Self {
        let rows = self.y.len();
        let mut kept: Vec<Vec<f64>> = Vec::new();
        for j in 0..self.columns {
            let mut column: Vec<f64> = (0..rows).map(|i| self.x[i * self.columns + j]).collect();
            let mean = column.iter().sum::<f64>() / rows as f64;
            column.iter_mut().for_each(|x| *x -= mean);
            let deviation = (column.iter().map(|x| x * x).sum::<f64>() / rows as f64).sqrt();
            if deviation <= 1e-12 * (1.0 + mean.abs()) {
                continue;
            }
            column.iter_mut().for_each(|x| *x /= deviation);
            let agrees = |other: &Vec<f64>| {
                let product: f64 = other.iter().zip(&column).map(|(a, b)| a * b).sum::<f64>() / rows as f64;
                product.abs() > 1.0 - 1e-9
            };
            if !kept.iter().any(agrees) {
                kept.push(column);
            }
        }
        let mean = self.y.iter().sum::<f64>() / rows as f64;
        let x = (0..rows).flat_map(|i| kept.iter().map(move |column| column[i])).collect();
        Self { x, y: self.y.iter().map(|y| y - mean).collect(), columns: kept.len() }
    }

    /// The table without some columns.
    fn without(&self, left_out: &[usize]) -> Self {
        let kept: Vec<usize> = (0..self.columns).filter(|j| !left_out.contains(j)).collect();
        let x = self.x.chunks_exact(self.columns).flat_map(|row| kept.iter().map(|&j| row[j])).collect();
        Self { x, y: self.y.clone(), columns: kept.len() }
    }

    /// Mean squared error over two, with a ridge.
    fn quadratic(&self, ridge: f64) -> Quadratic {
        let (rows, p) = (self.y.len(), self.columns);
        let x = MatRef::from_row_major_slice(&self.x, rows, p);
        let mut gram = vec![0.0; p * p];
        let (all, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
        let out = MatMut::from_column_major_slice_mut(&mut gram, p, p);
        matmul(out, lower, Accum::Replace, x.transpose(), all, x, all, 1.0 / rows as f64, Par::Seq);
        (0..p).for_each(|j| gram[j * p + j] += ridge);
        let mut linear = vec![0.0; p];
        for (row, y) in self.x.chunks_exact(p).zip(&self.y) {
            row.iter().zip(&mut linear).for_each(|(x, b)| *b += x * y / rows as f64);
        }
        let constant = 0.5 * self.y.iter().map(|y| y * y).sum::<f64>() / rows as f64;
        Quadratic::new(gram, linear, constant).unwrap().never_below(0.0)
    }
}

/// A file of the shared collection, unpacked, as rows of text.
fn shared(name: &str) -> Option<Vec<Vec<String>>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("PROXDIST_DATA").map_or_else(beside, PathBuf::from).join(name);
    let text = if path.extension().is_some_and(|extension| extension == "gz") {
        String::from_utf8(Command::new("gzip").arg("-dc").arg(path).output().ok()?.stdout).ok()?
    } else {
        std::fs::read_to_string(path).ok()?
    };
    let rows: Vec<Vec<String>> = text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    (rows.len() > 1).then_some(rows)
}

/// Numbers of the chosen columns of rows that have them all; two-level factors become 0 and 1.
fn table(rows: &[Vec<String>], response: &str, is_used: impl Fn(&str) -> bool) -> Table {
    let header = &rows[0];
    let target = header.iter().position(|name| name == response).unwrap();
    let used: Vec<usize> = (0..header.len()).filter(|&j| j != target && is_used(&header[j])).collect();
    let number = |text: &str| match text {
        "A" | "E" => Some(0.0),
        "N" | "W" => Some(1.0),
        text => text.parse::<f64>().ok(),
    };
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for row in &rows[1..] {
        let values: Option<Vec<f64>> = used.iter().map(|&j| number(&row[j])).collect();
        if let (Some(values), Some(response)) = (values, number(&row[target])) {
            x.extend(values);
            y.push(response);
        }
    }
    Table { x, y, columns: used.len() }
}

/// All columns, their squares (but of those with two values) and their products.
fn with_products(table: &Table) -> Table {
    let (p, rows) = (table.columns, table.y.len());
    let is_binary = |j: usize| {
        let first = table.x[j];
        let others: Vec<f64> = (0..rows).map(|i| table.x[i * p + j]).filter(|x| *x != first).collect();
        others.iter().all(|x| *x == others[0])
    };
    let pairs: Vec<(usize, usize)> =
        (0..p).flat_map(|i| (i..p).map(move |j| (i, j))).filter(|&(i, j)| i != j || !is_binary(i)).collect();
    let mut x = Vec::new();
    for row in table.x.chunks_exact(p) {
        x.extend_from_slice(row);
        x.extend(pairs.iter().map(|&(i, j)| row[i] * row[j]));
    }
    Table { x, y: table.y.clone(), columns: p + pairs.len() }
}

/// What correlates columns of simulated data.
#[derive(Clone, Copy)]
enum Design {
    /// ρ^|j − k|
    Decaying(f64),
    /// The same for all pairs.
    Equal(f64),
}

/// Columns with effects ±1, spread out or in neighbouring pairs of opposite sign.
fn simulated(rows: usize, columns: usize, effects: &[(usize, f64)], design: Design) -> Table {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
    let (mut x, mut y) = (Vec::with_capacity(rows * columns), Vec::with_capacity(rows));
    for _ in 0..rows {
        let start = x.len();
        match design {
            Design::Decaying(rho) => {
                let mut value = normal();
                for _ in 0..columns {
                    x.push(value);
                    value = rho * value + (1.0 - rho * rho).sqrt() * normal();
                }
            }
            Design::Equal(rho) => {
                let common = rho.sqrt() * normal();
                x.extend((0..columns).map(|_| common + (1.0 - rho).sqrt() * normal()));
            }
        }
        y.push(effects.iter().map(|&(j, effect)| effect * x[start + j]).sum::<f64>() + normal());
    }
    Table { x, y, columns }
}

/// Effects of alternating sign, equally far from each other.
fn spread(count: usize, columns: usize) -> Vec<(usize, f64)> {
    (0..count).map(|k| (k * (columns / count), if k % 2 == 0 { 1.0 } else { -1.0 })).collect()
}

fn prove(name: &str, table: &Table, size: usize, ridge: f64) {
    let seconds = std::env::var("PROXDIST_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60.0);
    let before = cpu_seconds();
    let quadratic = table.quadratic(ridge);
    let matrix = cpu_seconds() - before;
    let search = Search::new(&quadratic, size);
    let mut state = search.begin(&[]);
    let start = state.incumbent().value;
    let mut root = f64::NAN;
    let mut calls = 0;
    let stopped = search.run(&mut state, &mut |progress| {
        calls += 1;
        if calls == 2 {
            root = 1.0 - progress.lower / progress.upper;
        }
        if cpu_seconds() - before > seconds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let cpu = cpu_seconds() - before;
    let shape = format!("{} × {}", table.y.len(), table.columns);
    let improved = 100.0 * (start - state.incumbent().value) / start;
    let outcome = match stopped {
        Stopped::Finished if state.gap() <= 1e-6 => "proven",
        Stopped::Finished => "finished",
        Stopped::Interrupted => "open",
        Stopped::Dependent => "dependent",
    };
    println!(
        "| {name} | {shape} | {size} | {ridge} | {root:.3} | {} | {outcome} | {:.1e} | {matrix:.2} | {cpu:.2} | {:.9} | {improved:.3} |",
        state.nodes(),
        state.gap(),
        state.incumbent().value,
    );
}

fn small() {
    let files = [("prostate", "lpsa"), ("diabetes", "y"), ("hitters", "Salary")];
    for (name, response) in files {
        let Some(rows) = shared(&format!("classic/{name}.csv")) else { continue };
        let table = table(&rows, response, |column| column != "player" && column != "train").standardised();
        for size in 1..=table.columns {
            prove(name, &table, size, 0.0);
        }
    }
}

fn diabetes() {
    let Some(rows) = shared("classic/diabetes.csv") else { return };
    let table = with_products(&table(&rows, "y", |_| true).standardised()).standardised();
    for size in [5, 10] {
        prove("diabetes, products", &table, size, 0.0);
    }
}

fn communities() {
    let Some(rows) = shared("classic/communities.csv.gz") else { return };
    let complete = |j: usize| rows[1..].iter().all(|row| row[j].parse::<f64>().is_ok());
    let used: Vec<&String> = (5..rows[0].len()).filter(|&j| complete(j)).map(|j| &rows[0][j]).collect();
    let is_used = |name: &str| used.iter().any(|other| *other == name);
    let table = table(&rows, "ViolentCrimesPerPop", is_used).standardised();
    for size in [5, 10, 15] {
        prove("communities", &table, size, 0.0);
    }
}

fn blog() {
    let Some(rows) = shared("large/blogfeedback_train.csv.gz") else { return };
    let table = table(&rows, "y", |_| true).standardised();
    let table = table.without(&table.quadratic(0.0).dependent_columns(1e-9));
    for size in [5, 10] {
        prove("blogfeedback", &table, size, 0.0);
    }
}

fn simulations() {
    for size in [5, 20] {
        let table = simulated(10_000, 1000, &spread(size, 1000), Design::Decaying(0.0)).standardised();
        prove("independent", &table, size, 0.0);
        let pairs: Vec<(usize, f64)> =
            (0..size).map(|k| (100 * (k / 2) + k % 2, if k % 2 == 0 { 1.0 } else { -1.0 })).collect();
        let table = simulated(10_000, 1000, &pairs, Design::Decaying(0.9)).standardised();
        prove("AR(.9) pairs", &table, size, 0.0);
    }
    let table = simulated(6000, 3000, &spread(10, 3000), Design::Equal(0.5)).standardised();
    prove("equal .5", &table, 10, 0.0);
}

fn main() {
    let parts =
        std::env::var("PROXDIST_PARTS").unwrap_or_else(|_| "small,diabetes,communities,blog,simulated".to_owned());
    let threads = std::env::var("PROXDIST_THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    println!(
        "| data | n × p | s | ridge | root gap | nodes | outcome | gap | CPU s, matrix | CPU s, all | F | improved, % |"
    );
    println!("|---|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|");
    pool.install(|| {
        let all: [(&str, fn()); 5] = [
            ("small", small),
            ("diabetes", diabetes),
            ("communities", communities),
            ("blog", blog),
            ("simulated", simulations),
        ];
        all.iter().filter(|(name, _)| parts.contains(name)).for_each(|(_, part)| part());
    });
}
