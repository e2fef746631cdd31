//! Special functions in double precision. Most of them are computed by mathematical libraries, and are the
//! reference for [`transcendental`](crate::elementary::transcendental), whose functions have the same bits on
//! every device.

/// Computes the error function.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// Computes Dawson's integral exp(−x²) ∫ exp(t²) dt from 0 to x.
pub fn dawson(x: f64) -> f64 {
    spec_math::cephes64::dawsn(x)
}

/// Computes the Bessel function J₀(x).
pub fn bessel_j0(x: f64) -> f64 {
    libm::j0(x)
}

/// Computes the Bessel function J₁(x).
pub fn bessel_j1(x: f64) -> f64 {
    libm::j1(x)
}

/// Computes the scaled modified Bessel function exp(−|x|) I₀(x).
pub fn bessel_i0e(x: f64) -> f64 {
    spec_math::cephes64::i0e(x)
}

/// Computes the scaled modified Bessel function exp(−|x|) I₁(x).
pub fn bessel_i1e(x: f64) -> f64 {
    spec_math::cephes64::i1e(x)
}

/// Computes the modified Bessel function I₀(x) = Σ (x²/4)ᵏ / k!² (Abramowitz and Stegun 1964, 9.6.12), for
/// arguments up to about 50.
pub fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..60 {
        term *= x * x / 4.0 / f64::from(k * k);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    sum
}

/// Computes the quantile of the standard normal distribution at the probability p, with a relative error of
/// 10⁻¹⁵ (Wichura 1988, algorithm AS 241, doi:10.2307/2347330).
pub fn normal_quantile(p: f64) -> f64 {
    const CENTRE: [[f64; 8]; 2] = [
        [
            3.387_132_872_796_366_5,
            1.331_416_678_917_843_8e2,
            1.971_590_950_306_551_3e3,
            1.373_169_376_550_946e4,
            4.592_195_393_154_987e4,
            6.726_577_092_700_87e4,
            3.343_057_558_358_813e4,
            2.509_080_928_730_122_7e3,
        ],
        [
            1.0,
            4.231_333_070_160_091e1,
            6.871_870_074_920_579e2,
            5.394_196_021_424_751e3,
            2.121_379_430_158_659_7e4,
            3.930_789_580_009_271e4,
            2.872_908_573_572_194_3e4,
            5.226_495_278_852_854e3,
        ],
    ];
    const MIDDLE: [[f64; 8]; 2] = [
        [
            1.423_437_110_749_683_5,
            4.630_337_846_156_546,
            5.769_497_221_460_691,
            3.647_848_324_763_204_5,
            1.270_458_252_452_368_4,
            2.417_807_251_774_506e-1,
            2.272_384_498_926_918_4e-2,
            7.745_450_142_783_414e-4,
        ],
        [
            1.0,
            2.053_191_626_637_759,
            1.676_384_830_183_803_8,
            6.897_673_349_851e-1,
            1.481_039_764_274_800_8e-1,
            1.519_866_656_361_645_7e-2,
            5.475_938_084_995_345e-4,
            1.050_750_071_644_416_9e-9,
        ],
    ];
    const FAR: [[f64; 8]; 2] = [
        [
            6.657_904_643_501_103,
            5.463_784_911_164_114,
            1.784_826_539_917_291_3,
            2.965_605_718_285_048_7e-1,
            2.653_218_952_657_612_4e-2,
            1.242_660_947_388_078_4e-3,
            2.711_555_568_743_487_6e-5,
            2.010_334_399_292_288_1e-7,
        ],
        [
            1.0,
            5.998_322_065_558_88e-1,
            1.369_298_809_227_358e-1,
            1.487_536_129_085_061_5e-2,
            7.868_691_311_456_133e-4,
            1.846_318_317_510_054_8e-5,
            1.421_511_758_316_446e-7,
            2.044_263_103_389_939_8e-15,
        ],
    ];
    let ratio = |[above, below]: &[[f64; 8]; 2], x: f64| {
        let polynomial = |of: &[f64; 8]| of.iter().rev().fold(0.0, |sum, c| sum * x + c);
        polynomial(above) / polynomial(below)
    };
    let beside = p - 0.5;
    if beside.abs() <= 0.425 {
        return beside * ratio(&CENTRE, 0.180_625 - beside * beside);
    }
    let root = (-(if beside < 0.0 { p } else { 1.0 - p }).ln()).sqrt();
    let size = if root <= 5.0 { ratio(&MIDDLE, root - 1.6) } else { ratio(&FAR, root - 5.0) };
    size.copysign(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_tables() {
        // The values are those of Abramowitz and Stegun 1964, tables 7.1, 7.5, 9.1 and 9.8, at x = 1.
        let found = [erf(1.0), dawson(1.0), bessel_j0(1.0), bessel_j1(1.0), bessel_i0e(1.0), bessel_i1e(1.0)];
        let expected = [0.8427007929, 0.5380795069, 0.7651976866, 0.4400505857, 0.4657596077, 0.2079104154];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert!((bessel_i0(3.0) - 4.880_792_585_865_024).abs() < 1e-14);
    }

    #[test]
    fn normal_scores_agree_with_the_normal_distribution() {
        for (p, expected) in [
            (0.5, 0.0),
            (0.841_344_746_068_542_9, 1.0),
            (0.975, 1.959_963_984_540_054),
            (1e-3, -3.090_232_306_167_813_5),
            (1e-12, -7.034_483_825_301_131),
        ] {
            let found = normal_quantile(p);
            assert!((found - expected).abs() < 1e-13, "{p}: {found} for {expected}");
            if p > 1e-6 {
                assert!((normal_quantile(1.0 - p) + expected).abs() < 1e-12, "{p}");
            }
        }
    }
}
