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
    let bench = Bench::new("some_launches", 0).expect("the emulation is there");
    let mut values = bench.gpu.alloc::<u32>(4).unwrap();
    for _ in 0..3 {
        bench.run("emulation_increment", Grid::row(1, 4), &arguments![&mut values, 4_u32]).unwrap();
    }
    assert_eq!(values.to_vec(&bench.stream).unwrap(), [3; 4]);
}

/// [`some_launches`] in a process with this setting; nothing where the emulated device is not the one under test.
fn with(setting: (&str, &str)) -> Option<Output> {
    let there = arcuate_emulation::available("broken families") && arcuate_emulation::emulated();
    there.then(|| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "some_launches", "--nocapture"])
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
    let Some(output) = with(("ARCUATE_EMULATION_BREAK", OWN)) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("it takes 3 arguments and was given 2"), "{said}");

    let other = "crates/arcuate-compute/src/random/kernels.cu";
    let output = with(("ARCUATE_EMULATION_BREAK", other)).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_family_that_is_not_there_cannot_be_broken() {
    let Some(output) = with(("ARCUATE_EMULATION_BREAK", "crates/nobody/kernels.cu")) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("crates/nobody/kernels.cu is no family"), "{said}");
    assert!(said.contains(OWN), "{said}");
}

#[test]
fn families_are_logged_at_their_first_launch() {
    let log = std::env::temp_dir().join(format!("arcuate-emulation-{}", std::process::id()));
    let Some(output) = with(("ARCUATE_EMULATION_LAUNCHES", log.to_str().unwrap())) else { return };
    let logged = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(logged, format!("{OWN}\n"));

    let output = with(("ARCUATE_EMULATION_LAUNCHES", "/no such folder/log")).unwrap();
    assert!(!output.status.success(), "a log that cannot be written was not missed");
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
