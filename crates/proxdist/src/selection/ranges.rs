//! Ranges of values as text, written out: `1-20` for counts, `1e-4..1,log,5` for numbers.

use std::borrow::Cow;

/// Values of a range at most: beyond it is a slip.
const MOST: usize = 100_000;

/// Both ends of a range of counts, `1-20`, `1..20` or `1..=20`, as they stand; of a single count, that count twice.
pub fn count_range(text: &str) -> Option<(usize, usize)> {
    let ends = text.split_once("..=").or_else(|| text.split_once("..")).or_else(|| text.split_once('-'));
    let (first, last) = ends.unwrap_or((text, text));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

/// So many numbers with equal ratios, both ends among them; both are positive, and at least two are asked for. Those between are rounded to 13
/// digits, so that 0.01 is 0.01.
pub fn logarithmic(from: f64, to: f64, count: usize) -> Vec<f64> {
    let at = |i: usize| match i {
        0 => from,
        i if i + 1 == count => to,
        i => rounded(from * (to / from).powf(i as f64 / (count - 1) as f64)),
    };
    (0..count).map(at).collect()
}

fn rounded(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

/// A value of an axis and the text that it stems from.
pub(super) struct Value<'t> {
    pub(super) at: &'t str,
    pub(super) text: Cow<'t, str>,
}

/// The values of a list, ranges written out; or the part that cannot be read, and why. What is no range stays as it is.
pub(super) fn written_out(list: &str, are_counts: bool) -> Result<Vec<Value<'_>>, (&str, String)> {
    let mut values = Vec::new();
    let mut parts = list.split(',').map(str::trim);
    while let Some(part) = parts.next() {
        if are_counts && part.parse::<f64>().is_err() && part.contains(['-', '.']) {
            values.extend(counts(part)?.map(|count| Value { at: part, text: count.to_string().into() }));
        } else if !are_counts && let Some((from, to)) = part.split_once("..") {
            let spread = spread((from, to), (parts.next(), parts.next())).map_err(|reason| (part, reason))?;
            values.extend(spread.into_iter().map(|value| Value { at: part, text: format!("{value:e}").into() }));
        } else {
            values.push(Value { at: part, text: part.into() });
        }
        if values.len() > MOST {
            return Err((part, format!("these are more than {MOST} values")));
        }
    }
    Ok(values)
}

fn counts(part: &str) -> Result<impl Iterator<Item = usize> + use<>, (&str, String)> {
    match count_range(part) {
        None => Err((part, "a range of whole numbers is expected, as in 1-20".to_owned())),
        Some((first, last)) if first > last => Err((part, format!("this holds no number: write {last}-{first}"))),
        Some((first, last)) if last - first >= MOST => Err((part, format!("these are more than {MOST} values"))),
        Some((first, last)) => Ok(first..=last),
    }
}

fn spread((from, to): (&str, &str), spaced: (Option<&str>, Option<&str>)) -> Result<Vec<f64>, String> {
    let count = match spaced {
        (Some("log"), Some(count)) => count.parse::<usize>().ok().filter(|count| (2..=MOST).contains(count)),
        _ => None,
    };
    match (from.trim().parse::<f64>(), to.trim().parse::<f64>(), count) {
        (Ok(from), Ok(to), Some(count)) if from > 0.0 && from < to && to.is_finite() => {
            Ok(logarithmic(from, to, count))
        }
        _ => Err("a range goes up from above 0 and says how many values, two or more, as in 1e-4..1,log,5".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &str, are_counts: bool) -> Vec<String> {
        let values = written_out(list, are_counts).unwrap_or_else(|(at, reason)| panic!("{at}: {reason}"));
        values.into_iter().map(|value| value.text.into_owned()).collect()
    }

    #[test]
    fn ranges_are_written_out_and_the_rest_stays() {
        assert_eq!(texts("1-3, 7,9..10", true), ["1", "2", "3", "7", "9", "10"]);
        assert_eq!(texts("4..=5", true), ["4", "5"]);
        assert_eq!(texts("0, 1e-4..1,log,3 ,auto", false), ["0", "1e-4", "1e-2", "1e0", "auto"]);
        assert_eq!(texts("1e-3,-2,x", false), ["1e-3", "-2", "x"]);
        // Not for a range to judge.
        assert_eq!(texts("-3,1.5,x,", true), ["-3", "1.5", "x", ""]);
    }

    #[test]
    fn powers_of_ten_are_what_they_look_like() {
        assert_eq!(logarithmic(1e-4, 1e-1, 4), [1e-4, 1e-3, 1e-2, 1e-1]);
        assert_eq!(logarithmic(2.0, 32.0, 5), [2.0, 4.0, 8.0, 16.0, 32.0]);
    }

    #[test]
    fn ranges_that_hold_nothing_or_too_much_are_refused() {
        let reason = |list: &str, are_counts| match written_out(list, are_counts) {
            Err((_, reason)) => reason,
            Ok(values) => panic!("{list} has {} values", values.len()),
        };
        assert!(reason("5-2", true).contains("write 2-5"));
        assert!(reason("1-x", true).contains("as in 1-20"));
        assert!(reason("1-", true).contains("as in 1-20"));
        assert!(reason("0-99999999999", true).contains("more than 100000"));
        for list in
            ["1e-4..1", "1e-4..1,log", "1..1e-4,log,5", "0..1,log,3", "1..2,log,1", "1..2,7,log", "1..inf,log,3"]
        {
            assert!(reason(list, false).contains("as in 1e-4..1,log,5"), "{list}");
        }
    }
}
