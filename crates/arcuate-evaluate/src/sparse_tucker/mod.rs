//! The linear operator y = Φ ×₁ D ×₃ w, which multiplies a sparse three-way array Φ by a dictionary D and
//! weights w.

mod aligned;
mod arrays;
mod cpu;
mod cuda;
mod owned_arrays;
mod part;
mod pieces;
mod row_kernels;
mod rows;
mod runs;
mod short;
mod tiles;

pub use cuda::ProductKernels;

use crate::Dictionary;
use crate::encoding::Encoding;
use crate::precisions::compiled_in_both_precisions;
use arcuate_compute::Device;
use arcuate_core::Result;
use arcuate_numbers::Real;
use arcuate_solve::{LinearOperator, Placed, SolverOperator, SplitOperator};
use arrays::TuckerArrays;
use part::TuckerPart;
use rayon::prelude::*;
use std::sync::Arc;

/// The precisions of the sparse Tucker operator: `f32` and `f64`. The functions of this trait implement the
/// operator in one precision.
pub trait TuckerElement: Real {
    /// Implements [`SparseTucker::place`] for an operator that is not yet placed on a device.
    #[doc(hidden)]
    fn place(operator: &mut SparseTucker<Self>, device: &Device, kernels: ProductKernels) -> Result<()>;

    /// Computes the product `data` = M w for the unknowns w.
    #[doc(hidden)]
    fn forward(operator: &SparseTucker<Self>, unknowns: &[Self], data: &mut [Self]);

    /// Computes the product `unknowns` = Mᵀ y for the data y.
    #[doc(hidden)]
    fn adjoint(operator: &SparseTucker<Self>, data: &[Self], unknowns: &mut [Self]);

    /// Implements [`SolverOperator::on_gpus`].
    #[doc(hidden)]
    fn on_gpus(operator: &SparseTucker<Self>) -> Option<Box<dyn SplitOperator<Self> + '_>>;
}

compiled_in_both_precisions!(TuckerElement for SparseTucker placed with ProductKernels);

/// The linear operator M of a sparse Tucker decomposition (Caiafa and Pestilli 2017,
/// doi:10.1038/s41598-017-09250-w). Each coefficient has a voxel v, an atom a (row of the dictionary D), a
/// column f (unknown) and a value φ. The equations below define the products M w and Mᵀ y.
///
/// ```text
/// (M w)[v, θ] = Σ φ · D[a, θ] · w[f]        (Mᵀ y)[f] = Σ φ · Σ_θ D[a, θ] · y[v, θ]
/// ```
///
/// The operator is not specific to MRI: a "voxel" is a block of `directions` data, and a "column" is an
/// unknown. Coefficients of one voxel with the same atom form a *run*. The product M w sums φ·w over each
/// run, and then uses the run's row of D once. The product Mᵀ y computes one dot product per run. The number
/// of operations with rows of D thus depends on the number of runs only. Both products are bit-identical for
/// any number of threads.
///
/// The data have `voxels × directions` values. The values of a voxel are contiguous.
#[derive(Debug)]
pub struct SparseTucker<T: TuckerElement> {
    placed: Placed<TuckerPart<T>>,
    arrays: Arc<TuckerArrays<T>>,
}

