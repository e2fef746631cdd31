//! Puts linear operators on GPUs. If a GPU fails, the CPU computes the products instead.

use super::operator::{Bounds, Products, SplitOperator};
use super::products::{adjoint_on_gpus, forward_on_gpus};
use crate::{LinearOperator, Real};
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Registered, Stream, on_each};
use arcuate_compute::{Device, fall_back, show_bytes, with_fallback};
use arcuate_core::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// The part of a linear operator on one GPU: some of its rows, and all arrays that their products need. To be
/// available on GPUs, an operator implements this trait and its kernels, and has a [`Placed`] in addition to
/// the arrays on the CPU. It can then be split between several GPUs, be streamed, be used by solvers, and be
/// replaced by the CPU.
///
/// Neither the part nor its operator may borrow data (`'static`). Their arrays may be page-locked, and a
/// borrowed array could be freed before it is unlocked.
pub trait Part: Send + Sync + Sized + 'static {
    /// The floating-point type of the products.
    type Real: Real;
    /// The type of the operator on the CPU.
    type Operator: LinearOperator<Self::Real> + Send + 'static;
    /// The type of the options of the placement.
    type Options: Copy + Send + Sync;

    /// The beginning of warnings about the operator.
    fn name(operator: &Self::Operator) -> &str;

    /// Splits the operator between GPUs, so that each GPU has about the same work. The operator consists of
    /// units that cannot be divided, and each GPU gets a range of these units.
    fn split(operator: &Self::Operator, gpus: usize) -> Vec<Range<usize>>;

    /// Puts the units in `range` on a GPU, which is one of `gpus` GPUs. If memory suffices, all units are
    /// kept there. If not, some units are kept there, and the others are copied to the GPU during each
    /// product. Enough memory for the vectors of a solver ([`solver_bytes`](super::solver_bytes)) is left
    /// free.
    ///
    /// Returns [`ErrorKind::DeviceTooSmall`] if GPU memory does not suffice even for the smallest pieces of
    /// the operator. Returns [`ErrorKind::Device`] if the problem is too large for the kernels.
    fn place(
        operator: &Self::Operator,
        gpu: &Gpu,
        gpus: usize,
        range: Range<usize>,
        options: Self::Options,
    ) -> Result<Self>;

    /// Returns the range of the operator's rows that this GPU computes.
    fn rows(&self, operator: &Self::Operator) -> Range<usize>;

    /// Returns the number of pairs of squared norms that a product on this GPU writes to [`Products::norms`].
    fn norms(&self, operator: &Self::Operator) -> usize;

    /// Queues products, as described at [`SplitOperator::products`].
    fn products(
        &self,
        operator: &Self::Operator,
        stream: &Stream,
        what: Products<'_, Self::Real>,
    ) -> Result<()>;

    /// Returns upper bounds of the operator's products. Called once, when the operator is placed.
    fn bounds(operator: &Self::Operator) -> Bounds;

    /// Returns the number of raw sums of a product Aᵀ y, as described at [`SplitOperator::raw_sums`].
    fn raw_sums(operator: &Self::Operator) -> Option<usize> {
        let _ = operator;
        None
    }

    /// Queues the conversion of raw sums to the sums of the unknowns, as described at
    /// [`SplitOperator::expand`].
    fn expand(
        &self,
        operator: &Self::Operator,
        stream: &Stream,
        raw: &Buffer<u64>,
        sums: &mut Buffer<u64>,
    ) -> Result<()> {
        let _ = operator;
        Ok(sums.view_mut().copy_from_device(stream, raw.view())?)
    }

    /// Returns the arrays in CPU memory from which data are copied to the GPU during each product. The list
    /// is empty if everything is in GPU memory.
    fn streamed_from<'a>(&'a self, operator: &'a Self::Operator) -> Vec<&'a [u8]>;

    /// Returns a text that describes what computes the products on this GPU. The text has the names of the
    /// kernels and, if data are copied to the GPU during each product, the number of chunks.
    fn describe(&self) -> String;
}

/// The place of a linear operator: on GPUs in addition to the CPU, or on the CPU only. This struct shares
/// ownership of the operator. The arrays from which data are copied to GPUs are therefore not moved while
/// they are page-locked.
pub struct Placed<P: Part> {
    state: RwLock<State<P>>,
}

enum State<P: Part> {
    /// The operator is on the CPU only.
    Processor,
    Gpus(Arc<OnGpus<P>>),
    /// The GPUs failed. The text states what they were used for.
    GivenUp(String),
}

/// An operator that is on GPUs.
struct OnGpus<P: Part> {
    gpus: Gpus,
    bounds: Bounds,
    /// Page-locked arrays from which data are copied to GPUs during each product. Fields are dropped in
    /// order. This field must precede the fields that own the arrays: the parts on the GPUs, and the
    /// operator.
    _registered: Vec<Registered>,
    parts: Vec<P>,
    is_streamed: bool,
    options: P::Options,
    /// True if GPU memory was exhausted once. The pieces cannot become smaller another time.
    is_smaller: bool,
    operator: Arc<P::Operator>,
}

