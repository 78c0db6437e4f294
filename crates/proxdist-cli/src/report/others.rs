//! Pages that are not about one fit: an evaluation on other rows, several methods side by side.

use super::circumstances::{file_name, repeat};
use crate::comparison::{COLUMNS, Comparison};
use crate::input::name_of;
use crate::model_file::StoredModel;
use proxdist::{Data, Result, Shape};
use proxdist_pages::{Fitted, Judged, Subject};
use proxdist_report::{ComparisonTable, Fact, Report};

/// The page about an evaluation; the only column of `data` are linear predictors. `which` names the rows and says whether the model was fitted to them.
pub(crate) fn evaluation_page(
    stored: &StoredModel,
    data: &Data,
    source: &str,
    (which, is_training): (&str, bool),
) -> Result<Report> {
    let model = &stored.model;
    let schema = stored.training.as_ref().map(|training| &training.schema);
    let predictor =
        Fitted { coefficients: &[1.0], intercept: None, shape: Shape::Vector(1), objective: None, certificate: None };
    let subject = Subject {
        loss: model.loss.known()?,
        model: Fitted {
            coefficients: &model.coefficients,
            intercept: model.intercept,
            shape: model.shape,
            ..predictor
        },
        names: (0..model.coefficients.len()).map(|j| name_of(model, j)).collect(),
        set: String::new(),
        target: schema.and_then(|schema| schema.target.clone()),
        classes: schema.and_then(|schema| schema.labels.clone()),
        training: None,
        judged: Some(Judged::of(which, predictor, data, is_training)?),
        crossed: None,
    };
    let told = proxdist_pages::page(&subject)?;
    let Report { command, versions, .. } = repeat(None);
    Ok(Report {
        title: format!("{} model on {}", model.constraint, file_name(source)),
        result: format!("A model with the {} loss on rows it is compared with ({}).", model.loss, file_name(source)),
        data: vec![Fact::new("file", source), Fact::new("rows", data.rows().to_string())],
        command,
        versions,
        ..told
    })
}

/// The page about several methods.
pub(crate) fn comparison_page(comparison: &Comparison, seed: u64) -> Report {
    let columns = COLUMNS.iter().copied().chain(["stop"]).map(str::to_owned).collect();
    Report {
        title: format!("Methods on {}", file_name(&comparison.source)),
        result: format!("{} rows, the same batches for every method.", comparison.rows),
        comparison: Some(ComparisonTable {
            caption: format!("{}.", comparison.headline()),
            columns,
            rows: comparison.rows_of_text(),
            plot: comparison.line_plot(),
        }),
        ..repeat(Some(seed))
    }
}