impl<T: TuckerElement> SparseTucker<T> {
    /// Creates the operator from coefficients sorted by voxel, then by atom (row of the dictionary). Voxel
    /// `v` has the coefficients from `voxel_starts[v]` to `voxel_starts[v + 1]` − 1.
    ///
    /// Returns an error if the index arrays differ in length, are not sorted, or have an index beyond the
    /// dictionary or beyond `columns`. Also returns an error if a value is not finite, or if there are more
    /// than 2³¹ columns.
    pub fn new(
        dictionary: &Dictionary,
        columns: usize,
        voxel_starts: &[usize],
        atoms: &[u16],
        members: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self> {
        let arrays = TuckerArrays::new(dictionary, columns, voxel_starts, atoms, members, values)?;
        Ok(Self { placed: Placed::default(), arrays: Arc::new(arrays) })
    }

    /// Creates the operator from the sparse coefficients of streamlines. The coefficients of each voxel are
    /// multiplied by the voxel's entry in `scale` (S₀, or 1). `columns` has the index of each streamline's
    /// unknown.
    pub(crate) fn from_encoding(
        encoding: &Encoding,
        dictionary: &Dictionary,
        scale: &[f64],
        columns: &[u32],
    ) -> Result<Self> {
        let mut values = Vec::with_capacity(encoding.coefficients());
        for n in 0..encoding.voxels().len() {
            let range = encoding.voxel_starts[n]..encoding.voxel_starts[n + 1];
            values.extend(encoding.values[range].iter().map(|&v| T::of(f64::from(v) * scale[n])));
        }
        let members = encoding.members.par_iter().map(|&streamline| columns[streamline as usize]).collect();
        Self::new(
            dictionary,
            encoding.streamlines(),
            &encoding.voxel_starts,
            &encoding.atoms,
            members,
            values,
        )
    }

    /// Moves the operator to a device. The device then computes its products and the vector operations of
    /// solvers. The operator always stays in CPU memory, and a GPU has a copy. If the copy does not fit in
    /// GPU memory, a part of it stays there, and the rest is copied to the GPU during each product. If GPU
    /// memory does not suffice for this either, the CPU computes the products, and a warning is logged.
    ///
    /// Returns an error if a GPU cannot be used for another reason than too little memory. Also returns an
    /// error if `kernels` do not support this problem on the GPU.
    pub fn place(&mut self, device: &Device, kernels: ProductKernels) -> Result<()> {
        // First frees the GPU memory of an earlier copy of this operator.
        self.placed = Placed::default();
        if self.coefficients() > 0 {
            TuckerElement::place(self, device, kernels)?;
        }
        Ok(())
    }

    /// Returns what computes the products M w and Mᵀ y: the words `the CPU`, or the names of the GPU kernels.
    pub fn computed_by(&self) -> String {
        self.placed.describe()
    }

    /// Returns the number of atoms, which are the rows of the dictionary.
    pub fn atoms(&self) -> usize {
        self.arrays.atoms()
    }

    /// Returns the number of voxels (blocks of data).
    pub fn voxels(&self) -> usize {
        self.arrays.voxels()
    }

    /// Returns the number of data values per voxel.
    pub fn directions(&self) -> usize {
        self.arrays.directions
    }

    /// Returns the number of coefficients.
    pub fn coefficients(&self) -> usize {
        self.arrays.coefficients()
    }

    /// Returns the number of runs. A run is a group of coefficients with the same voxel and atom (row of the
    /// dictionary).
    pub fn runs(&self) -> usize {
        self.arrays.runs()
    }

    /// Returns the memory that the operator occupies in bytes.
    pub fn bytes(&self) -> usize {
        let (real, arrays) = (size_of::<T>(), &self.arrays);
        arrays.dictionary.len() * real
            + arrays.values.len() * (real + 4)
            + arrays.run_atoms.len() * 2
            + arrays.voxel_runs.len() * size_of::<usize>()
    }
}

impl<T: TuckerElement> LinearOperator<T> for SparseTucker<T> {
    fn rows(&self) -> usize {
        self.arrays.rows()
    }

    fn columns(&self) -> usize {
        self.arrays.columns
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        TuckerElement::forward(self, unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        TuckerElement::adjoint(self, data, unknowns);
    }
}

impl<T: TuckerElement> SolverOperator<T> for SparseTucker<T> {
    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        TuckerElement::on_gpus(self)
    }
}

#[cfg(test)]
mod tests {
    use super::runs::RUN_BEGINS;
    use super::*;
    use arcuate_compute::{Purpose, Random};
    use arcuate_solve::{Dense, checks};
    use proptest::prelude::*;

    type Coefficients = (Vec<usize>, Vec<u16>, Vec<u32>, Vec<f64>);

    /// Creates the coefficients of an irregular problem. Some voxels have no coefficient and some have many.
    /// Some runs (groups with the same voxel and atom) are long.
    fn coefficients(voxels: usize, columns: usize, atoms: usize, seed: u64) -> Coefficients {
        let mut random = Random::new(seed, Purpose::Resampling, 0);
        let (mut starts, mut atom, mut member, mut value) = (vec![0], vec![], vec![], vec![]);
        for _ in 0..voxels {
            let mut here: Vec<(u16, u32)> = (0..random.below(30) * random.below(3))
                .map(|_| (random.below(atoms) as u16, random.below(columns) as u32))
                .collect();
            here.sort_unstable();
            for (a, f) in here {
                atom.push(a);
                member.push(f);
                value.push(random.uniform() + 0.1);
            }
            starts.push(value.len());
        }
        (starts, atom, member, value)
    }

