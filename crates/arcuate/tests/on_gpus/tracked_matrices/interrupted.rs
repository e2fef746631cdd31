//! Runs that a full disk ends, and saved state that was changed.

use crate::common::Scratch;
use crate::tracked_matrices::samples;
use std::process::Command;

const LINE: &str = "track samples x.bedpostX --preset probtrackx --seed-mask seeds.nii --per-seed 20 --matrix seeds --resume --out";

/// Runs `arcuate` where no file may have more than some blocks of 512 bytes.
#[cfg(unix)]
fn run_on_small_disk(scratch: &Scratch, words: &str, blocks: usize) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")])
        .arg(assert_cmd::cargo::cargo_bin("arcuate"))
        .args(words.split_whitespace())
        .current_dir(scratch.path("."))
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn a_run_continues_after_a_full_disk_without_force() {
    let scratch = samples();
    scratch.succeed(&format!("{LINE} whole"));
    let results = |folder: &str| {
        let mut files = scratch.files(folder);
        files.remove("arcuate.json").expect("a record");
        files
    };
    let whole = results("whole");
    let largest = whole.values().map(Vec::len).max().unwrap();
    let mut failed = 0;
    for blocks in 0..=largest / 512 {
        let (code, errors) = run_on_small_disk(&scratch, &format!("{LINE} out"), blocks);
        if code != Some(0) {
            failed += 1;
            assert_eq!(
                (code, errors.lines().filter(|line| line.starts_with("error: ")).count()),
                (Some(1), 1),
                "{errors}"
            );
            if scratch.path("out").exists() {
                let left = scratch.listing("out");
                assert!(
                    left.iter().all(|name| name.rsplit_once('.').is_some_and(|(_, ending)| ending == "part")),
                    "{blocks} blocks: {left:?}"
                );
            }
            scratch.succeed(&format!("{LINE} out"));
        }
        assert_eq!(results("out"), whole, "{blocks} blocks");
        std::fs::remove_dir_all(scratch.path("out")).unwrap();
    }
    assert!(failed > 2, "{failed}");
}

#[cfg(unix)]
#[test]
fn changed_saved_rows_and_counts_are_rejected() {
    let scratch = samples();
    scratch.succeed(&format!("{LINE} whole"));
    // The rows and counts are saved, and the results are not written.
    let saved = |blocks: usize| {
        let (code, _) = run_on_small_disk(&scratch, &format!("{LINE} out"), blocks);
        code == Some(1) && scratch.path("out/tracking.part").exists()
    };
    assert!((1..64).any(saved), "a run that ends after it has saved its rows");
    for name in ["tracking.part", "matrix.part"] {
        let path = scratch.path("out").join(name);
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(1 + whole.len() / 24) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, bytes).unwrap();
            let result = scratch.run(&format!("{LINE} out"));
            assert_eq!(result.code, 1, "byte {at} of {name}: {}", result.errors);
            assert!(
                result.errors.starts_with(&format!("error: out/{name}: ")),
                "byte {at}: {}",
                result.errors
            );
            let remedy = "; delete tracking.part and matrix.part in out, and run the command again\n";
            assert!(result.errors.ends_with(remedy), "byte {at} of {name}: {}", result.errors);
        }
        std::fs::write(&path, whole).unwrap();
    }
    scratch.succeed(&format!("{LINE} out"));
}
