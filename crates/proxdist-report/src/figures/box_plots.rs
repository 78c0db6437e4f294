//! Distributions side by side.

use crate::input::BoxPlots;
use crate::svg::{
    Anchor, Axis, Canvas, Colour, Extent, Key, Kind, Panel, Rect, Scale, Slot, Stroke, Style, Summary, Swatch,
    TextStyle, ellipsis, legend,
};

/// Box plots in groups, one colour for each series. On a logarithmic axis, values that are not positive are left out and counted.
pub fn box_plots(plots: &BoxPlots, style: Style) -> String {
    let title = if plots.title.is_empty() { "Box plots" } else { &plots.title };
    let mut canvas = Canvas::new(style, 90.0);
    if extent(plots).is_none() {
        canvas.nothing_to_show("No values to show.");
        return canvas.finish(title, "No values to show.");
    }
    let mut top = canvas.title(title);
    if plots.series.len() > 1 {
        top += legend(&mut canvas, top, &keys(plots));
    }
    let bounds = Rect { left: 0.0, top, width: canvas.width(), height: 330.0 };
    let bottom = draw(&mut canvas, bounds, plots);
    canvas.set_height(bottom + if left_out(plots) == 0 { 26.0 } else { 42.0 });
    canvas.finish(title, &description(plots))
}

/// What the plot shows, for those who cannot see it.
pub(super) fn description(plots: &BoxPlots) -> String {
    format!("{} groups of up to {} boxes. {}", plots.groups.len(), series(plots), note(plots))
}

/// The entries of its legend.
pub(super) fn keys(plots: &BoxPlots) -> Vec<Key> {
    let key = |(i, name): (usize, &String)| Key::new(Swatch::Box(Colour::Series(i)), name);
    plots.series.iter().enumerate().map(key).collect()
}

fn kind(plots: &BoxPlots) -> Kind {
    if plots.log { Kind::Log } else { Kind::Linear }
}

fn values(plots: &BoxPlots) -> impl Iterator<Item = f64> {
    plots.groups.iter().flat_map(|g| g.values.iter().flatten().copied())
}

fn extent(plots: &BoxPlots) -> Option<Extent> {
    Extent::over(values(plots), kind(plots))
}

fn left_out(plots: &BoxPlots) -> usize {
    values(plots).filter(|&v| !kind(plots).can_draw(v)).count()
}

fn note(plots: &BoxPlots) -> String {
    match left_out(plots) {
        0 => String::new(),
        n => format!("{n} {} left out", if n == 1 { "value" } else { "values" }),
    }
}

fn series(plots: &BoxPlots) -> usize {
    plots.groups.iter().map(|g| g.values.len()).max().unwrap_or(0).max(plots.series.len()).max(1)
}

/// Draws axes and boxes into a part of the drawing; gives the lower edge of the plot.
pub(super) fn draw(canvas: &mut Canvas, bounds: Rect, plots: &BoxPlots) -> f64 {
    let (kind, series) = (kind(plots), series(plots));
    let x = Axis { label: note(plots), ..Axis::new(Scale::exact(0.0, 1.0), "").bare() };
    let y = Axis::new(Scale::new(kind, extent(plots), 0.05), plots.label.clone());
    let mut panel = Panel::new(bounds, x, y, 0.0);
    // Room for the names of the groups, which stand where tick labels would.
    panel.plot.height -= 14.0;
    let label = std::mem::take(&mut panel.x.label);
    panel.draw(canvas);
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
                panel.box_plot(canvas, Slot { middle, half: (place * 0.36).min(22.0) }, &summary, Colour::Series(s));
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
    panel.plot.bottom()
}
