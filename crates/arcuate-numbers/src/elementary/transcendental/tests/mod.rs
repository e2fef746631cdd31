//! Tests every function in both precisions against values with 60 digits. The arguments include the limits of
//! each function's domain.

mod values;

use super::{
    LARGEST_ANGLE, angle, arc_cosine, arc_tangent, bessel_i0e, bessel_i1e, cosine, dawson, erf, sine,
};
use crate::{Lanes, Real};
use values::{ANGLES, ARC_COSINES, ARC_TANGENTS, FAR_SINES, SINES, SPECIAL};

type Lane<T> = Lanes<T, 1>;

/// Returns a unit in the last place of a value in this precision.
fn unit<T: Real>(value: f64) -> f64 {
    let exponent = value.abs().max(T::min_positive_value().double()).log2().floor();
    T::epsilon().double() * exponent.exp2()
}

/// Computes the maximum error of a function over the rows of a table, in units in the last place.
fn worst<T: Real>(function: impl Fn(Lane<T>) -> Lane<T>, rows: impl Iterator<Item = [f64; 2]>) -> f64 {
    rows.map(|[x, expected]| {
        let found = function(Lanes::all(x)).0[0].double();
        assert!(found.is_finite(), "{found} at {x}");
        (found - expected).abs() / unit::<T>(expected)
    })
    .fold(0.0, f64::max)
}

/// Computes the maximum errors of sine, cosine, arc tangent, arc cosine, angle, erf, Dawson's integral, I₀
/// and I₁.
fn errors<T: Real>() -> [f64; 9] {
    let is_double = T::epsilon().double() < 1e-10;
    let far = if is_double { &FAR_SINES[..] } else { &[] };
    let angles = || SINES.iter().chain(far);
    let of_points = ANGLES.map(|[y, x, expected]| {
        let found = angle(Lane::<T>::all(y), Lanes::all(x)).0[0].double();
        (found - expected).abs() / unit::<T>(expected)
    });
    [
        worst::<T>(sine, angles().map(|row| [row[0], row[1]])),
        worst::<T>(cosine, angles().map(|row| [row[0], row[2]])),
        worst::<T>(arc_tangent, ARC_TANGENTS.into_iter()),
        worst::<T>(arc_cosine, ARC_COSINES.into_iter()),
        of_points.into_iter().fold(0.0, f64::max),
        worst::<T>(erf, SPECIAL.iter().map(|row| [row[0], row[1]])),
        worst::<T>(dawson, SPECIAL.iter().map(|row| [row[0], row[2]])),
        worst::<T>(bessel_i0e, SPECIAL.iter().map(|row| [row[0], row[3]])),
        worst::<T>(bessel_i1e, SPECIAL.iter().map(|row| [row[0], row[4]])),
    ]
}

/// The maximum errors that the documentation of this module states, in units in the last place.
const SINGLE: [f64; 9] = [0.9, 0.9, 2.1, 2.6, 1.5, 1.2, 2.0, 2.3, 2.9];
const DOUBLE: [f64; 9] = [0.8, 0.7, 1.7, 2.3, 1.2, 0.9, 2.5, 1.9, 2.1];
/// Rounding error of the expected value, which is also a double, in units in the last place.
const ROUNDED: f64 = 0.5;

#[test]
fn values_agree_with_multiple_precision() {
    let (single, double) = (errors::<f32>(), errors::<f64>());
    for (found, stated) in [(single, SINGLE), (double, DOUBLE.map(|stated| stated + ROUNDED))] {
        assert!(
            found.iter().zip(stated).all(|(found, stated)| *found <= stated),
            "{single:.2?} {double:.2?}"
        );
    }
}

