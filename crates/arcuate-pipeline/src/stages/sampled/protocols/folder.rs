//! Reads protocols (the masks and options for tracking a tract) from a folder. They are in XTRACT's folder
//! layout or in the file `protocols.toml`.

use crate::constraint_files::ConstraintFiles;
use crate::find_files::find_image;
use crate::regions::RegionFile;
use arcuate_core::{Error, Result, disturbs_terminal, is_present, saturating};
use arcuate_io::{LARGEST_TEXT, is_image_name, read_text_file};
use arcuate_track::ConstraintUnit;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// File name of XTRACT's list of tracts.
const LIST: &str = "structureList";
/// File name of Arcuate's list of tracts.
const TOML: &str = "protocols.toml";
/// Default number of streamlines that start in each seed voxel. In XTRACT's list of tracts, numbers are
/// multiples of this number.
const SAMPLES: u32 = 1000;
/// Names of XTRACT's masks, except numbered targets.
const MASKS: [&str; 4] = ["seed", "target", "stop", "exclude"];

/// Protocol for tracking one tract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Protocol {
    /// Name of the tract, and of the folder of its results.
    pub(super) name: String,
    /// Region in which streamlines start.
    pub(super) seed: RegionFile,
    /// Image whose voxel grid the results have. It is the seed image, for both tracking directions.
    pub(super) lattice: PathBuf,
    /// Waypoints (regions to pass), exclusion regions and stop regions of the streamlines.
    pub(super) regions: ConstraintFiles,
    /// Number of streamlines of each seed voxel.
    pub(super) samples: u32,
    /// True if streamlines are also followed from the only waypoint of the tract to the seeds, and both
    /// results are added.
    pub(super) both_directions: bool,
}

impl Protocol {
    /// Returns every file that the protocol reads.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.seed.files().into_iter().chain(self.regions.paths())
    }

    /// Returns the images that the protocol reads, with the seed image first.
    pub(super) fn images(&self) -> impl Iterator<Item = &Path> {
        self.seed.image().into_iter().chain(self.regions.images())
    }

    /// Returns the protocol for the reverse tracking direction, from the waypoint to the seeds. Returns
    /// `None` if the tract is followed in one direction only.
    pub(super) fn inverted(&self) -> Option<Self> {
        let [waypoint] = self.regions.waypoints.as_slice() else { return None };
        let regions = ConstraintFiles { waypoints: vec![self.seed.clone()], ..self.regions.clone() };
        self.both_directions.then(|| Self { seed: waypoint.clone(), regions, ..self.clone() })
    }

    fn check(&self, about: &str) -> Result<()> {
        let refuse = |problem: &str, advice: &str| Err(Error::invalid(about, problem, advice));
        if self.seed.surface().is_some() {
            return refuse("its seeds are a surface", "give a mask, or labels of an image");
        }
        if self.both_directions && self.regions.waypoints.len() != 1 {
            let problem = "it is followed both ways, for which it needs one target, no more and no less";
            return refuse(problem, "give one, or follow it one way");
        }
        if self.regions.in_order && self.regions.waypoints.len() < 2 {
            return refuse("its waypoints have no order", "give two of them or more, or leave the order out");
        }
        Ok(())
    }
}

/// Returns the files that list the tracts of a folder (`structureList` and `protocols.toml`), if they exist.
pub(super) fn lists(folder: &Path) -> Vec<PathBuf> {
    [LIST, TOML].map(|name| folder.join(name)).into_iter().filter(|path| is_present(path)).collect()
}

