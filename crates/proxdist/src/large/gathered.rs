//! A few columns of all rows, as they are.

use super::part::Part;
use super::table::Table;
use crate::error::Result;

/// The columns of one part; sparse rows are spread out, since few columns are asked for.
pub(super) fn gather(columns: &[usize], part: &dyn Part) -> Result<Table> {
    let mut table = Table { columns: columns.len(), ..Table::default() };
    part.read(Some(columns), &mut |block| {
        block.piece().pick(columns, &mut table.values);
        (0..block.rows.len()).for_each(|at| table.push_rest(&block, at));
        Ok(())
    })?;
    Ok(table)
}
