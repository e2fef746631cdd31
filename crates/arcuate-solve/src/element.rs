use crate::{NonNegativeElement, ProximalElement, QuadraticElement};

/// The precisions that every solver computes in: `f32` and `f64`.
pub trait SolverElement: NonNegativeElement + ProximalElement + QuadraticElement {}

impl<T: NonNegativeElement + ProximalElement + QuadraticElement> SolverElement for T {}
