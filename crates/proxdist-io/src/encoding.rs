//! What each column of a file becomes, once all of it is known: numbers with gaps filled or in bins, texts as indicators.
//!
//! The encoding is settled from the statistics of all rows, or from the schema of a model, and then applied row by row, wherever the rows are.

use proxdist::binning::Bins;

use crate::bins::{self, Answers};
use crate::collect::{Collector, MISSING};
use crate::error::{Error, Place, Result};
use crate::layout::Role;
use crate::options::{Missing, ReadOptions};
use crate::schema::{ColumnKind, SchemaColumn};

/// Fewer rows than this cannot show that a text column is an identifier.
const FEW_ROWS: usize = 20;

/// How rows become features.
#[derive(Debug)]
pub(crate) struct Encoding {
    pub(crate) columns: Vec<SchemaColumn>,
    /// Features of a row.
    pub(crate) width: usize,
    /// By slot of a number: what stands for a missing one, `NaN` where nothing does.
    fills: Vec<f64>,
    texts: Vec<Codes>,
    bins: Vec<Bins>,
    blocks: Vec<Block>,
}

/// From codes in order of appearance to levels in order.
#[derive(Debug, Default)]
struct Codes {
    /// The level of each code; as they are where the levels were known.
    ranks: Option<Vec<u32>>,
    /// What a missing text becomes.
    fill: Option<u32>,
}

impl Codes {
    fn level(&self, code: u32) -> u32 {
        if code == MISSING {
            return self.fill.unwrap_or(MISSING);
        }
        match &self.ranks {
            Some(ranks) => ranks.get(code as usize).copied().unwrap_or(code),
            None => code,
        }
    }
}

/// One column of the file in the row of features: where it starts and where it comes from.
#[derive(Clone, Copy, Debug)]
enum Block {
    Number {
        slot: usize,
        start: usize,
        marked: bool,
    },
    Levels {
        slot: usize,
        start: usize,
        first: u32,
        end: u32,
        marked: bool,
    },
    /// The first bin with a column, and which of the bins.
    Bins {
        slot: usize,
        start: usize,
        first: usize,
        at: usize,
    },
}

impl Encoding {
    /// Settles the levels and the filled in values of all columns. `rows` were kept.
    pub(crate) fn settle(collector: &mut Collector<'_>, answers: Answers<'_>) -> Result<Self> {
        let known = collector.options.schema.clone();
        let fills = match &known {
            Some(schema) => schema.columns.iter().filter_map(number_fill).collect(),
            None => means(collector)?,
        };
        let mut encoding = Self {
            columns: Vec::new(),
            width: 0,
            fills,
            texts: std::iter::repeat_with(Codes::default).take(collector.layout.texts).collect(),
            bins: Vec::new(),
            blocks: Vec::new(),
        };
        for (position, column) in collector.layout.features.clone().into_iter().enumerate() {
            let known = known.as_ref().map(|schema| &schema.columns[position]);
            encoding.add(collector, column, known, answers)?;
        }
        Ok(encoding)
    }

