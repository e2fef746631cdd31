//! The signal of sticks with fanning (Bingham-distributed) orientations, expanded in a series of spherical
//! harmonics.

use crate::language::{Fanned, Id, Moments, Node, Program, Ternary};
use crate::special::bingham::scaled_recurrence;
use arcuate_core::narrow;

/// Two sums over all degrees l of the spherical harmonics, for one order m.
#[derive(Clone, Copy)]
struct OrderSums {
    /// Σ_l C_l W_lm p_lm, or the derivative of this sum with respect to x or to a concentration of the
    /// Bingham distribution. C_l are the Legendre coefficients of a stick's signal, W_lm the coefficients of
    /// the distribution, and p_lm scaled Legendre polynomials.
    value: Id,
    /// Σ_l C_l W_lm p′_lm, with the derivative p′_lm of the scaled Legendre polynomial p_lm with respect to
    /// cos²θ. C_l are the Legendre coefficients of a stick's signal, and W_lm the coefficients of the Bingham
    /// distribution.
    slope: Id,
}

/// Returns Σ_m (Σ_l C_l(x) W_lm(κ₁, κ₂) scale_lm p_lm(t²)) sin^m θ cos mφ over even degrees l and orders m,
/// or a derivative of this sum. C_l are the Legendre coefficients of a stick's signal, with x = b d. W_lm are
/// the coefficients of the Bingham distribution with the concentrations κ₁ and κ₂ (`special::bingham`). t =
/// cos θ, and p_lm are Legendre polynomials.
///
/// The computation uses `s = 1 − t² = sin²θ` and `d = s − 2 f² = sin²θ cos 2φ`, where f is the cosine of the
/// angle to the axis of the fan. The functions c_k = sin^2k θ cos 2kφ follow Chebyshev's recurrence c_{k+1} =
/// 2 d c_k − s² c_{k−1}. The derivative of c_k with respect to d is k e_{k−1}, and with respect to s it is −k
/// s e_{k−2}. The e_k are the corresponding functions of the second kind: e_{k+1} = 2 d e_k − s² e_{k−1}, e_0
/// = 1, e_{−1} = 0.
pub(super) fn bingham_series(
    program: &mut Program,
    part: Fanned,
    [x, first, second, cosine, of_fan]: [Id; 5],
    degree: u16,
) -> Id {
    let orders = usize::from(degree) / 2 + 1;
    let [one, two] = [1.0, 2.0].map(|value| program.constant(value));
    let square = program.multiply(cosine, cosine);
    let rest = program.subtract(one, square);
    let of_fan_square = program.multiply(of_fan, of_fan);
    let difference = program.make(Node::Ternary(Ternary::Fnma, [two, of_fan_square, rest]));
    let twice = program.multiply(two, difference);
    let rest_square = program.multiply(rest, rest);
    let sums: Vec<OrderSums> =
        (0..orders).map(|k| of_order(program, part, [x, first, second, square], k, degree)).collect();
    match part {
        Fanned::Value | Fanned::ByX | Fanned::ByFirst | Fanned::BySecond => {
            let cosines = chebyshev(program, [one, difference], twice, rest_square, orders);
            sum_of(program, sums.iter().map(|of| of.value).zip(cosines))
        }
        Fanned::ByCosine | Fanned::ByFanCosine => {
            let sines = chebyshev(program, [one, twice], twice, rest_square, orders);
            let mut weighted = Vec::new();
            for (k, of) in sums.iter().enumerate().skip(1) {
                let order = program.constant(k as f64);
                weighted.push(program.multiply(order, of.value));
            }
            let by_difference = sum_of(program, weighted.iter().copied().zip(sines.iter().copied()));
            if part == Fanned::ByFanCosine {
                let factor = program.constant(-4.0);
                let factor = program.multiply(factor, of_fan);
                return program.multiply(factor, by_difference);
            }
            let cosines = chebyshev(program, [one, difference], twice, rest_square, orders);
            let by_square = sum_of(program, sums.iter().map(|of| of.slope).zip(cosines));
            let by_rest = sum_of(program, weighted.iter().skip(1).copied().zip(sines));
            let by_rest = program.multiply(rest, by_rest);
            let sum = program.add(by_square, by_rest);
            let sum = program.subtract(sum, by_difference);
            let factor = program.multiply(two, cosine);
            program.multiply(factor, sum)
        }
    }
}

