//! The diffusion series of a data set, each with what belongs to it.

use crate::dataset::{BidsFile, Dataset};
use crate::entities::BidsName;
use crate::selection::Selection;
use arcuate_core::{Error, Result, SignedAxes};
use arcuate_io::describe_image;
use arcuate_pipeline::series::GradientSource;
use arcuate_pipeline::series_file::SeriesFile;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Regions in the space of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atlas {
    /// What it is called in names of files.
    pub label: String,
    /// The image of region numbers.
    pub image: PathBuf,
    /// The table of their names.
    pub names: Option<PathBuf>,
}

/// A diffusion series with what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// Its entities, but for what all preprocessed series have: `sub-01_ses-a_space-ACPC`.
    pub name: BidsName,
    /// The folders of its results, from the root of derivatives on.
    pub levels: Vec<String>,
    /// The series with its gradient table.
    pub series: SeriesFile,
    /// The mask of the brain.
    pub mask: Option<PathBuf>,
    /// An image to show results on.
    pub anatomy: Option<PathBuf>,
    /// The regions of a connectome.
    pub atlas: Option<Atlas>,
    /// Tissues that streamlines heed.
    pub five_tissues: Option<PathBuf>,
    /// What its sidecars say.
    pub metadata: Map<String, Value>,
    /// What a reader should know of how these were found.
    pub notes: Vec<String>,
}

impl Scan {
    /// What it is called: its entities.
    pub fn id(&self) -> String {
        self.name.stem()
    }

    /// All files that it is made of.
    pub fn files(&self) -> Vec<PathBuf> {
        let atlas = self.atlas.iter().flat_map(|atlas| std::iter::once(&atlas.image).chain(&atlas.names));
        let others = self.mask.iter().chain(&self.anatomy).chain(&self.five_tissues).chain(atlas);
        self.series.gradients.files(&self.series.path).into_iter().chain(others.cloned()).collect()
    }
}

/// A series that cannot be used, and why.
#[derive(Debug)]
pub struct Unusable {
    /// What it is called.
    pub id: String,
    /// What is wrong.
    pub error: Error,
    /// Whether it is a series, and not a participant without any.
    pub is_series: bool,
}

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Which series.
    pub selection: Selection,
    /// Whether series as the scanner gave them are meant.
    pub raw: bool,
    /// The atlas that connectomes have, where there are several.
    pub atlas: Option<String>,
}

/// The series that are asked for, in order, and those that are and cannot be used. Anatomy, atlases and tissues are looked for in
/// `others`, too.
///
/// # Errors
/// Where the data set is not of the kind that is meant, a participant is not there, and where no series is asked for.
pub fn find(dataset: &Dataset, others: &[Dataset], search: &Search) -> Result<(Vec<Scan>, Vec<Unusable>)> {
    let root = dataset.root.display();
    if dataset.is_raw && !search.raw {
        let problem = "its series are as the scanner gave them";
        let advice = "give the data set of a preprocessing (QSIPrep's), or say ‘raw’ where movement, eddy currents and distortion do not matter";
        return Err(Error::usage(root, problem, advice));
    }
    let participants = search.selection.participants(&dataset.participants())?;
    let is_series = |file: &&BidsFile| {
        let name = &file.name;
        file.datatype() == Some("dwi")
            && name.suffix == "dwi"
            && [".nii", ".nii.gz"].contains(&name.extension.as_str())
            && name.get("desc") == (if dataset.is_raw { None } else { Some("preproc") })
            && name.get("sub").is_some_and(|label| participants.iter().any(|one| one == label))
            && search.selection.takes(name)
    };
    require_sessions(dataset, &participants, search)?;
    let (mut scans, mut unusable) = (Vec::new(), Vec::new());
    for participant in &participants {
        let of_participant = |file: &&BidsFile| file.name.get("sub") == Some(participant);
        let series: Vec<&BidsFile> =
            dataset.files().iter().filter(of_participant).filter(is_series).collect();
        if series.is_empty() && !search.selection.participants.is_empty() {
            let what = if dataset.is_raw { "diffusion series" } else { "series *_desc-preproc_dwi.nii.gz" };
            let problem = format!("there is no {what} of this participant that is asked for");
            let error = Error::invalid(
                dataset.root.join(format!("sub-{participant}")).display(),
                problem,
                "check sessions and the filter file",
            );
            unusable.push(Unusable { id: format!("sub-{participant}"), error, is_series: false });
        }
        let id = |file: &BidsFile| file.name.without(&["desc"]).stem();
        for file in &series {
            if series.iter().filter(|other| id(other) == id(file)).count() > 1 {
                let problem = format!("there are several series called {}", id(file));
                let error = Error::invalid(
                    file.path.display(),
                    problem,
                    "leave one of them there, each in its session's folder",
                );
                unusable.push(Unusable { id: id(file), error, is_series: true });
                continue;
            }
            match of_series(dataset, others, file, search) {
                Ok(scan) => scans.push(scan),
                Err(error) => {
                    unusable.push(Unusable {
                        id: file.name.without(&["desc"]).stem(),
                        error,
                        is_series: true,
                    });
                }
            }
        }
    }
    if scans.is_empty() && unusable.is_empty() {
        let problem = "it has no series that is asked for (sub-*/[ses-*/]dwi/*_desc-preproc_dwi.nii.gz)";
        return Err(Error::invalid(
            root,
            problem,
            "check labels of participants and sessions, and the filter file",
        ));
    }
    Ok((scans, unusable))
}

