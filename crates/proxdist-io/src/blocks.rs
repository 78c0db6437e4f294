//! Any number of rows in constant memory: tables of some rows each, for a schema that is known.

use std::path::PathBuf;

use crate::error::{Error, Place, Result};
use crate::options::ReadOptions;
use crate::outlet::{BLOCK, Blocks, Outlet, Visit};
use crate::stored::SparseRows;
use crate::table::{Features, Table};
use crate::{check, sources, store};

/// Reads paths, or standard input for `-`, and hands on blocks of rows in order.
pub(crate) fn read(paths: &[PathBuf], options: &ReadOptions, visit: &mut Visit<'_>) -> Result<()> {
    check(options)?;
    if options.schema.is_none() {
        let reason = "reading in blocks needs the schema of a model".to_owned();
        return Err(Error::Setting { setting: "schema", reason });
    }
    let table = match paths {
        [path] if path.as_os_str() == "-" => {
            let outlet = Outlet::Blocks(Blocks { visit: &mut *visit });
            sources::stream(std::io::stdin().lock(), "standard input", None, options, outlet)?
        }
        [path] if store::is_store(path) => store::open(path, options)?,
        _ => sources::collect(&sources::all_files(paths)?, options, Outlet::Blocks(Blocks { visit: &mut *visit }))?,
    };
    // What is left, or all of an array, which is read in blocks where it is.
    cut(table, visit)
}

/// Hands on a table in blocks.
fn cut(mut table: Table, visit: &mut Visit<'_>) -> Result<()> {
    let Features::Stored(stored) = &table.features else { return visit(table) };
    let stored = stored.clone();
    let (rows, columns) = (stored.rows(), stored.columns());
    let step = (BLOCK / (8 * columns)).max(1);
    let mut reader = stored.reader(0..rows)?;
    let mut sparse = SparseRows::default();
    for first in (0..rows).step_by(step) {
        let range = first..rows.min(first + step);
        let count = range.len();
        let part = |values: &Option<Vec<f64>>| values.as_ref().map(|values| values[range.clone()].to_vec());
        let (response, weights, offset) = (part(&table.response), part(&table.weights), part(&table.offset));
        let features = if stored.is_sparse() {
            reader.sparse(range.clone(), &mut sparse)?;
            let SparseRows { starts, columns: columns_of, values, .. } = std::mem::take(&mut sparse);
            Features::Sparse { rows: count, columns, row_starts: starts, columns_of, values }
        } else {
            let mut values = vec![0.0; count * columns];
            reader.dense(range.clone(), None, &mut values)?;
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                let (row, column) = ((first + at / columns) as u64 + 1, at % columns);
                let name = table.schema.names().get(column).cloned().unwrap_or_default();
                let place = Place::file(&stored.path().display().to_string()).row(row).column(column, &name).boxed();
                return Err(Error::NotFinite { place, text: values[at].to_string() });
            }
            Features::Dense { rows: count, columns, values }
        };
        let (classes, schema) = (table.classes.clone(), table.schema.clone());
        let (dropped, notices) = (std::mem::take(&mut table.dropped), std::mem::take(&mut table.notices));
        let echoed = std::mem::take(&mut table.echoed);
        visit(Table { features, response, weights, offset, classes, schema, dropped, notices, echoed })?;
    }
    stored.check()
}
