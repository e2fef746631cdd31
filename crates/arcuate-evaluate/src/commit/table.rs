//! COMMIT's linear operator with a table of orientations. The direction of each segment and axis is replaced
//! by the nearest orientation of a fixed set.

use super::{Axes, Layout, Responses, Segments};
use crate::{Dictionary, Element, SparseTucker};
use arcuate_core::{Error, NearestOrientation, Orientations, Result, narrow};
use rayon::prelude::*;

/// The total length of one streamline in one voxel, over all segments with the same nearest orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stretch {
    pub(super) orientation: u32,
    pub(super) streamline: u32,
    /// Length of the stretch in mm.
    pub(super) length: f64,
}

/// Segments of streamlines and axes of compartments, with orientation numbers instead of directions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Binned {
    pub(super) streamlines: usize,
    pub(super) voxel_starts: Vec<usize>,
    /// The (orientation, streamline, length) entries of each voxel, sorted by orientation, then by
    /// streamline. Each pair of orientation and streamline occurs at most once per voxel.
    pub(super) stretches: Vec<Stretch>,
    pub(super) axis_starts: Vec<usize>,
    /// For each axis of a compartment, the number of its nearest orientation.
    pub(super) axes: Vec<u32>,
    /// For each voxel, true if the voxel has isotropic compartments. Only such voxels have isotropic
    /// unknowns.
    pub(super) isotropic: Vec<bool>,
}

/// The meaning of a row of the dictionary: a response function, along an orientation if the response is not
/// isotropic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
    /// An intra-axonal response along an orientation. The fields are the numbers of the response and of the
    /// orientation.
    Intra(usize, usize),
    /// An extra-axonal response along an orientation. The fields are the numbers of the response and of the
    /// orientation.
    Extra(usize, usize),
    /// An isotropic response, given by its number.
    Isotropic(usize),
}

/// Creates the operator A of COMMIT in which each direction is replaced by the nearest of `orientations`.
/// This method is the look-up table of Daducci et al. 2015.
///
/// The unknowns and the data are those of [`Harmonics`](super::Harmonics), the operator with exact
/// directions. The more orientations, the better this operator is approximated. If several segments of a
/// streamline in a voxel have the same nearest orientation, their lengths are added. The coefficients of a
/// voxel are sorted by orientation and response, so that each row of the table is read once for all its
/// streamlines. The matrix rows of voxel n are multiplied by `voxel_scale[n]`. Only the table rows that a
/// coefficient uses are computed and stored.
///
/// Returns an error if the axes or the factors `voxel_scale` belong to other voxels than the segments. Also
/// returns an error if there are more than 65,536 dictionary rows or more than 2³¹ unknowns.
pub fn table_operator<T: Element>(
    segments: &Segments,
    axes: &Axes,
    responses: &Responses,
    orientations: &Orientations,
    voxel_scale: Option<&[f64]>,
) -> Result<SparseTucker<T>> {
    if axes.voxels() != segments.voxels().len() {
        return Err(of_other_voxels("axes"));
    }
    let nearest = NearestOrientation::new(orientations);
    let binned = Binned::new(segments, axes, &nearest);
    let directions = orientations.directions();
    binned.operator(
        responses.samples(),
        [responses.intra(), responses.extra(), responses.isotropic()],
        orientations.len(),
        voxel_scale,
        |atom| match atom {
            Atom::Intra(j, o) => responses.signal(&responses.intra[j], directions[o]),
            Atom::Extra(j, o) => responses.signal(&responses.extra[j], directions[o]),
            Atom::Isotropic(j) => responses.isotropic_signal(&responses.isotropic[j]),
        },
    )
}

fn of_other_voxels(what: &str) -> Error {
    Error::invalid(
        "COMMIT's operator",
        format!("the {what} do not belong to the same voxels as the segments of the streamlines"),
        "give the values for each voxel that has segments",
    )
}

