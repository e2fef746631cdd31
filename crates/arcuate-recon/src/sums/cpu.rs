//! Exact Fourier sums on the CPU. They are computed as products of two matrices. The matrices are computed
//! block by block when they are needed.

use super::table::{Factors, Mirrored, factors, factors_at, places, rows_at, samples_at};
use super::tile::{Column, DEPTH, WIDTH, columns, panel, tile};
use super::{Element, FourierSums};
use crate::Shape;
use arcuate_numbers::Arch;
use arcuate_numbers::Real;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Number of blocks of [`DEPTH`] samples that are processed together. Their factors e^(2πi k·r) stay in the
/// CPU caches while they are applied to the images.
const BLOCKS: usize = 32;
/// Number of complex columns (one for each y, z and volume) that a task of the adjoint sum computes. On any
/// CPU, they are a whole number of tiles.
const COLUMNS_OF_TASK: usize = 48;
/// Number of blocks of [`DEPTH`] samples that a task of the forward sum computes.
const BLOCKS_OF_TASK: usize = 2;

/// Returns the number of elements in a row of a panel (a block of matrix rows) on this CPU.
struct Panel<T>(std::marker::PhantomData<T>);

impl<T: Element> WithSimd for Panel<T> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        panel::<S, T>()
    }
}

/// Implements [`FourierSums::adjoint_all`].
pub(super) fn adjoint<T: Element>(sums: &FourierSums<T>, data: &[T], images: &mut [T]) {
    let arch = Arch::new();
    let [nx, ny, nz] = sums.shape.lengths();
    let mirrored = Mirrored { voxels: nx };
    let distances = mirrored.distances();
    let width = arch.dispatch(Panel::<T>(std::marker::PhantomData));
    let rows = nx.next_multiple_of(width);
    let volumes = data.len() / (2 * sums.samples.len());
    // The sums of each column: first the real parts of all rows, then the imaginary parts. The cosine rows
    // come before the sine rows.
    let mut products = vec![T::zero(); volumes * ny * nz * 2 * rows];
    let mut table = vec![T::zero(); BLOCKS * DEPTH * rows];
    let mut along_y = vec![[[T::zero(); DEPTH]; 2]; BLOCKS * ny];
    for first in (0..sums.samples.len()).step_by(BLOCKS * DEPTH) {
        let here = &sums.samples[first..sums.samples.len().min(first + BLOCKS * DEPTH)];
        table
            .par_chunks_mut(DEPTH * rows)
            .zip(along_y.par_chunks_mut(ny))
            .zip(here.par_chunks(DEPTH))
            .for_each(|((table, along_y), samples)| {
                let distances = &distances;
                arch.dispatch(Tables { shape: sums.shape, distances, width, samples, table, along_y });
            });
        let tasks = products.par_chunks_mut(ny * 2 * rows).enumerate().flat_map(|(plane, products)| {
            products
                .par_chunks_mut(COLUMNS_OF_TASK * 2 * rows)
                .enumerate()
                .map(move |(n, products)| (plane, n, products))
        });
        tasks.for_each(|(plane, n, products)| {
            arch.dispatch(Adjoint {
                sums,
                data: &data[2 * (plane / nz * sums.samples.len() + first)..][..2 * here.len()],
                samples: here,
                slice: plane % nz,
                first_column: n * COLUMNS_OF_TASK,
                rows,
                table: &table,
                along_y: &along_y,
                products,
            });
        });
    }
    let scale = T::of(1.0 / (sums.shape.voxels() as f64).sqrt());
    images.par_chunks_mut(2 * nx).zip(products.par_chunks(2 * rows)).for_each(|(image, products)| {
        let (re, im) = products.split_at(rows);
        let sines = mirrored.cosines();
        for n in 0..mirrored.cosines() {
            let (a, b) = (re[n] * scale, im[n] * scale);
            if n >= mirrored.pairs() {
                (image[2 * n], image[2 * n + 1]) = (a, b);
                continue;
            }
            let (c, d) = (re[sines + n] * scale, im[sines + n] * scale);
            let [far, near] = mirrored.pair(n);
            (image[2 * far], image[2 * far + 1]) = (a - d, b + c);
            (image[2 * near], image[2 * near + 1]) = (a + d, b - c);
        }
    });
}

