//! Converts the dictionary files that `dmri-commit`'s `trk2dictionary.run` writes. The result is either
//! COMMIT's linear operator, or the segments of streamlines and the axes of extra-axonal compartments.

use super::table::{Atom, Binned, Stretch, add_up};
use super::{Axes, Segment, Segments};
use crate::{Dictionary, Element, SparseTucker};
use arcuate_core::{Error, Grid, Orientations, Result};
use arcuate_io::CommitDictionary;

/// Response functions of COMMIT, tabulated for numbered orientations as in `dmri-commit`
/// (`Evaluation.KERNELS`).
#[derive(Debug, Clone, PartialEq)]
pub struct Kernels {
    /// Intra-axonal responses (`wmr`). Each response is a matrix with one row per orientation and one column
    /// per sample of the signal.
    pub intra: Vec<Dictionary>,
    /// Extra-axonal responses (`wmh`). Each response is a matrix with one row per orientation and one column
    /// per sample of the signal.
    pub extra: Vec<Dictionary>,
    /// Isotropic responses (`iso`), as a matrix with one row per response. `None` if the model has no
    /// isotropic response.
    pub isotropic: Option<Dictionary>,
}

impl Kernels {
    /// Returns the number of samples and the number of orientations of the response functions. Returns an
    /// error if these numbers differ between responses.
    fn shape(&self) -> Result<(usize, usize)> {
        let mut oriented = self.intra.iter().chain(&self.extra);
        let Some(any) = oriented.clone().next().or(self.isotropic.as_ref()) else {
            return Err(Error::invalid("kernels", "there are none", "give at least one"));
        };
        let (samples, orientations) = (any.directions(), any.atoms());
        let isotropic_fits = self.isotropic.as_ref().is_none_or(|rows| rows.directions() == samples);
        if !oriented.all(|k| (k.directions(), k.atoms()) == (samples, orientations)) || !isotropic_fits {
            let problem = "they differ in samples or orientations";
            return Err(Error::invalid("kernels", problem, "make them for one acquisition"));
        }
        Ok((samples, orientations))
    }
}

/// Builds `dmri-commit`'s linear operator A from a dictionary of segments and these response functions. Each
/// streamline that the dictionary keeps has a column of A for each intra-axonal response. These columns are
/// divided by the norm that the dictionary states for the streamline, as in `dmri-commit`.
///
/// The rows of A (the data) are ordered by the dictionary's voxels, ascending, as in `dmri-commit`. The
/// samples of a voxel are contiguous. The columns of A (the unknowns) belong to kept streamlines, peaks, and
/// voxels with isotropic compartments, in the order of [`Layout`](super::Layout). Each streamline, peak or
/// voxel has one unknown per response, and these unknowns are contiguous. In contrast, `dmri-commit` lists
/// all unknowns of the first response, then all of the second, and so on.
///
/// Returns an error if the dictionary uses an orientation for which the response functions have no row, or if
/// the response functions have different sizes.
pub fn dictionary_operator<T: Element>(
    dictionary: &CommitDictionary,
    kernels: &Kernels,
) -> Result<SparseTucker<T>> {
    let (samples, orientations) = kernels.shape()?;
    let oriented = !kernels.intra.is_empty() || !kernels.extra.is_empty();
    check_orientations(dictionary, if oriented { orientations } else { usize::MAX }, "kernels")?;
    let voxels = voxels_of(dictionary);
    let mut stretches = by_voxel(dictionary, &voxels);
    for stretch in stretches.iter_mut().flatten() {
        stretch.length /= f64::from(dictionary.norms[stretch.streamline as usize]);
    }
    let mut voxel_starts = vec![0];
    for here in &mut stretches {
        add_up(here);
        voxel_starts.push(voxel_starts[voxel_starts.len() - 1] + here.len());
    }
    let binned = Binned {
        streamlines: dictionary.kept.len(),
        voxel_starts,
        stretches: stretches.concat(),
        axis_starts: axis_starts(dictionary, &voxels),
        axes: dictionary.peaks.iter().map(|&(_, orientation)| u32::from(orientation)).collect(),
        isotropic: voxels.iter().map(|voxel| dictionary.isotropic.binary_search(voxel).is_ok()).collect(),
    };
    let isotropic = kernels.isotropic.as_ref();
    let counts = [kernels.intra.len(), kernels.extra.len(), isotropic.map_or(0, Dictionary::atoms)];
    binned.operator(samples, counts, if oriented { orientations } else { 0 }, None, |atom| match atom {
        Atom::Intra(j, orientation) => kernels.intra[j].row(orientation).to_vec(),
        Atom::Extra(j, orientation) => kernels.extra[j].row(orientation).to_vec(),
        Atom::Isotropic(j) => isotropic.map_or(Vec::new(), |rows| rows.row(j).to_vec()),
    })
}

