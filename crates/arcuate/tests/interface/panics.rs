//! A panic of any thread ends the program without unfinished files.

use crate::common::Scratch;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The environment variable that tells the process in which [`panics`] panics its folder.
const FOLDER: &str = "ARCUATE_TEST_OF_PANICS";

/// This function is not a test of its own. [`a_panic_leaves_no_unfinished_file`] runs it in another process.
#[test]
fn panics() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    arcuate::program::end_on_panic();
    let mut file = arcuate_io::AtomicFile::create(&folder.join("new.txt")).unwrap();
    file.write_all(b"half").unwrap();
    assert_eq!(folder.read_dir().unwrap().count(), 2, "the earlier result and the unfinished file");
    // Two threads panic at the same time. One of them ends the process, while the main thread waits for both.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| panic!("a mistake in the code"));
        }
    });
    unreachable!("the process has ended");
}

#[test]
fn a_panic_leaves_no_unfinished_file() {
    let scratch = Scratch::new();
    scratch.write("old.txt", "whole");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "panics::panics", "--nocapture"])
        .env(FOLDER, scratch.path(""))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(101), "{errors}");
    assert_eq!(errors.matches("a mistake in the code").count(), 1, "{errors}");
    let names: Vec<_> =
        scratch.path("").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["old.txt"]);
}
