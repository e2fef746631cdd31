//! Moves as CUDA C++: `cargo xtask kernels` writes those of the built-in models into `chains.cuh`, and a test sees that they
//! are up to date.

use super::moves::{Move, Moved, Moves};
use crate::fit::constraints::LinearRow;
use crate::fit::constraints::constraints;
use crate::fit::dispersion_series::SeriesLength;
use crate::fit::emit::{DEGREES, Names, values_of_inner};
use crate::fit::protocol::Protocol;
use crate::fit::schedule::Operand;
use crate::language::{Model, ModelProgram, Role};
use crate::models::{self, FibreForm, Fibres};
use arcuate_core::{GradientTable, Result};
use std::fmt::Write;

/// Lanes of a voxel and measurements of a lane that there are kernels for, whether noise is Rician, threads of a block, and blocks
/// that a multiprocessor is to have room for at least. Fewer lanes leave less to do for all of them again, and have fewer
/// measurements at most; more threads in a multiprocessor leave fewer registers for each, so many that little of a loop is put into
/// memory.
fn shapes(chain: &GpuChain) -> Vec<[u32; 5]> {
    let kept = chain.moves.kept;
    let of_32 = if kept <= 3 { [32, 10, 0, 256, 2] } else { [32, 10, 0, 256, 1] };
    if kept > MOST_KEPT || chain.is_rare {
        return vec![of_32];
    }
    let [of_8, of_8_rician] = match kept {
        ..=3 => [[8, 14, 0, 256, 2], [8, 14, 1, 192, 2]],
        _ => [[8, 14, 0, 192, 2], [8, 14, 1, 256, 1]],
    };
    vec![of_8, of_8_rician, of_32, [32, 10, 1, 192, 2]]
}

/// Values of a measurement that lanes with many of them have room for.
const MOST_KEPT: usize = 5;

/// A model that kernels are made for.
struct GpuChain {
    model: String,
    /// Whether one shape of it is enough, so that kernels stay few.
    is_rare: bool,
    moves: Moves,
    numbers: usize,
    maps: usize,
    constraints: Vec<LinearRow<f32>>,
}

impl GpuChain {
    fn fingerprint(&self) -> u64 {
        self.moves.fingerprint(&self.constraints)
    }

    /// Whether constraints tell a move something.
    fn is_constrained(&self, one: &Move) -> bool {
        match one.moved {
            Moved::Number(place) => self.constraints.iter().any(|row| row.weights[usize::from(place)] != 0.0),
            _ => false,
        }
    }
}

/// The two files that are made of the built-in models: `chains.cuh` and `chains.rs`.
pub fn chain_sources() -> Result<[String; 2]> {
    let mut cuda = String::from(
        "// Made of the built-in models by `cargo xtask kernels`: change those, not this.\n#pragma once\n\
         #include \"moments.cuh\"\n",
    );
    let mut rust = String::from(
        "// Made of the built-in models by `cargo xtask kernels`: change those, not this.\n\
         //! Built-in models whose chains there are kernels for: the number in the kernel's name, the fingerprint of its moves,\n\
         //! and lanes of a voxel, measurements of a lane, whether noise is Rician, and threads of a block.\n\n",
    );
    let mut kernels = String::new();
    rust.push_str("pub(super) const CHAINS: &[(u32, u64, &[[u32; 4]])] = &[\n");
    for (n, chain) in gpu_chains()?.iter().enumerate() {
        write_chain(&mut cuda, n, chain);
        let shapes = shapes(chain);
        let known: Vec<[u32; 4]> = shapes
            .iter()
            .map(|&[lanes, rounds, rician, threads, _]| [lanes, rounds, rician, threads])
            .collect();
        let _ = writeln!(rust, "    // {}", chain.model);
        let _ = writeln!(rust, "    ({n}, {:#018x}, &{known:?}),", chain.fingerprint());
        for [lanes, rounds, rician, threads, blocks] in shapes {
            let _ = write!(kernels, " KERNEL({n}, {lanes}, {rounds}, {rician}, {threads}, {blocks})");
        }
    }
    rust.push_str("];\n");
    let _ = writeln!(cuda, "\n#define CHAINS(KERNEL){kernels}");
    Ok([cuda, rust])
}

