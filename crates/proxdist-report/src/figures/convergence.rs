//! The objective and the distance to the set against the step: did the run settle, and where?

use super::thinned;
use crate::input::TracePoint;
use crate::number::{duration, number};
use crate::svg::{Axis, Canvas, Colour, Dot, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, legend};
use std::fmt::Write;

/// More points than pixels show nothing more.
pub(crate) const POINTS: usize = 600;
/// Differences to the reference below this share of it are rounding.
const ROUNDING: f64 = 1e-15;

/// Two stacked panels over a common step axis. With a `reference` value, such as the objective of the polished result, the
/// upper one shows the excess over it on a logarithmic axis, else the objective itself. What is zero, and so has no place on
/// a logarithmic axis, is marked by rings along its lower edge.
pub fn convergence(trace: &[TracePoint], reference: Option<f64>, style: Style) -> String {
    let title = "Convergence";
    let trace = thin_trace(trace, POINTS);
    let mut canvas = Canvas::new(style, 420.0);
    let Some(last) = trace.last() else {
        canvas.set_height(90.0);
        canvas.nothing_to_show("No checkpoints were recorded.");
        return canvas.finish(title, "No checkpoints were recorded.");
    };
    let reference = reference.filter(|r| r.is_finite());
    let upper: Vec<(f64, f64)> = trace.iter().map(|t| (t.step as f64, excess(t.objective, reference))).collect();
    let lower: Vec<(f64, f64)> = trace.iter().map(|t| (t.step as f64, t.distance)).collect();
    let upper_kind = match reference {
        Some(_) if upper.iter().any(|p| Kind::Log.can_draw(p.1)) => Kind::Log,
        Some(_) => Kind::Linear,
        None => Kind::suited_to(upper.iter().map(|p| p.1)),
    };
    let lower_kind = if lower.iter().any(|p| Kind::Log.can_draw(p.1)) { Kind::Log } else { Kind::Linear };
    let mut top = canvas.title(title);
    let marks_zero = |points: &[(f64, f64)], kind| kind == Kind::Log && points.iter().any(|p| p.1 <= 0.0);
    if marks_zero(&upper, upper_kind) || marks_zero(&lower, lower_kind) {
        let meaning = if reference.is_some() { "zero, or at the reference" } else { "zero" };
        let ring = Swatch::Ring(Stroke::solid(Colour::Muted, 1.3));
        top += legend(&mut canvas, top, &[Key::new(ring, meaning)]);
    }
    let steps = step_scale(&trace);
    let label = match reference {
        Some(r) => format!("F(θ) − {}", number(r, 6)),
        None => "objective F(θ)".into(),
    };
    let upper_axis = Axis::new(value_scale(&upper, upper_kind), label);
    let lower_axis = Axis::new(value_scale(&lower, lower_kind), "distance to the set");
    let margin = Panel::margin(&upper_axis, 150.0).max(Panel::margin(&lower_axis, 150.0));
    let width = canvas.width();
    let bounds = |top, height| Rect { left: 0.0, top, width, height };
    let step_axis = Axis::new(steps, "step");
    let mut above = step_axis.clone().unlabelled();
    above.label.clear();
    let first = Panel::new(bounds(top, 190.0), above, upper_axis, margin);
    let second = Panel::new(bounds(top + 190.0, 220.0), step_axis, lower_axis, margin);
    first.draw(&mut canvas);
    second.draw(&mut canvas);
    draw_series(&mut canvas, &first, &upper, Stroke::series(0));
    draw_series(&mut canvas, &second, &lower, Stroke::series(1));
    let mut places = String::new();
    for point in &trace {
        let _ = write!(places, "{:.1} ", first.at_x(point.step as f64).unwrap_or(0.0));
    }
    canvas.attribute("data-x", places.trim_end());
    canvas.attribute("data-y", &format!("{:.1} {:.1}", first.plot.top, second.plot.bottom()));
    canvas.set_height(top + 418.0);
    let description = format!(
        "{} checkpoints; after {} steps and {} the objective is {} and the distance to the set {}.",
        trace.len(),
        last.step,
        duration(last.seconds),
        number(last.objective, 6),
        number(last.distance, 3)
    );
    canvas.finish(title, &description)
}

/// At most `most` points of a trace, evenly spread.
pub(crate) fn thin_trace(trace: &[TracePoint], most: usize) -> Vec<TracePoint> {
    thinned(trace.len(), most).map(|i| trace[i]).collect()
}

/// What is left above the reference; nothing when it is within rounding of it or below.
fn excess(objective: f64, reference: Option<f64>) -> f64 {
    let Some(reference) = reference else { return objective };
    let difference = objective - reference;
    if difference <= ROUNDING * reference.abs() { 0.0 } else { difference }
}

fn step_scale(trace: &[TracePoint]) -> Scale {
    let steps = trace.iter().map(|t| t.step as f64);
    match Extent::of(steps) {
        Some(range) if range.high > range.low => Scale::new(Kind::Linear, Some(range), 0.02),
        Some(range) => Scale::new(Kind::Linear, Some(Extent { low: 0.0, high: (2.0 * range.high).max(1.0) }), 0.0),
        None => Scale::exact(0.0, 1.0),
    }
}

fn value_scale(points: &[(f64, f64)], kind: Kind) -> Scale {
    let extent = Extent::over(points.iter().map(|p| p.1), kind);
    match extent {
        // A distance that is zero throughout.
        Some(e) if kind == Kind::Linear && e.low == 0.0 && e.high == 0.0 => Scale::exact(0.0, 1.0),
        _ => Scale::new(kind, extent, 0.06),
    }
}

fn draw_series(canvas: &mut Canvas, panel: &Panel, points: &[(f64, f64)], stroke: Stroke) {
    panel.line(canvas, points, stroke);
    let few = points.len() <= 40;
    if few {
        panel.dots(canvas, points, Dot::solid(2.6, stroke.colour));
    }
    if panel.y.scale.kind() == Kind::Log {
        let zeros: Vec<f64> = points.iter().filter(|p| p.1 <= 0.0).filter_map(|p| panel.at_x(p.0)).collect();
        for i in thinned(zeros.len(), 60) {
            canvas.ring((zeros[i], panel.plot.bottom()), 3.0, Stroke { width: 1.3, dash: "", ..stroke });
        }
    }
}
