//! A simulated brain with ground truth, and how a result compares with it.
//!
//! [`simulate`] measures a small brain of closed formulas with any gradient table; [`compare_with_truth`] says which
//! of its bundles a tractogram found, and what else it found; [`hemispheres`] and [`nuclei`] are its surfaces. [`fibre_phantom`] measures a few bundles in a block of
//! tissue and comes with a tractogram of which a part is false. [`Ellipsoids`] have a Fourier transform in closed form, and
//! [`Trajectory`] is where in k-space it is sampled. Nothing here uses the operators of the crates that are
//! judged by it.

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
