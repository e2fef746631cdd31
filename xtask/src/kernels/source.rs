//! The sources of kernels, their headers, and the compiler options of their products. A header in each
//! product (a stamp) shows whether the product belongs to its source. No compiler is needed for this check.

use super::constants::{self, Constant};
use crate::packed;
use crate::process;
use crate::stamp::{hexadecimal, of_parts};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The oldest architecture for which the PTX is valid.
pub(super) const PTX: &str = "compute_75";
/// The architecture of the cubin.
pub(super) const CUBIN: &str = "sm_90";

/// The headers that all kernels may include.
const HEADERS: &str = "crates/arcuate-compute/src/cuda/include";
const STAMP: &str =
    "// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.\n";

/// Returns the compiler's options for an architecture. Multiplications and additions are fused only where a kernel
/// requests it, so that CPU, GPU and emulation round identically.
pub(super) fn options(architecture: &str) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={architecture}"),
        "--std=c++17".to_owned(),
        "--fmad=false".to_owned(),
    ];
    if architecture == CUBIN {
        options.push("--ptxas-options=-v".to_owned());
    }
    options
}

/// One `kernels.cu`.
pub(super) struct Source {
    /// The path of `kernels.cu` relative to the root of the checkout, with `/` as separator.
    pub(super) name: String,
    pub(super) text: String,
    /// The headers that it includes directly or indirectly: name and text.
    pub(super) headers: Vec<(String, String)>,
    file: PathBuf,
    /// The folders in which headers are searched.
    folders: Vec<PathBuf>,
    ptx: PathBuf,
    cubin: PathBuf,
    rust: PathBuf,
    /// The Rust file for the constants that the source defines. It is only written if it already exists, so
    /// create an empty file to enable it.
    numbers: Option<PathBuf>,
}

/// The output of the compiler for a source.
pub(super) struct Products {
    pub(super) ptx: String,
    pub(super) cubin: Vec<u8>,
    pub(super) rust: String,
    /// The constants as Rust code. They are only written if the source has a file for them.
    pub(super) numbers: String,
}

impl Products {
    /// Returns the paths of the products of `source`, and their bytes.
    pub(super) fn files(self, source: &Source) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
        let Self { ptx, cubin, rust, numbers } = self;
        let numbers = source.numbers.as_ref().map(|file| (file, numbers.into_bytes()));
        [(&source.ptx, ptx.into_bytes()), (&source.cubin, cubin), (&source.rust, rust.into_bytes())]
            .into_iter()
            .chain(numbers)
            .map(|(file, bytes)| (file.clone(), bytes))
    }
}

/// Returns every `kernels.cu` in the source folders of the crates, sorted by path.
pub(super) fn all() -> Result<Vec<Source>, String> {
    all_under(&process::root())
}

fn all_under(root: &Path) -> Result<Vec<Source>, String> {
    let mut found = Vec::new();
    for crate_folder in entries(&root.join("crates"))? {
        find(&crate_folder.join("src"), "cu", &mut found)?;
    }
    found.iter().map(|file| Source::read(root, file)).collect()
}

