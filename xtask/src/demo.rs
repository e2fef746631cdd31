use crate::process::{Outcome, cargo};

/// Builds everything with the profile that compiles fastest, and runs `arcuate demo` into demo-out/.
pub(crate) fn run(options: &[String]) -> Outcome {
    // Compiling the AVX-512 loops would take a large part of the build time.
    let build =
        ["run", "--quiet", "--profile", "demo", "--package", "arcuate", "--no-default-features", "--"];
    let mut options = [&["demo".to_owned(), "--force".to_owned()], options].concat();
    if !options.iter().any(|option| option == "--out" || option.starts_with("--out=")) {
        options.extend(["--out".to_owned(), "demo-out".to_owned()]);
    }
    cargo(&build, &options)
}
