//! Evaluates the formulas of a model on the CPU, for sixteen voxels and several measurements at once. Each
//! operation is decoded once and then runs plain loops over SIMD registers.

use super::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use super::unknowns::Unknown;
use crate::language::{Binary, Ternary, Unary};
use crate::special::bingham::coefficients;
use crate::special::watson::moments;
use arcuate_core::narrow;
use arcuate_numbers::elementary::transcendental::angle;
use arcuate_numbers::{Lanes, Operations, Real, across};
use pulp::Arch;
use std::ops::Range;

/// Number of voxels that the interpreter processes at once, one per SIMD lane.
pub(crate) const WIDTH: usize = 16;

/// One value for each of these voxels.
pub(crate) type Row<T> = Lanes<T, WIDTH>;

/// Maximum size in bytes of the results for a block of measurements. Blocks of this size stay in the
/// first-level cache.
const BLOCK_BYTES: usize = 24 << 10;
/// Maximum number of measurements in a block.
pub(crate) const TALLEST: usize = 16;

/// The place where the interpreter finds an operand: the index of its first row (sixteen values), and the
/// number of rows from one measurement to the next. If all measurements share a row, the number of rows is 0.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: u32,
    stride: u32,
}

/// An operation of the interpreter, with the indices of the rows of its operands and results.
#[derive(Debug, Clone, Copy)]
struct Code {
    operation: Operation,
    out: u32,
    /// If the operation has several results, number of rows from one result to the next. It exceeds 1 for
    /// operations that are computed per measurement.
    apart: u32,
    operands: [Place; 3],
}

/// A schedule and its working memory.
#[derive(Debug, Clone)]
pub(crate) struct Interpreter<T: Real> {
    arch: Arch,
    rows: Vec<Row<T>>,
    /// The inputs of a voxel, and the index of the row (sixteen values) of each input.
    inputs: Vec<(VoxelInput, usize)>,
    voxel: Vec<Code>,
    inner: Vec<Code>,
    /// The numbers of all measurements (b, g and so on), and the index of the first row that they are copied
    /// to.
    columns: Vec<T>,
    column_count: usize,
    /// Number of values that are computed once per voxel. The rows of these values precede the rows of the
    /// measurements' numbers.
    voxel_values: usize,
    first_column: usize,
    /// For each kept value per measurement that was computed earlier: its index, and the index of its first
    /// row (sixteen values).
    kept: Vec<(usize, usize)>,
    /// Maximum number of measurements in a block.
    height: usize,
    measurements: usize,
    results: Vec<usize>,
}

