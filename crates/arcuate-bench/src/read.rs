use crate::measure::{compare, in_turns, median, quietly, scan};
use crate::options::Options;
use crate::outcome::Outcome;
use std::process::Command;

/// Times reading a compressed series from a file into memory, with all values of a voxel next to each other.
/// Arcuate is compared with nibabel in a separate process. The start-up time of this process is measured too,
/// and subtracted.
pub(crate) fn run(options: &Options) -> Outcome {
    println!("read philips_dwi/dwi.nii.gz (13.6 MB of 16-bit integers)");
    let path = scan("dwi.nii.gz")?;
    let python = |code: &str| {
        let mut command = Command::new(&options.python);
        command.args(["-c", code]).arg(&path);
        command
    };
    let start = "import nibabel, sys";
    let read = "import nibabel, numpy, sys; nibabel.load(sys.argv[1]).get_fdata(dtype=numpy.float32)";
    let [ours, peer] = in_turns(
        options.turns,
        || {
            arcuate_io::read_volume(&path)?;
            Ok(())
        },
        || quietly(&mut python(read)),
    )?;
    let [starts, _] = in_turns(options.turns, || quietly(&mut python(start)), || Ok(()))?;
    let peer: Vec<f64> = peer.iter().map(|seconds| seconds - median(&starts)).collect();
    compare("arcuate_io::read_volume", &ours, "nibabel", &peer, 1.0);
    println!();
    Ok(())
}