/// Sorts the (orientation, streamline, length) entries of a voxel. Lengths with the same orientation and
/// streamline are added in their original order.
pub(super) fn add_up(stretches: &mut Vec<Stretch>) {
    stretches.sort_by_key(|s| (s.orientation, s.streamline));
    stretches.dedup_by(|next, kept| {
        let same = (next.orientation, next.streamline) == (kept.orientation, kept.streamline);
        if same {
            kept.length += next.length;
        }
        same
    });
}

impl Binned {
    fn new(segments: &Segments, axes: &Axes, nearest: &NearestOrientation) -> Self {
        let voxels = segments.voxels().len();
        let found: Vec<Vec<Stretch>> = (0..voxels)
            .into_par_iter()
            .map(|n| {
                let stretch = |segment: &super::Segment| {
                    let piece = segment.piece.map(f64::from);
                    let length = piece.iter().map(|c| c * c).sum::<f64>().sqrt();
                    let orientation = narrow::<u32>(nearest.find(piece));
                    Stretch { orientation, streamline: segment.streamline, length }
                };
                let of_voxel = segments.of_voxel(n).iter().map(stretch);
                let mut stretches: Vec<_> = of_voxel.filter(|stretch| stretch.length > 0.0).collect();
                add_up(&mut stretches);
                stretches
            })
            .collect();
        let mut voxel_starts = vec![0];
        for here in &found {
            voxel_starts.push(voxel_starts[voxel_starts.len() - 1] + here.len());
        }
        let axis = |direction: &[f32; 3]| narrow::<u32>(nearest.find(direction.map(f64::from)));
        Self {
            streamlines: segments.streamlines(),
            voxel_starts,
            stretches: found.concat(),
            axis_starts: axes.voxel_starts.clone(),
            axes: axes.directions.par_iter().map(axis).collect(),
            isotropic: vec![true; voxels],
        }
    }

    /// Returns the order of the operator's unknowns. The isotropic unknowns belong to the voxels that have
    /// isotropic compartments.
    pub(super) fn layout(&self, [intra, extra, isotropic]: [usize; 3]) -> Layout {
        Layout {
            streamlines: self.streamlines,
            intra,
            axes: self.axes.len(),
            extra,
            voxels: self.isotropic.iter().filter(|&&isotropic| isotropic).count(),
            isotropic,
        }
    }

    /// Finds the atoms that coefficients use, and their row numbers in the dictionary. In the dictionary, the
    /// rows for the responses along one orientation are adjacent. Rows that no coefficient uses are omitted.
    fn atoms(
        &self,
        [intra, extra, isotropic]: [usize; 3],
        orientations: usize,
    ) -> Result<(Vec<usize>, Vec<u16>)> {
        let (first_extra, first_isotropic) = (orientations * intra, orientations * (intra + extra));
        let mut occurs = vec![false; first_isotropic + isotropic];
        let mut mark = |first: usize, count: usize| occurs[first..first + count].fill(true);
        for stretch in &self.stretches {
            mark(stretch.orientation as usize * intra, intra);
        }
        for &orientation in &self.axes {
            mark(first_extra + orientation as usize * extra, extra);
        }
        mark(first_isotropic, isotropic);
        let atoms: Vec<usize> = (0..occurs.len()).filter(|&atom| occurs[atom]).collect();
        if atoms.len() > 1 << 16 {
            let problem =
                format!("the model's table of responses has {} rows, more than 65,536", atoms.len());
            let advice = "use exact orientations, or fewer orientations";
            return Err(Error::usage("‘orientations’", problem, advice));
        }
        let mut numbers = vec![0_u16; occurs.len()];
        for (number, &atom) in atoms.iter().enumerate() {
            numbers[atom] = narrow::<u16>(number);
        }
        Ok((atoms, numbers))
    }

