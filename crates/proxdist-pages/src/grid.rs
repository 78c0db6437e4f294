//! Features that are the cells of a grid, such as pixels: told by their names, drawn as pictures.

use proxdist_report::{CoefficientMatrix, Image, Section};

/// Outputs that are drawn.
const MOST: usize = 12;
/// Rows and columns below which a picture shows less than a table.
const LEAST: usize = 4;

/// Rows and columns of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Rows, from top to bottom.
    pub rows: usize,
    /// Columns, from left to right.
    pub columns: usize,
}

impl Grid {
    /// The grid whose cells, row by row, have these names: one word, a row, something between, a column, as in `p0_0` to `p15_15`, counted from zero or from one.
    #[must_use]
    pub fn of(names: &[String]) -> Option<Self> {
        let cells: Vec<(&str, usize, &str, usize)> = names.iter().map(|name| cell(name)).collect::<Option<_>>()?;
        let (&(word, top, between, left), &(_, bottom, _, right)) = (cells.first()?, cells.last()?);
        let (rows, columns) = (bottom.checked_sub(top)? + 1, right.checked_sub(left)? + 1);
        let is_in_place = |(i, found): (usize, &(&str, usize, &str, usize))| {
            *found == (word, top + i / columns, between, left + i % columns)
        };
        let is_whole = rows.checked_mul(columns) == Some(cells.len()) && cells.iter().enumerate().all(is_in_place);
        (is_whole && rows.min(columns) >= LEAST).then_some(Self { rows, columns })
    }

    /// Numbers of all cells as a picture.
    pub(crate) fn image(self, title: String, values: Vec<f64>) -> Image {
        let Self { rows, columns } = self;
        Image { title, matrix: CoefficientMatrix { rows, columns, values, ..CoefficientMatrix::default() } }
    }

    /// What one standard deviation more of each feature does to each output, as a picture for each of them.
    #[must_use]
    pub fn effects(self, outputs: &[String], effect: &dyn Fn(usize, usize) -> f64) -> Section {
        let drawn = outputs.len().min(MOST);
        let of = |k: usize| (0..self.rows * self.columns).map(|j| effect(j, k)).collect();
        let image = |k: usize| self.image(outputs[k].clone(), of(k));
        let mut notes = vec!["The names of the features say where each one lies.".to_owned()];
        if drawn < outputs.len() {
            notes.push(format!("The first {drawn} of {} outputs are drawn.", outputs.len()));
        }
        Section {
            heading: "Effects as pictures".to_owned(),
            text: format!(
                "The features are a grid of {} rows and {} columns. Colours are what one standard deviation more of a feature does to the linear predictor of an output: blue cells speak for it, orange ones against it.",
                self.rows, self.columns
            ),
            images: (0..drawn).map(image).collect(),
            notes,
            ..Section::default()
        }
    }
}

/// The parts of the name of a cell: what comes first, the row, what is between, the column.
fn cell(name: &str) -> Option<(&str, usize, &str, usize)> {
    let name = name.strip_suffix([']', ')']).unwrap_or(name);
    let is_digit = |c: char| c.is_ascii_digit();
    let start = name.trim_end_matches(is_digit);
    let (head, column) = name.split_at(start.len());
    let words = head.trim_end_matches(|c: char| !c.is_ascii_digit());
    let (front, between) = head.split_at(words.len());
    let word = front.trim_end_matches(is_digit);
    let row = &front[word.len()..];
    (!between.is_empty()).then_some(())?;
    Some((word, row.parse().ok()?, between, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rows: usize, columns: usize, name: impl Fn(usize, usize) -> String) -> Vec<String> {
        (0..rows * columns).map(|i| name(i / columns, i % columns)).collect()
    }

    #[test]
    fn a_whole_grid_in_order_is_one_and_nothing_else_is() {
        let found = Grid::of(&names(16, 5, |i, j| format!("p{i}_{j}")));
        assert_eq!(found, Some(Grid { rows: 16, columns: 5 }));
        assert_eq!(
            Grid::of(&names(4, 6, |i, j| format!("pixel[{},{}]", i + 1, j + 1))),
            Some(Grid { rows: 4, columns: 6 })
        );
        let mut swapped = names(6, 6, |i, j| format!("p{i}_{j}"));
        swapped.swap(3, 4);
        let mut short = names(6, 6, |i, j| format!("p{i}_{j}"));
        short.pop();
        let mut other = names(6, 6, |i, j| format!("p{i}_{j}"));
        other[7] = "q1_1".to_owned();
        let plain: Vec<String> = (0..36).map(|j| format!("V{j}")).collect();
        for none in [
            swapped,
            short,
            other,
            plain,
            Vec::new(),
            vec!["π_3".to_owned(); 16],
            names(36, 1, |i, j| format!("p{i}_{j}")),
        ] {
            assert_eq!(Grid::of(&none), None, "{none:?}");
        }
    }

    #[test]
    fn each_output_has_its_picture_with_every_coefficient_in_its_place() {
        let grid = Grid { rows: 4, columns: 5 };
        let section = grid.effects(&["a".to_owned(), "b".to_owned()], &|j, k| (10 * j + k) as f64);
        assert_eq!(section.images.len(), 2);
        assert_eq!(section.images[1].matrix.values[7], 71.0);
        assert_eq!(grid.effects(&vec!["x".to_owned(); 30], &|_, _| 1.0).images.len(), MOST);
    }
}
