use crate::{NonNegativeElement, ProximalElement, QuadraticElement};

/// The floating-point types in which every solver computes: `f32` and `f64`.
pub trait SolverElement: NonNegativeElement + ProximalElement + QuadraticElement {}

impl<T: NonNegativeElement + ProximalElement + QuadraticElement> SolverElement for T {}
