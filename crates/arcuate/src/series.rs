use crate::record::Record;
use crate::space;
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use arcuate_io::{read_image, read_mask};
use arcuate_model::{MaskOptions, brain_mask};
use clap::Args;
use std::path::{Path, PathBuf};

/// Where the diffusion weighting of a series comes from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Diffusion weighting")]
pub(crate) struct GradientOptions {
    /// FSL b-values (s/mm²); by default the file beside the series with ending .bval
    #[arg(long, value_name = "FILE", requires = "bvec")]
    pub(crate) bval: Option<PathBuf>,
    /// FSL directions (image axes, x negated where the affine's determinant is positive); by default .bvec beside the
    /// series
    #[arg(long, value_name = "FILE", requires = "bval")]
    pub(crate) bvec: Option<PathBuf>,
    /// Instead: an MRtrix table (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    #[arg(long, value_name = "FILE", conflicts_with = "bval")]
    pub(crate) gradients: Option<PathBuf>,
    /// Measurements with b up to this many s/mm² count as b = 0
    #[arg(long, value_name = "B", default_value_t = GradientTable::DEFAULT_B0_THRESHOLD)]
    pub(crate) b0_threshold: f64,
}

impl GradientOptions {
    /// The files that a series at `path` is read from, as far as they are there.
    pub(crate) fn files(&self, path: &Path) -> Vec<PathBuf> {
        let given = [&self.gradients, &self.bval, &self.bvec].into_iter().flatten().cloned();
        let beside =
            ["bval", "bvec"].map(|ending| beside(path, ending)).into_iter().filter(|file| file.exists());
        std::iter::once(path.to_owned()).chain(given).chain(beside).collect()
    }
}

/// A diffusion series with its weighting and the files it came from.
pub(crate) struct Series {
    pub(crate) dwi: Volume<f32>,
    pub(crate) gradients: GradientTable,
    pub(crate) files: Vec<PathBuf>,
}

impl Series {
    /// Reads a 4-D image and the gradient table that belongs to it.
    pub(crate) fn read(path: &Path, options: &GradientOptions) -> Result<Self> {
        GradientTable::check_b0_threshold(options.b0_threshold)?;
        let threshold = Some(options.b0_threshold);
        let image = read_image(path)?;
        let dwi = image.volume;
        if dwi.channels() == 1 {
            return Err(Error::invalid(
                path.display(),
                "it is a 3-D image, not a diffusion series",
                "give the 4-D series of all measurements",
            ));
        }
        let mut files = vec![path.to_owned()];
        let (affine, count) = (*dwi.grid().affine(), dwi.channels());
        let table = if let Some(file) = &options.gradients {
            files.push(file.clone());
            arcuate_io::read_gradients(file, &affine, Some(count), threshold)?
        } else if let (Some(bval), Some(bvec)) = (&options.bval, &options.bvec) {
            files.extend([bval.clone(), bvec.clone()]);
            arcuate_io::fsl_gradients::read(bval, bvec, &affine, Some(count), threshold)?
        } else if let Some(table) = image.gradients {
            table.with_b0_threshold(options.b0_threshold).map_err(|e| e.about(path.display()))?
        } else {
            let (bval, bvec) = (beside(path, "bval"), beside(path, "bvec"));
            if !(bval.exists() && bvec.exists()) {
                return Err(Error::usage(
                    path.display(),
                    "its diffusion weighting is not known",
                    "give --bval and --bvec, or --gradients",
                ));
            }
            files.extend([bval.clone(), bvec.clone()]);
            arcuate_io::fsl_gradients::read(&bval, &bvec, &affine, Some(count), threshold)?
        };
        Ok(Self { dwi, gradients: table, files })
    }

    /// Notes the files, which measurements count as b = 0, and where the mask came from.
    pub(crate) fn note(&self, mask: Option<&Path>, otherwise: &str, record: &mut Record) -> Result<()> {
        record.add_inputs(&self.files)?;
        record.option("b = 0 up to", format!("{} s/mm²", self.gradients.b0_threshold()));
        match mask {
            Some(path) => {
                record.add_inputs(&[path.to_owned()])?;
                record.option("mask", path.display());
            }
            None => record.option("mask", otherwise),
        }
        Ok(())
    }

    /// The mask the user gave, or one found in the series.
    pub(crate) fn mask(&self, given: Option<&Path>) -> Result<Mask> {
        let mask = match given {
            Some(path) => {
                let mask = space::mask_on(read_mask(path)?, self.dwi.grid(), path, "the diffusion series")?;
                if mask.count() == 0 {
                    return Err(Error::invalid(
                        path.display(),
                        "the mask is empty",
                        "give one with voxels above 0.5",
                    ));
                }
                mask
            }
            None => brain_mask(&self.dwi, &self.gradients, &MaskOptions::default())?,
        };
        Ok(mask)
    }
}

/// The file of the same name with another ending: `dwi.nii.gz` and `bval` make `dwi.bval`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let compressed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    let inner = if compressed { path.with_extension("") } else { path.to_owned() };
    inner.with_extension(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_files_lie_beside_their_series() {
        assert_eq!(beside(Path::new("sub/dwi.nii.gz"), "bval"), Path::new("sub/dwi.bval"));
        assert_eq!(beside(Path::new("a.b.mif"), "bvec"), Path::new("a.b.bvec"));
        assert_eq!(beside(Path::new("a.b.MIF.GZ"), "bvec"), Path::new("a.b.bvec"));
    }
}