/// Computes the factors e^(2πi k·r) of a block of samples. The factors along x are stored in panels of
/// `width` matrix rows. Each panel contains these rows for all samples, in the order of the samples. Entries
/// after the last sample keep old values. They are multiplied by values that are 0.
struct Tables<'a, T> {
    shape: Shape,
    distances: &'a [f64],
    width: usize,
    samples: &'a [[f64; 3]],
    table: &'a mut [T],
    along_y: &'a mut [Factors<T>],
}

impl<T: Element> WithSimd for Tables<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { shape, distances, width, samples, table, along_y } = self;
        let mut of_sample = vec![T::zero(); table.len() / DEPTH];
        for (n, k) in samples.iter().enumerate() {
            rows_at(distances, k[0], &mut of_sample[..shape.lengths()[0]]);
            for (panel, row) in of_sample.chunks_exact(width).enumerate() {
                table[(panel * DEPTH + n) * width..][..width].copy_from_slice(row);
            }
        }
        factors(shape, 1, &places(samples), along_y);
    }
}

/// Adds the contributions of some samples to some columns of the image. The table contains the factors along
/// x. The column values are the data of the samples times their factors along y and z. Computes products +=
/// table · column values.
struct Adjoint<'a, T> {
    sums: &'a FourierSums<T>,
    data: &'a [T],
    samples: &'a [[f64; 3]],
    slice: usize,
    first_column: usize,
    rows: usize,
    table: &'a [T],
    along_y: &'a [Factors<T>],
    products: &'a mut [T],
}

impl<T: Element> WithSimd for Adjoint<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // If the size of a tile is known at compile time, the compiler keeps the tile in registers.
        if columns::<S>() == 12 { self.work::<S, 12>(simd) } else { self.work::<S, 6>(simd) }
    }
}

impl<T: Element> Adjoint<'_, T> {
    #[inline(always)]
    fn work<S: Simd, const COLUMNS: usize>(self, simd: S) {
        let Self { sums, data, samples, slice, first_column, rows, table, along_y, products } = self;
        let (shape, ny) = (sums.shape, sums.shape.lengths()[1]);
        let shift = Mirrored { voxels: shape.lengths()[0] }.shift();
        let along_z = shape.position(2, slice);
        let tiles = products.len().div_ceil(COLUMNS * rows);
        let mut factors_of = vec![[[T::zero(); DEPTH]; COLUMNS]; tiles];
        let blocks = samples.chunks(DEPTH).zip(data.chunks(2 * DEPTH)).enumerate();
        for (block, (samples, data)) in blocks {
            // After the last sample of a block of samples, the positions are 0.
            let k = places(samples);
            let mut base = factors_at::<T>(|n| k[2][n] * along_z - k[0][n] * shift);
            for part in &mut base {
                part[samples.len()..].fill(T::zero());
            }
            for (n, value) in data.chunks_exact(2).enumerate() {
                let [c, s] = [base[0][n], base[1][n]];
                (base[0][n], base[1][n]) = (c * value[0] - s * value[1], c * value[1] + s * value[0]);
            }
            let along_y = &along_y[block * ny..][..ny];
            let mine = products.len() / (2 * rows);
            for (n, of_y) in along_y[first_column..first_column + mine].iter().enumerate() {
                let (tile, place) = (2 * n / COLUMNS, 2 * n % COLUMNS);
                let [re, im] = complex_products(&base, of_y);
                (factors_of[tile][place], factors_of[tile][place + 1]) = (re, im);
            }
            let table = &table[block * DEPTH * rows..][..DEPTH * rows];
            let (vectors, _) = T::vectors::<S>(table);
            for (panel, panel_rows) in vectors.as_chunks::<WIDTH>().0.chunks_exact(DEPTH).enumerate() {
                let panel_rows = &panel_rows[..samples.len()];
                for (factors, products) in factors_of.iter().zip(products.chunks_mut(COLUMNS * rows)) {
                    let found = tile::<S, T, COLUMNS>(simd, panel_rows, factors);
                    for (found, products) in found.iter().zip(products.chunks_exact_mut(rows)) {
                        let (products, _) = T::vectors_mut::<S>(products);
                        for (product, &found) in products[panel * WIDTH..].iter_mut().zip(found) {
                            *product = T::plus(simd, *product, found);
                        }
                    }
                }
            }
        }
    }
}

/// Returns the products a · b of the complex numbers in a block of samples.
#[inline(always)]
fn complex_products<T: Element>(a: &Factors<T>, b: &Factors<T>) -> [Column<T>; 2] {
    let mut out = [[T::zero(); DEPTH]; 2];
    for n in 0..DEPTH {
        out[0][n] = a[0][n] * b[0][n] - a[1][n] * b[1][n];
        out[1][n] = a[0][n] * b[1][n] + a[1][n] * b[0][n];
    }
    out
}

