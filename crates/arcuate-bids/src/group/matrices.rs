//! Finds the connectomes of the members of a cohort, and groups the members whose connectomes have the same
//! regions.

use super::member::{Entry, Results, shown};
use arcuate_core::{Axis, Error, Measure, Result};
use arcuate_io::{read_axis_csv, read_npy_complex};
use arcuate_pipeline::record::inside;
use std::path::{Path, PathBuf};

/// The ending of the name of the file that lists the regions of a connectome.
const REGIONS: &str = "_regions.csv";
const ARRAY: &str = ".npy";

/// The connectome of one member.
#[derive(Debug, Clone)]
pub(super) struct Connectome {
    /// The index of the member in the list of the cohort's members.
    pub(super) entry: usize,
    /// The matrices of the connectome. For each matrix: the name of its measure (such as `counts`) and its
    /// file.
    files: Vec<(String, PathBuf)>,
}

/// A member of the cohort whose connectome is excluded, for example because its regions differ from those of
/// most members. States the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) entry: usize,
    pub(super) reason: String,
}

/// Connectomes with the same regions.
#[derive(Debug, Clone)]
pub(super) struct SameRegions {
    /// The name of the connectome: `connectome`, or the name of its parcellation.
    pub(super) name: String,
    pub(super) regions: Axis,
    pub(super) members: Vec<Connectome>,
    pub(super) left_out: Vec<LeftOut>,
}

impl Connectome {
    /// Returns the file with the matrix of a measure. Returns `None` if the connectome lacks this measure.
    fn file(&self, measure: &str) -> Option<&Path> {
        self.files.iter().find(|(word, _)| word == measure).map(|(_, path)| path.as_path())
    }

    /// Reads the connectome matrix of a measure in row-major order. The file must have `regions` rows.
    /// Returns `None` if the member's connectome lacks the measure.
    ///
    /// # Errors
    /// Returns an error if the file of the matrix cannot be read or if its number of regions is not
    /// `regions`.
    pub(super) fn read(&self, measure: &str, regions: usize) -> Result<Option<Vec<f32>>> {
        let Some(path) = self.file(measure) else { return Ok(None) };
        let array = read_npy_complex(path)?;
        if *array.shape() != [regions, regions] {
            let problem = format!(
                "the matrix does not have {regions} rows and columns, one for each region in the list of \
                 regions in the same folder"
            );
            return Err(Error::invalid(path.display(), problem, "compute the connectome again"));
        }
        // In the file of a connectome matrix, the row index varies fastest.
        let places = (0..regions).flat_map(|row| (0..regions).map(move |column| row + column * regions));
        Ok(Some(places.map(|place| array.values()[place][0]).collect()))
    }
}

