//! Finds the kernels of the workspace and their names.

use crate::compiler::Compiler;
use std::path::{Path, PathBuf};

/// A `kernels.cu` file and its kernels.
pub(crate) struct KernelFile {
    pub(crate) path: PathBuf,
    /// Path relative to the root of the workspace, for messages.
    pub(crate) shown: String,
    /// Namespace around the file in the emulation.
    pub(crate) space: String,
    pub(crate) kernels: Vec<String>,
    /// Folders of the file's headers: its own folder, and the folders above it in the sources of its crate.
    pub(crate) headers: Vec<PathBuf>,
}

impl KernelFile {
    pub(crate) fn read(path: &Path, crates: &Path, compiler: &Compiler) -> Self {
        let inner = path.strip_prefix(crates).expect("kernels lie below the crates");
        let words: Vec<&str> =
            inner.iter().filter_map(|part| part.to_str()).filter(|part| *part != "src").collect();
        let space: String = words[..words.len() - 1]
            .join("_")
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect();
        let shown = Path::new("crates").join(inner).display().to_string();
        let own = path.ancestors().skip(1).take_while(|folder| folder.parent() != Some(crates));
        let headers: Vec<PathBuf> = own.map(Path::to_owned).collect();
        let kernels = kernel_names(&compiler.preprocess(path, &headers), &shown);
        Self { path: path.to_owned(), shown, space: format!("kernels_of_{space}"), kernels, headers }
    }
}

/// Finds every `kernels.cu` below `crates/*/src`. Tells cargo which files to watch: the manifests, and the
/// sources of crates that have kernels or use the emulation in tests.
pub(crate) fn find(crates: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in listed(crates) {
        let manifest = folder.join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&manifest) else { continue };
        println!("cargo:rerun-if-changed={}", manifest.display());
        let before = found.len();
        collect(&folder.join("src"), &mut found);
        if found.len() > before || text.contains("arcuate-emulation") {
            println!("cargo:rerun-if-changed={}", folder.join("src").display());
        }
    }
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in listed(folder) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.file_name().is_some_and(|name| name == "kernels.cu") {
            found.push(path);
        }
    }
}

/// Returns the entries of a folder, sorted by name. A missing folder has no entries.
pub(crate) fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    paths.sort();
    paths
}

/// Returns the names of the `extern "C" __global__` functions in preprocessed text.
fn kernel_names(text: &str, shown: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, word) in text.match_indices("__global__") {
        let before = &text[..at];
        let declaration = &before[before.rfind([';', '}', '{']).map_or(0, |end| end + 1)..];
        let name = name_after(&text[at + word.len()..]);
        assert!(
            declaration.contains("extern \"C\"") && !declaration.contains("template"),
            "{shown}: kernel {name} is not declared `extern \"C\" __global__ void {name}(...)`"
        );
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the function name in text such as `void __launch_bounds__(256) name(`. Words and attributes may
/// have any order.
fn name_after(text: &str) -> String {
    let mut rest = text.trim_start();
    loop {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, after) = (&rest[..end], rest[end..].trim_start());
        if word.is_empty() {
            return "without a name".to_owned();
        }
        rest = after;
        if !after.starts_with('(') {
            continue;
        }
        if !word.starts_with("__") {
            return word.to_owned();
        }
        // Skip an attribute and its parentheses.
        let mut depth = 0;
        let close = after.char_indices().find(|&(_, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        rest = close.map_or("", |(at, _)| after[at + 1..].trim_start());
    }
}