impl<T: Real> Interpreter<T> {
    pub(crate) fn new(schedule: &Schedule, measurements: usize) -> Self {
        let uniforms = schedule.uniforms.len();
        let voxel_values = schedule.voxel_values();
        let (slots, slot_count) = slots(schedule);
        let kept = kept_values(schedule);
        let block_rows = slot_count + schedule.column_count + kept.len();
        let fitting = BLOCK_BYTES / (size_of::<Row<T>>() * block_rows.max(1));
        // The measurements are divided into blocks of nearly equal size, which are evaluated one after the
        // other.
        let blocks = measurements.div_ceil(fitting.clamp(4, TALLEST)).max(1);
        let height = measurements.div_ceil(blocks).max(1);
        let first_column = uniforms + voxel_values;
        let first_kept = first_column + schedule.column_count * height;
        let first_slot = first_kept + kept.len() * height;
        let place = |operand: &Operand| {
            let (row, stride) = match *operand {
                Operand::Uniform(n) => (n, 0),
                Operand::Voxel(n) => (uniforms + n, 0),
                Operand::Column(n) => (first_column + n * height, 1),
                Operand::Inner(n) => (first_slot + slots[n] * height, 1),
                Operand::Kept(n) => {
                    let place = kept.iter().position(|&other| other == n).unwrap_or(0);
                    (first_kept + place * height, 1)
                }
            };
            Place { row: narrow::<u32>(row), stride }
        };
        let mut next_voxel = schedule.inputs.len();
        let mut next_inner = 0;
        let mut code = |step: &Step, is_inner: bool| {
            let next = if is_inner { &mut next_inner } else { &mut next_voxel };
            let result = if is_inner { Operand::Inner(*next) } else { Operand::Voxel(*next) };
            *next += step.results();
            Code {
                operation: step.operation,
                out: place(&result).row,
                apart: if is_inner { narrow::<u32>(height) } else { 1 },
                operands: step.operands.map(|operand| place(&operand)),
            }
        };
        let voxel: Vec<Code> = schedule.voxel.iter().map(|step| code(step, false)).collect();
        let inner: Vec<Code> = schedule.inner.iter().map(|step| code(step, true)).collect();
        let mut rows = vec![Lanes::all(0.0); first_slot + slot_count * height];
        for (row, (value, _)) in rows.iter_mut().zip(&schedule.uniforms) {
            *row = Lanes::all(*value);
        }
        let inputs = schedule.inputs.iter().enumerate().map(|(n, input)| (*input, uniforms + n)).collect();
        let results = schedule.results.iter().map(|&n| place(&Operand::Inner(n)).row as usize).collect();
        Self {
            arch: Arch::new(),
            rows,
            inputs,
            voxel,
            inner,
            columns: schedule.columns.iter().map(|&value| T::of(value)).collect(),
            column_count: schedule.column_count,
            voxel_values,
            first_column,
            kept: kept.iter().enumerate().map(|(at, &n)| (n, first_kept + at * height)).collect(),
            height,
            measurements,
            results,
        }
    }

    /// Sets the inputs of the voxels, and runs the operations that do not depend on a measurement. `kept`
    /// contains the values of the voxels that were computed earlier.
    #[inline(always)]
    pub(crate) fn set_inputs(
        &mut self,
        unknowns: &[Unknown],
        numbers: &[Row<T>],
        maps: &[Row<T>],
        kept: &[Row<T>],
    ) {
        for n in 0..self.inputs.len() {
            let (input, row) = self.inputs[n];
            self.rows[row] = match input {
                VoxelInput::Parameter(n) => numbers[usize::from(n)],
                VoxelInput::Map(n) => maps[usize::from(n)],
                VoxelInput::Kept(n) => kept[n],
                VoxelInput::Across { .. } => continue,
            };
        }
        for unknown in unknowns {
            let Unknown::Turn { orientation, first, vector: 0 } = *unknown else { continue };
            let first = usize::from(first);
            let (u, v) = across([numbers[first], numbers[first + 1], numbers[first + 2]]);
            for n in 0..self.inputs.len() {
                let (input, row) = self.inputs[n];
                if let VoxelInput::Across { orientation: of, vector, axis } = input
                    && of == orientation
                {
                    let axis = usize::from(axis);
                    self.rows[row] = if vector == 0 { u[axis] } else { v[axis] };
                }
            }
        }
        follow(self.arch, &self.voxel, &mut self.rows, 1);
    }

    /// Computes the results for all measurements in blocks. `of_block` receives the interpreter with the
    /// results of a block, and the indices of its measurements. `kept` contains the values per measurement
    /// that were computed earlier, value by value for all measurements.
    #[inline(always)]
    pub(crate) fn blocks(&mut self, kept: &[Row<T>], mut of_block: impl FnMut(&Self, Range<usize>)) {
        for first in (0..self.measurements).step_by(self.height) {
            let count = self.height.min(self.measurements - first);
            for n in 0..self.kept.len() {
                let (which, row) = self.kept[n];
                let from = which * self.measurements + first;
                self.rows[row..row + count].copy_from_slice(&kept[from..from + count]);
            }
            for m in 0..count {
                let of_measurement = &self.columns[(first + m) * self.column_count..][..self.column_count];
                for n in 0..self.column_count {
                    self.rows[self.first_column + n * self.height + m] = Lanes([of_measurement[n]; WIDTH]);
                }
            }
            follow(self.arch, &self.inner, &mut self.rows, count);
            of_block(self, first..first + count);
        }
    }

