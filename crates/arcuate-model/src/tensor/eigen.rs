//! The 3 × 3 symmetric eigenproblem in closed form, one tensor a lane: no branches, no trigonometry.

use pulp::Simd;

/// Eigenvalues in descending order and their orthonormal eigenvectors, in every lane.
pub(super) struct Eigensystems<S: Simd> {
    pub(super) values: [S::f64s; 3],
    pub(super) vectors: [[S::f64s; 3]; 3],
}

/// Eigensystems of tensors given by D11, D22, D33, D12, D13, D23.
///
/// With B = (D − mean·I) / p scaled so that its eigenvalues are 2 cos(φ + 2πk/3), cos 3φ = ½ det B (Smith 1961,
/// doi:10.1145/355578.366316), the eigenvalue furthest from the others is ±2x with 4x³ − 3x = |½ det B|, x in
/// [½√3, 1], where Newton's method needs four steps. Its eigenvector is the largest cross product of two rows of
/// B ∓ 2x·I; the other two come from the 2 × 2 problem in the plane across it (Eberly 2014, "A robust eigensolver for
/// 3 × 3 symmetric matrices"). Nothing is lost where eigenvalues meet.
#[inline(always)]
pub(super) fn eigensystems<S: Simd>(simd: S, elements: [S::f64s; 6]) -> Eigensystems<S> {
    let number = |x: f64| simd.splat_f64s(x);
    let (zero, one, half) = (number(0.0), number(1.0), number(0.5));
    let [xx, yy, zz, xy, xz, yz] = elements;
    let mean = simd.mul_f64s(simd.add_f64s(simd.add_f64s(xx, yy), zz), number(1.0 / 3.0));
    let diagonal = [xx, yy, zz].map(|d| simd.sub_f64s(d, mean));
    let off = dot(simd, [xy, xz, yz], [xy, xz, yz]);
    let square = simd.mul_add_e_f64s(number(2.0), off, dot(simd, diagonal, diagonal));
    let p = simd.sqrt_f64s(simd.mul_f64s(square, number(1.0 / 6.0)));
    let isotropic = simd.equal_f64s(p, zero);
    let scale = simd.div_f64s(one, simd.select_f64s(isotropic, one, p));
    let [a, b, c] = diagonal.map(|d| simd.mul_f64s(d, scale));
    let [xy, xz, yz] = [xy, xz, yz].map(|d| simd.mul_f64s(d, scale));

    let row = [[a, xy, xz], [xy, b, yz], [xz, yz, c]];
    let determinant = dot(simd, row[0], cross(simd, row[1], row[2]));
    let cosine = simd.mul_f64s(half, determinant);
    let prolate = simd.greater_than_or_equal_f64s(cosine, zero);
    let target = simd.min_f64s(simd.abs_f64s(cosine), one);
    // The chord of the curve from (0, ½√3) to (1, 1) is within 0.007 of it.
    let start = 0.75f64.sqrt();
    let mut x = simd.mul_add_e_f64s(target, number(1.0 - start), number(start));
    for _ in 0..4 {
        // x − (4x³ − 3x − t) / (12x² − 3) = (8x³ + t) / (12x² − 3)
        let x2 = simd.mul_f64s(x, x);
        let numerator = simd.mul_add_e_f64s(simd.mul_f64s(number(8.0), x2), x, target);
        x = simd.div_f64s(numerator, simd.mul_add_e_f64s(number(12.0), x2, number(-3.0)));
    }
    let size = simd.add_f64s(x, x);
    let apart_value = simd.select_f64s(prolate, size, simd.neg_f64s(size));

    let [a, b, c] = [a, b, c].map(|d| simd.sub_f64s(d, apart_value));
    let shifted = [[a, xy, xz], [xy, b, yz], [xz, yz, c]];
    let mut apart = cross(simd, shifted[0], shifted[1]);
    let mut length = dot(simd, apart, apart);
    for (i, j) in [(0, 2), (1, 2)] {
        let candidate = cross(simd, shifted[i], shifted[j]);
        let candidate_length = dot(simd, candidate, candidate);
        let longer = simd.greater_than_f64s(candidate_length, length);
        apart = std::array::from_fn(|n| simd.select_f64s(longer, candidate[n], apart[n]));
        length = simd.max_f64s(length, candidate_length);
    }
    let inverse = simd.div_f64s(one, simd.sqrt_f64s(length));
    let apart = apart.map(|n| simd.mul_f64s(n, inverse));

    let (u, v) = across(simd, apart);
    let (bu, bv) = (row.map(|r| dot(simd, r, u)), row.map(|r| dot(simd, r, v)));
    let (uu, uv, vv) = (dot(simd, u, bu), dot(simd, u, bv), dot(simd, v, bv));
    let centre = simd.mul_f64s(half, simd.add_f64s(uu, vv));
    let difference = simd.mul_f64s(half, simd.sub_f64s(uu, vv));
    let radius = simd.sqrt_f64s(simd.mul_add_e_f64s(difference, difference, simd.mul_f64s(uv, uv)));
    // cos 2θ and sin 2θ of the turn that makes the 2 × 2 matrix diagonal; none where it is a multiple of the identity.
    let round = simd.equal_f64s(radius, zero);
    let inverse = simd.div_f64s(one, simd.select_f64s(round, one, radius));
    let cos2 = simd.select_f64s(round, one, simd.mul_f64s(difference, inverse));
    let sin2 = simd.mul_f64s(uv, inverse);
    // The larger of |cos θ| and |sin θ| by the half-angle formula, the other from sin 2θ = 2 sin θ cos θ.
    let larger = simd.sqrt_f64s(simd.mul_add_e_f64s(half, simd.abs_f64s(cos2), half));
    let smaller = simd.div_f64s(simd.mul_f64s(half, sin2), larger);
    let forward = simd.greater_than_or_equal_f64s(cos2, zero);
    let cos = simd.select_f64s(forward, larger, smaller);
    let sin = simd.select_f64s(forward, smaller, larger);
    let large: [S::f64s; 3] =
        std::array::from_fn(|n| simd.mul_add_e_f64s(cos, u[n], simd.mul_f64s(sin, v[n])));
    let small: [S::f64s; 3] =
        std::array::from_fn(|n| simd.negate_mul_add_e_f64s(sin, u[n], simd.mul_f64s(cos, v[n])));

    let either = |if_prolate, otherwise| simd.select_f64s(prolate, if_prolate, otherwise);
    let (high, low) = (simd.add_f64s(centre, radius), simd.sub_f64s(centre, radius));
    let values = [either(apart_value, high), either(high, low), either(low, apart_value)];
    Eigensystems {
        values: values.map(|value| simd.mul_add_e_f64s(p, value, mean)),
        vectors: [
            std::array::from_fn(|n| either(apart[n], large[n])),
            std::array::from_fn(|n| either(large[n], small[n])),
            std::array::from_fn(|n| either(small[n], apart[n])),
        ],
    }
}

