//! Fast Fourier transforms of any length on the CPU, in single and double precision. The crate `rustfft`
//! computes them.
//!
//! The transforms have their own crate because `rustfft` is generic. Each crate that plans a transform
//! compiles all algorithms of `rustfft` for each precision, and again for its tests. Without this crate, that
//! would take as long as compiling the rest of each crate.

use rustfft::{FftNum, FftPlanner};
use std::sync::Arc;

pub use rustfft::Fft;

/// Two transforms of one length, without scaling: a forward transform with e^(−2πi jk/n), and an inverse
/// transform with e^(2πi jk/n).
#[derive(Clone)]
pub struct Pair<T> {
    /// The forward transform, with the factor e^(−2πi jk/n).
    pub forward: Arc<dyn Fft<T>>,
    /// The inverse transform, with the factor e^(2πi jk/n).
    pub inverse: Arc<dyn Fft<T>>,
}

/// The number types for which transforms are compiled: `f32` and `f64`.
pub trait Planned: FftNum {
    /// Plans a forward and an inverse transform for each of these lengths. Transforms share tables if
    /// possible.
    fn plan<const N: usize>(lengths: [usize; N]) -> [Pair<Self>; N] {
        let mut planner = Self::planner();
        lengths.map(|length| Self::pair(&mut planner, length))
    }

    /// Creates a planner that has no tables yet.
    #[doc(hidden)]
    fn planner() -> FftPlanner<Self>;

    /// Plans the forward and the inverse transform of one length.
    #[doc(hidden)]
    fn pair(planner: &mut FftPlanner<Self>, length: usize) -> Pair<Self>;
}

/// Implements [`Planned`] for concrete number types, so that this crate compiles the generic code of
/// `rustfft`.
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
