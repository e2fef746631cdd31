//! Runs the examples of every help text on a small simulated brain.

use crate::common::{Scratch, listed};
use crate::options::inputs;
use std::path::Path;
use std::process::Command;

/// Returns the example lines of a help text.
fn examples(help: &str) -> Vec<String> {
    let part = help.split("\nExamples:\n").nth(1).unwrap_or_default();
    let lines = part.lines().take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

/// Returns the examples of every command that the help lists, with all subcommands, and of some FSL programs.
fn all() -> Vec<(String, Vec<String>)> {
    let scratch = Scratch::new();
    let mut waiting = listed(&scratch.succeed("--help"));
    waiting.extend(["bedpostx", "xfibres", "dtifit", "probtrackx2"].map(str::to_owned));
    let mut found = Vec::new();
    while let Some(command) = waiting.pop() {
        let help = scratch.succeed(&format!("{command} --help"));
        waiting.extend(listed(&help).into_iter().map(|name| format!("{command} {name}")));
        found.push((command, examples(&help)));
    }
    found.sort();
    found
}

/// Creates a folder with every file that the examples read.
fn ground() -> Scratch {
    let scratch = Scratch::with(&inputs::make());
    let copy = |from: &str, to: &str| {
        std::fs::create_dir_all(scratch.path(to).parent().unwrap()).unwrap();
        std::fs::copy(scratch.path(from), scratch.path(to)).unwrap_or_else(|e| panic!("{from}: {e}"));
    };
    for (from, to) in [
        ("truth_streamlines.trx", "tracks.trx"),
        ("t.tck", "more.tck"),
        ("truth_peaks.nii.gz", "peaks.nii.gz"),
        ("few.nii.gz", "seeds.nii.gz"),
        ("white_matter.nii.gz", "end.nii.gz"),
        ("cortex.nii", "avoid.nii"),
        ("two.b", "table.b"),
        ("labels.nii.gz", "aparc+aseg.nii.gz"),
        ("cortex.nii", "c1.nii"),
        ("cortex.nii", "c2.nii"),
        ("cortex.nii", "c3.nii"),
        ("dwi.nii.gz", "subject/data.nii.gz"),
        ("few.nii.gz", "subject/nodif_brain_mask.nii.gz"),
        ("dwi.bval", "subject/bvals"),
        ("dwi.bvec", "subject/bvecs"),
        ("dwi.nii.gz", "sub/data.nii.gz"),
        ("few.nii.gz", "sub/nodif_brain_mask.nii.gz"),
        ("dwi.bval", "sub/bvals"),
        ("dwi.bvec", "sub/bvecs"),
        ("dwi.nii.gz", "other/data.nii.gz"),
        ("few.nii.gz", "other/nodif_brain_mask.nii.gz"),
        ("dwi.bval", "other/bvals"),
        ("dwi.bvec", "other/bvecs"),
        ("seeds.dot", "fdt_matrix2.dot"),
        ("k/ksp.cfl", "ksp.cfl"),
        ("k/ksp.hdr", "ksp.hdr"),
        ("k/traj.cfl", "traj.cfl"),
        ("k/traj.hdr", "traj.hdr"),
        ("kc/ksp.cfl", "ksp8.cfl"),
        ("kc/ksp.hdr", "ksp8.hdr"),
        ("kc/sens.cfl", "sens.cfl"),
        ("kc/sens.hdr", "sens.hdr"),
    ] {
        copy(from, to);
    }
    std::fs::remove_dir_all(scratch.path("maps")).unwrap();
    scratch.write("regions.txt", "seeds.nii.gz end.nii.gz");
    scratch.write("lesion.txt", "0\n1\n2\n");
    for made in [
        "bedpostx sub -n 1 -b 20 -j 20 -s 5",
        "convert avoid.nii avoid.nii.gz",
        "convert tensor.nii.gz dt.mif",
        "run dwi.nii.gz --mask white_matter.nii.gz --select 20 --evaluate none --out results --force",
    ] {
        let result = scratch.run(made);
        assert_eq!(result.code, 0, "{made}: {}", result.errors);
    }
    copy("work/sub-01/state.json", "derivatives/.arcuate/sub-01/state.json");
    scratch
}

/// Examples that take many seconds, each with the line that runs instead. It has the same options, with other values or with more
/// options that make it faster. `browser-test` runs the demo with its own voxel size.
const SHORTENED: [(&str, &str); 9] = [
    ("arcuate run dwi.nii.gz --out results", "arcuate run dwi.nii.gz --out results --select 300"),
    (
        "arcuate run dwi.nii.gz --labels labels.nii.gz --evaluate none --out connected",
        "arcuate run dwi.nii.gz --labels labels.nii.gz --evaluate none --out connected --select 300",
    ),
    (
        "arcuate bids qsiprep out participant --participant-label 01 --tracking tensor --select 5000",
        "arcuate bids qsiprep out participant --participant-label 01 --tracking tensor --select 200",
    ),
    ("arcuate demo --out demo", "arcuate demo --out demo --voxel-size 8 --select 300"),
    (
        "arcuate demo --voxel-size 5 --select 5000 --out coarse",
        "arcuate demo --voxel-size 8 --select 300 --shells 0:1,1000:12 --out coarse",
    ),
    (
        "arcuate fit ball-2-sticks dwi.nii.gz --mask white_matter.nii.gz --method mcmc --out samples",
        "arcuate fit ball-2-sticks dwi.nii.gz --mask white_matter.nii.gz --method mcmc --burn-in 50 --jumps 50 --out samples",
    ),
    ("arcuate simulate --out brain", "arcuate simulate --out brain --voxel-size 6"),
    (
        "arcuate simulate --gradients table.b --snr 20 --out like-a-scan",
        "arcuate simulate --gradients table.b --snr 20 --out like-a-scan --voxel-size 6",
    ),
    (
        "arcuate simulate --shells 0:6,700:16,2800:30 --tissues --voxel-size 4 --out tissues",
        "arcuate simulate --shells 0:6,700:16,2800:30 --tissues --voxel-size 7 --out tissues",
    ),
];

/// Files and folders that other examples read, with the command whose examples create them.
const MADE_BEFORE: [(&str, &str); 4] =
    [("samples", "fit"), ("results", "run"), ("tracks.trx", "track"), ("tracks.trx", "track tensor")];

#[cfg(unix)]
#[test]
fn every_help_example_runs() {
    let ground = ground();
    let folder = Path::new(env!("CARGO_BIN_EXE_arcuate")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let before = ground.files(".");
    let (mut failed, mut shortened) = (Vec::new(), Vec::new());
    for (command, lines) in all() {
        assert!(command == "setup" || (1..=3).contains(&lines.len()), "{command}: {lines:?}");
        // For each command, the folder has only the prepared files.
        let scratch = Scratch::with(&before);
        for (name, of) in MADE_BEFORE {
            if command == of {
                let path = scratch.path(name);
                if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
                    .unwrap();
            }
        }
        for line in &lines {
            let faster = SHORTENED.into_iter().find(|(example, _)| example == line);
            shortened.extend(faster.map(|(example, _)| example));
            let line = faster.map_or(line.as_str(), |(_, faster)| faster);
            let started = std::time::Instant::now();
            let output = Command::new("sh")
                .args(["-c", &format!("set -e; {line}")])
                .current_dir(scratch.path(""))
                .env("PATH", &path)
                .output()
                .unwrap();
            println!("{:6.2} s  {line}", started.elapsed().as_secs_f64());
            let errors = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() || errors.contains("error: ") {
                failed.push(format!("{line}\n{errors}"));
            }
        }
    }
    shortened.sort_unstable();
    let mut expected = SHORTENED.map(|(example, _)| example);
    expected.sort_unstable();
    assert_eq!(shortened, expected, "one of these is no example any more");
    for (example, faster) in SHORTENED {
        let lost = example.split(' ').find(|word| word.starts_with("--") && !faster.contains(word));
        assert_eq!(lost, None, "`{faster}` lacks an option of the example");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
