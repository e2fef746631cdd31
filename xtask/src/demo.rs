use crate::process::{Outcome, cargo};

/// Builds everything, for a first look by the profile that compiles soonest, and runs `arcuate demo` into demo-out/.
pub(crate) fn run(options: &[String]) -> Outcome {
    let arguments = ["run", "--quiet", "--profile", "demo", "--package", "arcuate", "--", "demo", "--force"];
    let mut options = options.to_vec();
    if !options.iter().any(|option| option == "--out" || option.starts_with("--out=")) {
        options.extend(["--out".to_owned(), "demo-out".to_owned()]);
    }
    cargo(&arguments, &options)
}
