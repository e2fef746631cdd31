//! Types of the parameters of GPU kernels, under the names that the kernels use.

pub(super) use arcuate_compute::element_rows::{ElementGrid, ElementTriangle as Triangle};
