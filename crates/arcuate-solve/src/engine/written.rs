//! Writes passes as GPU kernels.
//!
//! The sums of a pass have the order of the compiled kernels (`reduction.cuh`). Each thread adds its terms.
//! The sums of the threads of a warp are added in pairs, and then the warps of a block one after the other. A
//! kernel writes one partial sum per block, and the kernel `solver_total` adds up the blocks.

use super::pass::Pass;
use super::vectors::Vector;
use crate::Real;
use crate::gpus::THREADS;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Pointer, Space, Value, Writer};
use arcuate_core::narrow;

/// Number of threads of a warp.
const WARP: u32 = 32;

/// Returns the shared memory of a block in bytes that the sums of a pass need.
pub(super) fn shared_bytes(sums: usize) -> u32 {
    8 * (THREADS / WARP) * narrow::<u32>(sums)
}

/// The source of the elements that a pass reads.
enum Source<'w> {
    Memory(Pointer<'w>),
    /// A product with Aᵀ. The pointers are its fixed-point sums on this GPU, those of the other GPUs, their
    /// scale, and flags. If the flag of an unknown is not 0, its product is set to 0.
    Product(Pointer<'w>, Option<Pointer<'w>>, Pointer<'w>, Option<Pointer<'w>>),
    Zero,
}

impl<'w> Source<'w> {
    fn new(w: &'w Writer, vector: Vector, [others, fixed]: [bool; 2]) -> Self {
        let pointer = || w.pointer(Space::Read);
        match vector {
            Vector::Zero => Self::Zero,
            Vector::Product => {
                let sums = w.pointer(Space::Global);
                Self::Product(sums, others.then(pointer), pointer(), fixed.then(pointer))
            }
            Vector::Unknowns(_) | Vector::Data(_) | Vector::Given => Self::Memory(pointer()),
        }
    }

    /// Loads an element in double precision. A fixed-point sum is set to 0 after it was read.
    fn load(&self, w: &'w Writer, kind: Kind, at: Value<'w>) -> Value<'w> {
        let zero = w.constant(Kind::F64, 0.0);
        match self {
            Self::Zero => zero,
            Self::Memory(values) => values.element(at, kind).load(kind).to(Kind::F64),
            Self::Product(sums, others, scale, fixed) => {
                let place = sums.element(at, Kind::U64);
                let own = place.load(Kind::U64);
                let sum = others.map_or(own, |others| own + others.element(at, Kind::U64).load(Kind::U64));
                place.store(w.bits(0));
                let product = sum.signed_to(Kind::F64) * scale.offset(8).load(Kind::F64);
                let Some(fixed) = fixed else { return product };
                let flag = fixed.further(at, 1).load_byte();
                flag.differs(flag.all(0.0)).choose(zero, product)
            }
        }
    }
}

/// Writes a pass as a kernel for the precision of `T`. `read` are the vectors that the pass reads. The flags
/// are true if the sums of other GPUs are added to a product, and if unknowns are fixed at 0.
///
/// The parameters of the kernel are the number of blocks, the number of elements, the scalars and the changed
/// vectors. The pointers of each [`Source`] and, if there are sums, the partial sums follow.
pub(super) fn write<P, T: Real, const W: usize, const R: usize, const K: usize, const S: usize>(
    _: P,
    read: [Vector; R],
    flags: [bool; 2],
) -> WrittenKernel
where
    P: Pass<W, R, K, S>,
{
    let writer = Writer::new(&format!("{}_{}", P::NAME, <T as Real>::NAME));
    write_body::<P, T, W, R, K, S>(&writer, read, flags);
    writer.finish(THREADS, 1)
}

/// Writes a pass as kernels: one that reads only vectors, and one whose first vector is a product with Aᵀ.
pub(crate) fn variants<P, T: Real, const W: usize, const R: usize, const K: usize, const S: usize>(
    pass: P,
) -> [WrittenKernel; 2]
where
    P: Pass<W, R, K, S>,
{
    let vectors = [Vector::Unknowns(0); R];
    let mut with_product = vectors;
    with_product[0] = Vector::Product;
    [vectors, with_product].map(|read| write::<P, T, W, R, K, S>(pass, read, [true; 2]))
}

