//! Folders of posterior samples of fibre orientations, written by bedpostX or by a fit with Markov chains.

use crate::find_files::{find_image, find_map};
use crate::orientation_files::{Directions, FibreFiles, SampleFiles};
use arcuate_core::{Error, Result, Volume};
use arcuate_track::OrientationTable;
use std::path::{Path, PathBuf};

/// Largest fibre number for which sample files are searched.
const MAX_FIBRES: usize = 100;

/// The files of a folder of posterior samples that tracking reads.
#[derive(Debug, Clone)]
pub struct SampleFolder {
    /// Files of each fibre.
    pub fibres: Vec<FibreFiles>,
    /// Mask image of the voxels that have samples, if the folder or the user gives one.
    pub mask: Option<PathBuf>,
}

impl SampleFolder {
    /// Finds the sample files in a folder. For the folder of a fit, `fibres` contains the parameter names of
    /// each fibre as ORIENTATION=FRACTION. The default is n=f for one fibre, and n1=f1, n2=f2, … for several.
    /// The image `mask` replaces `nodif_brain_mask` of bedpostX.
    ///
    /// Returns an error if a file of a fibre is missing, or if the number of a fibre is missing between
    /// others. Also returns an error if a folder of bedpostX has no mask and no mask is given.
    pub fn find(folder: &Path, fibres: &[String], mask: Option<&Path>) -> Result<Self> {
        if !folder.is_dir() {
            if let Some(above) = folder
                .parent()
                .filter(|_| find_image(&base_prefix(folder)).is_ok_and(|found| found.is_some()))
            {
                let problem = "it is the beginning of the names of bedpostX's samples, not their folder";
                return Err(Error::usage(
                    folder.display(),
                    problem,
                    format!("give the folder: {}", above.display()),
                ));
            }
            return Err(Error::no_folder(folder, "give the folder with the samples of fibre orientations"));
        }
        let mut is_bedpostx = false;
        for name in ["merged_th1samples", "merged_ph1samples", "merged_f1samples"] {
            is_bedpostx |= find_image(&folder.join(name))?.is_some();
        }
        let fibres = if is_bedpostx { of_bedpostx(folder, fibres)? } else { of_a_fit(folder, fibres)? };
        let mask = match mask {
            Some(mask) => Some(mask.to_owned()),
            None => find_image(&folder.join("nodif_brain_mask"))?,
        };
        if is_bedpostx && mask.is_none() {
            let problem = "it has no nodif_brain_mask";
            return Err(Error::invalid(
                folder.display(),
                problem,
                "give as ‘mask’ a mask of the voxels in which to track",
            ));
        }
        Ok(Self { fibres, mask })
    }
}

impl SampleFolder {
    /// Returns the sample files of all fibres, and the mask.
    pub fn files(&self) -> Vec<PathBuf> {
        self.fibres.iter().flat_map(FibreFiles::all).chain(self.mask.clone()).collect()
    }

    /// Computes the mean orientation of each fibre over its samples, as peaks in scanner axes. The length of
    /// a peak is the mean volume fraction of the fibre.
    pub fn peaks(self) -> Result<Volume<f32>> {
        OrientationTable::new(&SampleFiles::new(self.fibres, self.mask.as_deref())?)?.mean_orientations()
    }
}

/// Returns the path of the first sample file of bedpostX. If `base` is `X.bedpostX/merged`, this is
/// `X.bedpostX/merged_th1samples`.
fn base_prefix(base: &Path) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push("_th1samples");
    name.into()
}

fn missing(folder: &Path, name: &str) -> Error {
    let problem = format!("{name}.nii.gz is missing");
    Error::invalid(folder.display(), problem, "run bedpostx again, or copy the whole folder")
}

fn of_bedpostx(folder: &Path, named: &[String]) -> Result<Vec<FibreFiles>> {
    if !named.is_empty() {
        let problem = "the fibres of bedpostX are known by their names";
        return Err(Error::usage("‘fibres’", problem, "leave it out"));
    }
    fibres_of_base(&folder.join("merged"))
}

/// Finds the sample files of bedpostX whose paths begin with `base`, for example `X.bedpostX/merged`. The
/// files of the first fibre are then `merged_th1samples`, `merged_ph1samples` and `merged_f1samples`. Older
/// programs wrote a single fibre to `merged_thsamples`, `merged_phsamples` and `merged_fsamples`.
///
/// Returns an error if there are no sample files, or if one of the three files of a fibre is missing. Also
/// returns an error if the number of a fibre is missing between others.
pub fn fibres_of_base(base: &Path) -> Result<Vec<FibreFiles>> {
    let folder = base.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stem = base.file_name().unwrap_or_default().to_string_lossy();
    let named = |what: &str, number: &str| format!("{stem}_{what}{number}samples");
    let of = |number: &str| -> Result<Option<FibreFiles>> {
        let names = ["th", "ph", "f"].map(|what| named(what, number));
        let [theta, phi, fraction] = names.each_ref().map(|name| find_image(&folder.join(name)));
        match (theta?, phi?, fraction?) {
            (None, None, None) => Ok(None),
            (Some(theta), Some(phi), Some(fraction)) => {
                Ok(Some(FibreFiles { directions: Directions::Angles([theta, phi]), fraction }))
            }
            (theta, phi, _) => {
                let lacking = if theta.is_none() { 0 } else { 1 + usize::from(phi.is_some()) };
                Err(missing(folder, &names[lacking]))
            }
        }
    };
    let mut fibres = Vec::new();
    while let Some(fibre) = of(&(fibres.len() + 1).to_string())? {
        fibres.push(fibre);
    }
    if fibres.is_empty() {
        fibres.extend(of("")?);
    }
    // If a fibre number is missing between others, this is an error. Without this check, the fibres with
    // larger numbers would be ignored.
    for later in fibres.len() + 1..=MAX_FIBRES {
        if find_image(&folder.join(named("f", &later.to_string())))?.is_some() {
            return Err(missing(folder, &named("th", &(fibres.len() + 1).to_string())));
        }
    }
    if fibres.is_empty() {
        if find_image(&base.join("merged_th1samples"))?.is_some() {
            let problem = "it is a folder of bedpostX, not the beginning of the names of its samples";
            let advice = format!("add /merged: {}", base.join("merged").display());
            return Err(Error::usage(base.display(), problem, advice));
        }
        return Err(missing(folder, &named("th", "1")));
    }
    Ok(fibres)
}

fn of_a_fit(folder: &Path, fibres: &[String]) -> Result<Vec<FibreFiles>> {
    let file = |name: &str| find_map(&folder.join(format!("{name}_samples")));
    let named = if fibres.is_empty() {
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
                "‘fibres’",
                format!("`{text}` is not NAME=FRACTION"),
                "give n1=f1,n2=f2, say",
            )),
        };
        fibres.iter().map(pair).collect::<Result<_>>()?
    };
    let found = |name: &String| {
        file(name)?.ok_or_else(|| {
            let problem = format!("{name}_samples.nii.gz is missing");
            let advice =
                "give X.bedpostX, or the folder of a fit with ‘method’ mcmc and the names of its maps in \
                 ‘fibres’";
            Error::invalid(folder.display(), problem, advice)
        })
    };
    let fibre = |[name, fraction]: &[String; 2]| {
        Ok(FibreFiles { directions: Directions::Vectors(found(name)?), fraction: found(fraction)? })
    };
    named.iter().map(fibre).collect()
}
