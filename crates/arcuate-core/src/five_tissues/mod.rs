//! Five-tissue-type images for anatomically-constrained tractography: their construction, the tissues at a
//! point, and the interface of grey and white matter.

mod free_surfer;
mod interface;

use crate::{Control, Error, Grid, Labels, NotComputed, Result, Volume, VoxelCounts};

/// A tissue, in the order of the volumes of a five-tissue-type image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FiveTissue {
    /// Cortical grey matter: streamlines may end there.
    CorticalGrey,
    /// Sub-cortical grey matter, such as thalamus and putamen: streamlines may end there or pass through.
    SubCorticalGrey,
    /// White matter: streamlines pass through and do not end.
    White,
    /// Cerebrospinal fluid: contains no streamlines.
    Csf,
    /// Pathological tissue: no assumption is made about streamlines there.
    Pathological,
}

impl FiveTissue {
    /// All tissues, in the order of the volumes of a five-tissue-type image.
    pub const ALL: [Self; 5] =
        [Self::CorticalGrey, Self::SubCorticalGrey, Self::White, Self::Csf, Self::Pathological];

    /// The name of the tissue in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Self::CorticalGrey => "cortical grey matter",
            Self::SubCorticalGrey => "sub-cortical grey matter",
            Self::White => "white matter",
            Self::Csf => "cerebrospinal fluid",
            Self::Pathological => "pathological tissue",
        }
    }

    /// Index of the tissue's volume in a five-tissue-type image, counted from 0.
    pub fn volume(self) -> usize {
        self as usize
    }
}

/// A five-tissue-type image (Smith et al. 2012, doi:10.1016/j.neuroimage.2012.06.005), called 5TT by MRtrix.
/// For every voxel it has the fractions of cortical grey matter, sub-cortical grey matter, white matter,
/// cerebrospinal fluid and pathological tissue. The five fractions sum to 1 in the brain and are all 0
/// outside.
#[derive(Debug, Clone, PartialEq)]
pub struct FiveTissues {
    image: Volume<f32>,
}

/// Tolerance for fractions outside [0, 1] and for sums other than 0 or 1. Rounding errors of single
/// precision, half precision and scaled integers are smaller than this tolerance.
const ROUNDING: f32 = 1e-3;
/// Slightly less than a half, so that points on a face through voxel centres belong to the brain despite
/// rounding errors.
const HALF: f64 = 0.4999;

/// Maximum number of labels listed in a warning.
const MAX_SHOWN: usize = 20;

impl FiveTissues {
    /// Wraps an image of five volumes. Returns an error if the image fails the [`check`](Self::check).
    pub fn new(image: Volume<f32>) -> Result<Self> {
        Self::check(&image)?;
        Ok(Self { image })
    }

    /// Checks that an image is a five-tissue-type image. It must have five volumes and at least one brain
    /// voxel. Values must be from 0 to 1 and sum to 0 or 1 in every voxel (to 0.001). Returns an error for
    /// any other image. (MRtrix's `5ttcheck` 3.0.3 also allows sums below 1.)
    pub fn check(image: &Volume<f32>) -> Result<()> {
        require_five(image)?;
        let range = -ROUNDING..=1.0 + ROUNDING;
        let (mut outside, mut sums, mut brain) = (0usize, 0usize, 0usize);
        for fractions in image.values().chunks_exact(5) {
            let sum: f32 = fractions.iter().sum();
            if !fractions.iter().all(|fraction| range.contains(fraction)) {
                outside += 1;
            } else if sum.abs() > ROUNDING && (sum - 1.0).abs() > ROUNDING {
                sums += 1;
            } else if sum > 0.5 {
                brain += 1;
            }
        }
        if outside > 0 {
            let problem = format!("a tissue fraction is outside 0 to 1 in {outside} voxels");
            let advice = "give fractions, not probabilities in percent or labels";
            return Err(Error::invalid(SUBJECT, problem, advice));
        }
        if sums > 0 {
            let problem = format!("the tissue fractions sum to neither 0 nor 1 in {sums} voxels");
            let advice = "recompute the image on this grid, or divide the fractions by their sum";
            return Err(Error::invalid(SUBJECT, problem, advice));
        }
        if brain == 0 {
            return Err(Error::invalid(SUBJECT, "all tissue fractions are 0", "give one of a brain"));
        }
        Ok(())
    }

    /// Normalises an image that was made by other means or resampled. Negative and non-finite values are set
    /// to zero. If the fractions of a voxel sum to at least ½, they are divided by the sum. If not, the voxel
    /// is set to 0, which means outside the brain. Returns an error if the image does not have five volumes
    /// or has no brain voxel.
    pub fn renormalised(mut image: Volume<f32>) -> Result<Self> {
        require_five(&image)?;
        for fractions in image.values_mut().chunks_exact_mut(5) {
            for fraction in fractions.iter_mut() {
                // If a fraction were infinite, the sum would be infinite, and the division by the sum would
                // set all other fractions to 0.
                *fraction = if fraction.is_finite() { fraction.max(0.0) } else { 0.0 };
            }
            let sum: f64 = fractions.iter().map(|fraction| f64::from(*fraction)).sum();
            for fraction in fractions.iter_mut() {
                *fraction = if sum > HALF { (f64::from(*fraction) / sum) as f32 } else { 0.0 };
            }
        }
        Self::new(image)
    }