/// Converts directions along the image axes to scanner axes. Unlike in bvec files, the sign of no component
/// changes; this is the convention of `dmri-commit`.
pub fn scanner_orientations(along_image: &Orientations, grid: &Grid) -> Result<Orientations> {
    let axes = grid.affine().axes();
    let turned = |d: &[f64; 3]| std::array::from_fn(|row| (0..3).map(|n| d[n] * axes[n][row]).sum());
    let turned: Vec<[f64; 3]> = along_image.directions().iter().map(turned).collect();
    Orientations::new(&turned)
}

/// Returns the segments of streamlines and the axes of extra-axonal compartments that a dictionary contains.
/// Any operator of COMMIT can be built from them. `orientations` has the direction of each orientation number
/// of the dictionary, in scanner axes (see [`scanner_orientations`]). Streamlines keep the numbers that they
/// have in the tractogram from which the dictionary was built. The lengths of segments are in mm, and are not
/// divided by the norms of the dictionary.
///
/// Returns an error if the dictionary has no segment, if an orientation number is out of range, or if a voxel
/// with streamlines has no isotropic compartment. Voxels of this kind exist if the dictionary was built with
/// a mask for isotropic compartments. Segments cannot represent this mask.
pub fn dictionary_segments(
    dictionary: &CommitDictionary,
    orientations: &Orientations,
) -> Result<(Segments, Axes)> {
    check_orientations(dictionary, orientations.len(), "orientations")?;
    let voxels = voxels_of(dictionary);
    if dictionary.isotropic != voxels {
        let problem = "not every voxel that streamlines pass has isotropic compartments";
        return Err(Error::invalid(
            "dictionary",
            problem,
            "create the dictionary without the mask that limits isotropic compartments to some voxels",
        ));
    }
    if dictionary.stretches.is_empty() {
        let problem = "no streamline passes a voxel that is used";
        return Err(Error::invalid("dictionary", problem, "check that the dictionary belongs to this scan"));
    }
    let scanner = orientations.directions();
    let (mut starts, mut pieces) = (vec![0], Vec::with_capacity(dictionary.stretches.len()));
    for mut here in by_voxel(dictionary, &voxels) {
        here.sort_by_key(|stretch| stretch.streamline);
        pieces.extend(here.iter().map(|stretch| Segment {
            piece: scanner[stretch.orientation as usize].map(|c| (c * stretch.length) as f32),
            streamline: dictionary.kept[stretch.streamline as usize],
        }));
        starts.push(pieces.len());
    }
    let directions = dictionary.peaks.iter().map(|&(_, o)| scanner[o as usize].map(|c| c as f32)).collect();
    let axes = Axes::new(axis_starts(dictionary, &voxels), directions)?;
    Ok((Segments::new(dictionary.grid, dictionary.inputs, voxels, starts, pieces)?, axes))
}

