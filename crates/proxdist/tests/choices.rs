//! Sets that leave a choice of features, on real data in raw units, against enumeration.

mod enumeration;

use enumeration::{least_squares, subsets};
use proxdist::loss::Squared;
use proxdist::spec::SetSpec;
use proxdist::{Data, Problem, Settings};
use std::path::{Path, PathBuf};

/// Text of a file of the shared collection: `$PROXDIST_DATA`, or `shared/data` beside the repository.
fn shared(name: &str) -> Option<String> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("PROXDIST_DATA").map_or_else(beside, PathBuf::from).join(name);
    if path.exists() {
        return Some(std::fs::read_to_string(path).expect("text"));
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
    println!("skipped: no data ({})", path.display());
    None
}

fn row_major(columns: &[Vec<f64>]) -> Vec<f64> {
    (0..columns[0].len()).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}

/// Cigarette sales of California before 1989 as a mixture of three other states.
#[test]
fn the_best_three_states_are_found() {
    let Some(text) = shared("classic/smoking_prop99.csv") else { return };
    let mut states: Vec<(String, Vec<f64>)> = Vec::new();
    let mut lines: Vec<(String, f64, f64)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[0].to_owned(), cells[1].parse().unwrap(), cells[2].parse().unwrap())
        })
        .filter(|(_, year, _)| *year < 1989.0)
        .collect();
    lines.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for (state, _, sales) in lines {
        match states.last_mut() {
            Some((last, values)) if *last == state => values.push(sales),
            _ => states.push((state, vec![sales])),
        }
    }
    let at = states.iter().position(|(state, _)| state == "California").unwrap();
    let (_, y) = states.remove(at);
    let columns: Vec<Vec<f64>> = states.into_iter().map(|(_, values)| values).collect();
    assert_eq!((columns.len(), y.len()), (38, 19));
    let x = row_major(&columns);
    let data = Data::dense(&x, columns.len(), &y).unwrap();
    for text in ["simplex & sparsity:3", "sparsity:3 & simplex"] {
        let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
        let fit = Problem::new(&data, Squared, &set).fit(&Settings::default()).unwrap();
        assert!((fit.objective() - 1.95).abs() < 0.01, "{}: {:?}", fit.objective(), fit.certificate());
        assert!(fit.certificate().exchanges.are_exhausted(), "{:?}", fit.certificate());
    }
}

/// Salaries of baseball players: two features are always in, and some of the others.
#[test]
fn blocks_with_a_sparse_part_end_at_the_best_choice() {
    let Some(text) = shared("classic/hitters.csv") else { return };
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let salary = names.iter().position(|name| *name == "Salary").unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|row| row[salary].parse::<f64>().is_ok())
        .collect();
    let y: Vec<f64> = rows.iter().map(|row| row[salary].parse().unwrap()).collect();
    let number = |cell: &str| cell.parse().unwrap_or_else(|_| f64::from(u8::from(matches!(cell, "N" | "W"))));
    let columns: Vec<Vec<f64>> =
        (1..names.len()).filter(|&j| j != salary).map(|j| rows.iter().map(|row| number(row[j])).collect()).collect();
    assert_eq!((columns.len(), y.len()), (19, 263));
    let x = row_major(&columns);
    let data = Data::dense(&x, 19, &y).unwrap();
    let ones = vec![1.0; y.len()];
    // All numbers of features take a while.
    let is_thorough = std::env::var_os("PROXDIST_INSTANCES").is_some();
    for keep in if is_thorough { (0..=17).collect() } else { vec![0, 1, 2, 3, 15, 16, 17] } {
        let best = subsets(17, keep)
            .iter()
            .map(|chosen| {
                let always = [ones.clone(), columns[0].clone(), columns[1].clone()].into_iter();
                let used = always.chain(chosen.iter().map(|&j| columns[j + 2].clone()));
                least_squares(used, &y) / (2 * y.len()) as f64
            })
            .fold(f64::INFINITY, f64::min);
        let texts = [format!("blocks[1-2: none][3-19: sparsity:{keep}]"), format!("sparsity:{};keep=1,2", keep + 2)];
        for text in texts {
            let set = SetSpec::parse(&text).unwrap().build(data.parameter_shape()).unwrap();
            let fit = Problem::new(&data, Squared, &set).intercept(true).fit(&Settings::default()).unwrap();
            assert!((fit.objective() - best).abs() <= 1e-9 * best, "{text}: {} and {best}", fit.objective());
            assert!(fit.certificate().exchanges.are_exhausted(), "{text}: {:?}", fit.certificate());
        }
    }
}
