//! The best of all choices, by looking at each: what searches and proofs are held against.
#![allow(dead_code, reason = "each user takes a part")]

/// All sets of `size` numbers below `count`.
pub(crate) fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let from = set.last().map_or(0, |last| last + 1);
            let set = set.clone();
            (from..count).map(move |next| set.iter().copied().chain([next]).collect()).collect::<Vec<Vec<usize>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The sum of squares that least squares on some columns leaves of a response, by orthogonal columns (Gram and Schmidt, twice for accuracy).
pub(crate) fn least_squares(columns: impl IntoIterator<Item = Vec<f64>>, response: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut residual = response.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut column in columns {
        for _ in 0..2 {
            for unit in &basis {
                let along = dot(unit, &column);
                column.iter_mut().zip(unit).for_each(|(c, u)| *c -= along * u);
            }
        }
        let length = dot(&column, &column).sqrt();
        column.iter_mut().for_each(|c| *c /= length);
        let along = dot(&column, &residual);
        residual.iter_mut().zip(&column).for_each(|(r, c)| *r -= along * c);
        basis.push(column);
    }
    dot(&residual, &residual)
}
