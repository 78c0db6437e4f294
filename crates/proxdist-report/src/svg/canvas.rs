//! The elements of a drawing, written to text.

use super::text::Label;
use super::theme::{Colour, Style, Theme};
use crate::escape::escape;
use std::fmt::Write;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width.
    pub width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dash: &'static str,
}

impl Stroke {
    /// A solid line.
    pub const fn solid(colour: Colour, width: f64) -> Self {
        Stroke { colour, width, dash: "" }
    }

    /// A dashed line.
    pub const fn dashed(colour: Colour, width: f64) -> Self {
        Stroke { colour, width, dash: "5 4" }
    }

    /// The line of the i-th series; the dash changes when the colours repeat.
    pub fn series(i: usize) -> Self {
        let dash = ["", "6 3", "2 3", "8 3 2 3"][i / 6 % 4];
        Stroke { colour: Colour::Series(i), width: 1.8, dash }
    }
}

/// Which point of a text is placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// How a text is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Font size.
    pub size: f64,
    /// Which point is placed.
    pub anchor: Anchor,
    /// Its colour.
    pub colour: Colour,
    /// Whether it stands out.
    pub bold: bool,
}

impl TextStyle {
    /// Text of a size in the colour of the axes.
    pub const fn new(size: f64, anchor: Anchor) -> Self {
        TextStyle { size, anchor, colour: Colour::Ink, bold: false }
    }

    /// The same in another colour.
    #[must_use]
    pub const fn colour(mut self, colour: Colour) -> Self {
        self.colour = colour;
        self
    }
}

/// A drawing under construction.
#[derive(Clone, Debug)]
pub struct Canvas {
    out: String,
    style: Style,
    width: f64,
    height: f64,
    attributes: String,
}

impl Canvas {
    /// An empty drawing of a style's width.
    pub fn new(style: Style, height: f64) -> Self {
        Canvas { out: String::new(), style, width: style.bounded_width(), height, attributes: String::new() }
    }

    /// Width in the units of all coordinates.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Changes the height, once it is known.
    pub fn set_height(&mut self, height: f64) {
        self.height = height;
    }

    /// An attribute of the whole drawing, for scripts.
    pub fn attribute(&mut self, name: &'static str, value: &str) {
        let _ = write!(self.attributes, " {name}=\"{}\"", escape(value));
    }

    /// Draws the title if the style shows it; gives the height used.
    pub fn title(&mut self, title: &str) -> f64 {
        if !self.style.show_title || title.is_empty() {
            return 4.0;
        }
        let cut = super::text::ellipsis(title, 16.0, self.width - 16.0);
        let style = TextStyle { bold: true, ..TextStyle::new(15.0, Anchor::Start) };
        self.text((8.0, 22.0), &cut.into(), style);
        34.0
    }

