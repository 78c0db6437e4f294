//! Whatever the data, a figure is well-formed SVG with finite numbers in it.

mod samples;

use proptest::prelude::*;
use proxdist_report::figures::Plot;
use proxdist_report::svg::{Extent, Kind, Scale};
use proxdist_report::{
    BoxGroup, BoxPlots, CalibrationBin, Coefficient, CoefficientMatrix, CvCurve, CvPoint, LinePlot, ProofPoint,
    Residual, Rings, RocCurve, Series, Style, TracePoint, figures,
};

/// Parses, and checks every coordinate.
fn check(svg: &str) {
    let tree = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    let root = tree.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    assert_eq!(root.attribute("role"), Some("img"));
    assert!(root.children().any(|c| c.has_tag_name(("http://www.w3.org/2000/svg", "title"))));
    let numeric = [
        "x",
        "y",
        "width",
        "height",
        "cx",
        "cy",
        "r",
        "d",
        "viewBox",
        "font-size",
        "fill-opacity",
        "stroke-width",
        "data-x",
        "data-y",
    ];
    for node in tree.descendants().filter(roxmltree::Node::is_element) {
        assert!(
            ["svg", "title", "desc", "path", "rect", "circle", "g", "text", "tspan"].contains(&node.tag_name().name())
        );
        for name in numeric {
            let Some(value) = node.attribute(name) else { continue };
            let words =
                value.split(|c: char| c.is_ascii_whitespace() || "MLHVhvz%,".contains(c)).filter(|w| !w.is_empty());
            for word in words {
                // Relative moves such as `h-3` follow their letter without a space.
                let number: f64 = word.parse().unwrap_or_else(|_| panic!("{name}={value}: {word} is not a number"));
                assert!(number.is_finite() && number.abs() <= 1e6, "{name}={value}");
            }
        }
        for name in ["width", "height", "r"] {
            let negative = node.attribute(name).is_some_and(|v| v.starts_with('-'));
            assert!(!negative, "negative {name}");
        }
    }
}

/// Ordinary, huge, tiny, equal and impossible numbers.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -100.0..100.0,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1e300, 1e-300, 1e9, 1e9 + 1e-6]),
    ]
}

fn values(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(value(), 0..most)
}

fn styles() -> impl Strategy<Value = Style> {
    let widths = prop_oneof![280.0..900.0, Just(f64::NAN), Just(-1.0), Just(1e9)];
    (any::<bool>(), widths)
        .prop_map(|(inline, width)| if inline { Style::inline() } else { Style::standalone() }.width(width))
}

