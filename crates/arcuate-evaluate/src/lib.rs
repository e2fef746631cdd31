//! Evaluates which streamlines of a tractogram the measured signal supports.
//!
//! [`encoding`] converts streamlines to sparse coefficients, one for each voxel, orientation and streamline.
//! [`SparseTucker`] is a linear operator that combines these coefficients with a dictionary of responses.
//! [`life`] uses both for Linear Fascicle Evaluation.

mod column_sums;
pub mod commit;
mod dictionary;
mod element;
pub mod encoding;
mod lesion;
pub mod life;
mod precisions;
mod shells;
mod sparse_tucker;

pub use dictionary::{Dictionary, tensor_dictionary};
pub use element::Element;
pub use lesion::VirtualLesion;
pub use life::{Life, LifeOptions, LifeProblem, Normalisation, Solver};
pub use shells::LifeShells;
pub use sparse_tucker::{ProductKernels, SparseTucker, TuckerElement};
