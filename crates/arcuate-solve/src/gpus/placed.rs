//! Placement of operators on GPUs, and fallbacks after a GPU failure.

use super::operator::{Bounds, Products, SplitOperator};
use super::products::{adjoint_on_gpus, forward_on_gpus};
use crate::{LinearOperator, Real};
use arcuate_compute::cuda::{Buffer, Gpu, Gpus, Registered, Stream, on_each};
use arcuate_compute::{Device, fall_back, show_bytes, with_fallback};
use arcuate_core::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// The part of an operator on one GPU: some of its rows, and all data for their products. A new GPU operator
/// implements this trait and its kernels, and has a [`Placed`] in addition to the arrays on the CPU.
/// Splitting, solvers, streaming on several GPUs and fallbacks are then available.
pub trait Part: Send + Sync + Sized {
    /// The precision of its products.
    type Real: Real;
    /// The operator on the CPU.
    type Operator: LinearOperator<Self::Real> + Send;
    /// Options of the placement.
    type Options: Copy + Send + Sync;

    /// The beginning of warnings.
    fn name(operator: &Self::Operator) -> &str;

    /// Splits the operator between GPUs, in indivisible units, with about the same work for each.
    fn split(operator: &Self::Operator, gpus: usize) -> Vec<Range<usize>>;

    /// Puts the given `range` of the split on a GPU, one of `gpus`: all of it if memory suffices; otherwise
    /// as much as fits, and the rest is streamed. Memory for a solver's vectors
    /// ([`solver_bytes`](super::solver_bytes)) is left free.
    ///
    /// Returns [`ErrorKind::DeviceTooSmall`] if the smallest pieces do not fit, and [`ErrorKind::Device`] if
    /// the problem is too large for the kernels.
    fn place(
        operator: &Self::Operator,
        gpu: &Gpu,
        gpus: usize,
        range: Range<usize>,
        options: Self::Options,
    ) -> Result<Self>;

    /// The rows of the operator that it computes.
    fn rows(&self, operator: &Self::Operator) -> Range<usize>;

    /// Number of pairs that [`Products::norms`] takes.
    fn norms(&self, operator: &Self::Operator) -> usize;

    /// See [`SplitOperator::products`].
    fn products(
        &self,
        operator: &Self::Operator,
        stream: &Stream,
        what: Products<'_, Self::Real>,
    ) -> Result<()>;

    /// Upper bounds of its products; called once, when the operator is placed.
    fn bounds(operator: &Self::Operator) -> Bounds;

    /// See [`SplitOperator::raw_sums`].
    fn raw_sums(operator: &Self::Operator) -> Option<usize> {
        let _ = operator;
        None
    }

    /// See [`SplitOperator::expand`].
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

    /// The arrays of the operator, or of this part, from which its products are streamed; empty if everything
    /// is in GPU memory.
    fn streamed_from<'a>(&'a self, operator: &'a Self::Operator) -> Vec<&'a [u8]>;

    /// Describes what computes its products: kernels, and the number of chunks if they are streamed.
    fn describe(&self) -> String;
}

/// The GPUs of an operator, in addition to the CPU. It shares ownership of the operator, so that arrays that
/// GPUs stream from are not moved while they are page-locked.
pub struct Placed<P: Part> {
    state: RwLock<State<P>>,
}

enum State<P: Part> {
    /// CPU only.
    Processor,
    Gpus(Arc<OnGpus<P>>),
    /// The GPUs failed; describes what they were used for.
    GivenUp(String),
}

/// An operator on GPUs.
struct OnGpus<P: Part> {
    gpus: Gpus,
    bounds: Bounds,
    /// Page-locked arrays that parts stream from. Fields are dropped in order: this one before the parts and
    /// the operator, which own the arrays.
    _registered: Vec<Registered>,
    parts: Vec<P>,
    is_streamed: bool,
    options: P::Options,
    /// Memory was exhausted once; there is no smaller piece for the next time.
    is_smaller: bool,
    operator: Arc<P::Operator>,
}

impl<P: Part> Default for Placed<P> {
    /// CPU only.
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
    /// Puts `operator` on a device. If the GPU has too little memory or fails, it stays on the CPU, with one
    /// warning ([`with_fallback`]).
    ///
    /// Returns an error if the cause is not the device, or if fallbacks are forbidden.
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

    /// The operator for solvers, if it is on GPUs.
    pub fn on_gpus(&self) -> Option<Box<dyn SplitOperator<P::Real> + '_>> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Gpus(on_gpus) => Some(Box::new(Bound { placed: self, on_gpus: Arc::clone(on_gpus) })),
            State::Processor | State::GivenUp(_) => None,
        }
    }

    /// Computes `data` = A `unknowns` on GPUs, both on the host. Returns `false` if the CPU has to do it.
    pub fn forward(&self, unknowns: &[P::Real], data: &mut [P::Real]) -> bool {
        on_gpus_while_they_work(|| self.on_gpus(), |on_gpus| forward_on_gpus(on_gpus, unknowns, data))
            .is_some()
    }

    /// Computes `unknowns` = Aᵀ `data` on GPUs, both on the host. Returns `false` if the CPU has to do it.
    pub fn adjoint(&self, data: &[P::Real], unknowns: &mut [P::Real]) -> bool {
        on_gpus_while_they_work(|| self.on_gpus(), |on_gpus| adjoint_on_gpus(on_gpus, data, unknowns))
            .is_some()
    }

    /// [`SplitOperator::retreat`] of `failed`, which the caller no longer uses.
    fn retreat(&self, failed: Arc<OnGpus<P>>, error: &Error) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may already have changed the state.
        if !matches!(&*state, State::Gpus(now) if Arc::ptr_eq(now, &failed)) {
            return;
        }
        let (gpus, options, before) = (failed.gpus.clone(), failed.options, failed.describe());
        let operator = Arc::clone(&failed.operator);
        let smaller = error.kind() == ErrorKind::DeviceMemory && !failed.is_smaller;
        // Frees the GPU memory first.
        *state = State::Processor;
        drop(failed);
        if smaller {
            let half = gpus.budget().map_or(0, |budget| budget / 2);
            let memory = show_bytes(half);
            fall_back(error, &format!("repeating it in smaller pieces, with {memory}"));
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
            fall_back(error, "using the CPU from now on");
        }
        *state = State::GivenUp(before);
    }
}

/// Runs `work` on the GPUs of an operator (`find`), again in smaller pieces if memory is exhausted. `None` if
/// the operator is not on GPUs, or no longer after one warning.
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
            // SAFETY: the arrays are borrowed from the shared operator or from a part. This struct owns a
            // reference to the operator and the parts, and drops both after the registered arrays. Nothing
            // changes or moves the arrays: the operator is in an `Arc`, and the parts stay in their vector,
            // whose memory does not move with this struct.
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

/// An operator on GPUs, and the [`Placed`] that handles its fallbacks.
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

/// Splits bricks, in order, into `parts` ranges of about the same cost, one per GPU. `cost_before(n)` is the
/// cost of the bricks before brick n, n = 0 ..= `bricks`, and increases.
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
        // Half of 70 is reached at the fourth brick.
        assert_eq!(split(2), [0..4, 4..6]);
        let many = split(9);
        assert_eq!((many[0].start, many[8].end, many.len()), (0, 6, 9));
        assert!(many.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
}
