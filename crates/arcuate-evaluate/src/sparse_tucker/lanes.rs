//! The vector operations that the products on the processor are made of, in both precisions.

use pulp::Simd;

/// In `members`: the coefficient is the first of a run.
pub(super) const RUN_BEGINS: u32 = 1 << 31;

/// The vector operations that the products are made of, for each precision.
pub trait Lanes: Sized + Copy {
    /// Rows are padded to whole vectors of the widest kind: 64 bytes.
    const PADDING: usize;

    /// block = Σ scale · row, for whole padded rows.
    fn sum_rows<S: Simd>(simd: S, block: &mut [Self], rows: &Rows<'_, Self>, atoms: &[u16], scales: &[Self]);

    /// out = row · block for each row.
    fn dot_rows<S: Simd>(simd: S, out: &mut [Self], rows: &Rows<'_, Self>, atoms: &[u16], block: &[Self]);

    /// Voxels whose rows are few vectors: out = Σ value · unknown · row, coefficient by coefficient, with no sum over
    /// runs before. False, with nothing done, where rows are longer.
    fn spread_short<S: Simd>(simd: S, work: &Short<'_, Self>, unknowns: &[Self], data: &mut [Self]) -> bool;

    /// products = row · data of each run of voxels whose rows are few vectors. False, with nothing done, where rows are
    /// longer.
    fn collect_short<S: Simd>(simd: S, work: &Short<'_, Self>, data: &[Self], products: &mut [Self]) -> bool;

    /// block[..values.len()] = values. With vectors, because a call to copy so few elements would cost more than the
    /// arithmetic on them.
    fn load<S: Simd>(simd: S, block: &mut [Self], values: &[Self]);

    /// out = block[..out.len()].
    fn store<S: Simd>(simd: S, out: &mut [Self], block: &[Self]);

    /// The same value where `begins` is 0, and 0 where it is 1; without a branch, and without arithmetic, so that a
    /// value that is no number goes nowhere.
    fn unless(self, begins: usize) -> Self;
}

/// The coefficients and runs of successive voxels, counted from the first of them.
pub struct Short<'a, T> {
    pub(super) rows: Rows<'a, T>,
    pub(super) atoms: &'a [u16],
    pub(super) members: &'a [u32],
    pub(super) values: &'a [T],
    /// Where the coefficients and the runs of each voxel begin, and end those of the last, in the whole problem.
    pub(super) voxel_starts: &'a [usize],
    pub(super) voxel_runs: &'a [usize],
    pub(super) directions: usize,
}

/// Dictionary rows of `stride` elements.
#[derive(Clone, Copy)]
pub struct Rows<'a, T> {
    pub(super) values: &'a [T],
    pub(super) stride: usize,
}

impl<'a, T> Rows<'a, T> {
    fn row(&self, atom: u16) -> &'a [T] {
        &self.values[atom as usize * self.stride..][..self.stride]
    }
}

/// Vectors, of so many, that are worked on together: 96 directions are 12 of AVX2 and 6 of AVX-512, and 12 leave of 16
/// registers enough for all else.
fn in_registers(vectors: usize) -> usize {
    match vectors {
        12.. => 12,
        8..12 => 8,
        6..8 => 6,
        4..6 => 4,
        2..4 => 2,
        _ => 1,
    }
}

macro_rules! lanes {
    ($real:ty, $bits:ty, $vector:ident, $padding:literal, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $fma:ident, $add:ident, $reduce:ident, $partial_load:ident, $partial_store:ident, $turn:ident, $turn_back:ident) => {
        impl Lanes for $real {
            const PADDING: usize = $padding;

            #[inline(always)]
            fn sum_rows<S: Simd>(
                simd: S,
                block: &mut [Self],
                rows: &Rows<'_, Self>,
                atoms: &[u16],
                scales: &[Self],
            ) {
                // N accumulators stay in registers while all rows pass.
                #[inline(always)]
                fn keep<S: Simd, const N: usize>(
                    simd: S,
                    out: &mut [S::$vector],
                    first: usize,
                    rows: &Rows<'_, $real>,
                    atoms: &[u16],
                    scales: &[$real],
                ) {
                    let mut sums = [simd.$splat(0.0); N];
                    for (&atom, &scale) in atoms.iter().zip(scales) {
                        let scale = simd.$splat(scale);
                        let (row, _) = S::$as_simd(&rows.row(atom)[first..]);
                        let row: &[S::$vector; N] = row[..N].try_into().expect("rows are padded");
                        for n in 0..N {
                            sums[n] = simd.$fma(scale, row[n], sums[n]);
                        }
                    }
                    out.copy_from_slice(&sums);
                }
                let lanes = size_of::<S::$vector>() / size_of::<$real>();
                let (mut out, _) = S::$as_mut_simd(block);
                let mut first = 0;
                while !out.is_empty() {
                    let n = in_registers(out.len());
                    let (now, later) = out.split_at_mut(n);
                    match n {
                        12 => keep::<S, 12>(simd, now, first, rows, atoms, scales),
                        8 => keep::<S, 8>(simd, now, first, rows, atoms, scales),
                        6 => keep::<S, 6>(simd, now, first, rows, atoms, scales),
                        4 => keep::<S, 4>(simd, now, first, rows, atoms, scales),
                        2 => keep::<S, 2>(simd, now, first, rows, atoms, scales),
                        _ => keep::<S, 1>(simd, now, first, rows, atoms, scales),
                    }
                    first += n * lanes;
                    out = later;
                }
            }

            #[inline(always)]
            fn dot_rows<S: Simd>(
                simd: S,
                out: &mut [Self],
                rows: &Rows<'_, Self>,
                atoms: &[u16],
                block: &[Self],
            ) {
                // Part of the products: N vectors of the block, which stay in registers while all rows pass.
                #[inline(always)]
                fn add<S: Simd, const N: usize>(
                    simd: S,
                    out: &mut [$real],
                    first: usize,
                    rows: &Rows<'_, $real>,
                    atoms: &[u16],
                    block: &[S::$vector],
                ) {
                    let block: [S::$vector; N] = *<&[S::$vector; N]>::try_from(block).expect("N vectors");
                    // A plain loop: what happens inside an adaptor's closure is not compiled for the vector unit.
                    for (out, &atom) in out.iter_mut().zip(atoms) {
                        let (row, _) = S::$as_simd(&rows.row(atom)[first..]);
                        let row: &[S::$vector; N] = row[..N].try_into().expect("rows are padded");
                        // Two running sums, so that the additions do not wait for each other.
                        let mut sums = [simd.$splat(0.0); 2];
                        for n in 0..N {
                            sums[n % 2] = simd.$fma(row[n], block[n], sums[n % 2]);
                        }
                        *out += simd.$reduce(simd.$add(sums[0], sums[1]));
                    }
                }
                out.fill(0.0);
                let lanes = size_of::<S::$vector>() / size_of::<$real>();
                let (mut block, _) = S::$as_simd(block);
                let mut first = 0;
                while !block.is_empty() {
                    let n = in_registers(block.len());
                    let (now, later) = block.split_at(n);
                    match n {
                        12 => add::<S, 12>(simd, out, first, rows, atoms, now),
                        8 => add::<S, 8>(simd, out, first, rows, atoms, now),
                        6 => add::<S, 6>(simd, out, first, rows, atoms, now),
                        4 => add::<S, 4>(simd, out, first, rows, atoms, now),
                        2 => add::<S, 2>(simd, out, first, rows, atoms, now),
                        _ => add::<S, 1>(simd, out, first, rows, atoms, now),
                    }
                    first += n * lanes;
                    block = later;
                }
            }

            #[inline(always)]
            fn spread_short<S: Simd>(
                simd: S,
                work: &Short<'_, Self>,
                unknowns: &[Self],
                data: &mut [Self],
            ) -> bool {
                /// What is left of `out` after whole vectors is stored before them, as the end of a vector that they
                /// then overwrite in part: faster than a store of so few elements.
                #[inline(always)]
                fn put<S: Simd, const N: usize>(simd: S, out: &mut [$real], block: &[S::$vector; N]) {
                    let lanes = size_of::<S::$vector>() / size_of::<$real>();
                    let (whole, left) = (out.len() / lanes, out.len() % lanes);
                    // Plain loops over all N, so that the block stays in registers.
                    for n in 0..N {
                        if n == whole && left > 0 {
                            if let Some(last) = out.len().checked_sub(lanes) {
                                let turned = simd.$turn(block[n], lanes - left);
                                S::$as_mut_simd(&mut out[last..]).0[0] = turned;
                            } else {
                                simd.$partial_store(out, block[n]);
                            }
                        }
                    }
                    let (full, _) = S::$as_mut_simd(out);
                    for n in 0..N {
                        if n < whole {
                            full[n] = block[n];
                        }
                    }
                }

                #[inline(always)]
                fn spread<S: Simd, const N: usize>(
                    simd: S,
                    work: &Short<'_, $real>,
                    unknowns: &[$real],
                    data: &mut [$real],
                ) -> bool {
                    let (rows, _) = S::$as_simd(work.rows.values);
                    let (rows, _) = rows.as_chunks::<N>();
                    let first = work.voxel_starts[0];
                    let mut run = usize::MAX;
                    let mut begin = 0;
                    for (out, end) in data.chunks_exact_mut(work.directions).zip(&work.voxel_starts[1..]) {
                        let here = begin..end - first;
                        begin = here.end;
                        // Two sums, so that the additions do not wait for each other.
                        let mut sums = [[simd.$splat(0.0); N]; 2];
                        let (members, last) = work.members[here.clone()].as_chunks::<2>();
                        let (values, last_value) = work.values[here].as_chunks::<2>();
                        let mut add = |sums: &mut [S::$vector; N], member: u32, value: $real| {
                            run = run.wrapping_add((member >> 31) as usize);
                            let scale = simd.$splat(value * unknowns[(member & !RUN_BEGINS) as usize]);
                            let row = &rows[work.atoms[run] as usize];
                            for n in 0..N {
                                sums[n] = simd.$fma(scale, row[n], sums[n]);
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
                            block[n] = simd.$add(block[n], sums[1][n]);
                        }
                        put::<S, N>(simd, out, &block);
                    }
                    true
                }
                match work.rows.stride * size_of::<$real>() / size_of::<S::$vector>() {
                    1 => spread::<S, 1>(simd, work, unknowns, data),
                    2 => spread::<S, 2>(simd, work, unknowns, data),
                    3 => spread::<S, 3>(simd, work, unknowns, data),
                    4 => spread::<S, 4>(simd, work, unknowns, data),
                    _ => false,
                }
            }

            #[inline(always)]
            fn collect_short<S: Simd>(
                simd: S,
                work: &Short<'_, Self>,
                data: &[Self],
                products: &mut [Self],
            ) -> bool {
                /// What is left of `values` after whole vectors is the end of a vector that overlaps them: faster than
                /// a load of so few elements. Behind it stand elements of the same voxel, which meet zeros in rows.
                #[inline(always)]
                fn get<S: Simd, const N: usize>(simd: S, values: &[$real]) -> [S::$vector; N] {
                    let lanes = size_of::<S::$vector>() / size_of::<$real>();
                    let (whole, left) = (values.len() / lanes, values.len() % lanes);
                    let (full, _) = S::$as_simd(values);
                    let mut block = [simd.$splat(0.0); N];
                    // A plain loop over all N, so that the block stays in registers.
                    for n in 0..N {
                        if n < whole {
                            block[n] = full[n];
                        } else if n == whole && left > 0 {
                            block[n] = match values.len().checked_sub(lanes) {
                                Some(last) => {
                                    simd.$turn_back(S::$as_simd(&values[last..]).0[0], lanes - left)
                                }
                                None => simd.$partial_load(values),
                            };
                        }
                    }
                    block
                }

                #[inline(always)]
                fn collect<S: Simd, const N: usize>(
                    simd: S,
                    work: &Short<'_, $real>,
                    data: &[$real],
                    products: &mut [$real],
                ) -> bool {
                    let (rows, _) = S::$as_simd(work.rows.values);
                    let (rows, _) = rows.as_chunks::<N>();
                    let first = work.voxel_runs[0];
                    let mut begin = 0;
                    for (values, end) in data.chunks_exact(work.directions).zip(&work.voxel_runs[1..]) {
                        let here = begin..end - first;
                        begin = here.end;
                        let block = get::<S, N>(simd, values);
                        for (out, &atom) in products[here.clone()].iter_mut().zip(&work.atoms[here]) {
                            let row = &rows[atom as usize];
                            // Two running sums, so that the additions do not wait for each other.
                            let mut sums = [simd.$splat(0.0); 2];
                            for n in 0..N {
                                sums[n % 2] = simd.$fma(row[n], block[n], sums[n % 2]);
                            }
                            *out = simd.$reduce(simd.$add(sums[0], sums[1]));
                        }
                    }
                    true
                }
                match work.rows.stride * size_of::<$real>() / size_of::<S::$vector>() {
                    1 => collect::<S, 1>(simd, work, data, products),
                    2 => collect::<S, 2>(simd, work, data, products),
                    3 => collect::<S, 3>(simd, work, data, products),
                    4 => collect::<S, 4>(simd, work, data, products),
                    _ => false,
                }
            }

            #[inline(always)]
            fn load<S: Simd>(simd: S, block: &mut [Self], values: &[Self]) {
                let (full, rest) = S::$as_simd(values);
                let (block, _) = S::$as_mut_simd(block);
                for n in 0..full.len() {
                    block[n] = full[n];
                }
                if !rest.is_empty() {
                    block[full.len()] = simd.$partial_load(rest);
                }
            }

            #[inline(always)]
            fn store<S: Simd>(simd: S, out: &mut [Self], block: &[Self]) {
                let (block, _) = S::$as_simd(block);
                let (full, rest) = S::$as_mut_simd(out);
                for n in 0..full.len() {
                    full[n] = block[n];
                }
                if !rest.is_empty() {
                    simd.$partial_store(rest, block[full.len()]);
                }
            }

            #[inline(always)]
            fn unless(self, begins: usize) -> Self {
                // A table read by number: a condition would become a branch that nobody can foresee.
                const MASKS: [$bits; 2] = [<$bits>::MAX, 0];
                Self::from_bits(self.to_bits() & MASKS[begins & 1])
            }
        }
    };
}
lanes!(
    f32,
    u32,
    f32s,
    16,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    mul_add_e_f32s,
    add_f32s,
    reduce_sum_f32s,
    partial_load_f32s,
    partial_store_f32s,
    rotate_right_f32s,
    rotate_left_f32s
);
lanes!(
    f64,
    u64,
    f64s,
    8,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    mul_add_e_f64s,
    add_f64s,
    reduce_sum_f64s,
    partial_load_f64s,
    partial_store_f64s,
    rotate_right_f64s,
    rotate_left_f64s
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dictionary, SparseTucker};
    use pulp::WithSimd;

    /// The short rows' products, for `voxels` voxels of two runs with one and two coefficients.
    struct Products<'a> {
        m: &'a SparseTucker<f32>,
        unknowns: &'a [f32],
    }

