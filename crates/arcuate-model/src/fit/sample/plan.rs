//! Prepares the Markov chains that sample a model's unknowns.

use super::density::PriorTerms;
use super::formulas::Formulas;
use super::moves::{Moved, Moves};
use super::options::{Deviation, Noise, PopulationOrder, SampleOptions};
use crate::fit::constraints::LinearRow;
use crate::fit::constraints::constraints;
use crate::fit::cpu::PIECE;
use crate::fit::curved_constraints::CurvedConstraints;
use crate::fit::dispersion_series::SeriesLength;
use crate::fit::interchangeable::groups;
use crate::fit::plan::ModelPlan;
use crate::fit::protocol::Protocol;
use crate::fit::transform::inside;
use crate::fit::voxels::Voxels;
use crate::language::{Form, Role};
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Error, Result};
use arcuate_numbers::Real;
use rayon::prelude::*;
use std::ops::Range;

/// A model prepared for Markov chains that sample its unknowns.
#[derive(Debug, Clone)]
pub(crate) struct ChainPlan<T: Real> {
    pub(crate) moves: Moves,
    /// The data for each move of a sweep. If the noise σ is sampled, its move is the last one.
    pub(crate) of: Vec<MovePlan<T>>,
    pub(crate) likelihood: Likelihood,
    /// The known noise σ of a fitted signal, in the unit of the signal. `None` if σ is not known.
    pub(crate) known_sigma: Option<f64>,
    pub(crate) constraints: Vec<LinearRow<T>>,
    /// All constraints of the model, if at least one constraint is not linear.
    curved: Option<CurvedConstraints>,
    pub(crate) formulas: Option<Formulas>,
    /// Interchangeable fibre populations. For each population: the index ranges of its parameter values, with
    /// the signal fraction first.
    pub(crate) groups: Vec<Vec<Range<usize>>>,
    pub(crate) order: PopulationOrder,
    pub(crate) numbers: usize,
    pub(crate) measurements: usize,
    pub(crate) burn_in: u32,
    pub(crate) jumps: u32,
    pub(crate) interval: u32,
    pub(crate) window: u32,
    pub(crate) adapts_throughout: bool,
    pub(crate) random_seed: u64,
}

/// Returns an error if a voxel's index in the image needs more than 32 bits. Random numbers are computed from
/// this index and the number of the chain. `items` contains the indices in ascending order.
pub(crate) fn check_voxels(items: &[usize]) -> Result<()> {
    match items.last() {
        Some(&last) if u32::try_from(last).is_err() => {
            let problem = format!(
                "the image has a voxel with the number {last}, but Markov chains support only {} voxels",
                1u64 << 32
            );
            Err(Error::invalid("mask", problem, "crop image and mask"))
        }
        _ => Ok(()),
    }
}

/// Bounds, prior and constraints of a move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovePlan<T> {
    pub(crate) moved: Moved,
    pub(crate) bounds: [T; 2],
    pub(crate) prior: PriorTerms<T>,
    /// True if the prior applies to a value in the unit of the signal. Signals are scaled by a factor that
    /// differs between voxels.
    pub(crate) is_of_signal: bool,
    pub(crate) is_constrained: bool,
}

/// The probability density of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Likelihood {
    /// Normal noise whose σ is integrated out.
    Integrated = 0,
    Gaussian = 1,
    Rician = 2,
}

