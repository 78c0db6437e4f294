//! The coefficients that matter most, as bars from zero.

use crate::input::Coefficient;
use crate::model_input::Effects;
use crate::number::{count, number};
use crate::svg::{
    Anchor, Axis, Canvas, Colour, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, TextStyle, ellipsis,
    legend, text_width,
};

/// More bars than this cannot be read; the table has the rest.
const MOST: usize = 50;
const ROW: f64 = 19.0;
/// An interval over its bar.
const WHISKER: Stroke = Stroke::solid(Colour::Ink, 1.2);

/// One bar, with an interval if there is one.
struct Bar<'a> {
    name: &'a str,
    value: f64,
    interval: Option<(f64, f64)>,
}

impl Bar<'_> {
    /// Where its number stands: beyond bar and interval, on the side of the bar.
    fn end(&self) -> f64 {
        match self.interval {
            Some((_, high)) if self.value > 0.0 => high.max(self.value),
            Some((low, _)) => low.min(self.value),
            None => self.value,
        }
    }

    /// The interval reaches over zero to the other side.
    fn other_end(&self) -> f64 {
        self.interval.map_or(0.0, |(low, high)| if self.value > 0.0 { low.min(0.0) } else { high.max(0.0) })
    }
}

/// Level bars of the fifty coefficients of largest magnitude, largest first; zeros are left out.
pub fn coefficients(coefficients: &[Coefficient], style: Style) -> String {
    let bars = coefficients.iter().map(|c| Bar { name: &c.name, value: c.value, interval: None });
    draw("Coefficients", "coefficient", bars.collect(), style)
}

/// The same for the effects of standard deviations, with their intervals; coefficients in their units where no effects are known.
pub fn effects(effects: &Effects, style: Style) -> String {
    let can_draw = |&(low, high): &(f64, f64)| Kind::Linear.can_draw(low) && Kind::Linear.can_draw(high);
    let bar = |row: &'_ crate::model_input::Effect| match row.effect {
        Some(effect) => (effect, row.effect_interval.filter(can_draw)),
        None => (row.value, row.interval.filter(can_draw)),
    };
    let bars = effects.rows.iter().map(|row| {
        let (value, interval) = bar(row);
        Bar { name: &row.name, value, interval }
    });
    let label = if effects.effect_label.is_empty() { "coefficient" } else { &effects.effect_label };
    draw("Effects", label, bars.collect(), style)
}

fn draw(title: &str, label: &str, bars: Vec<Bar>, style: Style) -> String {
    let all = bars.len();
    let mut shown: Vec<Bar> = bars.into_iter().filter(|c| c.value != 0.0 && Kind::Linear.can_draw(c.value)).collect();
    let nonzero = shown.len();
    shown.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    shown.truncate(MOST);
    let mut canvas = Canvas::new(style, 90.0);
    if shown.is_empty() {
        canvas.nothing_to_show("All coefficients are zero.");
        return canvas.finish(title, "All coefficients are zero.");
    }
    let mut top = canvas.title(title);
    let mixed = shown.iter().any(|c| c.value > 0.0) && shown.iter().any(|c| c.value < 0.0);
    let mut keys = Vec::new();
    if mixed {
        keys.extend([(0, "positive"), (1, "negative")].map(|(i, name)| Key::new(Swatch::Box(Colour::Series(i)), name)));
    }
    if shown.iter().any(|bar| bar.interval.is_some()) {
        keys.push(Key::new(Swatch::Line(WHISKER), "95 % interval"));
    }
    if !keys.is_empty() {
        top += legend(&mut canvas, top, &keys);
    }
    let room = canvas.width() * if style.is_narrow() { 0.36 } else { 0.34 };
    let names: Vec<String> = shown.iter().map(|c| ellipsis(c.name, 12.0, room)).collect();
    let margin = names.iter().map(|n| text_width(n, 12.0)).fold(30.0, f64::max) + 14.0;
    let height = shown.len() as f64 * ROW;
    let note =
        if nonzero > MOST { format!("{label} (the largest {MOST} of {})", count(nonzero)) } else { label.to_owned() };
    let left = margin.min(canvas.width() * 0.5);
    // Room for the number at the end of each bar: padding p on both sides makes it a share p / (1 + 2p) of the axis.
    let longest = shown.iter().map(|c| text_width(&number(c.value, 3), 11.0)).fold(0.0, f64::max) + 14.0;
    let share = (longest / (canvas.width() - left - 14.0)).min(0.33);
    let ends = || shown.iter().flat_map(|bar| [bar.end(), bar.other_end()]);
    let both = ends().any(|end| end > 0.0) && ends().any(|end| end < 0.0);
    let padding = if both { share / (1.0 - 2.0 * share) } else { share / (1.0 - share) };
    let x = Axis::new(Scale::new(Kind::Linear, Extent::of(ends().chain([0.0])), padding), note);
    let x = Axis { scale: one_sided(&x.scale, &ends().collect::<Vec<_>>()), ..x };
    let bounds = Rect { left: 0.0, top, width: canvas.width(), height: height + 46.0 };
    let panel = Panel::new(bounds, x, Axis::new(Scale::exact(0.0, 1.0), "").bare(), left);
    panel.draw(&mut canvas);
    let zero = panel.at_x(0.0).unwrap_or(panel.plot.left);
    for (i, (bar, name)) in shown.iter().zip(&names).enumerate() {
        let middle = panel.plot.top + (i as f64 + 0.5) * panel.plot.height / shown.len() as f64;
        let end = panel.at_x(bar.value).unwrap_or(zero);
        let positive = bar.value > 0.0;
        canvas.rect((zero, middle - 6.5), (end, middle + 6.5), Colour::Series(usize::from(!positive)), 1.0);
        if let Some((low, high)) = bar.interval.and_then(|(low, high)| panel.at_x(low).zip(panel.at_x(high))) {
            canvas.line((low, middle), (high, middle), WHISKER);
            for at in [low, high] {
                canvas.line((at, middle - 3.5), (at, middle + 3.5), WHISKER);
            }
        }
        let end = panel.at_x(bar.end()).unwrap_or(end);
        let (place, anchor) = if positive { (end + 5.0, Anchor::Start) } else { (end - 5.0, Anchor::End) };
        let value = number(bar.value, 3);
        canvas.text((place, middle + 4.0), &value.into(), TextStyle::new(11.0, anchor).colour(Colour::Muted));
        canvas.text((panel.plot.left - 7.0, middle + 4.0), &name.as_str().into(), TextStyle::new(12.0, Anchor::End));
    }
    canvas.line((zero, panel.plot.top), (zero, panel.plot.bottom()), Stroke::solid(Colour::Ink, 1.0));
    canvas.set_height(panel.plot.bottom() + 46.0);
    let largest =
        shown.first().map_or(String::new(), |c| format!(" The largest is {} with {}.", c.name, number(c.value, 4)));
    canvas.finish(title, &format!("{nonzero} of {all} coefficients are not zero.{largest}"))
}

/// Bars of one sign start at the axis itself.
fn one_sided(scale: &Scale, ends: &[f64]) -> Scale {
    let (low, high) = scale.ends();
    if ends.iter().all(|end| *end >= 0.0) {
        Scale::exact(0.0, high)
    } else if ends.iter().all(|end| *end <= 0.0) {
        Scale::exact(low, 0.0)
    } else {
        *scale
    }
}
