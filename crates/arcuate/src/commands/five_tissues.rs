use crate::stage_command::Typed;
use arcuate_core::{Error, Result};
use arcuate_pipeline::stages::{MakeFiveTissues, TissueSource};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Make a five-tissue-type (5TT) image for anatomically-constrained tractography
///
/// Converts a FreeSurfer segmentation, or maps of tissues with values from 0 to 1. Volumes are the fractions of
/// cortical grey matter, sub-cortical grey matter, white matter, CSF and pathological tissue, as in MRtrix. They sum to
/// 1 in the brain. Maps are divided by their sum if it is at least 0.5; otherwise the fractions are 0.
#[derive(Debug, Args)]
#[command(name = "5tt")]
pub(crate) struct FiveTissues {
    /// Segmentation, such as aparc+aseg.mgz; needs --lut
    #[arg(
        requires = "lut",
        required_unless_present = "grey_matter",
        conflicts_with_all = ["grey_matter", "white_matter", "csf", "subcortical", "pathological"]
    )]
    segmentation: Option<PathBuf>,
    /// Label table of the segmentation
    #[arg(long, value_enum, ignore_case = true, requires = "segmentation")]
    lut: Option<LutArg>,
    /// Map of grey matter, with fractions from 0 to 1; needed without a segmentation
    #[arg(long, value_name = "FILE", requires_all = ["white_matter", "csf"])]
    grey_matter: Option<PathBuf>,
    /// Map of white matter, 0 to 1
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    white_matter: Option<PathBuf>,
    /// Map of CSF, 0 to 1
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    csf: Option<PathBuf>,
    /// Map of sub-cortical grey matter; subtracted from the map of grey matter
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    subcortical: Option<PathBuf>,
    /// Map of pathological tissue, 0 to 1
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    pathological: Option<PathBuf>,
    /// Output: image of five volumes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write an image of the interface of grey and white matter, for seeds
    #[arg(long, value_name = "FILE")]
    interface: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum LutArg {
    /// Labels of FreeSurfer's images aseg, aparc+aseg, aparc.a2009s+aseg and wmparc
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
                "there is no segmentation and no tissue map",
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
