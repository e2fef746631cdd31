use std::ops::Range;

/// The order of the unknowns of a COMMIT problem, in three blocks. The first block has the intra-axonal
/// amounts: one per streamline and response, with the amounts of a streamline contiguous. The second block
/// has the extra-axonal amounts: one per axis and response, with the axes in the order of the voxels. The
/// third block has the isotropic amounts: one per voxel and response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Number of streamlines of the tractogram.
    pub streamlines: usize,
    /// Number of intra-axonal responses, each with one unknown per streamline.
    pub intra: usize,
    /// Number of axes of the extra-axonal compartments in all voxels.
    pub axes: usize,
    /// Number of extra-axonal responses, each with one unknown per axis.
    pub extra: usize,
    /// Number of voxels of the problem.
    pub voxels: usize,
    /// Number of isotropic responses per voxel.
    pub isotropic: usize,
}

impl Layout {
    /// Returns the number of unknowns.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.isotropic_unknowns().end
    }

    /// Returns the index range of the intra-axonal unknowns. The index `f * intra + j` in this range is the
    /// amount of streamline f for response j.
    pub fn intra_unknowns(&self) -> Range<usize> {
        0..self.streamlines * self.intra
    }

    /// Returns the index range of the extra-axonal unknowns, which belong to axes.
    pub fn extra_unknowns(&self) -> Range<usize> {
        let begin = self.intra_unknowns().end;
        begin..begin + self.axes * self.extra
    }

    /// Returns the index range of the isotropic unknowns, which belong to voxels.
    pub fn isotropic_unknowns(&self) -> Range<usize> {
        let begin = self.extra_unknowns().end;
        begin..begin + self.voxels * self.isotropic
    }

    /// Multiplies each unknown in `values` by the factor of its response. `factors` has one factor for each
    /// intra-axonal response, then one for each extra-axonal response, and then one for each isotropic
    /// response.
    pub(crate) fn scale(&self, values: &mut [f64], factors: &[f64]) {
        let (intra, rest) = factors.split_at(self.intra);
        let (extra, isotropic) = rest.split_at(self.extra);
        let parts = [
            (self.intra_unknowns(), intra),
            (self.extra_unknowns(), extra),
            (self.isotropic_unknowns(), isotropic),
        ];
        for (range, factors) in parts {
            for (value, factor) in values[range].iter_mut().zip(factors.iter().cycle()) {
                *value *= factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknowns_are_consecutive_and_scaled_by_response() {
        let layout = Layout { streamlines: 2, intra: 2, axes: 1, extra: 1, voxels: 2, isotropic: 1 };
        assert_eq!((layout.extra_unknowns(), layout.isotropic_unknowns(), layout.len()), (4..5, 5..7, 7));
        let mut values = vec![1.0; 7];
        layout.scale(&mut values, &[2.0, 3.0, 5.0, 7.0]);
        assert_eq!(values, [2.0, 3.0, 2.0, 3.0, 5.0, 7.0, 7.0]);
    }
}
