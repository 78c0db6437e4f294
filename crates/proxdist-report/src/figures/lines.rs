//! Any named lines on common axes.

use super::thinned;
use crate::input::{LinePlot, Series};
use crate::svg::{Axis, Canvas, Colour, Dot, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, legend};

/// The line at a mark.
const MARK: Stroke = Stroke::dashed(Colour::Ink, 1.2);
/// Where the data are.
const RUG: Stroke = Stroke::solid(Colour::Muted, 1.4);
/// Around points that are singled out.
const RING: Stroke = Stroke::solid(Colour::Ink, 1.6);

/// Lines on linear or logarithmic axes with a legend, on top of their bands; long lines are thinned to 1500 points.
pub fn lines(plot: &LinePlot, style: Style) -> String {
    let title = if plot.title.is_empty() { "Lines" } else { &plot.title };
    let mut canvas = Canvas::new(style, 90.0);
    if extents(plot).is_none() {
        canvas.nothing_to_show("No points to show.");
        return canvas.finish(title, "No points to show.");
    }
    let mut top = canvas.title(title);
    if plot.series.len() > 1
        || plot.mark.is_some()
        || plot.rings.is_some()
        || plot.series.iter().any(|s| !s.label.is_empty())
    {
        top += legend(&mut canvas, top, &keys(plot));
    }
    let bounds = Rect { left: 0.0, top, width: canvas.width(), height: 340.0 };
    let bottom = draw(&mut canvas, bounds, plot);
    canvas.set_height(bottom + 42.0);
    canvas.finish(title, &description(plot))
}

/// What the plot shows, for those who cannot see it.
pub(super) fn description(plot: &LinePlot) -> String {
    format!("{} lines: {} against {}.", plot.series.len(), plot.y_label, plot.x_label)
}

/// The entries of its legend.
pub(super) fn keys(plot: &LinePlot) -> Vec<Key> {
    let key = |(i, s): (usize, &Series)| Key::new(Swatch::Line(Stroke::series(i)), &s.label);
    let named = plot.series.iter().enumerate().filter(|(_, s)| plot.series.len() > 1 || !s.label.is_empty()).map(key);
    let mark = plot.mark.iter().map(|mark| Key::new(Swatch::Line(MARK), &mark.label));
    let rings = plot.rings.iter().filter(|rings| !rings.points.is_empty());
    named.chain(mark).chain(rings.map(|rings| Key::new(Swatch::Ring(RING), &rings.label))).collect()
}

/// Ranges of both axes; `None` when there is nothing to draw.
fn extents(plot: &LinePlot) -> Option<(Extent, Extent)> {
    let (x_kind, y_kind) = kinds(plot);
    let edges = |s: &'_ Series| s.band.iter().flat_map(|b| [(b.0, b.1), (b.0, b.2)]).collect::<Vec<_>>();
    let all = || plot.series.iter().flat_map(|s| s.points.iter().copied().chain(edges(s)));
    let points = || all().filter(|p| x_kind.can_draw(p.0) && y_kind.can_draw(p.1));
    Some((Extent::over(points().map(|p| p.0), x_kind)?, Extent::over(points().map(|p| p.1), y_kind)?))
}

fn kinds(plot: &LinePlot) -> (Kind, Kind) {
    let kind = |log| if log { Kind::Log } else { Kind::Linear };
    (kind(plot.log_x), kind(plot.log_y))
}

/// Draws axes and lines into a part of the drawing; gives the lower edge of the plot.
pub(super) fn draw(canvas: &mut Canvas, bounds: Rect, plot: &LinePlot) -> f64 {
    let (x_kind, y_kind) = kinds(plot);
    let (x, y) = extents(plot).unzip();
    let x = Axis::new(Scale::new(x_kind, x, 0.03), plot.x_label.clone());
    let y = Axis::new(Scale::new(y_kind, y, 0.05), plot.y_label.clone());
    let panel = Panel::new(bounds, x, y, 0.0);
    panel.draw(canvas);
    let is_inside = |x: &f64| (panel.plot.left..=panel.plot.right()).contains(x);
    if let Some(x) = plot.mark.as_ref().and_then(|mark| panel.at_x(mark.at)).filter(is_inside) {
        canvas.polyline(&[(x, panel.plot.top), (x, panel.plot.bottom())], MARK);
    }
    for (i, series) in plot.series.iter().enumerate() {
        let band: Vec<_> = thinned(series.band.len(), 1500).map(|k| series.band[k]).collect();
        panel.band(canvas, &band, Stroke::series(i).colour, 0.18);
    }
    for (i, series) in plot.series.iter().enumerate() {
        let kept: Vec<_> = thinned(series.points.len(), 1500).map(|k| series.points[k]).collect();
        panel.line(canvas, &kept, Stroke::series(i));
        if kept.len() <= 20 {
            panel.dots(canvas, &kept, Dot::solid(2.8, Stroke::series(i).colour));
        }
    }
    for x in plot.series.iter().flat_map(|series| &series.rug).filter_map(|&x| panel.at_x(x)).filter(is_inside) {
        canvas.line((x, panel.plot.bottom()), (x, panel.plot.bottom() - 7.0), RUG);
    }
    for &point in plot.rings.iter().flat_map(|rings| &rings.points) {
        panel.ring(canvas, point, 6.5, RING);
    }
    panel.plot.bottom()
}