/// Finds files under `folder` with this extension, sorted within each folder.
fn find(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> process::Outcome {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in entries(folder)? {
        if entry.is_dir() {
            find(&entry, extension, found)?;
        } else if entry.extension().is_some_and(|e| e == extension) {
            found.push(entry);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let say = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(say)? {
        entries.push(entry.map_err(say)?.path());
    }
    entries.sort();
    Ok(entries)
}

impl Source {
    fn read(root: &Path, file: &Path) -> Result<Self, String> {
        let text = read(file)?;
        let names: Vec<_> =
            file.strip_prefix(root).unwrap_or(file).iter().map(|n| n.to_string_lossy()).collect();
        let folders = folders(root, file);
        let mut headers = Vec::new();
        include(&folders, &text, &mut headers)?;
        headers.sort();
        let ptx = file.with_extension("ptx.br");
        let cubin = file.with_extension(format!("{CUBIN}.cubin.br"));
        let numbers = Some(file.with_file_name("constants.rs")).filter(|numbers| numbers.is_file());
        let (file, rust) = (file.to_owned(), file.with_extension("rs"));
        Ok(Self { name: names.join("/"), text, headers, file, folders, ptx, cubin, rust, numbers })
    }

    /// Returns the output of the C++ preprocessor, in which kernel declarations are searched. Macros are expanded and
    /// comments removed; definitions and line origins are kept. The compiler is `c++`, or `CXX` if it is set.
    pub(super) fn preprocessed(&self) -> Result<String, String> {
        let program = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let output = process::in_root(&program)
            .args(["-E", "-dD", "-x", "c++", "-std=c++17", "-D__CUDA_ARCH__=900"])
            .args(self.folders.iter().map(|folder| format!("-I{}", folder.display())))
            .arg(&self.file)
            .output()
            .map_err(|e| format!("the C++ compiler `{program}` cannot be run ({e}); name one in CXX"))?;
        if !output.status.success() {
            return Err(format!("{}: {}", self.name, String::from_utf8_lossy(&output.stderr).trim()));
        }
        String::from_utf8(output.stdout).map_err(|_| format!("{}: it is not UTF-8", self.name))
    }

    /// Returns the numbers that files of this crate define in `text`, which is [preprocessed](Self::preprocessed).
    pub(super) fn constants(&self, text: &str) -> Vec<Constant> {
        let root = process::root();
        let own: PathBuf = Path::new(&self.name).iter().take(2).collect();
        constants::read(text, &root.join(own), &root.join(HEADERS))
    }

    /// Returns the hash of all inputs of the products except the compiler, whose version is fixed.
    fn hash(&self) -> String {
        let options: Vec<String> = [PTX, CUBIN].into_iter().flat_map(options).collect();
        let headers = self.headers.iter().flat_map(|(name, text)| [name, text]);
        of_parts(options.iter().chain([&self.name, &self.text]).chain(headers).map(String::as_bytes))
    }

    /// Returns the PTX with header lines that identify its sources and the matching cubin.
    pub(super) fn stamped_ptx(&self, ptx: &str, cubin: &[u8]) -> String {
        format!("{}{ptx}", self.stamp(&[ptx.as_bytes(), cubin]))
    }

    /// Returns the Rust interface with header lines that identify its sources.
    pub(super) fn stamped_rust(&self, rust: &str) -> String {
        format!("{}{rust}", self.stamp(&[rust.as_bytes()]))
    }

    fn stamp(&self, products: &[&[u8]]) -> String {
        let hash = products.iter().fold(Sha256::new(), Digest::chain_update);
        format!(
            "{STAMP}// Hash of the sources and compiler options: {}\n// Hash of the generated code: {}\n",
            self.hash(),
            hexadecimal(hash)
        )
    }

    /// Returns the names of the kernels in the committed PTX.
    pub(super) fn kernels(&self) -> Result<Vec<String>, String> {
        let ptx = packed::read(&self.ptx)?;
        let ptx = String::from_utf8_lossy(&ptx);
        let entries = ptx.lines().filter_map(|line| line.split_once(".entry "));
        let names = entries.map(|(_, rest)| rest.split(['(', ' ']).next().unwrap_or_default().to_owned());
        Ok(names.collect())
    }

    /// If the committed products do not belong to this source, returns an error text. Only checks that need
    /// no compiler are made.
    #[cfg(test)]
    fn fault(&self) -> Option<String> {
        let ptx = packed::read(&self.ptx).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let rust = fs::read_to_string(&self.rust).ok();
        let (Some(ptx), Ok(cubin), Some(rust)) = (ptx, packed::read(&self.cubin), rust) else {
            return Some(format!("{}: its products are missing; run `cargo xtask kernels`", self.name));
        };
        let body = |stamped: &str| stamped.splitn(4, '\n').nth(3).unwrap_or_default().to_owned();
        let numbers = self.numbers.as_ref().map(|file| fs::read_to_string(file).unwrap_or_default());
        let fresh = ptx == self.stamped_ptx(&body(&ptx), &cubin)
            && [Some(rust), numbers]
                .into_iter()
                .flatten()
                .all(|rust| rust == self.stamped_rust(&body(&rust)));
        (!fresh)
            .then(|| format!("{}: its products are not of this source; run `cargo xtask kernels`", self.name))
    }
}

/// Returns the folders of a source's headers: its own folder, the parent folders in its crate's sources, and the shared
/// folder.
fn folders(root: &Path, file: &Path) -> Vec<PathBuf> {
    let crates = root.join("crates");
    let own =
        file.ancestors().skip(1).take_while(|folder| folder.parent().is_some_and(|above| above != crates));
    own.map(Path::to_owned).chain([root.join(HEADERS)]).collect()
}

/// Adds the headers that `text` includes with quotes, recursively. If a header is in none of the folders, the compiler
/// will report it. If it is in several, an error is returned, because compilers differ in their choice.
fn include(folders: &[PathBuf], text: &str, headers: &mut Vec<(String, String)>) -> process::Outcome {
    let directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let included =
        directives.filter_map(|d| d.trim_start().strip_prefix("include")?.trim_start().strip_prefix('"'));
    for name in included.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name) {
        let files: Vec<PathBuf> =
            folders.iter().map(|folder| folder.join(name)).filter(|file| file.is_file()).collect();
        if let [one, other, ..] = &files[..] {
            return Err(format!("{}: {} has that name too", one.display(), other.display()));
        }
        if let [file] = &files[..]
            && headers.iter().all(|(known, _)| known != name)
        {
            let text = read(file)?;
            headers.push((name.to_owned(), text.clone()));
            include(folders, &text, headers)?;
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_kernel_products_match_their_sources() {
        let sources = all().expect("the sources are there");
        assert!(!sources.is_empty(), "no kernels.cu was found");
        let faults: Vec<String> = sources.iter().filter_map(Source::fault).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn every_product_has_a_source() {
        let mut products = Vec::new();
        for crate_folder in entries(&process::root().join("crates")).expect("crates") {
            for extension in ["br", "rs"] {
                find(&crate_folder.join("src"), extension, &mut products).expect("a folder that can be read");
            }
        }
        let sources = all().expect("the sources are there");
        // Rust files that were written by hand have no source.
        let made = |file: &PathBuf| {
            file.extension().is_some_and(|e| e != "rs")
                || read(file).is_ok_and(|text| text.starts_with(STAMP))
        };
        for product in products.into_iter().filter(made) {
            let is_of = |s: &Source| {
                [&s.ptx, &s.cubin, &s.rust].contains(&&product) || s.numbers.as_ref() == Some(&product)
            };
            let known = sources.iter().any(is_of);
            assert!(known, "{} has no kernels.cu", product.display());
        }
    }

    /// Creates a checkout with one source, which includes a header. That header includes one above the source and one
    /// next to it. A fourth header is not included.
    fn checkout() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let room = root.path().join("crates/some/src/room");
        let headers = root.path().join(HEADERS);
        for folder in [&room, &headers] {
            fs::create_dir_all(folder).expect("a folder");
        }
        for (file, text) in [
            (room.join("kernels.cu"), "#include \"first.cuh\"\n#include \"beside.cuh\"\n"),
            (
                headers.join("first.cuh"),
                "#pragma once\n  # include \"above.cuh\" // a remark\n#include <absent>\n",
            ),
            (root.path().join("crates/some/src/above.cuh"), "#pragma once\n#include \"first.cuh\"\n"),
            (room.join("beside.cuh"), "#pragma once\n"),
            (room.join("constants.rs"), ""),
            (headers.join("other.cuh"), "#pragma once\n"),
        ] {
            fs::write(file, text).expect("a file");
        }
        root
    }

    #[test]
    fn stamps_cover_sources_headers_and_products() {
        let root = checkout();
        let source = || all_under(root.path()).expect("a checkout").pop().expect("one source");
        let first = source();
        assert_eq!(first.name, "crates/some/src/room/kernels.cu");
        assert_eq!(
            first.headers.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["above.cuh", "beside.cuh", "first.cuh"]
        );
        assert!(first.fault().is_some_and(|fault| fault.contains("missing")));

        let write = || {
            let (ptx, cubin, rust) = ("// PTX\n", vec![0, 159, 146, 150], "fn some() {}\n");
            let made = Products {
                ptx: first.stamped_ptx(ptx, &cubin),
                cubin,
                rust: first.stamped_rust(rust),
                numbers: first.stamped_rust("const ONE: u32 = 1;\n"),
            };
            for (file, bytes) in made.files(&first) {
                packed::write(&file, &bytes).expect("a file");
            }
        };
        write();
        assert_eq!(source().fault(), None);

        let change = |file: &Path| {
            let before = packed::read(file).expect("a file");
            packed::write(file, &[before.as_slice(), b"\n"].concat()).expect("a file");
            let fault = source().fault();
            packed::write(file, &before).expect("a file");
            assert_eq!(source().fault(), None);
            fault
        };
        let room = root.path().join("crates/some/src/room");
        let headers = root.path().join(HEADERS);
        for file in [
            room.join("kernels.cu"),
            room.join("kernels.ptx.br"),
            room.join("kernels.sm_90.cubin.br"),
            room.join("kernels.rs"),
            room.join("constants.rs"),
            headers.join("first.cuh"),
            room.join("beside.cuh"),
            room.join("../above.cuh"),
        ] {
            assert!(
                change(&file).is_some_and(|fault| fault.contains("not of this source")),
                "{}",
                file.display()
            );
        }
        assert_eq!(change(&headers.join("other.cuh")), None);
    }

    #[test]
    fn headers_with_the_same_name_are_rejected() {
        let root = checkout();
        fs::write(root.path().join(HEADERS).join("beside.cuh"), "").expect("a file");
        let said = all_under(root.path()).err().expect("two headers of one name");
        assert!(
            said.contains("crates/some/src/room/beside.cuh: ") && said.ends_with("has that name too"),
            "{said}"
        );
    }
}
