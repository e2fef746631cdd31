//! A simulated brain with ground truth, and how a result compares with it.
//!
//! [`simulate`] measures a small brain of closed formulas with any gradient table; [`compare_with_truth`] says which
//! of its bundles a tractogram found, and what else it found. Nothing here uses the operators of the crates that are
//! judged by it.

mod anatomy;
mod bundles;
mod compare;
mod gradients;
mod phantom;
mod signal;
mod simulate;
mod spline;
mod truth;
mod tube;

pub use bundles::Bundle;
pub use compare::{BundleScore, Comparison, ComparisonOptions, FalseConnection, Score, compare_with_truth};
pub use gradients::default_gradients;
pub use phantom::{Phantom, PhantomOptions};
pub use simulate::simulate;
