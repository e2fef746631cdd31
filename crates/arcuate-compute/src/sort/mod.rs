//! Prefix sums, sorting of pairs by key, and sums of the values of each key, in GPU memory. These functions
//! are used to construct sparse matrices. Results are bit-identical in every run, because sorting is stable
//! and the values of one key are summed in order.

mod constants;
mod cuda;
mod kernels;
#[cfg(test)]
mod tests;

pub use cuda::{Pairs, SumsBefore, Value};
