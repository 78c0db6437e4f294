//! The open nodes: best bound first, and depth first once they fill the memory that they may have.
//!
//! While the heap is full, children go on a stack that is emptied before the heap is touched again: the stack holds no more than one path of siblings for each node of a
//! batch, so memory stays bounded.

use super::node::Node;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A node in the order of the heap, which hands out its largest element first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Ranked(Node);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.bound.total_cmp(&self.0.bound).then(other.0.number.cmp(&self.0.number))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The open nodes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Queue {
    heap: BinaryHeap<Ranked>,
    heap_bytes: usize,
    stack: Vec<Node>,
    numbered: u64,
}

/// The same nodes in the same order, however the heap has them.
impl PartialEq for Queue {
    fn eq(&self, other: &Self) -> bool {
        let ranked = |queue: &Self| queue.heap.clone().into_sorted_vec();
        self.stack == other.stack && self.numbered == other.numbered && ranked(self) == ranked(other)
    }
}

impl Queue {
    /// Takes in the children of a node; the last one is looked at first where there is no memory for best first.
    pub(super) fn push(&mut self, node: Node, memory: usize) {
        let node = Node { number: self.numbered, ..node };
        self.numbered += 1;
        let bytes = node.bytes();
        if self.heap_bytes + bytes > memory {
            self.stack.push(node);
        } else {
            self.heap_bytes += bytes;
            self.heap.push(Ranked(node));
        }
    }

    /// Hands out the next nodes.
    pub(super) fn pop(&mut self, most: usize) -> Vec<Node> {
        if !self.stack.is_empty() {
            return self.stack.split_off(self.stack.len().saturating_sub(most));
        }
        let mut nodes = Vec::new();
        while nodes.len() < most {
            let Some(Ranked(node)) = self.heap.pop() else { break };
            self.heap_bytes -= node.bytes();
            nodes.push(node);
        }
        nodes
    }

    /// The smallest bound of all open nodes.
    pub(super) fn least_bound(&self) -> Option<f64> {
        let on_stack = self.stack.iter().map(|node| node.bound).reduce(f64::min);
        let in_heap = self.heap.peek().map(|ranked| ranked.0.bound);
        on_stack.into_iter().chain(in_heap).reduce(f64::min)
    }

    /// Number of open nodes.
    pub(super) fn len(&self) -> usize {
        self.heap.len() + self.stack.len()
    }

    /// Memory of the open nodes in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.heap_bytes + self.stack.iter().map(Node::bytes).sum::<usize>()
    }

    /// The largest column of any node, for checking a state that was read.
    pub(super) fn is_within(&self, columns: usize) -> bool {
        let nodes = self.heap.iter().map(|ranked| &ranked.0).chain(&self.stack);
        nodes.into_iter().all(|node| node.is_within(columns))
    }
}