    /// Creates the operator from the numbers of intra-axonal, extra-axonal and isotropic responses. `row`
    /// computes a row of the dictionary.
    pub(super) fn operator<T: Element>(
        &self,
        samples: usize,
        responses: [usize; 3],
        orientations: usize,
        voxel_scale: Option<&[f64]>,
        row: impl Fn(Atom) -> Vec<f64> + Sync,
    ) -> Result<SparseTucker<T>> {
        let voxels = self.isotropic.len();
        if voxel_scale.is_some_and(|scale| scale.len() != voxels) {
            return Err(of_other_voxels("voxel scales"));
        }
        let [intra, extra, isotropic] = responses;
        let layout = self.layout(responses);
        if layout.len() > 1 << 31 {
            let problem = format!("the model has {} unknowns, more than 2,147,483,648", layout.len());
            return Err(Error::invalid("COMMIT's operator", problem, "use exact orientations"));
        }
        let (first_extra, first_isotropic) = (orientations * intra, orientations * (intra + extra));
        let (atoms, numbers) = self.atoms(responses, orientations)?;
        let rows: Vec<Vec<f64>> = atoms
            .par_iter()
            .map(|&atom| {
                row(if atom < first_extra {
                    Atom::Intra(atom % intra, atom / intra)
                } else if atom < first_isotropic {
                    Atom::Extra((atom - first_extra) % extra, (atom - first_extra) / extra)
                } else {
                    Atom::Isotropic(atom - first_isotropic)
                })
            })
            .collect();
        let dictionary = Dictionary::new(samples, rows.concat())?;
        drop(rows);

        let count = self.stretches.len() * intra + self.axes.len() * extra + voxels * isotropic;
        let (mut row_of, mut members, mut values) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        let mut starts = vec![0];
        let mut isotropic_unknown = layout.isotropic_unknowns();
        let mut axes: Vec<(u32, usize)> = Vec::new();
        for v in 0..voxels {
            let scale = voxel_scale.map_or(1.0, |scale| scale[v]);
            let mut push = |atom: usize, unknown: usize, value: f64| {
                row_of.push(numbers[atom]);
                members.push(narrow::<u32>(unknown));
                values.push(T::of(value * scale));
            };
            let here = &self.stretches[self.voxel_starts[v]..self.voxel_starts[v + 1]];
            for along in here.chunk_by(|a, b| a.orientation == b.orientation) {
                for j in 0..intra {
                    let atom = along[0].orientation as usize * intra + j;
                    for stretch in along {
                        push(atom, stretch.streamline as usize * intra + j, stretch.length);
                    }
                }
            }
            axes.clear();
            axes.extend((self.axis_starts[v]..self.axis_starts[v + 1]).map(|axis| (self.axes[axis], axis)));
            axes.sort_unstable();
            for along in axes.chunk_by(|a, b| a.0 == b.0) {
                for j in 0..extra {
                    let atom = first_extra + along[0].0 as usize * extra + j;
                    for &(_, axis) in along {
                        push(atom, layout.extra_unknowns().start + axis * extra + j, 1.0);
                    }
                }
            }
            if self.isotropic[v] {
                for (j, unknown) in (0..isotropic).zip(&mut isotropic_unknown) {
                    push(first_isotropic + j, unknown, 1.0);
                }
            }
            starts.push(values.len());
        }
        SparseTucker::new(&dictionary, layout.len(), &starts, &row_of, members, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::{AxialResponse, Harmonics, Segment};
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::{Affine, Grid};
    use arcuate_solve::{LinearOperator, checks};
    use std::sync::Arc;

    fn stick_and_zeppelin(parallel: f64, across: f64) -> AxialResponse {
        Box::new(move |shell, cosine| {
            let b = [0.0, 1.0, 2.5][shell];
            (-b * (across + (parallel - across) * cosine * cosine)).exp()
        })
    }

    fn responses() -> Responses {
        let gradients = Orientations::half_sphere(24);
        let mut directions = vec![[0.0; 3]];
        directions.extend_from_slice(gradients.directions());
        let shells = (0..25).map(|sample| if sample == 0 { 0 } else { 1 + sample % 2 }).collect();
        let intra = vec![stick_and_zeppelin(1.7, 0.0), stick_and_zeppelin(1.7, 0.1)];
        let isotropic = vec![vec![1.0, 0.05, 0.0006], vec![1.0, 0.2, 0.02]];
        Responses::new(directions, shells, intra, vec![stick_and_zeppelin(1.7, 0.5)], isotropic, true)
            .unwrap()
    }

    /// Creates a problem in which some voxels have many segments and one voxel has a single segment. Some
    /// streamlines have several segments in one voxel.
    fn problem() -> (Segments, Axes) {
        problem_on([4, 3, 2], &[(0, 30), (2, 1), (3, 7), (9, 60), (20, 4)], |n, _| n % 11)
    }

    /// Creates voxels with these numbers of random segments. The number of axes in a voxel is its number of
    /// segments modulo 4. `streamline` returns the streamline number of a segment. Its arguments are the
    /// index of the segment in the voxel and the index among all segments.
    fn problem_on(
        shape: [usize; 3],
        voxels: &[(u32, usize)],
        streamline: impl Fn(usize, usize) -> usize,
    ) -> (Segments, Axes) {
        let grid = Grid::new(shape, Affine::identity()).unwrap();
        let mut random = Random::new(3, Purpose::Resampling, 0);
        let (mut starts, mut pieces, mut axis_starts, mut axes) = (vec![0], vec![], vec![0], vec![]);
        for &(_, count) in voxels {
            for n in 0..count {
                let piece = std::array::from_fn(|_| (random.uniform() - 0.5) as f32);
                pieces.push(Segment { piece, streamline: streamline(n, pieces.len()) as u32 });
            }
            starts.push(pieces.len());
            for _ in 0..count % 4 {
                let v: [f64; 3] = std::array::from_fn(|_| random.uniform() - 0.5);
                let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
                axes.push(v.map(|c| (c / length) as f32));
            }
            axis_starts.push(axes.len());
        }
        let streamlines = pieces.iter().map(|piece| piece.streamline).max().unwrap() as usize + 2;
        let voxels = voxels.iter().map(|&(voxel, _)| voxel).collect();
        let segments = Segments::new(grid, streamlines, voxels, starts, pieces).unwrap();
        (segments, Axes::new(axis_starts, axes).unwrap())
    }

    /// Computes the matrix column of each unknown from its definition. The function `bend` is first applied
    /// to each direction.
    fn columns(
        segments: &Segments,
        axes: &Axes,
        responses: &Responses,
        scale: &[f64],
        bend: impl Fn([f64; 3]) -> [f64; 3],
    ) -> Vec<Vec<f64>> {
        let (samples, voxels) = (responses.samples(), segments.voxels().len());
        let extra_from = segments.streamlines() * 2;
        let isotropic_from = extra_from + axes.len();
        let mut columns = vec![vec![0.0; voxels * samples]; isotropic_from + voxels * 2];
        let mut add = |unknown: usize, voxel: usize, factor: f64, signal: Vec<f64>| {
            for (sample, value) in signal.into_iter().enumerate() {
                columns[unknown][voxel * samples + sample] += factor * scale[voxel] * value;
            }
        };
        for v in 0..voxels {
            for segment in segments.of_voxel(v) {
                let piece = segment.piece.map(f64::from);
                let length = piece.iter().map(|c| c * c).sum::<f64>().sqrt();
                for j in 0..2 {
                    let signal = responses.signal(&responses.intra[j], bend(piece.map(|c| c / length)));
                    add(segment.streamline as usize * 2 + j, v, length, signal);
                }
            }
            for (n, axis) in axes.of_voxel(v).iter().enumerate() {
                let signal = responses.signal(&responses.extra[0], bend(axis.map(f64::from)));
                add(extra_from + axes.voxel_starts[v] + n, v, 1.0, signal);
            }
            for j in 0..2 {
                add(isotropic_from + v * 2 + j, v, 1.0, responses.isotropic_signal(&responses.isotropic[j]));
            }
        }
        columns
    }

    const SCALE: [f64; 5] = [1.0, 0.5, 2.0, 1.5, 0.25];

    #[test]
    fn entries_agree_with_the_definition() {
        let ((segments, axes), responses) = (problem(), responses());
        let set = Orientations::half_sphere(200);
        let operator = table_operator::<f64>(&segments, &axes, &responses, &set, Some(&SCALE)).unwrap();
        let expected = columns(&segments, &axes, &responses, &SCALE, |d| set.directions()[set.nearest(d)]);
        assert_eq!(operator.columns(), expected.len());
        for (n, column) in expected.iter().enumerate() {
            let mut x = vec![0.0; expected.len()];
            x[n] = 1.0;
            let mut y = vec![0.0; column.len()];
            operator.forward(&x, &mut y);
            // Each compared value is a sum of at most about five numbers below 1.
            assert!(y.iter().zip(column).all(|(a, b)| (a - b).abs() < 1e-14), "column {n}");
        }
    }

    #[test]
    fn the_table_converges_to_harmonics_with_its_step() {
        // Each voxel has one or two segments, and each segment belongs to its own streamline. With many
        // segments per voxel, the errors of replaced directions would cancel. The remaining error would be
        // proportional to the square of the errors of directions.
        let voxels: Vec<(u32, usize)> = (0..960).map(|voxel| (voxel, 1 + voxel as usize % 2)).collect();
        let ((segments, axes), responses) = (problem_on([12, 10, 8], &voxels, |_, all| all), responses());
        // With spherical harmonics, the error of a response is 10⁻⁷. With the finest table of orientations,
        // it is about 10⁻³.
        let exact = Harmonics::<f64>::new(Arc::new(segments.clone()), &axes, &responses, None, 1e-7).unwrap();
        let x: Vec<f64> = (0..exact.columns()).map(|n| 0.5 + (n as f64).sin() * 0.5).collect();
        let data: Vec<f64> = (0..exact.rows()).map(|n| (n as f64 * 1.3).cos()).collect();
        let products = |operator: &dyn LinearOperator<f64>| {
            let (mut forward, mut adjoint) = (vec![0.0; data.len()], vec![0.0; x.len()]);
            operator.forward(&x, &mut forward);
            operator.adjoint(&data, &mut adjoint);
            [forward, adjoint]
        };
        let expected = products(&exact);
        let counts = [500, 2000, 8000, 32_761];
        let errors = counts.map(|count| {
            let set = Orientations::half_sphere(count);
            let operator = table_operator::<f64>(&segments, &axes, &responses, &set, None).unwrap();
            let found = products(&operator);
            [0, 1].map(|n| checks::relative_difference(&found[n], &expected[n]))
        });
        for n in 0..2 {
            for (pair, counts) in errors.windows(2).zip(counts.windows(2)) {
                // The distance between neighbouring orientations is √(2π / N) for N orientations. The mean
                // error of 1440 random directions varies by about 3 %.
                let (fall, step) = (pair[0][n] / pair[1][n], (counts[1] as f64 / counts[0] as f64).sqrt());
                assert!((0.85..1.18).contains(&(fall / step)), "{errors:?}");
            }
            // With 500 orientations, a replaced direction differs by up to 3.5° from the original. The signal
            // of a stick then changes by a few hundredths.
            assert!(errors[0][n] < 0.1, "{errors:?}");
        }
    }

    #[test]
    fn inconsistent_inputs_are_rejected() {
        let ((segments, axes), responses) = (problem(), responses());
        let set = Orientations::half_sphere(20);
        let of = |axes: &Axes, scale: &[f64]| {
            table_operator::<f32>(&segments, axes, &responses, &set, Some(scale)).map(|_| ())
        };
        assert!(of(&axes, &SCALE).is_ok());
        assert!(of(&Axes::none(4), &SCALE).is_err());
        assert!(of(&axes, &SCALE[1..]).is_err());
        // The dictionary has 65,536 rows in addition to the isotropic rows.
        let binned = Binned::new(&segments, &axes, &NearestOrientation::new(&set));
        let crowded = Binned { axes: (0..65_536).collect(), ..binned };
        let row = |_| vec![1.0];
        let error = crowded.operator::<f32>(1, [0, 1, 2], 65_536, None, row).unwrap_err();
        assert!(
            error.to_string().starts_with("‘orientations’: the model's table of responses has 65538 rows"),
            "{error}"
        );
    }
}
