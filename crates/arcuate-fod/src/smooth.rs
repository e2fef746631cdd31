//! Computes the value and the derivatives of a function on the sphere from its spherical harmonic
//! coefficients.

use crate::basis::HarmonicBasis;
use arcuate_numbers::vector3::dot;

/// The value and the derivatives of a function at a point of the unit sphere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jet {
    /// The value of the function at the point.
    pub(crate) value: f64,
    /// First derivatives of the function along two orthogonal tangents, per radian.
    pub(crate) gradient: [f64; 2],
    /// Second derivatives of the function along both tangents, in the order 11, 12, 22.
    pub(crate) hessian: [f64; 3],
}

/// Converts coefficients in [`HarmonicBasis`] to the order and normalisation that the recurrences of the
/// harmonics use.
pub(crate) fn reorder(basis: &HarmonicBasis, coefficients: &[f64], out: &mut [f64]) {
    let (_, places) = basis.parts();
    for (out, (place, factor)) in out.iter_mut().zip(places) {
        *out = factor * coefficients[*place];
    }
}

/// Returns two unit vectors that are orthogonal to each other and to the given unit vector.
pub(crate) fn tangents([x, y, z]: [f64; 3]) -> [[f64; 3]; 2] {
    // This construction needs no square root. With the sign of z, it has no singularity (Duff et al. 2017,
    // "Building an orthonormal basis, revisited").
    let sign = if z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y]]
}

/// Computes the value and the derivatives of the function in the direction `u`. The function is extended from
/// the sphere to space as Σ q(z) · (c Re (x + iy)^m + s Im (x + iy)^m), which is a polynomial. The first
/// derivatives along the sphere are the tangential components of the polynomial's gradient. The second
/// derivatives along the sphere are those of the polynomial along the tangents, minus its radial derivative.
pub(crate) fn jet(basis: &HarmonicBasis, reordered: &[f64], u: [f64; 3], frame: &[[f64; 3]; 2]) -> Jet {
    let [x, y, z] = u;
    let (harmonics, _) = basis.parts();
    let (mut value, mut g, mut h) = (0.0, [0.0; 3], [0.0; 6]);
    // The powers m, m − 1 and m − 2 of the complex number x + iy.
    let (mut power, mut lower) = ([1.0, 0.0], [0.0; 2]);
    let mut at = 0;
    for (m, first, steps) in harmonics.recurrences() {
        let lowest = if m == 0 { [0.0; 2] } else { lower };
        if m == 0 {
            (power, lower) = ([1.0, 0.0], [0.0; 2]);
        } else {
            lower = power;
            power = [power[0] * x - power[1] * y, power[0] * y + power[1] * x];
        }
        // Two polynomials in z: the factors of the real and of the imaginary part of (x + iy)^m. Each has its
        // value and two derivatives.
        let (mut cosine, mut sine) = ([0.0; 3], [0.0; 3]);
        let mut before = [0.0; 3];
        let mut q = if m % 2 == 1 { [first * z, first, 0.0] } else { [first, 0.0, 0.0] };
        for n in 0..=steps.len() {
            if n > 0 {
                let step = &steps[n - 1];
                let factor = step.square * z * z - step.constant;
                let next = [
                    factor * q[0] - step.before * before[0],
                    2.0 * step.square * z * q[0] + factor * q[1] - step.before * before[1],
                    2.0 * step.square * (q[0] + 2.0 * z * q[1]) + factor * q[2] - step.before * before[2],
                ];
                (before, q) = (q, next);
            }
            for k in 0..3 {
                cosine[k] += reordered[at] * q[k];
            }
            at += 1;
            if m > 0 {
                for k in 0..3 {
                    sine[k] += reordered[at] * q[k];
                }
                at += 1;
            }
        }
        let real = |k: usize, p: [f64; 2]| cosine[k] * p[0] + sine[k] * p[1];
        let turned = |k: usize, p: [f64; 2]| sine[k] * p[0] - cosine[k] * p[1];
        let (once, twice) = (m as f64, m as f64 * (m as f64 - 1.0));
        value += real(0, power);
        g[0] += once * real(0, lower);
        g[1] += once * turned(0, lower);
        g[2] += real(1, power);
        h[0] += twice * real(0, lowest);
        h[1] -= twice * real(0, lowest);
        h[2] += real(2, power);
        h[3] += twice * turned(0, lowest);
        h[4] += once * real(1, lower);
        h[5] += once * turned(1, lower);
    }
    let [xx, yy, zz, xy, xz, yz] = h;
    let apply = |v: [f64; 3]| {
        [
            xx * v[0] + xy * v[1] + xz * v[2],
            xy * v[0] + yy * v[1] + yz * v[2],
            xz * v[0] + yz * v[1] + zz * v[2],
        ]
    };
    let radial = dot(g, u);
    let [a, b] = *frame;
    Jet {
        value,
        gradient: [dot(a, g), dot(b, g)],
        hessian: [dot(a, apply(a)) - radial, dot(a, apply(b)), dot(b, apply(b)) - radial],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Orientations;

    /// Step of the finite differences, in radians.
    const H: f64 = 1e-3;

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let basis = HarmonicBasis::new(8).unwrap();
        let coefficients: Vec<f64> = (0..45).map(|n| (f64::from(n) * 0.618_034).fract() - 0.5).collect();
        let mut reordered = vec![0.0; 45];
        reorder(&basis, &coefficients, &mut reordered);
        let mut places = Orientations::half_sphere(20).directions().to_vec();
        places.extend([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.6, 0.0, -0.8]]);
        for u in places {
            let frame = tangents(u);
            let products = [(u, frame[0]), (u, frame[1]), (frame[0], frame[1])];
            for (a, b) in products {
                assert!((0..3).map(|k| a[k] * b[k]).sum::<f64>().abs() < 1e-15);
            }
            let jet = jet(&basis, &reordered, u, &frame);
            // The expected derivatives are finite differences, along a great circle, of values that the basis
            // gives.
            let value = |a: f64, b: f64| {
                let length = a.hypot(b);
                let scale = if length > 0.0 { length.sin() / length } else { 1.0 };
                let v = std::array::from_fn(|k| {
                    length.cos() * u[k] + scale * (a * frame[0][k] + b * frame[1][k])
                });
                basis.evaluate(v).iter().zip(&coefficients).map(|(y, c)| y * c).sum::<f64>()
            };
            let slope = |a, b| (value(a, b) - value(-a, -b)) / (2.0 * H);
            let curve = |a, b| (value(a, b) + value(-a, -b) - 2.0 * value(0.0, 0.0)) / (H * H);
            let mixed = (value(H, H) + value(-H, -H) - value(H, -H) - value(-H, H)) / (4.0 * H * H);
            // Finite differences have an error of h² times the fourth derivative. The fourth derivative is up
            // to 8⁴ times the values, which are up to 4.
            assert!((jet.value - value(0.0, 0.0)).abs() < 1e-13);
            assert!(
                (jet.gradient[0] - slope(H, 0.0)).abs() < 1e-3
                    && (jet.gradient[1] - slope(0.0, H)).abs() < 1e-3
            );
            assert!(
                (jet.hessian[0] - curve(H, 0.0)).abs() < 1e-2
                    && (jet.hessian[2] - curve(0.0, H)).abs() < 1e-2
            );
            assert!((jet.hessian[1] - mixed).abs() < 1e-2, "{} {mixed}", jet.hessian[1]);
        }
    }
}
