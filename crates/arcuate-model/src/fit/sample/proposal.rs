//! The proposals of Markov chains: their random steps, their priors and constraints, the terms of their cost,
//! and the decision whether they are accepted. The CPU (`chain.rs`) and the generated GPU kernel
//! (`written.rs`) run the same code.

use super::density::{half_precision, ln_scaled_bessel};
use super::moves::Moved;
use super::plan::{ChainPlan, Likelihood, MovePlan};
use crate::fit::arithmetic::{Comparisons, Flag};
use arcuate_numbers::{Operations, Real};

/// Number of partial sums in a sum over measurements. The term of measurement m is added to the partial sum
/// with the index m modulo this number.
pub(super) const PARTS: usize = 32;
/// Maximum width of a proposal (the standard deviation of a parameter's step in a chain).
const WIDEST: f64 = 1e10;

/// The random numbers of a move.
pub(super) struct Draws<N> {
    /// The normally distributed step of a scalar parameter, or the step of an orientation in a random
    /// direction of space.
    pub(super) step: [N; 3],
    /// The largest increase of the energy that is accepted: −ln of a uniform random number. If the noise σ is
    /// integrated out, this is the corresponding factor of the sum of squared residuals.
    pub(super) room: N,
}

impl<N: Comparisons> Draws<N> {
    /// Converts four random 32-bit words, given as numbers. `turns` is set if the move turns an orientation.
    /// `inverse_half` is the exponent 2 / n for n measurements.
    #[inline(always)]
    pub(super) fn new(words: [N; 4], turns: N::Flag, likelihood: Likelihood, inverse_half: N) -> Self {
        let [of_radius, of_height, of_turn, of_room] = words;
        let number = of_radius;
        let (zero, one) = (number.known(0.0), number.known(1.0));
        let scale = number.known(1.0 / 4_294_967_296.0);
        // Each random word is converted to the middle of an interval of the unit range. No number is
        // therefore 0, and the logarithm is finite.
        let middle = number.known(0.5 / 4_294_967_296.0);
        let radius = (number.known(-2.0) * of_radius.fma(scale, middle).logarithm()).larger(zero).root();
        // For a uniformly distributed point on the sphere, the height z is uniformly distributed
        // (Archimedes).
        let height = of_height.fma(scale + scale, -one);
        let across = (-height).fma(height, one).larger(zero).root();
        let (sin, cos) = (of_turn * scale).sin_cos_turns();
        let exponential = -of_room.fma(scale, middle).logarithm();
        let around = turns.choose(radius * across, radius);
        let room = match likelihood {
            // The random number is converted to a factor. With this factor, the sums of squared residuals
            // before and after a move can be compared without computing n/2 ln of both sums.
            Likelihood::Integrated => (exponential * inverse_half).exponential(),
            _ => exponential,
        };
        Self { step: [around * cos, around * sin, radius * height], room }
    }
}

/// A proposed move of one parameter.
pub(super) struct Proposal<N: Comparisons> {
    /// Set if the proposed values are within the bounds and satisfy every linear constraint.
    pub(super) is_allowed: N::Flag,
    /// The decrease of the energy (−ln density) of the parameter's prior. `None` if the prior is uniform.
    pub(super) prior_falls: Option<N>,
}

impl<N: Comparisons> Proposal<N> {
    /// Proposes a move. `trial` contains the current parameter values, with the noise σ as the last value, and
    /// receives the proposed ones. `width` is the standard deviation of the step. `inverse_factor` converts
    /// scaled signals to measured signals.
    #[inline(always)]
    pub(super) fn new<T: Real>(
        plan: &ChainPlan<T>,
        one: &MovePlan<T>,
        (width, step): (N, [N; 3]),
        inverse_factor: N,
        trial: &mut [N],
    ) -> Self {
        let mut proposal = Self { is_allowed: width.flag(true), prior_falls: None };
        let place = match one.moved {
            Moved::Number(place) => usize::from(place),
            Moved::Noise => plan.numbers,
            Moved::Orientation(first) => {
                turn(usize::from(first), (width, step), trial);
                return proposal;
            }
        };
        let before = trial[place];
        let number = width.fma(step[0], before);
        trial[place] = number;
        let [low, high] = one.bounds;
        let (low, high) = (width.known(low.double()), width.known(high.double()));
        proposal.is_allowed = number.above(low) & high.above(number);
        if !one.prior.is_uniform() {
            let unit = if one.is_of_signal { inverse_factor } else { width.known(1.0) };
            // The parameter value is limited to its lower bound, because the logarithm of a value outside
            // the bounds may not exist.
            let after = number.larger(low);
            let fall = one.prior.energy(before * unit) - one.prior.energy(after * unit);
            proposal.prior_falls = Some(fall);
        }
        if one.is_constrained {
            for row in &plan.constraints {
                let mut slack = width.known(row.offset.double());
                for n in 0..plan.numbers {
                    // Terms with a weight of 0 are omitted, because they add nothing.
                    if row.weights[n] != T::of(0.0) {
                        slack = width.known(row.weights[n].double()).fma(trial[n], slack);
                    }
                }
                proposal.is_allowed = proposal.is_allowed & !width.known(0.0).above(slack);
            }
        }
        proposal
    }

