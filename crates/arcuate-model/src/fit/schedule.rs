//! A program prepared for evaluation in many voxels. It separates values that all voxels share, values that depend on
//! the voxel's parameters, and values that must be computed for every measurement of every voxel.
//!
//! A schedule lists operations, not their implementation. The CPU interpreter follows it, and kernels are generated
//! from it, so that both round alike.

use crate::language::{Binary, Moments, Ternary, Unary};
use crate::special::bingham;

/// The storage of an operand of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// A number that is the same for all voxels.
    Uniform(usize),
    /// A number of a measurement.
    Column(usize),
    /// A value of a voxel: inputs first, then results of steps.
    Voxel(usize),
    /// The result of an inner step.
    Inner(usize),
    /// A value of a measurement in a voxel that was computed earlier and kept.
    Kept(usize),
}

/// The operation of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Copy,
    /// The exponential of a non-positive value.
    Decay,
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    /// This number of coefficients of a family, of degree 0, 2, …
    Moments(Moments, u16),
    /// The coefficients of the Bingham distribution with two concentrations up to this degree, in the order of
    /// `special::bingham::place`.
    Harmonics(u16),
}

/// A step with its operands. Its results follow those of the preceding step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) operands: [Operand; 3],
}

impl Step {
    /// Returns the number of results.
    pub(crate) fn results(&self) -> usize {
        match self.operation {
            Operation::Moments(_, count) => usize::from(count),
            Operation::Harmonics(degree) => bingham::count(degree),
            _ => 1,
        }
    }

    /// Returns the operands that are used.
    pub(crate) fn operands(&self) -> &[Operand] {
        let count = match self.operation {
            Operation::Copy | Operation::Decay | Operation::Unary(_) | Operation::Moments(..) => 1,
            Operation::Binary(_) | Operation::Harmonics(_) => 2,
            Operation::Ternary(_) => 3,
        };
        &self.operands[..count]
    }
}

/// An input of a voxel; each is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoxelInput {
    Parameter(u16),
    Map(u16),
    Across {
        orientation: u16,
        vector: u8,
        axis: u8,
    },
    /// A value that was computed earlier and kept.
    Kept(usize),
}

/// The operations of a program; see the module.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// The numbers that are the same for all voxels. The flag states whether the number is the same for every protocol
    /// and setting.
    pub(crate) uniforms: Vec<(f64, bool)>,
    /// Numbers of each measurement, measurement by measurement.
    pub(crate) columns: Vec<f64>,
    /// Numbers per measurement.
    pub(crate) column_count: usize,
    /// Inputs of a voxel.
    pub(crate) inputs: Vec<VoxelInput>,
    /// Steps that are computed once for each set of parameters.
    pub(crate) voxel: Vec<Step>,
    /// Steps that are computed for each measurement.
    pub(crate) inner: Vec<Step>,
    /// The requested inner results: the signal, then its derivatives by the unknowns if requested.
    pub(crate) results: Vec<usize>,
}

impl Schedule {
    /// Returns the number of values of a voxel: inputs and results.
    pub(crate) fn voxel_values(&self) -> usize {
        self.inputs.len() + self.voxel.iter().map(Step::results).sum::<usize>()
    }
}
