//! Types of the kernels' parameters, under the names that the kernels use.

pub(super) use arcuate_compute::element_rows::{ElementGrid, ElementTriangle as Triangle};
