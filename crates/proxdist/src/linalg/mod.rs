//! The only file that knows the matrix crate.
//!
//! Every call passes `Par::Seq`: bits must not depend on the number of threads, and one step is too small to share.
//! Matrices are slices; `rows × columns` is row-major unless a name says otherwise.

pub(crate) mod svd;

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};

/// Memory for decompositions, grown on demand and reused.
#[derive(Default)]
pub struct Scratch(Option<MemBuffer>);

impl Scratch {
    /// A stack of at least the required size.
    pub(crate) fn stack(&mut self, required: StackReq) -> &mut MemStack {
        let enough = self.0.as_mut().is_some_and(|buffer| MemStack::new(buffer).can_hold(required));
        if !enough {
            self.0 = None;
        }
        MemStack::new(self.0.get_or_insert_with(|| MemBuffer::new(required)))
    }
}
