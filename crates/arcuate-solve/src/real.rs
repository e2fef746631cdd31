use arcuate_compute::cuda::Plain;

/// The two precisions of Arcuate's arrays. Sums that decide something are always taken in `f64`.
pub trait Real:
    num_traits::Float + num_traits::NumAssign + std::iter::Sum + std::fmt::Debug + Default + Plain + 'static
{
    /// How kernels of this precision are called: `f32` or `f64`.
    const NAME: &'static str;
    /// Rounds to this precision.
    fn of(value: f64) -> Self;
    /// The same value in double precision.
    fn wide(self) -> f64;
}

impl Real for f32 {
    const NAME: &'static str = "f32";

    fn of(value: f64) -> Self {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    const NAME: &'static str = "f64";

    fn of(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}