    fn dictionary(atoms: usize, directions: usize) -> Dictionary {
        let values = (0..atoms * directions).map(|n| (n as f64 * 0.7).sin()).collect();
        Dictionary::new(directions, values).unwrap()
    }

    fn operator<T: TuckerElement>(
        voxels: usize,
        columns: usize,
        atoms: usize,
        directions: usize,
    ) -> SparseTucker<T> {
        let (starts, atom, member, value) = coefficients(voxels, columns, atoms, 9);
        let value = value.into_iter().map(T::of).collect();
        SparseTucker::new(&dictionary(atoms, directions), columns, &starts, &atom, member, value).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn products_agree_with_the_explicit_matrix(
            voxels in 1usize..40, columns in 1usize..50, atoms in 1usize..20, directions in 1usize..140
        ) {
            let (starts, atom, member, value) = coefficients(voxels, columns, atoms, 9);
            let d = dictionary(atoms, directions);
            let mut full = vec![0.0; voxels * directions * columns];
            for v in 0..voxels {
                for at in starts[v]..starts[v + 1] {
                    for (theta, s) in d.row(atom[at] as usize).iter().enumerate() {
                        full[(v * directions + theta) * columns + member[at] as usize] += value[at] * s;
                    }
                }
            }
            let reference = Dense::new(columns, full);
            let double: SparseTucker<f64> = operator(voxels, columns, atoms, directions);
            let single: SparseTucker<f32> = operator(voxels, columns, atoms, directions);
            let w: Vec<f64> = (0..columns).map(|n| (n as f64).cos().max(0.0)).collect();
            let y: Vec<f64> = (0..voxels * directions).map(|n| (n as f64 * 1.3).cos()).collect();
            let (mut expected, mut got) = (vec![0.0; y.len()], vec![0.0; y.len()]);
            reference.forward(&w, &mut expected);
            double.forward(&w, &mut got);
            // Rounding errors are compared with the terms of a sum (|D| ≤ 1 here), not with the sum, because
            // terms may cancel.
            let terms = |v: usize| (starts[v]..starts[v + 1]).map(|at| value[at] * w[member[at] as usize]).sum();
            let scale = (0..voxels).map(terms).fold(0.0, f64::max);
            for (a, b) in got.iter().zip(&expected) {
                prop_assert!((a - b).abs() <= 1e-13 * scale);
            }
            let mut single_got = vec![0f32; y.len()];
            single.forward(&w.iter().map(|&v| v as f32).collect::<Vec<_>>(), &mut single_got);
            for (a, b) in single_got.iter().zip(&expected) {
                // A sum has up to 60 terms. Its rounding error is about ten times 6e-8, the rounding error of
                // one single-precision operation.
                prop_assert!((f64::from(*a) - b).abs() <= 1e-6 * scale);
            }
            let (mut expected, mut got) = (vec![0.0; columns], vec![0.0; columns]);
            reference.adjoint(&y, &mut expected);
            double.adjoint(&y, &mut got);
            let scale = value.iter().sum::<f64>().max(1.0);
            for (a, b) in got.iter().zip(&expected) {
                prop_assert!((a - b).abs() <= 1e-13 * scale * directions as f64);
            }
        }
    }

    #[test]
    fn shared_checks() {
        checks::all(&operator::<f64>(300, 70, 90, 97), 1e-13);
        checks::all(&operator::<f32>(300, 70, 90, 97), 1e-5);
        checks::all(&operator::<f32>(300, 70, 90, 12), 1e-5);
    }

