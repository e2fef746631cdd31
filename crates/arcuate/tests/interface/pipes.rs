//! `-` instead of a file, and maps in other formats.

#![cfg(unix)]

use crate::common::{Scratch, small_brain};
use std::path::Path;
use std::process::{Command, Output};

/// Runs a line of the shell in which `arcuate` is the program, with a folder of its own for temporary files.
fn shell(scratch: &Scratch, line: &str) -> Output {
    let folder = Path::new(env!("CARGO_BIN_EXE_arcuate")).parent().unwrap();
    std::fs::create_dir_all(scratch.path("passing")).unwrap();
    Command::new("sh")
        .args(["-c", line])
        .current_dir(scratch.path(""))
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default()))
        .env("MRTRIX_TMPFILE_DIR", scratch.path("passing"))
        .output()
        .unwrap()
}

/// Runs a line that succeeds and leaves nothing on its way.
fn succeed(scratch: &Scratch, line: &str) -> String {
    let output = shell(scratch, line);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("error: "), "{line}: {errors}");
    assert_eq!(scratch.listing("passing"), [""; 0], "{line} left something behind");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn images_and_tractograms_are_piped_between_commands() {
    let scratch = Scratch::with(small_brain());
    for line in [
        "arcuate mask dwi.nii.gz --out named.nii.gz",
        "arcuate mask dwi.nii.gz --out - | arcuate convert - piped.nii.gz",
        "arcuate convert dwi.nii.gz - | arcuate fit tensor - --mask mask.nii.gz --out tensor",
        "arcuate fit tensor dwi.nii.gz --mask mask.nii.gz --out of_file",
        "cat truth_streamlines.trx | arcuate density - --like mask.nii.gz --out whole.nii",
        "arcuate edit truth_streamlines.trx --min-length 30 --out - | arcuate density - --like mask.nii.gz --out some.nii",
        "arcuate edit truth_streamlines.trx --min-length 30 --out long.tck",
        "arcuate density long.tck --like mask.nii.gz --out same.nii",
        "arcuate convert long.tck - | arcuate convert - again.tck",
        "printf '%s\\n' mask.nii.gz | arcuate convert - copy.nii.gz",
    ] {
        succeed(&scratch, line);
    }
    let image = |name: &str| scratch.volume(name);
    for (piped, named) in [
        ("piped.nii.gz", "named.nii.gz"),
        ("tensor/tensor.nii.gz", "of_file/tensor.nii.gz"),
        ("some.nii", "same.nii"),
        ("copy.nii.gz", "mask.nii.gz"),
    ] {
        assert!(image(named).values().iter().any(|value| *value > 0.0), "{named}");
        assert_eq!(image(piped).values(), image(named).values(), "{piped}");
    }
    assert_ne!(image("whole.nii").values(), image("some.nii").values());
    let tracks = |name: &str| scratch.tractogram(name);
    assert_eq!(tracks("again.tck").positions(), tracks("long.tck").positions());
    assert!(scratch.path("mask.nii.gz").exists(), "a file that somebody has named stays");
}

#[test]
fn pipes_transmit_only_a_file_name() {
    let scratch = Scratch::with(small_brain());
    let output = shell(&scratch, "arcuate mask dwi.nii.gz --out -");
    let name = String::from_utf8(output.stdout).unwrap();
    let [file] = scratch.listing("passing").try_into().unwrap();
    assert_eq!(name, format!("{}\n", scratch.path("passing").join(&file).display()));
    assert!(file.starts_with("mrtrix-tmp-"), "{file}");
    assert_eq!(Path::new(&file).extension().unwrap(), "mif");
    let result = String::from_utf8(output.stderr).unwrap();
    assert!(result.contains("voxels inside"), "{result}");
}

