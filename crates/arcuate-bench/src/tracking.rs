use crate::measure::{arcuate, compare, in_turns, quietly, scan, uncompressed_scan};
use crate::options::Options;
use crate::outcome::Outcome;
use std::process::Command;

const STREAMLINES: &str = "100000";
/// Minimum and maximum length of streamlines in mm. They are about 5 and 100 times the voxel size, which are
/// the defaults of MRtrix's `tckgen`.
const MIN_LENGTH: &str = "12";
const MAX_LENGTH: &str = "240";

/// Times the tracking of 100,000 streamlines through the interpolated tensor, with Euler steps of 1 mm.
/// Arcuate is compared with `tckgen -algorithm Tensor_Det` of MRtrix.
pub(crate) fn run(options: &Options) -> Outcome {
    println!(
        "tensor tracking of philips_dwi: 100,000 streamlines, step 1 mm, FA 0.1, brain mask; whole processes"
    );
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let dwi = uncompressed_scan(folder.path())?;
    let (mask, seeds) = (scan("mask.nii.gz")?, scan("wm_fa02.nii.gz")?);
    let threads = options.threads.to_string();
    quietly(
        Command::new(arcuate()?)
            .args(["fit", "tensor"])
            .arg(&dwi)
            .arg("--mask")
            .arg(&mask)
            .arg("--out")
            .arg(file("maps"))
            .args(["--quiet", "--force"]),
    )?;
    let [ours, peer] = in_turns(
        options.turns,
        || {
            let mut command = Command::new(arcuate()?);
            command.args(["track", "tensor"]).arg(file("maps/tensor.nii.gz"));
            command
                .arg("--out")
                .arg(file("ours.tck"))
                .arg("--seed-mask")
                .arg(&seeds)
                .arg("--mask")
                .arg(&mask);
            command.args(["--select", STREAMLINES, "--step", "1", "--cutoff", "0.1", "--angle", "60"]);
            command.args(["--integrator", "euler", "--min-length", MIN_LENGTH, "--max-length", MAX_LENGTH]);
            command.args(["--threads", &threads, "--force", "--quiet"]);
            quietly(&mut command)
        },
        || {
            let mut command = Command::new("tckgen");
            command.arg(&dwi).arg(file("peer.tck")).args(["-algorithm", "Tensor_Det", "-seed_image"]);
            command.arg(&seeds).arg("-mask").arg(&mask);
            command.args(["-select", STREAMLINES, "-step", "1", "-cutoff", "0.1", "-angle", "60"]);
            command.args(["-minlength", MIN_LENGTH, "-maxlength", MAX_LENGTH]);
            command.args(["-nthreads", &threads, "-force", "-quiet"]);
            quietly(&mut command)
        },
    )?;
    compare("arcuate track tensor", &ours, "tckgen", &peer, 2.0);
    for name in ["ours.tck", "peer.tck"] {
        let tracks = arcuate_io::describe_tractogram(&file(name))?;
        let mean = tracks.lengths.map_or(f64::NAN, |[_, mean, ..]| mean);
        println!(
            "  {name}: {} streamlines, {} points, mean length {mean:.2} mm",
            tracks.streamlines, tracks.points
        );
    }
    println!();
    Ok(())
}