/// Implements [`FourierSums::forward_all`].
pub(super) fn forward<T: Element>(sums: &FourierSums<T>, images: &[T], data: &mut [T]) {
    let arch = Arch::new();
    arch.dispatch(PackForward { sums, images, data, arch });
}

/// Packs the columns of all images in the order in which the tiles of this CPU are computed. Then computes
/// all samples.
struct PackForward<'a, T> {
    sums: &'a FourierSums<T>,
    images: &'a [T],
    data: &'a mut [T],
    arch: Arch,
}

impl<T: Element> WithSimd for PackForward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if columns::<S>() == 12 { self.work::<12>(panel::<S, T>()) } else { self.work::<6>(panel::<S, T>()) }
    }
}

impl<T: Element> PackForward<'_, T> {
    fn work<const COLUMNS: usize>(self, width: usize) {
        let Self { sums, images, data, arch } = self;
        let [nx, ny, nz] = sums.shape.lengths();
        let mirrored = Mirrored { voxels: nx };
        let (parts, tiles) = (nx.div_ceil(DEPTH), (2 * ny).div_ceil(COLUMNS));
        let volumes = images.len() / (2 * sums.shape.voxels());
        // The packed columns of each slice: tile by tile, and within a tile the terms of the sum in blocks of
        // `DEPTH` terms.
        let of_slice = tiles * parts;
        let mut packed = vec![[[T::zero(); DEPTH]; COLUMNS]; volumes * nz * of_slice];
        packed.par_chunks_mut(of_slice).zip(images.par_chunks(2 * nx * ny)).for_each(|(packed, image)| {
            for (y, row) in image.chunks_exact(2 * nx).enumerate() {
                let (tile, place) = (2 * y / COLUMNS, 2 * y % COLUMNS);
                let mut put = |term: usize, re: T, im: T| {
                    let to = &mut packed[tile * parts + term / DEPTH];
                    (to[place][term % DEPTH], to[place + 1][term % DEPTH]) = (re, im);
                };
                for n in 0..mirrored.pairs() {
                    let [far, near] = mirrored.pair(n).map(|i| [row[2 * i], row[2 * i + 1]]);
                    put(n, far[0] + near[0], far[1] + near[1]);
                    // The odd part of a voxel pair (the difference of the two voxels) is multiplied by −i.
                    put(mirrored.cosines() + n, far[1] - near[1], near[0] - far[0]);
                }
                for n in mirrored.pairs()..mirrored.cosines() {
                    put(n, row[2 * n], row[2 * n + 1]);
                }
            }
        });
        let scale = T::of(1.0 / (sums.shape.voxels() as f64).sqrt());
        let count = sums.samples.len();
        let chunk = BLOCKS_OF_TASK * DEPTH;
        // Each task computes the same range of samples for every volume.
        let mut tasks: Vec<Vec<&mut [T]>> =
            (0..count.div_ceil(chunk)).map(|_| Vec::with_capacity(volumes)).collect();
        for of_volume in data.chunks_mut(2 * count) {
            for (task, data) in tasks.iter_mut().zip(of_volume.chunks_mut(2 * chunk)) {
                task.push(data);
            }
        }
        tasks.into_par_iter().zip(sums.samples.par_chunks(chunk)).for_each(|(data, samples)| {
            arch.dispatch(Forward { sums, samples, width, packed: &packed, parts, scale, data });
        });
    }
}

/// Computes a range of samples for all volumes.
struct Forward<'a, T, const COLUMNS: usize> {
    sums: &'a FourierSums<T>,
    samples: &'a [[f64; 3]],
    width: usize,
    packed: &'a [[Column<T>; COLUMNS]],
    parts: usize,
    scale: T,
    data: Vec<&'a mut [T]>,
}

