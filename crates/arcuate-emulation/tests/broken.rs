//! Families of kernels that are broken on request, and the log of those that were launched: in processes of their own,
//! for both are asked for in the environment.

#![allow(unsafe_code)]

mod common;

use arcuate_compute::arguments;
use arcuate_compute::cuda::Grid;
use common::Bench;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OWN: &str = "crates/arcuate-emulation/src/kernels.cu";

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

/// A test run in a process with this setting; nothing where the emulated device is not the one under test.
fn with(test: &str, setting: (&str, &str)) -> Option<Output> {
    let there = arcuate_emulation::available("broken families") && arcuate_emulation::emulated();
    there.then(|| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", test, "--nocapture"])
            // What the tests of this process are asked for is not for those who ask themselves.
            .env_remove("ARCUATE_EMULATION_BREAK")
            .env_remove("ARCUATE_EMULATION_LAUNCHES")
            .env(setting.0, setting.1)
            .output()
            .unwrap()
    })
}

#[test]
fn no_launch_of_a_broken_family_succeeds() {
    let Some(output) = with("some_launches", ("ARCUATE_EMULATION_BREAK", OWN)) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("it takes 3 arguments and was given 2"), "{said}");

    let other = "crates/arcuate-compute/src/random/kernels.cu";
    let output = with("some_launches", ("ARCUATE_EMULATION_BREAK", other)).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_family_that_is_not_there_cannot_be_broken() {
    let setting = ("ARCUATE_EMULATION_BREAK", "crates/nobody/kernels.cu");
    let Some(output) = with("some_launches", setting) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("crates/nobody/kernels.cu is no family"), "{said}");
    assert!(said.contains(OWN), "{said}");
}

#[test]
fn families_are_noted_at_their_first_launch() {
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
fn every_file_of_kernels_is_a_family() {
    if !arcuate_emulation::available("every_file_of_kernels_is_a_family") || !arcuate_emulation::emulated() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut files);
    }
    let shown = |file: &PathBuf| file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    let mut files: Vec<String> = files.iter().map(shown).collect();
    files.sort();
    assert!(files.iter().any(|file| file == OWN), "{files:?}");
    assert_eq!(arcuate_emulation::families(), files);
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
