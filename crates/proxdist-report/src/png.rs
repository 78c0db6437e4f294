//! Figures as PNG, drawn from their SVG with a font that comes along: the same picture on every machine.
//!
//! The font is DejaVu Sans, cut to Latin, Greek and the signs of our figures; see `fonts/LICENSE_DEJAVU`.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");
const FAMILY: &str = "DejaVu Sans";

/// Why a figure could not become a PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PngError {
    reason: String,
}

impl std::fmt::Display for PngError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the figure cannot be drawn as PNG: {}", self.reason)
    }
}

impl std::error::Error for PngError {}

/// Draws a standalone SVG figure at `scale` pixels a unit; 2 looks crisp on most screens.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let fail = |reason: String| PngError { reason };
    let mut options = Options { font_family: FAMILY.into(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_source(resvg::usvg::fontdb::Source::Binary(Arc::new(REGULAR)));
    fonts.load_font_source(resvg::usvg::fontdb::Source::Binary(Arc::new(BOLD)));
    fonts.set_sans_serif_family(FAMILY);
    let tree = Tree::from_str(svg, &options).map_err(|error| fail(error.to_string()))?;
    let size = tree.size();
    let pixels = |length: f32| (length * scale).ceil() as u32;
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut pixmap = Pixmap::new(width, height).ok_or_else(|| fail(format!("{width} x {height} pixels")))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| fail(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LinePlot, Series, Style, figures};

    fn drawn(title: &str) -> Vec<u8> {
        let series = vec![Series::new("γ = 2/3", vec![(1.0, 1.0), (10.0, 0.1)])];
        let svg = figures::lines(&LinePlot { title: title.into(), series, ..LinePlot::default() }, Style::standalone());
        png(&svg, 2.0).unwrap()
    }

    #[test]
    fn a_figure_becomes_a_picture_of_its_size_with_its_text() {
        let picture = drawn("‖P(θ) − θ*‖² ≤ 1");
        assert!(picture.starts_with(b"\x89PNG"));
        let width = u32::from_be_bytes([picture[16], picture[17], picture[18], picture[19]]);
        assert_eq!(width, 2 * 680);
        // Text is drawn, not dropped for want of a font.
        assert_ne!(picture, drawn("other words"));
    }

    #[test]
    fn what_is_no_svg_is_refused() {
        assert!(png("<p>no figure</p>", 1.0).is_err());
    }
}
