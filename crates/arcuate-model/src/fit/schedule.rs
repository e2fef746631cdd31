//! A schedule is the list of operations of a model's formulas, prepared for evaluation in many voxels. It
//! distinguishes values that all voxels share, values that depend on the voxel's parameters, and values that
//! must be computed for every measurement of every voxel.
//!
//! A schedule lists operations, not their implementation. The CPU interpreter runs the operations of a
//! schedule, and GPU kernels are generated from the same schedule. CPU and GPU therefore round in the same
//! way.

use crate::language::{Binary, Moments, Ternary, Unary};
use crate::special::bingham;

/// The place where the operand of an operation is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// The operand is a number that is the same for all voxels, given by its index.
    Uniform(usize),
    /// The operand is a number of the measurement, such as b, given by its index.
    Column(usize),
    /// The operand is a value per voxel, given by its index. The inputs of the voxel have the first indices,
    /// then the results of operations.
    Voxel(usize),
    /// The operand is the result of an operation that is computed per measurement, given by its index.
    Inner(usize),
    /// The operand is a value of a measurement in a voxel that was computed earlier and kept, given by its
    /// index.
    Kept(usize),
}

/// The operation of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Copy,
    /// The exponential of a value that is never above 0.
    Decay,
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    /// The coefficients of a series in even degrees (0, 2, …). The number states how many coefficients are
    /// computed.
    Moments(Moments, u16),
    /// The coefficients of the Bingham distribution with two concentrations, up to the given degree. They
    /// have the order of `special::bingham::place`.
    Harmonics(u16),
}

/// A step of a schedule: an operation and its operands. The results of a step are stored after those of the
/// preceding step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) operands: [Operand; 3],
}

impl Step {
    /// Returns the number of results that the operation has.
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

/// An input of a voxel for the operations, such as a parameter value. Each input is a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoxelInput {
    Parameter(u16),
    Map(u16),
    Across {
        orientation: u16,
        vector: u8,
        axis: u8,
    },
    /// A value per voxel that was computed earlier and kept.
    Kept(usize),
}

/// The operations of a program. The module's documentation describes schedules.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// The numbers that are the same for all voxels. The flag of a number is true if it is a constant of the
    /// formulas, which does not depend on the measurements and the settings.
    pub(crate) uniforms: Vec<(f64, bool)>,
    /// The numbers (b, g and so on) of all measurements, one measurement after the other.
    pub(crate) columns: Vec<f64>,
    /// Number of values per measurement: b, g and so on.
    pub(crate) column_count: usize,
    /// The inputs of a voxel.
    pub(crate) inputs: Vec<VoxelInput>,
    /// The operations that are computed once per voxel for each set of parameter values.
    pub(crate) voxel: Vec<Step>,
    /// Steps that are computed for each measurement.
    pub(crate) inner: Vec<Step>,
    /// The indices of the requested results: the signal first, then the derivatives of the signal with
    /// respect to the unknowns, if requested.
    pub(crate) results: Vec<usize>,
}

impl Schedule {
    /// Returns the number of values per voxel: the inputs of the voxel, and the results of operations that
    /// are computed once per voxel.
    pub(crate) fn voxel_values(&self) -> usize {
        self.inputs.len() + self.voxel.iter().map(Step::results).sum::<usize>()
    }
}
