//! Text in blocks: the rows of the whole file, from readers that pause, too.

use proxdist_io::{Encoding, Missing, Next, ReadOptions, Table, Task, Unknown, read_bytes};
use std::io::{self, Read};

/// Hands out pieces of a text, and pauses between them.
struct Pausing<'a> {
    pieces: Vec<&'a [u8]>,
    paused: bool,
}

impl Read for Pausing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.paused = !self.paused;
        if self.paused {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let Some(piece) = self.pieces.first_mut() else { return Ok(0) };
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        *piece = &piece[count..];
        if piece.is_empty() {
            self.pieces.remove(0);
        }
        Ok(count)
    }
}

fn options() -> ReadOptions {
    ReadOptions::new().target("y").missing(Missing::Mean)
}

fn text(rows: usize) -> String {
    let row = |i: usize| {
        let gap = if i % 7 == 3 { String::new() } else { format!("{}", i * i % 31) };
        format!("{gap},{},{}\n", ["a", "b", "c"][i % 3], i as f64 / 4.0)
    };
    "x,kind,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// All blocks of a reader, asked for so many rows at a time.
fn all(reader: impl Read, options: ReadOptions, rows: usize) -> Vec<Table> {
    let mut blocks = options.blocks(reader, "rows.csv", rows).unwrap();
    let mut tables = Vec::new();
    loop {
        match blocks.next(rows).unwrap() {
            Next::Rows(table) => tables.push(*table),
            Next::Nothing => {}
            Next::End => return tables,
        }
    }
}

#[test]
fn blocks_have_the_rows_of_the_file_and_means_of_what_was_seen() {
    let text = text(100);
    let whole = read_bytes(text.as_bytes(), "rows.csv", &options()).unwrap();
    for rows in [10, 33, 100, 1000] {
        let tables = all(text.as_bytes(), options(), rows);
        assert_eq!(tables.len(), 100_usize.div_ceil(rows));
        let mut at = 0;
        let (mut sum, mut count) = (0.0, 0.0);
        for table in &tables {
            assert_eq!(table.names(), whole.names());
            let first = at;
            for i in 0..table.features.rows() {
                assert_eq!(table.response.as_ref().unwrap()[i], whole.response.as_ref().unwrap()[at]);
                assert_eq!(table.features.row(i)[1..], whole.features.row(at)[1..]);
                if at % 7 != 3 {
                    assert_eq!(table.features.row(i)[0], whole.features.row(at)[0]);
                    sum += table.features.row(i)[0];
                    count += 1.0;
                }
                at += 1;
            }
            for row in (first..at).filter(|row| row % 7 == 3) {
                assert!((table.features.row(row - first)[0] - sum / count).abs() < 1e-12);
            }
        }
        assert_eq!(at, 100);
    }
}

#[test]
fn a_reader_that_pauses_makes_shorter_blocks() {
    let text = text(40);
    let bytes = text.as_bytes();
    let pieces: Vec<&[u8]> = bytes.chunks(57).collect();
    let tables = all(Pausing { pieces, paused: false }, options(), 10);
    assert_eq!(tables[0].features.rows(), 10, "the first block is waited for");
    assert!(tables.len() > 4, "{}", tables.len());
    let response: Vec<f64> = tables.iter().flat_map(|table| table.response.clone().unwrap()).collect();
    assert_eq!(response, (0..40).map(|i| f64::from(i) / 4.0).collect::<Vec<_>>());
}

/// Another process goes on with what was found, in a file of its own.
#[test]
fn an_encoding_goes_on_elsewhere() {
    let text = text(60);
    let mut first = options().blocks(text.as_bytes(), "rows.csv", 30).unwrap();
    assert!(matches!(first.next(30).unwrap(), Next::Rows(_)));
    let kept: Encoding = serde_json::from_str(&serde_json::to_string(first.encoding().unwrap()).unwrap()).unwrap();
    let Next::Rows(expected) = first.next(30).unwrap() else { panic!("no rows") };
    let lines: Vec<&str> = text.lines().collect();
    let rest = format!("{}\n{}\n", lines[0], lines[31..].join("\n"));
    let mut second = options().blocks(rest.as_bytes(), "other.csv", 30).unwrap();
    second.resume(kept);
    let Next::Rows(found) = second.next(30).unwrap() else { panic!("no rows") };
    for row in 0..30 {
        assert_eq!(found.features.row(row), expected.features.row(row));
    }
    assert_eq!(first.encoding(), second.encoding());
}

#[test]
fn later_blocks_are_held_to_the_first() {
    let good = "x,kind,y\n1,a,no\n2,b,yes\n3,a,no\n4,b,yes\n";
    let options = || ReadOptions::new().target("y").task(Task::Classes);
    for (row, message) in [
        ("5,z,no", "rows.csv, line 6, column 2 (kind): the category \"z\" did not occur in training"),
        ("5,a,maybe", "the label \"maybe\" is not among the labels"),
        ("five,a,no", "rows.csv, line 6, column 1 (x): \"five\" is not a number"),
        ("5,a", "rows.csv, line 6: 2 fields, but 3 columns are expected"),
    ] {
        let text = format!("{good}{row}\n");
        let mut blocks = options().blocks(text.as_bytes(), "rows.csv", 2).unwrap();
        assert!(matches!(blocks.next(2).unwrap(), Next::Rows(_)));
        assert!(matches!(blocks.next(2).unwrap(), Next::Rows(_)));
        let error = blocks.next(2).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let text = format!("{good}5,z,no\n");
    let tables = all(text.as_bytes(), options().unknown(Unknown::Zero), 2);
    assert_eq!(tables[2].features.row(0), [5.0, 0.0]);
    // A block of one class is no mistake once both are known.
    assert_eq!(tables[2].response.as_deref(), Some(&[0.0][..]));
}

#[test]
fn sparse_rows_come_in_blocks_too() {
    let text = "1 1:2 3:1\n0 2:4\n\n1 3:0.5\n0 1:7\n";
    let mut blocks = ReadOptions::new().blocks(text.as_bytes(), "rows.svm", 2).unwrap();
    let Next::Rows(first) = blocks.next(2).unwrap() else { panic!("no rows") };
    assert_eq!((first.features.rows(), first.features.columns()), (2, 3));
    let Next::Rows(second) = blocks.next(2).unwrap() else { panic!("no rows") };
    assert_eq!((second.features.row(0), second.features.row(1)), (vec![0.0, 0.0, 0.5], vec![7.0, 0.0, 0.0]));
    assert!(matches!(blocks.next(2).unwrap(), Next::End));
    assert_eq!(blocks.records(), 4);
    let beyond = "1 1:2 3:1\n0 2:4\n1 9:0.5\n";
    let mut blocks = ReadOptions::new().blocks(beyond.as_bytes(), "rows.svm", 2).unwrap();
    blocks.next(2).unwrap();
    assert!(blocks.next(2).unwrap_err().to_string().contains("line 3: index 9 is beyond the number of columns, 3"));
    let error = ReadOptions::new().blocks(&b"\x93NUMPY\x01\x00"[..], "rows.npy", 2).unwrap_err().to_string();
    assert!(error.contains("rows that come in order are CSV or svmlight"), "{error}");
}