fn write_body<'w, P, T: Real, const W: usize, const R: usize, const K: usize, const S: usize>(
    w: &'w Writer,
    read: [Vector; R],
    flags: [bool; 2],
) where
    P: Pass<W, R, K, S>,
{
    let kind = if size_of::<T>() == 8 { Kind::F64 } else { Kind::F32 };
    let (blocks, count) = (w.parameter(Kind::U32), w.parameter(Kind::U64));
    let scalars = std::array::from_fn(|_| w.parameter(Kind::F64));
    let changed: [Pointer<'_>; W] = std::array::from_fn(|_| w.pointer(Space::Global));
    let sources = read.map(|vector| Source::new(w, vector, flags));
    let sums = w.variables(S + usize::from(P::LARGEST), w.constant(Kind::F64, 0.0));
    let threads = w.constant(Kind::U32, f64::from(THREADS));
    let first = (w.block() * threads + w.thread()).to(Kind::U64);
    w.count_from(first, count, (blocks * threads).to(Kind::U64), |at| {
        let places = changed.map(|values| values.element(at, kind));
        let round = |value: Value<'w>| value.to(kind).to(Kind::F64);
        let before = places.map(|place| place.load(kind).to(Kind::F64));
        let read = sources.each_ref().map(|source| source.load(w, kind, at));
        let (new, terms) = P::element(round, scalars, before, read);
        for (place, new) in places.into_iter().zip(new) {
            place.store(new.to(kind));
        }
        for (sum, [a, b]) in sums.iter().zip(terms) {
            sum.add_product(a, b);
        }
        if let (true, Some(last), Some(new)) = (P::LARGEST, sums.last(), new.last()) {
            last.set(larger(round(*new).size(), last.now()));
        }
    });
    if !sums.is_empty() {
        let partials = w.pointer(Space::Global);
        let values: Vec<Value<'_>> = sums.iter().map(|sum| sum.now()).collect();
        reduce(w, &values, P::LARGEST, (blocks, partials));
    }
}

/// Reduces each value over the threads of the block, and writes the results. The last value is a maximum if
/// `largest` is true, and the others are sums.
fn reduce<'w>(
    w: &'w Writer,
    values: &[Value<'w>],
    largest: bool,
    (blocks, partials): (Value<'w>, Pointer<'w>),
) {
    let thread = w.thread();
    let (warp, lane) = (thread >> 5, thread & thread.all(f64::from(WARP - 1)));
    let shared = w.shared();
    let join = |n: usize, a: Value<'w>, b: Value<'w>| {
        if largest && n + 1 == values.len() { larger(a, b) } else { a + b }
    };
    let place = |n: usize| shared.offset(shared_bytes(n));
    for (n, &value) in values.iter().enumerate() {
        let all = [16, 8, 4, 2, 1].iter().fold(value, |all, &distance| join(n, all, across(all, distance)));
        w.when(lane.equals(lane.all(0.0)), || place(n).element(warp, Kind::F64).store(all));
    }
    w.wait_for_block();
    for n in 0..values.len() {
        w.when(thread.equals(thread.all(n as f64)), || {
            let of_warp = |warp: u32| place(n).offset(8 * warp).load(Kind::F64);
            let all = (1..THREADS / WARP).fold(of_warp(0), |all, warp| join(n, all, of_warp(warp)));
            let at = blocks * blocks.all(n as f64) + w.block();
            partials.element(at, Kind::F64).store(all);
        });
    }
}

/// Returns the larger of two numbers, or NaN if `a` is NaN.
fn larger<'w>(a: Value<'w>, b: Value<'w>) -> Value<'w> {
    (a.above(b) | a.differs(a)).choose(a, b)
}

/// Returns the number in double precision that another lane of the warp has.
fn across(value: Value<'_>, distance: u32) -> Value<'_> {
    let bits = value.as_bits(Kind::U64);
    let [low, high] =
        [bits, bits >> 32].map(|half| half.to(Kind::U32).from_lane_across(distance).to(Kind::U64));
    ((high << 32) | low).as_bits(Kind::F64)
}