fn check_orientations(dictionary: &CommitDictionary, count: usize, what: &str) -> Result<()> {
    let used = dictionary.stretches.iter().map(|stretch| stretch.orientation);
    let used = used.chain(dictionary.peaks.iter().map(|&(_, orientation)| orientation));
    match used.max() {
        Some(largest) if usize::from(largest) >= count => {
            let problem = format!(
                "the dictionary has the orientation number {largest} (counted from 0), but the {what} have \
                 {count} orientations"
            );
            Err(Error::invalid(
                "dictionary",
                problem,
                "give the orientations that the dictionary was \
                                                       created with (its `ndirs`)",
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the grid indices of all voxels of the dictionary, ascending.
fn voxels_of(dictionary: &CommitDictionary) -> Vec<u32> {
    let stretches = dictionary.stretches.iter().map(|stretch| stretch.voxel);
    let peaks = dictionary.peaks.iter().map(|&(voxel, _)| voxel);
    let mut voxels: Vec<u32> = stretches.chain(peaks).chain(dictionary.isotropic.iter().copied()).collect();
    voxels.sort_unstable();
    voxels.dedup();
    voxels
}

/// Returns, for each voxel, a list of (streamline, orientation, length) entries, in the order of the
/// dictionary file.
fn by_voxel(dictionary: &CommitDictionary, voxels: &[u32]) -> Vec<Vec<Stretch>> {
    let mut found = vec![Vec::new(); voxels.len()];
    for stretch in &dictionary.stretches {
        let place = voxels.partition_point(|&voxel| voxel < stretch.voxel);
        found[place].push(Stretch {
            orientation: u32::from(stretch.orientation),
            streamline: stretch.streamline,
            length: f64::from(stretch.length),
        });
    }
    found
}

/// Returns, for each voxel, the index of its first peak in the list of the peaks of all voxels.
fn axis_starts(dictionary: &CommitDictionary, voxels: &[u32]) -> Vec<usize> {
    let begin = |&voxel: &u32| dictionary.peaks.partition_point(|&(v, _)| v < voxel);
    voxels.iter().map(begin).chain([dictionary.peaks.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::{AxialResponse, Responses, table_operator};
    use arcuate_core::Affine;
    use arcuate_io::DictionaryStretch;
    use arcuate_solve::LinearOperator;

    /// Creates a voxel grid that is rotated by 30° about the z axis and has anisotropic voxels.
    fn grid() -> Grid {
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let rows =
            [[2.0 * cos, 3.0 * -sin, 0.0, 1.0], [2.0 * sin, 3.0 * cos, 0.0, 0.0], [0.0, 0.0, 1.5, 0.0]];
        Grid::new([3, 2, 2], Affine::from_rows(rows).unwrap()).unwrap()
    }

    /// Creates a dictionary that keeps streamlines 0, 2 and 3 of a tractogram with four streamlines. The
    /// entries of a voxel are not sorted, and one pair of streamline and orientation occurs twice.
    fn dictionary() -> CommitDictionary {
        let stretch = |(voxel, streamline, orientation, length)| DictionaryStretch {
            voxel,
            streamline,
            orientation,
            length,
        };
        let stretches = [(4, 0, 9, 1.0), (11, 0, 3, 0.5), (4, 1, 9, 2.0), (4, 1, 2, 0.25), (5, 2, 0, 1.5)];
        let twice = [(4, 1, 9, 0.75)];
        CommitDictionary {
            grid: grid(),
            inputs: 4,
            kept: vec![0, 2, 3],
            norms: vec![1.5, 2.0, 0.5],
            stretches: stretches.into_iter().chain(twice).map(stretch).collect(),
            peaks: vec![(4, 7), (4, 1), (11, 7)],
            isotropic: vec![4, 5, 11],
        }
    }

    fn responses(axes: [[f64; 3]; 3]) -> Responses {
        let stick = |d: f64| -> AxialResponse { Box::new(move |_, cosine| (-d * cosine * cosine).exp()) };
        // Expresses the same gradient directions along the image axes instead of the scanner axes.
        let directions = Orientations::half_sphere(7).directions().to_vec();
        let turned =
            directions.iter().map(|d| std::array::from_fn(|r| (0..3).map(|n| d[n] * axes[n][r]).sum()));
        let isotropic = vec![vec![0.1], vec![0.3]];
        Responses::new(
            turned.collect(),
            vec![0; 7],
            vec![stick(1.0), stick(2.0)],
            vec![stick(0.5)],
            isotropic,
            false,
        )
        .unwrap()
    }

    fn kernels(responses: &Responses, orientations: &Orientations) -> Kernels {
        let rows = |response: &AxialResponse| {
            let row = |&d: &[f64; 3]| responses.signal(response, d);
            let values = orientations.directions().iter().flat_map(row).collect();
            Dictionary::new(7, values).unwrap()
        };
        let isotropic = responses.isotropic.iter().flat_map(|r| responses.isotropic_signal(r)).collect();
        Kernels {
            intra: responses.intra.iter().map(rows).collect(),
            extra: responses.extra.iter().map(rows).collect(),
            isotropic: Some(Dictionary::new(7, isotropic).unwrap()),
        }
    }

    #[test]
    fn dictionary_segments_give_the_same_operator() {
        let (dictionary, set) = (dictionary(), Orientations::half_sphere(10));
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let theirs = dictionary_operator::<f64>(&dictionary, &kernels(&responses(unit), &set)).unwrap();
        let turned = scanner_orientations(&set, &dictionary.grid).unwrap();
        let (segments, axes) = dictionary_segments(&dictionary, &turned).unwrap();
        assert_eq!(
            (segments.streamlines(), segments.voxels(), segments.len()),
            (4, [4, 5, 11].as_slice(), 6)
        );
        let to_scanner = dictionary.grid.affine().axes();
        let ours = table_operator::<f64>(&segments, &axes, &responses(to_scanner), &turned, None).unwrap();
        assert_eq!((theirs.rows(), theirs.columns()), (21, 3 * 2 + 3 + 3 * 2));
        assert_eq!((ours.rows(), ours.columns()), (21, 4 * 2 + 3 + 3 * 2));

        // The dictionary does not keep streamline 1. The columns of the other streamlines are divided by the
        // norms that the dictionary states.
        let x: Vec<f64> = (0..15).map(|n| 1.0 + f64::from(n)).collect();
        let mut x_ours = x.clone();
        x_ours.splice(2..2, [9.0, 9.0]);
        for (n, streamline) in [0, 2, 3].into_iter().enumerate() {
            for j in 0..2 {
                x_ours[2 * streamline + j] /= f64::from(dictionary.norms[n]);
            }
        }
        let (mut a, mut b) = (vec![0.0; 21], vec![0.0; 21]);
        theirs.forward(&x, &mut a);
        ours.forward(&x_ours, &mut b);
        // The vectors of segments are in single precision, and the compared values are between 10 and 100.
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5 && *a > 0.1), "{a:?} {b:?}");
    }

    #[test]
    fn unsupported_dictionary_models_are_rejected() {
        let (good, set) = (dictionary(), Orientations::half_sphere(10));
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let fitting = kernels(&responses(unit), &set);
        let too_few = Orientations::half_sphere(9);
        let error = dictionary_segments(&good, &too_few).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "dictionary: the dictionary has the orientation number 9 (counted from 0), but the \
                 orientations have 9 orientations"
            ),
            "{error}"
        );
        assert!(dictionary_operator::<f64>(&good, &kernels(&responses(unit), &too_few)).is_err());
        let unequal = Kernels { extra: kernels(&responses(unit), &too_few).extra, ..fitting.clone() };
        assert!(dictionary_operator::<f64>(&good, &unequal).is_err());
        let none = Kernels { intra: vec![], extra: vec![], isotropic: None };
        assert!(dictionary_operator::<f64>(&good, &none).is_err());

        // This dictionary has an isotropic compartment in one voxel only, like a dictionary that was built
        // with a mask for isotropic compartments. The operator then has fewer unknowns, and segments cannot
        // represent the mask.
        let partly = CommitDictionary { isotropic: vec![5], ..good.clone() };
        let operator = dictionary_operator::<f64>(&partly, &fitting).unwrap();
        assert_eq!((operator.rows(), operator.columns()), (21, 3 * 2 + 3 + 2));
        let (mut x, mut y) = (vec![0.0; 11], vec![0.0; 21]);
        x[9] = 1.0;
        operator.forward(&x, &mut y);
        let expected = fitting.isotropic.as_ref().unwrap().row(0);
        assert_eq!((&y[..7], &y[7..14], &y[14..]), ([0.0; 7].as_slice(), expected, [0.0; 7].as_slice()));
        assert!(dictionary_segments(&partly, &set).is_err());
        // If all response functions are isotropic, they have no rows per orientation that could be missing.
        let alone = Kernels { intra: vec![], extra: vec![], ..fitting };
        assert_eq!(dictionary_operator::<f64>(&good, &alone).unwrap().columns(), 6);
        let empty = CommitDictionary { stretches: vec![], ..good };
        assert!(dictionary_segments(&empty, &set).is_err());
    }
}
