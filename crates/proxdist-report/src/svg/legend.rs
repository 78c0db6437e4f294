//! What colours and marks stand for.

use super::canvas::{Anchor, Canvas, Stroke, TextStyle};
use super::text::{ellipsis, text_width};
use super::theme::Colour;

/// The sample shown beside a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swatch {
    /// A piece of line.
    Line(Stroke),
    /// A filled dot.
    Dot(Colour),
    /// A hollow dot.
    Ring(Stroke),
    /// A filled square.
    Box(Colour),
}

/// An entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its sample.
    pub swatch: Swatch,
    /// Its name.
    pub label: String,
}

impl Key {
    /// An entry.
    pub fn new(swatch: Swatch, label: impl Into<String>) -> Self {
        Key { swatch, label: label.into() }
    }
}

/// Draws entries in rows from `top`; gives the height used. Beyond 24 entries the rest is counted.
pub fn legend(canvas: &mut Canvas, top: f64, keys: &[Key]) -> f64 {
    const SIZE: f64 = 12.0;
    const ROW: f64 = 19.0;
    if keys.is_empty() {
        return 0.0;
    }
    let right = canvas.width() - 8.0;
    let (mut x, mut y) = (8.0, top + 13.0);
    for key in keys.iter().take(24) {
        let label = ellipsis(&key.label, SIZE, (right - 40.0).min(420.0));
        let width = 28.0 + text_width(&label, SIZE);
        if x > 8.0 && x + width > right {
            (x, y) = (8.0, y + ROW);
        }
        let middle = y - 4.0;
        match key.swatch {
            Swatch::Line(stroke) => canvas.line((x, middle), (x + 20.0, middle), stroke),
            Swatch::Dot(colour) => canvas.circles(&[(x + 10.0, middle)], 4.0, colour, 1.0),
            Swatch::Ring(stroke) => canvas.ring((x + 10.0, middle), 4.0, stroke),
            Swatch::Box(colour) => canvas.rect((x + 4.0, middle - 6.0), (x + 16.0, middle + 6.0), colour, 1.0),
        }
        canvas.text((x + 25.0, y), &label.into(), TextStyle::new(SIZE, Anchor::Start));
        x += width + 14.0;
    }
    if keys.len() > 24 {
        y += ROW;
        let rest = format!("and {} more", keys.len() - 24);
        canvas.text((8.0, y), &rest.into(), TextStyle::new(SIZE, Anchor::Start).colour(Colour::Muted));
    }
    y - top + 8.0
}
