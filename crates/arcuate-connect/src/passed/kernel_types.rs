//! Types of the kernels' parameters, with the kernels' names.

pub(super) use arcuate_compute::element_rows::{ElementGrid, ElementTriangle as Triangle};
