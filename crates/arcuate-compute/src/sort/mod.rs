//! Sums before each value, pairs sorted by key, and sums by key, in the memory of a GPU: what sparse matrices are made
//! with. The same bits each time: sorting is stable, and values of one key are added up in their order.

mod constants;
mod cuda;
mod kernels;
#[cfg(test)]
mod tests;

pub use cuda::{Pairs, SumsBefore, Value};
