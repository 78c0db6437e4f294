//! What the model leaves unexplained: against the fitted values, and against normal quantiles.

use super::thinned;
use crate::input::Residual;
use crate::number::{count, number};
use crate::svg::{Axis, Canvas, Colour, Dot, Extent, Kind, Panel, Rect, Scale, Stroke, Style, Summary};

const POINTS: usize = 2000;
const QUANTILES: usize = 400;

/// Residuals against fitted values and a normal quantile plot, side by side or stacked when narrow. Above 2000 observations
/// every so many are drawn, in the order of the fitted values, so the same data give the same picture.
pub fn residuals(residuals: &[Residual], style: Style) -> String {
    let title = "Residuals";
    let mut canvas = Canvas::new(style, 90.0);
    let drawable = |r: &&Residual| Kind::Linear.can_draw(r.fitted) && Kind::Linear.can_draw(r.residual);
    let mut all: Vec<Residual> = residuals.iter().filter(drawable).copied().collect();
    if all.is_empty() {
        canvas.nothing_to_show("No residuals to show.");
        return canvas.finish(title, "No residuals to show.");
    }
    all.sort_by(|a, b| a.fitted.total_cmp(&b.fitted).then(a.residual.total_cmp(&b.residual)));
    let cloud: Vec<(f64, f64)> = thinned(all.len(), POINTS).map(|i| (all[i].fitted, all[i].residual)).collect();
    let top = canvas.title(title);
    let width = canvas.width();
    let half = if style.is_narrow() { width } else { width / 2.0 };
    let second_top = if style.is_narrow() { top + 280.0 } else { top };
    let values = Axis::new(scale(cloud.iter().map(|p| p.1)), "residual");
    let fitted = if all.len() > POINTS {
        format!("fitted value ({POINTS} of {})", count(all.len()))
    } else {
        "fitted value".into()
    };
    let x = Axis::new(scale(cloud.iter().map(|p| p.0)), fitted);
    let first = Panel::new(Rect { left: 0.0, top, width: half, height: 280.0 }, x, values, 0.0);
    first.draw(&mut canvas);
    first.level(&mut canvas, 0.0, Stroke::dashed(Colour::Muted, 1.2));
    let opacity = if cloud.len() > 500 { 0.4 } else { 0.65 };
    first.dots(&mut canvas, &cloud, Dot { radius: 2.4, colour: Colour::Series(0), opacity });

    let mut sorted: Vec<f64> = all.iter().map(|r| r.residual).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    // Both tails matter most, so the ends are kept whole and the middle is thinned.
    let kept =
        thinned(sorted.len(), QUANTILES).chain((0..sorted.len()).take(30)).chain((0..sorted.len()).rev().take(30));
    let mut kept: Vec<usize> = kept.collect();
    kept.sort_unstable();
    kept.dedup();
    let pairs: Vec<(f64, f64)> = kept.iter().map(|&i| (normal_quantile((i as f64 + 0.5) / n), sorted[i])).collect();
    let left = width - half;
    let bounds = Rect { left, top: second_top, width: half, height: 280.0 };
    let (x, y) = (
        Axis::new(scale(pairs.iter().map(|p| p.0)), "normal quantile"),
        Axis::new(scale(pairs.iter().map(|p| p.1)), ""),
    );
    let mut second = Panel::new(bounds, x, y, 0.0);
    // Aligned with its neighbour, which has a label above.
    second.plot.top = first.plot.top - top + bounds.top;
    second.plot.height = first.plot.height;
    second.draw(&mut canvas);
    let (quartile, summary) = (normal_quantile(0.75), Summary::of(&sorted).unwrap_or_default());
    let slope = (summary.third - summary.first) / (2.0 * quartile);
    draw_guide(&mut canvas, &second, f64::midpoint(summary.first, summary.third), slope);
    second.dots(&mut canvas, &pairs, Dot { radius: 2.4, colour: Colour::Series(1), opacity: 0.65 });
    canvas.set_height(second.plot.bottom() + 44.0);
    let description = format!(
        "{} residuals, half of them between {} and {}, from {} to {}.",
        all.len(),
        number(summary.first, 3),
        number(summary.third, 3),
        number(sorted[0], 3),
        number(sorted[sorted.len() - 1], 3)
    );
    canvas.finish(title, &description)
}

fn scale(values: impl Iterator<Item = f64>) -> Scale {
    Scale::new(Kind::Linear, Extent::of(values), 0.04)
}

/// The line through the quartiles, cut to the panel.
fn draw_guide(canvas: &mut Canvas, panel: &Panel, level: f64, slope: f64) {
    let (mut ends, (low, high)) = (panel.x.scale.ends(), panel.y.scale.ends());
    if slope > 0.0 {
        ends = (ends.0.max((low - level) / slope), ends.1.min((high - level) / slope));
    }
    if ends.0 < ends.1 {
        let points = [(ends.0, level + slope * ends.0), (ends.1, level + slope * ends.1)];
        panel.line(canvas, &points, Stroke::dashed(Colour::Muted, 1.2));
    }
}

/// Quantile of the standard normal distribution by P. J. Acklam's rational approximation, relative error below 1.2e-9.
fn normal_quantile(probability: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] =
        [0.007_784_695_709_041_462, 0.322_467_129_070_039_8, 2.445_134_137_142_996, 3.754_408_661_907_416, 1.0];
    let polynomial = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if probability < 0.024_25 {
        tail(probability)
    } else if probability > 1.0 - 0.024_25 {
        -tail(1.0 - probability)
    } else {
        let (q, r) = (probability - 0.5, (probability - 0.5).powi(2));
        polynomial(&A, r) * q / polynomial(&B, r)
    }
}

#[cfg(test)]
mod tests {
    use super::normal_quantile;

    #[test]
    fn quantiles_agree_with_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.75, 0.674_489_750_2),
            (0.975, 1.959_963_984_5),
            (0.001, -3.090_232_306_2),
            (1e-6, -4.753_424_308_8),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-8, "{p}: {}", normal_quantile(p));
        }
    }
}
