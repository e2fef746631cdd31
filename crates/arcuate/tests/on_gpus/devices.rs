//! Tests of how the command line lists, opens and limits devices, with an emulated NVIDIA driver.

use crate::common::{CommandOutput, Scratch, small_brain};
use std::ffi::OsStr;

/// Runs `arcuate` with the emulated driver and one setting of it. Returns `None` if the emulated driver is not
/// available.
fn run(scratch: &Scratch, arguments: &str, setting: (&str, &str)) -> Option<CommandOutput> {
    let folder = arcuate_emulation::library_folder("setup devices of the command line")?;
    let (name, value) = setting;
    let environment = [("LD_LIBRARY_PATH", folder.as_os_str()), (name, OsStr::new(value))];
    Some(scratch.run_with(arguments, &environment))
}

const TWO: (&str, &str) = ("ARCUATE_EMULATION_DEVICES", "2");

#[test]
fn gpus_are_listed_with_their_properties() {
    let Some(result) = run(&Scratch::new(), "setup devices", TWO) else { return };
    let lines: Vec<&str> = result.output.lines().collect();
    assert_eq!((lines.len(), lines[0].starts_with("cpu "), result.errors.as_str()), (3, true, ""));
    for (number, line) in lines[1..].iter().enumerate() {
        let expected = format!(
            "cuda:{number}   Emulated GPU {number}, 1.00 GiB free of 1.00 GiB, compute capability 9.0, driver "
        );
        assert!(line.starts_with(&expected) && line.contains("CUDA 12.4"), "{line}");
    }
}

#[test]
fn unusable_gpus_are_listed_with_the_reason() {
    let old = "the NVIDIA driver is too old (CUDA 12.2); install one of the 550 series (CUDA 12.4) or newer";
    let weak = "its compute capability 7.0 is below 7.5, the least that Arcuate serves";
    let cases = [("ARCUATE_EMULATION_DRIVER", "12020", old), ("ARCUATE_EMULATION_CAPABILITY", "70", weak)];
    let scratch = Scratch::new();
    for (name, value, reason) in cases {
        let Some(result) = run(&scratch, "setup devices", (name, value)) else { return };
        let line = result.output.lines().nth(1).unwrap();
        assert!(line.starts_with("cuda:0   Emulated GPU 0, 1.00 GiB, compute capability"), "{line}");
        assert!(line.ends_with(&format!(" (cannot be used: {reason})")), "{line}");

        let result = run(&scratch, "setup devices --device cuda", (name, value)).unwrap();
        let error = format!(
            "error: --device cuda:0 (Emulated GPU 0): {reason}; see `arcuate setup devices`, or use --device cpu\n"
        );
        assert_eq!((result.code, result.errors), (2, error));
    }
}

#[test]
fn gpus_are_chosen_by_number() {
    let scratch = Scratch::new();
    for device in ["cuda", "cuda:1", "cuda:1,0", "cuda:0,1 --device-memory 100MiB"] {
        let Some(result) = run(&scratch, &format!("setup devices --device {device}"), TWO) else { return };
        assert_eq!((result.code, result.errors.as_str()), (0, ""), "{device}");
    }
    let result = run(&scratch, "setup devices --device cuda:0,2", TWO).unwrap();
    let error = "error: --device cuda:2: no GPU has this number; this machine has cuda:0 to cuda:1; see \
                 `arcuate setup devices`, or use --device cpu\n";
    assert_eq!((result.code, result.errors.as_str()), (2, error));
}

#[test]
fn commands_without_gpu_implementation_reject_gpus() {
    let scratch = Scratch::with(small_brain());
    let command = |device: &str, out: &str| format!("fit tensor dwi.nii.gz --out {out} -v --device {device}");
    let Some(on_gpu) = run(&scratch, &command("cuda", "gpu"), TWO) else { return };
    let error = "error: --device: `fit tensor` uses only the CPU; remove this option, or give --device cpu\n";
    assert_eq!((on_gpu.code, on_gpu.errors.as_str()), (2, error));
    for device in ["auto", "cpu"] {
        let on_cpu = run(&scratch, &command(device, device), TWO).unwrap();
        assert!(on_cpu.code == 0 && !on_cpu.errors.contains("GPU"), "{}", on_cpu.errors);
        assert!(scratch.text(&format!("{device}/arcuate.json")).contains("\"cpu\""));
    }
    // Each step of a run gets only the options that it has.
    let lines = run(&scratch, "run dwi.nii.gz --out out --device cuda --random-seed 3 --dry-run", TWO)
        .unwrap()
        .output;
    let of = |step: &str| lines.lines().find(|line| line.contains(step)).unwrap().to_owned();
    assert!(!of("fit tensor").contains("--device") && !of("fit tensor").contains("--random-seed"));
    assert!(!of("track tensor").contains("--device") && of("track tensor").ends_with("--random-seed 3"));
    assert!(of("evaluate life").ends_with("--device cuda"));
}

