//! Simulates a brain whose true structure is known, and compares results with this ground truth.
//!
//! [`simulate`] simulates data of a small analytical brain for any gradient table. [`compare_with_truth`]
//! reports which bundles of this brain a tractogram contains, and its false connections. [`hemispheres`] and
//! [`nuclei`] are surfaces of this brain. [`fibre_phantom`] simulates bundles in a block of tissue, with a
//! tractogram of true and false streamlines. [`Ellipsoids`] are objects with an analytical Fourier transform,
//! and a [`Trajectory`] gives sampling positions in k-space. This crate does not use the operators of the
//! crates whose results it tests.

mod anatomy;
mod bundles;
mod coil_loops;
mod compare;
mod ellipsoids;
mod fibres;
mod gradients;
mod images;
mod k_space;
mod legendre_series;
mod nearest_point;
mod noise;
mod parts;
mod phantom;
mod protocols;
mod signal;
mod simulate;
mod spline;
mod surfaces;
mod tissues;
mod trajectories;
mod truth;
mod tube;

pub use bundles::Bundle;
pub use coil_loops::CoilLoops;
pub use compare::{BundleScore, Comparison, ComparisonOptions, FalseConnection, Score, compare_with_truth};
pub use ellipsoids::{Ellipsoid, Ellipsoids};
pub use fibres::{Connection, FibreLayout, FibrePhantom, FibrePhantomOptions, FibreTissue, fibre_phantom};
pub use gradients::{default_gradients, multi_shell_gradients};
pub use images::{ImageError, compare_images};
pub use k_space::{KSpaceOptions, measure_k_space, object_image};
pub use noise::signal_to_noise;
pub use phantom::{Phantom, PhantomOptions};
pub use protocols::{Protocol, protocols, standard_space};
pub use simulate::simulate;
pub use surfaces::{Hemisphere, Nucleus, hemispheres, nuclei, nuclei_in_voxels};
pub use tissues::{TissueResponse, TissueTruth};
pub use trajectories::{KSpacePath, Trajectory};
