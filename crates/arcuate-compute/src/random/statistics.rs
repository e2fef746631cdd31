//! Tests the distributions of random draws: their moments, and the largest difference between the measured
//! and the expected cumulative distribution function.

use super::{Purpose, Random};

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

fn draws(item: u64, draw: impl Fn(&mut Random) -> f64) -> Vec<f64> {
    let mut random = Random::new(11, Purpose::Resampling, item);
    (0..100_000).map(|_| draw(&mut random)).collect()
}

#[test]
fn draws_follow_their_distribution_functions() {
    let uniform = distance(draws(0, Random::uniform), |x| x);
    assert!(uniform < LARGEST, "uniform: {uniform}");
    let exponential = distance(draws(1, Random::exponential), |x| -(-x).exp_m1());
    assert!(exponential < LARGEST, "exponential: {exponential}");
    // Half the sum of the squares of two normally distributed numbers is exponentially distributed. Positive
    // and negative numbers are equally frequent.
    let squares = draws(2, |r| f64::midpoint(r.normal().powi(2), r.normal().powi(2)));
    let normal = distance(squares, |x| -(-x).exp_m1());
    assert!(normal < LARGEST, "normal: {normal}");
    let positive = draws(2, Random::normal).iter().filter(|x| **x > 0.0).count() as f64;
    // The tolerance of the number of positive draws is five standard errors; a standard error is ½ √n.
    assert!((positive - 5e4).abs() < 5.0 * 0.5 * 1e5f64.sqrt(), "{positive} of 100,000 are positive");
    let z = distance(draws(20, |r| r.on_sphere()[2]), |z| f64::midpoint(z, 1.0));
    assert!(z < LARGEST, "height on the sphere: {z}");
    let turns = |v: [f64; 3]| v[1].atan2(v[0]) / std::f64::consts::TAU + 0.5;
    let longitude = distance(draws(21, |r| turns(r.on_sphere())), |x| x);
    assert!(longitude < LARGEST, "longitude: {longitude}");
}

#[test]
fn the_test_detects_a_wrong_distribution() {
    // The draws have a mean that is 3 % larger than expected. This is about the smallest difference that these
    // tests detect reliably.
    let found = distance(draws(6, |r| 1.03 * r.exponential()), |x| -(-x).exp_m1());
    assert!(found > LARGEST, "{found}");
}

#[test]
fn exponential_draws_have_the_expected_moments() {
    let values = draws(40, Random::exponential);
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|x| x * x).sum::<f64>() / n;
    // If x is exponentially distributed with mean 1, the variance of x is 1 and the variance of x² is 20.
    assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "{mean}");
    assert!((square - 2.0).abs() < 5.0 * (20.0 / n).sqrt(), "{square}");
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