#[test]
fn the_first_usable_gpu_is_used_by_default() {
    let scratch = Scratch::with(small_brain());
    // The solver need not converge, because only the chosen device is tested.
    let command = "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --iterations 5 --out life -v";
    let first_too_old = ("ARCUATE_EMULATION_CAPABILITY", "70,90");
    let Some(result) = run(&scratch, command, first_too_old) else { return };
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(result.errors.contains("computing on cuda:1 (Emulated GPU 1)\n"), "{}", result.errors);
    assert!(scratch.text("life/arcuate.json").contains("\"cuda:1\""));
}

/// COMMIT encodes segments on the CPU. Its products and its solvers run on GPUs.
#[test]
fn commit_weights_agree_on_gpus() {
    let scratch = Scratch::with(small_brain());
    let weights = |device: &str, options: &str| {
        let command = format!(
            "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --peaks truth_peaks.nii.gz --mask white_matter.nii.gz \
             --radial-diffusivities 0.85 --iterations 4 --out out --force {options} --device {device}"
        );
        let result = run(&scratch, &command, TWO)?;
        assert!(result.code == 0 && result.errors.lines().count() == 1, "{}", result.errors);
        let computed_by = scratch.text("out/arcuate.json").contains("the CPU");
        assert_eq!(computed_by, device == "cpu", "{device} {options}");
        Some(arcuate_io::read_weights(&scratch.path("out/commit_weights.txt")).unwrap())
    };
    for options in [
        "--orientations exact --solver fista",
        "--orientations 500 --precision double --solver fista",
        "--regularise lasso --lambda 0.1",
    ] {
        let Some(expected) = weights("cpu", options) else { return };
        let largest = expected.iter().copied().fold(0.0, f64::max);
        for device in ["cuda:0", "cuda:0,1"] {
            let found = weights(device, options).unwrap();
            // The runs do four iterations from the same start. In single precision, their rounding differs.
            let far = expected.iter().zip(&found).filter(|(a, b)| (*a - *b).abs() > 1e-3 * largest).count();
            assert!(largest > 0.0 && far == 0, "{device} {options}: {far} weights differ");
        }
    }
    // The default solver eliminates local unknowns only on the CPU, so its iterations differ on GPUs. Any number of
    // GPUs gives the same bits.
    let options = "--orientations exact";
    let one = weights("cuda:0", options).unwrap();
    assert!(one.iter().any(|weight| *weight > 0.0));
    assert!(weights("cuda:0,1", options).unwrap() == one);
}

/// GPUs compute sums, the kernel Q, products and the solver's vectors. Several GPUs give the same bits as one
/// GPU.
#[test]
fn reconstructions_agree_on_gpus() {
    let scratch = Scratch::new();
    scratch.succeed("simulate kspace --out s --size 12,12 --readouts 9 --coils 2 --snr 100");
    scratch.succeed("simulate kspace --out v --size 8,8,8 --trajectory-kind radial-3d --readouts 60");
    let image = |options: &str, device: &str| {
        let command = format!("recon {options} --out i.cfl --force --device {device}");
        let result = run(&scratch, &command, TWO)?;
        assert!(result.code == 0 && result.errors.is_empty(), "{command}: {}", result.errors);
        let computed_by = scratch.text("i.cfl.json").contains("\"transforms on a GPU\"");
        assert_eq!(computed_by, device != "cpu" && !options.contains("adjoint"), "{command}");
        Some(arcuate_io::read_cfl(&scratch.path("i.cfl")).unwrap())
    };
    let converged = "--lambda 0.3 --tolerance 1e-6 --iterations 300";
    let of_coils = "s/ksp --trajectory s/traj --sensitivities s/sens";
    for (options, tolerance) in [
        // The residual is 1e-6, and the condition number is a few tens.
        (format!("{of_coils} {converged}"), 3e-5),
        (format!("{of_coils} {converged} --regularise differences"), 3e-5),
        // Each channel is reconstructed separately.
        (format!("s/ksp --trajectory s/traj {converged}"), 3e-5),
        (format!("v/ksp --trajectory v/traj {converged} --regularise differences"), 3e-5),
        // The search for λ needs many solutions and finds λ to within 1 %.
        (
            format!(
                "{of_coils} --lambda auto --sigma 0.01 --regularise differences --tolerance 1e-6 --iterations 300"
            ),
            1e-3,
        ),
        // Adjoint in single precision: each number is split into two f16 parts with 22 bits together. Double
        // precision: the files store single precision.
        (format!("{of_coils} --method adjoint"), 3e-6),
        (format!("{of_coils} {converged} --precision double"), 1e-6),
        ("v/ksp --trajectory v/traj --method adjoint --precision double".to_owned(), 1e-6),
    ] {
        let Some(here) = image(&options, "cpu") else { return };
        let there = image(&options, "cuda:0").unwrap();
        let size = here.values().iter().fold(0f32, |maximum, v| maximum.max(v[0].hypot(v[1])));
        let apart = here.values().iter().zip(there.values()).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
        let apart = apart.fold(0f32, f32::max);
        assert!(apart < tolerance * size, "{options}: {apart} of {size}");
        let two = image(&options, "cuda:0,1").unwrap();
        assert!(two.values() == there.values(), "{options}: two GPUs");
        let little = image(&options, "cuda:1 --device-memory 5MiB").unwrap();
        assert!(little.values() == there.values(), "{options}: in little memory");
    }
}
