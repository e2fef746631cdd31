//! Text inputs must be regular files of limited size.

#![cfg(unix)]

use crate::common::{Scratch, small_brain, with_memory_limit};
use std::path::Path;
use std::process::Command;

/// Commands that read a text file called `IT`.
const COMMANDS: &[&str] = &[
    "run dwi.nii.gz --out out --recipe IT --mask mask.nii.gz",
    "fit --list ./IT",
    "fit ./IT dwi.nii.gz --out out",
    "fit csd dwi.nii.gz --responses IT --mask mask.nii.gz --out out",
    "fit tensor dwi.nii.gz --mask mask.nii.gz --out out --gradients IT",
    "fit tensor dwi.nii.gz --mask mask.nii.gz --out out --bval IT --bvec dwi.bvec",
    "convert IT.b out.bvec --reference dwi.nii.gz",
    "info IT.b",
    "fdt_matrix_merge IT out.dot",
    "track samples samples --out out --matrix network --seed-list IT",
    "track samples samples --out out --protocols protocols",
    "track peaks truth_peaks.nii.gz --out out --seed-points IT",
    "connectome truth_streamlines.trx --labels labels.nii.gz --label-names IT --out out",
    "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --mask white_matter.nii.gz --iterations 2 --lesion IT --out out",
    "edit truth_streamlines.trx --out out.tck --weights IT --min-weight 1",
    "simulate kspace --object IT --size 12,12 --out out",
    "simulate --gradients IT --out out",
];

/// Calls `make` with the path of each text input, and writes the other inputs of the commands.
fn prepared(make: &dyn Fn(&Path)) -> Scratch {
    let scratch = Scratch::with(small_brain());
    for name in ["IT", "IT.b", "IT.toml", "protocols/structureList"] {
        let path = scratch.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
    }
    // The command gives warnings because the chains are short.
    let command_result = scratch.run(
        "fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz --method mcmc --burn-in 2 --jumps 4 --interval 2 --out samples",
    );
    assert_eq!(command_result.code, 0, "{}", command_result.errors);
    scratch
}

#[test]
fn devices_and_pipes_are_rejected_as_text_files() {
    let devices = prepared(&|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap());
    let pipes = prepared(&|path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    });
    let folders = prepared(&|path| std::fs::create_dir(path).unwrap());
    for command in COMMANDS {
        for (kind, scratch, problem) in [
            ("device", &devices, "it is not a regular file, but a pipe, a socket or a device"),
            ("pipe", &pipes, "it is not a regular file, but a pipe, a socket or a device"),
            // Some commands accept folders, such as a folder of responses, so their messages differ.
            ("folder", &folders, "error: "),
        ] {
            // A command that reads without end reaches this limit, not the end of the memory of this machine.
            let command_result = with_memory_limit(scratch, 4_000_000, command);
            assert!(
                matches!(command_result.code, 1 | 2),
                "{kind}, {command}: {} {}",
                command_result.code,
                command_result.errors
            );
            assert!(command_result.errors.contains(problem), "{kind}, {command}: {}", command_result.errors);
            assert_eq!(
                command_result.errors.matches("error: ").count(),
                1,
                "{kind}, {command}: {}",
                command_result.errors
            );
        }
    }
}

#[test]
fn text_in_another_encoding_is_rejected_with_advice() {
    let utf_16: Vec<u8> = "0 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, problem) in [
        (
            b"# Gr\xf6\xdfe\n".to_vec(),
            "it is not UTF-8 text: line 1 has the byte 0xF6; save the file as text in UTF-8",
        ),
        (
            utf_16,
            "it holds zero bytes, as text in UTF-16 without a byte order mark does; save the file as text in UTF-8",
        ),
    ] {
        let scratch = prepared(&|path| std::fs::write(path, &bytes).unwrap());
        for command in COMMANDS {
            let command_result = scratch.run(command);
            assert!(
                matches!(command_result.code, 1 | 2),
                "{command}: {} {}",
                command_result.code,
                command_result.errors
            );
            assert!(command_result.errors.contains(problem), "{command}: {}", command_result.errors);
            assert_eq!(
                command_result.errors.matches("error: ").count(),
                1,
                "{command}: {}",
                command_result.errors
            );
        }
    }
}

/// Files and the names of their copies, and a command that reads the copies and has a text result.
const COPIES: [(&[[&str; 2]], &str); 4] = [
    (
        &[["dwi.bval", "NAME.bval"], ["dwi.bvec", "NAME.bvec"]],
        "convert NAME.bvec OUT.b --reference dwi.nii.gz",
    ),
    (&[["dwi.scheme", "NAME.scheme"]], "convert NAME.scheme OUT.b --reference dwi.nii.gz --force"),
    (&[["stick.toml", "NAME.toml"]], "fit --list ./NAME.toml"),
    (
        &[["labels.txt", "NAME.txt"]],
        "connectome truth_streamlines.trx --labels labels.nii.gz --label-names NAME.txt --out OUT",
    ),
];

