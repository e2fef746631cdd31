use crate::process::{Outcome, cargo};

/// Builds the parts of the program that the demo needs with the profile that compiles fastest, and runs `arcuate demo` into
/// demo-out/.
pub(crate) fn run(options: &[String]) -> Outcome {
    // The other features, such as signal models and the AVX-512 loops, would take most of the build time.
    let build = ["run", "--quiet", "--profile", "demo", "--package", "arcuate", "--no-default-features"];
    let one_width: &[&str] = if has_avx2() { &["--features", "one-width"] } else { &[] };
    let mut options = [&["demo".to_owned(), "--force".to_owned()], options].concat();
    if !options.iter().any(|option| option == "--out" || option.starts_with("--out=")) {
        options.extend(["--out".to_owned(), "demo-out".to_owned()]);
    }
    cargo(&[&build[..], one_width, &["--"]].concat(), &options)
}

/// Returns true if this processor has the instruction set for which the feature `one-width` compiles loops.
fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}
