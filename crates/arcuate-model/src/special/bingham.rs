//! Coefficients of the Bingham distribution in real spherical harmonics about its mean orientation (Bingham 1974,
//! doi:10.1214/aos/1176342874).
//!
//! The frame of the distribution has three axes. Axis u has the first concentration κ₁, and v the second
//! concentration κ₂ (orientations fan out along v). The third axis is the mean orientation μ = u × v. An
//! orientation in this frame is n = (sin θ cos φ, sin θ sin φ, cos θ), and its density is p:
//!
//! ```text
//! p(n) ∝ exp(−κ₁ (n·u)² − κ₂ (n·v)²) = exp(−(κ₁ + κ₂)/2 sin²θ) exp(−(κ₁ − κ₂)/2 sin²θ cos 2φ)
//! ```
//!
//! The density p(n) is even in each component of n. Therefore, only spherical harmonics M_lm(n) = N_lm
//! P_l^m(cos θ) cos mφ with even l and even m ≥ 0 are needed. The factors N_lm are such that P_l(g·n) = Σ_m
//! M_lm(g) M_lm(n) + (terms that vanish). The mean of P_l(g·n) over the distribution is Σ_m M_lm(g) W_lm,
//! with the coefficients W_lm = ∫ p M_lm. In these coefficients, the integral over φ is a modified Bessel
//! function I_k:
//!
//! ```text
//! ∫ exp(−y cos 2φ) cos 2kφ dφ / 2π = (−1)^k I_k(y),   y = (κ₁ − κ₂)/2 sin²θ
//! ```
//!
//! The integral over θ is computed as a sum over Gauss–Legendre nodes of a variable v, with cos θ = v (2 −
//! v). The nodes are dense near θ = 0, where the density of concentrated distributions is. The ratios I_k /
//! I_{k−1} of Bessel functions are computed by a continued fraction, downwards from high k. The factor
//! exp(−y) I_0 follows from 1 = exp(−y) (I_0 + 2 Σ I_k) (Abramowitz and Stegun 1964, 9.6.37). There is no
//! cancellation at any concentration. The distribution is the same if κ₁ and κ₂ and their axes are exchanged.
//! The two concentrations may therefore have any order.

use super::concentration::LARGEST_CONCENTRATION;
use arcuate_numbers::quadrature::half_gauss_legendre;
use arcuate_numbers::{Lanes, Operations, Real};
use std::any::Any;
use std::sync::LazyLock;

/// The highest degree of a series of spherical harmonics. Derivatives with respect to a concentration also
/// need the next even degree.
pub(crate) const LARGEST_DEGREE: u16 = 40;
/// Number of even degrees for which coefficients are computed: 0, 2, … up to the degree after
/// [`LARGEST_DEGREE`].
const DEGREES: usize = LARGEST_DEGREE as usize / 2 + 2;

/// Returns the index of the coefficient W_lm of degree l = 2 n and order m = 2 k in the list of coefficients.
pub(crate) fn place(n: usize, k: usize) -> usize {
    n * (n + 1) / 2 + k
}

/// Returns the number of coefficients of the Bingham distribution up to a degree l.
pub(crate) fn count(degree: u16) -> usize {
    place(usize::from(degree) / 2 + 1, 0)
}

/// Precomputed numbers of a node of the numerical integration.
#[derive(Debug, Clone)]
pub(crate) struct Node<T> {
    /// The square sin²θ at the node.
    pub(crate) square: T,
    pub(crate) weight: T,
    /// The order at which the continued fraction of the Bessel functions begins at this node. Bessel
    /// functions of higher order are negligible.
    pub(crate) top: usize,
    /// The values N_lm P_l^m (normalised associated Legendre functions) at the quadrature node for all
    /// degrees and orders, in the order of [`place`].
    pub(crate) harmonics: Vec<T>,
}

/// Returns the quadrature nodes of a precision, for concentrations up to [`LARGEST_CONCENTRATION`]: 28 nodes in
/// single precision, and 40 in double precision.
pub(crate) fn nodes<T: Real>() -> &'static [Node<T>] {
    static SINGLE: LazyLock<Vec<Node<f32>>> = LazyLock::new(|| new_nodes(28, 1e-9));
    static DOUBLE: LazyLock<Vec<Node<f64>>> = LazyLock::new(|| new_nodes(40, 1e-17));
    let nodes: &'static dyn Any = if T::NAME == f32::NAME { &*SINGLE } else { &*DOUBLE };
    nodes.downcast_ref::<Vec<Node<T>>>().map_or(&[], Vec::as_slice)
}

