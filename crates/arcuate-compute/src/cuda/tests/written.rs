//! Tests that kernels written at run time give the same bits as the CPU.

use super::gpu;
use crate::cuda::writer::{Kind, Space, Value, Writer, random_block};
use crate::cuda::{Argument, Gpu, Grid, Input, Output, Plain, WrittenKernel};
use crate::{Purpose, Random};
use arcuate_numbers::elementary::transcendental::{
    angle, arc_cosine, arc_tangent, bessel_i0e, bessel_i1e, cosine, dawson, erf, sine,
};
use arcuate_numbers::elementary::{double, single};
use arcuate_numbers::{Lanes, Operations, Real};

const THREADS: u32 = 64;
/// The name of the kernels that these tests write. The emulated GPU knows this name.
const NAME: &str = "emulation_written";

/// Writes a kernel that computes several results for each number and stores the results of a number
/// consecutively.
fn of_each(kind: Kind, make: impl for<'w> Fn(Value<'w>) -> Vec<Value<'w>>) -> WrittenKernel {
    let w = Writer::new(NAME);
    let count = w.parameter(Kind::U32);
    let (numbers, out) = (w.pointer(Space::Read), w.pointer(Space::Global));
    let n = w.block() * w.threads() + w.thread();
    w.when(n.below(count), || {
        let results = make(numbers.element(n, kind).load(kind));
        let place = out.further(n, kind.bytes() * results.len() as u32);
        for (k, result) in results.iter().enumerate() {
            place.offset(kind.bytes() * k as u32).store(*result);
        }
    });
    w.finish(THREADS, 1)
}

/// Runs a kernel on these numbers and returns its results.
fn run<T: Plain + Default>(gpu: &Gpu, kernel: &WrittenKernel, numbers: &[T], results: usize) -> Vec<T> {
    let stream = gpu.stream().unwrap();
    let there = gpu.upload(&stream, numbers).unwrap();
    let mut out = gpu.upload(&stream, &vec![T::default(); numbers.len() * results]).unwrap();
    let arguments = [
        Argument::from(numbers.len() as u32),
        Argument::from(Input::from(&there)),
        Argument::from(Output::from(&mut out)),
    ];
    let kernel = gpu.written(kernel).unwrap();
    // SAFETY: the kernel stays below the number of inputs, and the output has space for all results.
    unsafe { stream.launch(&kernel, Grid::for_items(numbers.len(), THREADS), &arguments) }.unwrap();
    out.to_vec(&stream).unwrap()
}

/// Returns numbers in single precision of all magnitudes, with infinities and NaN.
fn singles() -> Vec<f32> {
    let mut random = Random::new(3, Purpose::Resampling, 0);
    let ends = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN_POSITIVE,
        1e-42,
        89.0,
        -105.0,
    ];
    let of_bits = (0..3000).map(|_| f32::from_bits(random.bits()));
    ends.into_iter().chain(of_bits).chain((-500..500).map(|n| n as f32 * 0.37)).collect()
}

#[test]
fn elementary_functions_are_bit_identical_to_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let numbers = singles();
    let kernel = of_each(Kind::F32, |x| {
        let [sin, cos] = x.sin_cos_turns();
        vec![
            x.exponential(),
            x.decay(),
            x.logarithm(),
            x.inverse_root(),
            sin,
            cos,
            x.size().root(),
            x.whole(),
        ]
    });
    let found = run(&gpu, &kernel, &numbers, 8);
    for (x, found) in numbers.iter().zip(found.chunks(8)) {
        let (sin, cos) = single::sin_cos_turns(*x);
        let root = single::inverse_root(*x);
        let expected =
            [single::exp(*x), single::decay(*x), single::ln(*x), root, sin, cos, x.abs().sqrt(), x.floor()];
        for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "function {n} of {x:e} ({:#x}): {found:e}, not {expected:e}", x.to_bits());
        }
    }

    let numbers: Vec<f64> =
        numbers.iter().map(|x| f64::from(*x) * 1.000_000_1).chain([709.7, -745.0, 1e-310, 1e300]).collect();
    let kernel = of_each(Kind::F64, |x| vec![x.exponential(), x.logarithm()]);
    let found = run(&gpu, &kernel, &numbers, 2);
    for (x, found) in numbers.iter().zip(found.chunks(2)) {
        for (found, expected) in found.iter().zip([double::exp(*x), double::ln(*x)]) {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{x:e}: {found:e}, not {expected:e}");
        }
    }
}

