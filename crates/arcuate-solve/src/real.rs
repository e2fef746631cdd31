use arcuate_compute::cuda::Precision;

/// The two precisions of Arcuate's arrays. Sums that decide something are always taken in `f64`.
pub trait Real:
    num_traits::Float + num_traits::NumAssign + std::iter::Sum + std::fmt::Debug + Default + Precision + 'static
{
    /// Rounds to this precision.
    fn of(value: f64) -> Self;
    /// The same value in double precision.
    fn wide(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}