/// Compares single precision with double precision at many more numbers.
#[test]
fn single_precision_agrees_with_double_precision_everywhere() {
    type Function = (fn(Lane<f32>) -> Lane<f32>, fn(Lane<f64>) -> Lane<f64>, f64);
    let functions: [Function; 8] = [
        (sine, sine, 1e6),
        (cosine, cosine, 1e6),
        (arc_tangent, arc_tangent, 1e6),
        (arc_cosine, arc_cosine, 1.0),
        (erf, erf, 10.0),
        (dawson, dawson, 1e4),
        (bessel_i0e, bessel_i0e, 1e4),
        (bessel_i1e, bessel_i1e, 1e4),
    ];
    let found = functions.map(|(single, double, largest)| {
        let even = (0..200_000).map(|n| f64::from(n) / 200_000.0);
        // The arguments are spaced evenly on a linear scale and on a logarithmic scale.
        let places = even.clone().chain(even.map(|part| 10f64.powf(-9.0 * part)));
        let places = places.flat_map(|part| [largest.min(9.0) * part, -largest * part]);
        let rows = places.map(|x| f64::from(x as f32)).map(|x| [x, double(Lanes::all(x)).0[0]]);
        worst(single, rows)
    });
    let stated = [0, 1, 2, 3, 5, 6, 7, 8].map(|n| SINGLE[n]);
    assert!(found.iter().zip(stated).all(|(found, stated)| *found <= stated), "{found:.2?}");
}

fn ends<T: Real>() {
    let of = |function: fn(Lane<T>) -> Lane<T>, x: f64| function(Lanes::all(x)).0[0].double();
    let rounded = |value: f64| T::of(value).double();
    let infinity = f64::INFINITY;
    for sign in [1.0, -1.0] {
        assert_eq!(of(erf, sign * infinity), sign);
        assert_eq!(of(erf, sign * 1e30), sign);
        assert_eq!(of(arc_tangent, sign * infinity), sign * rounded(std::f64::consts::FRAC_PI_2));
        assert_eq!(of(dawson, sign * infinity), 0.0);
        assert_eq!(of(bessel_i0e, sign * infinity), 0.0);
        assert_eq!(of(bessel_i1e, sign * infinity), 0.0);
        let large = T::max_value().double();
        assert!((of(dawson, sign * 1e30) * sign * 2e30 - 1.0).abs() < 1e-6);
        assert_eq!(of(arc_tangent, sign * large), sign * rounded(std::f64::consts::FRAC_PI_2));
        let point = |y: f64, x: f64| angle(Lane::<T>::all(sign * y), Lanes::all(x)).0[0].double() * sign;
        let turned = |eighths: f64| rounded(eighths * std::f64::consts::FRAC_PI_4);
        for (y, x, eighths) in [
            (infinity, infinity, 1.0),
            (infinity, 1.0, 2.0),
            (infinity, -infinity, 3.0),
            (1.0, -infinity, 4.0),
            (1.0, infinity, 0.0),
            (large, large, 1.0),
            (large, -large, 3.0),
            (large, 0.0, 2.0),
            (1e-30, 1e-30, 1.0),
        ] {
            assert_eq!(point(y, x), turned(eighths), "{y} {x}");
        }
    }
    let at_zero = [sine, arc_tangent, erf, dawson, bessel_i1e].map(|function| of(function, 0.0));
    assert_eq!(at_zero, [0.0; 5]);
    assert_eq!([of(cosine, 0.0), of(bessel_i0e, 0.0)], [1.0, 1.0]);
    assert_eq!([of(arc_cosine, 1.0), of(arc_cosine, -1.0)], [0.0, rounded(std::f64::consts::PI)]);
    let origin = angle(Lane::<T>::all(0.0), Lanes::all(0.0)).0[0].double();
    assert_eq!(
        [origin, angle(Lane::<T>::all(0.0), Lanes::all(-1.0)).0[0].double()],
        [0.0, rounded(std::f64::consts::PI)]
    );
    let all = [sine, cosine, arc_tangent, arc_cosine, erf, dawson, bessel_i0e, bessel_i1e];
    assert!(all.iter().all(|function| of(*function, f64::NAN).is_nan()));
    for (y, x) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
        assert!(angle(Lane::<T>::all(y), Lanes::all(x)).0[0].is_nan());
    }
    let largest = LARGEST_ANGLE[usize::from(size_of::<T>() == 8)];
    assert!(of(sine, largest).is_finite() && of(cosine, -largest).is_finite());
    let nothing =
        [of(sine, 1.01 * largest), of(cosine, -1.01 * largest), of(sine, infinity), of(arc_cosine, 1.01)];
    assert!(nothing.iter().all(|value| value.is_nan()), "{nothing:?}");
}

#[test]
fn extreme_arguments_are_handled_in_both_precisions() {
    ends::<f32>();
    ends::<f64>();
}
