//! Convex Optimization Modeling for Microstructure Informed Tractography (COMMIT). It finds the amounts of
//! streamlines, extra-axonal space and free water that together explain the measured signal.
//!
//! The method is that of Daducci, Dal Palù, Lemkaddem and Thiran 2015 (doi:10.1109/TMI.2014.2352414).
//! Penalties on groups of streamlines follow Schiavi et al. 2020 (COMMIT2, doi:10.1126/sciadv.aba8245). The
//! equation below models the signal S(v, g) in voxel v for the sample with gradient direction g.
//!
//! ```text
//! S(v, g) ≈ Σ_segments ℓ Σ_j x_IC[f, j] R_IC,j(u · g) + Σ_peaks Σ_j x_EC[p, j] R_EC,j(u · g) + Σ_j x_ISO[v, j]
//! R_ISO,j(g)
//! ```
//!
//! All amounts x are at least 0. A segment is a straight piece of streamline f inside the voxel, with length
//! ℓ (mm) and direction u.

mod blur;
mod data;
mod dictionary;
mod encoder;
mod fit;
mod harmonics;
mod layout;
mod local_unknowns;
mod operator;
mod peaks;
mod penalty;
mod pieces;
mod problem;
mod responses;
mod results;
mod segment_options;
mod segments;
mod table;
#[cfg(test)]
mod test_problem;

pub use blur::Blur;
pub use data::{Data, DataOptions, Samples, UsableVoxels};
pub use dictionary::{Kernels, dictionary_operator, dictionary_segments, scanner_orientations};
pub use encoder::{SegmentEncoder, SegmentSummary};
pub use fit::{CommitSolver, Fit, FitOptions, FitPoint, PathPoint};
pub use harmonics::{HarmonicElement, Harmonics, harmonics_are_worth_it};
pub use layout::Layout;
pub use operator::{CommitOperator, Directions};
pub use peaks::PeakAgreement;
pub use penalty::{GroupWeights, Penalty, StreamlineGroups, Strength};
pub use problem::CommitProblem;
pub use responses::{AxialResponse, Responses};
pub use results::Commit;
pub use segment_options::SegmentOptions;
pub use segments::{Axes, Segment, Segments};
pub use table::table_operator;
