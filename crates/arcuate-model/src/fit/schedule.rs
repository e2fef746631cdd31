//! A program prepared for evaluation in many voxels. It distinguishes values that all voxels share, values
//! that depend on the voxel's parameters, and values that must be computed for every measurement of every
//! voxel.
//!
//! A schedule lists operations, not their implementation. The CPU interpreter follows the schedule, and GPU
//! kernels are generated from it, so that both round in the same way.

use crate::language::{Binary, Moments, Ternary, Unary};
use crate::special::bingham;

/// The storage of an operand of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// The index of a number that is the same for all voxels.
    Uniform(usize),
    /// The index of a number of the measurement.
    Column(usize),
    /// The index of a value of the voxel. The inputs come first, then the results of steps.
    Voxel(usize),
    /// The index of the result of a step that is computed per measurement.
    Inner(usize),
    /// The index of a value of a measurement in a voxel that was computed earlier and kept.
    Kept(usize),
}

/// The operation of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Copy,
    /// The exponential of a value that is at most 0.
    Decay,
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    /// The coefficients of a family of functions, of degree 0, 2, … The number states how many coefficients
    /// are computed.
    Moments(Moments, u16),
    /// The coefficients of the Bingham distribution with two concentrations up to this degree, in the order
    /// of `special::bingham::place`.
    Harmonics(u16),
}

/// A step: an operation and its operands. The results of a step are stored after those of the preceding step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) operands: [Operand; 3],
}

impl Step {
    /// Returns the number of results of the operation.
    pub(crate) fn results(&self) -> usize {
        match self.operation {
            Operation::Moments(_, count) => usize::from(count),
            Operation::Harmonics(degree) => bingham::count(degree),
            _ => 1,
        }
    }

    /// Returns those operands that the operation uses.
    pub(crate) fn operands(&self) -> &[Operand] {
        let count = match self.operation {
            Operation::Copy | Operation::Decay | Operation::Unary(_) | Operation::Moments(..) => 1,
            Operation::Binary(_) | Operation::Harmonics(_) => 2,
            Operation::Ternary(_) => 3,
        };
        &self.operands[..count]
    }
}

/// An input of a voxel, such as a parameter value. Each input is a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoxelInput {
    Parameter(u16),
    Map(u16),
    Across {
        orientation: u16,
        vector: u8,
        axis: u8,
    },
    /// A value of the voxel that was computed earlier and kept.
    Kept(usize),
}

/// The operations of a program. The module's documentation describes schedules.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// The numbers that are the same for all voxels. The flag states whether a number is a constant of the
    /// program, independent of the protocol and the settings.
    pub(crate) uniforms: Vec<(f64, bool)>,
    /// The numbers of all measurements, one measurement after the other.
    pub(crate) columns: Vec<f64>,
    /// Number of values (b, g and so on) per measurement.
    pub(crate) column_count: usize,
    /// The inputs of a voxel.
    pub(crate) inputs: Vec<VoxelInput>,
    /// The steps that are computed once for each set of parameter values.
    pub(crate) voxel: Vec<Step>,
    /// Steps that are computed for each measurement.
    pub(crate) inner: Vec<Step>,
    /// The indices of the requested results: the signal, then its derivatives by the unknowns if requested.
    pub(crate) results: Vec<usize>,
}

impl Schedule {
    /// Returns the number of values of a voxel: its inputs, and the results of steps per voxel.
    pub(crate) fn voxel_values(&self) -> usize {
        self.inputs.len() + self.voxel.iter().map(Step::results).sum::<usize>()
    }
}