/// Pairs of neighbours.
fn pairs(values: &[f64]) -> Vec<(f64, f64)> {
    values.chunks_exact(2).map(|c| (c[0], c[1])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn convergence_survives_any_trace(values in values(60), steps in prop::collection::vec(any::<u64>(), 30), reference in prop::option::of(value()), style in styles()) {
        let point = |(pair, &step): ((f64, f64), &u64)| TracePoint { step, objective: pair.0, distance: pair.1, ..TracePoint::default() };
        let trace: Vec<_> = pairs(&values).into_iter().zip(&steps).map(point).collect();
        check(&figures::convergence(&trace, reference, style));
    }

    #[test]
    fn proofs_survive_any_values(values in values(120), nodes in any::<u64>(), style in styles()) {
        let point = |c: &[f64]| ProofPoint { seconds: c[0], nodes, value: c[1], bound: c[2] };
        let points: Vec<_> = values.chunks_exact(3).map(point).collect();
        check(&figures::proof(&points, style));
        // Values that are alike, with bounds below them.
        let points: Vec<_> = values.iter().map(|&v| ProofPoint { seconds: v, nodes, value: 1.0 + 1e-3 * v.sin(), bound: 0.99 }).collect();
        check(&figures::proof(&points, style));
    }

    #[test]
    fn coefficients_survive_any_values_and_names(values in values(80), name in any::<String>(), style in styles()) {
        let list: Vec<_> = values.iter().map(|&v| Coefficient::new(name.clone(), v)).collect();
        check(&figures::coefficients(&list, style));
    }

    #[test]
    fn curves_survive_any_points(values in values(40), label in any::<String>(), style in styles()) {
        let curve = RocCurve { label, auc: None, points: pairs(&values) };
        check(&figures::roc(&[curve.clone(), RocCurve::default()], style));
        let bins: Vec<_> = values.chunks_exact(3).map(|c| CalibrationBin { predicted: c[0], observed: c[1], count: c[2] }).collect();
        check(&figures::calibration(&bins, style));
        let band = values.chunks_exact(3).map(|c| (c[0], c[1], c[2])).collect();
        let series = vec![Series { band, ..Series::new(curve.label, curve.points) }];
        for (log_x, log_y) in [(false, false), (true, false), (true, true)] {
            let rings = Some(Rings { label: "ringed".into(), points: series[0].points.clone() });
            let plot = LinePlot { log_x, log_y, series: series.clone(), rings, ..LinePlot::default() };
            check(&figures::lines(&plot, style));
            check(&figures::small_multiples("several", &[Plot::Lines(plot.clone()), Plot::Lines(plot)], style));
        }
    }

    #[test]
    fn residuals_survive_any_values(values in values(80), style in styles()) {
        let list: Vec<_> = pairs(&values).into_iter().map(|(fitted, residual)| Residual { fitted, residual }).collect();
        check(&figures::residuals(&list, style));
    }

    #[test]
    fn cross_validation_survives_any_scores(values in values(60), line in any::<String>(), chosen in prop::option::of(0..30usize), style in styles()) {
        let point = |(i, c): (usize, &[f64])| CvPoint { value: c[0], line: if i % 2 == 0 { line.clone() } else { String::new() }, mean: c[1], standard_error: c[2] };
        let points = values.chunks_exact(3).enumerate().map(point).collect();
        check(&figures::cv_curve(&CvCurve { points, chosen, one_standard_error: chosen, ..CvCurve::default() }, style));
    }

    #[test]
    fn box_plots_and_heat_maps_survive_any_values(values in values(60), log in any::<bool>(), columns in 0..8usize, style in styles()) {
        let groups = values.chunks(7).map(|c| BoxGroup { label: "g".into(), values: c.chunks(3).map(<[f64]>::to_vec).collect() }).collect();
        let boxes = BoxPlots { log, groups, series: vec!["a".into(), "b".into()], ..BoxPlots::default() };
        check(&figures::box_plots(&boxes, style));
        check(&figures::small_multiples("several", &[Plot::Boxes(boxes.clone()), Plot::Boxes(boxes.clone()), Plot::Boxes(boxes)], style));
        check(&figures::small_multiples("none", &[], style));
        check(&figures::heat_map(&CoefficientMatrix { rows: 5, columns, values, ..CoefficientMatrix::default() }, style));
    }

    #[test]
    fn ticks_are_ordered_distinct_and_within_the_axis(low in value(), high in value(), log in any::<bool>(), target in 1..12usize) {
        let kind = if log { Kind::Log } else { Kind::Linear };
        let scale = Scale::new(kind, Extent::over([low, high], kind), 0.05);
        let ticks = scale.ticks(target);
        prop_assert!(ticks.major.windows(2).all(|w| w[0].value < w[1].value));
        prop_assert!(ticks.major.windows(2).all(|w| w[0].label != w[1].label), "{:?}", ticks.major);
        prop_assert!(ticks.major.len() <= 4 * target + 12, "{} ticks for {target}", ticks.major.len());
        let (a, b) = scale.ends();
        let slack = (b - a) * 1e-6;
        prop_assert!(ticks.major.iter().all(|t| t.value >= a - slack && t.value <= b + slack));
    }

    #[test]
    fn ordinary_ranges_have_at_least_two_ticks(low in -1e3..1e3, length in 1e-2..1e4, log in any::<bool>()) {
        let low: f64 = if log { f64::abs(low) + 1e-3 } else { low };
        let kind = if log { Kind::Log } else { Kind::Linear };
        let scale = Scale::new(kind, Some(Extent { low, high: low + length }), 0.0);
        prop_assert!(scale.ticks(5).major.len() >= 2);
    }
}

#[test]
fn the_gallery_is_well_formed() {
    for style in [Style::standalone(), Style::inline(), Style::inline().width(320.0)] {
        check(&figures::convergence(&samples::trace(2000), None, style));
        check(&figures::convergence(&samples::trace(1), Some(0.0), style));
        check(&figures::coefficients(&samples::coefficients(300, 100), style));
        check(&figures::roc(&samples::roc_curves(), style));
        check(&figures::calibration(&samples::calibration_bins(), style));
        check(&figures::residuals(&samples::residual_cloud(4000), style));
        check(&figures::cv_curve(&samples::cv_curve(&["a", "b"]), style));
        check(&figures::box_plots(&samples::boxes(), style));
        check(&figures::heat_map(&samples::low_rank(300, 200), style));
        check(&figures::lines(&samples::rates(), style));
        check(&figures::proof(&samples::proof(1), style));
        check(&figures::proof(&samples::proof(2000), style));
    }
}

#[test]
fn hostile_names_stay_text_in_figures() {
    let svg = figures::coefficients(&[Coefficient::new("<script>x</script>", 1.0)], Style::inline());
    check(&svg);
    assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;x&lt;/script&gt;"));
    // As a long name: cut first, then escaped.
    check(&figures::coefficients(&[Coefficient::new(samples::HOSTILE.repeat(9), -1.0)], Style::standalone()));
}

#[test]
fn the_same_data_give_the_same_figure_and_large_data_are_thinned() {
    let cloud = samples::residual_cloud(100_000);
    let svg = figures::residuals(&cloud, Style::standalone());
    assert_eq!(svg, figures::residuals(&cloud, Style::standalone()));
    assert!(svg.matches("<circle").count() <= 2500);
    assert!(svg.contains("2000 of 100"));
}

#[test]
fn zeros_are_marked_on_a_logarithmic_axis() {
    let mut trace = samples::trace(10);
    trace[4].distance = 0.0;
    assert!(figures::convergence(&trace, None, Style::standalone()).contains(">zero</text>"));
    trace.iter_mut().for_each(|t| t.distance = 0.0);
    check(&figures::convergence(&trace, None, Style::standalone()));
}