impl<T: Element, const COLUMNS: usize> WithSimd for Forward<'_, T, COLUMNS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { sums, samples, width, packed, parts, scale, data } = self;
        let shape = sums.shape;
        let [nx, ny, nz] = shape.lengths();
        let mirrored = Mirrored { voxels: nx };
        let distances = mirrored.distances();
        let tiles = packed.len() / (data.len() * nz * parts);
        let blocks = samples.len().div_ceil(DEPTH);
        // The factors of the samples along x are stored in panels (blocks of samples). Each panel contains
        // the terms of the sum in order.
        let mut table = vec![T::zero(); samples.len().next_multiple_of(width) * nx];
        for (samples, table) in samples.chunks(DEPTH).zip(table.chunks_mut(DEPTH * nx)) {
            let places = places(samples);
            for (k, table) in places[0].chunks_exact(width).zip(table.chunks_exact_mut(width * nx)) {
                samples_at(&distances, k, table);
            }
        }
        let mut along_y = vec![[[T::zero(); DEPTH]; 2]; blocks * ny];
        for (samples, along_y) in samples.chunks(DEPTH).zip(along_y.chunks_exact_mut(ny)) {
            factors(shape, 1, &places(samples), along_y);
        }
        let mut of_volume = vec![[[T::zero(); DEPTH]; 2]; blocks];
        for (volume, data) in data.into_iter().enumerate() {
            of_volume.fill([[T::zero(); DEPTH]; 2]);
            for slice in 0..nz {
                let packed = &packed[(volume * nz + slice) * tiles * parts..][..tiles * parts];
                let mut of_slice = vec![[[T::zero(); DEPTH]; 2]; blocks];
                for (tile_number, terms) in packed.chunks_exact(parts).enumerate() {
                    for (panel, table) in table.chunks_exact(width * nx).enumerate() {
                        let (rows, _) = T::vectors::<S>(table);
                        let rows = rows.as_chunks::<WIDTH>().0;
                        let mut found = tile::<S, T, COLUMNS>(simd, &rows[..nx.min(DEPTH)], &terms[0]);
                        for (part, terms) in terms.iter().enumerate().skip(1) {
                            let rows = &rows[part * DEPTH..nx.min((part + 1) * DEPTH)];
                            let more = tile::<S, T, COLUMNS>(simd, rows, terms);
                            for (found, more) in found.iter_mut().zip(more) {
                                for (found, more) in found.iter_mut().zip(more) {
                                    *found = T::plus(simd, *found, more);
                                }
                            }
                        }
                        let (block, first) = (panel * width / DEPTH, panel * width % DEPTH);
                        let along_y = &along_y[block * ny..][..ny];
                        let first_y = tile_number * COLUMNS / 2;
                        let last_y = ny.min(first_y + COLUMNS / 2);
                        add_conjugated::<S, T, COLUMNS>(
                            simd,
                            &found,
                            &along_y[first_y..last_y],
                            first,
                            &mut of_slice[block],
                        );
                    }
                }
                let along_z = shape.position(2, slice);
                for ((samples, from), to) in samples.chunks(DEPTH).zip(&of_slice).zip(&mut of_volume) {
                    let k = places(samples);
                    let of_z = factors_at::<T>(|n| k[0][n] * mirrored.shift() - k[2][n] * along_z);
                    let [re, im] = complex_products(from, &of_z);
                    for n in 0..DEPTH {
                        to[0][n] += re[n];
                        to[1][n] += im[n];
                    }
                }
            }
            for (n, value) in data.chunks_exact_mut(2).enumerate() {
                let [re, im] = &of_volume[n / DEPTH];
                (value[0], value[1]) = (scale * re[n % DEPTH], scale * im[n % DEPTH]);
            }
        }
    }
}

/// Multiplies the sums over x by the conjugate factors along y and z, and adds the products: sums += found ·
/// conj(factors). The samples are those of one panel, whose first sample has the index `first` in its block.
#[inline(always)]
fn add_conjugated<S: Simd, T: Real, const COLUMNS: usize>(
    simd: S,
    found: &[[T::Vector<S>; WIDTH]; COLUMNS],
    along_y: &[Factors<T>],
    first: usize,
    sums: &mut Factors<T>,
) {
    let [re, im] = sums;
    let width = WIDTH * arcuate_numbers::vectors::count::<S, T>();
    let (re, _) = T::vectors_mut::<S>(&mut re[first..first + width]);
    let (im, _) = T::vectors_mut::<S>(&mut im[first..first + width]);
    for n in 0..WIDTH {
        let (mut a, mut b) = (re[n], im[n]);
        for (pair, of_y) in found.as_chunks::<2>().0.iter().zip(along_y) {
            let c = T::vectors::<S>(&of_y[0][first..first + width]).0[n];
            let s = T::vectors::<S>(&of_y[1][first..first + width]).0[n];
            a = T::multiply_add(simd, pair[0][n], c, T::multiply_add(simd, pair[1][n], s, a));
            b = T::multiply_add(simd, pair[1][n], c, T::minus_product(simd, pair[0][n], s, b));
        }
        (re[n], im[n]) = (a, b);
    }
}