/// Computes the quadrature nodes, their weights and the harmonics. The number of nodes must be even. Bessel
/// functions I_k that are smaller than `tolerance` · I_0 are omitted.
fn new_nodes<T: Real>(count: usize, tolerance: f64) -> Vec<Node<T>> {
    let half = half_gauss_legendre(count / 2);
    let both = half.iter().map(|(x, w)| (-x, *w)).chain(half.iter().rev().map(|(x, w)| (*x, *w)));
    let node = |(x, w): (f64, f64)| {
        // The difference 1 − v, where v is the variable of the numerical integration.
        let rest = 0.5 - 0.5 * x;
        let cosine = 1.0 - rest * rest;
        let square = rest * rest * (1.0 + cosine);
        let top = highest_order(0.5 * LARGEST_CONCENTRATION * square, tolerance);
        let harmonics = harmonics(cosine, square).into_iter().map(T::of).collect();
        Node { square: T::of(square), weight: T::of(w * rest), top, harmonics }
    };
    both.map(node).collect()
}

/// Returns the order k at which the ratio I_k(y) / I_0(y) of modified Bessel functions falls below
/// `tolerance`.
fn highest_order(y: f64, tolerance: f64) -> usize {
    const FIRST: usize = 120;
    let mut ratios = [0.0; FIRST + 1];
    for k in (1..FIRST).rev() {
        ratios[k] = y / (2.0 * k as f64 + y * ratios[k + 1]);
    }
    let mut product = 1.0;
    for k in 1..FIRST {
        product *= ratios[k];
        if product < tolerance {
            return k;
        }
    }
    FIRST
}

/// Returns the normalised associated Legendre functions N_lm P_l^m at cos θ = `cosine`, for all degrees and
/// orders. `square` is sin²θ.
fn harmonics(cosine: f64, square: f64) -> Vec<f64> {
    let mut all = vec![0.0; place(DEGREES, 0)];
    for k in 0..DEGREES {
        let (mut before, mut here) = (0.0, first_scale(k) * square.powi(k as i32));
        for n in k..DEGREES {
            all[place(n, k)] = here;
            let [up, middle, down] = times_square(n, k);
            (before, here) = (here, ((cosine * cosine - middle) * here - down * before) / up);
        }
    }
    all
}

/// Returns the constant N_mm P_m^m / sin^m θ (a normalised associated Legendre function without its
/// dependence on θ) for the order m = 2 k.
fn first_scale(k: usize) -> f64 {
    let product: f64 = (1..=2 * k).map(|i| (2 * i - 1) as f64 / (2 * i) as f64).product();
    if k == 0 { 1.0 } else { (2.0 * product).sqrt() }
}

/// Returns the factors `up`, `here` and `down` in the formula `cos²θ M_lm = up M_{l+2,m} + here M_lm + down
/// M_{l−2,m}` for spherical harmonics M_lm, with l = 2 n and m = 2 k.
pub(crate) fn times_square(n: usize, k: usize) -> [f64; 3] {
    let (l, m) = (2.0 * n as f64, 2.0 * k as f64);
    // The product with cos²θ is computed as two products with cos θ, each by cos θ Y_lm = α_{l+1} Y_{l+1,m} +
    // α_l Y_{l−1,m}.
    let square = |l: f64| if l <= m { 0.0 } else { (l * l - m * m) / (4.0 * l * l - 1.0) };
    let product = |a: f64, b: f64| (square(a) * square(b)).sqrt();
    let down = if n == 0 { 0.0 } else { product(l, l - 1.0) * ((2.0 * l - 3.0) / (2.0 * l + 1.0)).sqrt() };
    [
        product(l + 1.0, l + 2.0) * ((2.0 * l + 5.0) / (2.0 * l + 1.0)).sqrt(),
        square(l + 1.0) + square(l),
        down,
    ]
}

/// Returns the product sin²θ cos 2φ M_lm as a sum of spherical harmonics, with l = 2 n and m = 2 k. Each
/// harmonic of the sum has three numbers: its n, its k and its weight.
pub(crate) fn times_difference(n: usize, k: usize) -> Vec<(usize, usize, f64)> {
    let degree = |n: usize| 4.0 * n as f64 + 1.0;
    let mut sum = Vec::new();
    for other in n.saturating_sub(1)..=n + 1 {
        let norm = (degree(other) / degree(n)).sqrt();
        // Harmonics of order 0 have another normalisation.
        let share = |k: usize| if k == 0 { std::f64::consts::FRAC_1_SQRT_2 } else { 0.5 };
        if k < other {
            sum.push((other, k + 1, share(k) * norm * raised(n, k, other)));
        }
        if k > 0 && k <= other + 1 {
            sum.push((other, k - 1, share(k - 1) * norm * raised(other, k - 1, n)));
        }
    }
    sum.retain(|(.., weight)| *weight != 0.0);
    sum
}