/// The models that kernels are made for, whether gradients deviate in every voxel, and whether they are rare.
fn wanted() -> Result<Vec<(Model, bool, bool)>> {
    let mut wanted = Vec::new();
    for name in models::model_names() {
        let model = models::model(name)?;
        // Those with Bingham's distribution are not written as CUDA C++.
        if !model.program(&model.own_roles())?.has_harmonics() {
            wanted.push((model, false, false));
        }
    }
    // What FSL's users ask of bedpostx beyond these.
    for form in [FibreForm::Sticks, FibreForm::GammaSticks, FibreForm::Zeppelins] {
        for count in 1..=3 {
            let fibres = |has_floor| Fibres { form, count, has_floor, ratio: [0.13, 0.03] }.model();
            if form == FibreForm::Zeppelins {
                wanted.push((fibres(false)?, false, true));
            } else {
                wanted.push((fibres(true)?, false, true));
                wanted.push((fibres(false)?, true, true));
            }
        }
    }
    Ok(wanted)
}

fn gpu_chains() -> Result<Vec<GpuChain>> {
    let mut chains: Vec<GpuChain> = Vec::new();
    let table = GradientTable::new(&[[1.0, 0.0, 0.0]], vec![1000.0], 50.0)?;
    for (model, deviates, is_rare) in wanted()? {
        let protocol = Protocol::new(&table, &[0], &model, &[])?;
        let roles = model.own_roles();
        let program = model.program_where(&roles, deviates)?;
        let settings: Vec<f64> = model
            .parameters()
            .iter()
            .zip(&roles)
            .filter(|(_, role)| **role == Role::Setting)
            .map(|(parameter, _)| parameter.start_number().unwrap_or(0.0) * parameter.unit().factor())
            .collect();
        let moved = moved(&model, &program);
        for degree in DEGREES[0] {
            let moves = Moves::new(&program, &protocol, &settings, &moved, SeriesLength::Degree(*degree))?;
            let constraints = constraints::<f32>(&program, &settings);
            let (numbers, maps) = (program.free_numbers, program.map_numbers);
            let name =
                if deviates { format!("{}, gradients deviate", model.name()) } else { model.name().into() };
            let chain = GpuChain { model: name, is_rare, moves, numbers, maps, constraints };
            if chains.iter().all(|other| other.fingerprint() != chain.fingerprint()) {
                chains.push(chain);
            }
        }
    }
    Ok(chains)
}

/// What moves of a model where nothing is asked to rest.
fn moved(model: &Model, program: &ModelProgram) -> Vec<Moved> {
    let all: Vec<usize> = (0..model.parameters().len()).collect();
    program.unknowns(model, &all).iter().filter_map(|unknown| Moved::of(*unknown)).collect()
}

fn write_chain(out: &mut String, n: usize, chain: &GpuChain) {
    let moves = &chain.moves;
    let columns = moves.all.schedule.column_count;
    let mut text = format!("\n// {}.\nstruct Chain{n} {{\n  typedef float T;\n", chain.model);
    let _ = writeln!(
        text,
        "  static const unsigned NUMBERS = {}, MAPS = {}, MOVES = {}, COLUMNS = {columns}, KEPT = {}, KEPT_OF_VOXEL = {}, MOST_CHANGED = {};",
        chain.numbers,
        chain.maps,
        moves.of.len(),
        moves.kept,
        moves.kept_of_voxel,
        moves.most_changed()
    );
    let _ = writeln!(text, "  // Everything.");
    write_move(&mut text, "All", &moves.all, moves, false);
    let _ = writeln!(text, "  // The signal from what is kept.");
    write_move(&mut text, "None", &moves.none, moves, false);
    for (k, one) in moves.of.iter().enumerate() {
        write_move(&mut text, &format!("Move{k}"), one, moves, chain.is_constrained(one));
    }
    write_constraints(&mut text, &chain.constraints);
    text.push_str("  static __device__ __forceinline__ bool turns(unsigned which) { return ");
    let turns = moves.of.iter().enumerate().filter(|(_, one)| matches!(one.moved, Moved::Orientation(_)));
    let turns: Vec<String> = turns.map(|(k, _)| format!("which == {k}")).collect();
    let _ = writeln!(text, "{}; }}", if turns.is_empty() { "false".to_owned() } else { turns.join(" || ") });
    text.push_str("  template <class F> static __device__ __forceinline__ void sweep(F& chain) {\n");
    for k in 0..moves.of.len() {
        let _ = writeln!(text, "    chain.template step<Move{k}>({k});");
    }
    text.push_str("  }\n};\n");
    out.push_str(&text);
}

