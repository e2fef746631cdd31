//! The connectomes of a cohort as one array, their mean, and how like it each is.

use super::matrices::{Connectome, LeftOut, SameRegions};
use super::member::{Entry, shown};
use super::table::{participant, session};
use arcuate_core::{Axis, Result};
use arcuate_io::NpzWriter;
use std::path::{Path, PathBuf};

/// The measure of the mean: where all have it the first, else the second, which every connectome has.
const OF_MEAN: [&str; 2] = ["weights", "counts"];

/// What the connectome of a run is called that has one parcellation.
pub(super) const ONLY: &str = "connectome";

/// What a stack of connectomes says.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    /// What the connectome is called: `connectome`, or the name of its parcellation.
    pub(super) name: String,
    /// Its file.
    pub(super) path: PathBuf,
    pub(super) regions: Axis,
    /// The measure of which the mean is.
    pub(super) measure: &'static str,
    /// The mean of all members, row after row.
    pub(super) mean: Vec<f64>,
    /// Members by their places, each with its correlation with the mean of the others; no number where that has no meaning.
    pub(super) correlations: Vec<(usize, f64)>,
    /// Members that are not in the stack.
    pub(super) left_out: Vec<LeftOut>,
}

impl Stack {
    /// A title with the name of the connectomes, where several parcellations need one.
    pub(super) fn title(&self, of: &str) -> String {
        match &self.name[..] {
            ONLY => of.to_owned(),
            name => format!("{of}: {}", shown(name)),
        }
    }
}

/// Writes the stack of connectomes with the same regions: `participants`, `sessions` and `scans` say whose each is,
/// `regions` and `region_names` what rows and columns are, and for each measure there is an array (scans × regions × regions,
/// float32), which has no numbers where a member lacks the measure. Nothing is kept of more than a few members at once.
///
/// Nothing is written, and nothing returned, where none can be read.
pub(super) fn write(path: &Path, entries: &[Entry], mut set: SameRegions) -> Result<Option<Stack>> {
    let measure = OF_MEAN.into_iter().find(|measure| set.all_have(measure)).unwrap_or(OF_MEAN[1]);
    let regions = set.regions.len();
    let mut sums = Sums { values: vec![0.0; regions * regions], roots: vec![0.0; regions * regions] };
    let measures = set.measures();
    let (mut members, mut left_out) = (Vec::new(), std::mem::take(&mut set.left_out));
    for member in std::mem::take(&mut set.members) {
        match all_of(&member, &measures, measure, regions) {
            Ok(values) => {
                sums.add(&values);
                members.push(member);
            }
            Err(error) => left_out.push(LeftOut { entry: member.entry, reason: error.to_string() }),
        }
    }
    if members.is_empty() {
        return Ok(None);
    }
    left_out.sort_by_key(|one| one.entry);
    let mut archive = NpzWriter::create(path)?;
    let of_members = |of: &dyn Fn(&Entry) -> String| -> Vec<String> {
        members.iter().map(|member| of(&entries[member.entry])).collect()
    };
    archive.texts("participants", &of_members(&participant))?;
    archive.texts("sessions", &of_members(&|entry| session(entry).unwrap_or_default()))?;
    archive.texts("scans", &of_members(&|entry| entry.member.id.clone()))?;
    archive.numbers("regions", set.regions.numbers().iter().copied())?;
    let names: Vec<&str> = (0..regions).map(|place| set.regions.name(place).unwrap_or_default()).collect();
    archive.texts("region_names", &names)?;
    let mut correlations = Vec::new();
    let nothing = vec![f32::NAN; regions * regions];
    for word in &measures {
        archive.begin_array::<f32>(word, &[members.len(), regions, regions])?;
        for member in &members {
            let values = member.read(word, regions)?;
            if let Some(values) = values.as_ref().filter(|_| word == measure) {
                correlations.push((member.entry, sums.correlation(values, members.len())));
            }
            archive.append(values.as_ref().unwrap_or(&nothing).iter().copied())?;
        }
    }
    archive.finish()?;
    let mean = sums.values.iter().map(|sum| sum / members.len() as f64).collect();
    let (name, path, regions) = (set.name, path.to_owned(), set.regions);
    Ok(Some(Stack { name, path, regions, measure, mean, correlations, left_out }))
}

/// Reads all measures of a member, so that those that cannot be read are known before anything is written; gives that of the mean.
fn all_of(member: &Connectome, measures: &[String], of_mean: &str, regions: usize) -> Result<Vec<f32>> {
    let mut found = None;
    for word in measures {
        let values = member.read(word, regions)?;
        if word == of_mean {
            found = values;
        }
    }
    Ok(found.unwrap_or_else(|| vec![0.0; regions * regions]))
}

/// Sums over members, of values and of their square roots.
struct Sums {
    values: Vec<f64>,
    roots: Vec<f64>,
}

/// A connection as it counts: what is no number counts as none.
fn strength(value: f32) -> f64 {
    if value.is_finite() { f64::from(value.max(0.0)) } else { 0.0 }
}

impl Sums {
    fn add(&mut self, values: &[f32]) {
        for ((sum, root), value) in self.values.iter_mut().zip(&mut self.roots).zip(values) {
            *sum += strength(*value);
            *root += strength(*value).sqrt();
        }
    }

    /// Pearson's correlation of a member's square roots with the mean square roots of the others, over pairs of different regions.
    /// Roots keep a few large connections from deciding alone; of counts they make the noise alike everywhere. With itself in the
    /// mean a member would look more like it than it is.
    fn correlation(&self, values: &[f32], members: usize) -> f64 {
        let side = values.len().isqrt();
        let others = members.saturating_sub(1) as f64;
        let pairs: Vec<(f64, f64)> = (0..values.len())
            .filter(|place| place % side > place / side)
            .map(|place| {
                let root = strength(values[place]).sqrt();
                (root, (self.roots[place] - root) / others)
            })
            .collect();
        pearson(&pairs)
    }
}

fn pearson(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        (xx, yy, xy) = (xx + x * x, yy + y * y, xy + x * y);
    }
    xy / (xx * yy).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_compared_with_the_others_alone() {
        let matrices = [
            [9.0f32, 1.0, 4.0, 1.0, 9.0, 0.0, 4.0, 0.0, 9.0],
            [0.0, 4.0, 16.0, 4.0, 0.0, 0.0, 16.0, 0.0, 0.0],
        ];
        let mut sums = Sums { values: vec![0.0; 9], roots: vec![0.0; 9] };
        for matrix in &matrices {
            sums.add(matrix);
        }
        assert_eq!(sums.values[1], 5.0);
        // Roots 1, 2, 0 and 2, 4, 0: the diagonal does not count.
        assert!((sums.correlation(&matrices[0], 2) - 1.0).abs() < 1e-12);
        // Of one member alone nothing can be said.
        let mut alone = Sums { values: vec![0.0; 9], roots: vec![0.0; 9] };
        alone.add(&matrices[0]);
        assert!(alone.correlation(&matrices[0], 1).is_nan());
        assert_eq!((strength(f32::NAN), strength(-1.0)), (0.0, 0.0));
    }
}