/// Returns the sums over all degrees l of the spherical harmonics for the order m = 2 k.
fn of_order(
    program: &mut Program,
    part: Fanned,
    [x, first, second, square]: [Id; 4],
    k: usize,
    degree: u16,
) -> OrderSums {
    let (one, zero) = (program.constant(1.0), program.constant(0.0));
    let [mut value, mut slope] = [zero; 2];
    let [mut before, mut here, mut slope_before, mut slope_here] = [zero, one, zero, zero];
    for (j, [scale, a, b]) in scaled_recurrence(k, degree).into_iter().enumerate() {
        let l = 2 * narrow::<u16>(k + j);
        let of_stick = match part {
            Fanned::ByX => program.moment_slope(Moments::Stick, l, x),
            _ => program.make(Node::Moment(Moments::Stick, l, x)),
        };
        let place = [l, 2 * narrow::<u16>(k)];
        let coefficient = match part {
            Fanned::ByFirst => program.harmonic_slopes(place, [first, second])[0],
            Fanned::BySecond => program.harmonic_slopes(place, [first, second])[1],
            _ => program.harmonic(place, [first, second]),
        };
        let scale = program.constant(scale);
        let weight = program.multiply(scale, coefficient);
        let term = program.multiply(of_stick, here);
        value = joined(program, term, weight, value);
        if part == Fanned::ByCosine {
            let term = program.multiply(of_stick, slope_here);
            slope = joined(program, term, weight, slope);
        }
        let [a, b] = [a, -b].map(|value| program.constant(value));
        let factor = program.make(Node::Ternary(Ternary::Fma, [square, a, b]));
        let next = stepped(program, factor, here, before);
        if part == Fanned::ByCosine {
            let moved = stepped(program, factor, slope_here, slope_before);
            (slope_before, slope_here) = (slope_here, joined(program, a, here, moved));
        }
        (before, here) = (here, next);
    }
    OrderSums { value, slope }
}

/// Adds a node for a b − c to the program and returns it. If b is a constant or c is 0, a simpler node is
/// added.
fn stepped(program: &mut Program, a: Id, b: Id, c: Id) -> Id {
    if program.constant_of(b).is_some() || program.constant_of(c) == Some(0.0) {
        let product = program.multiply(a, b);
        return program.subtract(product, c);
    }
    program.make(Node::Ternary(Ternary::Fms, [a, b, c]))
}

/// Adds a node for a b + c to the program and returns it. If an operand is 0 or 1, a simpler node is added.
fn joined(program: &mut Program, a: Id, b: Id, c: Id) -> Id {
    if [a, b, c].iter().any(|id| matches!(program.constant_of(*id), Some(0.0 | 1.0))) {
        let product = program.multiply(a, b);
        return program.add(product, c);
    }
    program.make(Node::Ternary(Ternary::Fma, [a, b, c]))
}

/// Adds nodes for the sum of the products a b of all given pairs (a, b), and returns the last node.
fn sum_of(program: &mut Program, products: impl Iterator<Item = (Id, Id)>) -> Id {
    products.fold(program.constant(0.0), |sum, (a, b)| joined(program, a, b, sum))
}

/// Returns the terms c_0, c_1, … of the recurrence c_{k+1} = `twice` c_k − `rest_square` c_{k−1}. The first
/// two terms are given.
fn chebyshev(program: &mut Program, [a, b]: [Id; 2], twice: Id, rest_square: Id, count: usize) -> Vec<Id> {
    let mut all = vec![a, b];
    for k in 1..count.max(2) - 1 {
        let down = program.multiply(rest_square, all[k - 1]);
        all.push(stepped(program, twice, all[k], down));
    }
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests;
