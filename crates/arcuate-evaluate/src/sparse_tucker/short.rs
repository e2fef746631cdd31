//! Products with dictionary rows that have a length of one to four SIMD vectors. The overhead per row is kept
//! small.

use super::rows::{Rows, dot};
use super::runs::RUN_BEGINS;
use arcuate_numbers::Real;
use arcuate_numbers::vectors::count;
use pulp::Simd;

/// The coefficients of a range of voxels, and their runs. A run is a group of coefficients with the same
/// voxel and dictionary row (atom).
pub(super) struct Short<'a, T> {
    pub(super) rows: Rows<'a, T>,
    pub(super) atoms: &'a [u16],
    pub(super) members: &'a [u32],
    pub(super) values: &'a [T],
    /// Index of the first coefficient of each voxel; the next field has the index of the first run of each
    /// voxel. Both arrays end with the end of the last voxel. All indices are those in the whole problem.
    pub(super) voxel_starts: &'a [usize],
    pub(super) voxel_runs: &'a [usize],
    pub(super) directions: usize,
}

impl<T: Real> Short<'_, T> {
    /// Returns the number of SIMD vectors per dictionary row.
    fn vectors<S: Simd>(&self) -> usize {
        self.rows.stride / count::<S, T>()
    }

    /// Computes data = Σ value · unknown · row for each voxel, as a sum over the voxel's coefficients.
    /// Coefficients with the same row are not summed first. If rows have more than four SIMD vectors, returns
    /// `false` and does nothing.
    #[inline(always)]
    pub(super) fn spread<S: Simd>(&self, simd: S, unknowns: &[T], data: &mut [T]) -> bool {
        match self.vectors::<S>() {
            1 => self.spread_of::<S, 1>(simd, unknowns, data),
            2 => self.spread_of::<S, 2>(simd, unknowns, data),
            3 => self.spread_of::<S, 3>(simd, unknowns, data),
            4 => self.spread_of::<S, 4>(simd, unknowns, data),
            _ => return false,
        }
        true
    }

    #[inline(always)]
    fn spread_of<S: Simd, const N: usize>(&self, simd: S, unknowns: &[T], data: &mut [T]) {
        let (rows, _) = T::vectors::<S>(self.rows.values);
        let (rows, _) = rows.as_chunks::<N>();
        let first = self.voxel_starts[0];
        let mut run = usize::MAX;
        let mut begin = 0;
        for (out, end) in data.chunks_exact_mut(self.directions).zip(&self.voxel_starts[1..]) {
            let here = begin..end - first;
            begin = here.end;
            // The loop adds to two separate sums in turn, so that an addition need not wait for the preceding
            // one.
            let mut sums = [[T::splat(simd, T::zero()); N]; 2];
            let (members, last) = self.members[here.clone()].as_chunks::<2>();
            let (values, last_value) = self.values[here].as_chunks::<2>();
            let mut add = |sums: &mut [T::Vector<S>; N], member: u32, value: T| {
                run = run.wrapping_add((member >> 31) as usize);
                let scale = T::splat(simd, value * unknowns[(member & !RUN_BEGINS) as usize]);
                let row = &rows[self.atoms[run] as usize];
                for n in 0..N {
                    sums[n] = T::multiply_add(simd, scale, row[n], sums[n]);
                }
            };
            for (member, value) in members.iter().zip(values) {
                add(&mut sums[0], member[0], value[0]);
                add(&mut sums[1], member[1], value[1]);
            }
            if let ([member], [value]) = (last, last_value) {
                add(&mut sums[0], *member, *value);
            }
            let mut block = sums[0];
            for n in 0..N {
                block[n] = T::plus(simd, block[n], sums[1][n]);
            }
            put::<S, T, N>(simd, out, &block);
        }
    }

    /// Computes products = row · data, the dot product of a dictionary row and the data of a voxel, for each
    /// run. If rows have more than four SIMD vectors, returns `false` and does nothing.
    #[inline(always)]
    pub(super) fn collect<S: Simd>(&self, simd: S, data: &[T], products: &mut [T]) -> bool {
        match self.vectors::<S>() {
            1 => self.collect_of::<S, 1>(simd, data, products),
            2 => self.collect_of::<S, 2>(simd, data, products),
            3 => self.collect_of::<S, 3>(simd, data, products),
            4 => self.collect_of::<S, 4>(simd, data, products),
            _ => return false,
        }
        true
    }

    #[inline(always)]
    fn collect_of<S: Simd, const N: usize>(&self, simd: S, data: &[T], products: &mut [T]) {
        let (rows, _) = T::vectors::<S>(self.rows.values);
        let (rows, _) = rows.as_chunks::<N>();
        let first = self.voxel_runs[0];
        let mut begin = 0;
        for (values, end) in data.chunks_exact(self.directions).zip(&self.voxel_runs[1..]) {
            let here = begin..end - first;
            begin = here.end;
            let block = get::<S, T, N>(simd, values);
            for (out, &atom) in products[here.clone()].iter_mut().zip(&self.atoms[here]) {
                *out = dot(simd, &rows[atom as usize], &block);
            }
        }
    }
}

