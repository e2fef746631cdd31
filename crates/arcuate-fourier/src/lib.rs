//! Fast Fourier transforms of any length on the processor: those of `rustfft`, in single and double precision.
//!
//! They are a crate of their own because `rustfft` is generic: whoever plans a transform compiles all of its algorithms, for
//! each precision, which takes as long as everything else in the crate that uses them, and again in that crate's tests.

use rustfft::{FftNum, FftPlanner};
use std::sync::Arc;

pub use rustfft::Fft;

/// A transform of one length there, e^(−2πi jk/n), and back, e^(2πi jk/n), without a factor.
#[derive(Clone)]
pub struct Pair<T> {
    /// There.
    pub forward: Arc<dyn Fft<T>>,
    /// Back.
    pub inverse: Arc<dyn Fft<T>>,
}

/// The precisions that transforms are compiled in: `f32` and `f64`.
pub trait Planned: FftNum {
    /// Transforms of these lengths, which share their tables where they can.
    fn plan<const N: usize>(lengths: [usize; N]) -> [Pair<Self>; N] {
        let mut planner = Self::planner();
        lengths.map(|length| Self::pair(&mut planner, length))
    }

    /// A planner, without any tables yet.
    #[doc(hidden)]
    fn planner() -> FftPlanner<Self>;

    /// A transform by a planner.
    #[doc(hidden)]
    fn pair(planner: &mut FftPlanner<Self>, length: usize) -> Pair<Self>;
}

/// Of known types, so that this crate compiles what `rustfft` has for them.
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