#[test]
fn byte_order_marks_and_line_ends_do_not_change_results() {
    let scratch = Scratch::with(small_brain());
    scratch.succeed("convert dwi.bvec dwi.scheme --reference dwi.nii.gz");
    scratch.write("stick.toml", scratch.run("fit --list ball-1-stick").output);
    let encodings: [fn(&str) -> Vec<u8>; 3] = [
        |text| text.as_bytes().to_vec(),
        |text| text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        |text| text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ];
    for (files, command) in COPIES {
        let result = |name: &str| {
            let command_result =
                scratch.run(&command.replace("NAME", name).replace("OUT", &format!("out-{name}")));
            assert_eq!(
                (command_result.code, command_result.errors.replace(name, "")),
                (0, String::new()),
                "{command}"
            );
            let table = command.contains("OUT.b");
            let file =
                if table { format!("out-{name}.b") } else { format!("out-{name}/connectome_regions.csv") };
            let written = command.contains("OUT").then(|| scratch.read(&file));
            (command_result.output.replace(name, ""), written)
        };
        let copy = |name: &str, encode: &dyn Fn(&str) -> Vec<u8>| {
            for [from, to] in files {
                let text = String::from_utf8(scratch.read(from)).unwrap();
                scratch.write(&to.replace("NAME", name), encode(&text));
            }
        };
        copy("plain", &|text| text.as_bytes().to_vec());
        let expected = result("plain");
        for (n, end) in ["\n", "\r\n", "\r"].into_iter().enumerate() {
            for (m, encode) in encodings.iter().enumerate() {
                let name = format!("other{n}{m}");
                copy(&name, &|text| encode(&format!("\u{feff}{}", text.replace('\n', end))));
                assert!(result(&name) == expected, "{command}, {end:?}, encoding {m}");
            }
        }
    }
}

/// Source files that read without the check, with the reason.
const OTHER_READERS: &[(&str, &str)] = &[
    ("arcuate-io/src/plain_file.rs", "the check itself"),
    ("arcuate-compute/src/cuda/driver.rs", "a file of the kernel"),
    ("arcuate-pipeline/src/memory.rs", "a file of the kernel"),
    ("arcuate-bids/src/derivatives/staging.rs", "locks a folder"),
    ("arcuate-bids/src/derivatives/describe.rs", "locks a folder"),
    ("arcuate-bids/src/state.rs", "locks a folder"),
    ("arcuate-io/src/atomic_folder.rs", "locks a folder"),
    ("arcuate-io/src/disk.rs", "synchronises a folder"),
    ("arcuate-io/src/abandoned.rs", "locks files of its own"),
    ("arcuate-io/src/recovery.rs", "reads files of its own"),
    ("arcuate-pipeline/src/output.rs", "locks a folder"),
    ("arcuate-bids/src/derivatives/publication.rs", "copies a result of its own"),
    ("arcuate-pipeline/src/companions.rs", "reads the start of a file"),
    ("arcuate-pipeline/src/log_file.rs", "reads the start of a file"),
    ("arcuate/src/commands/setup/names.rs", "a script of its own, after a look at its size"),
    ("arcuate-report/src/viewer/embedded.rs", "a part of the program"),
];

#[test]
fn all_readers_check_for_regular_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut waiting = vec![crates.clone()];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&crates).unwrap().display().to_string();
            let is_tool = ["arcuate-bench", "arcuate-emulation", "arcuate-test-support"];
            if path.is_dir() {
                let is_source = name.matches('/').count() != 1 || name.ends_with("/src");
                if is_source && !name.ends_with("/tests") && !is_tool.contains(&name.as_str()) {
                    waiting.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") && !name.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let is_test = |line: &&str| line.starts_with("#[cfg(") && line.contains("test");
                let code = text.lines().take_while(|line| !is_test(line)).collect::<Vec<_>>();
                let reads = |line: &&str| {
                    let opens = line.split("File::open(").next().unwrap_or_default();
                    let is_file =
                        opens.len() < line.len() && !opens.ends_with(|c: char| c.is_ascii_alphanumeric());
                    !line.trim_start().starts_with("//")
                        && (is_file || line.contains("fs::read(") || line.contains("fs::read_to_string("))
                };
                found.extend(
                    code.into_iter().filter(reads).map(|line| (name.clone(), line.trim().to_owned())),
                );
            }
        }
    }
    // Other files declare these modules as tests.
    let tests = [
        "parameter_names.rs",
        "words.rs",
        "python_functions.rs",
        "python_keywords.rs",
        "page_options.rs",
        "denials.rs",
    ];
    let is_known = |name: &str| {
        OTHER_READERS.iter().any(|(known, _)| *known == name) || tests.iter().any(|test| name.ends_with(test))
    };
    let wrong: Vec<_> = found.iter().filter(|(name, _)| !is_known(name)).collect();
    assert!(
        wrong.is_empty(),
        "read with arcuate_io::open_file, read_small_file or read_text_file: {wrong:#?}"
    );
    for (known, _) in OTHER_READERS {
        assert!(crates.join(known).is_file(), "{known} is no longer there: take it off the list");
    }
}

#[test]
fn too_long_names_are_rejected_before_the_work() {
    let scratch = Scratch::with(small_brain());
    let (name, mask) = ("x".repeat(250), format!("{}.nii.gz", "y".repeat(240)));
    scratch.write(&mask, scratch.read("mask.nii.gz"));
    for command in [
        format!("mask dwi.nii.gz --out {name}.nii.gz"),
        format!("density truth_streamlines.trx --like mask.nii.gz --out {name}.nii.gz"),
        format!("proj_thresh {mask} 0.1"),
    ] {
        let before = scratch.listing(".");
        let command_result = scratch.run(&command);
        assert!(matches!(command_result.code, 1 | 2), "{command}: {}", command_result.errors);
        assert!(
            command_result.errors.contains("a file system takes 255; choose a shorter name"),
            "{command}: {}",
            command_result.errors
        );
        assert!(
            command_result.steps.is_empty() && scratch.listing(".") == before,
            "{command}: {:?}",
            command_result.steps
        );
    }
}
