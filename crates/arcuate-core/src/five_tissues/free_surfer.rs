//! Five-tissue images from FreeSurfer segmentations.

use super::{FiveTissue, FiveTissues};
use crate::{Labels, Result, Volume};
use FiveTissue::{CorticalGrey, Csf, Pathological, SubCorticalGrey, White};

/// The tissue of each of FreeSurfer's labels (`aseg`, `aparc+aseg`, `aparc.a2009s+aseg`, `wmparc`). Each row
/// has the first label, the last label and the tissue. The tissues are those of MRtrix's `5ttgen freesurfer`.
/// Its table (`FreeSurfer2ACT.txt`) has the names of the labels; the numbers of the labels are from
/// `FreeSurferColorLUT.txt`. Amygdala and hippocampus are cortical grey matter. Brain stem and ventral
/// diencephalon are white matter. Vessels and choroid plexus are CSF. Hypo-intensities are pathological
/// tissue.
const TISSUES: [(u32, u32, FiveTissue); 51] = [
    (2, 2, White),
    (3, 3, CorticalGrey),
    (4, 5, Csf),
    (7, 7, White),
    (8, 8, CorticalGrey),
    (9, 13, SubCorticalGrey),
    (14, 15, Csf),
    (16, 16, White),
    (17, 18, CorticalGrey),
    (24, 24, Csf),
    (25, 26, SubCorticalGrey),
    (28, 28, White),
    (30, 31, Csf),
    (41, 41, White),
    (42, 42, CorticalGrey),
    (43, 44, Csf),
    (46, 46, White),
    (47, 47, CorticalGrey),
    (48, 52, SubCorticalGrey),
    (53, 54, CorticalGrey),
    (57, 58, SubCorticalGrey),
    (60, 60, White),
    (62, 63, Csf),
    (72, 72, Csf),
    (77, 82, Pathological),
    (85, 85, White),
    (96, 97, CorticalGrey),
    (155, 158, White),
    (170, 175, White),
    (180, 181, Pathological),
    (192, 192, White),
    (250, 255, White),
    // Cortical regions and the white matter below each region, for the left and right hemisphere.
    (1000, 1035, CorticalGrey),
    (1100, 1181, CorticalGrey),
    (1200, 1202, CorticalGrey),
    (1205, 1207, CorticalGrey),
    (1210, 1212, CorticalGrey),
    (2000, 2035, CorticalGrey),
    (2100, 2181, CorticalGrey),
    (2200, 2202, CorticalGrey),
    (2205, 2207, CorticalGrey),
    (2210, 2212, CorticalGrey),
    (3000, 3035, White),
    (3100, 3181, White),
    (4000, 4035, White),
    (4100, 4181, White),
    // Labels of white matter that does not belong to a cortical region.
    (5001, 5002, White),
    (11100, 11175, CorticalGrey),
    (12100, 12175, CorticalGrey),
    (13100, 13175, White),
    (14100, 14175, White),
];

impl FiveTissue {
    /// The tissue of a FreeSurfer label. `None` if the label is not a brain tissue, or if it is not in the
    /// table of MRtrix's `5ttgen freesurfer`.
    pub fn of_free_surfer(label: u32) -> Option<Self> {
        let next = TISSUES.partition_point(|&(first, ..)| first <= label);
        let (_, last, tissue) = TISSUES[..next].last()?;
        (label <= *last).then_some(*tissue)
    }
}

impl FiveTissues {
    /// Converts a segmentation with FreeSurfer's labels. Each voxel gets [the tissue of its
    /// label](FiveTissue::of_free_surfer), or no tissue if the label has none. Also returns, in ascending
    /// order, all labels other than 0 that have no tissue. Returns an error if no label has a tissue.
    pub fn from_free_surfer(segmentation: &Labels) -> Result<(Self, Vec<u32>)> {
        let mut image = Volume::filled(*segmentation.grid(), 5, 0f32);
        for (fractions, &label) in image.values_mut().chunks_exact_mut(5).zip(segmentation.values()) {
            if let Some(tissue) = FiveTissue::of_free_surfer(label) {
                fractions[tissue.volume()] = 1.0;
            }
        }
        let mut unknown = segmentation.regions();
        unknown.retain(|&label| FiveTissue::of_free_surfer(label).is_none());
        let tissues = Self::new(image).map_err(|error| {
            error.about("segmentation").advise("give one of FreeSurfer's, such as aparc+aseg.mgz")
        })?;
        Ok((tissues, unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_ascend_and_do_not_overlap() {
        assert!(TISSUES.iter().all(|(first, last, _)| first <= last));
        assert!(TISSUES.windows(2).all(|pair| pair[0].1 < pair[1].0));
        let counts = FiveTissue::ALL.map(|tissue| {
            TISSUES.iter().filter(|row| row.2 == tissue).map(|(first, last, _)| last - first + 1).sum::<u32>()
        });
        // For each tissue, the number of labels that are in MRtrix's table and also have a number in
        // FreeSurfer's table. The numbers were counted by `oracles/five_tissues_mrtrix.py`.
        assert_eq!(counts, [416, 14, 415, 12, 8]);
    }

    #[test]
    fn labels_are_assigned_to_tissues() {
        for (label, expected) in [
            (0, None),
            (1, None),
            (2, Some(White)),
            (10, Some(SubCorticalGrey)),
            (16, Some(White)),
            (17, Some(CorticalGrey)),
            (24, Some(Csf)),
            (51, Some(SubCorticalGrey)),
            (59, None),
            (77, Some(Pathological)),
            (1035, Some(CorticalGrey)),
            (1036, None),
            (4035, Some(White)),
            (14175, Some(White)),
            (14176, None),
            (u32::MAX, None),
        ] {
            assert_eq!(FiveTissue::of_free_surfer(label), expected, "{label}");
        }
    }
}