/// Returns the derivatives of a coefficient of the Bingham distribution with respect to both concentrations.
/// They are computed from all coefficients up to the next even degree. See [`slope_terms`].
pub(crate) fn slopes(coefficients: &[f64], n: usize, k: usize) -> [f64; 2] {
    let here = coefficients[place(n, k)];
    let [sum, difference] = slope_terms(n, k).map(|[terms, means]| {
        let of = |terms: &[(usize, usize, f64)]| -> f64 {
            terms.iter().map(|(n, k, weight)| weight * coefficients[place(*n, *k)]).sum()
        };
        of(&terms) - here * of(&means)
    });
    [sum - difference, sum + difference]
}

/// Returns the terms of half the sum and half the difference (second minus first) of a coefficient's
/// derivatives with respect to the two concentrations. Half the sum uses the factor f = ½ cos²θ, and half the
/// difference uses f = ½ sin²θ cos 2φ. Each is the mean of the product M_lm f, minus the product of the means
/// of M_lm and f. The first list of each pair has the coefficients in the mean of the product: n, k and
/// weight. The second list has the coefficients in the mean of f.
pub(crate) fn slope_terms(n: usize, k: usize) -> [[Vec<(usize, usize, f64)>; 2]; 2] {
    let half = |terms: Vec<(usize, usize, f64)>| -> Vec<(usize, usize, f64)> {
        terms.into_iter().map(|(n, k, weight)| (n, k, 0.5 * weight)).collect()
    };
    let squares = |n: usize, k: usize| {
        let [up, here, down] = times_square(n, k);
        let mut terms = vec![(n + 1, k, up), (n, k, here)];
        if down != 0.0 {
            terms.push((n - 1, k, down));
        }
        terms
    };
    [[half(squares(n, k)), half(squares(0, 0))], [half(times_difference(n, k)), half(times_difference(0, 0))]]
}

/// Returns a weight in the product of sin²θ exp(2iφ) and the spherical harmonic Y of degree 2 n and order 2
/// k. The weight is that of the harmonic of degree 2 `to` and order 2 k + 2.
fn raised(n: usize, k: usize, to: usize) -> f64 {
    let (l, m) = (2.0 * n as f64, 2.0 * k as f64);
    // The product with sin²θ exp(2iφ) is computed as two products with sin θ exp(iφ), each by sin θ exp(iφ)
    // Y_lm = −up Y_{l+1,m+1} + down Y_{l−1,m+1}.
    let up = |l: f64, m: f64| ((l + m + 1.0) * (l + m + 2.0) / ((2.0 * l + 1.0) * (2.0 * l + 3.0))).sqrt();
    let down = |l: f64, m: f64| {
        if m > l - 2.0 { 0.0 } else { ((l - m) * (l - m - 1.0) / ((2.0 * l - 1.0) * (2.0 * l + 1.0))).sqrt() }
    };
    let below = |of: &dyn Fn() -> f64| if n == 0 { 0.0 } else { down(l, m) * of() };
    if to == n + 1 {
        up(l, m) * up(l + 1.0, m + 1.0)
    } else if to == n {
        -up(l, m) * down(l + 1.0, m + 1.0) - below(&|| up(l - 1.0, m + 1.0))
    } else {
        below(&|| down(l - 1.0, m + 1.0))
    }
}

/// Returns the constants `scale`, a and b of a recurrence for spherical harmonics of the order m = 2 k. There
/// is one set of constants for each n from k up to this degree. The harmonics are M_lm = scale_n p_n sin^m θ
/// cos mφ, with p_{n+1} = (a_n cos²θ − b_n) p_n − p_{n−1}, p_k = 1 and p_{k−1} = 0. A step of this recurrence
/// has two operations.
pub(crate) fn scaled_recurrence(k: usize, degree: u16) -> Vec<[f64; 3]> {
    let last = usize::from(degree) / 2;
    let mut scales = vec![first_scale(k); 2];
    for n in k + 1..last {
        let [up, _, down] = times_square(n, k);
        scales.push(scales[n - k - 1] * down / up);
    }
    let step = |n: usize| {
        let [up, here, _] = times_square(n, k);
        let [scale, next] = [scales[n - k], scales.get(n - k + 1).copied().unwrap_or(1.0)];
        let a = scale / (up * next);
        [scale, a, a * here]
    };
    (k..=last).map(step).collect()
}

