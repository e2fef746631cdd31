//! Progress on a terminal and in a log.

use crate::common::{Scratch, small_brain};
use arcuate_io::{WriteOptions, read_volume, write_image};
use std::ffi::OsStr;

/// A fit of chains that takes at least some tenths of a second.
const CHAINS: &str = "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --method mcmc --burn-in 50 --jumps 100 --interval 50 --out out \
                      --threads 1";

/// Writes a log line every 0.01 s.
const OFTEN: (&str, &str) = ("ARCUATE_LOG_INTERVAL", "0.01");

/// Returns the percentages in the log lines of one step.
fn shares<'a>(lines: impl Iterator<Item = &'a str>, part: &str) -> Vec<u32> {
    let of_line = |line: &str| {
        let (share, rest) = line.strip_prefix(part)?.split_once(" %, ")?;
        assert!(rest.ends_with(" left") || rest.ends_with(" so far"), "{line}");
        share.parse().ok()
    };
    lines.filter_map(of_line).collect()
}

/// Fails unless the percentages increase.
fn assert_rising(shares: &[u32], result: &[impl AsRef<str>]) {
    let result: Vec<&str> = result.iter().map(AsRef::as_ref).collect();
    assert!(shares.is_sorted() && shares.iter().all(|share| *share <= 100), "{result:?}");
    assert!(shares.first() < shares.last(), "{result:?}");
}

#[test]
fn logs_report_percentage_and_remaining_time() {
    let scratch = Scratch::with(small_brain());
    let result = scratch.run_with(CHAINS, &[(OFTEN.0, OsStr::new(OFTEN.1))]);
    assert_eq!((result.code, result.errors.as_str()), (0, ""));
    assert_rising(&shares(result.steps.iter().map(String::as_str), "fit: sample: "), &result.steps);
    // The default interval is 30 s, so no line is expected. `--quiet` disables all output.
    let result = scratch.run(&format!("{CHAINS} --force"));
    assert!(shares(result.steps.iter().map(String::as_str), "fit: sample: ").is_empty());
    let result = scratch.run_with(&format!("{CHAINS} --force --quiet"), &[(OFTEN.0, OsStr::new(OFTEN.1))]);
    assert_eq!((result.code, result.steps.len(), result.errors + &result.output), (0, 0, String::new()));
}

#[test]
fn invalid_progress_intervals_are_rejected() {
    let scratch = Scratch::new();
    for wrong in ["0", "-1", "often", "nan", "1e300"] {
        let result = scratch.run_with("setup devices", &[(OFTEN.0, OsStr::new(wrong))]);
        let expected = format!(
            "error: ARCUATE_LOG_INTERVAL: `{wrong}` is not a number of seconds of at least 0.01; give the \
             seconds between two lines of the log, or unset the variable\n"
        );
        assert_eq!((result.code, result.errors), (2, expected));
    }
}

#[test]
fn bedpostx_reports_progress_on_standard_output() {
    let scratch = Scratch::with(small_brain());
    std::fs::create_dir(scratch.path("sub")).unwrap();
    for (from, to) in [
        ("dwi.nii.gz", "data.nii.gz"),
        ("mask.nii.gz", "nodif_brain_mask.nii.gz"),
        ("dwi.bval", "bvals"),
        ("dwi.bvec", "bvecs"),
    ] {
        std::fs::copy(scratch.path(from), scratch.path("sub").join(to)).unwrap();
    }
    let result = scratch.run_with(
        "bedpostx sub -n 1 -model 1 -b 50 -j 100 -s 50",
        &[(OFTEN.0, OsStr::new(OFTEN.1)), ("ARCUATE_THREADS", OsStr::new("1"))],
    );
    assert_eq!((result.code, result.errors.as_str(), result.steps.len()), (0, "", 0), "{}", result.output);
    let lines: Vec<&str> = result.output.lines().collect();
    assert_rising(&shares(lines.iter().copied(), "bedpostx: sample: "), &lines);
}

/// Returns a brain in which one measurement is 0 in half of the voxels. A fit warns of this.
fn brain_with_zeros() -> Scratch {
    let scratch = Scratch::with(small_brain());
    let path = scratch.path("dwi.nii.gz");
    let mut dwi = read_volume(&path).unwrap();
    let mask = scratch.volume("mask.nii.gz");
    let inside: Vec<usize> = (0..mask.grid().len()).filter(|&voxel| mask.values()[voxel] > 0.5).collect();
    for &voxel in &inside[..inside.len() / 2] {
        dwi.voxel_mut(voxel)[3] = 0.0;
    }
    write_image(&path, &dwi, &WriteOptions::default()).unwrap();
    scratch
}

/// Rows and columns of a terminal that is wide enough for all lines.
#[cfg(unix)]
const SIZE: [u16; 2] = [40, 400];

/// Returns the final content of the screen, and everything that the command wrote to the terminal.
#[cfg(unix)]
fn on_a_terminal(scratch: &Scratch, arguments: &str) -> (String, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};
    use std::fs::{File, OpenOptions};
    use std::io::Read;
    use std::num::NonZero;
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let [ws_row, ws_col] = SIZE;
    tcsetwinsize(&controller, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let terminal = OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("arcuate"));
    command.args(arguments.split_whitespace()).current_dir(scratch.path("")).env("TERM", "xterm");
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
    let mut child = command.spawn().unwrap();
    // Only the child process keeps the terminal open now.
    drop(command);
    let mut bytes = Vec::new();
    // Reading fails when no process has the other end of the terminal open.
    let _ = File::from(controller).read_to_end(&mut bytes);
    assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&bytes));
    let [rows, columns] = SIZE.map(|size| NonZero::new(size).unwrap());
    let mut screen = vt100::Parser::new(rows, columns, 0);
    screen.process(&bytes);
    (screen.screen().contents(), String::from_utf8_lossy(&bytes).into_owned())
}

/// All frames of the spinner.
#[cfg(unix)]
const SPINNERS: &str = "⠁⠂⠄⡀⢀⠠⠐⠈";

#[cfg(unix)]
#[test]
fn spinners_are_cleared_before_warnings() {
    let scratch = brain_with_zeros();
    let (screen, written) = on_a_terminal(&scratch, "fit tensor dwi.nii.gz --mask mask.nii.gz --out out");
    assert!(SPINNERS.chars().any(|turned| written.contains(turned)), "no spinner turned: {written:?}");
    assert!(written.contains("fit the tensor"), "{written:?}");
    let lines: Vec<&str> = screen.lines().filter(|line| !line.is_empty()).collect();
    assert!(
        lines.iter().any(|line| line.starts_with("warning: ") && line.contains("at or near zero")),
        "{screen}"
    );
    for line in &lines {
        assert!(
            !line.contains("fit the tensor") && !SPINNERS.chars().any(|turned| line.contains(turned)),
            "{screen}"
        );
    }
    assert!(lines.last().is_some_and(|line| line.ends_with("maps in out")), "{screen}");
}

#[cfg(unix)]
#[test]
fn chains_show_a_progress_bar() {
    let scratch = Scratch::with(small_brain());
    let (screen, written) = on_a_terminal(&scratch, CHAINS);
    assert!(written.contains("sample") && written.contains(" % "), "{written:?}");
    assert!(!screen.contains(" % ") && screen.contains("maps in out"), "{screen}");
    assert!(on_a_terminal(&scratch, &format!("{CHAINS} --force --quiet")).1.is_empty());
}
