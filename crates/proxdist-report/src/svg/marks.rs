//! Data on a panel: lines, points, bars, error bars, boxes and reference lines.

use super::axes::Panel;
use super::canvas::{Canvas, Stroke};
use super::theme::Colour;

/// The five numbers of a box plot and what lies beyond them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Lowest value within one and a half box lengths of the box.
    pub low: f64,
    /// First quartile.
    pub first: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub third: f64,
    /// Highest value within one and a half box lengths of the box.
    pub high: f64,
    /// Values beyond the whiskers.
    pub outliers: Vec<f64>,
}

impl Summary {
    /// Summary of the finite values; `None` when there are none. Quartiles interpolate linearly, as R and NumPy do.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let quantile = |q: f64| {
            let place = q * last as f64;
            let (below, share) = (place.floor() as usize, place.fract());
            sorted[below] * (1.0 - share) + sorted[(below + 1).min(last)] * share
        };
        let (first, median, third) = (quantile(0.25), quantile(0.5), quantile(0.75));
        let reach = 1.5 * (third - first);
        let inside = |v: &f64| *v >= first - reach && *v <= third + reach;
        // Whiskers reach outwards from the box, even where interpolation leaves no value between.
        let low = sorted.iter().copied().find(inside).unwrap_or(first).min(first);
        let high = sorted.iter().copied().rfind(inside).unwrap_or(third).max(third);
        let outliers = sorted.iter().copied().filter(|v| !inside(v)).collect();
        Some(Summary { low, first, median, third, high, outliers })
    }
}

/// How dots look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// In drawing units.
    pub radius: f64,
    /// Fill.
    pub colour: Colour,
    /// From 0, invisible, to 1.
    pub opacity: f64,
}

impl Dot {
    /// One that hides what is behind it.
    pub fn solid(radius: f64, colour: Colour) -> Self {
        Self { radius, colour, opacity: 1.0 }
    }
}

/// The width that a box plot has for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Its middle.
    pub middle: f64,
    /// How far it reaches to each side.
    pub half: f64,
}

impl Panel {
    /// A line through the points that can be drawn; it breaks where one cannot.
    pub fn line(&self, canvas: &mut Canvas, points: &[(f64, f64)], stroke: Stroke) {
        for run in points.split(|&p| self.at(p).is_none()) {
            let places: Vec<_> = run.iter().filter_map(|&p| self.at(p)).collect();
            if let [alone] = places[..] {
                canvas.circles(&[alone], 2.5, stroke.colour, 1.0);
            }
            canvas.polyline(&places, stroke);
        }
    }

    /// A band between two heights; an end that has no place, such as zero on a logarithmic axis, is cut off at the edge.
    pub fn band(&self, canvas: &mut Canvas, points: &[(f64, f64, f64)], colour: Colour, opacity: f64) {
        let drawable = |p: &&(f64, f64, f64)| self.at_x(p.0).is_some() && !p.1.is_nan() && !p.2.is_nan();
        let points: Vec<_> = points.iter().filter(drawable).collect();
        let edge = |y: f64| self.at_y(y).unwrap_or(if y > 0.0 { self.plot.top } else { self.plot.bottom() });
        let above = points.iter().filter_map(|p| Some((self.at_x(p.0)?, edge(p.2))));
        let below = points.iter().rev().filter_map(|p| Some((self.at_x(p.0)?, edge(p.1))));
        canvas.polygon(&above.chain(below).collect::<Vec<_>>(), colour, opacity);
    }

    /// Dots.
    pub fn dots(&self, canvas: &mut Canvas, points: &[(f64, f64)], dot: Dot) {
        let places: Vec<_> = points.iter().filter_map(|&p| self.at(p)).collect();
        canvas.circles(&places, dot.radius, dot.colour, dot.opacity);
    }

    /// A hollow dot, to single out a point.
    pub fn ring(&self, canvas: &mut Canvas, point: (f64, f64), radius: f64, stroke: Stroke) {
        if let Some(place) = self.at(point) {
            canvas.ring(place, radius, stroke);
        }
    }

    /// An upright bar from the low end of the axis, `half` drawing units to each side.
    pub fn bar(&self, canvas: &mut Canvas, (x, y): (f64, f64), half: f64, colour: Colour) {
        if let Some((x, y)) = self.at((x, y)) {
            canvas.rect((x - half, self.plot.bottom()), (x + half, y), colour, 0.75);
        }
    }

    /// An upright interval with caps; an end that cannot be drawn is cut off at the edge.
    pub fn error_bar(&self, canvas: &mut Canvas, x: f64, (low, high): (f64, f64), stroke: Stroke) {
        if low.is_nan() || high.is_nan() {
            return;
        }
        let Some(x) = self.at_x(x) else { return };
        let bottom = self.at_y(low).unwrap_or(self.plot.bottom());
        let top = self.at_y(high).unwrap_or(self.plot.top);
        canvas.line((x, bottom), (x, top), stroke);
        for (value, y) in [(low, bottom), (high, top)] {
            if self.at_y(value).is_some() {
                canvas.line((x - 3.0, y), (x + 3.0, y), stroke);
            }
        }
    }

    /// A box plot; where it stands is said in places on the drawing, `half` units to each side of the middle.
    pub fn box_plot(&self, canvas: &mut Canvas, Slot { middle, half }: Slot, summary: &Summary, colour: Colour) {
        let level = |v| self.at_y(v);
        let (Some(first), Some(median), Some(third)) =
            (level(summary.first), level(summary.median), level(summary.third))
        else {
            return;
        };
        let thin = Stroke::solid(colour, 1.3);
        for (end, edge) in [(summary.low, first), (summary.high, third)] {
            if let Some(end) = level(end) {
                canvas.line((middle, edge), (middle, end), thin);
                canvas.line((middle - half * 0.5, end), (middle + half * 0.5, end), thin);
            }
        }
        canvas.rect((middle - half, first), (middle + half, third), colour, 0.25);
        canvas.frame((middle - half, first), (middle + half, third), thin);
        canvas.line((middle - half, median), (middle + half, median), Stroke::solid(colour, 2.6));
        let outliers: Vec<_> = summary.outliers.iter().filter_map(|&v| Some((middle, level(v)?))).collect();
        canvas.circles(&outliers, 2.0, colour, 0.8);
    }

    /// A level reference line.
    pub fn level(&self, canvas: &mut Canvas, value: f64, stroke: Stroke) {
        if let Some(y) = self.at_y(value) {
            canvas.line((self.plot.left, y), (self.plot.right(), y), stroke);
        }
    }

    /// An upright reference line.
    pub fn upright(&self, canvas: &mut Canvas, value: f64, stroke: Stroke) {
        if let Some(x) = self.at_x(value) {
            canvas.line((x, self.plot.top), (x, self.plot.bottom()), stroke);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_interpolate_and_outliers_stand_apart() {
        let summary = Summary::of(&[1.0, 2.0, 3.0, 4.0, 100.0, f64::NAN]).unwrap();
        assert_eq!((summary.first, summary.median, summary.third), (2.0, 3.0, 4.0));
        assert_eq!((summary.low, summary.high), (1.0, 4.0));
        assert_eq!(summary.outliers, [100.0]);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[7.0]).unwrap().median, 7.0);
    }
}
