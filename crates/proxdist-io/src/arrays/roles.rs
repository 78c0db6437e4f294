//! Which columns of a matrix are features and which target, weights and offset.

use super::{Beside, Work};
use crate::error::Result;
use crate::layout::{Kind, Layout, Role, numbered_names};
use crate::options::ReadOptions;
use crate::schema::{Schema, SchemaColumn};

/// Which columns of a matrix play which part.
pub(super) struct Roles {
    /// Columns of the matrix.
    pub(super) width: usize,
    /// In the order of the features; `None` for all.
    pub(super) features: Option<Vec<usize>>,
    pub(super) target: Option<usize>,
    /// The model knows the target, but nobody needs it.
    pub(super) target_optional: bool,
    pub(super) weights: Option<usize>,
    pub(super) offset: Option<usize>,
    /// Some columns hold codes of categories.
    pub(super) has_codes: bool,
    pub(super) schema: Schema,
    pub(super) notices: Vec<String>,
}

impl Roles {
    pub(super) fn of_whole(columns: usize, options: &ReadOptions) -> Self {
        Self {
            width: columns,
            features: None,
            target: None,
            target_optional: false,
            weights: None,
            offset: None,
            has_codes: false,
            schema: options.schema.clone().unwrap_or_else(|| Schema::numbered(columns)),
            notices: Vec::new(),
        }
    }

    /// As the options say. Vectors beside the matrix are none of its columns.
    pub(super) fn new(work: &Work<'_, '_>, columns: usize, beside: &Beside) -> Result<Self> {
        let mut options = work.options.written_out(work.source, columns)?.into_owned();
        for (vector, setting) in [
            (&beside.target, &mut options.target),
            (&beside.weights, &mut options.weights),
            (&beside.offset, &mut options.offset),
        ] {
            if vector.is_some() {
                *setting = None;
            }
        }
        let names = numbered_names(columns);
        let layout = Layout::new(work.source, names, false, &vec![Kind::Number; columns], &options)?;
        let found = |role: Role| layout.roles.iter().position(|&other| other == role);
        let column = |&column: &usize| SchemaColumn::number(layout.names[column].clone());
        let known = layout.features.iter().map(column).collect();
        Ok(Self {
            width: columns,
            target: if beside.target.is_some() { None } else { layout.target },
            target_optional: layout.target_optional,
            weights: found(Role::Weights),
            offset: found(Role::Offset),
            has_codes: layout.texts > 0,
            schema: options.schema.unwrap_or_else(|| Schema::from_columns(known)),
            features: Some(layout.features),
            notices: layout.notices,
        })
    }

    /// Columns whose numbers are kept.
    pub(super) fn gathered(&self) -> Vec<usize> {
        [self.target, self.weights, self.offset].into_iter().flatten().collect()
    }
}
