//! The commands that are interrupted, and the commands that create their inputs.

use super::super::seeds;
use std::fs;
use std::path::Path;

/// The commands that create the inputs, in this order.
const INPUTS: [&str; 5] = [
    "simulate --voxel-size 8 --directions 8 --b0s 1 --streamlines-per-bundle 3 --out brain",
    "fit tensor brain/dwi.nii.gz --mask brain/mask.nii.gz --out maps",
    "fit ball-1-stick brain/dwi.nii.gz --mask brain/mask.nii.gz --method mcmc --burn-in 5 --jumps 10 --interval 5 --out chain",
    "convert brain/truth_streamlines.trx tracks.tck --reference brain/mask.nii.gz",
    "convert brain/mask.nii.gz mask.nii",
];

/// The kind of result that a job writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Results {
    /// A file, or a folder in a single file format, which must be complete or absent. A record may be next to
    /// it.
    Whole,
    /// A folder of several files, whose record guarantees that all are complete.
    Folder,
    /// A folder of results that the same command continues after an interruption.
    Continued,
}

/// A job: one or several commands that run one after the other and are interrupted.
#[derive(Debug)]
pub(super) struct Job {
    /// The command lines of the job. `%name` is an input. Other names are files in the folder of the case.
    pub(super) steps: &'static [&'static str],
    /// The kind of result that the job writes.
    pub(super) results: Results,
    /// The file or folder that `--out` names.
    pub(super) out: &'static str,
    /// Arguments with which the job writes a different result. This result exists before the interruption.
    /// The last argument only changes the record of that result.
    pub(super) other: &'static [&'static str],
}

/// The jobs. They cover every kind of result and every kind of saved state.
pub(super) const JOBS: [Job; 14] = [
    Job {
        steps: &["fit tensor %brain/dwi.nii.gz --mask %brain/mask.nii.gz --out out"],
        results: Results::Folder,
        out: "out",
        other: &["--reweightings", "3"],
    },
    Job {
        steps: &[
            "track tensor %maps/tensor.nii.gz --seed-mask %mask.nii --seeds 3000 --random-seed 1 --out out.tck",
        ],
        results: Results::Whole,
        out: "out.tck",
        other: &["--min-length", "11.25"],
    },
    Job {
        steps: &[
            "track tensor %maps/tensor.nii.gz --seed-mask %mask.nii --seeds 3000 --random-seed 1 --out out.trx",
        ],
        results: Results::Whole,
        out: "out.trx",
        other: &["--min-length", "11.25"],
    },
    Job {
        steps: &["convert %tracks.tck out.trx --reference %mask.nii --folder"],
        results: Results::Whole,
        out: "out.trx",
        other: &["--positions", "f16"],
    },
    Job {
        steps: &["convert %brain/dwi.nii.gz out.nii"],
        results: Results::Whole,
        out: "out.nii",
        other: &["--volumes", "0-3"],
    },
    Job {
        steps: &["density %tracks.tck --like %mask.nii --out out.nii.gz"],
        results: Results::Whole,
        out: "out.nii.gz",
        other: &["--by-length"],
    },
    Job {
        steps: &["connectome %tracks.tck --labels %brain/labels.nii.gz --out out"],
        results: Results::Folder,
        out: "out",
        other: &["--assignment", "end-voxel"],
    },
    Job {
        steps: &["connectome %tracks.tck --labels %brain/labels.nii.gz --out out.npz"],
        results: Results::Whole,
        out: "out.npz",
        other: &["--assignment", "end-voxel"],
    },
    Job {
        steps: &[
            "run %brain/dwi.nii.gz --mask %brain/mask.nii.gz --labels %brain/labels.nii.gz --tracking tensor --evaluate none \
             --select 50 --out out",
        ],
        results: Results::Continued,
        out: "out",
        other: &["--random-seed", "2345"],
    },
    Job {
        steps: &[
            "track samples %chain --seed-mask %brain/white_matter.nii.gz --per-seed 5 --matrix seeds --resume --out out",
        ],
        results: Results::Folder,
        out: "out",
        other: &["--random-seed", "2345"],
    },
    Job {
        steps: &[
            "track samples %chain --seed-mask %mask.nii --per-seed 2 --streamlines --matrix seeds --part 1/2 --out out",
            "track samples %chain --seed-mask %mask.nii --per-seed 2 --streamlines --matrix seeds --part 2/2 --out out",
            "merge out.parts",
        ],
        results: Results::Folder,
        out: "out",
        other: &[],
    },
    Job {
        steps: &[
            "fit ball-1-stick %brain/dwi.nii.gz --mask %brain/mask.nii.gz --method mcmc --burn-in 5 --jumps 10 --interval 5 \
             --save-state --out out",
        ],
        results: Results::Folder,
        out: "out",
        other: &["--random-seed", "2345"],
    },
    Job {
        steps: &["track samples %chain --protocols %protocols --per-seed 5 --out out"],
        results: Results::Folder,
        out: "out",
        other: &["--random-seed", "2345"],
    },
    Job {
        steps: &["simulate --voxel-size 8 --directions 8 --b0s 1 --streamlines-per-bundle 3 --out out"],
        results: Results::Folder,
        out: "out",
        other: &["--random-seed", "2345"],
    },
];

impl Job {
    /// Returns the name of a job in messages.
    pub(super) fn name(&self) -> String {
        let words = self.steps[0].split(' ').filter(|word| !word.starts_with('%'));
        words.take(2).collect::<Vec<_>>().join(" ")
    }

    /// Returns the command line of a step as a list of words. Inputs are in the folder `seeds`, which is next
    /// to the folder of the case.
    pub(super) fn words(&self, step: usize, other: bool, force: bool) -> Vec<String> {
        let given = self.steps[step].split(' ').filter(|word| !word.is_empty());
        let mut words: Vec<String> = given.map(|word| word.replace('%', "../seeds/")).collect();
        if other {
            words.extend(self.other.iter().map(|word| (*word).to_owned()));
        }
        if force {
            words.push("--force".to_owned());
        }
        words
    }
}

/// Writes the inputs into a folder.
pub(super) fn make_inputs(arcuate: &Path, folder: &Path) -> Result<(), String> {
    for line in INPUTS {
        seeds::arcuate_says(arcuate, folder, line)?;
    }
    // There are two tracts: one with seeds in the white matter, and one with seeds in the whole brain.
    for (tract, seed) in [("a", "brain/white_matter.nii.gz"), ("b", "brain/mask.nii.gz")] {
        let place = folder.join("protocols").join(tract);
        fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        fs::copy(folder.join(seed), place.join("seed.nii.gz")).map_err(|e| format!("{seed}: {e}"))?;
    }
    Ok(())
}
