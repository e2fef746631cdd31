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

/// A [`Pass`] for the writer of kernels. The numbers of vectors, scalars and sums are not part of its type, so that
/// the writer is compiled once for all passes.
pub(super) struct WrittenPass {
    pub(super) name: &'static str,
    /// True if the largest magnitude of the last changed vector is also needed.
    pub(super) largest: bool,
    pub(super) sums: usize,
    scalars: usize,
    changed: usize,
    element: Element,
}

/// Calls [`Pass::element`]. The arguments are the precision of the vectors, the scalars, the changed elements and
/// the elements that are read.
type Element = for<'w> fn(Kind, &[Value<'w>], &[Value<'w>], &[Value<'w>]) -> Elements<'w>;

/// The new elements, and the two factors of each term of the sums.
type Elements<'w> = (Vec<Value<'w>>, Vec<[Value<'w>; 2]>);

impl WrittenPass {
    pub(super) fn of<P, const W: usize, const R: usize, const K: usize, const S: usize>(_: P) -> Self
    where
        P: Pass<W, R, K, S>,
    {
        let (name, largest, element) = (P::NAME, P::LARGEST, element::<P, W, R, K, S>);
        Self { name, largest, sums: S, scalars: K, changed: W, element }
    }

    /// Returns the number of sums, with the largest magnitude.
    pub(super) fn kinds(&self) -> usize {
        self.sums + usize::from(self.largest)
    }

    /// Writes the pass as a kernel for vectors of precision `T`. `read` are the vectors that the pass reads. The
    /// flags are true if the sums of other GPUs are added to a product, and if unknowns are fixed at 0.
    ///
    /// The parameters of the kernel are the number of blocks, the number of elements, the scalars and the changed
    /// vectors. The pointers of each [`Source`] and, if there are sums, the partial sums follow.
    pub(super) fn write<T: Real>(&self, read: &[Vector], flags: [bool; 2]) -> WrittenKernel {
        let writer = Writer::new(&format!("{}_{}", self.name, <T as Real>::NAME));
        self.write_body(&writer, if size_of::<T>() == 8 { Kind::F64 } else { Kind::F32 }, read, flags);
        writer.finish(THREADS, 1)
    }

    fn write_body<'w>(&self, w: &'w Writer, kind: Kind, read: &[Vector], flags: [bool; 2]) {
        let (blocks, count) = (w.parameter(Kind::U32), w.parameter(Kind::U64));
        let scalars: Vec<Value<'w>> = (0..self.scalars).map(|_| w.parameter(Kind::F64)).collect();
        let changed: Vec<Pointer<'w>> = (0..self.changed).map(|_| w.pointer(Space::Global)).collect();
        let sources: Vec<Source<'w>> = read.iter().map(|vector| Source::new(w, *vector, flags)).collect();
        let sums = w.variables(self.kinds(), w.constant(Kind::F64, 0.0));
        let threads = w.constant(Kind::U32, f64::from(THREADS));
        let first = (w.block() * threads + w.thread()).to(Kind::U64);
        w.count_from(first, count, (blocks * threads).to(Kind::U64), |at| {
            let places: Vec<Pointer<'w>> = changed.iter().map(|values| values.element(at, kind)).collect();
            let before: Vec<Value<'w>> = places.iter().map(|place| place.load(kind).to(Kind::F64)).collect();
            let read: Vec<Value<'w>> = sources.iter().map(|source| source.load(w, kind, at)).collect();
            let (new, terms) = (self.element)(kind, &scalars, &before, &read);
            for (place, new) in places.iter().zip(&new) {
                place.store(new.to(kind));
            }
            for (sum, [a, b]) in sums.iter().zip(terms) {
                sum.add_product(a, b);
            }
            if let (true, Some(last), Some(new)) = (self.largest, sums.last(), new.last()) {
                last.set(larger(rounded(*new, kind).size(), last.now()));
            }
        });
        if !sums.is_empty() {
            let partials = w.pointer(Space::Global);
            let values: Vec<Value<'_>> = sums.iter().map(|sum| sum.now()).collect();
            reduce(w, &values, self.largest, (blocks, partials));
        }
    }
}

fn element<'w, P, const W: usize, const R: usize, const K: usize, const S: usize>(
    kind: Kind,
    scalars: &[Value<'w>],
    changed: &[Value<'w>],
    read: &[Value<'w>],
) -> Elements<'w>
where
    P: Pass<W, R, K, S>,
{
    let (new, terms) = P::element(|value| rounded(value, kind), array(scalars), array(changed), array(read));
    (new.to_vec(), terms.to_vec())
}

#[expect(clippy::expect_used, reason = "the writer makes as many values as the pass has")]
fn array<'w, const N: usize>(values: &[Value<'w>]) -> [Value<'w>; N] {
    values.try_into().expect("the values of a pass")
}

/// Rounds a number to the precision of the vectors.
fn rounded(value: Value<'_>, kind: Kind) -> Value<'_> {
    value.to(kind).to(Kind::F64)
}

/// Writes a pass as kernels: one that reads only vectors, and one whose first vector is a product with Aᵀ.
pub(crate) fn variants<P, T: Real, const W: usize, const R: usize, const K: usize, const S: usize>(
    pass: P,
) -> [WrittenKernel; 2]
where
    P: Pass<W, R, K, S>,
{
    let pass = WrittenPass::of(pass);
    let vectors = [Vector::Unknowns(0); R];
    let mut with_product = vectors;
    with_product[0] = Vector::Product;
    [pass.write::<T>(&vectors, [true; 2]), pass.write::<T>(&with_product, [true; 2])]
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
