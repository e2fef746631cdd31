//! Tests of broken and idle kernels and of the log of launched kernels. Each test runs in a process of its
//! own, because environment variables request these faults.

use crate::common::Bench;
use arcuate_compute::arguments;
use arcuate_compute::cuda::Grid;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OWN: &str = "emulation_increment";

#[test]
#[ignore = "run by the other tests"]
fn some_launches() {
    launch(&Bench::new("some_launches", 0).expect("the emulation is there"));
}

#[test]
#[ignore = "run by the other tests"]
fn some_launches_that_may_fall_back() {
    launch(&Bench::with_fallback("some_launches_that_may_fall_back").expect("the emulation is there"));
}

fn launch(bench: &Bench) {
    let mut values = bench.gpu.alloc::<u32>(4).unwrap();
    for _ in 0..3 {
        bench.run("emulation_increment", Grid::row(1, 4), &arguments![&mut values, 4_u32]).unwrap();
    }
    assert_eq!(values.to_vec(&bench.stream).unwrap(), [3; 4]);
}

/// Runs a test in a process with an environment variable. Returns `None` if the device under test is a real
/// GPU.
fn with(test: &str, setting: (&str, &str)) -> Option<Output> {
    let there = arcuate_emulation::available("broken kernels") && arcuate_emulation::emulated();
    there.then(|| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", &format!("broken::{test}"), "--nocapture"])
            // The child process must not inherit faults that this process was started with.
            .env_remove("ARCUATE_EMULATION_BREAK")
            .env_remove("ARCUATE_EMULATION_IDLE")
            .env_remove("ARCUATE_EMULATION_LAUNCHES")
            .env(setting.0, setting.1)
            .output()
            .unwrap()
    })
}

#[test]
fn no_launch_of_a_broken_kernel_succeeds() {
    let Some(output) = with("some_launches", ("ARCUATE_EMULATION_BREAK", OWN)) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("it takes 3 arguments and was given 2"), "{errors}");
}

#[test]
fn launches_of_an_idle_kernel_succeed_and_do_nothing() {
    let Some(output) = with("some_launches", ("ARCUATE_EMULATION_IDLE", OWN)) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    // The buffer keeps its initial zeros.
    assert!(!output.status.success() && errors.contains("left: [0, 0, 0, 0]"), "{errors}");
}

#[test]
fn other_kernels_work() {
    for variable in ["ARCUATE_EMULATION_BREAK", "ARCUATE_EMULATION_IDLE"] {
        let Some(output) = with("some_launches", (variable, "sort_tile_sums")) else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = with("some_launches", (variable, "nobodys_kernel")).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains("nobodys_kernel is no kernel"), "{errors}");
        assert!(errors.contains(OWN), "{errors}");
    }
}

#[test]
fn kernels_are_recorded_at_their_first_launch() {
    let notes = std::env::temp_dir().join(format!("arcuate-emulation-{}", std::process::id()));
    let by_a_fallback = format!("fallback allowed\n{OWN}\n");
    for (test, expected) in
        [("some_launches", format!("{OWN}\n")), ("some_launches_that_may_fall_back", by_a_fallback)]
    {
        let setting = ("ARCUATE_EMULATION_LAUNCHES", notes.to_str().unwrap());
        let Some(output) = with(test, setting) else { return };
        let noted = std::fs::read_to_string(&notes).unwrap_or_default();
        let _ = std::fs::remove_file(&notes);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(noted, expected);
    }
    let output = with("some_launches", ("ARCUATE_EMULATION_LAUNCHES", "/no such folder/notes")).unwrap();
    assert!(!output.status.success(), "notes that cannot be written were not missed");
}

#[test]
fn every_file_of_kernels_is_emulated() {
    if !arcuate_emulation::available("every_file_of_kernels_is_emulated") || !arcuate_emulation::emulated() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut files);
    }
    let shown = |file: &PathBuf| file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    let mut files: BTreeSet<String> = files.iter().map(shown).collect();
    files.insert("written at run time".to_owned());
    let kernels = arcuate_emulation::kernels();
    let of_kernels: BTreeSet<String> = kernels.iter().map(|[_, file]| file.clone()).collect();
    assert_eq!(of_kernels, files);
    let own = kernels.iter().find(|[name, _]| name == OWN).unwrap();
    assert_eq!(own[1], "crates/arcuate-emulation/src/kernels.cu");
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.file_name().is_some_and(|name| name == "kernels.cu") {
            found.push(path);
        }
    }
}
