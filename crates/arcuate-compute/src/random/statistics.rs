//! Tests the distributions of random draws: their moments, and the largest difference between the measured
//! and the expected cumulative distribution function.

use super::{Purpose, Random};

/// Computes ln Γ(x) for x > 0. For x above 10, Stirling's series is used (Abramowitz and Stegun 1964,
/// 6.1.41), whose fifth term is below 1e-12. For smaller x, Γ(x + 1) = x Γ(x) is used.
fn ln_gamma(x: f64) -> f64 {
    if x < 10.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    let z = 1.0 / (x * x);
    let series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// Computes the cumulative distribution function P(a, x) of the gamma distribution with shape a, by its
/// series (Abramowitz and Stegun 1964, 6.5.29).
fn gamma_below(shape: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, shape);
    while term > 1e-16 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    (shape * x.ln() - x - ln_gamma(shape + 1.0)).exp() * sum
}

/// Computes the Kolmogorov–Smirnov distance, times √n, between the distribution of n values and the
/// cumulative distribution function `below`. If the values have this distribution, the result exceeds 1.95 in
/// one of a thousand tests.
fn distance(mut values: Vec<f64>, below: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let distances = values.iter().enumerate().map(|(i, &x)| {
        let expected = below(x);
        (expected - i as f64 / n).max((i as f64 + 1.0) / n - expected)
    });
    distances.fold(0.0, f64::max) * n.sqrt()
}

const LARGEST: f64 = 1.95;
const SHAPES: [f64; 9] = [0.05, 0.3, 0.9, 1.0, 1.5, 2.0, 4.2, 30.0, 1e4];

fn draws(item: u64, draw: impl Fn(&mut Random) -> f64) -> Vec<f64> {
    let mut random = Random::new(11, Purpose::Resampling, item);
    (0..100_000).map(|_| draw(&mut random)).collect()
}

#[test]
fn the_reference_gamma_distribution_is_correct() {
    // The expected values follow from Γ(½) = √π, P(1, x) = 1 − e⁻ˣ, and P(½, x) = erf √x. The value erf 1 is
    // from Abramowitz and Stegun 1964, table 7.1; the other expected values are from scipy.special.gammainc.
    assert!((ln_gamma(0.5) - 0.5 * std::f64::consts::PI.ln()).abs() < 1e-12);
    assert!((gamma_below(1.0, 2.0) - (1.0 - (-2.0f64).exp())).abs() < 1e-12);
    assert!((gamma_below(0.5, 1.0) - 0.8427007929).abs() < 1e-10);
    for (shape, x, expected) in [
        (0.05, 1e-6, 0.514827954525178),
        (0.3, 0.2, 0.6575067242697217),
        (4.2, 7.0, 0.9032348314835232),
        (30.0, 25.0, 0.1821039159774551),
        (1e4, 10050.0, 0.6923424407025657),
    ] {
        // For a gamma distribution with a large shape, ln Γ(shape) is a large number, so its rounding error
        // matters.
        assert!(
            (gamma_below(shape, x) - expected).abs() < 1e-10,
            "P({shape}, {x}): {}",
            gamma_below(shape, x)
        );
    }
}

#[test]
fn draws_follow_their_distribution_functions() {
    let uniform = distance(draws(0, Random::uniform), |x| x);
    assert!(uniform < LARGEST, "uniform: {uniform}");
    let exponential = distance(draws(1, Random::exponential), |x| -(-x).exp_m1());
    assert!(exponential < LARGEST, "exponential: {exponential}");
    // Half the square of a normally distributed number has the gamma distribution with shape ½. Positive and
    // negative numbers are equally frequent.
    let square = distance(draws(2, |r| r.normal().powi(2) / 2.0), |x| gamma_below(0.5, x));
    assert!(square < LARGEST, "normal: {square}");
    let positive = draws(2, Random::normal).iter().filter(|x| **x > 0.0).count() as f64;
    // The tolerance of the number of positive draws is five standard errors; a standard error is ½ √n.
    assert!((positive - 5e4).abs() < 5.0 * 0.5 * 1e5f64.sqrt(), "{positive} of 100,000 are positive");
    for (item, shape) in SHAPES.into_iter().enumerate() {
        let gamma = distance(draws(item as u64 + 3, |r| r.gamma(shape)), |x| gamma_below(shape, x));
        assert!(gamma < LARGEST, "gamma of shape {shape}: {gamma}");
    }
    let z = distance(draws(20, |r| r.on_sphere()[2]), |z| f64::midpoint(z, 1.0));
    assert!(z < LARGEST, "height on the sphere: {z}");
    let turns = |v: [f64; 3]| v[1].atan2(v[0]) / std::f64::consts::TAU + 0.5;
    let longitude = distance(draws(21, |r| turns(r.on_sphere())), |x| x);
    assert!(longitude < LARGEST, "longitude: {longitude}");
}

