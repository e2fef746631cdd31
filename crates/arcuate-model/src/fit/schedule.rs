//! A program made ready to be computed in many voxels: what is the same for all of them is apart from what depends on the
//! voxel's parameters, and that from what must be computed for every measurement of every voxel.
//!
//! A schedule says what is computed, operation by operation, and not how: the interpreter of the processor follows it, and
//! kernels are written from it, so that both round alike.

use crate::language::{Binary, Moments, Ternary, Unary};
use crate::special::bingham;

/// Where an operand of a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// Among the numbers that are the same for all.
    Uniform(usize),
    /// Among those of a measurement.
    Column(usize),
    /// Among those of a voxel: inputs first, then results of steps.
    Voxel(usize),
    /// The result of an inner step.
    Inner(usize),
    /// Among those of a measurement in a voxel that were computed before and are kept.
    Kept(usize),
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Copy,
    /// The exponential of what is not above 0.
    Decay,
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    /// So many coefficients of a family, of degree 0, 2, …
    Moments(Moments, u16),
    /// The coefficients of Bingham's distribution with two concentrations up to this degree, in the order of
    /// `special::bingham::place`.
    Harmonics(u16),
}

/// A step with its operands; its results follow those of the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) operands: [Operand; 3],
}

impl Step {
    /// How many results it has.
    pub(crate) fn results(&self) -> usize {
        match self.operation {
            Operation::Moments(_, count) => usize::from(count),
            Operation::Harmonics(degree) => bingham::count(degree),
            _ => 1,
        }
    }

    /// Operands that count.
    pub(crate) fn operands(&self) -> &[Operand] {
        let count = match self.operation {
            Operation::Copy | Operation::Decay | Operation::Unary(_) | Operation::Moments(..) => 1,
            Operation::Binary(_) | Operation::Harmonics(_) => 2,
            Operation::Ternary(_) => 3,
        };
        &self.operands[..count]
    }
}

/// What a voxel brings, each a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoxelInput {
    Parameter(u16),
    Map(u16),
    Across {
        orientation: u16,
        vector: u8,
        axis: u8,
    },
    /// Computed before, and kept.
    Kept(usize),
}

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// The numbers that are the same for all, and whether each is so for whatever protocol and settings.
    pub(crate) uniforms: Vec<(f64, bool)>,
    /// Those of each measurement, measurement after measurement.
    pub(crate) columns: Vec<f64>,
    /// How many a measurement has.
    pub(crate) column_count: usize,
    /// What a voxel brings.
    pub(crate) inputs: Vec<VoxelInput>,
    /// What is computed once for each set of parameters.
    pub(crate) voxel: Vec<Step>,
    /// What is computed for each measurement.
    pub(crate) inner: Vec<Step>,
    /// The inner results that are asked for: the signal, then its derivatives by the unknowns, if these are wanted.
    pub(crate) results: Vec<usize>,
}

impl Schedule {
    /// How many numbers of a voxel there are: inputs and results.
    pub(crate) fn voxel_values(&self) -> usize {
        self.inputs.len() + self.voxel.iter().map(Step::results).sum::<usize>()
    }
}
