use super::*;
use arcuate_numbers::Real;
use watson::{LARGEST_CONCENTRATION, LARGEST_STICK, degree_for, moments};

/// Returns the integral of f from 0 to 1 by Gauss–Legendre quadrature with ten nodes in each of 200
/// intervals.
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
    let polynomial = |t| legendre::even_polynomials_and_slopes(t, n + 1).0[n];
    match family {
        Moments::Watson => {
            let weight = |t: f64| (x * (t * t - 1.0)).exp();
            integral(|t| weight(t) * polynomial(t)) / integral(weight)
        }
        Moments::Stick => (4.0 * n as f64 + 1.0) * integral(|t| (-x * t * t).exp() * polynomial(t)),
    }
}

fn worst<T: Real>(family: Moments, largest: f64) -> f64 {
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
fn coefficients_agree_with_their_integrals() {
    // The quadrature that computes the expected values has an error of about 1e-15.
    assert!(worst::<f64>(Moments::Watson, LARGEST_CONCENTRATION) < 1e-12);
    assert!(worst::<f64>(Moments::Stick, LARGEST_STICK) < 1e-12);
    // Coefficients near the degree at which the continued fraction starts have the largest error.
    assert!(worst::<f32>(Moments::Watson, LARGEST_CONCENTRATION) < 2e-6);
    assert!(worst::<f32>(Moments::Stick, LARGEST_STICK) < 1e-6);
}

#[test]
fn means_agree_with_their_integrals() {
    // If the gradient is along the mean orientation, the expected value is a single integral: ∫ W exp(−x t²).
    for (x, concentration) in [(0.0, 1.0), (1.7, 0.0), (3.4, 4.0), (17.0, 64.0), (60.0, 0.1)] {
        let weight = |t: f64| (concentration * (t * t - 1.0)).exp();
        let expected = integral(|t| weight(t) * (-x * t * t).exp()) / integral(weight);
        let found = dispersed(Dispersed::Value, x, concentration, 1.0);
        assert!((found - expected).abs() < 1e-12, "{x} {concentration}: {found} {expected}");
    }
}

#[test]
fn derivatives_agree_with_finite_differences_of_the_means() {
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
fn degrees_are_sufficient_and_not_too_large() {
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
                    let values = legendre::even_polynomials_and_slopes(cosine, terms).0;
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

// The script `oracles/special_functions.py` computed these values with mpmath and 40 digits, by Kummer's
// function and by quadrature.
const WATSON_DEGREES: [usize; 5] = [2, 8, 14, 20, 34];
const CONCENTRATIONS: [f64; 9] = [0.0, 0.001, 0.1, 0.2, 1.0, 4.0, 16.0, 40.0, 64.0];
#[rustfmt::skip]
const WATSON: [[f64; 5]; 9] = [
    [0.0, 0.0, 0.0, 0.0, 0.0],
    [0.000133346030052397, 4.875983134618932e-17, 2.7946836132246837e-30, 5.11357352594123e-44, 2.4606104038328132e-77],
    [0.013458573082756081, 4.942582845162246e-09, 2.835591665603328e-16, 5.190632961750043e-24, 2.4987717519464033e-43],
    [0.027160239449301907, 8.011920563194789e-08, 3.68046429702342e-14, 5.3918578416605815e-21, 3.323732640522915e-38],
    [0.14384605874162645, 5.4168331302390965e-05, 3.122901064435439e-09, 5.728303861653874e-14, 2.763176965764171e-26],
    [0.5569398885236599, 0.012194478187663308, 4.350651302396503e-05, 5.0232675695029804e-08, 3.898752659918194e-16],
    [0.9027028690688247, 0.30371872013032924, 0.036453110903740725, 0.0018895803789726897, 1.5919053481477588e-07],
    [0.9619988634113045, 0.6293550660264526, 0.26188646161376194, 0.0707038585199601, 0.0007178664111243097],
    [0.9763717945264869, 0.750871999194201, 0.4346762299744637, 0.19036344580777276, 0.009777635689487236],
];

const STICK_DEGREES: [usize; 6] = [0, 2, 8, 14, 20, 34];
const STICK_RATES: [f64; 9] = [0.0, 0.001, 0.5, 1.7, 3.4, 5.1, 10.0, 30.0, 60.0];
#[rustfmt::skip]
const STICK: [[f64; 6]; 9] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.9996667666428618, -0.0006663810317291996, 8.28408341736341e-16, -8.099442852106547e-29, 2.095216719866787e-42, -1.696713647688889e-75],
    [0.8556243918921488, -0.27085798838400665, 4.0997527857352196e-05, -4.979722621688712e-10, 1.6058133512290058e-15, -1.0130712684116217e-29],
    [0.6353906904021529, -0.5898579767051949, 0.003201165165004996, -1.4929081986554083e-06, 1.8720677532961012e-10, -6.134763664971262e-21],
    [0.4762427652530322, -0.7021479109715075, 0.025310188788238822, -8.957649661550867e-05, 8.766803195064511e-08, -3.5827780700737025e-16],
    [0.39187675029551905, -0.6960301082902657, 0.06739501423995285, -0.0007481959113369998, 2.38559953331742e-06, -1.6039912127201802e-13],
    [0.2802473905066427, -0.5955427298002768, 0.21106846499157786, -0.01318607096679607, 0.0002722466506722914, -1.721797222857335e-09],
    [0.16180215937964007, -0.3842801285266569, 0.4081465395723044, -0.16927517563865, 0.03698670749925714, -0.00014410396336303447],
    [0.11441140410797113, -0.2788777975131796, 0.3926872364884581, -0.2877869230786481, 0.1429567020940342, -0.008084443070540449],
];

/// Returns the largest absolute and the largest relative difference from the values of a table.
fn differences<T: Real, const N: usize>(
    family: Moments,
    places: &[f64],
    degrees: [usize; N],
    table: &[[f64; N]],
) -> [f64; 2] {
    let mut worst = [0.0f64; 2];
    for (&x, row) in places.iter().zip(table) {
        let mut found = [Lanes([T::of(0.0)]); 18];
        moments(family, Lanes([T::of(x)]), &mut found);
        for (degree, expected) in degrees.iter().zip(row) {
            let found = found[degree / 2].0[0].double();
            let difference = (found - expected).abs();
            assert!(difference.is_finite(), "{family:?} {degree} at {x}: {found}");
            let part = if difference > 0.0 { difference / expected.abs() } else { 0.0 };
            worst = [worst[0].max(difference), worst[1].max(part)];
        }
    }
    worst
}

/// An accuracy of 1e-12 in double precision and of 1e-5 in single precision would suffice. The tolerances are
/// a few times the measured errors. In double precision, these are 1.1e-16 (Watson) and 8e-16 (stick). In
/// single precision, they are 5.5e-7 (Watson) and 5.1e-8 (stick).
#[test]
fn coefficients_agree_with_multiple_precision() {
    let [watson, watson_part] =
        differences::<f64, _>(Moments::Watson, &CONCENTRATIONS, WATSON_DEGREES, &WATSON);
    let [stick, stick_part] = differences::<f64, _>(Moments::Stick, &STICK_RATES, STICK_DEGREES, &STICK);
    assert!(watson < 1e-15 && stick < 1e-15, "{watson:e} {stick:e}");
    // Each coefficient is a product of ratios, one ratio per degree. The relative error of small coefficients
    // is therefore small, too.
    assert!(watson_part < 4e-15 && stick_part < 4e-15, "{watson_part:e} {stick_part:e}");
    let [watson, _] = differences::<f32, _>(Moments::Watson, &CONCENTRATIONS, WATSON_DEGREES, &WATSON);
    let [stick, _] = differences::<f32, _>(Moments::Stick, &STICK_RATES, STICK_DEGREES, &STICK);
    assert!(watson < 1e-6 && stick < 2e-7, "{watson:e} {stick:e}");
}