    fn add(
        &mut self,
        collector: &mut Collector<'_>,
        column: usize,
        known: Option<&SchemaColumn>,
        answers: Answers<'_>,
    ) -> Result<()> {
        let name = collector.layout.names[column].clone();
        let start = self.width;
        let (kind, marked) = match (collector.layout.roles[column], known) {
            (Role::Text(slot), Some(known)) => {
                self.texts[slot].fill = level_fill(&known.kind);
                (known.kind.clone(), known.marked)
            }
            (Role::Text(slot), None) => {
                let place = Place::file(&collector.source).column(column, &name);
                let forced = collector.options.categorical.iter().map(|wanted| wanted.trim()).any(|wanted| {
                    // By name or by one-based number, as in the layout.
                    wanted == name || wanted.parse() == Ok(column + 1)
                });
                let (kind, codes, notice) = settle_text(collector, slot, place, forced)?;
                self.texts[slot] = codes;
                collector.notices.push(notice);
                (kind, collector.is_marked(collector.statistics.missing[slot]))
            }
            (Role::Number(slot), None) => {
                if let Some((kind, notice)) = bins::learned(collector, (column, slot), answers)? {
                    collector.notices.push(notice);
                    (kind, false)
                } else {
                    let fill = self.fills.get(slot).copied();
                    let gaps = (collector.kept as usize).saturating_sub(collector.statistics.present[slot]);
                    (ColumnKind::Number { fill }, collector.is_marked(gaps))
                }
            }
            (Role::Number(_), Some(known)) => (known.kind.clone(), known.marked),
            _ => return Ok(()),
        };
        match (collector.layout.roles[column], &kind) {
            (Role::Text(slot), ColumnKind::Levels { levels, coding, .. }) => {
                let first = coding.first_coded(levels.len()) as u32;
                self.blocks.push(Block::Levels { slot, start, first, end: levels.len() as u32, marked });
            }
            (Role::Number(slot), ColumnKind::Bins { bins, coding, .. }) => {
                let (first, at) = (coding.first_coded(bins.count()), self.bins.len());
                self.bins.push(bins.clone());
                self.blocks.push(Block::Bins { slot, start, first, at });
            }
            (Role::Number(slot), _) => self.blocks.push(Block::Number { slot, start, marked }),
            _ => {}
        }
        let name = known.map_or(name, |known| known.name.clone());
        let column = SchemaColumn { name, kind, marked };
        self.width += column.width();
        self.columns.push(column);
        Ok(())
    }

    /// Whether some column has an indicator of its missing values.
    pub(crate) fn has_marks(&self) -> bool {
        self.columns.iter().any(|column| column.marked)
    }

    /// Calls `put` with feature and value of a row, features increasing; indicators that are zero are left out.
    pub(crate) fn row(&self, numbers: &[f64], code: impl Fn(usize) -> u32, mut put: impl FnMut(usize, f64)) {
        for block in &self.blocks {
            match *block {
                Block::Bins { slot, start, first, at } => {
                    let bins = &self.bins[at];
                    let value = if bins.missing { numbers[slot] } else { self.filled(slot, numbers[slot]) };
                    if let Some(place) = bins.of(value).and_then(|bin| bin.checked_sub(first)) {
                        put(start + place, 1.0);
                    }
                }
                Block::Number { slot, start, marked } => {
                    let value = numbers[slot];
                    put(start, self.filled(slot, value));
                    if marked && value.is_nan() {
                        put(start + 1, 1.0);
                    }
                }
                Block::Levels { slot, start, first, end, marked } => {
                    let level = self.texts[slot].level(code(slot));
                    if (first..end).contains(&level) {
                        put(start + (level - first) as usize, 1.0);
                    } else if marked && level == MISSING {
                        put(start + (end - first) as usize, 1.0);
                    }
                }
            }
        }
    }

    /// A number, or what stands for a missing one.
    fn filled(&self, slot: usize, value: f64) -> f64 {
        if value.is_nan() { self.fills.get(slot).copied().unwrap_or(value) } else { value }
    }

    /// Whether some column becomes bins.
    pub(crate) fn has_bins(&self) -> bool {
        !self.bins.is_empty()
    }

    /// Fills gaps in rows of numbers where they stand, for a file without texts, bins and marks.
    pub(crate) fn fill(&self, numbers: &mut [f64]) {
        if self.fills.is_empty() {
            return;
        }
        for row in numbers.chunks_exact_mut(self.fills.len()) {
            for (value, fill) in row.iter_mut().zip(&self.fills) {
                if value.is_nan() {
                    *value = *fill;
                }
            }
        }
    }
}

fn number_fill(column: &SchemaColumn) -> Option<f64> {
    match column.kind {
        ColumnKind::Number { fill } | ColumnKind::Bins { fill, .. } => Some(fill.unwrap_or(f64::NAN)),
        ColumnKind::Levels { .. } => None,
    }
}

fn level_fill(kind: &ColumnKind) -> Option<u32> {
    let ColumnKind::Levels { levels, fill, .. } = kind else { return None };
    fill.as_ref().and_then(|fill| levels.iter().position(|level| level == fill)).map(|code| code as u32)
}