    /// Computes M w and Mᵀ y in double precision, one coefficient after the other.
    fn plainly(m: &SparseTucker<f64>, w: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let m = &m.arrays;
        let (mut data, mut unknowns) = (vec![0.0; m.rows()], vec![0.0; m.columns]);
        let (mut at, d) = (0, m.directions);
        for voxel in 0..m.voxels() {
            for run in m.voxel_runs[voxel]..m.voxel_runs[voxel + 1] {
                let row = &m.dictionary[m.run_atoms[run] as usize * m.stride..][..d];
                let product: f64 = row.iter().zip(&y[voxel * d..]).map(|(a, b)| a * b).sum();
                let first = at;
                while at < m.values.len() && (at == first || m.members[at] & RUN_BEGINS == 0) {
                    let column = (m.members[at] & !RUN_BEGINS) as usize;
                    for (sum, &a) in data[voxel * d..].iter_mut().zip(row) {
                        *sum += m.values[at] * w[column] * a;
                    }
                    unknowns[column] += m.values[at] * product;
                    at += 1;
                }
            }
        }
        (data, unknowns)
    }

    #[test]
    fn both_precisions_keep_their_error_bound_for_any_number_of_directions() {
        // The tested dictionary rows have 1 to 12 SIMD vectors of every width, or are longer. The products
        // are tested with all weights, and then with a fifth of the weights.
        for directions in [1, 6, 12, 30, 47, 64, 96, 129, 270, 512] {
            let (double, single) =
                (operator::<f64>(400, 900, 60, directions), operator::<f32>(400, 900, 60, directions));
            let y: Vec<f64> = (0..double.rows()).map(|n| (n as f64 * 1.3).cos()).collect();
            for every in [1, 5] {
                let w: Vec<f64> = (0..900)
                    .map(|n| if n % every == 0 { 0.1 + (n as f64).sin().abs() } else { 0.0 })
                    .collect();
                let (data, unknowns) = plainly(&double, &w, &y);
                let (mut got, mut back) = (vec![f64::NAN; data.len()], vec![f64::NAN; 900]);
                double.forward(&w, &mut got);
                double.adjoint(&y, &mut back);
                let error = |got: &[f64], expected: &[f64]| checks::relative_difference(got, expected);
                assert!(error(&got, &data) <= 1e-12 && error(&back, &unknowns) <= 1e-12, "{directions}");
                let narrow = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
                let wide = |v: &[f32]| v.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
                let (mut got, mut back) = (vec![f32::NAN; data.len()], vec![f32::NAN; 900]);
                single.forward(&narrow(&w), &mut got);
                single.adjoint(&narrow(&y), &mut back);
                let errors = [error(&wide(&got), &data), error(&wide(&back), &unknowns)];
                assert!(errors.iter().all(|&e| e <= 1e-5), "{directions}: {errors:?}");
            }
        }
    }

    /// Creates an operator with unknowns as in COMMIT. Many voxels share the first unknowns. Each of the
    /// other unknowns belongs to a single voxel. These unknowns are in two blocks, and some of them have no
    /// coefficient.
    fn with_own_unknowns<T: TuckerElement>(voxels: usize, directions: usize) -> SparseTucker<T> {
        let shared = 50;
        let (starts, atom, member, value) = coefficients(voxels, shared, 60, 9);
        let (mut own_starts, mut atoms, mut members, mut values) = (vec![0], vec![], vec![], vec![]);
        let second = shared + voxels;
        for v in 0..voxels {
            for at in starts[v]..starts[v + 1] {
                atoms.push(atom[at]);
                members.push(member[at]);
                values.push(T::of(value[at]));
            }
            let mut push = |a, f: usize| {
                atoms.push(a);
                members.push(f as u32);
                values.push(T::of(0.5 + a as f64 / 64.0));
            };
            if v % 7 != 3 {
                push(60, shared + v);
            }
            if v % 5 != 0 {
                push(61, second + 2 * v);
                push(62, second + 2 * v + 1);
            }
            own_starts.push(atoms.len());
        }
        let d = dictionary(63, directions);
        SparseTucker::new(&d, second + 2 * voxels, &own_starts, &atoms, members, values).unwrap()
    }

