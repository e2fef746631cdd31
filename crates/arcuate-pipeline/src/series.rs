use crate::space;
use crate::table_reading::TableReading;
use arcuate_core::{Error, GradientTable, Grid, Mask, Result, Volume};
use arcuate_io::{describe_image, fsl_gradients, read_gradients, read_image};
use arcuate_model::{MaskOptions, brain_mask};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the diffusion weighting of a series comes from.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Diffusion weighting")]
pub(crate) struct GradientOptions {
    /// FSL b-values (s/mm²); by default the file beside the series with ending .bval (or .bvals), or called bvals
    #[arg(long, value_name = "FILE", requires = "bvec")]
    pub(crate) bval: Option<PathBuf>,
    /// FSL directions (image axes, x negated where the affine's determinant is positive); by default beside the series
    /// with ending .bvec (or .bvecs), or called bvecs
    #[arg(long, value_name = "FILE", requires = "bval")]
    pub(crate) bvec: Option<PathBuf>,
    /// Instead: an MRtrix table (x y z b, scanner axes), a Camino .scheme, or a .prtcl
    #[arg(long, value_name = "FILE", conflicts_with = "bval")]
    pub(crate) gradients: Option<PathBuf>,
    /// Measurements with b up to this many s/mm² count as b = 0
    #[arg(long, value_name = "B", default_value_t = GradientTable::DEFAULT_B0_THRESHOLD)]
    pub(crate) b0_threshold: f64,
    #[command(flatten)]
    pub(crate) reading: TableReading,
}

impl GradientOptions {
    /// The files that a series at `path` is read from, as far as they are there.
    pub(crate) fn files(&self, path: &Path) -> Vec<PathBuf> {
        let given = [&self.gradients, &self.bval, &self.bvec].into_iter().flatten().cloned();
        let beside = found_beside(path).into_iter().flatten();
        std::iter::once(path.to_owned()).chain(given).chain(beside).collect()
    }

    /// The same options as words of a command line.
    pub(crate) fn words(&self) -> Vec<(&'static str, OsString)> {
        let files = [("bval", &self.bval), ("bvec", &self.bvec), ("gradients", &self.gradients)];
        let mut words: Vec<(&str, OsString)> =
            files.into_iter().filter_map(|(name, file)| Some((name, file.clone()?.into()))).collect();
        if self.b0_threshold.total_cmp(&GradientTable::DEFAULT_B0_THRESHOLD).is_ne() {
            words.push(("b0-threshold", self.b0_threshold.to_string().into()));
        }
        words.extend(self.reading.words());
        words
    }
}

/// Whether a series must have a gradient table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighting<'a> {
    /// It must.
    Needed,
    /// It must, for this reason.
    NeededFor(&'a str),
    /// Where there is none, [`GradientTable::unknown`] stands for it.
    Optional,
}

/// A diffusion series with its weighting and the files it came from.
pub(crate) struct Series {
    pub(crate) dwi: Volume<f32>,
    pub(crate) gradients: GradientTable,
    pub(crate) files: Vec<PathBuf>,
}

impl Series {
    /// Reads a 4-D image and the gradient table that belongs to it.
    pub(crate) fn read(path: &Path, options: &GradientOptions, weighting: Weighting<'_>) -> Result<Self> {
        let reading = options.reading.with_threshold(Some(options.b0_threshold));
        GradientTable::check_b0_threshold(options.b0_threshold)?;
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
        let stored = if let Some(file) = &options.gradients {
            files.push(file.clone());
            read_gradients(file, &affine, Some(count))?
        } else if let (Some(bval), Some(bvec)) = (&options.bval, &options.bvec) {
            files.extend([bval.clone(), bvec.clone()]);
            fsl_gradients::read(bval, bvec, &affine, Some(count))?
        } else if let Some(stored) = image.gradients {
            stored
        } else {
            let Some([bval, bvec]) = found_beside(path) else {
                let mut problem =
                    half_beside(path).unwrap_or_else(|| "its diffusion weighting is not known".into());
                match weighting {
                    Weighting::Optional => {
                        return Ok(Self { dwi, gradients: GradientTable::unknown(count)?, files });
                    }
                    Weighting::NeededFor(reason) => problem = format!("{problem}, and {reason}"),
                    Weighting::Needed => {}
                }
                return Err(Error::invalid(
                    path.display(),
                    problem,
                    "give --bval and --bvec, or --gradients",
                ));
            };
            files.extend([bval.clone(), bvec.clone()]);
            fsl_gradients::read(&bval, &bvec, &affine, Some(count))?
        };
        Ok(Self { dwi, gradients: stored.table(&reading)?, files })
    }

    /// Whether the series at `path` has a gradient table; true where it cannot be said, so that reading it says why.
    pub(crate) fn has_table(path: &Path, options: &GradientOptions) -> bool {
        let is_given = options.gradients.is_some() || options.bval.is_some();
        let in_header = || describe_image(path).map_or(true, |image| image.gradients.is_some());
        is_given || found_beside(path).is_some() || in_header()
    }

