//! Compiles CUDA C++ to the code that Arcuate embeds. The products of every `kernels.cu` are committed, so
//! that neither building nor running Arcuate requires a CUDA toolkit:
//!
//! - `kernels.ptx`, which drivers from the 550 series compile for any GPU of compute capability 7.5 or later
//! - a cubin of one architecture, which loads without compilation
//! - `kernels.rs`, the table from which a macro makes functions that launch the kernels
//! - optionally `constants.rs`, with the numbers that the source defines

mod assemble;
mod constants;
mod fetch;
mod nvrtc;
mod signature;
mod source;
mod table;
mod usage;

use crate::packed;
use crate::process::{self, Outcome};
use crate::side_by_side::side_by_side;
use nvrtc::{Compiled, Nvrtc, Product};
use source::{PTX, Products, Source};

const HELP: &str = "\
cargo xtask kernels [--check | --fetch | --written] [PART OF A PATH ...]

Compiles every kernels.cu, or those whose path has one of the parts in it, and prints what each kernel uses. Writes
kernels.ptx, kernels.sm_90.cubin and kernels.rs next to it, and constants.rs if it exists.
  --check    compare with the committed products and change nothing
  --fetch    fetch the compiler and the assembler, and do no more
  --written  assemble the kernels that are written at run time, of all built-in models and of the solvers,
             and print what each uses
";

/// The compiler version, which determines the output.
const VERSION: (i32, i32) = (12, 4);

/// Compiles the kernels, or compares the output with the committed products.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut check = false;
    let mut parts = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--check" => check = true,
            "--fetch" => return compiler().and(fetch::ASSEMBLER.path()).map(drop),
            "--written" => return assemble::run(),
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            option if option.starts_with('-') => {
                return Err(format!("`{option}` is no option of `kernels`\n\n{HELP}"));
            }
            part => parts.push(part),
        }
    }
    if !check && !packed::can_write() {
        return process::with_feature("compressor", "kernels", arguments);
    }
    let mut sources = source::all()?;
    sources.retain(|s| parts.is_empty() || parts.iter().any(|part| s.name.contains(part)));
    if sources.is_empty() {
        return Err(format!("no kernels.cu under crates has {} in its path", parts.join(" or ")));
    }
    let compiler = compiler()?;
    if sources.len() > 1 {
        return each_by_itself(sources, check);
    }
    let mut stale = Vec::new();
    for source in &sources {
        let made = compile(&compiler, source)?;
        if check {
            stale.extend(
                made.files(source).filter(|(file, bytes)| packed::read(file).ok().as_ref() != Some(bytes)),
            );
        } else {
            for (file, bytes) in made.files(source) {
                // A product that has not changed is not written again, because a small difference in a
                // compressed file changes all of it.
                if packed::read(&file).ok().as_ref() != Some(&bytes) {
                    packed::write(&file, &bytes)?;
                }
            }
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let stale: Vec<String> = stale.iter().map(|(file, _)| file.display().to_string()).collect();
    Err(format!("not what the compiler makes: {}; run `cargo xtask kernels`", stale.join(", ")))
}

/// Creates the products of many sources, or compares them with the committed files. Each source has its own
/// process, because the compiler uses one thread only. In addition, its output numbers function calls, and
/// these numbers would depend on earlier sources in the same process.
fn each_by_itself(mut sources: Vec<Source>, check: bool) -> Outcome {
    let this = std::env::current_exe().map_err(|e| format!("this program is not found ({e})"))?;
    // The longest source is first, so that no long compilation starts at the end.
    sources.sort_by_key(|s| {
        std::cmp::Reverse(s.text.len() + s.headers.iter().map(|(_, h)| h.len()).sum::<usize>())
    });
    let fresh = side_by_side(&sources, |_, source| {
        let mut one = process::in_root(&this);
        one.args(["kernels", &source.name]).args(check.then_some("--check"));
        let output = one.output();
        let output = output.map_err(|e| format!("{} cannot be run ({e})", this.display()))?;
        // The output is printed at once, because other threads also print.
        print!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        Ok(output.status.success())
    })?;
    if fresh.iter().all(|fresh| *fresh) {
        Ok(())
    } else {
        Err("kernels are stale, or cannot be compiled".to_owned())
    }
}

/// File with the names of the kernels that are generated at run time. Each name is quoted on its own line, so
/// that C++ can include the file.
const WRITTEN: &str = "crates/arcuate-emulation/driver/written_kernels.inc";

/// Returns the names of the kernels in every `kernels.cu` and of the kernels that are generated at run time.
pub(crate) fn names() -> Result<Vec<String>, String> {
    let text =
        std::fs::read_to_string(process::root().join(WRITTEN)).map_err(|e| format!("{WRITTEN}: {e}"))?;
    let written = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix("\","));
    let mut names: Vec<String> = written.map(str::to_owned).collect();
    for source in source::all()? {
        names.extend(source.kernels()?);
    }
    Ok(names)
}

fn compiler() -> Result<Nvrtc, String> {
    let library = fetch::COMPILER.path()?;
    let compiler = Nvrtc::load(&library)?;
    let (major, minor) = compiler.version()?;
    if (major, minor) != VERSION {
        let (library, (expected, wanted_minor)) = (library.display(), VERSION);
        return Err(format!(
            "{library} is NVRTC {major}.{minor}; kernels are made by {expected}.{wanted_minor}"
        ));
    }
    Ok(compiler)
}

/// Returns the products of one source. Prints the resource use of its kernels.
fn compile(compiler: &Nvrtc, source: &Source) -> Result<Products, String> {
    let make = |options: Vec<String>, product| {
        compiler
            .compile(&source.name, &source.text, &source.headers, &options, product)
            .map_err(|e| format!("{}: {e}", source.name))
    };
    let Compiled { code: ptx, .. } = make(source::options(PTX), Product::Ptx)?;
    let Compiled { code: cubin, log } = make(source::options(source::CUBIN), Product::Cubin)?;
    let ptx = String::from_utf8(ptx).map_err(|_| format!("{}: PTX that is no text", source.name))?;
    let (functions, warnings) = usage::read(&log);
    println!("{} on {}", source.name, source::CUBIN);
    for warning in warnings {
        println!("  {warning}");
    }
    println!("{}", usage::table(&functions));
    let ptx = source.stamped_ptx(&ptx, &cubin);
    let (rust, numbers) = rust(source)?;
    Ok(Products { ptx, cubin, rust: source.stamped_rust(&rust), numbers: source.stamped_rust(&numbers) })
}

/// Returns the Rust interface of a source, and its constants.
fn rust(source: &Source) -> Result<(String, String), String> {
    let in_source = |problem| format!("{}: {problem}", source.name);
    let text = source.preprocessed()?;
    let declarations = signature::read(&text).map_err(in_source)?;
    let numbers = constants::rust(&source.constants(&text));
    Ok((table::rust(&declarations), numbers))
}
