//! The scorer itself: columns, codes and coefficients, for whoever writes a form of their own.

use super::Scorer;

pub(super) fn written(scorer: &Scorer) -> String {
    // Plain numbers and texts always have a JSON.
    serde_json::to_string_pretty(scorer).unwrap_or_default() + "\n"
}
