//! Surfaces of the simulated brain: white and pial surface of each hemisphere, and nuclei.

mod hemisphere;
mod level;
mod nuclei;
#[cfg(test)]
mod tests;
mod tetrahedra;

pub use hemisphere::{Hemisphere, hemispheres};
pub use nuclei::{Nucleus, nuclei, nuclei_in_voxels};