/// Fails where a session is asked for that nobody has.
fn require_sessions(dataset: &Dataset, participants: &[String], search: &Search) -> Result<()> {
    let of_participants = |file: &&BidsFile| {
        file.name.get("sub").is_some_and(|label| participants.iter().any(|one| one == label))
    };
    let mut known: Vec<&str> =
        dataset.files().iter().filter(of_participants).filter_map(|file| file.name.get("ses")).collect();
    known.sort_unstable();
    known.dedup();
    for label in &search.selection.sessions {
        let label = label.strip_prefix("ses-").unwrap_or(label);
        if !known.contains(&label) {
            let advice = match known[..] {
                [] => "leave it out: nobody has sessions".to_owned(),
                _ => format!("give some of {}", known.join(", ")),
            };
            return Err(Error::usage("‘session_label’", format!("there is no session {label}"), advice));
        }
    }
    Ok(())
}

/// Fails where a name says another participant or session than the folders that it lies in.
fn require_own_folder(file: &BidsFile) -> Result<()> {
    for (key, prefix) in [("sub", "sub-"), ("ses", "ses-")] {
        let of_folder = file.levels.iter().find_map(|level| level.strip_prefix(prefix));
        if of_folder != file.name.get(key) {
            let problem = format!("its {prefix} is not that of its folder");
            return Err(Error::invalid(
                file.path.display(),
                problem,
                "give it the name of its folder, or move it",
            ));
        }
    }
    Ok(())
}

fn of_series(dataset: &Dataset, others: &[Dataset], file: &BidsFile, search: &Search) -> Result<Scan> {
    require_own_folder(file)?;
    let mut notes = Vec::new();
    let name = file.name.without(&["desc"]);
    let metadata = dataset.metadata(file)?;
    let gradients = gradients(dataset, file, &mut notes)?;
    let mask = file_of(dataset, file, |other| {
        other.suffix == "mask"
            && other.without(&["desc"]) == name.of("mask", &other.extension)
            && other.get("desc") == Some("brain")
    });
    if mask.is_none() {
        notes.push("no mask *_desc-brain_mask beside it: the brain is found in the series".to_owned());
    }
    let everywhere: Vec<&Dataset> = std::iter::once(dataset).chain(others).collect();
    let is_own = |other: &BidsFile| {
        other.name.get("sub") == name.get("sub")
            && other.name.get("ses").is_none_or(|label| name.get("ses") == Some(label))
            && is_image(&other.name)
    };
    // Those of the session before those of the participant.
    let mut own: Vec<(&Dataset, &BidsFile)> = Vec::new();
    for place in &everywhere {
        own.extend(place.files().iter().filter(|other| is_own(other)).map(|other| (*place, other)));
    }
    own.sort_by_key(|(_, other)| usize::MAX - other.levels.len());
    let is_in_space = |other: &BidsName| other.get("space") == name.get("space");
    let anatomy = own.iter().find(|(_, other)| {
        ["T1w", "T2w"].contains(&other.name.suffix.as_str())
            && other.name.get("desc") == Some("preproc")
            && is_in_space(&other.name)
    });
    let tissues = own.iter().find(|(_, other)| {
        other.name.suffix == "probseg" && other.name.get("seg") == Some("hsvs") && is_in_space(&other.name)
    });
    let atlas = atlas(&own, &name, search.atlas.as_deref(), &mut notes)?;
    Ok(Scan {
        levels: file.levels.clone(),
        series: SeriesFile { path: file.path.clone(), gradients },
        mask,
        anatomy: anatomy.map(|(_, other)| other.path.clone()),
        atlas,
        five_tissues: tissues.map(|(_, other)| other.path.clone()),
        metadata,
        notes,
        name: name.of("", ""),
    })
}

