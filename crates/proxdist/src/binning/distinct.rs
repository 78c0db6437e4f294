//! The values of a column that differ, with the weight and the responses of their rows.

use super::{BinFault, Column};

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distinct {
    pub(super) value: f64,
    /// Weight of its rows.
    pub(super) weight: f64,
    /// Weights times responses, added up; zero without responses.
    pub(super) sum: f64,
}

/// All values of rows with a weight, increasing. Sums are those of the rows in their order.
pub(super) fn of(column: &Column) -> Result<Vec<Distinct>, BinFault> {
    let weight = |row: usize| column.weights.map_or(1.0, |weights| weights[row]);
    if let Some(row) = column.values.iter().position(|value| value.is_infinite()) {
        return Err(BinFault::NotFinite { row, value: column.values[row] });
    }
    let mut rows: Vec<usize> =
        (0..column.values.len()).filter(|&row| !column.values[row].is_nan() && weight(row) > 0.0).collect();
    rows.sort_by(|&a, &b| column.values[a].total_cmp(&column.values[b]));
    let mut distinct: Vec<Distinct> = Vec::new();
    for row in rows {
        // Zero has two signs and is one value.
        let value = column.values[row] + 0.0;
        let (weight, response) = (weight(row), column.response.map_or(0.0, |response| response[row]));
        match distinct.last_mut() {
            Some(last) if last.value == value => {
                last.weight += weight;
                last.sum += weight * response;
            }
            _ => distinct.push(Distinct { value, weight, sum: weight * response }),
        }
    }
    if distinct.is_empty() { Err(BinFault::Empty) } else { Ok(distinct) }
}
