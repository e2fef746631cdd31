//! k-means clustering of the rows of a matrix (Lloyd 1982, doi:10.1109/TIT.1982.1056489), initialised by k-means++
//! (Arthur and Vassilvitskii 2007).
//!
//! Sums over matrix rows are computed in the order of the rows, separately for each cluster. Sums over matrix
//! columns are computed in the order of the columns. The result of the clustering is therefore bit-identical
//! for any number of threads.

use super::values;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{ConnectivityMatrix, Error, Measure, Result, narrow};
use rayon::prelude::*;

/// The measure of similarity between two matrix rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Similarity {
    /// The angle between rows, which are first scaled to length 1. Seeds with connections to the same targets
    /// are then similar, even if the numbers of their streamlines differ. These numbers therefore do not
    /// split a region.
    #[default]
    Cosine,
    /// The Euclidean distance between rows.
    Euclidean,
}

/// Options of the k-means clustering.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterOptions {
    /// Number of clusters.
    pub clusters: usize,
    /// The measure of similarity between two rows.
    pub similarity: Similarity,
    /// Number of times that the algorithm is started, each time with other initial rows. The clustering with
    /// the lowest inertia is used.
    pub starts: usize,
    /// Seed of the random number generator that chooses the initial rows.
    pub random_seed: u64,
}

impl ClusterOptions {
    /// Creates options with this number of clusters, the angle between rows as the similarity, and ten
    /// starts.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, similarity: Similarity::Cosine, starts: 10, random_seed: 0 }
    }
}

/// The result of clustering matrix rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowClusters {
    /// The cluster of each matrix row. Clusters are numbered from 1 in the order of their first rows. A row
    /// without non-zero entries has the value 0.
    pub labels: Vec<u32>,
    /// Inertia: the sum over all rows of the squared distance between the row and the mean of its cluster.
    pub inertia: f64,
    /// The initial rows of the start whose clustering was used.
    pub first_rows: Vec<usize>,
    /// Number of iterations of the start whose clustering was used, until no row changed its cluster.
    pub rounds: usize,
    /// Number of rows without non-zero entries, which are in no cluster.
    pub empty_rows: usize,
}

/// Maximum number of k-means iterations per start.
const MAX_ROUNDS: usize = 300;

/// The matrix rows with non-zero entries, and their statistics for k-means.
struct Rows {
    /// For each row with non-zero entries, its index in the matrix.
    places: Vec<usize>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// For each row, the sum of its squared entries.
    squares: Vec<f64>,
    width: usize,
}

