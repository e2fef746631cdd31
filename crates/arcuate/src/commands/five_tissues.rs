use crate::references;
use crate::stage_command::Typed;
use arcuate_core::{Error, Result};
use arcuate_pipeline::stages::five_tissues::REFERENCES;
use arcuate_pipeline::stages::{MakeFiveTissues, TissueSource};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Make an image of five tissues for anatomically-constrained tractography
///
/// Of a segmentation of FreeSurfer's, or of maps of tissues with values from 0 to 1. Volumes are fractions of cortical grey matter,
/// sub-cortical grey matter, white matter, cerebrospinal fluid and pathological tissue, MRtrix's 5TT; they add up to 1 in the brain.
/// Fractions of maps are divided by their sum where that is at least a half, and are 0 elsewhere.
#[derive(Debug, Args)]
#[command(name = "5tt", after_long_help = references::help(REFERENCES))]
pub(crate) struct FiveTissues {
    /// Segmentation, such as aparc+aseg.mgz; with --lut
    #[arg(
        requires = "lut",
        required_unless_present = "grey_matter",
        conflicts_with_all = ["grey_matter", "white_matter", "csf", "subcortical", "pathological"]
    )]
    segmentation: Option<PathBuf>,
    /// Table that the numbers of a segmentation are from
    #[arg(long, value_enum, ignore_case = true, requires = "segmentation")]
    lut: Option<LutArg>,
    /// Map of grey matter; in place of a segmentation
    #[arg(long, value_name = "FILE", requires_all = ["white_matter", "csf"])]
    grey_matter: Option<PathBuf>,
    /// Map of white matter
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    white_matter: Option<PathBuf>,
    /// Map of cerebrospinal fluid
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    csf: Option<PathBuf>,
    /// Map of sub-cortical grey matter; taken off that of grey matter
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    subcortical: Option<PathBuf>,
    /// Map of pathological tissue
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    pathological: Option<PathBuf>,
    /// Where the result goes; an image of five volumes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write where grey and white matter meet, too; an image, 0 to 1, from which seeds may be drawn
    #[arg(long, value_name = "FILE")]
    interface: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum LutArg {
    /// FreeSurfer's, of aseg, aparc+aseg, aparc.a2009s+aseg and wmparc
    #[value(name = "FreeSurfer")]
    FreeSurfer,
}

impl FiveTissues {
    fn source(&self) -> Result<TissueSource> {
        match (&self.segmentation, self.lut, &self.grey_matter, &self.white_matter, &self.csf) {
            (Some(segmentation), Some(LutArg::FreeSurfer), ..) => {
                Ok(TissueSource::FreeSurfer(segmentation.clone()))
            }
            (None, _, Some(grey_matter), Some(white_matter), Some(csf)) => Ok(TissueSource::Maps {
                grey_matter: grey_matter.clone(),
                white_matter: white_matter.clone(),
                csf: csf.clone(),
                subcortical: self.subcortical.clone(),
                pathological: self.pathological.clone(),
            }),
            _ => Err(Error::usage(
                "5tt",
                "nothing says where tissues are",
                "give a segmentation with --lut, or --grey-matter, --white-matter and --csf",
            )),
        }
    }
}

impl Typed for FiveTissues {
    type Work = MakeFiveTissues;

    fn typed(&self) -> Result<MakeFiveTissues> {
        let work = MakeFiveTissues::new(self.source()?, &self.out);
        Ok(MakeFiveTissues { interface: self.interface.clone(), ..work })
    }
}