impl<P: Part> Default for Placed<P> {
    /// Creates the place of an operator that is on the CPU only.
    fn default() -> Self {
        Self { state: RwLock::new(State::Processor) }
    }
}

impl<P: Part> std::fmt::Debug for Placed<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Placed({})", self.describe())
    }
}

impl<P: Part> Placed<P> {
    /// Puts `operator` on a device. If a GPU has too little memory or fails, the operator stays on the CPU,
    /// and one warning is logged ([`with_fallback`]).
    ///
    /// Returns an error if the cause of the failure is not the device, or if computing on the CPU instead of
    /// a GPU is forbidden.
    pub fn place(operator: &Arc<P::Operator>, device: &Device, options: P::Options) -> Result<Self> {
        let state = with_fallback(P::name(operator), device, |device| match device {
            Device::Cpu => Ok(State::Processor),
            Device::Cuda(gpus) => Ok(State::Gpus(Arc::new(OnGpus::place(operator, gpus, options, false)?))),
        })?;
        Ok(Self { state: RwLock::new(state) })
    }

    /// Describes what computes the products: `the CPU`, or the names of kernels.
    pub fn describe(&self) -> String {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Processor => "the CPU".to_owned(),
            State::Gpus(on_gpus) => on_gpus.describe(),
            State::GivenUp(before) => format!("{before}, then the CPU"),
        }
    }

    /// Returns the operator on GPUs, for solvers. Returns `None` if it is on the CPU only.
    pub fn on_gpus(&self) -> Option<Box<dyn SplitOperator<P::Real> + '_>> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Gpus(on_gpus) => Some(Box::new(Bound { placed: self, on_gpus: Arc::clone(on_gpus) })),
            State::Processor | State::GivenUp(_) => None,
        }
    }

    /// Computes `data` = A `unknowns` on GPUs, with both vectors in CPU memory. Returns `false` if the CPU
    /// must compute the product.
    pub fn forward(&self, unknowns: &[P::Real], data: &mut [P::Real]) -> bool {
        on_gpus_while_they_work(|| self.on_gpus(), |on_gpus| forward_on_gpus(on_gpus, unknowns, data))
            .is_some()
    }

    /// Computes `unknowns` = Aᵀ `data` on GPUs, with both vectors in CPU memory. Returns `false` if the CPU
    /// must compute the product.
    pub fn adjoint(&self, data: &[P::Real], unknowns: &mut [P::Real]) -> bool {
        on_gpus_while_they_work(|| self.on_gpus(), |on_gpus| adjoint_on_gpus(on_gpus, data, unknowns))
            .is_some()
    }

    /// Implements [`SplitOperator::retreat`] for the operator `failed`. The caller must not use this operator
    /// any more.
    fn retreat(&self, failed: Arc<OnGpus<P>>, error: &Error) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may already have moved the operator off the GPUs.
        if !matches!(&*state, State::Gpus(now) if Arc::ptr_eq(now, &failed)) {
            return;
        }
        let (gpus, options, before) = (failed.gpus.clone(), failed.options, failed.describe());
        let operator = Arc::clone(&failed.operator);
        let smaller = error.kind() == ErrorKind::DeviceMemory && !failed.is_smaller;
        // The GPU memory is freed before the operator is put on the GPUs again.
        *state = State::Processor;
        drop(failed);
        if smaller {
            let half = gpus.budget().map_or(0, |budget| budget / 2);
            let memory = show_bytes(half);
            fall_back(error, &format!("this step is repeated in smaller pieces, with {memory}"));
            let held = gpus.iter().map(Gpu::allocated_bytes).max().unwrap_or(0);
            let capped = gpus.with_memory_cap(Some(held.saturating_add(half)));
            match OnGpus::place(&operator, &capped, options, true) {
                Ok(placed) => {
                    *state = State::Gpus(Arc::new(placed));
                    return;
                }
                Err(error) => fall_back(&error, "using the CPU instead"),
            }
        } else {
            fall_back(error, "using the CPU for the rest of the run");
        }
        *state = State::GivenUp(before);
    }
}

/// Runs `work` on the GPUs of the operator that `find` returns. If GPU memory is exhausted, the operator is
/// put on the GPUs in smaller pieces, and `work` runs again. Returns `None` if the operator is not on GPUs,
/// or if the GPUs failed (after one warning).
pub(crate) fn on_gpus_while_they_work<'a, T: Real, R>(
    find: impl Fn() -> Option<Box<dyn SplitOperator<T> + 'a>>,
    mut work: impl FnMut(&dyn SplitOperator<T>) -> Result<R>,
) -> Option<R> {
    while let Some(on_gpus) = find() {
        match work(&*on_gpus) {
            Ok(done) => return Some(done),
            Err(error) => on_gpus.retreat(&error),
        }
    }
    None
}

