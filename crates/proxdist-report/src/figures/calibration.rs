//! Do events predicted with probability 0.3 happen three times in ten?

use crate::input::CalibrationBin;
use crate::number::number;
use crate::svg::{Axis, Canvas, Colour, Dot, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, legend};

/// Observed shares against predicted probabilities with 95 % intervals (Wilson's), above the number of observations of each bin.
pub fn calibration(bins: &[CalibrationBin], style: Style) -> String {
    let title = "Calibration";
    let side = style.bounded_width().min(460.0);
    let mut canvas = Canvas::new(style.width(side), 100.0);
    let bins: Vec<_> =
        bins.iter().filter(|b| b.count > 0.0 && b.predicted.is_finite() && b.observed.is_finite()).collect();
    if bins.is_empty() {
        canvas.nothing_to_show("No predictions to compare.");
        return canvas.finish(title, "No predictions to compare.");
    }
    let mut top = canvas.title(title);
    let ideal = Stroke::dashed(Colour::Muted, 1.2);
    let series = Stroke::series(0);
    let keys =
        [Key::new(Swatch::Dot(series.colour), "observed, 95 % interval"), Key::new(Swatch::Line(ideal), "ideal")];
    top += legend(&mut canvas, top, &keys);
    let most = bins.iter().map(|b| b.count).filter(|&c| Kind::Linear.can_draw(c));
    let counts = Extent::of(most.chain([0.0])).map(|e| Extent { low: 0.0, high: e.high * 1.08 });
    let share = Axis::unit("share observed");
    let number_axis = Axis::new(Scale::new(Kind::Linear, counts, 0.0), "number of observations");
    let margin = Panel::margin(&share, 200.0).max(Panel::margin(&number_axis, 70.0));
    let above = Axis::unit("").unlabelled();
    let bounds = |top, height| Rect { left: 0.0, top, width: side, height };
    let first = Panel::new(bounds(top, side * 0.72), above, share, margin);
    let second = Panel::new(bounds(top + side * 0.72, 140.0), Axis::unit("predicted probability"), number_axis, margin);
    first.draw(&mut canvas);
    second.draw(&mut canvas);
    first.line(&mut canvas, &[(0.0, 0.0), (1.0, 1.0)], ideal);
    let mut points: Vec<(f64, f64)> = bins.iter().map(|b| (b.predicted, b.observed)).collect();
    for bin in &bins {
        first.error_bar(&mut canvas, bin.predicted, wilson(bin.observed, bin.count), Stroke { width: 1.2, ..series });
        second.bar(&mut canvas, (bin.predicted, bin.count), bar_half(first.plot.width, bins.len()), Colour::Series(0));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    first.line(&mut canvas, &points, Stroke { width: 1.2, ..series });
    first.dots(&mut canvas, &points, Dot::solid(4.0, series.colour));
    canvas.set_height(second.plot.bottom() + 42.0);
    let text =
        |b: &&CalibrationBin| format!("{} predicted, {} observed", number(b.predicted, 2), number(b.observed, 2));
    canvas.finish(title, &bins.iter().take(20).map(text).collect::<Vec<_>>().join("; "))
}

fn bar_half(width: f64, bins: usize) -> f64 {
    (width / bins as f64 * 0.3).clamp(1.5, 12.0)
}

/// Wilson's interval of a share: within [0, 1] and sensible for small numbers.
pub(crate) fn wilson(share: f64, count: f64) -> (f64, f64) {
    let (share, z2) = (share.clamp(0.0, 1.0), 1.96 * 1.96);
    let scale = 1.0 + z2 / count;
    let center = (share + z2 / (2.0 * count)) / scale;
    let half = 1.96 * (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt() / scale;
    ((center - half).max(0.0), (center + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn intervals_agree_with_published_values() {
        // 8 of 10 positive: (0.490, 0.943), a standard example of Wilson's score interval.
        let (low, high) = wilson(0.8, 10.0);
        assert!((low - 0.490).abs() < 1e-3 && (high - 0.943).abs() < 1e-3, "{low} {high}");
        assert_eq!(wilson(0.0, 5.0).0, 0.0);
    }
}
