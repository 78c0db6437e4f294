//! Receiver operating characteristics: what share of positives is found at what share of false alarms.

use super::thinned;
use crate::input::RocCurve;
use crate::svg::{Axis, Canvas, Colour, Key, Panel, Rect, Stroke, Style, Swatch, legend};

/// Curves in the unit square, with their areas in the legend and the diagonal of chance.
pub fn roc(curves: &[RocCurve], style: Style) -> String {
    let title = "ROC curve";
    let side = style.bounded_width().min(460.0);
    let mut canvas = Canvas::new(style.width(side), side);
    let mut top = canvas.title(title);
    let mut names: Vec<String> = Vec::new();
    for curve in curves {
        let area = curve.area();
        let area = if area.is_finite() { format!("AUC {area:.3}") } else { "AUC unknown".into() };
        names.push(if curve.label.is_empty() { area } else { format!("{}, {area}", curve.label) });
    }
    let mut keys: Vec<Key> =
        names.iter().enumerate().map(|(i, name)| Key::new(Swatch::Line(Stroke::series(i)), name)).collect();
    let chance = Stroke::dashed(Colour::Muted, 1.2);
    keys.push(Key::new(Swatch::Line(chance), "chance"));
    top += legend(&mut canvas, top, &keys);
    let x = Axis::unit("false positive rate");
    let y = Axis::unit("true positive rate");
    let bounds = Rect { left: 0.0, top, width: side, height: side - 2.0 };
    let panel = Panel::new(bounds, x, y, 0.0);
    panel.draw(&mut canvas);
    panel.line(&mut canvas, &[(0.0, 0.0), (1.0, 1.0)], chance);
    for (i, curve) in curves.iter().enumerate() {
        let points: Vec<_> = thinned(curve.points.len(), 600).map(|k| curve.points[k]).collect();
        panel.line(&mut canvas, &points, Stroke { width: 2.0, ..Stroke::series(i) });
    }
    canvas.set_height(panel.plot.bottom() + 42.0);
    canvas.finish(title, &if names.is_empty() { "No curve.".into() } else { names.join("; ") })
}