#[test]
fn unread_piped_files_are_kept() {
    let scratch = Scratch::with(small_brain());
    scratch.write("there.nii.gz", "mine");
    let piped = "passing/mrtrix-tmp-abc.nii.gz";
    std::fs::create_dir(scratch.path("passing")).unwrap();
    std::fs::copy(scratch.path("mask.nii.gz"), scratch.path(piped)).unwrap();
    for command in [
        // The result is there, its folder cannot be created, an option is wrong, another input is missing.
        "convert - there.nii.gz",
        "convert - mask.nii.gz/new.nii.gz",
        "convert - new.nii.gz --volumes 9",
        "fit tensor - --bval none.bval --bvec none.bvec --out new",
        "info - --no-such-option",
    ] {
        let output = shell(&scratch, &format!("echo {piped} | arcuate {command}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains("error: "), "{command}: {errors}");
        assert_eq!(scratch.listing("passing"), ["mrtrix-tmp-abc.nii.gz"], "{command}");
        let note = format!(
            "{piped}: this file with the input from the pipe is kept; to repeat the command, give this file \
             as input"
        );
        assert!(errors.contains(&note) || command.contains("no-such"), "{command}: {errors}");
    }
    assert_eq!(scratch.text("there.nii.gz"), "mine");
    succeed(&scratch, &format!("echo {piped} | arcuate convert - new.nii.gz"));
    assert!(scratch.path("new.nii.gz").exists());
}

#[test]
fn invalid_pipe_inputs_are_rejected() {
    let scratch = Scratch::with(small_brain());
    for (line, code, message) in [
        (
            "arcuate fit tensor dwi.nii.gz --out - | cat",
            2,
            "standard output: `fit tensor` does not write a single image or tractogram, so it cannot write \
             to a pipe; give a file or folder as --out",
        ),
        (
            "arcuate info - - < mask.nii.gz",
            2,
            "standard input: it brings one file and is asked for more; name the others",
        ),
        (
            "arcuate info - < /dev/null",
            1,
            "standard input: the command before has put nothing into the pipe; pipe an image or a tractogram into it, or the \
             name of one",
        ),
        (
            "arcuate mask not_there.nii.gz --out - | arcuate convert - x.nii",
            1,
            "standard input: the command before has put nothing into the pipe; pipe an image or a tractogram into it, or the \
             name of one",
        ),
    ] {
        // The code of the command that refuses, not that of the last one.
        let output = shell(&scratch, line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(&format!("error: {message}\n")), "{line}: {errors}");
        assert_eq!(scratch.listing("passing"), [""; 0], "{line}");
        if !line.ends_with("| cat") {
            assert_eq!(output.status.code(), Some(code), "{line}");
        }
    }
    // A command that failed has removed its unfinished file.
    scratch.write("half.mif", "mrtrix image\ndim: 4,4\n");
    assert!(!shell(&scratch, "cat half.mif | arcuate convert - x.nii").status.success());
    assert_eq!(scratch.listing("passing"), [""; 0]);
}

#[test]
fn maps_have_the_requested_format() {
    let scratch = Scratch::with(small_brain());
    let common = "run dwi.nii.gz --mask mask.nii.gz --select 50";
    scratch.succeed(&format!("{common} --out gz"));
    for format in ["nii", "mif"] {
        let out = format!("out_{format}");
        scratch.succeed(&format!("{common} --format {format} --out {out}"));
        let names = |folder: &str| -> Vec<String> { scratch.listing(folder) };
        let expected: Vec<String> =
            names("gz").iter().map(|name| name.replace(".nii.gz", &format!(".{format}"))).collect();
        let mut expected = expected;
        expected.sort();
        assert_eq!(names(&out), expected);
        for name in names("gz").iter().filter(|name| name.ends_with(".nii.gz")) {
            let other = format!("{out}/{}", name.replace(".nii.gz", &format!(".{format}")));
            let [a, b] = [format!("gz/{name}"), other].map(|name| scratch.volume(&name));
            assert_eq!(a.values(), b.values(), "{name}");
        }
        let page = |folder: &str| scratch.text(&format!("{folder}/report.html")).matches("<figure").count();
        assert_eq!(page(&out), page("gz"), "all pictures are there");
        // Samples are found again whatever their format is.
        scratch.succeed(&format!(
            "fit ball-2-sticks dwi.nii.gz --mask white_matter.nii.gz --method mcmc --burn-in 5 --jumps 10 --interval 5 \
             --format {format} --out s_{format}"
        ));
        scratch.succeed(&format!(
            "track samples s_{format} --seeds 100 --products visits --format {format} --out v_{format}"
        ));
        assert!(scratch.path(&format!("v_{format}/visits.{format}")).exists());
    }
    scratch.fail(
        "track samples s_mif --seeds 100 --format mif --out t.tck",
        2,
        "error: --format: no maps are written to a folder, so this format has no effect; leave it out, or \
         give a folder for --products \
         visits",
    );
}
