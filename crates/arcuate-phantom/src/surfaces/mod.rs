//! Surfaces of the simulated brain: the white and the pial surface of each hemisphere, and the surfaces of
//! the deep nuclei.

mod hemisphere;
mod level;
mod nuclei;
#[cfg(test)]
mod tests;
mod tetrahedra;

pub use hemisphere::{Hemisphere, hemispheres};
pub use nuclei::{Nucleus, nuclei, nuclei_in_voxels};