/// Two concentrations of the Bingham distribution, prepared for the sum over quadrature nodes.
pub(crate) struct Concentrations<N> {
    /// The smaller concentration, and half the difference from the larger one.
    lesser: N,
    difference: N,
    /// The sign of the terms of odd k: −1 if κ₁ is larger than κ₂, and 1 if not.
    sign: N,
}

impl<N: Operations> Concentrations<N> {
    #[inline(always)]
    pub(crate) fn new([first, second]: [N; 2]) -> Self {
        let (zero, one) = (first.known(0.0), first.known(1.0));
        let difference = (first - second) * first.known(0.5);
        Self {
            lesser: first.if_above(second, second, first),
            difference: zero.if_above(difference, -difference, difference),
            sign: zero.if_above(difference, one, -one),
        }
    }

    /// Computes the terms of a quadrature node in the sums of the coefficients W_lm, up to the degree 2
    /// `last`. `higher` returns the continued fraction ([`fraction`]) of y down to the order `lowest(last)` +
    /// 1. For each coefficient, `add` receives its [`place`] and the factor of its harmonic.
    ///
    /// Each node costs an exponential and about 30 divisions and 60 products and sums. In addition, each node
    /// costs one product and sum per coefficient.
    #[inline(always)]
    pub(crate) fn add_node(
        &self,
        [square, weight]: [N; 2],
        last: usize,
        higher: impl Fn(N) -> [N; 2],
        mut add: impl FnMut(usize, N),
    ) {
        let y = self.difference * square;
        let [mut ratio, mut sum] = higher(y);
        let mut ratios = [ratio; DEGREES];
        let mut order = y.known(2.0 * lowest(last) as f64);
        for k in (2..=lowest(last)).rev() {
            [ratio, sum] = fraction(y, order, [ratio, sum]);
            ratios[k] = ratio;
            order = order - y.known(2.0);
        }
        ratio = y / y.fma(ratio, order);
        ratios[1] = ratio;
        sum = (ratio + ratio).fma(sum, y.known(1.0));
        let mut product = weight * (-(self.lesser * square)).exponential() / sum;
        for k in 0..=last {
            if k > 0 {
                product = product * (ratios[k] * self.sign);
            }
            for n in k..=last {
                add(place(n, k), product);
            }
        }
    }
}

/// Returns the order k below which [`Concentrations::add_node`] computes the continued fraction.
pub(crate) fn lowest(last: usize) -> usize {
    last.max(1)
}

/// Computes one step of the continued fraction of the ratios I_k / I_{k−1} of Bessel functions, and of the sum
/// of their products. `order` is 2 k.
#[inline(always)]
pub(crate) fn fraction<N: Operations>(y: N, order: N, [ratio, sum]: [N; 2]) -> [N; 2] {
    let ratio = y / y.fma(ratio, order);
    [ratio, ratio.fma(sum, y.known(1.0))]
}

/// Computes the coefficients W_lm of the Bingham distribution up to `degree` on the CPU. The concentrations κ₁
/// and κ₂ are from 0 to [`LARGEST_CONCENTRATION`]. The coefficients are written to `out` in the order of
/// [`place`], at the indices 0, `apart`, 2 `apart` and so on.
#[inline(always)]
pub(crate) fn coefficients<T: Real, const W: usize>(
    concentrations: [Lanes<T, W>; 2],
    degree: u16,
    out: &mut [Lanes<T, W>],
    apart: usize,
) {
    let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
    let (of, last) = (Concentrations::new(concentrations), usize::from(degree) / 2);
    for n in 0..count(degree) {
        out[n * apart] = zero;
    }
    for Node { square, weight, top, harmonics } in nodes::<T>() {
        of.add_node(
            [Lanes([*square; W]), Lanes([*weight; W])],
            last,
            #[inline(always)]
            |y| {
                let (mut sums, mut order) = ([zero, one], Lanes::all(2.0 * *top as f64));
                for _ in lowest(last)..*top {
                    sums = fraction(y, order, sums);
                    order = order - Lanes::all(2.0);
                }
                sums
            },
            #[inline(always)]
            |place, factor| {
                out[place * apart] = factor.fma(Lanes([harmonics[place]; W]), out[place * apart]);
            },
        );
    }
    let inverse = one / out[0];
    out[0] = one;
    for n in 1..count(degree) {
        out[n * apart] = out[n * apart] * inverse;
    }
}

#[cfg(test)]
pub(crate) mod means;
#[cfg(test)]
mod tests;
