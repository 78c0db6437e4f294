//! Distributions side by side.

use crate::input::BoxPlots;
use crate::svg::{
    Anchor, Axis, Canvas, Colour, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Summary, Swatch, TextStyle,
    ellipsis, legend,
};

/// Box plots in groups, one colour for each series. On a logarithmic axis, values that are not positive are left out and counted.
pub fn box_plots(plots: &BoxPlots, style: Style) -> String {
    let title = if plots.title.is_empty() { "Box plots" } else { &plots.title };
    let mut canvas = Canvas::new(style, 90.0);
    let kind = if plots.log { Kind::Log } else { Kind::Linear };
    let values = || plots.groups.iter().flat_map(|g| g.values.iter().flatten().copied());
    let Some(extent) = Extent::over(values(), kind) else {
        canvas.nothing_to_show("No values to show.");
        return canvas.finish(title, "No values to show.");
    };
    let left_out = values().filter(|&v| !kind.can_draw(v)).count();
    let mut top = canvas.title(title);
    let series = plots.groups.iter().map(|g| g.values.len()).max().unwrap_or(0).max(plots.series.len()).max(1);
    if plots.series.len() > 1 {
        let key = |(i, name): (usize, &String)| Key::new(Swatch::Box(Colour::Series(i)), name);
        top += legend(&mut canvas, top, &plots.series.iter().enumerate().map(key).collect::<Vec<_>>());
    }
    let note = match left_out {
        0 => String::new(),
        n => format!("{n} {} left out", if n == 1 { "value" } else { "values" }),
    };
    let x = Axis { label: note, ..Axis::new(Scale::exact(0.0, 1.0), "").bare() };
    let y = Axis::new(Scale::new(kind, Some(extent), 0.05), plots.label.clone());
    let bounds = Rect { left: 0.0, top, width: canvas.width(), height: 330.0 };
    let mut panel = Panel::new(bounds, x, y, 0.0);
    // Room for the names of the groups, which stand where tick labels would.
    panel.plot.height -= 14.0;
    let label = std::mem::take(&mut panel.x.label);
    panel.draw(&mut canvas);
    let slot = panel.plot.width / plots.groups.len().max(1) as f64;
    let place = slot * 0.84 / series as f64;
    // Names that would touch are thinned out.
    let every = (22.0 / slot).ceil().max(1.0) as usize;
    for (g, group) in plots.groups.iter().enumerate() {
        let start = panel.plot.left + g as f64 * slot;
        if g > 0 {
            let separator = Stroke::solid(Colour::Grid, 1.0);
            canvas.line((start, panel.plot.top), (start, panel.plot.bottom()), separator);
        }
        for (s, values) in group.values.iter().enumerate() {
            let drawable: Vec<f64> = values.iter().copied().filter(|&v| kind.can_draw(v)).collect();
            if let Some(summary) = Summary::of(&drawable) {
                let middle = start + slot * 0.08 + (s as f64 + 0.5) * place;
                panel.box_plot(&mut canvas, middle, (place * 0.36).min(22.0), &summary, Colour::Series(s));
            }
        }
        if g % every == 0 {
            let name = ellipsis(&group.label, 12.0, slot * every as f64 - 4.0);
            canvas.text(
                (start + slot / 2.0, panel.plot.bottom() + 16.0),
                &name.into(),
                TextStyle::new(12.0, Anchor::Middle),
            );
        }
    }
    let quiet = TextStyle::new(11.0, Anchor::End).colour(Colour::Muted);
    canvas.text((panel.plot.right(), panel.plot.bottom() + 32.0), &label.as_str().into(), quiet);
    canvas.set_height(panel.plot.bottom() + if label.is_empty() { 26.0 } else { 42.0 });
    canvas.finish(title, &format!("{} groups of up to {series} boxes. {label}", plots.groups.len()))
}