impl<T: Real> ChainPlan<T> {
    pub(crate) fn new(plan: &ModelPlan<T>, protocol: &Protocol, options: &SampleOptions) -> Result<Self> {
        options.check()?;
        let model = &plan.model;
        let (mut moved, mut of) = (Vec::new(), Vec::new());
        let parameter_of = |place: usize| {
            let has = |n: &usize| {
                let (role, first) = plan.program.places[*n];
                role == Role::Free && (first..first + model.parameters()[*n].numbers()).contains(&place)
            };
            (0..model.parameters().len()).find(has).unwrap_or(0)
        };
        let constraints = constraints::<T>(&plan.program, &plan.settings);
        if let Some(n) = plan.program.constraints.iter().position(|constraint| constraint.is_equality) {
            let problem = format!(
                "a Markov chain changes one parameter at a time, and cannot satisfy the constraint `{}`",
                model.constraints()[n].text()
            );
            return Err(Error::invalid(
                model.name(),
                problem,
                "in the model, express one of the constraint's parameters by the others",
            ));
        }
        for (unknown, rests) in plan.unknowns.iter().zip(&plan.resting) {
            let Some(what) = Moved::of(*unknown) else { continue };
            if *rests {
                continue;
            }
            let place = usize::from(unknown.place());
            let parameter = &model.parameters()[parameter_of(place)];
            let takes_part = |row: &LinearRow<T>| row.weights[place] != T::of(0.0);
            moved.push(what);
            let [low, high] = plan.begin.bounds[place];
            let is_of_signal = parameter.unit().dimension().signal_power() != 0.0;
            let low = match parameter.form() {
                // Signals are scaled by a different factor in every voxel. The only bound of a parameter with
                // the unit of the signal is 0, which the scaling does not change.
                Form::Number { bounds, .. } if !is_of_signal => {
                    low.larger(T::of(parameter.prior().least(*bounds) * parameter.unit().factor()))
                }
                _ => low,
            };
            of.push(MovePlan {
                moved: what,
                bounds: [low, high],
                prior: PriorTerms::new(parameter.prior(), parameter.unit().factor()),
                is_of_signal,
                is_constrained: matches!(parameter.form(), Form::Number { .. })
                    && constraints.iter().any(takes_part),
            });
        }
        if moved.is_empty() {
            return Err(Error::invalid(model.name(), "no parameter moves", "free one"));
        }
        let length = if T::NAME == f32::NAME { SeriesLength::Single } else { SeriesLength::Double };
        let moves = Moves::new(&plan.program, protocol, &plan.settings, &moved, length)?;
        let formulas = Formulas::new(plan, &moved)?;
        let (likelihood, deviation) = match &options.noise {
            Noise::Gaussian(Deviation::Integrated) => (Likelihood::Integrated, &Deviation::Integrated),
            Noise::Gaussian(deviation) => (Likelihood::Gaussian, deviation),
            Noise::Rician(deviation) => (Likelihood::Rician, deviation),
        };
        if let Deviation::Sampled(prior) = deviation {
            of.push(MovePlan {
                moved: Moved::Noise,
                bounds: [T::of(0.0), T::of(f64::INFINITY)],
                prior: PriorTerms::new(prior, 1.0 / plan.noise_factor),
                is_of_signal: true,
                is_constrained: false,
            });
        }
        Ok(Self {
            moves,
            of,
            likelihood,
            known_sigma: if let Deviation::Known(sigma) = deviation {
                Some(*sigma / plan.noise_factor)
            } else {
                None
            },
            constraints,
            curved: CurvedConstraints::new(&plan.program, &plan.settings),
            formulas,
            groups: groups(plan),
            order: options.order,
            numbers: plan.program.free_numbers,
            measurements: protocol.len(),
            burn_in: options.burn_in,
            jumps: options.jumps,
            interval: options.interval,
            window: options.window,
            adapts_throughout: options.adapts_throughout,
            random_seed: options.random_seed,
        })
    }

    /// Returns the number of samples per chain.
    pub(crate) fn samples(&self) -> usize {
        (self.jumps / self.interval) as usize
    }

    /// If a sample is stored after this sweep of the chain, returns the index of the sample. If not, returns
    /// `None`.
    pub(crate) fn sample_behind(&self, sweep: u32) -> Option<usize> {
        let jumps = (sweep + 1).checked_sub(self.burn_in)?;
        (jumps > 0 && jumps.is_multiple_of(self.interval)).then(|| (jumps / self.interval) as usize - 1)
    }

    /// Returns the number of values per sample: the parameter values of the model, and the noise σ if it is
    /// sampled.
    pub(crate) fn sample_numbers(&self) -> usize {
        self.numbers + usize::from(self.of.len() > self.moves.of.len())
    }

    /// Returns the number of values per voxel in the state of a chain: the parameter values, and the noise σ
    /// as the last value.
    pub(crate) fn state_numbers(&self) -> usize {
        self.numbers + 1
    }

