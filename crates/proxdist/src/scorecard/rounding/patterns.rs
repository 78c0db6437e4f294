//! Rows that a card cannot tell apart, as one row with their weight and their mean response.

use std::collections::HashMap;

/// Rows as a card sees them: `columns` numbers each, row by row, then a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    pub(crate) columns: usize,
    pub(crate) values: Vec<f64>,
    pub(crate) constants: Vec<f64>,
    pub(crate) responses: Vec<f64>,
    /// Of sum 1.
    pub(crate) weights: Vec<f64>,
}

/// Groups rows with the same numbers, in order of appearance; rows without weight are left out.
pub(crate) fn patterns(columns: usize, rows: impl Iterator<Item = (Vec<f64>, [f64; 3])>) -> Patterns {
    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut found = Patterns { columns, ..Patterns::default() };
    for (values, [constant, response, weight]) in rows {
        if weight <= 0.0 {
            continue;
        }
        let key = values.iter().chain([&constant]).map(|value| (value + 0.0).to_bits()).collect();
        let next = found.weights.len();
        let at = *places.entry(key).or_insert(next);
        if at == next {
            found.values.extend(values);
            found.constants.push(constant);
            found.responses.push(0.0);
            found.weights.push(0.0);
        }
        found.responses[at] += weight * response;
        found.weights[at] += weight;
    }
    found.responses.iter_mut().zip(&found.weights).for_each(|(sum, weight)| *sum /= weight);
    let total: f64 = found.weights.iter().sum();
    found.weights.iter_mut().for_each(|weight| *weight /= total);
    found
}
