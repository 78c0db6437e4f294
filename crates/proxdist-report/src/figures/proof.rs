//! The best choice found and the bound that no choice is below, against time: how did the proof close?

use super::thinned;
use crate::input::ProofPoint;
use crate::number::{count, duration, number};
use crate::svg::{Axis, Canvas, Dot, Extent, Key, Kind, Panel, Rect, Scale, Stroke, Style, Swatch, legend};

/// More points than pixels show nothing more.
const POINTS: usize = 600;
/// Bounds that leave more than this share of F open say nothing, and would squeeze the others.
const NOTHING: f64 = 1.0;
/// Gaps below this share of F are drawn as it: there is no zero on a logarithmic axis, and this counts as none.
const CLOSED: f64 = 1e-7;

/// Two stacked panels over time: the values of the incumbent and of the bound with what is open between them, and the gap as a share of F on a logarithmic axis.
/// With less than two points that can be drawn, a sentence.
pub fn proof(points: &[ProofPoint], style: Style) -> String {
    let title = "Proof";
    let drawn: Vec<ProofPoint> = points.iter().copied().filter(can_draw).collect();
    let drawn: Vec<ProofPoint> = thinned(drawn.len(), POINTS).map(|i| drawn[i]).collect();
    let mut canvas = Canvas::new(style, 420.0);
    let [first, .., last] = drawn[..] else {
        canvas.set_height(90.0);
        let sentence = alone(points.last());
        canvas.nothing_to_show(&sentence);
        return canvas.finish(title, &sentence);
    };
    let (value, bound) = (Stroke::series(0), Stroke::series(1));
    let mut top = canvas.title(title);
    let keys = [
        Key::new(Swatch::Line(value), "F of the best choice found"),
        Key::new(Swatch::Line(bound), "no choice is below"),
    ];
    top += legend(&mut canvas, top, &keys);
    let gap_of = |p: &ProofPoint| gap(p).max(CLOSED);
    let times = Scale::new(Kind::Linear, Extent::of([0.0, first.seconds, last.seconds]), 0.02);
    let levels = Extent::of(drawn.iter().flat_map(|p| [p.value, p.bound]));
    let gaps = Extent::over(drawn.iter().map(gap_of), Kind::Log);
    let upper = Axis::new(Scale::new(Kind::Linear, levels, 0.06), "F");
    let lower = Axis::new(Scale::new(Kind::Log, gaps, 0.06), "gap, as a share of F");
    let margin = Panel::margin(&upper, 170.0).max(Panel::margin(&lower, 120.0));
    let seconds = Axis::new(times, "seconds since the fit began");
    let mut above = seconds.clone().unlabelled();
    above.label.clear();
    let width = canvas.width();
    let bounds = |top, height| Rect { left: 0.0, top, width, height };
    let both = Panel::new(bounds(top, 210.0), above, upper, margin);
    let left = Panel::new(bounds(top + 210.0, 180.0), seconds, lower, margin);
    both.draw(&mut canvas);
    left.draw(&mut canvas);
    let open: Vec<_> = drawn.iter().map(|p| (p.seconds, p.bound, p.value)).collect();
    both.band(&mut canvas, &open, bound.colour, 0.14);
    let line = |of: fn(&ProofPoint) -> f64| -> Vec<(f64, f64)> { drawn.iter().map(|p| (p.seconds, of(p))).collect() };
    series(&mut canvas, &both, &line(|p| p.bound), bound);
    series(&mut canvas, &both, &line(|p| p.value), value);
    let closing: Vec<_> = drawn.iter().map(|p| (p.seconds, gap_of(p))).collect();
    series(&mut canvas, &left, &closing, Stroke::series(2));
    canvas.set_height(left.plot.bottom() + 42.0);
    let description = format!(
        "After {} and {} nodes the best choice found has F {}, and no choice is below {}; the gap went from {} to {} of F.",
        duration(last.seconds),
        count(last.nodes as usize),
        number(last.value, 6),
        number(last.bound, 6),
        number(gap(&first), 3),
        number(gap(&last), 3)
    );
    canvas.finish(title, &description)
}

/// What is open, as a share of F.
fn gap(point: &ProofPoint) -> f64 {
    let difference = point.value - point.bound;
    if difference <= 0.0 { 0.0 } else { difference / point.value.abs() }
}

fn can_draw(point: &ProofPoint) -> bool {
    let is_number = |x: f64| Kind::Linear.can_draw(x);
    is_number(point.seconds) && is_number(point.value) && is_number(point.bound) && gap(point) <= NOTHING
}

/// What a proof with one point, or none that says anything, comes to.
pub(crate) fn alone(last: Option<&ProofPoint>) -> String {
    match last.filter(|last| can_draw(last)) {
        Some(last) => format!(
            "The first bound was the last: F {}, no choice is below {}.",
            number(last.value, 6),
            number(last.bound, 6)
        ),
        None => "No bound was found.".to_owned(),
    }
}

fn series(canvas: &mut Canvas, panel: &Panel, points: &[(f64, f64)], stroke: Stroke) {
    panel.line(canvas, points, stroke);
    if points.len() <= 20 {
        panel.dots(canvas, points, Dot::solid(2.6, stroke.colour));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64, value: f64, bound: f64) -> ProofPoint {
        ProofPoint { seconds, nodes: 7, value, bound }
    }

    #[test]
    fn two_points_are_a_figure_and_fewer_a_sentence() {
        let drawn = proof(&[at(0.1, 2.0, 1.5), at(0.3, 1.9, 1.9)], Style::inline());
        assert!(drawn.contains("no choice is below 1.9; the gap went from 0.25 to 0 of F"), "{drawn}");
        let one = proof(&[at(0.1, 2.0, 1.5)], Style::inline());
        assert!(one.contains("The first bound was the last: F 2, no choice is below 1.5."), "{one}");
        for empty in [&[][..], &[at(0.0, 1.0, -f64::MAX)], &[at(0.0, f64::NAN, 1.0), at(1.0, 1.0, f64::NEG_INFINITY)]] {
            assert!(proof(empty, Style::inline()).contains("No bound was found."), "{empty:?}");
        }
    }

    /// A bound that says nothing yet does not squeeze the rest.
    #[test]
    fn bounds_that_say_nothing_are_left_out() {
        let useful = [at(0.2, 2.0, 1.5), at(0.3, 1.9, 1.8)];
        let with: Vec<ProofPoint> = [at(0.1, 2.0, -50.0)].into_iter().chain(useful).collect();
        assert_eq!(proof(&with, Style::inline()), proof(&useful, Style::inline()));
    }
}