    impl WithSimd for Products<'_> {
        type Output = Option<(Vec<f32>, Vec<f32>)>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let work = self.m.short(&self.m.pieces[0]);
            let (mut data, mut products) =
                (vec![f32::NAN; self.m.voxels() * self.m.directions], vec![f32::NAN; work.atoms.len()]);
            let done = f32::spread_short(simd, &work, self.unknowns, &mut data)
                && f32::collect_short(simd, &work, &data, &mut products);
            done.then_some((data, products))
        }
    }

    #[test]
    fn short_rows_are_multiplied_alike_with_vectors_of_any_width() {
        for directions in 1..=64 {
            let d =
                Dictionary::new(directions, (0..4 * directions).map(|n| (n as f64).sin()).collect()).unwrap();
            let voxels = 20;
            let starts: Vec<usize> = (0..=voxels).map(|v| 3 * v).collect();
            let atoms: Vec<u16> = (0..3 * voxels).map(|n| [1, 3, 3][n % 3]).collect();
            let members: Vec<u32> = (0..3 * voxels as u32).map(|n| n % 11).collect();
            let values: Vec<f32> = (0..3 * voxels).map(|n| 0.1 + n as f32 * 0.01).collect();
            let m = SparseTucker::new(&d, 11, &starts, &atoms, members.clone(), values.clone()).unwrap();
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
                    // Three terms below 8; dots of as many as there are directions.
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
