//! Coefficient matrices: the matrix as a picture, its factors and their sizes.

use crate::Subject;
use crate::grid::Grid;
use crate::words::percent;
use proxdist::Shape;
use proxdist::outputs::factors_of;
use proxdist_report::{CoefficientMatrix, Image, LinePlot, Report, Section, Series, number};

/// Factors that are drawn.
const MOST: usize = 4;

/// A matrix whose factors are shown.
#[derive(Clone, Copy, Debug)]
pub struct Factors<'a> {
    /// The entries, row by row.
    pub values: &'a [f64],
    /// Columns of the matrix.
    pub columns: usize,
    /// In which units, such as `in the units of the file`.
    pub units: &'a str,
    /// Where the rows of the matrix are the cells of a grid: pictures are of what a factor does there.
    pub grid: Option<Grid>,
}

pub(crate) fn add(subject: &Subject, report: &mut Report) {
    let Shape::Matrix { rows, columns } = subject.model.shape else { return };
    let values = subject.model.coefficients;
    report.matrix = Some(CoefficientMatrix { rows, columns, values: values.to_vec(), ..CoefficientMatrix::default() });
    let section = factors(Factors { values, columns, units: "in the units of the data", grid: None });
    report.model.extend(section.filter(|_| rows.min(columns) > 1));
}

/// The sizes of the factors of a matrix as a table and, for three or more, as a scree plot; the first ones as pictures. `None` for a matrix of zeros.
pub fn factors(of: Factors) -> Option<Section> {
    let Factors { values, columns, units, grid } = of;
    let found = factors_of(values, columns)?;
    let (rank, rows) = (found.values.len(), values.len() / columns);
    let squares: f64 = found.values.iter().map(|value| value * value).sum();
    let share = |value: f64| value * value / squares;
    let row = |(k, value): (usize, &f64)| vec![(k + 1).to_string(), number(*value, 4), percent(share(*value))];
    let image = |k: usize| {
        let entry = |(i, j): (usize, usize)| found.features[i * rank + k] * found.outputs[j * rank + k];
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let title = format!("Factor {}: {} of the squares", k + 1, percent(share(found.values[k])));
        match grid {
            Some(grid) => grid.image(title, (0..rows).map(|i| found.features[i * rank + k]).collect()),
            None => Image {
                title,
                matrix: CoefficientMatrix { rows, columns, values: places.map(entry).collect(), ..Default::default() },
            },
        }
    };
    let points = found.values.iter().enumerate().map(|(k, value)| ((k + 1) as f64, *value)).collect();
    let shown = rank.min(MOST);
    let text = format!(
        "The coefficient matrix {units} is a sum of {rank} {}, each a pattern of rows times a pattern of columns. A singular value is the size of a factor.",
        if rank == 1 { "factor" } else { "factors" }
    );
    Some(Section {
        heading: "Factors".to_owned(),
        text,
        columns: ["factor", "singular value", "share of the squares"].map(str::to_owned).to_vec(),
        rows: found.values.iter().enumerate().take(20).map(row).collect(),
        plot: (rank > 2).then(|| LinePlot {
            title: "Singular values".to_owned(),
            x_label: "factor".to_owned(),
            y_label: "singular value".to_owned(),
            series: vec![Series::new("", points)],
            ..LinePlot::default()
        }),
        images: (0..shown).map(image).collect(),
        notes: if rank > shown { vec![format!("The first {shown} of {rank} factors are drawn.")] } else { Vec::new() },
        ..Section::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pictures of all factors add up to the matrix.
    #[test]
    fn factors_add_up_to_the_matrix() {
        let values: Vec<f64> = (0..12).map(|i| f64::from(i % 4) * f64::from(i / 4 + 1) + f64::from(i / 4)).collect();
        let section = factors(Factors { values: &values, columns: 4, units: "as they are", grid: None }).unwrap();
        assert_eq!(section.rows.len(), section.images.len());
        for (place, value) in values.iter().enumerate() {
            let sum: f64 = section.images.iter().map(|image| image.matrix.values[place]).sum();
            assert!((sum - value).abs() < 1e-9, "{place}: {sum} {value}");
        }
        assert!(factors(Factors { values: &[0.0; 4], columns: 2, units: "", grid: None }).is_none());
    }
}