    /// Adds the decrease of the energies of priors that are given as formulas.
    #[inline(always)]
    pub(super) fn add_fall(&mut self, falls: Option<N>) {
        self.prior_falls = match (self.prior_falls, falls) {
            (Some(own), Some(falls)) => Some(own + falls),
            (own, falls) => own.or(falls),
        };
    }
}

/// Turns an orientation by a random vector. `first` is the index of the orientation's first component. The
/// direction of the turn is uniformly distributed. The probability of a turn therefore depends only on its
/// angle, and is the same for the reverse turn.
#[inline(always)]
fn turn<N: Comparisons>(first: usize, (width, step): (N, [N; 3]), trial: &mut [N]) {
    let mut turned = [trial[first], trial[first + 1], trial[first + 2]];
    for n in 0..3 {
        turned[n] = width.fma(step[n], turned[n]);
    }
    let [x, y, z] = turned;
    let inverse = z.fma(z, y.fma(y, x * x)).inverse_root();
    for n in 0..3 {
        trial[first + n] = turned[n] * inverse;
    }
}

/// The state of a chain on which the acceptance of a proposal depends.
#[derive(Clone, Copy)]
pub(super) struct Current<N> {
    /// The cost of the current parameter values: the sum of squared residuals, or the energy of the
    /// measurements for Rician noise.
    pub(super) cost: N,
    pub(super) sigma: N,
    /// The factor 1 / (2 σ²).
    pub(super) of_sigma: N,
    /// The number of usable measurements.
    pub(super) usable: N,
    /// The exponent 2 / n for n measurements. It converts the largest accepted increase of the energy to a
    /// factor of the sum of squared residuals.
    pub(super) inverse_half: N,
}

impl<N: Comparisons> Current<N> {
    /// Returns whether a proposed move is accepted. `cost` and `sigma` belong to the proposed values. A move
    /// is accepted if the density at the proposed values is at least a uniform random fraction of the density
    /// at the current values.
    #[inline(always)]
    pub(super) fn accepts(
        self,
        (likelihood, moved): (Likelihood, Moved),
        (cost, sigma): (N, N),
        room: N,
        prior_falls: Option<N>,
    ) -> N::Flag {
        if likelihood == Likelihood::Integrated {
            let mut maximum = self.cost * room;
            if let Some(falls) = prior_falls {
                maximum = maximum * (falls * self.inverse_half).exponential();
            }
            return maximum.above(cost);
        }
        let room = if let Some(falls) = prior_falls { room + falls } else { room };
        let is_rician = likelihood == Likelihood::Rician;
        let (before, after) = match (moved, is_rician) {
            (Moved::Noise, false) => {
                let after = self.usable.fma(sigma.logarithm(), cost * half_precision(sigma));
                let before = self.usable.fma(self.sigma.logarithm(), self.cost * self.of_sigma);
                (before + room, after)
            }
            (Moved::Noise, true) => {
                let twice = self.usable + self.usable;
                let after = twice.fma(sigma.logarithm(), cost);
                (twice.fma(self.sigma.logarithm(), self.cost) + room, after)
            }
            (_, false) => (self.cost.fma(self.of_sigma, room), cost * self.of_sigma),
            (_, true) => (self.cost + room, cost),
        };
        before.above(after)
    }
}

/// Adds the term of a measurement to a partial sum of the cost. An unusable signal is 0 and has the weight 0.
/// `noise` contains the factors 1 / (2 σ²) and 1 / σ², which only Rician noise needs.
#[inline(always)]
pub(super) fn add_term<N: Comparisons>(
    likelihood: Likelihood,
    sum: N,
    predicted: N,
    (signal, weight): (N, N),
    noise: [N; 2],
) -> N {
    let difference = (-predicted).fma(weight, signal);
    if likelihood == Likelihood::Rician {
        let [half_precision, precision] = noise;
        let product = (precision * signal * predicted).size();
        return sum + (half_precision * difference).fma(difference, -ln_scaled_bessel(product));
    }
    difference.fma(difference, sum)
}

/// Adds partial sums pairwise in a fixed order, so that GPU threads that share a voxel get the same bits as the
/// CPU. Returns their sum.
#[inline(always)]
pub(super) fn total<N: Operations>(sums: &mut [N]) -> N {
    let mut half = sums.len() / 2;
    while half > 0 {
        for n in 0..half {
            sums[n] = sums[n] + sums[n + half];
        }
        half /= 2;
    }
    sums[0]
}

/// Returns the cost of a proposal from the sum of its terms. If the noise σ is integrated out, the cost is at
/// least `least`. A sum that is NaN stays NaN.
#[inline(always)]
pub(super) fn bounded<N: Comparisons>(likelihood: Likelihood, sum: N, least: N) -> N {
    if likelihood == Likelihood::Integrated { least.if_above(sum, least, sum) } else { sum }
}

/// Adapts the width of a proposal to an acceptance rate of one half. `accepted` is the number of accepted
/// moves in a window of sweeps.
#[inline(always)]
pub(super) fn adapted<N: Comparisons>(width: N, accepted: N, window: N) -> N {
    let one = width.known(1.0);
    let ratio = ((accepted + one) / (window - accepted + one)).root();
    (width * ratio).smaller(width.known(WIDEST))
}
