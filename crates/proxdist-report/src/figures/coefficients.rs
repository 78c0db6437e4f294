//! The coefficients that matter most, as bars from zero.

use crate::input::Coefficient;
use crate::number::{count, number};
use crate::svg::{
    Anchor, Axis, Canvas, Colour, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, TextStyle, ellipsis,
    legend, text_width,
};

/// More bars than this cannot be read; the table has the rest.
const MOST: usize = 50;
const ROW: f64 = 19.0;

/// Level bars of the fifty coefficients of largest magnitude, largest first; zeros are left out.
pub fn coefficients(coefficients: &[Coefficient], style: Style) -> String {
    let title = "Coefficients";
    let mut shown: Vec<&Coefficient> =
        coefficients.iter().filter(|c| c.value != 0.0 && Kind::Linear.can_draw(c.value)).collect();
    let nonzero = shown.len();
    shown.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    shown.truncate(MOST);
    let mut canvas = Canvas::new(style, 90.0);
    if shown.is_empty() {
        canvas.nothing_to_show("All coefficients are zero.");
        return canvas.finish(title, "All coefficients are zero.");
    }
    let mut top = canvas.title(title);
    let both = shown.iter().any(|c| c.value > 0.0) && shown.iter().any(|c| c.value < 0.0);
    if both {
        let keys = [(0, "positive"), (1, "negative")].map(|(i, name)| Key::new(Swatch::Box(Colour::Series(i)), name));
        top += legend(&mut canvas, top, &keys);
    }
    let room = canvas.width() * if style.is_narrow() { 0.36 } else { 0.34 };
    let names: Vec<String> = shown.iter().map(|c| ellipsis(&c.name, 12.0, room)).collect();
    let margin = names.iter().map(|n| text_width(n, 12.0)).fold(30.0, f64::max) + 14.0;
    let height = shown.len() as f64 * ROW;
    let note = if nonzero > MOST {
        format!("coefficient (the largest {MOST} of {})", count(nonzero))
    } else {
        "coefficient".into()
    };
    let left = margin.min(canvas.width() * 0.5);
    // Room for the number at the end of each bar: padding p on both sides makes it a share p / (1 + 2p) of the axis.
    let longest = shown.iter().map(|c| text_width(&number(c.value, 3), 11.0)).fold(0.0, f64::max) + 14.0;
    let share = (longest / (canvas.width() - left - 14.0)).min(0.33);
    let padding = if both { share / (1.0 - 2.0 * share) } else { share / (1.0 - share) };
    let extent = Extent::of(shown.iter().map(|c| c.value).chain([0.0]));
    let x = Axis::new(Scale::new(Kind::Linear, extent, padding), note);
    let x = Axis { scale: one_sided(&x.scale, &shown), ..x };
    let bounds = Rect { left: 0.0, top, width: canvas.width(), height: height + 46.0 };
    let panel = Panel::new(bounds, x, Axis::new(Scale::exact(0.0, 1.0), "").bare(), left);
    panel.draw(&mut canvas);
    let zero = panel.at_x(0.0).unwrap_or(panel.plot.left);
    for (i, (coefficient, name)) in shown.iter().zip(&names).enumerate() {
        let middle = panel.plot.top + (i as f64 + 0.5) * panel.plot.height / shown.len() as f64;
        let end = panel.at_x(coefficient.value).unwrap_or(zero);
        let positive = coefficient.value > 0.0;
        canvas.rect((zero, middle - 6.5), (end, middle + 6.5), Colour::Series(usize::from(!positive)), 1.0);
        let (place, anchor) = if positive { (end + 5.0, Anchor::Start) } else { (end - 5.0, Anchor::End) };
        let value = number(coefficient.value, 3);
        canvas.text((place, middle + 4.0), &value.into(), TextStyle::new(11.0, anchor).colour(Colour::Muted));
        canvas.text((panel.plot.left - 7.0, middle + 4.0), &name.as_str().into(), TextStyle::new(12.0, Anchor::End));
    }
    canvas.line((zero, panel.plot.top), (zero, panel.plot.bottom()), Stroke::solid(Colour::Ink, 1.0));
    canvas.set_height(panel.plot.bottom() + 46.0);
    let largest =
        shown.first().map_or(String::new(), |c| format!(" The largest is {} with {}.", c.name, number(c.value, 4)));
    let description = format!("{} of {} coefficients are not zero.{largest}", nonzero, coefficients.len());
    canvas.finish(title, &description)
}

/// Bars of one sign start at the axis itself.
fn one_sided(scale: &Scale, shown: &[&Coefficient]) -> Scale {
    let (low, high) = scale.ends();
    if shown.iter().all(|c| c.value > 0.0) {
        Scale::exact(0.0, high)
    } else if shown.iter().all(|c| c.value < 0.0) {
        Scale::exact(low, 0.0)
    } else {
        *scale
    }
}
