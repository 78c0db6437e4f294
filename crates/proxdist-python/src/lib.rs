//! The compiled part of the Python package `proxdist`.
//!
//! Arrays are borrowed, never copied; the interpreter lock is released for the whole of a fit; Ctrl-C, progress and exceptions
//! raised inside a user's own functions go through one place, [`supervise`]. What a user sees is written in Python, in
//! `python/proxdist`; names here are private to it.

#![allow(clippy::needless_pass_by_value, reason = "what a function extracts from its arguments belongs to the call")]

mod callables;
mod data;
mod error;
mod fit;
mod frame;
mod held_out;
mod inference;
mod joint;
mod joint_search;
mod outcome;
mod outputs;
mod partial;
mod partials;
mod partition;
mod path;
mod pictures;
mod problem;
mod report;
mod scorecard;
mod select;
mod spread;
mod supervise;
mod tools;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _proxdist {
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::frame::{encode_frame, schema_features, schema_is_plain};
    #[pymodule_export]
    use super::inference::{exported, summarize};
    #[pymodule_export]
    use super::joint::{fit_joint, joint_fields, label_chances, survival_at, times_measures};
    #[pymodule_export]
    use super::joint_search::select_joint;
    #[pymodule_export]
    use super::outputs::{fit_outputs, outputs_fields, select_outputs};
    #[pymodule_export]
    use super::partial::{State, finish_stream, partial_fit};
    #[pymodule_export]
    use super::partition::answer;
    #[pymodule_export]
    use super::path::path;
    #[pymodule_export]
    use super::pictures::{coefficients_figure, convergence_figure, curve_figure, lines_figure};
    #[pymodule_export]
    use super::report::report_page;
    #[pymodule_export]
    use super::scorecard::{bin_texts, learn_bins, scorecard};
    #[pymodule_export]
    use super::select::select;
    #[pymodule_export]
    use super::spread::{fit_parts, gather_for_path};
    #[pymodule_export]
    use super::tools::{
        canonical_set, constraints, evaluate, folds, least_size, linear_predictor, loss_facts, loss_mean, loss_names,
        losses, model_fields, project, search_defaults, set_examples, set_of_size, set_size, settings, write_whole,
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
