//! Schedules as CUDA C++: `cargo xtask kernels` writes those of the built-in models into `models.cuh` (from
//! `examples/write_kernels.rs`), and a test sees that they are up to date.

use super::dispersion_series::SeriesLength;
use super::protocol::Protocol;
use super::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use super::unknowns::Unknown;
use crate::language::{Binary, Model, Moments, Role, Ternary, Unary};
use crate::models;
use arcuate_core::{GradientTable, Result};
use std::fmt::Write;

/// Degrees to which the series of models that have one are written, in single and in double precision.
pub(super) const DEGREES: [&[u16]; 2] = [&[14, 18], &[34]];

/// Why some models have no kernels here.
const NOT_WRITTEN: &str = "models with Bingham's distribution are not written as CUDA C++";

/// A stage that kernels are made for.
struct GpuStage {
    model: &'static str,
    /// What the stage is, in words.
    what: String,
    searches: bool,
    /// In single and in double precision.
    schedules: [Schedule; 2],
    unknowns: Vec<Unknown>,
    numbers: usize,
    maps: usize,
}

/// The two files that are made of the built-in models: `models.cuh` and `models.rs`.
pub fn kernel_sources() -> Result<[String; 2]> {
    let stages = gpu_stages()?;
    let mut cuda = String::from(
        "// Made of the built-in models by `cargo xtask kernels`: change those, not this.\n#pragma once\n\
         #include \"moments.cuh\"\n",
    );
    let mut rust = String::from(
        "// Made of the built-in models by `cargo xtask kernels`: change those, not this.\n\
         //! Stages of built-in models that there are kernels for: the number in the kernel's name, and the fingerprint of\n\
         //! its schedule.\n\n",
    );
    for (precision, [number, suffix, name]) in
        [["float", "f32", "SINGLE"], ["double", "f64", "DOUBLE"]].into_iter().enumerate()
    {
        let mut of_method = [(true, "SEARCHES", Vec::new()), (false, "FITS", Vec::new())];
        let mut known: Vec<u64> = Vec::new();
        let _ = writeln!(rust, "pub(super) const {name}: &[(u32, u64)] = &[");
        for (n, stage) in stages.iter().enumerate() {
            let schedule = &stage.schedules[precision];
            // Of double precision there is one length of series.
            if known.contains(&schedule.fingerprint()) {
                continue;
            }
            known.push(schedule.fingerprint());
            write_stage(&mut cuda, n, stage, schedule, number);
            let _ = writeln!(rust, "    // {}, {}", stage.model, stage.what);
            let _ = writeln!(rust, "    ({n}, {:#018x}),", schedule.fingerprint());
            for (searches, _, kernels) in &mut of_method {
                if *searches == stage.searches {
                    kernels.push(n);
                }
            }
        }
        rust.push_str("];\n");
        for (_, name, kernels) in of_method {
            let _ = write!(cuda, "\n#define {name}_{}(KERNEL)", suffix.to_uppercase());
            for n in kernels {
                let _ = write!(cuda, " KERNEL({number}, {suffix}, {n})");
            }
            cuda.push('\n');
        }
    }
    Ok([cuda, rust])
}

fn gpu_stages() -> Result<Vec<GpuStage>> {
    let mut stages = Vec::new();
    let table = GradientTable::new(&[[1.0, 0.0, 0.0]], vec![1000.0], 50.0)?;
    for name in models::model_names() {
        let model = models::model(name)?;
        let protocol = Protocol::new(&table, &[0], &model, &[])?;
        let roles = model.own_roles();
        let program = model.program(&roles)?;
        if program.has_harmonics() {
            continue;
        }
        let settings: Vec<f64> = model
            .parameters()
            .iter()
            .zip(&roles)
            .filter(|(_, role)| **role == Role::Setting)
            .map(|(parameter, _)| parameter.start_number().unwrap_or(0.0) * parameter.unit().factor())
            .collect();
        for (n, stage) in model.stages().iter().enumerate() {
            let searches = stage.method.searches();
            let unknowns = if searches { Vec::new() } else { program.unknowns(&model, &stage.parameters) };
            let schedule = |degree: u16| {
                Schedule::new(&program, &protocol, &settings, &unknowns, SeriesLength::Degree(degree))
            };
            let mut made: Vec<GpuStage> = Vec::new();
            for degree in DEGREES[0] {
                let schedules = [schedule(*degree)?, schedule(DEGREES[1][0])?];
                let is_new =
                    made.iter().all(|other| other.schedules[0].fingerprint() != schedules[0].fingerprint());
                if is_new {
                    let parameters = parameters_of(&model, &stage.parameters);
                    made.push(GpuStage {
                        model: name,
                        what: format!("stage {} of {}: {parameters}", n + 1, model.stages().len()),
                        searches,
                        schedules,
                        unknowns: unknowns.clone(),
                        numbers: program.free_numbers,
                        maps: program.map_numbers,
                    });
                }
            }
            stages.extend(made);
        }
    }
    Ok(stages)
}