    /// The text of the drawing, with a title and a description for those who cannot see it.
    pub fn finish(self, title: &str, description: &str) -> String {
        let (w, h) = (round(self.width), round(self.height));
        let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" ");
        match self.style.theme {
            Theme::Standalone => {
                let _ = write!(out, "width=\"{w}\" height=\"{h}\"");
            }
            // Fills its container but never grows beyond its natural size.
            Theme::Inline => {
                let _ = write!(out, "width=\"100%\" style=\"max-width:{w}px;height:auto\"");
            }
        }
        let _ = write!(out, " role=\"img\" font-family=\"{}\"{}>", self.style.theme.fonts(), self.attributes);
        let _ = write!(out, "<title>{}</title><desc>{}</desc>", escape(title), escape(description));
        if self.style.theme == Theme::Standalone {
            let _ = write!(out, "<rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>", self.ink(Colour::Paper));
        }
        out.push_str(&self.out);
        out.push_str("</svg>\n");
        out
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let (x1, y1, x2, y2) = (round(from.0), round(from.1), round(to.0), round(to.1));
        let _ = write!(self.out, "<path d=\"M{x1} {y1}L{x2} {y2}\"{}/>", self.stroke(stroke));
    }

    /// Connected straight lines.
    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        if points.len() < 2 {
            return;
        }
        self.out.push_str("<path d=\"");
        for (i, &(x, y)) in points.iter().enumerate() {
            let _ = write!(self.out, "{}{} {}", if i == 0 { 'M' } else { 'L' }, round(x), round(y));
        }
        let _ = write!(self.out, "\" stroke-linejoin=\"round\"{}/>", self.stroke(stroke));
    }

    /// A filled polygon.
    pub fn polygon(&mut self, corners: &[(f64, f64)], colour: Colour, opacity: f64) {
        if corners.len() < 3 {
            return;
        }
        self.out.push_str("<path d=\"");
        for (i, &(x, y)) in corners.iter().enumerate() {
            let _ = write!(self.out, "{}{} {}", if i == 0 { 'M' } else { 'L' }, round(x), round(y));
        }
        let _ = write!(self.out, "z\" fill=\"{}\" fill-opacity=\"{}\"/>", self.ink(colour), round(opacity));
    }

    /// Filled circles of one colour and opacity.
    pub fn circles(&mut self, centers: &[(f64, f64)], radius: f64, colour: Colour, opacity: f64) {
        if centers.is_empty() {
            return;
        }
        let _ = write!(self.out, "<g fill=\"{}\" fill-opacity=\"{}\">", self.ink(colour), round(opacity));
        for &(x, y) in centers {
            let _ = write!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", round(x), round(y), round(radius));
        }
        self.out.push_str("</g>");
    }

    /// A circle with an outline, hollow.
    pub fn ring(&mut self, center: (f64, f64), radius: f64, stroke: Stroke) {
        let (x, y) = (round(center.0), round(center.1));
        let _ = write!(self.out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\"{}/>", round(radius), self.stroke(stroke));
    }

    /// A filled rectangle given by two opposite corners.
    pub fn rect(&mut self, a: (f64, f64), b: (f64, f64), colour: Colour, opacity: f64) {
        let (x, y, w, h) = (a.0.min(b.0), a.1.min(b.1), (a.0 - b.0).abs(), (a.1 - b.1).abs());
        let _ = write!(
            self.out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
            round(x),
            round(y),
            round(w),
            round(h),
            self.ink(colour)
        );
        if opacity < 1.0 {
            let _ = write!(self.out, " fill-opacity=\"{}\"", round(opacity));
        }
        self.out.push_str("/>");
    }

    /// Many rectangles of one size and fill, as one path: a heat map has thousands.
    pub fn tiles(&mut self, corners: &[(f64, f64)], size: (f64, f64), colour: Colour, opacity: f64) {
        if corners.is_empty() {
            return;
        }
        let (w, h) = (round(size.0), round(size.1));
        let fill = self.ink(colour);
        let _ = write!(
            self.out,
            "<path shape-rendering=\"crispEdges\" fill=\"{fill}\" fill-opacity=\"{}\" d=\"",
            round(opacity)
        );
        for &(x, y) in corners {
            let _ = write!(self.out, "M{} {}h{w}v{h}h-{w}z", round(x), round(y));
        }
        self.out.push_str("\"/>");
    }

    /// A rectangle with an outline only.
    pub fn frame(&mut self, a: (f64, f64), b: (f64, f64), stroke: Stroke) {
        let (x1, y1, x2, y2) = (round(a.0), round(a.1), round(b.0), round(b.1));
        let _ = write!(self.out, "<path d=\"M{x1} {y1}H{x2}V{y2}H{x1}z\"{}/>", self.stroke(stroke));
    }

    /// A short text.
    pub fn text(&mut self, at: (f64, f64), label: &Label, style: TextStyle) {
        let _ =
            write!(self.out, "<text x=\"{}\" y=\"{}\" font-size=\"{}\"", round(at.0), round(at.1), round(style.size));
        match style.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.out.push_str(" text-anchor=\"end\""),
        }
        if style.bold {
            self.out.push_str(" font-weight=\"600\"");
        }
        let _ = write!(self.out, " fill=\"{}\">{}</text>", self.ink(style.colour), label.markup());
    }

    /// Says, where data would be, that there are none.
    pub fn nothing_to_show(&mut self, reason: &str) {
        let middle = (self.width / 2.0, self.height / 2.0);
        self.text(middle, &reason.into(), TextStyle::new(13.0, Anchor::Middle).colour(Colour::Muted));
    }

    fn ink(&self, colour: Colour) -> &'static str {
        self.style.theme.colour(colour)
    }

    fn stroke(&self, stroke: Stroke) -> String {
        let mut out =
            format!(" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"", self.ink(stroke.colour), round(stroke.width));
        if !stroke.dash.is_empty() {
            let _ = write!(out, " stroke-dasharray=\"{}\"", stroke.dash);
        }
        out
    }
}

/// Hundredths are finer than any screen; what is not a number goes to the corner rather than into the text.
pub(super) fn round(coordinate: f64) -> f64 {
    if !coordinate.is_finite() {
        return 0.0;
    }
    // The sum turns a negative zero into a zero.
    (coordinate.clamp(-1e6, 1e6) * 100.0).round() / 100.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_finite() {
        assert_eq!(round(1.23456).to_string(), "1.23");
        assert_eq!(round(-0.001).to_string(), "0");
        assert_eq!(round(f64::NAN).to_string(), "0");
        assert_eq!(round(f64::INFINITY).to_string(), "0");
        assert_eq!(round(1e300).to_string(), "1000000");
    }

    #[test]
    fn a_drawing_has_a_role_a_title_and_a_description() {
        let text = Canvas::new(Style::standalone(), 100.0).finish("A < B", "two \"letters\"");
        let tree = roxmltree::Document::parse(&text).unwrap();
        let root = tree.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        assert_eq!(root.attribute("viewBox"), Some("0 0 680 100"));
        assert_eq!(root.first_element_child().unwrap().text(), Some("A < B"));
        assert!(text.contains("<desc>two &quot;letters&quot;</desc>"));
    }
}
