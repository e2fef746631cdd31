//! Compiles every `kernels.cu` of the workspace as C++, with the emulation and the emulated driver, into a
//! library. Tests load this library instead of `libcuda.so.1`.
//!
//! Arcuate itself does not depend on this crate, so it needs no C++ compiler. Without a C++ compiler the
//! crate still builds, and `load` reports why tests cannot run.

#![allow(clippy::expect_used, clippy::panic, reason = "a panic ends the build with its message")]

#[path = "build/compiler.rs"]
mod compiler;
#[path = "build/kernels.rs"]
mod kernels;

use compiler::{Compiler, Kind, Source};
use kernels::KernelFile;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    match prepare(&here, &out) {
        Ok(library) => println!("cargo:rustc-env=ARCUATE_EMULATION_LIBRARY={}", library.display()),
        Err(why) => println!("cargo:rustc-env=ARCUATE_EMULATION_WHY={why}"),
    }
}

/// Builds the library, or returns the reason why it cannot be built on this machine. Kernels that do not
/// compile end the build.
fn prepare(here: &Path, out: &Path) -> Result<PathBuf, String> {
    let crates = here.parent().expect("the crate lies beside the others");
    let files = kernels::find(crates);
    for place in ["include", "runtime", "driver", "ptx", "build", "build.rs"] {
        println!("cargo:rerun-if-changed={}", here.join(place).display());
    }
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" || !["x86_64", "aarch64"].contains(&&*target("ARCH"))
    {
        return Err("the emulation needs Linux with the GNU C library on x86-64 or aarch64".to_owned());
    }
    if std::env::var("HOST") != std::env::var("TARGET") {
        return Err("the emulation is not cross-compiled".to_owned());
    }
    let common = crates.join("arcuate-compute/src/cuda/include");
    println!("cargo:rerun-if-changed={}", common.display());
    let folders = [here.join("include"), here.join("runtime"), common];
    let compiler = Compiler::find(&folders, out)?;

    let mut sources: Vec<Source> = Vec::new();
    for folder in ["runtime", "driver", "ptx"] {
        let files = kernels::listed(&here.join(folder)).into_iter().filter(|file| has_extension(file, "cpp"));
        let headers = vec![here.join("ptx")];
        sources.extend(files.map(|path| Source {
            path,
            headers: headers.clone(),
            kind: if folder == "ptx" { Kind::Lanes } else { Kind::Runtime },
        }));
    }
    let wrapped = compiler.folder().join("wrapped");
    std::fs::create_dir_all(&wrapped).expect("the build folder can be written");
    let mut known: Vec<(String, String)> = Vec::new();
    for path in files {
        let file = KernelFile::read(&path, crates, &compiler);
        for name in &file.kernels {
            if let Some((_, other)) = known.iter().find(|(known, _)| known == name) {
                panic!("kernel {name} is in {other} and in {}: kernels need names of their own", file.shown);
            }
            known.push((name.clone(), file.shown.clone()));
        }
        let wrapper = wrapped.join(format!("{}.cpp", file.space));
        write_if_new(&wrapper, &wrapper_of(&file));
        sources.push(Source { path: wrapper, headers: file.headers, kind: Kind::Kernels });
    }
    Ok(compiler.library(&sources))
}

/// Returns the C++ file that wraps a `kernels.cu`: CUDA's keywords before it, a namespace around it, and the
/// registration of its kernels. The namespace lets files use the same names for device functions.
fn wrapper_of(file: &KernelFile) -> String {
    let space = &file.space;
    let mut text = format!(
        "#include \"emulation.h\"\n\nnamespace {space} {{\n#include \"{}\"\n}}\n\nusing namespace arcuate_emulation;\n",
        file.path.display()
    );
    for name in &file.kernels {
        writeln!(
            text,
            "static const Registration registration_of_{name}(Launcher<{space}::{name}>::kernel(\"{name}\", \"{space}\", \"{}\"));",
            file.shown
        )
        .expect("a string takes what is written");
    }
    text
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Writes a file unless it already has this content, so that nothing is rebuilt without need.
fn write_if_new(path: &Path, content: &str) {
    if std::fs::read_to_string(path).ok().as_deref() != Some(content) {
        std::fs::write(path, content).expect("the build folder can be written");
    }
}
