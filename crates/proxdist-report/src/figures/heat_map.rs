//! A coefficient matrix as colours: blue above zero, vermilion below, the ground at zero.

use crate::input::CoefficientMatrix;
use crate::number::number;
use crate::svg::{Anchor, Canvas, Colour, Kind, Style, TextStyle, ellipsis, text_width};

/// Larger matrices are drawn in blocks, each by its entry of largest magnitude.
const CELLS: usize = 160;
/// Font size of names.
const SMALL: f64 = 12.0;
/// Most room for the names of rows.
const MOST_MARGIN: f64 = 150.0;
/// Shades on each side of zero.
const SHADES: usize = 40;

/// Whether all rows or columns that are drawn have names.
fn has_names(names: &[String], drawn: usize) -> bool {
    !names.is_empty() && names.len() == drawn
}

/// The matrix with rows from top to bottom and a colour bar. Shades are opacities over the ground, so zero is the colour of
/// the page, light or dark.
pub fn heat_map(matrix: &CoefficientMatrix, style: Style) -> String {
    titled_heat_map("Coefficient matrix", matrix, style)
}

/// The same under a title of one's own.
pub fn titled_heat_map(title: &str, matrix: &CoefficientMatrix, style: Style) -> String {
    let mut canvas = Canvas::new(style.width(style.bounded_width().min(520.0)), 90.0);
    if matrix.rows == 0 || matrix.columns == 0 {
        canvas.nothing_to_show("The matrix is empty.");
        return canvas.finish(title, "The matrix is empty.");
    }
    let (down, across) = (matrix.rows.min(CELLS), matrix.columns.min(CELLS));
    let cells = blocks(matrix, down, across);
    let largest = cells.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let top = canvas.title(title) + 22.0;
    let (named_down, named_across) = (has_names(&matrix.row_names, down), has_names(&matrix.column_names, across));
    let widest = matrix.row_names.iter().map(|name| text_width(name, SMALL)).fold(0.0, f64::max);
    let (left, bar) = (if named_down { (widest + 14.0).clamp(46.0, MOST_MARGIN) } else { 46.0 }, 78.0);
    let size = ((canvas.width() - left - bar) / across as f64).min(420.0 / down as f64).min(48.0);
    let (width, height) = (size * across as f64, size * down as f64);
    for (positive, colour) in [(true, Colour::Series(0)), (false, Colour::Series(1))] {
        for shade in 1..=SHADES {
            let chosen = |&(_, v): &(usize, &f64)| (*v > 0.0) == positive && shade_of(*v, largest) == shade;
            let corner = |(i, _): (usize, &f64)| (left + (i % across) as f64 * size, top + (i / across) as f64 * size);
            let corners: Vec<_> = cells.iter().enumerate().filter(chosen).map(corner).collect();
            canvas.tiles(&corners, (size + 0.01, size + 0.01), colour, shade as f64 / SHADES as f64);
        }
    }
    let outline = crate::svg::Stroke::solid(Colour::Muted, 1.0);
    canvas.frame((left, top), (left + width, top + height), outline);
    let quiet = |anchor| TextStyle::new(12.0, anchor).colour(Colour::Muted);
    let plain = TextStyle::new(12.0, Anchor::Start);
    if named_across && size >= 14.0 {
        for (i, name) in matrix.column_names.iter().enumerate() {
            let middle = (left + (i as f64 + 0.5) * size, top - 8.0);
            canvas.text(middle, &ellipsis(name, SMALL, size - 2.0).into(), TextStyle::new(SMALL, Anchor::Middle));
        }
    } else {
        canvas.text((left, top - 8.0), &format!("column 1 to {}", matrix.columns).into(), plain);
    }
    if named_down && size >= 12.0 {
        for (i, name) in matrix.row_names.iter().enumerate() {
            let at = (left - 7.0, top + (i as f64 + 0.5) * size + 4.0);
            canvas.text(at, &ellipsis(name, SMALL, left - 12.0).into(), quiet(Anchor::End));
        }
    } else {
        canvas.text((left - 7.0, top + 11.0), &"1".into(), quiet(Anchor::End));
        if matrix.rows > 1 && height > 26.0 {
            canvas.text((left - 7.0, top + height), &matrix.rows.to_string().into(), quiet(Anchor::End));
        }
    }
    colour_bar(&mut canvas, (left + width + 18.0, top), height.clamp(90.0, 220.0), largest);
    let note = if (down, across) == (matrix.rows, matrix.columns) {
        String::new()
    } else {
        "Each cell stands for a block and shows its largest entry.".into()
    };
    let bottom = top + height.max(90.0) + 14.0;
    if !note.is_empty() {
        canvas.text((8.0, bottom + 8.0), &note.as_str().into(), quiet(Anchor::Start));
    }
    canvas.set_height(bottom + if note.is_empty() { 0.0 } else { 18.0 });
    let description =
        format!("{} by {} matrix, largest magnitude {}. {note}", matrix.rows, matrix.columns, number(largest, 4));
    canvas.finish(title, &description)
}

fn shade_of(value: f64, largest: f64) -> usize {
    if largest > 0.0 { (value.abs() / largest * SHADES as f64).round() as usize } else { 0 }
}

/// The entry of largest magnitude of each block; what cannot be drawn counts as zero.
fn blocks(matrix: &CoefficientMatrix, down: usize, across: usize) -> Vec<f64> {
    let mut cells = vec![0.0; down * across];
    let known = matrix.values.len().min(matrix.rows.saturating_mul(matrix.columns));
    for (i, &value) in matrix.values[..known].iter().enumerate() {
        let row = (i / matrix.columns) as u128 * down as u128 / matrix.rows as u128;
        let column = (i % matrix.columns) as u128 * across as u128 / matrix.columns as u128;
        let cell: &mut f64 = &mut cells[row as usize * across + column as usize];
        if Kind::Linear.can_draw(value) && value.abs() > cell.abs() {
            *cell = value;
        }
    }
    cells
}

fn colour_bar(canvas: &mut Canvas, (left, top): (f64, f64), height: f64, largest: f64) {
    let step = height / (2 * SHADES) as f64;
    for i in 0..2 * SHADES {
        let (colour, shade) =
            if i < SHADES { (Colour::Series(0), SHADES - i) } else { (Colour::Series(1), i + 1 - SHADES) };
        canvas.tiles(&[(left, top + i as f64 * step)], (14.0, step + 0.01), colour, shade as f64 / SHADES as f64);
    }
    let label = TextStyle::new(11.0, Anchor::Start).colour(Colour::Muted);
    for (share, value) in [(0.0, largest), (0.5, 0.0), (1.0, -largest)] {
        canvas.text((left + 19.0, top + share * height + 4.0), &number(value, 2).into(), label);
    }
}
