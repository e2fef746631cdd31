use std::ops::Range;

/// The order of a problem's unknowns, in three blocks. The intra-axonal amounts of every streamline come
/// first, one per response, with the amounts of one streamline contiguous. The extra-axonal amounts of every
/// axis follow in the same way, in the order of the voxels. The isotropic amounts of every voxel are last.
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

    /// Returns the indices of the intra-axonal unknowns. Index `f * intra + j` is the amount of streamline f
    /// for response j.
    pub fn intra_unknowns(&self) -> Range<usize> {
        0..self.streamlines * self.intra
    }

    /// Returns the indices of the extra-axonal unknowns, which belong to axes.
    pub fn extra_unknowns(&self) -> Range<usize> {
        let begin = self.intra_unknowns().end;
        begin..begin + self.axes * self.extra
    }

    /// Returns the indices of the isotropic unknowns, which belong to voxels.
    pub fn isotropic_unknowns(&self) -> Range<usize> {
        let begin = self.extra_unknowns().end;
        begin..begin + self.voxels * self.isotropic
    }

    /// Multiplies each unknown of `values` by the factor of its response. `factors` has a factor for each
    /// intra-axonal response, then for each extra-axonal and each isotropic response.
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
    fn unknowns_follow_each_other_and_scale_by_response() {
        let layout = Layout { streamlines: 2, intra: 2, axes: 1, extra: 1, voxels: 2, isotropic: 1 };
        assert_eq!((layout.extra_unknowns(), layout.isotropic_unknowns(), layout.len()), (4..5, 5..7, 7));
        let mut values = vec![1.0; 7];
        layout.scale(&mut values, &[2.0, 3.0, 5.0, 7.0]);
        assert_eq!(values, [2.0, 3.0, 2.0, 3.0, 5.0, 7.0, 7.0]);
    }
}
