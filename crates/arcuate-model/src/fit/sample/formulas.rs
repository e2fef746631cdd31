//! Priors that the user or the model gives as formulas. They are evaluated in double precision: on the CPU in
//! the voxels of all SIMD lanes, and on GPUs in the kernels of chains.

use super::moves::Moved;
use crate::fit::interpreter::{Row, WIDTH};
use crate::fit::plan::ModelPlan;
use crate::language::{EnergyProgram, Id, Input, Node, Program, Role};
use arcuate_compute::cuda::writer::{Kind, Value};
use arcuate_core::Result;
use arcuate_numbers::{Lanes, Operations, Real};

/// All priors of a model that are formulas.
#[derive(Debug, Clone)]
pub(crate) struct Formulas {
    program: Program,
    of_moves: Vec<Changed>,
    settings: Vec<f64>,
    /// The power of the signal in the unit of each parameter value.
    powers: Vec<f64>,
    /// True if a formula of a prior contains a function that needs a series, such as a mean over a
    /// distribution of orientations.
    has_means: bool,
}

/// The energies (−ln density) of the priors that change in a move, and the nodes of the formulas that these
/// energies depend on.
#[derive(Debug, Clone)]
struct Changed {
    energies: Vec<Id>,
    needed: Vec<Id>,
}

impl Formulas {
    pub(super) fn new<T: Real>(plan: &ModelPlan<T>, moved: &[Moved]) -> Result<Option<Self>> {
        // A nonlinear constraint acts as a prior whose density is 0 if the constraint is violated.
        let curved = plan.program.constraints.iter().any(|constraint| !constraint.is_linear);
        let EnergyProgram { program, energies, constraints } =
            plan.model.energy_program(&plan.roles, curved)?;
        let is_free = |(n, id): &(usize, Id)| (plan.roles[*n] == Role::Free).then_some(*id);
        let energies: Vec<Id> = energies.iter().filter_map(is_free).chain(constraints).collect();
        if energies.is_empty() {
            return Ok(None);
        }
        let changes = |what: &Moved, id: Id| {
            let is_of = |id: &Id| match program.node(*id) {
                Node::Input(Input::Parameter(n)) => what.places().contains(&usize::from(n)),
                _ => false,
            };
            program.reachable(&[id]).iter().any(is_of)
        };
        let of_move = |what: &Moved| {
            let energies: Vec<Id> = energies.iter().copied().filter(|id| changes(what, *id)).collect();
            Changed { needed: program.reachable(&energies), energies }
        };
        let is_mean = |node: &Node| {
            matches!(node, Node::Moment(..) | Node::Dispersed(..) | Node::Harmonic { .. } | Node::Fanned(..))
        };
        Ok(Some(Self {
            of_moves: moved.iter().map(of_move).collect(),
            settings: plan.settings.clone(),
            powers: plan.number_powers(),
            has_means: program.nodes().iter().any(is_mean),
            program,
        }))
    }

    /// Returns the name of a feature of the prior formulas that GPU kernels do not support. Returns `None` if
    /// kernels support all features.
    pub(super) fn unsupported(&self) -> Option<&'static str> {
        if self.has_means {
            return Some("means over orientations in priors that are formulas");
        }
        let is_power = |power: &f64| *power != 0.0 && *power != 1.0;
        self.powers
            .iter()
            .any(is_power)
            .then_some("powers of the signal other than 1 in priors that are formulas")
    }

    /// Returns the energies (−ln density) of those priors that change in a move.
    fn of_move(&self, which: usize) -> Option<&Changed> {
        self.of_moves.get(which).filter(|changed| !changed.energies.is_empty())
    }

    /// Returns the sum of these energies. `like` only determines the type.
    fn sum<N: Operations>(&self, changed: &Changed, like: N, input: impl Fn(Input) -> N) -> N {
        let mut values = vec![like; self.program.nodes().len()];
        for &id in &changed.needed {
            let of = |id: Id| values[id.index()];
            let value = match self.program.node(id) {
                Node::Constant(bits) => like.known(f64::from_bits(bits)),
                Node::Input(Input::Setting(n)) => like.known(self.settings[usize::from(n)]),
                Node::Input(which) => input(which),
                Node::Unary(function, x) => function.compute(of(x)),
                Node::Binary(function, a, b) => function.compute(of(a), of(b)),
                Node::Ternary(function, operands) => function.compute(operands.map(of)),
                node => unreachable!("{node:?} is a mean"),
            };
            values[id.index()] = value;
        }
        changed.energies.iter().fold(like.known(0.0), |sum, id| sum + values[id.index()])
    }

    /// Returns the sum of the energies (−ln density) of those priors that change in a move. Returns `None` if
    /// no prior changes. `factors` are the factors that scale the signals of the voxels.
    #[inline(never)]
    pub(super) fn energy<T: Real>(
        &self,
        which: usize,
        numbers: &[Row<T>],
        maps: &[Row<T>],
        factors: Row<T>,
    ) -> Option<Lanes<f64, WIDTH>> {
        let changed = self.of_move(which)?;
        let number = |n: usize, lane: usize| {
            let (value, power) = (numbers[n].0[lane].double(), self.powers[n]);
            if power == 0.0 { value } else { value / factors.0[lane].double().powf(power) }
        };
        let input = |input: Input, lane: usize| match input {
            Input::Parameter(n) => number(usize::from(n), lane),
            Input::Setting(n) => self.settings[usize::from(n)],
            Input::Map(n) => maps[usize::from(n)].0[lane].double(),
            _ => f64::NAN,
        };
        let mut result = Lanes::all(0.0);
        if self.has_means {
            for lane in 0..WIDTH {
                let values = self.program.evaluate(|which| input(which, lane));
                result.0[lane] = changed.energies.iter().map(|id| values[id.index()]).sum();
            }
            return Some(result);
        }
        let of_lanes = |which: Input| Lanes(std::array::from_fn(|lane| input(which, lane)));
        Some(self.sum(changed, result, of_lanes))
    }

    /// Generates the operations of [`energy`](Self::energy) in a GPU kernel.
    pub(super) fn written<'w>(
        &self,
        which: usize,
        numbers: &[Value<'w>],
        maps: &[Value<'w>],
        factor: Value<'w>,
    ) -> Option<Value<'w>> {
        let changed = self.of_move(which)?;
        let double = |value: Value<'w>| value.to(Kind::F64);
        let like = factor.writer().constant(Kind::F64, 0.0);
        let input = |input: Input| match input {
            Input::Parameter(n) => {
                let value = double(numbers[usize::from(n)]);
                if self.powers[usize::from(n)] == 0.0 { value } else { value / double(factor) }
            }
            Input::Map(n) => double(maps[usize::from(n)]),
            other => unreachable!("{other:?} is none of a prior"),
        };
        Some(self.sum(changed, like, input))
    }
}