impl Rows {
    fn new(matrix: &ConnectivityMatrix, measure: &Measure, similarity: Similarity) -> Result<Self> {
        let stored = values(matrix, measure)?;
        let whole = matrix.whole_rows();
        let [height, width] = matrix.shape();
        let (mut places, mut offsets, mut columns, mut values, mut squares) =
            (Vec::new(), vec![0], Vec::new(), Vec::new(), Vec::new());
        for row in 0..height {
            let first = values.len();
            for (column, entry) in whole.row(row).filter(|&(_, entry)| stored[entry] != 0.0) {
                columns.push(narrow::<u32>(column));
                values.push(stored[entry]);
            }
            if values.len() == first {
                continue;
            }
            if similarity == Similarity::Cosine {
                // All values are first divided by the largest value, because squares of large numbers can
                // overflow.
                let largest = values[first..].iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
                values[first..].iter_mut().for_each(|x| *x /= largest);
                let length = values[first..].iter().map(|x| x * x).sum::<f64>().sqrt();
                values[first..].iter_mut().for_each(|x| *x /= length);
            }
            squares.push(values[first..].iter().map(|x| x * x).sum());
            places.push(row);
            offsets.push(values.len());
        }
        Ok(Self { places, offsets, columns, values, squares, width })
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    fn row(&self, n: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let of_row = self.offsets[n]..self.offsets[n + 1];
        self.columns[of_row.clone()]
            .iter()
            .map(|&column| column as usize)
            .zip(self.values[of_row].iter().copied())
    }

    /// Returns a matrix row as a vector with one value for each column, including zeros.
    fn point(&self, n: usize) -> Vec<f64> {
        let mut point = vec![0.0; self.width];
        self.row(n).for_each(|(column, value)| point[column] = value);
        point
    }

    /// Returns the squared distance between a matrix row and a point. `of_point` is the sum of the point's
    /// squared coordinates.
    fn square(&self, n: usize, point: &[f64], of_point: f64) -> f64 {
        let product: f64 = self.row(n).map(|(column, value)| value * point[column]).sum();
        (self.squares[n] - 2.0 * product + of_point).max(0.0)
    }

    /// Chooses the initial rows by k-means++. Each new row is drawn at random, with a probability
    /// proportional to its squared distance from the nearest row that is already chosen.
    fn first_rows(&self, clusters: usize, random: &mut Random) -> Vec<usize> {
        let mut chosen = vec![random.below(self.len())];
        let mut nearest = vec![f64::INFINITY; self.len()];
        while chosen.len() < clusters {
            let last = chosen[chosen.len() - 1];
            let (point, of_point) = (self.point(last), self.squares[last]);
            nearest.par_iter_mut().enumerate().with_min_len(256).for_each(|(n, nearest)| {
                *nearest = if n == last { 0.0 } else { nearest.min(self.square(n, &point, of_point)) };
            });
            let whole: f64 = nearest.iter().sum();
            let threshold = random.uniform() * whole;
            let mut sum = 0.0;
            let drawn = nearest.iter().position(|square| {
                sum += square;
                sum > threshold
            });
            // If all remaining rows are equal to rows that are already chosen, no row can be drawn. The first
            // row that is not chosen is then used.
            let next = drawn.or_else(|| (0..self.len()).find(|n| !chosen.contains(n)));
            chosen.push(next.unwrap_or(0));
        }
        chosen
    }

    fn start(&self, first_rows: Vec<usize>) -> Start {
        let clusters = first_rows.len();
        let mut centres: Vec<Vec<f64>> = first_rows.iter().map(|&n| self.point(n)).collect();
        let mut labels = vec![u32::MAX; self.len()];
        let mut rounds = 0;
        loop {
            let squares: Vec<f64> = centres.par_iter().map(|c| c.iter().map(|x| x * x).sum()).collect();
            let nearest: Vec<(u32, f64)> = (0..self.len())
                .into_par_iter()
                .with_min_len(64)
                .map(|n| {
                    let mut best = (0, f64::INFINITY);
                    for (cluster, (centre, of_centre)) in centres.iter().zip(&squares).enumerate() {
                        let square = self.square(n, centre, *of_centre);
                        if square < best.1 {
                            best = (narrow::<u32>(cluster), square);
                        }
                    }
                    best
                })
                .collect();
            let changed = nearest.iter().zip(&labels).any(|((cluster, _), label)| cluster != label);
            labels = nearest.iter().map(|(cluster, _)| *cluster).collect();
            let inertia = nearest.iter().map(|(_, square)| square).sum();
            if !changed || rounds == MAX_ROUNDS {
                return Start { labels, inertia, first_rows, rounds };
            }
            rounds += 1;
            fill_empty(&mut labels, &nearest, clusters);
            centres = (0..clusters)
                .into_par_iter()
                .map(|cluster| self.mean(&labels, narrow::<u32>(cluster)))
                .collect();
        }
    }

    /// Returns the mean of all rows of a cluster. The cluster must not be empty.
    fn mean(&self, labels: &[u32], cluster: u32) -> Vec<f64> {
        let mut sum = vec![0.0; self.width];
        let mut count = 0u64;
        for n in (0..self.len()).filter(|&n| labels[n] == cluster) {
            self.row(n).for_each(|(column, value)| sum[column] += value);
            count += 1;
        }
        for x in &mut sum {
            *x /= count as f64;
        }
        sum
    }
}

/// Moves one row to each empty cluster. The row is the one with the largest distance from the mean of its own
/// cluster, among the clusters with several rows. If several rows have this distance, the first one is moved.
fn fill_empty(labels: &mut [u32], nearest: &[(u32, f64)], clusters: usize) {
    let mut counts = vec![0u64; clusters];
    for &label in labels.iter() {
        counts[label as usize] += 1;
    }
    for empty in 0..clusters {
        if counts[empty] > 0 {
            continue;
        }
        let candidates = (0..labels.len()).filter(|&n| counts[labels[n] as usize] > 1);
        let furthest = candidates.reduce(|a, b| if nearest[b].1 > nearest[a].1 { b } else { a });
        if let Some(n) = furthest {
            counts[labels[n] as usize] -= 1;
            counts[empty] = 1;
            labels[n] = narrow::<u32>(empty);
        }
    }
}

struct Start {
    labels: Vec<u32>,
    inertia: f64,
    first_rows: Vec<usize>,
    rounds: usize,
}

/// Clusters the rows of a matrix by k-means. Rows without non-zero entries are in no cluster.
///
/// Returns an error if the matrix does not have this measure, or if a value of the measure is not finite.
/// Also returns an error if there are fewer than two clusters, or fewer rows than clusters.
pub fn cluster_rows(
    matrix: &ConnectivityMatrix,
    measure: &Measure,
    options: &ClusterOptions,
) -> Result<RowClusters> {
    if options.clusters < 2 {
        let problem = format!("{} is not a possible number of clusters", options.clusters);
        return Err(Error::usage("‘clusters’", problem, "give 2 or more"));
    }
    let rows = Rows::new(matrix, measure, options.similarity)?;
    if rows.len() < options.clusters {
        let problem =
            format!("{} clusters are more than the {} rows with connections", options.clusters, rows.len());
        return Err(Error::usage("‘clusters’", problem, "give fewer"));
    }
    let mut best: Option<Start> = None;
    for start in 0..options.starts.max(1) {
        let mut random = Random::new(options.random_seed, Purpose::Resampling, start as u64);
        let start = rows.start(rows.first_rows(options.clusters, &mut random));
        if best.as_ref().is_none_or(|best| start.inertia < best.inertia) {
            best = Some(start);
        }
    }
    let Some(Start { labels: clusters, inertia, first_rows, rounds }) = best else {
        unreachable!("one start at least");
    };
    // Numbers the clusters in the order of their first rows. The numbers therefore do not depend on the
    // initial rows of k-means.
    let mut numbers = vec![0u32; options.clusters];
    let mut next = 0;
    let mut labels = vec![0; matrix.rows().len()];
    for (&place, &cluster) in rows.places.iter().zip(&clusters) {
        let number = &mut numbers[cluster as usize];
        if *number == 0 {
            next += 1;
            *number = next;
        }
        labels[place] = *number;
    }
    Ok(RowClusters {
        labels,
        inertia,
        first_rows: first_rows.into_iter().map(|n| rows.places[n]).collect(),
        rounds,
        empty_rows: matrix.rows().len() - rows.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Axis;

    fn matrix(rows: &[&[f64]]) -> ConnectivityMatrix {
        let axis = |n| Axis::unknown(n).unwrap();
        let values = vec![(Measure::Count, rows.concat())];
        ConnectivityMatrix::dense(axis(rows.len()), Some(axis(rows[0].len())), values).unwrap()
    }

    fn cluster(matrix: &ConnectivityMatrix, options: &ClusterOptions) -> RowClusters {
        cluster_rows(matrix, &Measure::Count, options).unwrap()
    }

    #[test]
    fn angular_and_euclidean_distances_give_different_clusters() {
        // The rows have two directions. There is a short and a long row in each direction, and one row is
        // empty.
        let rows: [&[f64]; 5] = [&[1.0, 0.1], &[100.0, 9.0], &[0.0, 0.0], &[0.1, 1.0], &[9.0, 100.0]];
        let by_angle = cluster(&matrix(&rows), &ClusterOptions::new(2));
        assert_eq!((&by_angle.labels[..], by_angle.empty_rows), (&[1, 1, 0, 2, 2][..], 1));
        let options = ClusterOptions { similarity: Similarity::Euclidean, ..ClusterOptions::new(3) };
        assert_eq!(cluster(&matrix(&rows), &options).labels, [1, 2, 0, 1, 3]);
        // The mean of the short rows is (0.55, 0.55).
        assert!((cluster(&matrix(&rows), &options).inertia - 4.0 * 0.45 * 0.45).abs() < 1e-9);
    }

    #[test]
    fn clusters_of_as_many_rows_and_of_equal_rows() {
        let all = cluster(&matrix(&[&[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]]), &ClusterOptions::new(3));
        assert_eq!((&all.labels[..], all.inertia < 1e-15), (&[1, 2, 3][..], true));
        let mut first = all.first_rows.clone();
        first.sort_unstable();
        assert_eq!(first, [0, 1, 2]);
        // Clusters are never empty, even if all matrix rows are equal.
        let equal = cluster(&matrix(&[&[2.0, 1.0][..]; 4]), &ClusterOptions::new(2));
        assert!(equal.inertia < 1e-15 && equal.labels.len() == 4);
        for (clusters, problem) in [
            (0, "0 is not a possible number of clusters"),
            (
                4,
                "4 clusters are more than the 3 rows with \
                connections",
            ),
        ] {
            let rows = matrix(&[&[1.0], &[2.0], &[3.0], &[0.0]]);
            let error = cluster_rows(&rows, &Measure::Count, &ClusterOptions::new(clusters)).unwrap_err();
            assert_eq!(error.problem(), problem);
        }
        assert!(cluster_rows(&matrix(&[&[1.0]]), &Measure::Weight, &ClusterOptions::new(2)).is_err());
    }

    #[test]
    fn clusters_depend_on_the_random_seed_and_not_on_threads() {
        let mut random = Random::new(1, Purpose::Noise, 0);
        let values: Vec<f64> = (0..400 * 30).map(|_| (random.uniform() * 4.0).floor()).collect();
        let rows: Vec<&[f64]> = values.chunks(30).collect();
        let matrix = matrix(&rows);
        let options = ClusterOptions { starts: 2, ..ClusterOptions::new(6) };
        let once = cluster(&matrix, &options);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(once, pool.install(|| cluster(&matrix, &options)));
        }
        assert_ne!(once, cluster(&matrix, &ClusterOptions { random_seed: 1, ..options }));
    }
}
