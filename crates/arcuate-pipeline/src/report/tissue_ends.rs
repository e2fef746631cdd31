//! Groups of streamlines by the tissues in which they terminate.

use arcuate_core::{
    FiveTissues, Point, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, StreamlineSource,
};

/// An endpoint is in grey matter if the fraction of grey matter there is at least this value. At the
/// interface of grey and white matter, this fraction is one half.
const MIN_GREY: f64 = 0.25;

/// Names of the groups of streamlines. In the first three groups, 0, 1 and 2 endpoints are in sub-cortical
/// grey matter, and the others are in the cortex. Streamlines in the last group have an endpoint outside grey
/// matter.
const NAMES: [&str; 4] = ["cortex to cortex", "cortex to nucleus", "nucleus to nucleus", "an end elsewhere"];

/// Assigns streamlines to groups by the tissues at their endpoints.
struct Ends<'a> {
    tissues: &'a FiveTissues,
    members: [Vec<u32>; NAMES.len()],
    next: u32,
}

impl Ends<'_> {
    /// Returns the tissue at a point: 0 for cortical grey matter, 1 for sub-cortical grey matter, and `None`
    /// outside grey matter.
    fn grey_at(&self, point: Point) -> Option<usize> {
        let [cortical, sub_cortical, ..] = self.tissues.fractions_at(point.map(f64::from));
        (cortical + sub_cortical >= MIN_GREY).then_some(usize::from(sub_cortical > cortical))
    }
}

impl StreamlineSink for Ends<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for bounds in batch.offsets.windows(2) {
            let points = &batch.positions[bounds[0] as usize..bounds[1] as usize];
            let ends = [points.first(), points.last()].map(|end| end.and_then(|&point| self.grey_at(point)));
            let group = match ends {
                [Some(one), Some(other)] => one + other,
                _ => NAMES.len() - 1,
            };
            self.members[group].push(self.next);
            self.next += 1;
        }
        Ok(())
    }
}

/// Groups the streamlines of `source` by the tissues at their endpoints. The streamlines must be in the space
/// of `tissues`.
pub(super) fn groups(source: &dyn StreamlineSource, tissues: &FiveTissues) -> Result<StreamlineGroups> {
    let mut ends = Ends { tissues, members: Default::default(), next: 0 };
    source.stream(&mut ends)?;
    let members = NAMES.map(str::to_owned).into_iter().zip(ends.members).collect();
    Ok(StreamlineGroups { members, ..StreamlineGroups::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Tractogram, Volume};

    #[test]
    fn streamlines_are_grouped_by_the_tissue_at_their_ends() {
        let grid = Grid::new([10, 1, 1], Affine::identity()).unwrap();
        let mut image = Volume::filled(grid, 5, 0f32);
        for (voxel, tissue) in
            [(0, 0), (1, 0), (2, 2), (3, 2), (4, 1), (5, 1), (6, 2), (7, 2), (8, 0), (9, 3)]
        {
            image.voxel_mut(voxel)[tissue] = 1.0;
        }
        let tissues = FiveTissues::new(image).unwrap();
        let mut tracks = Tractogram::new();
        let line = |from: f32, to: f32| vec![[from, 0.0, 0.0], [0.5 * (from + to), 0.0, 0.0], [to, 0.0, 0.0]];
        // An endpoint halfway between a grey-matter voxel and another voxel counts as grey matter.
        for (from, to) in [(0.2, 8.1), (1.5, 8.0), (1.5, 4.4), (4.0, 5.0), (2.6, 8.0), (9.0, 1.0)] {
            tracks.push(&line(from, to));
        }
        let groups = groups(&tracks, &tissues).unwrap();
        let expected: [(&str, &[u32]); 4] =
            [(NAMES[0], &[0, 1]), (NAMES[1], &[2]), (NAMES[2], &[3]), (NAMES[3], &[4, 5])];
        for (name, members) in expected {
            assert_eq!(groups.members[name], members, "{name}");
        }
    }
}
