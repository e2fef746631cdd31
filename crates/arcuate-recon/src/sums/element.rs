use arcuate_compute::elementary::{double, single};
use arcuate_solve::lanes::Lanes;

/// The precisions that reconstructions are computed in: `f32` and `f64`.
pub trait Element: Lanes + rustfft::FftNum + bytemuck::Pod {
    /// Cosine and sine of 2π `turns`, which may be any below 2⁵⁰: e^(2πi turns).
    fn turned(turns: f64) -> [Self; 2];
}

impl Element for f32 {
    #[inline(always)]
    fn turned(turns: f64) -> [Self; 2] {
        // Whole turns go while there are digits for them.
        let (sin, cos) = single::sin_cos_turns((turns - nearest(turns)) as f32);
        [cos, sin]
    }
}

impl Element for f64 {
    #[inline(always)]
    fn turned(turns: f64) -> [Self; 2] {
        let (sin, cos) = double::sin_cos_turns(turns);
        [cos, sin]
    }
}

/// The nearest whole number of one below 2⁵¹ either way, without a call, so that loops become vector code.
#[inline(always)]
pub(super) fn nearest(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    (x + ROUND) - ROUND
}