fn is_image(name: &BidsName) -> bool {
    [".nii", ".nii.gz", ".mif", ".mif.gz"].contains(&name.extension.as_str())
}

/// An image in the folder of a series.
fn file_of(dataset: &Dataset, beside: &BidsFile, is_it: impl Fn(&BidsName) -> bool) -> Option<PathBuf> {
    let files = dataset.files().iter();
    let mut found =
        files.filter(|other| other.levels == beside.levels && is_image(&other.name) && is_it(&other.name));
    found.next().map(|other| other.path.clone())
}

/// The gradient table of a series. QSIPrep's `.bvec` is along the axes of the image, whatever its determinant, where FSL's, which BIDS
/// has, has x the other way round where that is positive; its `.b` is in scanner axes.
fn gradients(dataset: &Dataset, file: &BidsFile, notes: &mut Vec<String>) -> Result<GradientSource> {
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
        let problem = format!("it has no {} in its folder or above", missing.join(" and no "));
        return Err(Error::invalid(file.path.display(), problem, "put its gradient table there"));
    };
    let mut source = GradientSource { fsl: Some([bval, bvec]), ..GradientSource::default() };
    if dataset.is_made_by("qsiprep") {
        let determinant = describe_image(&file.path)?.grid.affine().determinant();
        if determinant > 0.0 {
            source.axes = SignedAxes::parse("-x,y,z")?;
            notes.push(
                "QSIPrep's .bvec is along the image's axes, and was read so (there is no .b beside it, which would be in scanner axes)"
                    .to_owned(),
            );
        }
    }
    Ok(source)
}

/// What an image of regions is called: its atlas, its segmentation, or FreeSurfer's `aparcaseg`.
fn atlas_label(name: &BidsName) -> Option<&str> {
    name.get("atlas").or(name.get("seg")).or(name.get("desc"))
}

/// The regions of a connectome: of the atlas that is asked for; else the only one, or FreeSurfer's cortex.
fn atlas(
    own: &[(&Dataset, &BidsFile)],
    series: &BidsName,
    wanted: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Option<Atlas>> {
    let of_regions =
        |file: &&(&Dataset, &BidsFile)| file.1.name.suffix == "dseg" && atlas_label(&file.1.name).is_some();
    let (here, elsewhere): (Vec<_>, Vec<_>) = own
        .iter()
        .filter(of_regions)
        .copied()
        .partition(|(_, file): &(&Dataset, &BidsFile)| file.name.get("space") == series.get("space"));
    let labels = |files: &[(&Dataset, &BidsFile)]| {
        let mut labels: Vec<String> =
            files.iter().filter_map(|(_, file)| atlas_label(&file.name)).map(str::to_owned).collect();
        labels.sort();
        labels.dedup();
        labels
    };
    let chosen = if let Some(wanted) = wanted {
        let found = here.iter().find(|(_, file)| atlas_label(&file.name) == Some(wanted));
        if found.is_none() {
            let known = labels(&here);
            let advice = if known.is_empty() {
                "leave it out, or add the derivatives that have it (‘derivatives’)".to_owned()
            } else {
                format!("give one of {}", known.join(", "))
            };
            let space =
                series.get("space").map_or_else(String::new, |space| format!(" in the space {space}"));
            return Err(Error::usage("‘atlas’", format!("there is no *_dseg of {wanted}{space}"), advice));
        }
        found
    } else {
        let drawn: Vec<_> = here
            .iter()
            .filter(|(_, file)| file.name.get("atlas").or(file.name.get("seg")).is_some())
            .collect();
        match drawn[..] {
            [one] => Some(one),
            [] => here.iter().find(|(_, file)| file.name.get("desc") == Some("aparcaseg")),
            _ => {
                notes.push(format!(
                    "several atlases ({}): none was taken; say which by ‘atlas’",
                    labels(&here).join(", ")
                ));
                None
            }
        }
    };
    if chosen.is_none() && here.is_empty() && !elsewhere.is_empty() {
        let spaces: Vec<String> = elsewhere.iter().map(|(_, file)| file.name.to_string()).take(3).collect();
        notes.push(format!("regions in another space than the series were left out: {}", spaces.join(", ")));
    }
    let Some((dataset, file)) = chosen else { return Ok(None) };
    let label = atlas_label(&file.name).unwrap_or_default().to_owned();
    let names = dataset.inherited(file, ".tsv")?.last().map(|found| found.path.clone());
    Ok(Some(Atlas { label, image: file.path.clone(), names }))
}

/// A folder of a data set's results for a scan.
pub fn folder_of(root: &Path, scan: &Scan) -> PathBuf {
    scan.levels.iter().fold(root.to_owned(), |folder, level| folder.join(level))
}
