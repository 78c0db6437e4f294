//! Targets that are one of two labels.

use crate::error::{Error, Place, Result};
use crate::options::ReadOptions;
use crate::schema::Schema;

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

    /// Replaces the codes in `response` by those of the labels: 0 and 1, or more where that was asked for or is known from training.
    pub(crate) fn told(&self, response: &mut [f64], place: Place, options: &ReadOptions) -> Result<Told> {
        let known = options.schema.as_ref().map(|schema| &schema.classes[..]).filter(|classes| !classes.is_empty());
        let used = self.distinct.iter().filter(|label| label.count > 0).count();
        let is_many = options.many_classes && options.schema.is_none() && options.positive.is_none() && used > 2;
        match known {
            Some(known) => {
                self.recode(response, known, &place)?;
                Ok(Told::Many(known.to_vec()))
            }
            None if is_many => {
                let mut labels: Vec<&Label> = self.distinct.iter().filter(|label| label.count > 0).collect();
                labels.sort_by(|a, b| match (a.number, b.number) {
                    (Some(a), Some(b)) => a.total_cmp(&b),
                    (Some(_), None) => std::cmp::Ordering::Less,
                    (None, Some(_)) => std::cmp::Ordering::Greater,
                    (None, None) => a.text.cmp(&b.text),
                });
                let labels: Vec<String> = labels.into_iter().map(|label| label.text.clone()).collect();
                self.recode(response, &labels, &place)?;
                Ok(Told::Many(labels))
            }
            None => self.finish(response, place, options).map(Told::Two),
        }
    }

    /// Replaces our codes by places in a list of labels.
    fn recode(&self, response: &mut [f64], labels: &[String], place: &Place) -> Result<()> {
        let mut places = vec![None; self.distinct.len()];
        for (at, label) in labels.iter().enumerate() {
            if let Some(code) = self.find(label) {
                places[code] = Some(at);
            }
        }
        for value in response {
            let code = *value as usize;
            let Some(at) = places[code] else {
                let label = self.distinct[code].text.clone();
                return Err(Error::UnknownLabel { place: place.clone().boxed(), label, labels: labels.to_vec() });
            };
            *value = at as f64;
        }
        Ok(())
    }

    /// Replaces the codes in `response` by 0 and 1.
    fn finish(&self, response: &mut [f64], place: Place, options: &ReadOptions) -> Result<Classes> {
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

/// The labels of a target.
#[derive(Debug)]
pub(crate) enum Told {
    /// Two, coded 0 and 1.
    Two(Classes),
    /// More, in the order of their codes.
    Many(Vec<String>),
}

impl Told {
    pub(crate) fn notice(&self) -> String {
        match self {
            Self::Two(classes) => classes.notice(),
            Self::Many(labels) => {
                const SHOWN: usize = 12;
                let shown: Vec<String> = labels.iter().take(SHOWN).map(|label| format!("{label:?}")).collect();
                let rest = if labels.len() > SHOWN { ", …" } else { "" };
                format!("{} labels: {}{rest}", labels.len(), shown.join(", "))
            }
        }
    }

    /// Notes the labels of a training file in its schema; returns them if they are two.
    pub(crate) fn noted(self, schema: &mut Schema, options: &ReadOptions) -> Option<Classes> {
        match self {
            Self::Two(classes) => {
                if options.schema.is_none() {
                    schema.labels = Some([classes.negative.clone(), classes.positive.clone()]);
                    schema.one_against_rest = options.one_against_rest;
                }
                Some(classes)
            }
            Self::Many(labels) => {
                schema.classes = labels;
                None
            }
        }
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
