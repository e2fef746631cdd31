//! `arcuate track samples`.

use super::args::SeedFraction;
use super::files::{Directions, FibreFiles, SampleFiles};
use super::{REFERENCES, Source, Tracking};
use crate::context::Context;
use crate::references;
use crate::stems::{find_image, find_map};
use crate::step::Step;
use arcuate_core::{Error, Result};
use arcuate_track::OrientationTable;
use clap::Args;
use std::path::PathBuf;

/// Probabilistic tracking through samples of fibre orientations
///
/// Each streamline draws a sample at every step; where many pass, a connection is likely. Reads what bedpostX writes, and
/// what `arcuate fit MODEL --method mcmc` does. With a folder as --out: visits.nii.gz (accepted streamlines through each
/// voxel, each once, on the lattice of the seeds' mask), visits_normalised.nii.gz (in parts of all of them) and, as wished,
/// lengths, seeds_to_NAME.nii.gz and the streamlines. With a tractogram as --out, defaults are those of a whole brain: seeds in
/// white matter, less sharp turns, a shortest length. The same seed gives the same streamlines at any number of threads.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct TrackSamples {
    /// Folder of samples: X.bedpostX, or that of a fit with --method mcmc
    samples: PathBuf,
    /// In the folder of a fit: the orientation and the fraction of each fibre, NAME=FRACTION, with commas between fibres.
    /// n=f, or n1=f1,n2=f2, … by default
    #[arg(long, value_name = "NAME=FRACTION", value_delimiter = ',')]
    fibres: Vec<String>,
    /// Voxels to track in; by default nodif_brain_mask of bedpostX, or where the fit has samples
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    #[command(flatten)]
    tracking: Tracking,
    #[command(flatten)]
    seed_fraction: SeedFraction,
}

/// Fibres that bedpostX is asked for, and more.
const MOST_FIBRES: usize = 100;

impl TrackSamples {
    /// The files of each fibre, and the mask.
    fn found(&self) -> Result<(Vec<FibreFiles>, Option<PathBuf>)> {
        let folder = &self.samples;
        if !folder.is_dir() {
            let problem =
                if folder.exists() { "it is a file, not a folder" } else { "there is no such folder" };
            return Err(Error::invalid(folder.display(), problem, "give the folder with the samples"));
        }
        let mut is_bedpostx = false;
        for name in ["merged_th1samples", "merged_ph1samples", "merged_f1samples"] {
            is_bedpostx |= find_image(&folder.join(name))?.is_some();
        }
        let fibres = if is_bedpostx { self.of_bedpostx()? } else { self.of_a_fit()? };
        let mask = match &self.mask {
            Some(mask) => Some(mask.clone()),
            None => find_image(&folder.join("nodif_brain_mask"))?,
        };
        if is_bedpostx && mask.is_none() {
            let problem = "it has no nodif_brain_mask";
            return Err(Error::invalid(folder.display(), problem, "give the voxels to track in as --mask"));
        }
        Ok((fibres, mask))
    }

    fn missing(&self, name: &str) -> Error {
        let problem = format!("{name}.nii.gz is missing");
        Error::invalid(self.samples.display(), problem, "run bedpostx again, or copy the whole folder")
    }

    fn of_bedpostx(&self) -> Result<Vec<FibreFiles>> {
        let folder = &self.samples;
        if !self.fibres.is_empty() {
            let problem = "the fibres of bedpostX are known by their names";
            return Err(Error::usage("--fibres", problem, "leave it out"));
        }
        let mut fibres = Vec::new();
        loop {
            let number = fibres.len() + 1;
            let names = ["th", "ph", "f"].map(|what| format!("merged_{what}{number}samples"));
            let [theta, phi, fraction] = names.each_ref().map(|name| find_image(&folder.join(name)));
            match (theta?, phi?, fraction?) {
                (None, None, None) => {
                    // A later one would be left out in silence.
                    for later in number + 1..=MOST_FIBRES {
                        if find_image(&folder.join(format!("merged_f{later}samples")))?.is_some() {
                            return Err(self.missing(&names[0]));
                        }
                    }
                    return Ok(fibres);
                }
                (Some(theta), Some(phi), Some(fraction)) => {
                    fibres.push(FibreFiles { directions: Directions::Angles([theta, phi]), fraction });
                }
                (theta, phi, _) => {
                    let missing = if theta.is_none() { 0 } else { 1 + usize::from(phi.is_some()) };
                    return Err(self.missing(&names[missing]));
                }
            }
        }
    }

    fn of_a_fit(&self) -> Result<Vec<FibreFiles>> {
        let folder = &self.samples;
        let file = |name: &str| find_map(&folder.join(format!("{name}_samples")));
        let named = if self.fibres.is_empty() {
            let numbered = (1..).map(|n| [format!("n{n}"), format!("f{n}")]);
            let single = ["n".to_owned(), "f".to_owned()];
            let mut several = Vec::new();
            for [direction, fraction] in numbered {
                if file(&direction)?.is_none() {
                    break;
                }
                several.push([direction, fraction]);
            }
            if several.is_empty() { vec![single] } else { several }
        } else {
            let pair = |text: &String| match text.split_once('=') {
                Some((name, fraction)) if !name.is_empty() && !fraction.is_empty() => {
                    Ok([name.to_owned(), fraction.to_owned()])
                }
                _ => Err(Error::usage(
                    "--fibres",
                    format!("`{text}` is not NAME=FRACTION"),
                    "give n1=f1,n2=f2, say",
                )),
            };
            self.fibres.iter().map(pair).collect::<Result<_>>()?
        };
        let found = |name: &String| {
            file(name)?.ok_or_else(|| {
                let problem = format!("{name}_samples.nii.gz is missing");
                let advice =
                    "give X.bedpostX, or the folder of a fit with --method mcmc; --fibres says what is what";
                Error::invalid(folder.display(), problem, advice)
            })
        };
        let fibre = |[name, fraction]: &[String; 2]| {
            Ok(FibreFiles { directions: Directions::Vectors(found(name)?), fraction: found(fraction)? })
        };
        named.iter().map(fibre).collect()
    }
}

impl Step for TrackSamples {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, context: &Context) -> Result<()> {
        self.seed_fraction.check()?;
        self.tracking.check(None, context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        self.seed_fraction.check()?;
        let (fibres, mask) = self.found()?;
        let files = fibres.iter().flat_map(FibreFiles::all).chain(mask.clone()).collect();
        let source = Source {
            title: "Tracking through samples",
            path: &self.samples,
            files,
            seed_fraction: Some(&self.seed_fraction),
            references: &[],
            fraction: "Part of the signal that is of fibres",
        };
        let read = || OrientationTable::new(&SampleFiles::new(fibres, mask.as_deref())?);
        self.tracking.run(&source, read, context)
    }
}
