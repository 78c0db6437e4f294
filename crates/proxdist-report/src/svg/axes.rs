//! Panels: a pair of axes with grid, ticks and labels.

use super::canvas::{Anchor, Canvas, Stroke, TextStyle};
use super::scale::Scale;
use super::text::{Label, ellipsis};
use super::theme::Colour;
use super::ticks::Ticks;

/// Font size of tick labels and axis labels.
const SMALL: f64 = 12.0;
/// Height of a line of small text.
const LINE: f64 = 18.0;

/// A place on the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// A scale with what is written along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// From data to places.
    pub scale: Scale,
    /// What is measured; may be empty.
    pub label: String,
    /// Whether ticks and their labels are drawn; grid lines always are.
    pub labelled: bool,
    /// Whether there are ticks and grid lines at all.
    pub ticked: bool,
    /// The only values that occur, if they are few: ticks go there, as long as their labels fit.
    pub values: Vec<f64>,
}

impl Axis {
    /// An axis with ticks and a label.
    pub fn new(scale: Scale, label: impl Into<String>) -> Self {
        Axis { scale, label: label.into(), labelled: true, ticked: true, values: Vec::new() }
    }

    /// Probabilities and rates: from 0 to 1 in fifths.
    pub fn unit(label: impl Into<String>) -> Self {
        Axis { values: vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0], ..Axis::new(Scale::exact(0.0, 1.0), label) }
    }

    /// Without tick labels: the panel below has them.
    #[must_use]
    pub fn unlabelled(mut self) -> Self {
        self.labelled = false;
        self
    }

    /// Without ticks and grid: the marks carry their own names.
    #[must_use]
    pub fn bare(mut self) -> Self {
        self.labelled = false;
        self.ticked = false;
        self
    }
}