/// Computes all elementary functions of x. The angle is that of the point (x, ½).
fn transcendental<N: Operations>(x: N) -> [N; 9] {
    [
        sine(x),
        cosine(x),
        arc_tangent(x),
        angle(x, x.known(0.5)),
        arc_cosine(x),
        erf(x),
        dawson(x),
        bessel_i0e(x),
        bessel_i1e(x),
    ]
}

#[test]
fn transcendental_functions_are_bit_identical_to_the_cpu() {
    fn compare<T: Real + Plain>(gpu: &Gpu, kind: Kind, numbers: &[T]) {
        let found = run(gpu, &of_each(kind, |x| transcendental(x).to_vec()), numbers, 9);
        for (x, found) in numbers.iter().zip(found.chunks(9)) {
            let expected = transcendental(Lanes([*x])).map(|value| value.0[0]);
            for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
                // Every number in single precision is also a number in double precision, so both are compared
                // in double precision.
                let same = found.double().to_bits() == expected.double().to_bits();
                assert!(same || found.is_nan() && expected.is_nan(), "{kind:?}, function {n} of {x:?}");
            }
        }
    }
    let Some(gpu) = gpu() else { return };
    let numbers: Vec<f32> = singles().into_iter().chain((-500..500).map(|n| n as f32 * 0.0123)).collect();
    compare(&gpu, Kind::F32, &numbers);
    let numbers: Vec<f64> = numbers.iter().map(|x| f64::from(*x) * 1.000_000_1).collect();
    compare(&gpu, Kind::F64, &numbers);
}

#[test]
fn random_numbers_are_bit_identical_to_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (seed, item) = (0x0123_4567_89ab_cdef_u64, 0xfedc_ba98_u64 << 8);
    let kernel = of_each(Kind::U32, |block| {
        let word = |value: u64| block.all((value & 0xffff_ffff) as f64);
        let counter = [block, word(item), word(item >> 32), word(Purpose::Sampling as u64)];
        random_block(counter, [word(seed), word(seed >> 32)]).to_vec()
    });
    let blocks: Vec<u32> = (0..200).collect();
    let found = run(&gpu, &kernel, &blocks, 4);
    let mut random = Random::new(seed, Purpose::Sampling, item);
    for (n, found) in found.iter().enumerate() {
        assert_eq!(*found, random.bits(), "draw {n}");
    }
}

/// Computes the number of steps of the Collatz sequence from x to 1.
fn steps_to_1(mut x: u32) -> u32 {
    let mut steps = 0;
    while x != 1 {
        x = if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 };
        steps += 1;
    }
    steps
}

#[test]
fn threads_can_diverge() {
    let Some(gpu) = gpu() else { return };
    let kernel = of_each(Kind::U32, |x| {
        let w = x.writer();
        let (now, count) = (w.variable(x), w.variable(x.all(0.0)));
        let (one, three) = (x.all(1.0), x.all(3.0));
        w.repeat(|round| {
            round.leave_when(now.now().equals(one));
            count.add(one);
            let is_even = (now.now() & one).equals(x.all(0.0));
            w.either(is_even, || now.set(now.now() >> 1), || now.set(now.now() * three + one));
        });
        vec![count.now(), x.rest_of(three), x / three, x.ones()]
    });
    let numbers: Vec<u32> = (1..500).collect();
    let found = run(&gpu, &kernel, &numbers, 4);
    for (x, found) in numbers.iter().zip(found.chunks(4)) {
        assert_eq!(found, [steps_to_1(*x), x % 3, x / 3, x.count_ones()], "{x}");
    }
}

#[test]
fn kernel_constants_are_looked_up_by_threads() {
    let Some(gpu) = gpu() else { return };
    let (squares, roots): (Vec<f64>, Vec<f64>) =
        (0..50).map(|n| (f64::from(n * n), f64::from(n).sqrt())).unzip();
    let kernel = of_each(Kind::U32, |x| {
        let w = x.writer();
        let (of_squares, of_roots) = (w.constants(Kind::U32, &squares), w.constants(Kind::F64, &roots));
        let root = of_roots.element(x, Kind::F64).load(Kind::F64);
        // The result has the bits of the single-precision number that is nearest to the root.
        vec![of_squares.element(x, Kind::U32).load(Kind::U32), root.to(Kind::F32).as_bits(Kind::U32)]
    });
    let numbers: Vec<u32> = (0..50).rev().collect();
    let found = run(&gpu, &kernel, &numbers, 2);
    for (n, found) in numbers.iter().zip(found.chunks(2)) {
        assert_eq!(found, [n * n, (f64::from(*n).sqrt() as f32).to_bits()], "{n}");
    }
}

