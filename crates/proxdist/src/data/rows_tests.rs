//! Products of rows, dense and sparse, against hand computation.

use super::{Rows, Support};

const X: [f64; 6] = [1.0, 0.0, 2.0, 0.0, 3.0, -1.0];

fn both() -> [Rows<'static>; 2] {
    let sparse =
        Rows::Sparse { starts: &[0, 2, 4], indices: &[0, 2, 1, 2], values: &[1.0, 2.0, 3.0, -1.0], columns: 3 };
    [Rows::Dense { values: &X, rows: 2, columns: 3 }, sparse]
}

#[test]
fn products_agree_with_hand_computation_dense_and_sparse() {
    for rows in both() {
        let mut out = [0.0; 2];
        rows.times(&[1.0, 1.0, 1.0], &Support::of(&[1.0; 3]), &mut out);
        assert_eq!(out, [3.0, 2.0]);
        let mut back = [1.0; 3];
        rows.add_transpose_times(&[1.0, 2.0], &mut back);
        assert_eq!(back, [2.0, 7.0, 1.0]);
        let mut g = [0.0; 4];
        rows.gram(&mut g, &mut Vec::new());
        assert_eq!(g, [5.0, -2.0, -2.0, 10.0]);
        let mut h = [0.0; 9];
        rows.add_weighted_cross(&[1.0, 4.0], &mut h, &mut Vec::new());
        // Column-major lower triangle of XᵀWX.
        assert_eq!([h[0], h[1], h[2], h[4], h[5], h[8]], [1.0, 0.0, 2.0, 36.0, -12.0, 8.0]);
        assert_eq!([rows.row_norm_squared(0), rows.row_norm_squared(1)], [5.0, 10.0]);
        assert_eq!(rows.slice(1..2).row(0).filter(|(_, x)| *x != 0.0).count(), 2);
    }
}

#[test]
fn a_sparse_vector_reads_only_its_columns_and_gives_the_same_product() {
    let width = 16;
    let values: Vec<f64> = (0..2 * width).map(|i| f64::from(i as u32).sin()).collect();
    let rows = Rows::Dense { values: &values, rows: 2, columns: width };
    let mut v = vec![0.0; width];
    v[3] = 2.0;
    v[11] = -1.0;
    let (mut few, mut all) = ([0.0; 2], [0.0; 2]);
    rows.times(&v, &Support::of(&v), &mut few);
    rows.times(&v, &Support::default(), &mut all);
    assert!(Support::of(&v).indices().is_some() && Support::default().indices().is_none());
    assert!(few.iter().zip(all).all(|(a, b)| (a - b).abs() < 1e-14));
}
