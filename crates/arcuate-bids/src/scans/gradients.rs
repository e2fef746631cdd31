//! Finds the files with the gradient table of a diffusion series, and determines along which axes their
//! directions are.

use crate::dataset::{BidsFile, Dataset};
use arcuate_core::{Error, Result, SignedAxes};
use arcuate_io::describe_image;
use arcuate_pipeline::series::GradientSource;
use std::path::PathBuf;

/// Returns the files of the gradient table of a diffusion series, and the axes of its directions. The
/// directions in QSIPrep's `.bvec` files are along the image axes, whatever the sign of the determinant of
/// the image's affine. In FSL's convention, which BIDS uses, the x component has the opposite sign if the
/// determinant is positive. The directions in QSIPrep's `.b` files are along the scanner axes.
pub(super) fn gradients(
    dataset: &Dataset,
    file: &BidsFile,
    notes: &mut Vec<String>,
) -> Result<GradientSource> {
    let nearest = |extension: &str| -> Result<Option<PathBuf>> {
        Ok(dataset.inherited(file, extension)?.last().map(|found| found.path.clone()))
    };
    if let Some(table) = nearest(".b")? {
        return Ok(GradientSource { table: Some(table), ..GradientSource::default() });
    }
    let pair = [nearest(".bval")?, nearest(".bvec")?];
    let [Some(bval), Some(bvec)] = pair else {
        let missing: Vec<&str> = [".bval", ".bvec"]
            .into_iter()
            .zip(&pair)
            .filter(|(_, path)| path.is_none())
            .map(|(ending, _)| ending)
            .collect();
        let problem = format!(
            "there is no {} file for this series in its folder or in a folder above",
            missing.join(" and no ")
        );
        return Err(Error::invalid(
            file.path.display(),
            problem,
            "put the gradient table of the series (.bval and .bvec) into one of these folders",
        ));
    };
    let mut source = GradientSource { fsl: Some([bval, bvec]), ..GradientSource::default() };
    if dataset.is_made_by("qsiprep") {
        let determinant = describe_image(&file.path)?.grid.affine().determinant();
        if determinant > 0.0 {
            source.axes = SignedAxes::parse("-x,y,z")?;
            notes.push(
                "QSIPrep's .bvec is in image axes and was read accordingly (there is no .b next to it, \
                 which would be in scanner axes)"
                    .to_owned(),
            );
        }
    }
    Ok(source)
}