/// Reads the protocols in a folder, sorted by the name of the tract. The tracts are those in XTRACT's
/// `structureList`. If this file is missing, each subfolder with a seed image is a tract. The tracts in
/// `protocols.toml` are added. If `requested` is not empty, only the tracts with these names are returned.
///
/// Returns an error if a tract is defined twice, or if its masks are missing or ambiguous. Also returns an
/// error if a tract in `requested` does not exist.
pub(super) fn read(folder: &Path, requested: &[String]) -> Result<Vec<Protocol>> {
    if !folder.is_dir() {
        return Err(Error::no_folder(folder, "give the folder with the masks of the tracts"));
    }
    let (list, toml) = (folder.join(LIST), folder.join(TOML));
    let is_wanted = |name: &str| requested.is_empty() || requested.iter().any(|requested| requested == name);
    let mut protocols = Vec::new();
    // If this path exists but is not a regular file, reading it returns an error.
    let listed = if is_present(&list) { read_list(&list)? } else { folders_with_seeds(folder)? };
    let mut known: BTreeSet<String> = listed.iter().map(|(name, _)| name.clone()).collect();
    if known.len() < listed.len() {
        return Err(Error::invalid(list.display(), "it names a tract twice", "leave one out"));
    }
    for (name, samples) in listed.iter().filter(|(name, _)| is_wanted(name)) {
        protocols.push(of_folder(&folder.join(name), name, *samples)?);
    }
    if is_present(&toml) {
        for protocol in read_toml(&toml)? {
            if !known.insert(protocol.name.clone()) {
                let problem = format!("there are two tracts with the name `{}`", protocol.name);
                return Err(Error::invalid(toml.display(), problem, "rename one of the two"));
            }
            if is_wanted(&protocol.name) {
                protocols.push(protocol);
            }
        }
    }
    if known.is_empty() {
        let problem = "the folder has no protocol";
        let advice = "give a folder that holds one for each tract, with seed.nii.gz in each";
        return Err(Error::invalid(folder.display(), problem, advice));
    }
    if let Some(missing) = requested.iter().find(|name| !known.contains(*name)) {
        let some: Vec<&str> = known.iter().map(String::as_str).take(12).collect();
        let problem = format!(
            "the folder {} has no tract `{missing}`; its tracts are {}",
            folder.display(),
            some.join(", ")
        );
        return Err(Error::usage("‘tracts’", problem, "give names of existing tracts"));
    }
    protocols.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(protocols)
}

/// Returns an error if the name of a tract cannot be the name of a folder.
fn require_name(name: &str, about: &Path) -> Result<()> {
    let is_odd = |c: char| disturbs_terminal(c) || c.is_whitespace() || "/\\:,\"".contains(c);
    if name.is_empty() || name.starts_with('.') || name.contains(is_odd) {
        let problem = format!("`{}` is not a valid name of a tract", arcuate_core::printable(name, 60));
        return Err(Error::invalid(about.display(), problem, "use letters, digits, _, - and . in names"));
    }
    Ok(())
}

/// Reads XTRACT's list of tracts. Each line contains the name of a tract. An optional number follows: the
/// thousands of streamlines per seed voxel. `#` starts a comment.
fn read_list(path: &Path) -> Result<Vec<(String, u32)>> {
    let text = read_text_file(path, LARGEST_TEXT)?;
    let mut tracts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        require_name(name, path)?;
        let thousands = words.next().map_or(Some(1.0), |word| word.parse::<f64>().ok());
        let samples = thousands.map(|thousands| (thousands * f64::from(SAMPLES)).round());
        let is_last = words.next().is_none();
        let Some(samples) = samples.filter(|samples| is_last && (1.0..=1e8).contains(samples)) else {
            let problem = format!(
                "line {number} is not the name of a tract, with or without a number of streamlines (in \
                 thousands)"
            );
            let advice = "write NAME, or NAME 4 for 4000 of each voxel";
            return Err(Error::invalid(path.display(), problem, advice));
        };
        tracts.push((name.to_owned(), saturating::<u32>(samples)));
    }
    Ok(tracts)
}

/// Returns the names of the subfolders that contain a seed image, with the default number of streamlines per
/// seed voxel.
fn folders_with_seeds(folder: &Path) -> Result<Vec<(String, u32)>> {
    let read = |e| Error::read(folder, e);
    let mut tracts = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.is_dir() && find_image(&path.join("seed"))?.is_some() {
            let name = crate::record::name_of(&path);
            require_name(&name, folder)?;
            tracts.push((name, SAMPLES));
        }
    }
    Ok(tracts)
}