#[test]
fn blocks_share_memory_and_lanes_exchange_values() {
    let Some(gpu) = gpu() else { return };
    let w = Writer::new(NAME);
    let (numbers, out, total) = (w.pointer(Space::Read), w.pointer(Space::Global), w.pointer(Space::Global));
    let thread = w.thread();
    let place = w.block() * w.threads() + thread;
    let shared = w.shared();
    shared.element(thread, Kind::U32).store(numbers.element(place, Kind::U32).load(Kind::U32));
    w.wait_for_block();
    // The kernel reverses the order of the block's numbers, sums neighbours, and adds groups of four. Values
    // pass through shared memory and through local memory of the thread.
    let other = thread.all(f64::from(THREADS - 1)) - thread;
    let mirrored = shared.element(other, Kind::U32).load(Kind::U32);
    let own = w.local(8);
    own.element(thread & thread.all(1.0), Kind::U32).store(mirrored);
    let again = own.element(thread & thread.all(1.0), Kind::U32).load(Kind::U32);
    let sum = again + again.from_lane_across(1);
    let four = shared.further(thread & thread.all(3.0), 16);
    let [a, b, c, d] = four.load_four_anew(Kind::U32);
    w.wait_for_block();
    four.store_four([d, c, b, a]);
    total.add_atomically(sum);
    out.element(place, Kind::U32).store(sum + (a + b + c + d));
    let kernel = w.finish(THREADS, 2);

    let stream = gpu.stream().unwrap();
    let numbers: Vec<u32> = (0..2 * THREADS).map(|n| n * n).collect();
    let there = gpu.upload(&stream, &numbers).unwrap();
    let mut out = gpu.upload(&stream, &vec![0_u32; numbers.len()]).unwrap();
    let mut total = gpu.upload(&stream, &[0_u32]).unwrap();
    let arguments = [
        Argument::from(Input::from(&there)),
        Argument::from(Output::from(&mut out)),
        Argument::from(Output::from(&mut total)),
    ];
    let kernel = gpu.written(&kernel).unwrap();
    // SAFETY: the launch has two blocks, and each thread has one number.
    unsafe { stream.launch(&kernel, Grid::row(2, THREADS).shared(4 * THREADS), &arguments) }.unwrap();
    let found = out.to_vec(&stream).unwrap();
    let mut sum_of_all = 0;
    for (n, found) in found.iter().enumerate() {
        let block = &numbers[n / THREADS as usize * THREADS as usize..][..THREADS as usize];
        let thread = n % THREADS as usize;
        let mirrored = |thread: usize| block[THREADS as usize - 1 - thread];
        let sum = mirrored(thread) + mirrored(thread ^ 1);
        let four: u32 = block[thread % 4 * 4..][..4].iter().sum();
        assert_eq!(*found, sum + four, "thread {n}");
        sum_of_all += sum;
    }
    assert_eq!(total.to_vec(&stream).unwrap(), [sum_of_all]);
}

#[test]
fn kernel_texts_are_compiled_once_and_invalid_texts_are_errors() {
    let Some(gpu) = gpu() else { return };
    let text = |factor: f64| of_each(Kind::F32, move |x| vec![x * x.all(factor)]);
    let [two, three] = [2.0, 3.0].map(text);
    assert_ne!(two.text(), three.text());
    assert_eq!(run(&gpu, &two, &[1.5_f32], 1), [3.0]);
    // First another kernel with the same name runs, then the first kernel again.
    assert_eq!(run(&gpu, &three, &[1.5_f32], 1), [4.5]);
    assert_eq!(run(&gpu, &two, &[1.5_f32], 1), [3.0]);
    let both = gpu.all_of_written(&[two, three]).unwrap();
    assert_eq!([both[0].name(), both[1].name()], [NAME; 2]);

    let broken = WrittenKernel::new(NAME.to_owned(), text(2.0).text().replace("mul.rn.f32", "mul.rn.f31"));
    let error = gpu.written(&broken).unwrap_err().to_string();
    assert!(error.contains("CUDA_ERROR_INVALID_PTX") && error.contains("f31"), "{error}");
}