/// A pair of axes and the area between them. The label of the y axis is written above it, level, to be read easily.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The area where data go.
    pub plot: Rect,
    /// The level axis.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// Left edge of the room it was given.
    edge: f64,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl Panel {
    /// Fits a panel, labels included, into `bounds`. `margin` is the least room left of the plot, so that stacked panels align.
    pub fn new(bounds: Rect, x: Axis, y: Axis, margin: f64) -> Self {
        let above = if y.label.is_empty() { 6.0 } else { LINE + 6.0 };
        let below = if x.labelled { LINE } else { 4.0 } + if x.label.is_empty() { 2.0 } else { LINE };
        let height = (bounds.height - above - below).max(20.0);
        let left = margin.max(Self::margin(&y, height)).min(bounds.width * 0.6);
        let plot = Rect {
            left: bounds.left + left,
            top: bounds.top + above,
            width: (bounds.width - left - 14.0).max(20.0),
            height,
        };
        let x_ticks = if x.ticked { level_ticks(&x, plot.width) } else { Ticks::default() };
        let y_ticks = if y.ticked { upright_ticks(&y, height) } else { Ticks::default() };
        Panel { edge: bounds.left, plot, x, y, x_ticks, y_ticks }
    }

    /// Room that the labels of a y axis need.
    pub fn margin(y: &Axis, height: f64) -> f64 {
        if !y.labelled || !y.ticked {
            return 10.0;
        }
        let ticks = upright_ticks(y, height).major;
        ticks.iter().map(|t| t.label.width(SMALL)).fold(18.0, f64::max) + 14.0
    }

    /// Place of an x value on the drawing.
    pub fn at_x(&self, value: f64) -> Option<f64> {
        self.x.scale.place(value).map(|t| self.plot.left + t * self.plot.width)
    }

    /// Place of a y value on the drawing.
    pub fn at_y(&self, value: f64) -> Option<f64> {
        self.y.scale.place(value).map(|t| self.plot.bottom() - t * self.plot.height)
    }

    /// Place of a point on the drawing.
    pub fn at(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.at_x(x)?, self.at_y(y)?))
    }

    /// Draws grid, axes, ticks and labels: first, so that data lie on top.
    pub fn draw(&self, canvas: &mut Canvas) {
        let plot = self.plot;
        let axis = Stroke::solid(Colour::Muted, 1.0);
        let grid = Stroke::solid(Colour::Grid, 1.0);
        for x in self.x_ticks.major.iter().filter_map(|t| self.at_x(t.value)) {
            canvas.line((x, plot.top), (x, plot.bottom()), grid);
        }
        for y in self.y_ticks.major.iter().filter_map(|t| self.at_y(t.value)) {
            canvas.line((plot.left, y), (plot.right(), y), grid);
        }
        for x in self.x_ticks.minor.iter().filter_map(|&v| self.at_x(v)) {
            canvas.line((x, plot.bottom()), (x, plot.bottom() - 3.0), axis);
        }
        for y in self.y_ticks.minor.iter().filter_map(|&v| self.at_y(v)) {
            canvas.line((plot.left, y), (plot.left + 3.0, y), axis);
        }
        canvas.line((plot.left, plot.bottom()), (plot.right(), plot.bottom()), axis);
        canvas.line((plot.left, plot.top), (plot.left, plot.bottom()), axis);
        self.draw_labels(canvas);
    }

    fn draw_labels(&self, canvas: &mut Canvas) {
        let plot = self.plot;
        let quiet = |anchor| TextStyle::new(SMALL, anchor).colour(Colour::Muted);
        if self.x.labelled {
            for tick in &self.x_ticks.major {
                if let Some(x) = self.at_x(tick.value) {
                    // Labels at the ends stay within the drawing.
                    let half = tick.label.width(SMALL) / 2.0;
                    let x = x.min(canvas.width() - half - 1.0).max(half + 1.0);
                    canvas.text((x, plot.bottom() + 15.0), &tick.label, quiet(Anchor::Middle));
                }
            }
        }
        if self.y.labelled {
            for tick in &self.y_ticks.major {
                if let Some(y) = self.at_y(tick.value) {
                    canvas.text((plot.left - 7.0, y + 4.2), &tick.label, quiet(Anchor::End));
                }
            }
        }
        let below = plot.bottom() + if self.x.labelled { 33.0 } else { 17.0 };
        if !self.x.label.is_empty() {
            let (text, middle) = (&self.x.label, plot.left + plot.width / 2.0);
            let cut = ellipsis(text, SMALL, canvas.width() - 16.0);
            canvas.text((middle, below), &cut.into(), TextStyle::new(SMALL, Anchor::Middle));
        }
        if let (Some(power), true) = (self.x_ticks.factor, self.x.labelled) {
            let y = if self.x.label.is_empty() { plot.top - 5.0 } else { below };
            canvas.text((plot.right(), y), &Label::factor(power), quiet(Anchor::End));
        }
        // Above the labels of the ticks, unless these are so long that it would be far from the axis.
        let first = self.edge + 8.0;
        let left = if plot.left - self.edge < 110.0 { first } else { (plot.left - 40.0).max(first) };
        if !self.y.label.is_empty() {
            let cut = ellipsis(&self.y.label, SMALL, plot.right() - left);
            canvas.text((left, plot.top - 11.0), &cut.into(), TextStyle::new(SMALL, Anchor::Start));
        }
        if let (Some(power), true) = (self.y_ticks.factor, self.y.labelled) {
            let x =
                left + super::text::text_width(&self.y.label, SMALL) + if self.y.label.is_empty() { 0.0 } else { 8.0 };
            canvas.text((x, plot.top - 11.0), &Label::factor(power), quiet(Anchor::Start));
        }
    }
}

/// Ticks that stand above each other: a label every 42 units or so, but two at least.
fn upright_ticks(axis: &Axis, height: f64) -> Ticks {
    let scale = &axis.scale;
    if (2..=16).contains(&axis.values.len()) && axis.values.len() as f64 * 22.0 < height {
        return Ticks::at(&axis.values);
    }
    let target = ((height / 42.0) as usize).max(1);
    let counts = target..target + 5;
    let enough = |t: &Ticks| t.major.len() > 1;
    counts.map(|n| scale.ticks(n)).find(enough).unwrap_or_else(|| scale.ticks(target))
}

/// Ticks beside each other: as many as their labels leave room for.
fn level_ticks(axis: &Axis, width: f64) -> Ticks {
    let scale = &axis.scale;
    let fits = |ticks: &Ticks| {
        let places =
            ticks.major.iter().filter_map(|t| Some((scale.place(t.value)? * width, t.label.width(SMALL) / 2.0)));
        let places: Vec<(f64, f64)> = places.collect();
        places.windows(2).all(|w| w[1].0 - w[0].0 >= w[0].1 + w[1].1 + 8.0)
    };
    if (2..=16).contains(&axis.values.len()) {
        let ticks = Ticks::at(&axis.values);
        if fits(&ticks) {
            return ticks;
        }
    }
    let most = ((width / 64.0) as usize).max(3);
    (1..=most).rev().map(|n| scale.ticks(n)).find(fits).unwrap_or_default()
}