    /// Returns a value per voxel by its index. The inputs of the voxel have the first indices, then the
    /// results of operations.
    #[inline(always)]
    pub(crate) fn voxel_value(&self, place: usize) -> Row<T> {
        self.rows[self.first_column - self.voxel_values + place]
    }

    /// Returns one result of a block of measurements, with one row (sixteen voxels) per measurement.
    #[inline(always)]
    pub(crate) fn result(&self, n: usize, block: &Range<usize>) -> &[Row<T>] {
        &self.rows[self.results[n]..][..block.len()]
    }
}

/// Returns the indices of the values computed earlier that are operands of operations per measurement.
fn kept_values(schedule: &Schedule) -> Vec<usize> {
    let kept = schedule.inner.iter().flat_map(|step| step.operands().iter().copied());
    let mut kept: Vec<usize> =
        kept.filter_map(|operand| if let Operand::Kept(n) = operand { Some(n) } else { None }).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Returns the storage slot of each result that is computed per measurement, and the number of slots. A slot
/// is reused after the last use of its result.
fn slots(schedule: &Schedule) -> (Vec<usize>, usize) {
    let results: usize = schedule.inner.iter().map(Step::results).sum();
    let mut last_use = vec![0; results];
    let mut next = 0;
    for (n, step) in schedule.inner.iter().enumerate() {
        for operand in step.operands() {
            if let Operand::Inner(place) = operand {
                last_use[*place] = n;
            }
        }
        for result in next..next + step.results() {
            last_use[result] = last_use[result].max(n);
        }
        next += step.results();
    }
    for result in &schedule.results {
        last_use[*result] = usize::MAX;
    }
    let mut slots = vec![0; results];
    let (mut free, mut count, mut next): (Vec<usize>, usize, usize) = (Vec::new(), 0, 0);
    for (n, step) in schedule.inner.iter().enumerate() {
        let own = next..next + step.results();
        if own.len() == 1 {
            slots[next] = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
        } else {
            // An operation with several results writes them to adjacent slots.
            own.clone().for_each(|result| slots[result] = count + result - next);
            count += own.len();
        }
        next = own.end;
        let mut ended: Vec<usize> = own.filter(|result| last_use[*result] == n).collect();
        for operand in step.operands() {
            if let Operand::Inner(place) = *operand
                && last_use[place] == n
            {
                ended.push(place);
            }
        }
        ended.sort_unstable();
        ended.dedup();
        free.extend(ended.into_iter().map(|result| slots[result]));
    }
    (slots, count)
}

/// Runs the operations for `count` measurements. This function is compiled once per precision (single or
/// double) and SIMD instruction set. It is not inlined: it has many callers, and its copies would be most of
/// this crate's machine code.
#[inline(never)]
fn follow<T: Real>(arch: Arch, codes: &[Code], rows: &mut [Row<T>], count: usize) {
    with_simd!(arch, run(arch, codes, rows, count));
}

#[inline(always)]
fn run<T: Real>(arch: Arch, codes: &[Code], rows: &mut [Row<T>], count: usize) {
    macro_rules! rows {
        ($code:ident, |$a:ident| $value:expr) => {
            for m in 0..count {
                let $a = rows[at($code.operands[0], m)];
                rows[$code.out as usize + m] = $value;
            }
        };
        ($code:ident, |$a:ident, $b:ident| $value:expr) => {
            for m in 0..count {
                let ($a, $b) = (rows[at($code.operands[0], m)], rows[at($code.operands[1], m)]);
                rows[$code.out as usize + m] = $value;
            }
        };
        ($code:ident, |$a:ident, $b:ident, $c:ident| $value:expr) => {
            for m in 0..count {
                let ($a, $b) = (rows[at($code.operands[0], m)], rows[at($code.operands[1], m)]);
                let $c = rows[at($code.operands[2], m)];
                rows[$code.out as usize + m] = $value;
            }
        };
    }
    let one = Lanes::all(1.0);
    let zero = Lanes::all(0.0);
    for code in codes {
        match code.operation {
            Operation::Copy => rows!(code, |a| a),
            Operation::Decay => rows!(code, |a| a.decay()),
            Operation::Unary(Unary::Negative) => rows!(code, |a| -a),
            Operation::Unary(Unary::Root) => rows!(code, |a| a.root()),
            Operation::Unary(Unary::Exponential) => rows!(code, |a| a.exponential()),
            Operation::Unary(Unary::Logarithm) => rows!(code, |a| a.logarithm()),
            Operation::Unary(Unary::Absolute) => rows!(code, |a| a.size()),
            Operation::Unary(_) | Operation::Binary(Binary::ArcTangent2) => {
                transcendental(arch, code, rows, count);
            }
            Operation::Binary(Binary::Add) => rows!(code, |a, b| a + b),
            Operation::Binary(Binary::Subtract) => rows!(code, |a, b| a - b),
            Operation::Binary(Binary::Multiply) => rows!(code, |a, b| a * b),
            Operation::Binary(Binary::Divide) => rows!(code, |a, b| a / b),
            Operation::Binary(Binary::Minimum) => rows!(code, |a, b| a.smaller(b)),
            Operation::Binary(Binary::Maximum) => rows!(code, |a, b| a.larger(b)),
            Operation::Binary(Binary::Less) => rows!(code, |a, b| b.if_above(a, one, zero)),
            Operation::Ternary(Ternary::Choose) => {
                rows!(code, |a, b, c| a.size().if_above(zero, b, c));
            }
            Operation::Ternary(Ternary::Fma) => rows!(code, |a, b, c| a.fma(b, c)),
            Operation::Ternary(Ternary::Fms) => rows!(code, |a, b, c| a.fma(b, -c)),
            Operation::Ternary(Ternary::Fnma) => rows!(code, |a, b, c| (-a).fma(b, c)),
            Operation::Harmonics(degree) => {
                for m in 0..count {
                    let concentrations = [0, 1].map(|n| rows[at(code.operands[n], m)]);
                    let out = &mut rows[code.out as usize + m..];
                    coefficients(concentrations, degree, out, code.apart as usize);
                }
            }
            Operation::Moments(family, terms) => {
                let mut found = [zero; MAX_TERMS];
                for m in 0..count {
                    let found = &mut found[..usize::from(terms)];
                    moments(family, rows[at(code.operands[0], m)], found);
                    for (n, value) in found.iter().enumerate() {
                        rows[code.out as usize + n * code.apart as usize + m] = *value;
                    }
                }
            }
        }
    }
}

/// Maximum number of coefficients of a series that are computed together. `watson::degree_for` returns the
/// highest degree of a series, and derivatives need one more coefficient.
const MAX_TERMS: usize = 50;

#[inline(always)]
fn at(place: Place, measurement: usize) -> usize {
    place.row as usize + measurement * place.stride as usize
}

/// Computes functions that take more time than a function call. Each is compiled separately for the SIMD
/// instruction set, because most models do not use it and the interpreter should stay small.
#[inline(never)]
fn transcendental<T: Real>(arch: Arch, code: &Code, rows: &mut [Row<T>], count: usize) {
    with_simd!(arch, {
        for m in 0..count {
            let a = rows[at(code.operands[0], m)];
            rows[code.out as usize + m] = match code.operation {
                Operation::Unary(function) => function.compute(a),
                _ => angle(a, rows[at(code.operands[1], m)]),
            };
        }
    });
}
