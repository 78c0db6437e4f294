//! However rows are stored, and whether columns are scaled beforehand or as they are read, the numbers are the same, bit for bit.

use proptest::prelude::*;
use proxdist::constraint::Sparsity;
use proxdist::data::{RowBuffer, Support, Wanted, products};
use proxdist::loss::{Logistic, Squared};
use proxdist::simulate::{Response, Truth, vector};
use proxdist::{Data, Fit, Problem, Scaling, Settings};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// All entries, row by row.
fn entries(data: &Data) -> Vec<f64> {
    let (mut buffer, all): (_, Vec<usize>) = (RowBuffer::default(), (0..data.rows()).collect());
    data.random_access().unwrap().gather(&all, None, &mut buffer).unwrap();
    buffer.rows().spread(&mut Vec::new()).to_vec()
}

/// Entries, some gathered rows and columns, chunks of rows and columns, and products with a full and a sparse vector.
fn seen(data: &Data) -> Vec<u64> {
    let (rows, columns) = (data.rows(), data.columns());
    let (source, mut numbers, mut buffer) = (data.random_access().unwrap(), entries(data), RowBuffer::default());
    let some = [0, columns / 2, columns - 1];
    let some = &some[..columns.min(3) - usize::from(columns == 2)];
    for columns in [None, Some(some), Some(&[][..])] {
        let backwards: Vec<usize> = (0..rows).rev().chain([0, rows / 2]).collect();
        source.gather(&backwards, columns, &mut buffer).unwrap();
        let block = buffer.rows();
        numbers.extend((0..block.len()).flat_map(|i| block.row(i)).map(|(_, x)| x));
        let mut expected = rows / 3;
        data.source()
            .chunks(&Wanted { rows: rows / 3..rows, length: 7, columns }, &mut |piece| {
                assert_eq!(piece.first, expected);
                expected += piece.rows.len();
                assert!(piece.rows.len() == 7 || expected == rows);
                match columns {
                    Some(columns) => piece.pick(columns, &mut numbers),
                    None => numbers.extend((0..piece.rows.len()).flat_map(|i| piece.rows.row(i)).map(|(_, x)| x)),
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(expected, rows);
    }
    let full: Vec<f64> = (0..columns).map(|j| (j as f64 + 0.3).sin()).collect();
    let few: Vec<f64> = (0..columns).map(|j| if j == columns / 2 { 1.7 } else { 0.0 }).collect();
    for v in [full, few] {
        let (found, support) = (products(data.source(), &v).unwrap(), Support::of(&v));
        for row in [0, rows - 1] {
            source.gather(&[row], None, &mut buffer).unwrap();
            assert_eq!(buffer.rows().dot(0, &v, &support).to_bits(), found[row].to_bits());
        }
        numbers.extend(found);
    }
    bits(&numbers)
}

fn transposed(x: &[f64], columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|j| x.iter().skip(j).step_by(columns).copied()).collect()
}

fn result(fit: &Fit) -> (Vec<u64>, Option<u64>, u64, u64) {
    let intercept = fit.intercept().map(f64::to_bits);
    (bits(fit.coefficients()), intercept, fit.objective().to_bits(), fit.certificate().stationarity.to_bits())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn columns_one_after_the_other_are_the_same_rows(
        (columns, x) in (1..40_usize, 1..80_usize).prop_flat_map(|(columns, rows)| {
            (Just(columns), prop::collection::vec(-9.0..9.0, rows * columns))
        })
    ) {
        let y = vec![0.0; x.len() / columns];
        let turned = transposed(&x, columns);
        prop_assert_eq!(seen(&Data::dense(&x, columns, &y).unwrap()), seen(&Data::column_major(&turned, &y).unwrap()));
        let (x, turned): (Vec<f32>, Vec<f32>) = (narrow(&x), narrow(&turned));
        prop_assert_eq!(seen(&Data::dense(&x, columns, &y).unwrap()), seen(&Data::column_major(&turned, &y).unwrap()));
    }

    #[test]
    fn scaling_while_reading_is_scaling_beforehand(
        (columns, x) in (1..30_usize, 2..60_usize).prop_flat_map(|(columns, rows)| {
            (Just(columns), prop::collection::vec(-9.0..9.0, rows * columns))
        })
    ) {
        let y = vec![0.0; x.len() / columns];
        let turned = transposed(&x, columns);
        for centered in [true, false] {
            let stored = Data::dense(&x, columns, &y).unwrap();
            let scaling = Scaling::of(&stored, centered).unwrap();
            let scaled = stored.scaled(scaling.clone()).unwrap();
            let before = entries(&scaled);
            let turned = Data::column_major(&turned, &y).unwrap();
            prop_assert_eq!(&Scaling::of(&turned, centered).unwrap(), &scaling);
            let expected = seen(&Data::dense(&before, columns, &y).unwrap());
            prop_assert_eq!(&expected, &seen(&scaled));
            prop_assert_eq!(&expected, &seen(&turned.scaled(scaling).unwrap()));
        }
    }
}

fn narrow(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&x| x as f32).collect()
}

#[test]
fn a_fit_is_the_same_by_rows_and_by_columns_scaled_or_not() {
    let simulated = vector(Response::Logistic, Truth::Sparse(3), 400, 30, 2).unwrap();
    let (x, y) = (&simulated.x, &simulated.y);
    let turned = transposed(x, 30);
    let settings = Settings::default().seed(5);
    let fitted = |data: &Data| {
        let problem = Problem::new(data, Logistic, Sparsity::at_most(3)).intercept(true);
        result(&problem.fit(&settings).unwrap())
    };
    let (rows, columns) = (Data::dense(x, 30, y).unwrap(), Data::column_major(&turned, y).unwrap());
    assert_eq!(fitted(&rows), fitted(&columns));
    let scaling = Scaling::of(&rows, true).unwrap();
    let scaled = fitted(&rows.scaled(scaling.clone()).unwrap());
    assert_eq!(scaled, fitted(&columns.scaled(scaling).unwrap()));
}

#[test]
fn a_fit_on_sparse_rows_scaled_while_reading_is_that_on_rows_scaled_beforehand() {
    let rows = 200;
    let (mut starts, mut columns, mut values) = (vec![0_usize], Vec::new(), Vec::new());
    let mut y = Vec::new();
    for i in 0..rows {
        for j in (0..20_u32).filter(|j| (i * 7 + *j as usize * 13).is_multiple_of(5)) {
            columns.push(j);
            values.push(f64::from(j + 1) * ((i * 31 + j as usize) as f64).sin());
        }
        starts.push(values.len());
        y.push((i as f64).cos());
    }
    let fitted = |data: &Data| {
        let problem = Problem::new(data, Squared, Sparsity::at_most(4)).intercept(true);
        result(&problem.fit(&Settings::default()).unwrap())
    };
    let data = Data::sparse(&starts, &columns, &values, 20, &y).unwrap();
    let scaling = Scaling::of(&data, true).unwrap();
    assert!(!scaling.is_centered());
    let scaled = data.scaled(scaling).unwrap();
    let (mut before, scaled_entries) = (values.clone(), entries(&scaled));
    for i in 0..rows {
        (starts[i]..starts[i + 1]).for_each(|at| before[at] = scaled_entries[20 * i + columns[at] as usize]);
    }
    assert_eq!(fitted(&scaled), fitted(&Data::sparse(&starts, &columns, &before, 20, &y).unwrap()));
}

#[test]
fn a_model_brought_back_predicts_what_it_did_on_scaled_columns() {
    let simulated = vector(Response::Linear, Truth::Sparse(3), 300, 12, 4).unwrap();
    let x: Vec<f64> = simulated.x.iter().enumerate().map(|(i, x)| 50.0 + x * (i % 12 + 1) as f64).collect();
    let data = Data::dense(&x, 12, &simulated.y).unwrap();
    let scaling = Scaling::of(&data, true).unwrap();
    let scaled = Data::dense(&x, 12, &simulated.y).unwrap().scaled(scaling.clone()).unwrap();
    let problem = Problem::new(&scaled, Squared, Sparsity::at_most(3)).intercept(true);
    let fit = problem.fit(&Settings::default()).unwrap();
    let model = scaling.restored(fit.model()).unwrap();
    let (inside, outside) = (fit.model().predict(scaled.source()).unwrap(), model.predict(data.source()).unwrap());
    assert!(inside.iter().zip(&outside).all(|(a, b)| (a - b).abs() < 1e-10));
    let (start, intercept) = scaling.scaled_start(&model.coefficients, model.intercept.unwrap());
    assert!(start.iter().zip(fit.coefficients()).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!((intercept - fit.intercept().unwrap()).abs() < 1e-10);
}
