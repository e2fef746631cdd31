//! Selects the files whose text is checked, and determines the kind of each text.

use super::code::{self, Kinds, Language};
use super::markdown::{self, Indented};
use super::pages;
use super::passages::{Kind, Passage};
use super::script::{self, LongLiteral};
use crate::process;

/// A generated file states that it is generated in these lines.
const LINES_OF_HEAD: usize = 5;

/// Ends of the names of files that are generated. Their text is read in the source that they are generated from.
const GENERATED: [&str; 8] = [
    "/kernels.rs",
    "/constants.rs",
    "python/arcuate/commands.py",
    "template/figures.js",
    "oracles/last_run.md",
    ".snap",
    "package-lock.json",
    "Cargo.lock",
];

/// Returns whether the first lines of a file state that it is generated.
pub(super) fn is_generated(text: &str) -> bool {
    let head = || text.lines().take(LINES_OF_HEAD);
    head().any(|line| line.contains("Generated from")) && head().any(|line| line.contains("Do not edit"))
}

/// Folders with texts that other authors wrote: licences.
const OF_OTHERS: [&str; 1] = ["viewer/licences/"];

/// Ends of the names of files with help of commands and options.
const HELP: [&str; 4] = ["args.rs", "options.rs", "parameters.rs", "help.rs"];

/// Returns the names of files in the checkout, tracked or new, that `paths` select. Without paths, returns
/// all files.
pub(super) fn names(paths: &[String]) -> Result<Vec<String>, String> {
    let output = process::in_root("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
        .args(paths)
        .output()
        .map_err(|e| format!("git cannot be run ({e})"))?;
    if !output.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    let mut names: Vec<String> = listed.split('\0').filter(|name| is_read(name)).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// True if the text of the file is checked.
pub(super) fn is_read(name: &str) -> bool {
    let is_skipped = GENERATED.iter().any(|end| name.ends_with(end))
        || OF_OTHERS.iter().any(|folder| name.starts_with(folder))
        || name.contains("LICENSE");
    !is_skipped && Format::of(name).is_some()
}

#[derive(Clone, Copy)]
enum Format {
    Markdown,
    Notebook,
    Schema,
    Template,
    Code(Language),
    Python,
    Toml,
    /// A file in which only comments after `#` are read.
    Comments,
}

impl Format {
    fn of(name: &str) -> Option<Self> {
        let file = name.rsplit('/').next().unwrap_or(name);
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        Some(match ending {
            "md" => Self::Markdown,
            "ipynb" => Self::Notebook,
            "json" if file.ends_with(".schema.json") => Self::Schema,
            "html" => Self::Template,
            "rs" => Self::Code(Language::Rust),
            "cu" | "cuh" | "h" | "cpp" | "inc" => Self::Code(Language::Cpp),
            "js" | "mjs" | "nf" => Self::Code(Language::JavaScript),
            "css" => Self::Code(Language::Css),
            "py" | "pyi" => Self::Python,
            "toml" => Self::Toml,
            "sh" | "yml" | "yaml" | "def" => Self::Comments,
            _ if name == ".ci/run" || file == "Dockerfile" => Self::Comments,
            _ => return None,
        })
    }
}

/// Returns the kinds of the texts of a file, from its name.
fn kinds(name: &str) -> Kinds {
    let is_rust = name.rsplit('.').next() == Some("rs");
    let is_help = is_rust
        && (name.contains("/commands/")
            || name.contains("/fsl/")
            || HELP.iter().any(|end| name.ends_with(end)));
    let is_package = name.starts_with("crates/arcuate-python/python/");
    let of_tests = ["/tests/", "/test/", "/benches/"].iter().any(|folder| name.contains(folder))
        || name.ends_with("tests.rs")
        || name.contains("/tests_");
    Kinds {
        documentation: if is_help || is_package { Kind::Help } else { Kind::Comments },
        comments: Kind::Comments,
        strings: if is_help { Some(Kind::Help) } else { (!of_tests).then_some(Kind::Strings) },
        strings_of_tests: is_help,
    }
}

/// Returns the passages of text in a file.
pub(super) fn passages(name: &str, text: &str) -> Vec<Passage> {
    let Some(format) = Format::of(name) else { return Vec::new() };
    match format {
        Format::Markdown => {
            let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line));
            markdown::passages(lines, Kind::Docs, Indented::Code)
        }
        Format::Notebook => pages::of_notebook(text),
        Format::Schema => pages::of_schema(text),
        Format::Template => pages::of_template(text),
        Format::Code(language) => {
            let kinds = kinds(name);
            let strings = kinds.strings.filter(|_| language != Language::Css);
            code::passages(text, language, Kinds { strings, ..kinds })
        }
        Format::Python => {
            let kinds = kinds(name);
            let is_package = kinds.documentation == Kind::Help;
            let long = if is_package { LongLiteral::Docstring } else { LongLiteral::Script };
            script::with_literals(text, kinds, long)
        }
        Format::Toml => script::with_literals(text, kinds(name), LongLiteral::Formula),
        Format::Comments => script::comments(text, Kind::Comments),
    }
}