    /// The files that say how measurements are weighted.
    pub(crate) fn table_name(&self) -> String {
        let beside = if self.files.len() > 1 { &self.files[1..] } else { &self.files[..] };
        beside.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// An error of a library, said of the files that the series came from.
    pub(crate) fn about(&self, error: Error) -> Error {
        match error.subject() {
            "gradient table" => error.about(self.table_name()),
            "diffusion series" => error.about(self.files[0].display()),
            _ => error,
        }
    }

    /// Fails where a mask that is there already cannot be that of the series.
    pub(crate) fn check_mask(&self, given: Option<&Path>) -> Result<()> {
        match given.filter(|path| path.exists()) {
            Some(path) => self.mask(Some(path)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The mask the user gave, or one found in the series.
    pub(crate) fn mask(&self, given: Option<&Path>) -> Result<Mask> {
        let Some(path) = given else {
            return brain_mask(&self.dwi, &self.gradients, &MaskOptions::default())
                .map_err(|e| self.about(e));
        };
        space::region_on(path, self.dwi.grid(), "the diffusion series")
    }
}

/// A series that is read once for several commands, where one of them asked for that.
#[derive(Default)]
pub(crate) struct KeptSeries {
    keeps: bool,
    kept: Option<Kept>,
}

/// A series that was read, and the warnings that its reading gave.
struct Kept {
    path: PathBuf,
    options: GradientOptions,
    series: Rc<Series>,
    warnings: Vec<String>,
}

impl KeptSeries {
    /// From now on.
    pub(crate) fn keep(&mut self) {
        self.keeps = true;
    }

    /// The series, where it is the one that is kept, and the warnings that its reading gave.
    pub(crate) fn get(&self, path: &Path, options: &GradientOptions) -> Option<(Rc<Series>, Vec<String>)> {
        let kept = self.kept.as_ref().filter(|kept| kept.path == path && kept.options == *options)?;
        Some((Rc::clone(&kept.series), kept.warnings.clone()))
    }

    /// The lattice of the series that is kept.
    pub(crate) fn grid(&self) -> Option<Grid> {
        self.kept.as_ref().map(|kept| *kept.series.dwi.grid())
    }

    pub(crate) fn put(
        &mut self,
        path: &Path,
        options: &GradientOptions,
        series: &Rc<Series>,
        warnings: Vec<String>,
    ) {
        if self.keeps {
            let (path, options, series) = (path.to_owned(), options.clone(), Rc::clone(series));
            self.kept = Some(Kept { path, options, series, warnings });
        }
    }
}

/// The b-values and directions that lie beside a series: of its own name (`dwi.bval`, `dwi.bvals`), or as FSL's folders
/// have them (`bvals`).
pub(crate) fn found_beside(path: &Path) -> Option<[PathBuf; 2]> {
    pairs_beside(path).into_iter().find(|pair| pair.iter().all(|file| file.exists()))
}

/// In words, which of both files is missing beside a series where the other is there.
pub(crate) fn half_beside(path: &Path) -> Option<String> {
    let name = |file: &Path| file.file_name().unwrap_or_default().display().to_string();
    pairs_beside(path).iter().find_map(|[bval, bvec]| match (bval.exists(), bvec.exists()) {
        (true, false) => {
            Some(format!("its directions are missing: {} is there, {} is not", name(bval), name(bvec)))
        }
        (false, true) => {
            Some(format!("its b-values are missing: {} is there, {} is not", name(bvec), name(bval)))
        }
        _ => None,
    })
}

/// The names that b-values and directions beside a series may have.
fn pairs_beside(path: &Path) -> [[PathBuf; 2]; 3] {
    let named = |ending: &str| beside(path, ending);
    [
        [named("bval"), named("bvec")],
        [named("bvals"), named("bvecs")],
        ["bvals", "bvecs"].map(|name| path.with_file_name(name)),
    ]
}

/// The file of the same name with another ending: `dwi.nii.gz` and `bval` make `dwi.bval`.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
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

    #[test]
    fn those_of_the_name_of_the_series_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let (series, name) = (folder.path().join("data.nii.gz"), |name: &str| folder.path().join(name));
        assert_eq!(found_beside(&series), None);
        for [bvals, bvecs] in [["bvals", "bvecs"], ["data.bvals", "data.bvecs"], ["data.bval", "data.bvec"]] {
            std::fs::write(name(bvals), "").unwrap();
            let earlier = found_beside(&series);
            assert_ne!(earlier, Some([name(bvals), name(bvecs)]), "one of two is no table");
            let missing = format!("its directions are missing: {bvals} is there, {bvecs} is not");
            assert_eq!(half_beside(&series), Some(missing));
            std::fs::write(name(bvecs), "").unwrap();
            std::fs::remove_file(name(bvals)).unwrap();
            let missing = format!("its b-values are missing: {bvecs} is there, {bvals} is not");
            assert_eq!(half_beside(&series), Some(missing));
            std::fs::write(name(bvals), "").unwrap();
            assert_eq!(found_beside(&series), Some([name(bvals), name(bvecs)]));
        }
    }
}
