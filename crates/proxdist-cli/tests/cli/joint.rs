//! Times until an event and ordered labels on the command line.

use crate::common::{Run, Scratch, proxdist};

/// Rows with times, events, strata, entries and ordered labels, from two of three features.
fn table() -> String {
    let mut text = "a,b,c,days,died,clinic,since,rating\n".to_owned();
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64) / 9_007_199_254_740_992.0
    };
    for i in 0..120 {
        let (a, b, c) = (next() * 4.0 - 2.0, next() * 200.0 - 100.0, next());
        let eta = a - 0.01 * b;
        let died = -(1.0 - next()).ln() * (-eta).exp();
        let left = 0.3 + 2.0 * next();
        let days = (50.0 * died.min(left)).ceil();
        let latent = eta + (next() / (1.0 - next()).max(1e-9)).max(1e-9).ln();
        let rating = if latent < -1.0 { "low" } else if latent < 1.0 { "mid" } else { "high" };
        let (event, clinic) = (u8::from(died <= left), ["north", "south"][i % 2]);
        let since = if i % 4 == 0 { (days / 2.0).floor() } else { 0.0 };
        text += &format!("{a},{b},{c},{days},{event},{clinic},{since},{rating}\n");
    }
    text
}
