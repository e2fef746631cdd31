//! Tests that the sanitizers detect errors in kernels. They run only if the emulation has sanitizers (`cargo
//! xtask sanitize`).

use crate::common::Bench;
use arcuate_compute::arguments;
use arcuate_compute::cuda::Grid;
use std::process::Command;

/// Returns the error output of another process that runs one of the planted errors.
fn report_of(planted: &str) -> Option<String> {
    if !arcuate_emulation::sanitized() {
        eprintln!("skipped {planted}: the emulation carries no sanitizer");
        return None;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", &format!("sanitizers::{planted}"), "--nocapture"])
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "nothing stopped the planted mistake: {report}");
    assert!(report.contains("kernels.cu"), "the place is not named: {report}");
    Some(report)
}

fn run(name: &str, at: u32) {
    let bench = Bench::new(name, 0).expect("the sanitized emulation is there");
    let mut out = bench.gpu.alloc::<u32>(20).unwrap();
    match name {
        "emulation_wrong_shared" => bench.run(name, Grid::row(1, 1).shared(64), &arguments![at]),
        "emulation_wrong_read" => {
            let data = bench.gpu.alloc::<u32>(20).unwrap();
            bench.run(name, Grid::row(1, 1), &arguments![&data, &mut out, at])
        }
        _ => bench.run(name, Grid::row(1, 16), &arguments![&mut out, at]),
    }
    .unwrap();
}

macro_rules! planted {
    ($mistake:ident, $kernel:literal, $right:literal, $wrong:literal) => {
        #[test]
        #[ignore = "a planted mistake that ends the process"]
        fn $mistake() {
            run($kernel, $right);
            eprintln!("so far all is well");
            run($kernel, $wrong);
        }
    };
}

planted!(planted_write, "emulation_wrong_place", 19, 20);
planted!(planted_read, "emulation_wrong_read", 19, 21);
planted!(planted_shared_write, "emulation_wrong_shared", 15, 16);
planted!(planted_static_shared_read, "emulation_wrong_index", 3, 4);

#[test]
fn global_and_shared_memory_are_watched() {
    for mistake in ["planted_write", "planted_read", "planted_shared_write"] {
        let Some(report) = report_of(mistake) else { return };
        assert!(report.contains("so far all is well"), "{report}");
        assert!(report.contains("AddressSanitizer: heap-buffer-overflow"), "{mistake}: {report}");
    }
}

#[test]
fn indices_of_static_shared_arrays_are_watched() {
    let Some(report) = report_of("planted_static_shared_read") else { return };
    assert!(report.contains("so far all is well"), "{report}");
    assert!(report.contains("index 4 out of bounds"), "{report}");
}
