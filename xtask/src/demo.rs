use crate::process::{Outcome, cargo};

/// Builds everything and runs `arcuate demo` into demo-out/.
pub(crate) fn run(options: &[String]) -> Outcome {
    let arguments = ["run", "--quiet", "--release", "--package", "arcuate", "--", "demo", "--force"];
    let mut options = options.to_vec();
    if !options.iter().any(|option| option == "--out" || option.starts_with("--out=")) {
        options.extend(["--out".to_owned(), "demo-out".to_owned()]);
    }
    cargo(&arguments, &options)
}
