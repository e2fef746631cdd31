//! A simulated brain with ground truth, and how a result compares with it.

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
