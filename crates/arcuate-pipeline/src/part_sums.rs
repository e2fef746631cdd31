//! Summary of a matrix of seeds by seeds. The seeds are divided into parts, one for each file or brain
//! structure. The counts of streamlines are summed for each pair of parts.

use crate::matrix_elements::ElementList;
use crate::output_files::{Kind, OutputFile};
use arcuate_core::{Axis, ConnectivityMatrix, ElementKind, MatrixRowSink, Measure, Result};
use arcuate_io::{write_axis_csv, write_matrix_csv};
use std::path::{Path, PathBuf};

const COUNTS: &str = "matrix_parts_counts.csv";
const PARTS: &str = "matrix_parts.csv";

/// Minimum number of parts (files or brain structures of the seeds) for which a summary is written.
const FEWEST: usize = 3;

/// Describes the files of the summary. `parts` is the number of files or brain structures of the seeds.
pub(crate) fn output_files(parts: usize) -> Vec<OutputFile> {
    if parts < FEWEST {
        return Vec::new();
    }
    let kind = Kind::Matrix { quantity: "counts".into(), regions: PARTS.into(), circle: false };
    let caption = "Rows: where streamlines begin. Columns: sums of counts of all vertices and voxels that they meet there.";
    vec![
        OutputFile::shown(COUNTS, "The matrix, summed over files or structures", kind).with_caption(caption),
        OutputFile::file(PARTS, "Description of its rows"),
    ]
}

/// Sums of the counts of streamlines between parts (files or brain structures) of the seeds.
#[derive(Debug)]
pub(crate) struct PartSums {
    folder: PathBuf,
    names: Vec<String>,
    /// For each part (file or brain structure) of the seeds: the index of the first seed after this part, in
    /// the list of all seeds.
    ends: Vec<usize>,
    /// Sum of the counts of streamlines for each pair of parts, row by row.
    sums: Vec<u64>,
}

impl PartSums {
    /// Creates a summary whose files are written into `folder`. Returns `None` if the seeds have fewer parts
    /// (files or brain structures) than [`FEWEST`].
    pub(crate) fn new(seeds: &ElementList, folder: &Path) -> Option<Self> {
        let lengths = seeds.parts().map(|part| part.len());
        let ends: Vec<usize> = lengths
            .scan(0, |end, length| {
                *end += length;
                Some(*end)
            })
            .collect();
        let parts = ends.len();
        let folder = folder.to_owned();
        (parts >= FEWEST).then(|| Self {
            folder,
            names: seeds.part_names(),
            ends,
            sums: vec![0; parts * parts],
        })
    }

    pub(crate) fn finish(self) -> Result<()> {
        let numbers = (1..=self.names.len() as u64).collect();
        let axis = Axis::new(ElementKind::Region, numbers, self.names)?;
        let sums = self.sums.iter().map(|&sum| sum as f64).collect();
        let matrix = ConnectivityMatrix::dense(axis.clone(), Some(axis), vec![(Measure::Count, sums)])?;
        write_matrix_csv(&self.folder.join(COUNTS), &matrix, &Measure::Count)?;
        write_axis_csv(&self.folder.join(PARTS), matrix.rows())
    }
}

impl MatrixRowSink for PartSums {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let Some(counts) = values.first() else { return Ok(()) };
        let part_of = |element: usize| self.ends.partition_point(|&end| end <= element);
        let first = part_of(row) * self.ends.len();
        let mut begin = 0;
        for (part, &end) in self.ends.iter().enumerate() {
            let behind = begin + columns[begin..].partition_point(|&column| (column as usize) < end);
            // Counts of streamlines are whole numbers below 2⁵³, so the conversion to an integer is exact.
            self.sums[first + part] += counts[begin..behind].iter().map(|&count| count as u64).sum::<u64>();
            begin = behind;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::RegionFile;
    use arcuate_core::{Affine, Grid, Volume};
    use arcuate_io::{WriteOptions, read_axis_csv, read_matrix_csv, write_image};

    #[test]
    fn sums_add_up_all_parts() {
        let folder = tempfile::tempdir().unwrap();
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let mask = |name: &str, inside: [f32; 4]| {
            let path = folder.path().join(name);
            write_image(&path, &Volume::new(grid, 1, inside.to_vec()).unwrap(), &WriteOptions::default())
                .unwrap();
            RegionFile::of(&path).unwrap()
        };
        let files = [
            mask("a.nii", [1.0, 1.0, 0.0, 0.0]),
            mask("b.nii", [0.0, 0.0, 1.0, 0.0]),
            mask("c.nii", [1.0, 0.0, 0.0, 1.0]),
        ];
        let list = ElementList::of_files(&files).unwrap();
        let mut sums = PartSums::new(&list, folder.path()).unwrap();
        // The three parts of the list contain the seeds 0–1, 2 and 3–4.
        sums.take_row(0, &[1, 2, 4], &[vec![1.0, 2.0, 3.0]]).unwrap();
        sums.take_row(1, &[3, 4], &[vec![10.0, 20.0]]).unwrap();
        sums.take_row(2, &[1], &[vec![5.0]]).unwrap();
        sums.take_row(4, &[0], &[vec![7.0]]).unwrap();
        sums.finish().unwrap();
        let (shape, values) = read_matrix_csv(&folder.path().join(COUNTS)).unwrap();
        assert_eq!(shape, [3, 3]);
        assert_eq!(values, [1.0, 2.0, 33.0, 5.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
        let parts = read_axis_csv(&folder.path().join(PARTS)).unwrap();
        assert_eq!([0, 1, 2].map(|n| parts.name(n).unwrap().to_owned()), ["a", "b", "c"]);
        let few = ElementList::of_files(&files[..2]).unwrap();
        assert!(PartSums::new(&few, folder.path()).is_none() && output_files(2).is_empty());
        assert_eq!(output_files(3).len(), 2);
    }
}
