//! Fast Fourier transforms of any length on the CPU, by `rustfft`, in single and double precision.
//!
//! This is a separate crate because `rustfft` is generic. Each crate that plans a transform compiles all of
//! its algorithms for each precision, and again in its tests. That takes as long as the rest of such a crate.

use rustfft::{FftNum, FftPlanner};
use std::sync::Arc;

pub use rustfft::Fft;

/// A forward transform, e^(−2πi jk/n), and an inverse one, e^(2πi jk/n), of one length, without scaling.
#[derive(Clone)]
pub struct Pair<T> {
    /// The forward transform.
    pub forward: Arc<dyn Fft<T>>,
    /// The inverse transform.
    pub inverse: Arc<dyn Fft<T>>,
}

/// The precisions that transforms are compiled in: `f32` and `f64`.
pub trait Planned: FftNum {
    /// Plans transforms of these lengths, which share tables if possible.
    fn plan<const N: usize>(lengths: [usize; N]) -> [Pair<Self>; N] {
        let mut planner = Self::planner();
        lengths.map(|length| Self::pair(&mut planner, length))
    }

    /// Creates a planner without tables.
    #[doc(hidden)]
    fn planner() -> FftPlanner<Self>;

    /// Plans a pair of transforms.
    #[doc(hidden)]
    fn pair(planner: &mut FftPlanner<Self>, length: usize) -> Pair<Self>;
}

/// Implements the trait for concrete types, so that this crate compiles the generic code of `rustfft`.
macro_rules! planned {
    ($real:ty) => {
        impl Planned for $real {
            #[inline(never)]
            fn planner() -> FftPlanner<Self> {
                FftPlanner::new()
            }

            #[inline(never)]
            fn pair(planner: &mut FftPlanner<Self>, length: usize) -> Pair<Self> {
                Pair { forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
            }
        }
    };
}

planned!(f32);
planned!(f64);
