//! Sets for the coefficients of several outputs, by the names of features and outputs.
//!
//! The coefficient of the feature `age` for the output `yes` is called `age@yes`, so `nonneg[*@yes]` is about one output and `box:0,1[age@*]` about one feature.

use crate::constraint::Constraint;
use crate::data::Data;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{Names, SetSpec};

/// Makes the set for the coefficients of these outputs, and checks it against their number.
pub fn build_set(spec: &SetSpec, data: &Data, outputs: &[String]) -> Result<Box<dyn Constraint>> {
    let shape = Shape::Matrix { rows: data.columns(), columns: outputs.len() };
    if spec.is_resolved() {
        return spec.build(shape);
    }
    let features = Names::of_data(data);
    let called = |j: usize| {
        let feature = features.name(j);
        outputs.iter().map(move |output| format!("{feature}@{output}"))
    };
    let names: Vec<String> = (0..data.columns()).flat_map(called).collect();
    spec.build_with(shape, &Names::of(&names))
}

/// The same set with every limit on the number of entries as one on the number of features, shared by all outputs.
pub fn shared(spec: SetSpec) -> SetSpec {
    match spec {
        SetSpec::Sparsity { keep } => SetSpec::Rows { keep },
        SetSpec::Intersection(parts) => SetSpec::Intersection(parts.into_iter().map(shared).collect()),
        other => other,
    }
}
