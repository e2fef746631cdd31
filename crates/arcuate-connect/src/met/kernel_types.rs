//! What kernels read of elements, by the names that they have there.

pub(super) use arcuate_compute::element_rows::{ElementLattice, ElementTriangle as Triangle};
