//! How features act: the prediction over the range of one feature at a time.

use crate::{Subject, level_in_words};
use proxdist::inference::{Partial, Wald, partials};
use proxdist::{Error, Result};
use proxdist_report::{LinePlot, Section, Series};

/// Features that are drawn.
const MOST: usize = 6;
/// Coefficients beyond which the columns are not gathered for a picture.
const MOST_USED: usize = 1000;

/// The curves of the first features of `order`.
pub(crate) fn section(subject: &Subject, order: &[usize], wald: Option<&Wald>) -> Result<Option<Section>> {
    let Some(training) = subject.training else { return Ok(None) };
    let support = subject.support();
    if support.is_empty() || support.len() > MOST_USED {
        return Ok(None);
    }
    let at = (subject.model.coefficients, subject.model.intercept);
    let curves = match partials(training.data, subject.loss, at, wald, &order[..order.len().min(MOST)]) {
        Ok(curves) => curves,
        // Rows that can only be read in order.
        Err(Error::InOrderOnly) => return Ok(None),
        Err(error) => return Err(error),
    };
    let rows = curves.first().map_or(0, |curve| curve.rows);
    let mut notes = vec![
        "Ticks on the axis are the smallest value, the 5, 25, 50, 75 and 95 % quantiles and the largest value, as far as they are within the range shown (1 to 99 %).".to_owned(),
    ];
    if wald.is_some() {
        notes.push(format!(
            "Shaded: {} interval of the mean prediction, with the chosen features taken as given.",
            level_in_words()
        ));
    }
    if rows < training.data.rows() {
        notes.push(format!("Ranges and means are those of {rows} rows, evenly spread over all."));
    }
    let plots: Vec<LinePlot> = curves.iter().map(|curve| plot(subject, curve)).collect();
    let which = if support.len() > plots.len() {
        format!("The {} features with the largest effects", plots.len())
    } else {
        "Each feature".to_owned()
    };
    Ok((!plots.is_empty()).then(|| Section {
        heading: "How features act".to_owned(),
        text: format!(
            "{which}: the {} over the range of one feature, with all others at their means.",
            subject.predicted()
        ),
        plots,
        notes,
        ..Section::default()
    }))
}

fn plot(subject: &Subject, curve: &Partial) -> LinePlot {
    let points = curve.points.iter().map(|at| (at.x, at.prediction)).collect();
    let band = curve.points.iter().filter_map(|at| at.interval.map(|(low, high)| (at.x, low, high))).collect();
    LinePlot {
        title: subject.name(curve.feature),
        y_label: subject.predicted(),
        series: vec![Series { band, rug: curve.quantiles.to_vec(), ..Series::new("", points) }],
        ..LinePlot::default()
    }
}