fn parameters_of(model: &Model, parameters: &[usize]) -> String {
    let name = |&n: &usize| model.parameters()[n].name();
    parameters.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A number as C++ has it.
fn literal(value: f64, number: &str) -> String {
    if number == "float" { format!("{:?}f", value as f32) } else { format!("{value:?}") }
}

fn write_stage(out: &mut String, n: usize, stage: &GpuStage, schedule: &Schedule, number: &str) {
    let suffix = if number == "float" { "f32" } else { "f64" };
    let inner_values = values_of_inner(schedule);
    let orientations = stage
        .unknowns
        .iter()
        .filter_map(|unknown| match unknown {
            Unknown::Turn { orientation, .. } => Some(usize::from(*orientation) + 1),
            Unknown::Number(_) => None,
        })
        .max()
        .unwrap_or(0);
    let names = Names { schedule, number, inner_values: &inner_values };
    let mut text = String::new();
    let _ = writeln!(text, "\n// {}, {}.\nstruct Stage{n}_{suffix} {{", stage.model, stage.what);
    let _ = writeln!(text, "  typedef {number} T;");
    let _ = writeln!(
        text,
        "  static const unsigned NUMBERS = {}, MAPS = {}, UNKNOWNS = {}, ORIENTATIONS = {}, COLUMNS = {}, VALUES = {};",
        stage.numbers,
        stage.maps,
        stage.unknowns.len(),
        orientations,
        schedule.column_count,
        inner_values.len().max(1)
    );
    write_unknowns(&mut text, &stage.unknowns);
    let _ = writeln!(
        text,
        "  // What is computed once for each set of parameters.\n  static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (*across)[2][3], T (&values)[VALUES]) {{"
    );
    names.voxel(&mut text);
    let _ = writeln!(
        text,
        "  }}\n  // The signal of a measurement, and its derivatives.\n  static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], T* derivatives) {{"
    );
    names.steps(&mut text, &schedule.inner, 0, "i");
    for (n, result) in schedule.results[1..].iter().enumerate() {
        let _ = writeln!(text, "    derivatives[{n}] = {};", names.operand(Operand::Inner(*result), "i"));
    }
    let signal = names.operand(Operand::Inner(schedule.results[0]), "i");
    let _ = writeln!(text, "    return {signal};\n  }}\n}};");
    out.push_str(&text);
}

/// Where the numbers of each unknown are, and which of the two turns it is of those that are turns.
fn write_unknowns(text: &mut String, unknowns: &[Unknown]) {
    let mut of = |name: &str, value: &dyn Fn(&Unknown) -> i64| {
        let _ = write!(
            text,
            "  static __device__ __forceinline__ int {name}(unsigned unknown) {{\n    switch (unknown) {{"
        );
        for (n, unknown) in unknowns.iter().enumerate() {
            let _ = write!(text, " case {n}: return {};", value(unknown));
        }
        let _ = writeln!(text, " default: return -1; }}\n  }}");
    };
    of("number", &|unknown| match unknown {
        Unknown::Number(n) | Unknown::Turn { first: n, .. } => i64::from(*n),
    });
    of("turn", &|unknown| match unknown {
        Unknown::Number(_) => -1,
        Unknown::Turn { vector, .. } => i64::from(*vector),
    });
    of("orientation", &|unknown| match unknown {
        Unknown::Number(_) => -1,
        Unknown::Turn { orientation, .. } => i64::from(*orientation),
    });
}

/// The values of a voxel that inner steps ask for.
pub(super) fn values_of_inner(schedule: &Schedule) -> Vec<u16> {
    let mut values: Vec<u16> = schedule
        .inner
        .iter()
        .flat_map(|step| step.operands().to_vec())
        .filter_map(|operand| match operand {
            Operand::Voxel(place) => Some(place),
            _ => None,
        })
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// What operands of a schedule are called.
pub(super) struct Names<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) number: &'a str,
    pub(super) inner_values: &'a [u16],
}