#[test]
fn the_test_detects_a_wrong_distribution() {
    // The gamma distribution of the draws has a shape that is 2 % larger than expected. This is about the
    // smallest difference that these tests detect reliably.
    let found = distance(draws(6, |r| r.gamma(1.53)), |x| gamma_below(1.5, x));
    assert!(found > LARGEST, "{found}");
}

#[test]
fn gamma_and_exponential_draws_have_the_expected_moments() {
    for (item, shape) in SHAPES.into_iter().enumerate() {
        let values = draws(item as u64 + 30, |r| r.gamma(shape));
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - shape).powi(2)).sum::<f64>() / n;
        // The tolerances of mean and variance are five standard errors. A gamma distribution has the variance
        // `shape` and the fourth central moment 3 shape² + 6 shape.
        assert!((mean - shape).abs() < 5.0 * (shape / n).sqrt(), "shape {shape}: mean {mean}");
        let error = ((2.0 * shape * shape + 6.0 * shape) / n).sqrt();
        assert!((variance - shape).abs() < 5.0 * error, "shape {shape}: variance {variance}");
    }
    let values = draws(40, Random::exponential);
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|x| x * x).sum::<f64>() / n;
    // If x is exponentially distributed with mean 1, the variance of x is 1 and the variance of x² is 20.
    assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "{mean}");
    assert!((square - 2.0).abs() < 5.0 * (20.0 / n).sqrt(), "{square}");
}

#[test]
fn extreme_shapes_give_finite_draws() {
    for shape in [f64::MIN_POSITIVE, 1e-300, 1e-3, 1e15, 1e300, f64::MAX] {
        for x in draws(50, |r| r.gamma(shape)).into_iter().take(1000) {
            assert!(x >= 0.0 && x.is_finite(), "shape {shape}: {x}");
        }
    }
}

#[test]
#[should_panic(expected = "a gamma distribution of shape -1")]
fn invalid_gamma_shapes_are_rejected() {
    Random::new(1, Purpose::Resampling, 0).gamma(-1.0);
}

#[test]
fn integers_are_uniform_and_below_their_bound() {
    let mut counts = [0u32; 7];
    let mut random = Random::new(12, Purpose::Resampling, 0);
    for _ in 0..70_000 {
        counts[random.below(7)] += 1;
    }
    // The tolerance of each of the seven counts is five standard errors. With n draws and the probability p =
    // 1/7, a standard error is √(n p (1 − p)).
    let error = 5.0 * (70_000.0f64 / 7.0 * 6.0 / 7.0).sqrt();
    assert!(counts.iter().all(|&n| (f64::from(n) - 1e4).abs() < error), "{counts:?}");
    assert_eq!(random.below(1), 0);
}

#[test]
fn moments_agree_with_the_distributions() {
    let n = 200_000;
    let mut random = Random::new(42, Purpose::Noise, 7);
    let (mut uniform, mut normal, mut square, mut z2) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..n {
        uniform += random.uniform();
        let x = random.normal();
        normal += x;
        square += x * x;
        let v = random.on_sphere();
        assert!((v.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-12);
        z2 += v[2] * v[2];
    }
    let n = f64::from(n);
    // The tolerances are five standard errors. The standard error, times √n, is 0.29 for a uniform number, 1
    // for a normal number, √2 for its square, and 0.30 for z² of a unit vector.
    let error = 5.0 / n.sqrt();
    assert!((uniform / n - 0.5).abs() < 0.29 * error);
    assert!((normal / n).abs() < error);
    assert!((square / n - 1.0).abs() < 1.42 * error);
    assert!((z2 / n - 1.0 / 3.0).abs() < 0.3 * error);
}