/// Means by slot, or nothing where missing values are not filled in.
fn means(collector: &mut Collector<'_>) -> Result<Vec<f64>> {
    if !collector.options.missing.fills() {
        return Ok(Vec::new());
    }
    let statistics = &collector.statistics;
    let mut notices = Vec::new();
    for &column in &collector.layout.features {
        let Role::Number(slot) = collector.layout.roles[column] else { continue };
        let name = &collector.layout.names[column];
        let (mean, present) = (statistics.means[slot], statistics.present[slot]);
        if present == 0 {
            return Err(Error::NoMean { place: Place::file(&collector.source).column(column, name).boxed() });
        }
        let missing = collector.kept as usize - present;
        let asked = collector.layout.bins.get(column).copied().flatten();
        let has_own_bin = asked.is_some_and(|asked| asked.rule.missing);
        if missing > 0 && !has_own_bin {
            let is_marked = collector.is_marked(missing) && asked.is_none();
            let marked = if is_marked { format!(" and marked in {name}=missing") } else { String::new() };
            notices.push(format!("column {name}: {missing} missing values are filled in with the mean {mean}{marked}"));
        }
    }
    let means = statistics.means.clone();
    collector.notices.extend(notices);
    Ok(means)
}

/// Sorts the levels of a column met for the first time, and finds its most frequent one.
fn settle_text(
    collector: &mut Collector<'_>,
    slot: usize,
    place: Place,
    forced: bool,
) -> Result<(ColumnKind, Codes, String)> {
    let all = std::mem::take(&mut collector.texts[slot].levels);
    let (counts, missing) = (&collector.statistics.counts[slot], collector.statistics.missing[slot]);
    let rows = collector.kept as usize;
    // A level that occurs in rows left out only would be a column of zeros.
    let mut order: Vec<usize> = (0..all.len()).filter(|&code| counts.get(code).is_some_and(|&n| n > 0)).collect();
    if order.is_empty() {
        return Err(Error::NoMean { place: place.boxed() });
    }
    if order.len() == rows && rows >= FEW_ROWS && !forced {
        return Err(Error::Identifier { place: place.boxed(), rows });
    }
    let numbers: Option<Vec<f64>> = all.iter().map(|level| crate::number::parse(level.as_bytes())).collect();
    match numbers {
        Some(numbers) => order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(all[a].cmp(&all[b]))),
        None => order.sort_by(|&a, &b| all[a].cmp(&all[b])),
    }
    let mut ranks = vec![0_u32; all.len()];
    order.iter().enumerate().for_each(|(position, &code)| ranks[code] = position as u32);
    let levels: Vec<String> = order.iter().map(|&code| all[code].clone()).collect();
    let counts: Vec<usize> = order.iter().map(|&code| counts[code]).collect();
    let name = place.column.map_or_else(String::new, |(_, name)| name);
    Ok(described(&name, &levels, (&counts, missing), ranks, &collector.options))
}

fn described(
    name: &str,
    levels: &[String],
    (counts, missing): (&[usize], usize),
    ranks: Vec<u32>,
    options: &ReadOptions,
) -> (ColumnKind, Codes, String) {
    let coding = options.coding;
    let first = coding.first_coded(levels.len());
    let width = levels.len() - first;
    let mut notice = match width {
        0 => format!("column {name} always reads {:?} and is left out", levels[0]),
        1 if first == 1 => format!("text column {name} becomes one indicator column, {name}={}", levels[1]),
        _ => format!("text column {name} becomes {width} indicator columns ({} levels)", levels.len()),
    };
    let (mut fill, mut code) = (None, None);
    if options.missing == Missing::Indicator && missing > 0 {
        notice = format!("{notice}; {missing} missing values are marked in {name}=missing");
    } else if options.missing.fills() {
        let most = (0..levels.len()).max_by_key(|&level| (counts[level], usize::MAX - level)).unwrap_or(0);
        if missing > 0 {
            let most = &levels[most];
            notice = format!("{notice}; {missing} missing values are filled in with the most frequent, {most:?}");
        }
        (fill, code) = (Some(levels[most].clone()), Some(most as u32));
    }
    (ColumnKind::Levels { levels: levels.to_vec(), coding, fill }, Codes { ranks: Some(ranks), fill: code }, notice)
}
