//! Random numbers that stay the same for ever: ChaCha8 by name, and our own way from bits to indices.
//!
//! A stream is named by the seed, a purpose and a counter, so batch number k is the same whatever was drawn before it: a
//! run can be resumed at any step, and methods can be compared on the same batches, without storing a generator's state.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// What a stream is for. The numbers are part of what a seed means: never reorder them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Batch = 0,
    Pass = 1,
    Monitor = 2,
    Simulation = 3,
    Search = 4,
    Block = 5,
    Reservoir = 6,
    Resampling = 7,
}

/// The stream of this seed, purpose and counter.
pub(crate) fn stream(seed: u64, purpose: Purpose, counter: u64) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(counter.wrapping_mul(8).wrapping_add(purpose as u64));
    generator
}

/// A uniform integer below `bound > 0`, by multiplication with rejection of the few values that would be favoured.
pub(crate) fn below(generator: &mut ChaCha8Rng, bound: u64) -> u64 {
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(generator.next_u64()) * u128::from(bound);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

/// A uniform number in [0, 1) with 53 random bits.
pub(crate) fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}