    /// Builds an image from tissue maps on one grid, as segmentation programs for T1-weighted images write
    /// them. Each map has one value from 0 to 1 (to 0.001) per voxel. Grey matter, white matter and CSF are
    /// required; sub-cortical grey matter and pathological tissue are optional.
    ///
    /// If there is a sub-cortical map, `grey` may be cortical grey matter or all grey matter: the
    /// sub-cortical fraction is subtracted from `grey`, down to 0. If the five fractions of a voxel sum to
    /// more than 1, the sub-cortical and pathological fractions are kept, since they come from specialised
    /// methods. The other three fractions are scaled to fill the rest. Finally, the fractions are divided by
    /// their sum as in [`renormalised`](Self::renormalised).
    ///
    /// Returns an error if tissue maps have different grids, several values per voxel, or values out of
    /// range. The error names the parameters ‘grey_matter’, ‘white_matter’, ‘csf’, ‘subcortical’ and
    /// ‘pathological’.
    pub fn from_maps(maps: &TissueMaps) -> Result<Self> {
        let given = [
            ("‘grey_matter’", Some(maps.grey)),
            ("‘subcortical’", maps.sub_cortical),
            ("‘white_matter’", Some(maps.white)),
            ("‘csf’", Some(maps.csf)),
            ("‘pathological’", maps.pathological),
        ];
        let grid = maps.grey.grid();
        let mut image = Volume::filled(*grid, 5, 0f32);
        for (volume, (name, map)) in given.into_iter().enumerate() {
            let Some(map) = map else { continue };
            if !map.grid().matches(grid) {
                let advice = "bring all maps into one space, such as that of the T1-weighted image";
                return Err(Error::invalid(
                    name,
                    "the voxel grid of this map differs from that of ‘grey_matter’",
                    advice,
                ));
            }
            if map.channels() != 1 {
                let problem = format!("the tissue map has {} volumes, not one", map.channels());
                return Err(Error::invalid(name, problem, "give a 3-D map of one tissue"));
            }
            let range = -ROUNDING..=1.0 + ROUNDING;
            if let Some(value) = map.values().iter().find(|value| !range.contains(*value)) {
                let problem = format!("the map has the value {value}, which is not a fraction from 0 to 1");
                return Err(Error::invalid(name, problem, "give a map with fractions from 0 to 1"));
            }
            for (fractions, value) in image.values_mut().chunks_exact_mut(5).zip(map.values()) {
                fractions[volume] = value.clamp(0.0, 1.0);
            }
        }
        for fractions in image.values_mut().chunks_exact_mut(5) {
            let [cortical, sub_cortical, white, csf, pathological] = fractions else { continue };
            *cortical = (*cortical - *sub_cortical).max(0.0);
            let others = *cortical + *white + *csf;
            let room = (1.0 - *sub_cortical - *pathological).max(0.0);
            if others > room {
                for other in [cortical, white, csf] {
                    *other *= room / others;
                }
            }
        }
        Self::renormalised(image).map_err(|error| error.about("tissue maps"))
    }

    /// Counts the voxels of a segmentation that have a tissue, and the voxels without a tissue whose label is
    /// in `unknown`. Warns about the labels in `unknown`; `name` is the name of the segmentation in this
    /// warning.
    pub fn count_unknown(
        &self,
        labels: &Labels,
        unknown: &[u32],
        name: &str,
        control: &Control,
    ) -> VoxelCounts {
        let inside = (0..self.grid().len()).filter(|&voxel| self.dominant(voxel).is_some()).count();
        let without = labels.values().iter().filter(|label| unknown.contains(label)).count();
        let mut counts = VoxelCounts::of(inside + without);
        counts.add(NotComputed::NoTissue, without);
        if let Some(sentence) = counts.sentence() {
            let shown: Vec<String> = unknown.iter().take(MAX_SHOWN).map(u32::to_string).collect();
            let more = if unknown.len() > MAX_SHOWN { ", …" } else { "" };
            control.warn(&format!("{name}: {sentence}: {}{more}", shown.join(", ")));
        }
        counts
    }

    /// The five-tissue-type image: five channels in the order of [`FiveTissue::ALL`].
    pub fn image(&self) -> &Volume<f32> {
        &self.image
    }

    /// Consumes the value and returns the five-tissue-type image.
    pub fn into_image(self) -> Volume<f32> {
        self.image
    }

    /// The voxel grid of the image.
    pub fn grid(&self) -> &Grid {
        self.image.grid()
    }

    /// The five tissue fractions of a voxel, in the order of [`FiveTissue::ALL`].
    pub fn fractions(&self, voxel: usize) -> [f32; 5] {
        let fractions = self.image.voxel(voxel);
        std::array::from_fn(|volume| fractions[volume])
    }

