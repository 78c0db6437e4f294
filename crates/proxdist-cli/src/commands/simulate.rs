//! `proxdist simulate`

use super::Ending;
use crate::args::{SimulateArgs, SimulatedFormat, SimulatedModel};
use crate::failure::{Failure, Result, file_hint};
use crate::output::{self, Outputs};
use crate::words::plural;
use proxdist::Shape;
use proxdist::simulate::{Response, Simulated, Truth, matrix, vector};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Entries that a slip in a number may make us allocate.
const MOST_ENTRIES: usize = 1 << 31;

/// Draws and writes.
pub(crate) fn run(args: &SimulateArgs) -> Result<Ending> {
    let folder = &args.out;
    output::check_folder("--out", folder)?;
    let simulated = draw(args)?;
    let (name, content) = match args.format {
        SimulatedFormat::Npz => ("data.npz", npz(&simulated)?),
        SimulatedFormat::Csv => ("data.csv", csv(&simulated).into_bytes()),
    };
    let mut outputs = Outputs::default();
    outputs.add(&folder.join(name), content);
    outputs.add(&folder.join("truth.json"), truth(args, &simulated));
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display()), file_hint(&error)))?;
    outputs.commit()?;
    if !args.quiet {
        let (rows, columns) = (plural(simulated.y.len(), "row"), plural(simulated.truth.len(), "feature"));
        let place = folder.display();
        output::say(&format!("wrote {place}/{name} ({rows} x {columns}, target y) and {place}/truth.json\n"))?;
    }
    Ok(Ending::Written)
}

fn draw(args: &SimulateArgs) -> Result<Simulated> {
    let response = match args.model {
        SimulatedModel::Linear => Response::Linear,
        SimulatedModel::Logistic => Response::Logistic,
        SimulatedModel::Huber => Response::Huber,
        SimulatedModel::Matrix => return draw_matrix(args),
    };
    if args.rank.is_some() {
        return Err(Failure::new("--rank belongs to the matrix model", "use --s or --ball, or simulate matrix"));
    }
    let Some(columns) = args.p.filter(|columns| *columns > 0) else {
        return Err(Failure::new("--p: the number of features is missing or zero", "add --p 100, for example"));
    };
    check_size(args.n, columns)?;
    let truth = if args.ball { Truth::OutsideBall } else { Truth::Sparse(args.s.unwrap_or(5.min(columns))) };
    Ok(vector(response, truth, args.n, columns, args.seed)?)
}

fn draw_matrix(args: &SimulateArgs) -> Result<Simulated> {
    if args.p.is_some_and(|columns| columns != 64 * 64) || args.s.is_some() || args.ball {
        let message = "the matrix model draws 64x64 matrices whose truth has a rank";
        return Err(Failure::new(message, "use --rank only, without --p, --s and --ball"));
    }
    check_size(args.n, 64 * 64)?;
    Ok(matrix(args.rank.unwrap_or(2), args.n, args.seed)?)
}

fn check_size(rows: usize, columns: usize) -> Result<()> {
    match rows.checked_mul(columns) {
        Some(0) => Err(Failure::new("--n: at least one row is needed", "add --n 1000, for example")),
        Some(entries) if entries <= MOST_ENTRIES => Ok(()),
        _ => Err(Failure::new(format!("{rows} x {columns} numbers do not fit in memory"), "give smaller --n or --p")),
    }
}

fn truth(args: &SimulateArgs, simulated: &Simulated) -> String {
    let model = format!("{:?}", args.model).to_lowercase();
    let support: Vec<usize> = (0..simulated.truth.len()).filter(|&j| simulated.truth[j] != 0.0).collect();
    let shape = match simulated.shape {
        Shape::Matrix { rows, columns } => vec![rows, columns],
        Shape::Vector(length) => vec![length],
    };
    let document = json!({
        "model": model, "seed": args.seed, "rows": simulated.y.len(), "shape": shape,
        "support": support, "coefficients": simulated.truth,
    });
    format!("{document}\n")
}

fn csv(simulated: &Simulated) -> String {
    let columns = simulated.truth.len();
    let mut text = (1..=columns).fold(String::new(), |mut head, j| {
        let _ = write!(head, "x{j},");
        head
    });
    text.push_str("y\n");
    for (row, y) in simulated.x.chunks_exact(columns).zip(&simulated.y) {
        for value in row {
            let _ = write!(text, "{value},");
        }
        let _ = writeln!(text, "{y}");
    }
    text
}

/// A NumPy archive: stored, so that it can be read at the speed of the disk.
fn npz(simulated: &Simulated) -> Result<Vec<u8>> {
    let (rows, columns) = (simulated.y.len(), simulated.truth.len());
    let arrays = [("X.npy", vec![rows, columns], &simulated.x), ("y.npy", vec![rows], &simulated.y)];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    let mut write = || -> zip::result::ZipResult<()> {
        for (name, shape, values) in &arrays {
            archive.start_file(*name, options)?;
            archive.write_all(&proxdist_io::npy_header(shape))?;
            for chunk in values.chunks(8192) {
                let bytes: Vec<u8> = chunk.iter().flat_map(|value| value.to_le_bytes()).collect();
                archive.write_all(&bytes)?;
            }
        }
        Ok(())
    };
    let written = write().and_then(|()| archive.finish());
    written
        .map(Cursor::into_inner)
        .map_err(|error| Failure::new(format!("data.npz: {error}"), "give smaller --n or --p"))
}