/// Stores the data of a voxel from SIMD vectors to `out`. If the length of `out` is not a multiple of a SIMD
/// vector, a vector that ends at the last element is stored first. Whole vectors then overwrite a part of it.
/// This method is faster than storing the last elements one by one.
#[inline(always)]
fn put<S: Simd, T: Real, const N: usize>(simd: S, out: &mut [T], block: &[T::Vector<S>; N]) {
    let lanes = count::<S, T>();
    let (whole, left) = (out.len() / lanes, out.len() % lanes);
    // This code has plain loops over all N SIMD vectors, so that the data of the voxel stay in registers.
    for n in 0..N {
        if n == whole && left > 0 {
            if let Some(last) = out.len().checked_sub(lanes) {
                T::vectors_mut::<S>(&mut out[last..]).0[0] = T::turn(simd, block[n], lanes - left);
            } else {
                T::partial_store(simd, out, block[n]);
            }
        }
    }
    let (full, _) = T::vectors_mut::<S>(out);
    for n in 0..N {
        if n < whole {
            full[n] = block[n];
        }
    }
}

/// Loads the data of a voxel from `values` into SIMD vectors. If the length is not a multiple of a SIMD
/// vector, the last elements are loaded as the end of a vector that overlaps the vector before. This method
/// is faster than loading the last elements one by one. The following elements belong to the same voxel and
/// are multiplied by zeros of the padded dictionary row.
#[inline(always)]
fn get<S: Simd, T: Real, const N: usize>(simd: S, values: &[T]) -> [T::Vector<S>; N] {
    let lanes = count::<S, T>();
    let (whole, left) = (values.len() / lanes, values.len() % lanes);
    let (full, _) = T::vectors::<S>(values);
    let mut block = [T::splat(simd, T::zero()); N];
    // This code is a plain loop over all N SIMD vectors, so that the data of the voxel stay in registers.
    for n in 0..N {
        if n < whole {
            block[n] = full[n];
        } else if n == whole && left > 0 {
            block[n] = match values.len().checked_sub(lanes) {
                Some(last) => T::turn_back(simd, T::vectors::<S>(&values[last..]).0[0], lanes - left),
                None => T::partial_load(simd, values),
            };
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::super::arrays::TuckerArrays;
    use super::*;
    use crate::Dictionary;
    use pulp::WithSimd;

    /// Test of the products with short dictionary rows. It has `voxels` voxels, and each voxel has a run of
    /// one coefficient and a run of two.
    struct Products<'a> {
        m: &'a TuckerArrays<f32>,
        unknowns: &'a [f32],
    }

    impl WithSimd for Products<'_> {
        type Output = Option<(Vec<f32>, Vec<f32>)>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let work = self.m.short(&self.m.pieces[0]);
            let (mut data, mut products) =
                (vec![f32::NAN; self.m.voxels() * self.m.directions], vec![f32::NAN; work.atoms.len()]);
            let done =
                work.spread(simd, self.unknowns, &mut data) && work.collect(simd, &data, &mut products);
            done.then_some((data, products))
        }
    }

    #[test]
    fn short_rows_give_the_same_products_at_any_vector_width() {
        for directions in 1..=64 {
            let d =
                Dictionary::new(directions, (0..4 * directions).map(|n| (n as f64).sin()).collect()).unwrap();
            let voxels = 20;
            let starts: Vec<usize> = (0..=voxels).map(|v| 3 * v).collect();
            let atoms: Vec<u16> = (0..3 * voxels).map(|n| [1, 3, 3][n % 3]).collect();
            let members: Vec<u32> = (0..3 * voxels as u32).map(|n| n % 11).collect();
            let values: Vec<f32> = (0..3 * voxels).map(|n| 0.1 + n as f32 * 0.01).collect();
            let m = TuckerArrays::new(&d, 11, &starts, &atoms, members.clone(), values.clone()).unwrap();
            let unknowns: Vec<f32> = (0..11).map(|n| 1.0 + n as f32).collect();
            let mut found = Vec::new();
            let products = || Products { m: &m, unknowns: &unknowns };
            found.extend(pulp::Arch::new().dispatch(products()));
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = pulp::x86::V3::try_new() {
                found.extend(pulp::Simd::vectorize(simd, products()));
            }
            assert!(!found.is_empty() || directions > 4, "{directions}");
            for (data, products) in found {
                for voxel in 0..voxels {
                    let coefficients = 3 * voxel..3 * voxel + 3;
                    let expected = |g: usize| -> f64 {
                        let term = |at: usize| {
                            f64::from(values[at])
                                * f64::from(unknowns[members[at] as usize])
                                * d.row(atoms[at].into())[g]
                        };
                        coefficients.clone().map(term).sum()
                    };
                    let signal: Vec<f64> = (0..directions).map(expected).collect();
                    let here = &data[voxel * directions..(voxel + 1) * directions];
                    // Each compared value is a sum of three terms below 8, or a dot product over the
                    // directions.
                    assert!(here.iter().zip(&signal).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5));
                    for (run, atom) in [(0, 1), (1, 3)] {
                        let dot: f64 = signal.iter().zip(d.row(atom)).map(|(a, b)| a * b).sum();
                        assert!((f64::from(products[2 * voxel + run]) - dot).abs() < 1e-4, "{directions}");
                    }
                }
            }
        }
    }
}
