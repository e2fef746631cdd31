//! Folders of samples of fibre orientations: those of bedpostX, and those of a fit.

use crate::orientation_files::{Directions, FibreFiles, SampleFiles};
use crate::stems::{find_image, find_map};
use arcuate_core::{Error, Result, Volume};
use arcuate_track::OrientationTable;
use std::path::{Path, PathBuf};

/// Fibres that bedpostX is asked for, and more.
const MOST_FIBRES: usize = 100;

/// What of a folder of samples streamlines follow.
#[derive(Debug, Clone)]
pub struct SampleFolder {
    /// The files of each fibre.
    pub fibres: Vec<FibreFiles>,
    /// The voxels that have samples, where a file says it.
    pub mask: Option<PathBuf>,
}

impl SampleFolder {
    /// Looks for samples in a folder. `fibres` say, for that of a fit, the orientation and the fraction of each fibre as
    /// NAME=FRACTION; without any they are n=f, or n1=f1, n2=f2, …. `mask` stands in the place of bedpostX's nodif_brain_mask.
    ///
    /// Fails where files are missing: a fibre in the middle, a part of one, bedpostX's mask.
    pub fn find(folder: &Path, fibres: &[String], mask: Option<&Path>) -> Result<Self> {
        if !folder.is_dir() {
            if let Some(above) =
                folder.parent().filter(|_| find_image(&beginning(folder)).is_ok_and(|found| found.is_some()))
            {
                let problem = "it is the beginning of the names of bedpostX's samples, not their folder";
                return Err(Error::usage(
                    folder.display(),
                    problem,
                    format!("give the folder: {}", above.display()),
                ));
            }
            return Err(Error::no_folder(folder, "give the folder with the samples"));
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
            return Err(Error::invalid(folder.display(), problem, "give the voxels to track in as ‘mask’"));
        }
        Ok(Self { fibres, mask })
    }
}

impl SampleFolder {
    /// All files that streamlines, or peaks, are made of.
    pub fn files(&self) -> Vec<PathBuf> {
        self.fibres.iter().flat_map(FibreFiles::all).chain(self.mask.clone()).collect()
    }

    /// Reads the mean orientation of each fibre, as peaks in scanner axes whose lengths are the mean fractions.
    pub fn peaks(self) -> Result<Volume<f32>> {
        OrientationTable::new(&SampleFiles::new(self.fibres, self.mask.as_deref())?)?.mean_orientations()
    }
}

/// `X.bedpostX/merged_th1samples` of `X.bedpostX/merged`.
fn beginning(base: &Path) -> PathBuf {
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

/// The samples of bedpostX whose names begin with `base`, as `X.bedpostX/merged`: `merged_th1samples`, `merged_ph1samples`,
/// `merged_f1samples` and so on, or of older programs `merged_thsamples`, `merged_phsamples`, `merged_fsamples`, a single fibre.
///
/// Fails where there are none, and where one is missing: a fibre in the middle, a part of one.
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
    // A later one would be left out in silence.
    for later in fibres.len() + 1..=MOST_FIBRES {
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
                "give X.bedpostX, or the folder of a fit with ‘method’ mcmc; ‘fibres’ says what is what";
            Error::invalid(folder.display(), problem, advice)
        })
    };
    let fibre = |[name, fraction]: &[String; 2]| {
        Ok(FibreFiles { directions: Directions::Vectors(found(name)?), fraction: found(fraction)? })
    };
    named.iter().map(fibre).collect()
}
