//! The same plot for several settings, side by side under one legend.

use super::{box_plots, lines};
use crate::input::{BoxPlots, LinePlot};
use crate::svg::{Anchor, Canvas, Key, Rect, Style, TextStyle, ellipsis, legend};

/// A plot that can stand among others.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Lines on common axes.
    Lines(LinePlot),
    /// Distributions side by side.
    Boxes(BoxPlots),
}

impl Plot {
    fn title(&self) -> &str {
        match self {
            Plot::Lines(plot) => &plot.title,
            Plot::Boxes(plots) => &plots.title,
        }
    }

    fn keys(&self) -> Vec<Key> {
        match self {
            Plot::Lines(plot) => lines::keys(plot),
            Plot::Boxes(plots) => box_plots::keys(plots),
        }
    }

    fn description(&self) -> String {
        let what = match self {
            Plot::Lines(plot) => lines::description(plot),
            Plot::Boxes(plots) => box_plots::description(plots),
        };
        format!("{}: {what}", self.title())
    }

    fn draw(&self, canvas: &mut Canvas, bounds: Rect) -> f64 {
        match self {
            Plot::Lines(plot) => lines::draw(canvas, bounds, plot),
            Plot::Boxes(plots) => box_plots::draw(canvas, bounds, plots),
        }
    }
}

/// Plots in rows of two, or below each other on a narrow page. The legend is that of the plot with most series: the series of
/// all plots are meant to be the same.
pub fn small_multiples(title: &str, plots: &[Plot], style: Style) -> String {
    let mut canvas = Canvas::new(style, 90.0);
    if plots.is_empty() {
        canvas.nothing_to_show("No plots to show.");
        return canvas.finish(title, "No plots to show.");
    }
    let columns = if style.is_narrow() || plots.len() == 1 { 1 } else { 2 };
    let mut top = canvas.title(title);
    let keys = plots.iter().map(Plot::keys).max_by_key(Vec::len).unwrap_or_default();
    if keys.len() > 1 {
        top += legend(&mut canvas, top, &keys);
    }
    let width = canvas.width() / columns as f64;
    let height = (width * 0.72).clamp(200.0, 300.0);
    for row in plots.chunks(columns) {
        let mut bottom = top;
        let room = if row.iter().all(|plot| plot.title().is_empty()) { 0.0 } else { 22.0 };
        for (i, plot) in row.iter().enumerate() {
            let left = i as f64 * width;
            let heading = TextStyle { bold: true, ..TextStyle::new(12.5, Anchor::Start) };
            canvas.text((left + 8.0, top + 16.0), &ellipsis(plot.title(), 12.5, width - 16.0).into(), heading);
            let bounds = Rect { left, top: top + room, width, height };
            bottom = f64::max(bottom, plot.draw(&mut canvas, bounds));
        }
        top = bottom + 46.0;
    }
    canvas.set_height(top);
    canvas.finish(title, &plots.iter().map(Plot::description).collect::<Vec<_>>().join(" "))
}