/// Reads the protocol of a tract from a folder in XTRACT's layout. The masks are `seed`, `stop`, `exclude`,
/// and `target` or `target1`, `target2`, …, with any image extension. Streamlines must pass all targets. If
/// the empty file `invert` exists, the tract is followed in both directions. If the file `wayorder` exists,
/// streamlines must pass the targets in the order of their numbers.
fn of_folder(folder: &Path, name: &str, samples: u32) -> Result<Protocol> {
    let image = |stem: &str| find_image(&folder.join(stem));
    let Some(seed) = image("seed")? else {
        let advice = "give the tract a mask of its seeds";
        return Err(if folder.is_dir() {
            Error::invalid(folder.display(), "it has no seed.nii.gz", advice)
        } else {
            Error::no_folder(folder, advice)
        });
    };
    let targets = numbered_targets(folder)?;
    let single = image("target")?;
    if single.is_some() && !targets.is_empty() {
        let problem = "it has target.nii.gz and target1.nii.gz: one target, or several?";
        return Err(Error::invalid(folder.display(), problem, "remove what is not meant"));
    }
    tell_unknown(folder)?;
    let mask = |path: PathBuf| RegionFile::mask(&path);
    let region = |stem: &str| -> Result<Vec<RegionFile>> { Ok(image(stem)?.into_iter().map(mask).collect()) };
    let protocol = Protocol {
        name: name.to_owned(),
        lattice: seed.clone(),
        seed: mask(seed),
        regions: ConstraintFiles {
            waypoints: single.into_iter().chain(targets).map(mask).collect(),
            in_order: is_present(&folder.join("wayorder")),
            stop: region("stop")?,
            avoid: region("exclude")?,
            judged_by: ConstraintUnit::Half,
            ..ConstraintFiles::default()
        },
        samples,
        both_directions: is_present(&folder.join("invert")),
    };
    protocol.check(&folder.display().to_string())?;
    Ok(protocol)
}

/// Returns the target masks `target1`, `target2` and so on, sorted by number.
fn numbered_targets(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut numbers = BTreeSet::new();
    for stem in image_stems(folder)? {
        let digits = stem.strip_prefix("target").filter(|digits| !digits.is_empty());
        numbers.extend(digits.and_then(|digits| digits.parse::<u32>().ok()));
    }
    let target = |number| find_image(&folder.join(format!("target{number}")));
    numbers.into_iter().filter_map(|number| target(number).transpose()).collect()
}

/// Returns the names of the images in a folder, without extensions.
fn image_stems(folder: &Path) -> Result<Vec<String>> {
    let read = |e| Error::read(folder, e);
    let mut stems = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if is_image_name(&path) {
            let name = crate::record::name_of(&path);
            stems.push(name.split('.').next().unwrap_or_default().to_owned());
        }
    }
    stems.sort();
    Ok(stems)
}

/// Warns of images in the folder of a tract that its protocol does not use. The user probably expects these
/// images to have an effect.
fn tell_unknown(folder: &Path) -> Result<()> {
    let is_known = |stem: &String| {
        let is_numbered = stem.strip_prefix("target").is_some_and(|number| number.parse::<u32>().is_ok());
        is_numbered || MASKS.contains(&stem.as_str())
    };
    let unknown: Vec<String> = image_stems(folder)?.into_iter().filter(|stem| !is_known(stem)).collect();
    if !unknown.is_empty() {
        let folder = folder.display();
        tracing::warn!(
            "{folder}: {} is not used; masks are called seed, target (or target1, target2, …), stop and exclude",
            unknown.join(", ")
        );
    }
    Ok(())
}

/// Content of `protocols.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tracts {
    #[serde(default)]
    tract: Vec<Tract>,
}

