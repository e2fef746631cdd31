//! Types of the kernels' parameters, with the kernels' names.

pub(super) use arcuate_compute::element_rows::{ElementLattice, ElementTriangle as Triangle};
