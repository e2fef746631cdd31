use crate::stage_command::Typed;
use arcuate_core::{Error, Result};
use arcuate_pipeline::stages::{MakeFiveTissues, TissueSource};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Make a five-tissue-type (5TT) image for anatomically-constrained tractography
///
/// Converts a FreeSurfer segmentation, or maps of tissue fractions from 0 to 1. The five volumes of the image
/// are the fractions of cortical grey matter, sub-cortical grey matter, white matter, cerebrospinal fluid
/// (CSF) and pathological tissue, as in MRtrix. The fractions of a voxel in the brain sum to 1. For this, the
/// maps are divided by their sum if the sum is at least 0.5. If the sum is smaller, all fractions of the
/// voxel are 0.
#[derive(Debug, Args)]
#[command(name = "5tt")]
pub(crate) struct FiveTissues {
    /// FreeSurfer's label image of the brain, such as aparc+aseg.mgz; needs --lut
    #[arg(
        requires = "lut",
        required_unless_present = "grey_matter",
        conflicts_with_all = ["grey_matter", "white_matter", "csf", "subcortical", "pathological"]
    )]
    segmentation: Option<PathBuf>,
    /// Table with the meaning of the labels in the segmentation
    #[arg(long, value_enum, ignore_case = true, requires = "segmentation")]
    lut: Option<LutArg>,
    /// Map of grey-matter fractions from 0 to 1; required without a segmentation
    #[arg(long, value_name = "FILE", requires_all = ["white_matter", "csf"])]
    grey_matter: Option<PathBuf>,
    /// Map of white-matter fractions from 0 to 1
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    white_matter: Option<PathBuf>,
    /// Map of the fractions of cerebrospinal fluid (CSF), from 0 to 1
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    csf: Option<PathBuf>,
    /// Map of the fractions of sub-cortical grey matter, from 0 to 1
    ///
    /// These fractions are subtracted from the map of --grey-matter.
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    subcortical: Option<PathBuf>,
    /// Map of the fractions of pathological tissue, from 0 to 1
    #[arg(long, value_name = "FILE", requires = "grey_matter")]
    pathological: Option<PathBuf>,
    /// Output: 5TT image, with one volume for each of the five tissues
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write an image of the boundary of grey and white matter, to place seeds there
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
