//! Fast Fourier transforms of any length on the CPU, in single and double precision. The crate `rustfft`
//! computes them.
//!
//! The transforms have their own crate because the code of `rustfft` is generic. Each crate that plans a
//! transform compiles all algorithms of `rustfft` for each precision, and compiles them again for its tests.
//! With this crate, they are compiled only once. This saves about as much time as the compilation of the rest
//! of each crate takes.

use rustfft::{FftNum, FftPlanner};
use std::sync::Arc;

pub use rustfft::Fft;

/// The forward and the inverse Fourier transform of one length, without scale factors. The forward transform
/// uses the factors e^(−2πi jk/n), and the inverse transform uses e^(2πi jk/n).
#[derive(Clone)]
pub struct Pair<T> {
    /// The forward transform, with the factor e^(−2πi jk/n).
    pub forward: Arc<dyn Fft<T>>,
    /// The inverse transform, with the factor e^(2πi jk/n).
    pub inverse: Arc<dyn Fft<T>>,
}

/// The number types (`f32` and `f64`) for which Fourier transforms are compiled.
pub trait Planned: FftNum {
    /// Plans a forward and an inverse transform for each of these lengths. The transforms share tables of
    /// factors if possible.
    fn plan<const N: usize>(lengths: [usize; N]) -> [Pair<Self>; N] {
        let mut planner = Self::planner();
        lengths.map(|length| Self::pair(&mut planner, length))
    }

    /// Creates a planner of transforms that has no tables of factors yet.
    #[doc(hidden)]
    fn planner() -> FftPlanner<Self>;

    /// Plans the forward and the inverse transform of one length.
    #[doc(hidden)]
    fn pair(planner: &mut FftPlanner<Self>, length: usize) -> Pair<Self>;
}

/// Implements [`Planned`] for a number type, so that this crate compiles the generic code of `rustfft` for
/// this type.
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