    #[test]
    fn unknowns_of_single_voxels_are_found_and_multiplied_like_others() {
        for directions in [3, 17, 40, 96] {
            // This operator has enough coefficients that its voxels are divided into several ranges for CPU
            // tasks.
            let double = with_own_unknowns::<f64>(4000, directions);
            let single = with_own_unknowns::<f32>(4000, directions);
            assert_eq!(double.arrays.own.first, 50);
            assert!(double.arrays.pieces.len() > 2);
            let w: Vec<f64> = (0..double.columns()).map(|n| (n as f64 * 0.3).cos()).collect();
            let y: Vec<f64> = (0..double.rows()).map(|n| (n as f64 * 1.3).cos()).collect();
            let (data, unknowns) = plainly(&double, &w, &y);
            let (mut image, mut adjoint) = (vec![f64::NAN; y.len()], vec![f64::NAN; w.len()]);
            double.forward(&w, &mut image);
            double.adjoint(&y, &mut adjoint);
            // The tolerances are those that the preceding tests use for single and double precision.
            assert!(checks::relative_difference(&image, &data) <= 1e-12);
            assert!(checks::relative_difference(&adjoint, &unknowns) <= 1e-12);
            checks::all(&single, 1e-5);
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = vec![f64::NAN; w.len()];
                pool.install(|| double.adjoint(&y, &mut out));
                out
            };
            assert_eq!(on(1), on(3));
        }
        // If voxels share most unknowns, no unknown is treated as one that belongs to a single voxel.
        let shared = operator::<f64>(400, 900, 60, 12);
        assert_eq!(shared.arrays.own.first, 900);
    }

    #[test]
    fn voxels_without_coefficients_and_operators_without_voxels_give_zeros() {
        let d = dictionary(2, 5);
        for starts in [vec![0], vec![0, 0, 0]] {
            let m = SparseTucker::<f32>::new(&d, 4, &starts, &[], vec![], vec![]).unwrap();
            let (mut y, mut x) = (vec![f32::NAN; m.rows()], vec![f32::NAN; 4]);
            m.forward(&[1.0; 4], &mut y);
            m.adjoint(&vec![1.0; m.rows()], &mut x);
            assert!(y.iter().all(|v| *v == 0.0) && x == [0.0; 4]);
        }
    }

    #[test]
    fn nan_unknowns_affect_only_their_voxels() {
        let m = operator::<f32>(3000, 700, 90, 33);
        let mut w = vec![1f32; 700];
        w[123] = f32::NAN;
        let mut y = vec![0.0; m.rows()];
        m.forward(&w, &mut y);
        let mut hit = vec![false; 3000];
        let (starts, _, members, _) = coefficients(3000, 700, 90, 9);
        for voxel in 0..3000 {
            hit[voxel] = members[starts[voxel]..starts[voxel + 1]].contains(&123);
        }
        assert!(hit.contains(&true));
        for (block, hit) in y.chunks_exact(33).zip(hit) {
            assert_eq!(block.iter().any(|v| v.is_nan()), hit);
        }
    }

    #[test]
    fn products_do_not_depend_on_the_number_of_threads() {
        let m = operator::<f32>(5000, 700, 90, 33);
        let w: Vec<f32> = (0..700).map(|n| (n as f32).sin()).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut y, mut g) = (vec![0.0; m.rows()], vec![0.0; 700]);
                m.forward(&w, &mut y);
                m.adjoint(&y, &mut g);
                (y, g)
            })
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(5));
    }

    #[test]
    fn coefficients_with_wrong_shapes_are_rejected() {
        let d = dictionary(3, 4);
        let new = |starts: &[usize], atoms: &[u16], members: Vec<u32>| {
            let values = vec![1f32; members.len()];
            SparseTucker::new(&d, 5, starts, atoms, members, values).is_err()
        };
        assert!(!new(&[0, 1, 2], &[2, 0], vec![4, 0]));
        assert!(new(&[0, 1, 2], &[3, 0], vec![4, 0]), "atom beyond the dictionary");
        assert!(new(&[0, 1, 2], &[2, 0], vec![5, 0]), "column beyond the unknowns");
        assert!(new(&[0, 2], &[2, 0], vec![4, 0]), "atoms not sorted");
        assert!(new(&[0, 1], &[2, 0], vec![4, 0]), "coefficients left over");
        assert!(new(&[0, 2, 1, 2], &[0, 2], vec![4, 0]), "voxels not in order");
        assert!(new(&[0, 9, 2], &[0, 2], vec![4, 0]), "a voxel beyond the coefficients");
    }
}