    /// The five tissue fractions at a point (RAS mm), interpolated trilinearly between voxel centres. All are
    /// 0 outside the image.
    pub fn fractions_at(&self, point: [f64; 3]) -> [f64; 5] {
        let coordinates = self.grid().inverse().apply(point);
        match self.grid().voxel_containing(coordinates) {
            Some(_) => std::array::from_fn(|volume| self.image.trilinear(volume, coordinates)),
            None => [0.0; 5],
        }
    }

    /// The tissue with the largest fraction in a voxel. If several fractions are equal, the first tissue is
    /// returned. `None` outside the brain.
    pub fn dominant(&self, voxel: usize) -> Option<FiveTissue> {
        dominant(self.fractions(voxel).map(f64::from))
    }

    /// Returns whether any voxel has sub-cortical grey matter.
    pub fn has_sub_cortical(&self) -> bool {
        self.volume_of(FiveTissue::SubCorticalGrey) > 0.0
    }

    /// Total volume of a tissue in the image, in mm³.
    pub fn volume_of(&self, tissue: FiveTissue) -> f64 {
        let fractions = self.image.values().iter().skip(tissue.volume()).step_by(5);
        let voxel = self.grid().affine().determinant().abs();
        fractions.map(|fraction| f64::from(*fraction)).sum::<f64>() * voxel
    }

    /// Describes why the five volumes seem to have a wrong order; `None` if their order seems right. The
    /// first sign is that sub-cortical grey matter is more than a third of the brain (normally a twentieth).
    /// The second sign is that most voxels at the brain's outer boundary are white matter (normally cortex or
    /// CSF). Callers should only warn, since a correct image of a part of the brain can have these signs.
    pub fn order_doubt(&self) -> Option<String> {
        let all: f64 = FiveTissue::ALL.into_iter().map(|tissue| self.volume_of(tissue)).sum();
        let sub_cortical = self.volume_of(FiveTissue::SubCorticalGrey) / all;
        if sub_cortical > 1.0 / 3.0 {
            return Some(format!("{:.0} % of the brain is sub-cortical grey matter", 100.0 * sub_cortical));
        }
        let grid = self.grid();
        let (mut face, mut white) = (0usize, 0usize);
        for voxel in 0..grid.len() {
            let Some(tissue) = self.dominant(voxel) else { continue };
            if neighbours(grid, voxel).flatten().any(|neighbour| self.dominant(neighbour).is_none()) {
                face += 1;
                white += usize::from(tissue == FiveTissue::White);
            }
        }
        (2 * white > face).then(|| {
            format!("{:.0} % of the brain's outer face is white matter", 100.0 * white as f64 / face as f64)
        })
    }
}

/// Tissue maps on one grid, each with one value from 0 to 1 per voxel.
#[derive(Debug, Clone, Copy)]
pub struct TissueMaps<'a> {
    /// Map of the grey matter fraction.
    pub grey: &'a Volume<f32>,
    /// Map of the white matter fraction.
    pub white: &'a Volume<f32>,
    /// Map of the fraction of cerebrospinal fluid.
    pub csf: &'a Volume<f32>,
    /// Map of the sub-cortical grey matter fraction, if known.
    pub sub_cortical: Option<&'a Volume<f32>>,
    /// Map of the pathological tissue fraction, if there is such tissue.
    pub pathological: Option<&'a Volume<f32>>,
}

/// Text that error messages use instead of a file name for an image whose file is not known.
const SUBJECT: &str = "five-tissue-type image";

fn require_five(image: &Volume<f32>) -> Result<()> {
    if image.channels() == 5 {
        return Ok(());
    }
    let problem = format!("the 5TT image has {} volumes, not 5", image.channels());
    let advice = "give five volumes in this order: cortical grey matter, sub-cortical grey matter, white matter, \
         CSF, pathological tissue";
    Err(Error::invalid(SUBJECT, problem, advice))
}

fn dominant(fractions: [f64; 5]) -> Option<FiveTissue> {
    if fractions.iter().sum::<f64>() < 0.5 {
        return None;
    }
    let larger = |a: FiveTissue, b: FiveTissue| {
        if fractions[b.volume()] > fractions[a.volume()] { b } else { a }
    };
    FiveTissue::ALL.into_iter().reduce(larger)
}

/// Finds the six voxels that share a face with a voxel: for each axis, the lower and the upper neighbour.
/// `None` is a neighbour outside the image.
fn neighbours(grid: &Grid, voxel: usize) -> impl Iterator<Item = Option<usize>> {
    let (at, shape) = (grid.coordinates(voxel), grid.shape());
    (0..6).map(move |n| {
        let (axis, mut neighbour) = (n / 2, at);
        neighbour[axis] = if n % 2 == 0 { at[axis].checked_sub(1)? } else { at[axis] + 1 };
        (neighbour[axis] < shape[axis]).then(|| grid.index(neighbour))
    })
}

#[cfg(test)]
mod tests;