    /// Returns the number of bytes per voxel in a [`ChainState`]. `number` is the size of one floating-point
    /// value in bytes.
    pub(crate) fn state_bytes(&self, number: usize) -> usize {
        let moves = self.of.len();
        number * (self.state_numbers() + moves) + 2 * size_of::<u32>() * moves
    }

    /// Returns the parameter values of a voxel. Parameters that the chains move have random values within
    /// their bounds.
    fn anywhere(&self, numbers: &[T], random: &mut Random) -> Vec<T> {
        let mut place = numbers.to_vec();
        for one in &self.of {
            let mut between = |low: f64, high: f64| low + (high - low) * random.uniform();
            match one.moved {
                Moved::Orientation(first) => {
                    let axis = random.on_sphere();
                    for (n, component) in axis.into_iter().enumerate() {
                        place[usize::from(first) + n] = T::of(component);
                    }
                }
                Moved::Number(_) | Moved::Noise => {
                    let n = if let Moved::Number(n) = one.moved { usize::from(n) } else { self.numbers };
                    let [low, high] = one.bounds.map(T::double);
                    let number = if high - low < f64::INFINITY {
                        between(low, high)
                    } else {
                        between(AROUND[0], AROUND[1]) * numbers[n].double()
                    };
                    place[n] = inside(T::of(number), one.bounds[0], one.bounds[1]);
                }
            }
        }
        place
    }

    /// Returns whether parameter values satisfy the constraints.
    fn is_allowed(&self, numbers: &[T]) -> bool {
        self.constraints.iter().all(|row| {
            let terms = row.weights.iter().zip(numbers).map(|(weight, n)| weight.double() * n.double());
            row.offset.double() + terms.sum::<f64>() >= 0.0
        }) && self.curved.as_ref().is_none_or(|curved| curved.broken(|n| numbers[n].double()).is_empty())
    }
}

/// The current state of chains, one voxel after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChainState<T> {
    /// Parameter values in base units. Values in the unit of the signal refer to the scaled signal. The noise
    /// σ is last.
    pub(crate) numbers: Vec<T>,
    /// Width of the proposals of each move.
    pub(crate) widths: Vec<T>,
    /// For each move, the number of accepted proposals since the last adaptation of widths.
    pub(crate) accepted: Vec<u32>,
    /// For each move, the number of proposals accepted after the burn-in.
    pub(crate) total: Vec<u32>,
    /// Number of sweeps that the chains have completed.
    pub(crate) sweeps: u32,
}

/// Initial width of proposals. For a parameter with two bounds, it is this fraction of the range between them
/// (`PART_OF_RANGE`). For other parameters, it is a fraction of the parameter value (`PART_OF_NUMBER`).
const PART_OF_RANGE: f64 = 0.05;
const PART_OF_NUMBER: f64 = 0.1;
/// Initial width of proposals that turn an orientation, in radians.
const TURN: f64 = 0.2;
/// Maximum number of attempts to find random starting values that satisfy the constraints.
const PLACES: usize = 100;
/// A parameter without two bounds starts at a random value between these two multiples of its best fit.
const AROUND: [f64; 2] = [0.5, 1.5];

impl<T: Real> ChainState<T> {
    /// Creates the initial state of the chains from a fit, in the chosen voxels. Parameter values at a bound
    /// are moved inside, so that the chain can move.
    pub(crate) fn new(plan: &ChainPlan<T>, voxels: &Voxels<T>, chosen: &[usize]) -> Self {
        let pieces = chosen.par_chunks(PIECE).map(|chosen| Self::of_piece(plan, voxels, chosen));
        Self::joined(&pieces.collect::<Vec<_>>(), 0)
    }

