//! Files of linear rows, for `polyhedron;file=...`: a row in words a line, or a table with a column for every feature that takes part.
//!
//! ```text
//! age + 2*income <= 3          age,income,sense,right
//! 0 <= sum(asset_*) <= 0.4     1,2,<=,3
//! ```
//!
//! Lines that are empty or start with `#` are left out. In a table, an empty cell is a zero; the columns `sense` (`<=`, `>=` or `=`) and `right` may stand anywhere.

use super::groups::cells;
use super::{Coordinates, Row, SetSpec, Term};
use crate::constraint::{SetFault, refusal};
use crate::error::Result;

impl SetSpec {
    /// The rows of a file with this name, all at once.
    pub(super) fn of_rows(path: &str, text: &str) -> Result<Self> {
        let refused = |reason: String| refusal(format!("the rows of {path}"), SetFault::Other(reason));
        let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut lines = text.lines().enumerate().filter(|(_, line)| is_content(line)).peekable();
        let is_table = lines.peek().is_some_and(|(_, heading)| heading_of(heading).is_some());
        let rows: Vec<Row> = if is_table {
            let heading = lines.next().and_then(|(_, heading)| heading_of(heading));
            let Some(heading) = heading else { return Err(refused("there is no heading".to_owned())) };
            let row = |(at, line): (usize, &str)| {
                heading.row(line).map_err(|reason| refused(format!("line {}: {reason}", at + 1)))
            };
            lines.map(row).collect::<Result<_>>()?
        } else {
            let row = |(at, line): (usize, &str)| {
                Row::parse(line).map_err(|error| refused(format!("line {}: {error}", at + 1)))
            };
            lines.map(row).collect::<Result<_>>()?
        };
        if rows.is_empty() {
            return Err(refused("there is no row in it".to_owned()));
        }
        Ok(Self::all_of(rows.into_iter().map(Self::Linear)))
    }

    /// Puts the rows of every file that a polyhedron names in its place.
    pub(super) fn read_rows(&mut self, read: &mut dyn FnMut(&str) -> Result<String>) -> Result<()> {
        match self {
            Self::PolyhedronFile { path } => {
                let text = read(path)?;
                *self = Self::of_rows(path, &text)?;
            }
            Self::Blocks(blocks) => blocks.iter_mut().try_for_each(|block| block.set.read_rows(read))?,
            Self::Intersection(parts) => {
                parts.iter_mut().try_for_each(|part| part.read_rows(read))?;
                *self = Self::all_of(std::mem::take(parts));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The heading of a table: what each column is.
struct Heading {
    names: Vec<String>,
    sense: usize,
    right: usize,
}

/// The heading, if the line is one: it has a column `sense` and a column `right`.
fn heading_of(line: &str) -> Option<Heading> {
    let names = cells(line)?;
    let place = |word: &str| names.iter().position(|name| name.trim().eq_ignore_ascii_case(word));
    let (sense, right) = (place("sense")?, place("right").or_else(|| place("rhs"))?);
    (names.len() > 2).then_some(Heading { names, sense, right })
}

impl Heading {
    fn row(&self, line: &str) -> std::result::Result<Row, String> {
        let cells = cells(line).ok_or("a quotation is left open")?;
        if cells.len() != self.names.len() {
            return Err(format!("{} cells, but the heading has {}", cells.len(), self.names.len()));
        }
        let number = |k: usize| match cells[k].trim() {
            "" if k != self.right => Ok(0.0),
            text => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                _ => Err(format!("{text:?} in column {} is not a finite number", self.names[k])),
            },
        };
        let right = number(self.right)?;
        let (lower, upper) = match cells[self.sense].trim() {
            "<=" | "≤" => (f64::NEG_INFINITY, right),
            ">=" | "≥" => (right, f64::INFINITY),
            "=" | "==" => (right, right),
            other => return Err(format!("the sense is <=, >= or =, not {other:?}")),
        };
        let mut terms = Vec::new();
        for k in (0..cells.len()).filter(|k| *k != self.sense && *k != self.right) {
            let factor = number(k)?;
            if factor != 0.0 {
                terms.push(Term { factor, on: Coordinates::names([self.names[k].trim().to_owned()]) });
            }
        }
        if terms.is_empty() {
            return Err("only zeros on the left".to_owned());
        }
        Ok(Row { terms, lower, upper })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::names::Names;

    fn built(text: &str) -> Result<SetSpec> {
        SetSpec::parse("polyhedron;file=rows.csv")?.with_files(&mut |_| Ok(text.to_owned()))
    }

    #[test]
    fn words_and_tables_say_the_same() -> Result<()> {
        let words = built("# two rows\nage + 2*income <= 3\n\nincome - debt >= 0.5\nage + debt = 1\n")?;
        let table = built("age,income,sense,debt,right\n1,2,<=,,3\n,1,>=,-1,0.5\n1,0,=,1,1\n")?;
        let names = ["age", "debt", "income"].map(str::to_owned);
        let names = Names::of(&names);
        assert_eq!(words.resolve(&names)?, table.resolve(&names)?);
        let SetSpec::Intersection(parts) = table.resolve(&names)? else { panic!("three rows") };
        assert_eq!(parts[0], SetSpec::HalfSpace { normal: vec![1.0, 0.0, 2.0], offset: 3.0 });
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let message = |text: &str| built(text).map_or_else(|error| error.to_string(), |set| set.to_string());
        assert!(message("a,sense,right\n1,<,2\n").contains("line 2: the sense is <=, >= or =, not \"<\""));
        assert!(message("a,sense,right\n1,<=\n").contains("line 2: 2 cells, but the heading has 3"));
        assert!(message("a,sense,right\nx,<=,1\n").contains("\"x\" in column a"));
        assert!(message("a,sense,right\n0,<=,1\n").contains("only zeros"));
        assert!(message("a + b\n").contains("line 1"));
        assert!(message("# nothing\n").contains("there is no row in it"));
    }
}
