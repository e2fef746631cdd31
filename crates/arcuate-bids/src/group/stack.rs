//! Combines the connectomes of a cohort in one array (a stack), and computes their mean. Also computes the
//! correlation of each member's connectome with the mean of the other members.

use super::matrices::{Connectome, LeftOut, SameRegions};
use super::member::{Entry, shown};
use super::table::{participant, session};
use arcuate_core::{Axis, Result};
use arcuate_io::NpzWriter;
use std::path::{Path, PathBuf};

/// The measure whose mean connectome the page shows: the first of these measures if all members have it. If
/// not, the page shows the second measure, which every connectome has.
const OF_MEAN: [&str; 2] = ["weights", "counts"];

/// The name of a connectome if each run has only one parcellation.
pub(super) const ONLY: &str = "connectome";

/// The results of a stack of connectomes.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    /// The name of the connectome: `connectome`, or the name of its parcellation.
    pub(super) name: String,
    /// The path of the file with the stack of connectomes.
    pub(super) path: PathBuf,
    pub(super) regions: Axis,
    /// The measure whose mean is shown.
    pub(super) measure: &'static str,
    /// The mean of the connectome matrices of all members, in row-major order.
    pub(super) mean: Vec<f64>,
    /// For each member, its index and the correlation of its connectome with the mean connectome of the other
    /// members. NaN if the correlation is undefined.
    pub(super) correlations: Vec<(usize, f64)>,
    /// The members whose connectomes are not in the stack, with the reasons.
    pub(super) left_out: Vec<LeftOut>,
}

impl Stack {
    /// Returns the title of a section or a figure of the page. If the cohort has several parcellations, the
    /// title contains the name of the connectome.
    pub(super) fn title(&self, of: &str) -> String {
        match &self.name[..] {
            ONLY => of.to_owned(),
            name => format!("{of}: {}", shown(name)),
        }
    }
}

/// Writes the connectomes that have the same regions to one `.npz` file. In the file, `participants`,
/// `sessions` and `scans` identify the members, and `regions` and `region_names` identify the rows and
/// columns of the matrices. Each measure is a float32 array of scans × regions × regions, which contains NaN
/// for a member that lacks the measure. Only the matrices of a few members are in memory at a time.
///
/// Returns `None` and writes no file if no connectome can be read.
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

/// Reads the matrices of all measures of one member, and returns the matrix of the measure `of_mean`. Reading
/// all of them first detects unreadable files before the stack is written.
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

/// Sums over the members of a cohort, for each element of the connectome matrix: the sum of the values, and
/// the sum of their square roots.
struct Sums {
    values: Vec<f64>,
    roots: Vec<f64>,
}

/// Returns an element of a connectome matrix as the correlation uses it: NaN and negative values become 0.
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

    /// Computes Pearson's correlation between two lists: the square roots of a member's values, and the mean
    /// square roots of the other members. Each list has one number per pair of different regions. Square
    /// roots prevent a few large connections from dominating, and give counts nearly constant variance. The
    /// member itself is excluded from the mean, because it would increase the correlation.
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
    fn each_member_is_compared_with_the_other_members() {
        let matrices = [
            [9.0f32, 1.0, 4.0, 1.0, 9.0, 0.0, 4.0, 0.0, 9.0],
            [0.0, 4.0, 16.0, 4.0, 0.0, 0.0, 16.0, 0.0, 0.0],
        ];
        let mut sums = Sums { values: vec![0.0; 9], roots: vec![0.0; 9] };
        for matrix in &matrices {
            sums.add(matrix);
        }
        assert_eq!(sums.values[1], 5.0);
        // The square roots of the connections are 1, 2, 0 for one member and 2, 4, 0 for the other member, so
        // their correlation is 1. The diagonal of the matrix is ignored.
        assert!((sums.correlation(&matrices[0], 2) - 1.0).abs() < 1e-12);
        // If the cohort has only one member, the correlation is undefined.
        let mut alone = Sums { values: vec![0.0; 9], roots: vec![0.0; 9] };
        alone.add(&matrices[0]);
        assert!(alone.correlation(&matrices[0], 1).is_nan());
        assert_eq!((strength(f32::NAN), strength(-1.0)), (0.0, 0.0));
    }
}