#[inline(always)]
fn dot<S: Simd>(simd: S, a: [S::f64s; 3], b: [S::f64s; 3]) -> S::f64s {
    simd.mul_add_e_f64s(a[2], b[2], simd.mul_add_e_f64s(a[1], b[1], simd.mul_f64s(a[0], b[0])))
}

#[inline(always)]
fn cross<S: Simd>(simd: S, a: [S::f64s; 3], b: [S::f64s; 3]) -> [S::f64s; 3] {
    let minor = |i: usize, j: usize| simd.negate_mul_add_e_f64s(a[j], b[i], simd.mul_f64s(a[i], b[j]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// Two unit vectors that complete unit vectors `n` to orthonormal frames (Duff et al. 2017, "Building an orthonormal
/// basis, revisited", Journal of Computer Graphics Techniques 6(1)).
#[inline(always)]
fn across<S: Simd>(simd: S, [x, y, z]: [S::f64s; 3]) -> ([S::f64s; 3], [S::f64s; 3]) {
    let one = simd.splat_f64s(1.0);
    let up = simd.greater_than_or_equal_f64s(z, simd.splat_f64s(0.0));
    let sign = simd.select_f64s(up, one, simd.splat_f64s(-1.0));
    let a = simd.neg_f64s(simd.div_f64s(one, simd.add_f64s(sign, z)));
    let b = simd.mul_f64s(simd.mul_f64s(x, y), a);
    let signed_x = simd.mul_f64s(sign, x);
    let u = [
        simd.mul_add_e_f64s(simd.mul_f64s(signed_x, x), a, one),
        simd.mul_f64s(sign, b),
        simd.neg_f64s(signed_x),
    ];
    let v = [b, simd.mul_add_e_f64s(simd.mul_f64s(y, y), a, sign), simd.neg_f64s(y)];
    (u, v)
}
