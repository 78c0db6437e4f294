//! Figures, the same as the program draws. Their content comes as JSON, field by field as in `proxdist-report`.

use proxdist_report::svg::Style;
use proxdist_report::{Coefficient, CoefficientMatrix, CvCurve, LinePlot, TracePoint, figures};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn refused(error: &serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn style(width: f64) -> Style {
    Style::inline().width(width)
}

/// The run, as SVG.
#[pyfunction]
pub(crate) fn convergence_figure(trace: &str, width: f64) -> PyResult<String> {
    let trace: Vec<TracePoint> = serde_json::from_str(trace).map_err(|error| refused(&error))?;
    Ok(figures::convergence(&trace, None, style(width)))
}

/// The largest coefficients as bars, or a coefficient matrix as a heat map, as SVG.
#[pyfunction]
#[pyo3(signature = (names, values, shape, width))]
pub(crate) fn coefficients_figure(
    names: Vec<String>,
    values: Vec<f64>,
    shape: Option<(usize, usize)>,
    width: f64,
) -> String {
    if let Some((rows, columns)) = shape {
        let matrix = CoefficientMatrix { rows, columns, values, ..CoefficientMatrix::default() };
        return figures::heat_map(&matrix, style(width));
    }
    let named = names.into_iter().zip(values).map(|(name, value)| Coefficient::new(name, value));
    figures::coefficients(&named.collect::<Vec<_>>(), style(width))
}

/// Held-out scores with their errors, as SVG.
#[pyfunction]
pub(crate) fn curve_figure(curve: &str, width: f64) -> PyResult<String> {
    let curve: CvCurve = serde_json::from_str(curve).map_err(|error| refused(&error))?;
    Ok(figures::cv_curve(&curve, style(width)))
}

/// Lines on common axes, as SVG.
#[pyfunction]
pub(crate) fn lines_figure(plot: &str, width: f64) -> PyResult<String> {
    let plot: LinePlot = serde_json::from_str(plot).map_err(|error| refused(&error))?;
    Ok(figures::lines(&plot, style(width)))
}
