//! Two kinds of things in one plane: points for some, arrows from the origin for others, both with names.

use crate::input::{Biplot, Place};
use crate::svg::{
    Anchor, Axis, Canvas, Colour, Dot, Key, Panel, Rect, Scale, Stroke, Style, Swatch, TextStyle, ellipsis, legend,
};

/// Names of points and of arrows that are written, those furthest out first.
const NAMED_POINTS: usize = 14;
const NAMED_ARROWS: usize = 24;
/// Widest name.
const WIDEST: f64 = 110.0;

/// Points and arrows on axes of the same scale.
pub fn biplot(plot: &Biplot, style: Style) -> String {
    let title = if plot.title.is_empty() { "Biplot" } else { &plot.title };
    let side = style.bounded_width().min(560.0);
    let mut canvas = Canvas::new(style.width(side), side);
    let all = || plot.points.iter().chain(&plot.arrows).filter(|place| place.x.is_finite() && place.y.is_finite());
    let reach = all().map(|place| place.x.abs().max(place.y.abs())).fold(0.0, f64::max);
    if reach <= 0.0 {
        canvas.nothing_to_show("No points to show.");
        return canvas.finish(title, "No points to show.");
    }
    let mut top = canvas.title(title);
    let (dot, arrow) = (Dot::solid(3.0, Colour::Series(0)), Stroke::solid(Colour::Series(1), 1.8));
    let keys = [
        Key::new(Swatch::Line(Stroke::solid(Colour::Series(0), 4.0)), &plot.points_label),
        Key::new(Swatch::Line(arrow), &plot.arrows_label),
    ];
    top += legend(&mut canvas, top, &keys);
    let axis = |label: &str| Axis::new(Scale::exact(-1.15 * reach, 1.15 * reach), label);
    let bounds = Rect { left: 0.0, top, width: side, height: side };
    let panel = Panel::new(bounds, axis(&plot.x_label), axis(&plot.y_label), 0.0);
    panel.draw(&mut canvas);
    let quiet = Stroke::dashed(Colour::Muted, 1.0);
    panel.level(&mut canvas, 0.0, quiet);
    panel.upright(&mut canvas, 0.0, quiet);
    let points: Vec<(f64, f64)> = plot.points.iter().map(|place| (place.x, place.y)).collect();
    panel.dots(&mut canvas, &points, dot);
    for place in &plot.arrows {
        panel.line(&mut canvas, &[(0.0, 0.0), (place.x, place.y)], arrow);
        if let (Some(tip), Some(root)) = (panel.at((place.x, place.y)), panel.at((0.0, 0.0))) {
            head(&mut canvas, root, tip, arrow.colour);
        }
    }
    for (places, most, colour) in
        [(&plot.points, NAMED_POINTS, Colour::Series(0)), (&plot.arrows, NAMED_ARROWS, Colour::Series(1))]
    {
        for place in furthest(places, most) {
            name(&mut canvas, &panel, place, colour);
        }
    }
    canvas.set_height(panel.plot.bottom() + 42.0);
    let description = format!(
        "{} {} and {} {} on {} and {}.",
        plot.points.len(),
        plot.points_label,
        plot.arrows.len(),
        plot.arrows_label,
        plot.x_label,
        plot.y_label
    );
    canvas.finish(title, &description)
}

/// Those furthest from the origin.
fn furthest(places: &[Place], most: usize) -> Vec<&Place> {
    let size = |place: &Place| place.x * place.x + place.y * place.y;
    let mut order: Vec<&Place> = places.iter().filter(|place| size(place) > 0.0 && size(place).is_finite()).collect();
    order.sort_by(|a, b| size(b).total_cmp(&size(a)));
    order.truncate(most);
    order
}

/// A small triangle at the tip of an arrow.
fn head(canvas: &mut Canvas, root: (f64, f64), tip: (f64, f64), colour: Colour) {
    let (x, y) = (tip.0 - root.0, tip.1 - root.1);
    let length = x.hypot(y);
    if length > 1.0 {
        let (x, y) = (7.0 * x / length, 7.0 * y / length);
        let back = (tip.0 - x, tip.1 - y);
        canvas.polygon(&[tip, (back.0 - 0.5 * y, back.1 + 0.5 * x), (back.0 + 0.5 * y, back.1 - 0.5 * x)], colour, 1.0);
    }
}

/// The name of a place beside it, on the side away from the origin.
fn name(canvas: &mut Canvas, panel: &Panel, place: &Place, colour: Colour) {
    let Some((x, y)) = panel.at((place.x, place.y)) else { return };
    let (anchor, shift) = if place.x < 0.0 { (Anchor::End, -6.0) } else { (Anchor::Start, 6.0) };
    let room = if place.x < 0.0 { x + shift - 2.0 } else { canvas.width() - x - shift - 2.0 };
    let cut = ellipsis(&place.name, 11.5, room.min(WIDEST));
    let lower = if place.y < 0.0 { 10.0 } else { -3.0 };
    canvas.text((x + shift, y + lower), &cut.into(), TextStyle::new(11.5, anchor).colour(colour));
}