/// Weights that are 0 are left out: what they add is nothing.
fn write_constraints(text: &mut String, constraints: &[LinearRow<f32>]) {
    text.push_str(
        "  static __device__ __forceinline__ bool meets(const T* numbers) {\n    bool meets = true;\n",
    );
    for (n, row) in constraints.iter().enumerate() {
        let of = if n == 0 { "T " } else { "" };
        let _ = writeln!(text, "    {of}slack = {:?}f;", row.offset);
        for (n, weight) in row.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            let _ = writeln!(text, "    slack = multiply_add({weight:?}f, numbers[{n}], slack);");
        }
        text.push_str("    meets = meets && !(0.0f > slack);\n");
    }
    text.push_str("    return meets;\n  }\n");
}

fn write_move(text: &mut String, name: &str, one: &Move, moves: &Moves, is_constrained: bool) {
    let schedule = &one.schedule;
    let inner_values = values_of_inner(schedule);
    let names = Names { schedule, number: "float", inner_values: &inner_values };
    let (kind, first) = match one.moved {
        Moved::Number(place) => ("MOVED_NUMBER", place),
        Moved::Orientation(first) => ("MOVED_ORIENTATION", first),
        Moved::Noise => ("MOVED_NUMBER", 0),
    };
    let _ = writeln!(text, "  struct {name} {{");
    let _ = writeln!(
        text,
        "    static const int KIND = {kind}, FIRST = {first}, CHANGED = {}, VALUES = {}, IS_CONSTRAINED = {}, MOVES_NOISE = {};",
        one.changed.len(),
        inner_values.len().max(1),
        u8::from(is_constrained),
        u8::from(name == "None"),
    );
    let mut of = |name: &str, kind: &str, otherwise: &str, values: Vec<(usize, String)>| {
        let _ = write!(text, "    static __device__ __forceinline__ {kind} {name}(int n) {{ switch (n) {{");
        for (n, value) in values {
            let _ = write!(text, " case {n}: return {value};");
        }
        let _ = writeln!(text, " default: return {otherwise}; }} }}");
    };
    of("changed", "int", "0", one.changed.iter().map(ToString::to_string).enumerate().collect());
    let changes = one.changed_of_voxel.iter().map(|(n, _)| (usize::from(*n), "true".to_owned()));
    of("changes_of_voxel", "bool", "false", changes.collect());
    let held = moves.kept_of_voxel.max(1);
    let _ = writeln!(
        text,
        "    static __device__ __forceinline__ void voxel(const T* uniforms, const T* numbers, const T* maps, const T (&held)[{held}], T (&values)[VALUES], T (&after)[{held}]) {{"
    );
    names.voxel(text);
    for (n, place) in &one.changed_of_voxel {
        let _ = writeln!(text, "    after[{n}] = {};", names.operand(Operand::Voxel(*place), "v"));
    }
    let (kept, changed) = (moves.kept.max(1), one.changed.len().max(1));
    let _ = writeln!(
        text,
        "    }}\n    static __device__ __forceinline__ T inner(const T* uniforms, const T* columns, const T (&values)[VALUES], const T (&kept)[{kept}], T (&changed)[{changed}]) {{"
    );
    names.steps(text, &schedule.inner, 0, "i");
    for (n, result) in schedule.results[1..].iter().enumerate() {
        let _ = writeln!(text, "    changed[{n}] = {};", names.operand(Operand::Inner(*result), "i"));
    }
    let signal = names.operand(Operand::Inner(schedule.results[0]), "i");
    let _ = writeln!(text, "    return {signal};\n    }}\n  }};");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_of_the_models_is_up_to_date() {
        let [cuda, rust] = chain_sources().unwrap();
        let advice = "run `cargo xtask kernels fit`";
        assert!(cuda == include_str!("chains.cuh"), "chains.cuh is not what the models make: {advice}");
        assert!(rust == include_str!("chains.rs"), "chains.rs is not what the models make: {advice}");
    }
}