impl SameRegions {
    /// Returns the measures for which at least one member has a matrix, in the order of their first
    /// occurrence.
    pub(super) fn measures(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for (word, _) in self.members.iter().flat_map(|member| &member.files) {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        words
    }

    /// Returns whether every member has a measure.
    pub(super) fn all_have(&self, measure: &str) -> bool {
        self.members.iter().all(|member| member.file(measure).is_some())
    }
}

/// A connectome that the record of a run lists, with its name and its files.
struct Named {
    name: String,
    regions: String,
    measures: Vec<(String, String)>,
}

/// Returns the connectomes of a run.
fn named(results: &Results) -> Vec<Named> {
    let stems = results.files.iter().filter_map(|file| file.strip_suffix(REGIONS));
    let of_stem = |stem: &str| {
        let word = |file: &String| -> Option<(String, String)> {
            let word = file.strip_prefix(stem)?.strip_prefix('_')?.strip_suffix(ARRAY)?;
            let is_plain = word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
            (is_plain && Measure::of_word(word).is_some()).then(|| (word.to_owned(), file.clone()))
        };
        let name = stem.rsplit('/').next().unwrap_or(stem).to_owned();
        let measures = results.files.iter().filter_map(word).collect();
        Named { name, regions: format!("{stem}{REGIONS}"), measures }
    };
    // A connectome without a matrix of streamline counts is incomplete and ignored, because every connectome
    // has this matrix.
    let has_counts = |one: &Named| one.measures.iter().any(|(word, _)| *word == Measure::Count.word());
    stems.map(of_stem).filter(has_counts).collect()
}

/// Finds the connectomes of a cohort. For each name of a connectome, uses the largest group of members whose
/// connectomes have the same regions. The other members are returned with the reason why they are excluded.
pub(super) fn find(entries: &[Entry]) -> Vec<SameRegions> {
    let mut names: Vec<String> = Vec::new();
    let of_entry = |entry: &Entry| entry.results.as_ref().map(named).unwrap_or_default();
    for connectome in entries.iter().flat_map(of_entry) {
        if !names.contains(&connectome.name) {
            names.push(connectome.name);
        }
    }
    names.into_iter().filter_map(|name| of_name(entries, name)).collect()
}

/// Returns the connectomes of all members with this name. Returns `None` if none of these connectomes can be
/// read.
fn of_name(entries: &[Entry], name: String) -> Option<SameRegions> {
    let mut sets: Vec<(Axis, Vec<Connectome>)> = Vec::new();
    let mut left_out = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let Some(results) = &entry.results else { continue };
        let Some(found) = named(results).into_iter().find(|one| one.name == name) else {
            left_out.push(LeftOut { entry: place, reason: "it has no such connectome".to_owned() });
            continue;
        };
        match open(&entry.member.results, found) {
            Ok((regions, files)) => {
                let connectome = Connectome { entry: place, files };
                match sets.iter_mut().find(|(known, _)| *known == regions) {
                    Some((_, members)) => members.push(connectome),
                    None => sets.push((regions, vec![connectome])),
                }
            }
            Err(error) => left_out.push(LeftOut { entry: place, reason: error.to_string() }),
        }
    }
    // If several groups of members have the same size, the first group is used.
    let largest = (0..sets.len()).rev().max_by_key(|&place| sets[place].1.len())?;
    let (regions, members) = sets.remove(largest);
    for (others, members) in sets {
        let reason = difference(&others, &regions);
        left_out.extend(members.iter().map(|one| LeftOut { entry: one.entry, reason: reason.clone() }));
    }
    left_out.sort_by_key(|one| one.entry);
    Some(SameRegions { name, regions, members, left_out })
}

type Files = Vec<(String, PathBuf)>;

/// Returns the regions of a connectome and the paths of its matrices. A record may contain wrong paths, so
/// files outside the result folder are not opened.
fn open(folder: &Path, found: Named) -> Result<(Axis, Files)> {
    let regions = read_axis_csv(&inside(folder, &found.regions)?)?;
    let files = found.measures.into_iter().map(|(word, file)| Ok((word, inside(folder, &file)?)));
    Ok((regions, files.collect::<Result<_>>()?))
}

/// Returns a text that states how the regions of a member's connectome differ from those of most members.
fn difference(others: &Axis, maximum: &Axis) -> String {
    if others.kind() != maximum.kind() {
        return format!(
            "its rows are {}, those of most are {}",
            others.kind().plural(),
            maximum.kind().plural()
        );
    }
    if others.len() != maximum.len() {
        return format!("it has {} regions, most have {}", others.len(), maximum.len());
    }
    if let Some(place) = (0..maximum.len()).find(|&place| others.numbers()[place] != maximum.numbers()[place])
    {
        let [its, theirs] = [others, maximum].map(|axis| axis.numbers()[place]);
        return format!("its region in row {place} has the number {its}, that of most {theirs}");
    }
    let name = |axis: &Axis, place: usize| shown(axis.name(place).unwrap_or("nothing"));
    match (0..maximum.len()).find(|&place| others.name(place) != maximum.name(place)) {
        Some(place) => {
            let number = maximum.numbers()[place];
            format!(
                "its region {number} is called {}, that of most {}",
                name(others, place),
                name(maximum, place)
            )
        }
        None => "its regions are others".to_owned(),
    }
}
