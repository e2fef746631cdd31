use crate::outcome::Outcome;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Returns the path of the file `name` of the real scan that the benchmarks use. Returns an error if it does
/// not exist.
pub(crate) fn scan(name: &str) -> Outcome<PathBuf> {
    arcuate_test_support::real_data(&format!("philips_dwi/{name}"))
        .ok_or_else(|| format!("philips_dwi/{name} is not there").into())
}

/// Returns the path of the program `arcuate` in the folder of this benchmark program. Both programs are
/// therefore built with the same build profile.
pub(crate) fn arcuate() -> Outcome<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("arcuate");
    if path.exists() {
        Ok(path)
    } else {
        Err("build it first: cargo build --release --package arcuate".into())
    }
}

/// Runs a command without its output.
pub(crate) fn quietly(command: &mut Command) -> Outcome {
    let output = command.stdin(Stdio::null()).output();
    let name = Path::new(command.get_program()).display().to_string();
    let output = output.map_err(|e| format!("{name} cannot be run ({e})"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
}

/// Writes the real scan with its gradient table to an uncompressed `.mif` file in `folder`, so that
/// decompression is not timed. Returns the path of this file.
pub(crate) fn uncompressed_scan(folder: &Path) -> Outcome<PathBuf> {
    let out = folder.join("dwi.mif");
    let mut command = Command::new("mrconvert");
    command.arg(scan("dwi.nii.gz")?).arg(&out).arg("-fslgrad").args([scan("dwi.bvec")?, scan("dwi.bval")?]);
    command.args(["-datatype", "float32", "-strides", "0,0,0,1", "-quiet", "-force"]);
    quietly(&mut command)?;
    Ok(out)
}

/// Returns the time of `work` in seconds.
pub(crate) fn seconds(work: impl FnOnce() -> Outcome) -> Outcome<f64> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed().as_secs_f64())
}

/// Returns the CPU time of all threads of this program in seconds. Returns `None` if the system does not
/// report it (only Linux does). On a shared machine, CPU time is more precise than elapsed time, because
/// waiting threads use no CPU time.
pub(crate) fn processor_seconds() -> Option<f64> {
    let nanoseconds = |task: std::fs::DirEntry| -> Option<u64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    Some(1e-9 * tasks.flatten().filter_map(nanoseconds).sum::<u64>() as f64)
}

/// Runs two implementations of the same work alternately, and times each run. The first run of each is not
/// counted.
pub(crate) fn in_turns(
    turns: usize,
    mut ours: impl FnMut() -> Outcome,
    mut peer: impl FnMut() -> Outcome,
) -> Outcome<[Vec<f64>; 2]> {
    let (mut our_times, mut peer_times) = (Vec::new(), Vec::new());
    for turn in 0..=turns {
        let (a, b) = (seconds(&mut ours)?, seconds(&mut peer)?);
        if turn > 0 {
            our_times.push(a);
            peer_times.push(b);
        }
    }
    Ok([our_times, peer_times])
}

/// Returns the median of the values. If there are no values, returns NaN.
pub(crate) fn median(values: &[f64]) -> f64 {
    arcuate_core::statistics::median(&mut values.to_vec()).unwrap_or(f64::NAN)
}

/// Prints one line with the median times of both programs, and the speed-up of Arcuate over the other
/// program. The speed-up is the median of the time ratios of all turns.
pub(crate) fn compare(what: &str, ours: &[f64], peer_name: &str, peer: &[f64], target: f64) {
    let ratios: Vec<f64> = ours.iter().zip(peer).map(|(a, b)| b / a).collect();
    println!(
        "{what:<46} {:>9.1} ms   {peer_name} {:>9.1} ms   {:>6.1} × faster (target {target} ×)",
        1e3 * median(ours),
        1e3 * median(peer),
        median(&ratios),
    );
}