/// A tract in `protocols.toml`. The paths of its masks are relative to the folder of this file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tract {
    name: String,
    seed: PathBuf,
    #[serde(default = "default_samples")]
    samples: u32,
    #[serde(default)]
    waypoints: Vec<PathBuf>,
    #[serde(default)]
    waypoints_in_order: bool,
    #[serde(default)]
    avoid: Vec<PathBuf>,
    #[serde(default)]
    stop: Vec<PathBuf>,
    #[serde(default)]
    stop_on_exit: Vec<PathBuf>,
    #[serde(default, rename = "both_ways")]
    both_directions: bool,
}

fn default_samples() -> u32 {
    SAMPLES
}

fn read_toml(path: &Path) -> Result<Vec<Protocol>> {
    let text = read_text_file(path, LARGEST_TEXT)?;
    let tracts: Tracts = toml::from_str(&text).map_err(|error| {
        let problem =
            format!("the file is not a list of tracts ({})", error.to_string().trim().replace('\n', "; "));
        Error::invalid(path.display(), problem, "write a table [[tract]] with name, seed and waypoints")
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let of = |tract: Tract| -> Result<Protocol> {
        require_name(&tract.name, path)?;
        let region = |written: &PathBuf| RegionFile::of(&folder.join(written));
        let regions = |all: &[PathBuf]| all.iter().map(region).collect::<Result<Vec<_>>>();
        let about = format!("{}: tract `{}`", path.display(), tract.name);
        if tract.samples == 0 {
            return Err(Error::invalid(
                about,
                "the tract has 0 streamlines per seed",
                "give samples = 1000 (streamlines per seed), or another number of at least 1",
            ));
        }
        let seed = region(&tract.seed)?;
        let protocol = Protocol {
            lattice: seed.path().to_owned(),
            seed,
            regions: ConstraintFiles {
                waypoints: regions(&tract.waypoints)?,
                in_order: tract.waypoints_in_order,
                avoid: regions(&tract.avoid)?,
                stop: regions(&tract.stop)?,
                stop_on_exit: regions(&tract.stop_on_exit)?,
                judged_by: ConstraintUnit::Half,
                ..ConstraintFiles::default()
            },
            samples: tract.samples,
            both_directions: tract.both_directions,
            name: tract.name,
        };
        protocol.check(&about)?;
        Ok(protocol)
    };
    tracts.tract.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a temporary folder with these files and their contents.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    fn names(protocols: &[Protocol]) -> String {
        let of = |protocol: &Protocol| format!("{}:{}", protocol.name, protocol.samples);
        protocols.iter().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn xtract_folders_are_read() {
        let root = folder(&[
            ("structureList", "cst_l 4\n# slf_l\n\nfma 0.6 # both sides\n"),
            ("cst_l/seed.nii.gz", ""),
            ("cst_l/target.nii.gz", ""),
            ("cst_l/exclude.nii.gz", ""),
            ("cst_l/invert", ""),
            ("fma/seed.nii", ""),
            ("fma/target10.nii.gz", ""),
            ("fma/target2.nii.gz", ""),
            ("fma/stop.nii.gz", ""),
            ("slf_l/seed.nii.gz", ""),
        ]);
        let read = |requested: &[&str]| {
            read(root.path(), &requested.iter().map(|&w| w.to_owned()).collect::<Vec<_>>())
        };
        let protocols = read(&[]).unwrap();
        assert_eq!(names(&protocols), "cst_l:4000 fma:600");
        let [cst, fma] = protocols.as_slice() else { panic!("two tracts") };
        assert!(cst.both_directions && !fma.both_directions);
        let inverted = cst.inverted().unwrap();
        assert!(inverted.seed.path().ends_with("cst_l/target.nii.gz"));
        assert!(inverted.regions.waypoints[0].path().ends_with("cst_l/seed.nii.gz"));
        assert_eq!(inverted.regions.avoid, cst.regions.avoid);
        assert!(fma.inverted().is_none() && fma.regions.stop.len() == 1);
        let targets: Vec<String> =
            fma.regions.waypoints.iter().map(|region| crate::record::name_of(region.path())).collect();
        assert_eq!(targets, ["target2.nii.gz", "target10.nii.gz"], "by their numbers, all of them");
        assert_eq!(names(&read(&["fma"]).unwrap()), "fma:600");
        assert!(
            read(&["af_l"])
                .unwrap_err()
                .to_string()
                .contains("has no tract `af_l`; its tracts are cst_l, fma")
        );
        // If there is no list of tracts, all subfolders with a seed image are tracts, with 1000 streamlines
        // per seed voxel.
        std::fs::remove_file(root.path().join("structureList")).unwrap();
        assert_eq!(names(&read(&[]).unwrap()), "cst_l:1000 fma:1000 slf_l:1000");
    }

    #[test]
    fn toml_protocols_are_read_in_addition() {
        let toml = "[[tract]]\nname = \"own\"\nseed = \"atlas.nii.gz:7\"\nwaypoints = [\"a/seed.nii.gz\", \"b.nii.gz\"]\n\
                    waypoints_in_order = true\nsamples = 50\n";
        let root = folder(&[("a/seed.nii.gz", ""), ("protocols.toml", toml)]);
        let protocols = read(root.path(), &[]).unwrap();
        assert_eq!(names(&protocols), "a:1000 own:50");
        assert!(protocols[1].regions.in_order);
        assert_eq!(protocols[1].seed.suffix().as_deref(), Some("7"));
        assert_eq!(protocols[1].files().count(), 3);
        for (text, expected) in [
            ("[[tract]]\nname = \"a\"\nseed = \"s.nii\"\n", "there are two tracts with the name `a`"),
            ("[[tract]]\nname = \"../x\"\nseed = \"s.nii\"\n", "is not a valid name of a tract"),
            ("[[tract]]\nname = \"x\"\nseed = \"s.nii\"\nstops = []\n", "unknown field `stops`"),
            ("[[tract]]\nname = \"x\"\nseed = \"s.surf.gii\"\n", "its seeds are a surface"),
            ("[[tract]]\nname = \"x\"\nseed = \"s.nii\"\nboth_ways = true\n", "it needs one target"),
            (
                "[[tract]]\nname = \"x\"\nseed = \"s.nii\"\nsamples = 0\n",
                "the tract has 0 streamlines per seed",
            ),
        ] {
            std::fs::write(root.path().join("protocols.toml"), text).unwrap();
            let refused = read(root.path(), &[]).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn invalid_protocols_are_rejected() {
        for (files, expected) in [
            (vec![("structureList", "x\n")], "x: there is no such folder"),
            (vec![("structureList", "x\n"), ("x/target.nii", "")], "it has no seed.nii.gz"),
            (vec![("structureList", "x y\n")], "line 1 is not the name of a tract, with or without a number"),
            (vec![("structureList", "x 0\n")], "line 1 is not the name of a tract, with or without a number"),
            (vec![("structureList", "x\nx\n"), ("x/seed.nii", "")], "it names a tract twice"),
            (vec![("structureList", "../x\n")], "is not a valid name of a tract"),
            (vec![("readme.txt", "")], "the folder has no protocol"),
            (
                vec![("x/seed.nii", ""), ("x/target.nii", ""), ("x/target1.nii", "")],
                "one target, or several?",
            ),
            (vec![("x/seed.nii", ""), ("x/invert", "")], "it needs one target"),
            (
                vec![("x/seed.nii", ""), ("x/target.nii", ""), ("x/wayorder", "")],
                "its waypoints have no order",
            ),
            (vec![("x/seed.nii", ""), ("x/seed.nii.gz", "")], "exists, too"),
        ] {
            let root = folder(&files);
            let refused = read(root.path(), &[]).unwrap_err().to_string();
            assert!(refused.contains(expected), "{files:?}: {refused}");
        }
    }
}
