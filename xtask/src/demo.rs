use crate::process::{Outcome, cargo};

/// Builds everything, for a first look by the profile that compiles soonest, and runs `arcuate demo` into demo-out/.
pub(crate) fn run(options: &[String]) -> Outcome {
    // Loops for AVX-512 too would be a good part of the wait.
    let build =
        ["run", "--quiet", "--profile", "demo", "--package", "arcuate", "--no-default-features", "--"];
    let mut options = [&["demo".to_owned(), "--force".to_owned()], options].concat();
    if !options.iter().any(|option| option == "--out" || option.starts_with("--out=")) {
        options.extend(["--out".to_owned(), "demo-out".to_owned()]);
    }
    cargo(&build, &options)
}
