//! Targets that are one of two labels.

use crate::error::{Error, Place, Result};
use crate::options::ReadOptions;

/// The two labels of a classification target.
///
/// Unless the positive label is given it is, of two numbers, the larger one; of two texts, the one that reads
/// `positive`, `yes`, `true` or `1` in any case; otherwise the later one in sort order.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Classes {
    /// The label coded 0; `not …` where all other labels are taken together.
    pub negative: String,
    /// The label coded 1.
    pub positive: String,
    /// Rows with the negative label.
    pub negative_count: usize,
    /// Rows with the positive label.
    pub positive_count: usize,
}

/// Distinct labels that may occur before a target is certainly not made of classes.
const MOST_LABELS: usize = 1000;

#[derive(Debug)]
struct Label {
    text: String,
    /// `1`, `1.0` and `+1` are the same label.
    number: Option<f64>,
    count: usize,
}

/// Gathers labels row by row; the response holds codes until [`finish`](Self::finish) turns them into 0 and 1.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    distinct: Vec<Label>,
    /// Spellings seen so far and the label each stands for.
    spellings: Vec<(Box<[u8]>, usize)>,
    last: usize,
}

impl Labels {
    /// The code of a label, or `None` if there are too many different ones.
    pub(crate) fn code(&mut self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        if let Some((spelling, code)) = self.spellings.get(self.last)
            && **spelling == *bytes
        {
            return Some(*code);
        }
        if let Some(found) = self.spellings.iter().position(|(spelling, _)| **spelling == *bytes) {
            self.last = found;
            return Some(self.spellings[found].1);
        }
        if self.spellings.len() >= MOST_LABELS {
            return None;
        }
        let number = crate::number::parse(bytes).filter(|number| number.is_finite());
        let same = |label: &Label| label.text == text || (number.is_some() && label.number == number);
        let code = self.distinct.iter().position(same).unwrap_or_else(|| {
            let text = number.map_or_else(|| text.to_owned(), |number| number.to_string());
            self.distinct.push(Label { text, number, count: 0 });
            self.distinct.len() - 1
        });
        self.spellings.push((bytes.into(), code));
        self.last = self.spellings.len() - 1;
        Some(code)
    }

    /// Says that a row with this code was kept.
    pub(crate) fn count(&mut self, code: usize) {
        self.distinct[code].count += 1;
    }

    fn texts(&self) -> Vec<String> {
        self.distinct.iter().map(|label| label.text.clone()).collect()
    }

    fn find(&self, wanted: &str) -> Option<usize> {
        let number = crate::number::parse(wanted.trim().as_bytes());
        let same = |label: &Label| label.text == wanted.trim() || (number.is_some() && label.number == number);
        self.distinct.iter().position(same)
    }

    pub(crate) fn too_many(&self, place: Place) -> Error {
        Error::ManyClasses { place: place.boxed(), labels: self.texts() }
    }

    /// Replaces the codes in `response` by 0 and 1.
    pub(crate) fn finish(&self, response: &mut [f64], place: Place, options: &ReadOptions) -> Result<Classes> {
        let known = options.schema.as_ref().and_then(|schema| schema.labels.as_ref());
        let rest = options.schema.as_ref().map_or(options.one_against_rest, |schema| schema.one_against_rest);
        let positive = match known {
            Some([negative, positive]) => {
                let stranger = (0..self.distinct.len())
                    .find(|&code| ![negative, positive].iter().any(|l| self.find(l) == Some(code)));
                if let (Some(code), false) = (stranger, rest) {
                    let label = self.distinct[code].text.clone();
                    let labels = vec![negative.clone(), positive.clone()];
                    return Err(Error::UnknownLabel { place: place.boxed(), label, labels });
                }
                self.find(positive)
            }
            None => Some(self.choose(&place, options)?),
        };
        for value in &mut *response {
            *value = f64::from(u8::from(positive == Some(*value as usize)));
        }
        let positive_count = positive.map_or(0, |code| self.distinct[code].count);
        let negative_count = self.distinct.iter().map(|label| label.count).sum::<usize>() - positive_count;
        let (negative, positive) = if let Some([negative, positive]) = known {
            (negative.clone(), positive.clone())
        } else {
            let code = positive.unwrap_or(0);
            let name = self.distinct[code].text.clone();
            let other = self.distinct.iter().enumerate().find(|(other, label)| *other != code && label.count > 0);
            let other = other.map_or_else(String::new, |(_, label)| label.text.clone());
            (if rest { format!("not {name}") } else { other }, name)
        };
        Ok(Classes { negative, positive, negative_count, positive_count })
    }

    /// The code of the positive label in training.
    fn choose(&self, place: &Place, options: &ReadOptions) -> Result<usize> {
        let used: Vec<usize> = (0..self.distinct.len()).filter(|&code| self.distinct[code].count > 0).collect();
        let given = options.positive.as_deref().map(|wanted| {
            let label = || wanted.to_owned();
            let unknown = || Error::UnknownLabel { place: place.clone().boxed(), label: label(), labels: self.texts() };
            self.find(wanted).ok_or_else(unknown)
        });
        if options.one_against_rest && given.is_none() {
            let reason = "needs the positive label".to_owned();
            return Err(Error::Setting { setting: "one against rest", reason });
        }
        match used.as_slice() {
            [] => {
                return Err(Error::OneClass { place: place.clone().boxed(), label: String::new(), rows: 0 });
            }
            [one] => {
                let Label { text, count, .. } = &self.distinct[*one];
                return Err(Error::OneClass { place: place.clone().boxed(), label: text.clone(), rows: *count });
            }
            [_, _] => {}
            _ if options.one_against_rest => {}
            _ => return Err(self.too_many(place.clone())),
        }
        if let Some(code) = given {
            return code;
        }
        let (first, second) = (&self.distinct[used[0]], &self.distinct[used[1]]);
        let affirmative =
            |label: &Label| ["positive", "yes", "true", "1"].iter().any(|word| label.text.eq_ignore_ascii_case(word));
        let second_is_later = match (first.number, second.number) {
            (Some(a), Some(b)) => b > a,
            _ if affirmative(first) != affirmative(second) => affirmative(second),
            _ => second.text > first.text,
        };
        Ok(used[usize::from(second_is_later)])
    }
}

impl Classes {
    pub(crate) fn notice(&self) -> String {
        let Self { negative, positive, negative_count, positive_count } = self;
        format!(
            "label {positive:?} is positive ({positive_count} rows), {negative:?} is negative ({negative_count} rows)"
        )
    }
}
