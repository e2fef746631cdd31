use super::*;
use watson::{LARGEST_CONCENTRATION, LARGEST_STICK, Series, degree_for, moments};

/// The integral of f over 0 to 1 by Gauss and Legendre, in pieces that get smaller towards 1.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    const NODES: [[f64; 2]; 5] = [
        [0.1488743389816312, 0.2955242247147529],
        [0.4333953941292472, 0.2692667193099963],
        [0.6794095682990244, 0.219086362515982],
        [0.8650633666889845, 0.1494513491505806],
        [0.9739065285171717, 0.0666713443086881],
    ];
    let mut sum = 0.0;
    for n in 0..200 {
        let (middle, half) = ((f64::from(n) + 0.5) / 200.0, 0.5 / 200.0);
        for [node, weight] in NODES {
            sum += half * weight * (f(middle + half * node) + f(middle - half * node));
        }
    }
    sum
}

fn exact(family: Moments, n: usize, x: f64) -> f64 {
    let polynomial = |t| legendre::even_polynomials(t, n + 1).0[n];
    match family {
        Moments::Watson => {
            let weight = |t: f64| (x * (t * t - 1.0)).exp();
            integral(|t| weight(t) * polynomial(t)) / integral(weight)
        }
        Moments::Stick => (4.0 * n as f64 + 1.0) * integral(|t| (-x * t * t).exp() * polynomial(t)),
    }
}

fn worst<T: Series>(family: Moments, largest: f64) -> f64 {
    let mut worst = 0.0f64;
    for step in 0..=40 {
        let x = largest * (f64::from(step) / 40.0).powi(3);
        let mut found = [Lanes([T::of(0.0)]); 20];
        moments(family, Lanes([T::of(x)]), &mut found);
        for (n, value) in found.iter().enumerate() {
            worst = worst.max((value.0[0].double() - exact(family, n, T::of(x).double())).abs());
        }
    }
    worst
}

#[test]
fn coefficients_are_those_of_their_integrals() {
    // The quadrature's own error is about 1e-15.
    assert!(worst::<f64>(Moments::Watson, LARGEST_CONCENTRATION) < 1e-12);
    assert!(worst::<f64>(Moments::Stick, LARGEST_STICK) < 1e-12);
    // Degrees near the one at which the fraction begins have most of it.
    assert!(worst::<f32>(Moments::Watson, LARGEST_CONCENTRATION) < 2e-6);
    assert!(worst::<f32>(Moments::Stick, LARGEST_STICK) < 1e-6);
}

#[test]
fn means_are_those_of_their_integrals() {
    // Along the mean orientation no integral over a circle is left: ∫ W exp(−x t²).
    for (x, concentration) in [(0.0, 1.0), (1.7, 0.0), (3.4, 4.0), (17.0, 64.0), (60.0, 0.1)] {
        let weight = |t: f64| (concentration * (t * t - 1.0)).exp();
        let expected = integral(|t| weight(t) * (-x * t * t).exp()) / integral(weight);
        let found = dispersed(Dispersed::Value, x, concentration, 1.0);
        assert!((found - expected).abs() < 1e-12, "{x} {concentration}: {found} {expected}");
    }
}

#[test]
fn derivatives_are_those_of_the_means() {
    let step = 1e-5;
    for (x, concentration, cosine) in
        [(1.7, 0.5, 0.3), (3.4, 16.0, -0.9), (0.2, 0.01, 1.0), (20.0, 40.0, 0.1)]
    {
        let at =
            |dx: f64, dk: f64, dc: f64| dispersed(Dispersed::Value, x + dx, concentration + dk, cosine + dc);
        for (part, [a, b, c]) in [
            (Dispersed::ByX, [step, 0.0, 0.0]),
            (Dispersed::ByConcentration, [0.0, step, 0.0]),
            (Dispersed::ByCosine, [0.0, 0.0, step]),
        ] {
            let slope = (at(a, b, c) - at(-a, -b, -c)) / (2.0 * step);
            let found = dispersed(part, x, concentration, cosine);
            assert!(
                (found - slope).abs() < 1e-8,
                "{part:?} at {x} {concentration} {cosine}: {found} {slope}"
            );
        }
    }
}

#[test]
fn degrees_suffice_and_do_not_exceed() {
    assert_eq!(degree_for(0.0, LARGEST_CONCENTRATION, 1e-5), Some(2));
    assert_eq!(degree_for(3.4, LARGEST_CONCENTRATION, 1e-5), Some(14));
    assert_eq!(degree_for(61.0, 1.0, 1e-5), None);
    for x in [0.5, 3.4, 5.1, 10.0] {
        for tolerance in [1e-5, 1e-12] {
            let degree = degree_for(x, LARGEST_CONCENTRATION, tolerance).unwrap();
            let worst = |degree: u16| {
                let mut worst = 0.0f64;
                for n in 0..=20 {
                    let cosine = f64::from(n) / 20.0;
                    let terms = usize::from(degree) / 2 + 1;
                    let values = legendre::even_polynomials(cosine, terms).0;
                    let term = |n: usize| {
                        let l = 2 * n as u16;
                        let weight = moment(Moments::Watson, l, LARGEST_CONCENTRATION);
                        moment(Moments::Stick, l, x) * weight * values[n]
                    };
                    let sum: f64 = (0..terms).map(term).sum();
                    let mean = dispersed(Dispersed::Value, x, LARGEST_CONCENTRATION, cosine);
                    worst = worst.max((sum - mean).abs());
                }
                worst
            };
            assert!(worst(degree) <= tolerance, "{x}: degree {degree}");
            assert!(degree == 2 || worst(degree - 4) > tolerance, "{x}: degree {degree} is more than enough");
        }
    }
}
