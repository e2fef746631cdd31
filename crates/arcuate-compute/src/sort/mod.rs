//! Prefix sums, sorting of pairs by key, and sums by key in GPU memory, for the construction of sparse
//! matrices. Results are bit-identical in every run: sorting is stable, and values of one key are summed in
//! order.

mod constants;
mod cuda;
mod kernels;
#[cfg(test)]
mod tests;

pub use cuda::{Pairs, SumsBefore, Value};