impl Names<'_> {
    pub(super) fn operand(&self, operand: Operand, letter: &str) -> String {
        match operand {
            Operand::Uniform(n) => match self.schedule.uniforms[usize::from(n)] {
                (value, true) => literal(value, self.number),
                (_, false) => format!("uniforms[{n}]"),
            },
            Operand::Column(n) => format!("columns[{n}]"),
            Operand::Inner(n) => Self::result(n, &self.schedule.inner, 0, "i"),
            Operand::Kept(n) => format!("kept[{n}]"),
            Operand::Voxel(n) if letter == "i" => {
                let place = self.inner_values.iter().position(|value| *value == n).unwrap_or(0);
                format!("values[{place}]")
            }
            Operand::Voxel(n) => Self::result(n, &self.schedule.voxel, self.schedule.inputs.len(), "v"),
        }
    }

    /// The name of a result: coefficients of a family stay in the array that they come in.
    fn result(result: u16, steps: &[Step], first: usize, letter: &str) -> String {
        let mut next = first as u16;
        for step in steps {
            let after = next + step.results();
            if (next..after).contains(&result) && step.results() > 1 {
                return format!("m{next}[{}]", result - next);
            }
            next = after;
        }
        format!("{letter}{result}")
    }

    /// What is computed once for each set of parameters, and the values of it that inner steps ask for.
    pub(super) fn voxel(&self, text: &mut String) {
        for (place, input) in self.schedule.inputs.iter().enumerate() {
            let from = match input {
                VoxelInput::Parameter(n) => format!("numbers[{n}]"),
                VoxelInput::Map(n) => format!("maps[{n}]"),
                VoxelInput::Kept(n) => format!("held[{n}]"),
                VoxelInput::Across { orientation, vector, axis } => {
                    format!("across[{orientation}][{vector}][{axis}]")
                }
            };
            let _ = writeln!(text, "    const T v{place} = {from};");
        }
        self.steps(text, &self.schedule.voxel, self.schedule.inputs.len(), "v");
        for (n, place) in self.inner_values.iter().enumerate() {
            let value = self.operand(Operand::Voxel(*place), "v");
            let _ = writeln!(text, "    values[{n}] = {value};");
        }
    }

    pub(super) fn steps(&self, text: &mut String, steps: &[Step], first: usize, letter: &str) {
        let mut next = first;
        for step in steps {
            let [a, b, c] = step.operands.map(|operand| self.operand(operand, letter));
            let value = match step.operation {
                Operation::Copy => a,
                Operation::Decay => format!("decay({a})"),
                Operation::Unary(function) => match function {
                    Unary::Negative => format!("-{a}"),
                    Unary::Root => format!("root({a})"),
                    Unary::Exponential => format!("exponential({a})"),
                    Unary::Logarithm => format!("logarithm({a})"),
                    Unary::Absolute => format!("size({a})"),
                    other => unreachable!("no built-in model has {other:?}"),
                },
                Operation::Binary(function) => match function {
                    Binary::Add => format!("{a} + {b}"),
                    Binary::Subtract => format!("{a} - {b}"),
                    Binary::Multiply => format!("{a} * {b}"),
                    Binary::Divide => format!("{a} / {b}"),
                    Binary::Minimum => format!("{a} < {b} ? {a} : {b}"),
                    Binary::Maximum => format!("{a} > {b} ? {a} : {b}"),
                    Binary::Less => format!("{a} < {b} ? T(1) : T(0)"),
                    Binary::ArcTangent2 => unreachable!("no built-in model has an arc tangent in its signal"),
                },
                Operation::Ternary(function) => match function {
                    Ternary::Choose => format!("{a} != T(0) ? {b} : {c}"),
                    Ternary::Fma => format!("multiply_add({a}, {b}, {c})"),
                    Ternary::Fms => format!("multiply_add({a}, {b}, -{c})"),
                    Ternary::Fnma => format!("multiply_add(-{a}, {b}, {c})"),
                },
                Operation::Harmonics(_) => unreachable!("{NOT_WRITTEN}"),
                Operation::Moments(family, count) => {
                    let function = match family {
                        Moments::Watson => "watson_moments",
                        Moments::Stick => "stick_moments",
                    };
                    let _ = writeln!(text, "    T m{next}[{count}];\n    {function}({a}, m{next});");
                    next += usize::from(count);
                    continue;
                }
            };
            let _ = writeln!(text, "    const T {letter}{next} = {value};");
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_of_the_models_is_up_to_date() {
        let [cuda, rust] = kernel_sources().unwrap();
        let advice = "run `cargo xtask kernels fit`";
        assert!(cuda == include_str!("models.cuh"), "models.cuh is not what the models make: {advice}");
        assert!(rust == include_str!("models.rs"), "models.rs is not what the models make: {advice}");
    }
}