impl<P: Part> OnGpus<P> {
    fn place(
        operator: &Arc<P::Operator>,
        gpus: &Gpus,
        options: P::Options,
        is_smaller: bool,
    ) -> Result<Self> {
        let shared = Arc::clone(operator);
        let operator: &P::Operator = operator;
        let ranges = P::split(operator, gpus.len());
        let bounds = P::bounds(operator);
        let parts = on_each(gpus.iter().zip(ranges), |_, (gpu, range)| {
            P::place(operator, gpu, gpus.len(), range, options)
        })?;
        let mut arrays: Vec<&[u8]> = parts.iter().flat_map(|part| part.streamed_from(operator)).collect();
        arrays.sort_unstable_by_key(|array| array.as_ptr());
        arrays.dedup_by_key(|array| array.as_ptr());
        let is_streamed = !arrays.is_empty();
        #[allow(unsafe_code, reason = "this struct keeps what is page-locked alive")]
        let register = |array: &&[u8]| {
            // SAFETY: the page-locked arrays are borrowed from the shared operator or from a part, and these
            // two own all their data (`'static`). This struct owns a reference to the operator, and the
            // operator's parts on the GPUs. It drops both after it has unlocked the arrays. The arrays are
            // never changed or moved: the operator is in an `Arc`, and the parts stay in their vector, whose
            // memory does not move with this struct.
            let registered = unsafe { gpus.first().register(array) };
            registered
                .inspect_err(|error| tracing::debug!("{error}; copies go by way of the driver's own memory"))
                .ok()
        };
        let registered = arrays.iter().filter_map(register).collect();
        Ok(Self {
            gpus: gpus.clone(),
            bounds,
            _registered: registered,
            parts,
            is_streamed,
            options,
            is_smaller,
            operator: shared,
        })
    }

    fn describe(&self) -> String {
        self.parts.iter().map(Part::describe).collect::<Vec<_>>().join(", ")
    }
}

/// An operator on GPUs, together with the [`Placed`] that replaces GPUs by the CPU if they fail.
struct Bound<'a, P: Part> {
    placed: &'a Placed<P>,
    on_gpus: Arc<OnGpus<P>>,
}

impl<P: Part> Bound<'_, P> {
    fn operator(&self) -> &P::Operator {
        &self.on_gpus.operator
    }
}

impl<P: Part> SplitOperator<P::Real> for Bound<'_, P> {
    fn gpus(&self) -> &Gpus {
        &self.on_gpus.gpus
    }

    fn rows_on(&self, n: usize) -> Range<usize> {
        self.on_gpus.parts[n].rows(self.operator())
    }

    fn bounds(&self) -> Bounds {
        self.on_gpus.bounds
    }

    fn raw_sums(&self) -> Option<usize> {
        P::raw_sums(self.operator())
    }

    fn expand(&self, n: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        self.on_gpus.parts[n].expand(self.operator(), stream, raw, sums)
    }

    fn norms_on(&self, n: usize) -> usize {
        self.on_gpus.parts[n].norms(self.operator())
    }

    fn is_streamed(&self) -> bool {
        self.on_gpus.is_streamed
    }

    fn retreat(self: Box<Self>, error: &Error) {
        let Self { placed, on_gpus } = *self;
        placed.retreat(on_gpus, error);
    }

    fn products(&self, n: usize, stream: &Stream, what: Products<'_, P::Real>) -> Result<()> {
        self.on_gpus.parts[n].products(self.operator(), stream, what)
    }
}

/// Divides the bricks of an operator (units that cannot be divided) into `parts` ranges of about the same
/// cost, one per GPU. `cost_before(n)` is the cost of all bricks before brick n, for n from 0 to `bricks`. It
/// must increase with n.
pub fn split_bricks(
    bricks: usize,
    parts: usize,
    cost_before: impl Fn(usize) -> usize,
) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    (1..=parts).map(move |part| {
        let target = cost_before(bricks) * part / parts;
        let mut end = begin;
        while end < bricks && (part == parts || cost_before(end) < target) {
            end += 1;
        }
        let range = begin..end;
        begin = end;
        range
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bricks_are_split_in_order_at_about_equal_cost() {
        let costs = [0, 10, 10, 30, 60, 61, 70];
        let split = |parts| split_bricks(6, parts, |n| costs[n]).collect::<Vec<_>>();
        assert_eq!(split(1), std::iter::once(0..6).collect::<Vec<_>>());
        // The total cost is 70, and half of it is reached at the fourth brick.
        assert_eq!(split(2), [0..4, 4..6]);
        let many = split(9);
        assert_eq!((many[0].start, many[8].end, many.len()), (0, 6, 9));
        assert!(many.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
}