    fn of_piece(plan: &ChainPlan<T>, voxels: &Voxels<T>, chosen: &[usize]) -> Self {
        let count = chosen.len();
        let mut state = Self {
            numbers: Vec::with_capacity(count * plan.state_numbers()),
            widths: Vec::with_capacity(count * plan.of.len()),
            accepted: vec![0; count * plan.of.len()],
            total: vec![0; count * plan.of.len()],
            sweeps: 0,
        };
        for &voxel in chosen {
            let first = state.numbers.len();
            state.numbers.extend_from_slice(voxels.numbers(voxel));
            // The initial noise σ is the root mean square residual of the fit. If there was no fit, σ is a
            // twentieth of the signal.
            let mean_square = voxels.cost(voxel).double() / f64::from(voxels.usable(voxel).max(1));
            let sigma = match plan.known_sigma {
                Some(sigma) => sigma * voxels.factor(voxel).double(),
                None if mean_square > 1e-12 && mean_square < 1e12 => mean_square.sqrt(),
                None => PART_OF_RANGE,
            };
            state.numbers.push(T::of(sigma));
            for one in &plan.of {
                let [low, high] = one.bounds;
                let width = match one.moved {
                    Moved::Number(place) => {
                        let number = &mut state.numbers[first + usize::from(place)];
                        *number = inside(*number, low, high);
                        let range = high.double() - low.double();
                        match number.double().abs() {
                            _ if range.is_finite() => PART_OF_RANGE * range,
                            size if size > 0.0 => PART_OF_NUMBER * size,
                            _ => PART_OF_NUMBER,
                        }
                    }
                    Moved::Orientation(_) => TURN,
                    Moved::Noise => PART_OF_NUMBER * sigma,
                };
                state.widths.push(T::of(width));
            }
        }
        state
    }

    /// Returns states with random starting values that satisfy bounds and constraints. The starting values
    /// are different in every voxel and chain. Proposal widths are unchanged. If no attempt satisfies the
    /// constraints, the voxel keeps its state.
    pub(crate) fn dispersed(&self, plan: &ChainPlan<T>, items: &[usize], chain: u32) -> Self {
        let count = plan.state_numbers();
        let mut state = self.clone();
        state.numbers.par_chunks_mut(count).zip(items).for_each(|(numbers, &item)| {
            let item = u64::from(chain) << 32 | item as u64;
            let mut random = Random::new(plan.random_seed, Purpose::Beginning, item);
            let found = (0..PLACES).find_map(|_| {
                let place = plan.anywhere(numbers, &mut random);
                plan.is_allowed(&place).then_some(place)
            });
            if let Some(place) = found {
                numbers.copy_from_slice(&place);
            }
        });
        state
    }

    /// Returns the index ranges of the parameter values of these voxels, and of their moves.
    pub(super) fn ranges(plan: &ChainPlan<T>, voxels: &Range<usize>) -> [Range<usize>; 2] {
        [plan.state_numbers(), plan.of.len()].map(|count| voxels.start * count..voxels.end * count)
    }

    /// Returns the state of these voxels.
    pub(crate) fn part(&self, plan: &ChainPlan<T>, voxels: Range<usize>) -> Self {
        let [numbers, moves] = Self::ranges(plan, &voxels);
        Self {
            numbers: self.numbers[numbers].to_vec(),
            widths: self.widths[moves.clone()].to_vec(),
            accepted: self.accepted[moves.clone()].to_vec(),
            total: self.total[moves].to_vec(),
            sweeps: self.sweeps,
        }
    }

    /// Joins the chain states of several pieces of the mask, in the order of the pieces.
    pub(crate) fn joined(pieces: &[Self], sweeps: u32) -> Self {
        Self {
            numbers: pieces.iter().flat_map(|piece| &piece.numbers).copied().collect(),
            widths: pieces.iter().flat_map(|piece| &piece.widths).copied().collect(),
            accepted: pieces.iter().flat_map(|piece| &piece.accepted).copied().collect(),
            total: pieces.iter().flat_map(|piece| &piece.total).copied().collect(),
            sweeps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_voxels;

    #[test]
    fn voxel_indices_beyond_32_bits_are_rejected() {
        let last = u32::MAX as usize;
        assert!(check_voxels(&[]).is_ok() && check_voxels(&[0, last]).is_ok());
        let error = check_voxels(&[0, last + 1]).unwrap_err().to_string();
        assert!(error.contains("chains support only 4294967296 voxels"), "{error}");
    }
}
