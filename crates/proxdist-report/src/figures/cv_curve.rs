//! Scores of cross-validation against a parameter: which value is best, and which simpler one is as good?

use crate::input::{CvCurve, CvPoint};
use crate::number::number;
use crate::svg::{Axis, Canvas, Colour, Dot, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, legend};

/// Mean scores with standard errors, one line for each setting of the other parameters; the chosen candidate and the simplest
/// one within a standard error are ringed.
pub fn cv_curve(curve: &CvCurve, style: Style) -> String {
    let title = "Cross-validation";
    let mut canvas = Canvas::new(style, 90.0);
    let drawable = |p: &&CvPoint| Kind::Linear.can_draw(p.value) && Kind::Linear.can_draw(p.mean);
    let drawn: Vec<&CvPoint> = curve.points.iter().filter(drawable).collect();
    if drawn.is_empty() {
        canvas.nothing_to_show("No candidate has a score.");
        return canvas.finish(title, "No candidate has a score.");
    }
    let mut lines: Vec<(&str, Vec<&CvPoint>)> = Vec::new();
    for point in &drawn {
        match lines.iter_mut().find(|l| l.0 == point.line) {
            Some(line) => line.1.push(point),
            None => lines.push((&point.line, vec![point])),
        }
    }
    let mut top = canvas.title(title);
    let chosen = Stroke::solid(Colour::Ink, 2.0);
    let simplest = Stroke { dash: "3 2", ..chosen };
    let pick = |index: Option<usize>| index.and_then(|i| curve.points.get(i)).filter(drawable);
    let mut keys = Vec::new();
    if lines.len() > 1 {
        keys.extend(lines.iter().enumerate().map(|(i, l)| Key::new(Swatch::Line(Stroke::series(i)), l.0)));
    }
    if pick(curve.chosen).is_some() {
        keys.push(Key::new(Swatch::Ring(chosen), "chosen"));
    }
    if pick(curve.one_standard_error).is_some() {
        keys.push(Key::new(Swatch::Ring(simplest), "simplest within one standard error"));
    }
    top += legend(&mut canvas, top, &keys);
    let kind = Kind::suited_to(drawn.iter().map(|p| p.value));
    let x = Scale::new(kind, Extent::over(drawn.iter().map(|p| p.value), kind), 0.05);
    let heights = drawn.iter().flat_map(|p| [p.mean - error(p), p.mean, p.mean + error(p)]);
    let y = Scale::new(Kind::Linear, Extent::of(heights), 0.06);
    let better = if curve.larger_is_better { "larger is better" } else { "smaller is better" };
    let score = if curve.score.is_empty() { "score" } else { &curve.score };
    let y = Axis::new(y, format!("{score} ± standard error ({better})"));
    let bounds = Rect { left: 0.0, top, width: canvas.width(), height: 320.0 };
    let mut values: Vec<f64> = drawn.iter().map(|p| p.value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let x = Axis { values, ..Axis::new(x, curve.parameter.clone()) };
    let panel = Panel::new(bounds, x, y, 0.0);
    panel.draw(&mut canvas);
    for (i, (_, points)) in lines.iter_mut().enumerate() {
        let stroke = Stroke::series(i);
        points.sort_by(|a, b| a.value.total_cmp(&b.value));
        for point in points.iter().filter(|p| error(p) > 0.0) {
            let interval = (point.mean - error(point), point.mean + error(point));
            panel.error_bar(&mut canvas, point.value, interval, Stroke { width: 1.2, dash: "", ..stroke });
        }
        let places: Vec<(f64, f64)> = points.iter().map(|p| (p.value, p.mean)).collect();
        panel.line(&mut canvas, &places, stroke);
        panel.dots(&mut canvas, &places, Dot::solid(3.4, stroke.colour));
    }
    for (point, stroke, radius) in [(pick(curve.chosen), chosen, 7.5), (pick(curve.one_standard_error), simplest, 10.5)]
    {
        if let Some(point) = point {
            panel.ring(&mut canvas, (point.value, point.mean), radius, stroke);
        }
    }
    canvas.set_height(panel.plot.bottom() + 42.0);
    let best = pick(curve.chosen).map_or(String::new(), |p| {
        format!(" Chosen: {} {} {} with score {}.", curve.parameter, number(p.value, 5), p.line, number(p.mean, 5))
    });
    canvas.finish(title, &format!("{} candidates.{best}", curve.points.len()))
}

/// The standard error, or nothing where there is none to draw.
fn error(point: &CvPoint) -> f64 {
    if Kind::Linear.can_draw(point.standard_error) { point.standard_error.max(0.0) } else { 0.0 }
}
