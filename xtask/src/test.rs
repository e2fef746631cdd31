use crate::broken_kernels;
use crate::process::{self, Outcome};

/// Every test of the workspace; with all of them, and kernels emulated, the proof that they see broken kernels.
pub(crate) fn run(options: &[String]) -> Outcome {
    let (options, on_gpu) = take_device(options)?;
    let mut tests = process::in_root(process::cargo_program());
    tests.args(["test", "--workspace"]).args(&options);
    let beside = process::root().join("../shared/data");
    if std::env::var_os("ARCUATE_DATA").is_some() || beside.is_dir() {
        // Where real scans are, a test that does not find its own is wrong, not skipped.
        tests.env("ARCUATE_DATA_REQUIRED", "1");
    } else {
        eprintln!("xtask: no real scans (set ARCUATE_DATA): the tests that need them check nothing");
    }
    if on_gpu {
        // A GPU that fails at something is a failed test, not work for the processor.
        tests.env("ARCUATE_TEST_DEVICE", "cuda").env("ARCUATE_NO_FALLBACK", "1");
    }
    process::run(&mut tests)?;
    if options.is_empty() && !on_gpu { broken_kernels::run(&[]) } else { Ok(()) }
}

/// The options without `--device`, and whether that asks for the real GPU.
fn take_device(options: &[String]) -> Result<(Vec<String>, bool), String> {
    let mut rest = options.to_vec();
    let Some(at) = rest.iter().position(|option| option == "--device" || option.starts_with("--device="))
    else {
        return Ok((rest, false));
    };
    let option = rest.remove(at);
    let device = match option.strip_prefix("--device=") {
        Some(device) => device.to_owned(),
        None if at < rest.len() => rest.remove(at),
        None => return Err("--device lacks its value: cuda or emulated".to_owned()),
    };
    match device.as_str() {
        "cuda" => Ok((rest, true)),
        "emulated" => Ok((rest, false)),
        other => Err(format!("--device {other}: tests run on cuda (the GPU) or emulated (the default)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_taken_out_of_the_options() {
        let taken =
            |options: &[&str]| take_device(&options.iter().map(|&o| o.to_owned()).collect::<Vec<_>>());
        let two = || vec!["-p".to_owned(), "x".to_owned()];
        assert_eq!(taken(&["-p", "x"]), Ok((two(), false)));
        assert_eq!(taken(&["-p", "--device", "cuda", "x"]), Ok((two(), true)));
        assert_eq!(taken(&["--device=emulated", "-p", "x"]), Ok((two(), false)));
        assert!(taken(&["--device"]).is_err());
        assert!(taken(&["--device", "cpu"]).unwrap_err().contains("cpu"));
    }
}
