//! Numbers written as text.

/// The number that is the whole of `text`, which may also be `NaN` or infinite.
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    let unsigned = match text {
        [b'+', rest @ ..] if !rest.starts_with(b"-") && !rest.starts_with(b"+") => rest,
        other => other,
    };
    fast_float2::parse(unsigned).ok()
}

/// The same with a comma for the decimal point where that was said; a point is then no part of a number.
pub(crate) fn parse_decimal(text: &[u8], is_comma: bool) -> Option<f64> {
    if !is_comma {
        return parse(text);
    }
    if text.contains(&b'.') {
        return None;
    }
    let pointed: Vec<u8> = text.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
    parse(&pointed)
}

/// Whether a text is no number, but one with a decimal comma.
pub(crate) fn has_decimal_comma(text: &[u8]) -> bool {
    text.contains(&b',') && parse(text).is_none() && parse_decimal(text, true).is_some()
}

/// Texts that stand for a missing value.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    matches!(text, b"" | b"NA" | b"N/A" | b"?" | b"null" | b"NULL")
}

/// Reserves room for `more` entries without doubling, so that the peak stays near the final size.
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), std::collections::TryReserveError> {
    if values.capacity() - values.len() >= more {
        return Ok(());
    }
    let step = (values.capacity() / 8).max(1 << 16).max(more);
    values.try_reserve_exact(step).or_else(|_| values.try_reserve_exact(more))
}
