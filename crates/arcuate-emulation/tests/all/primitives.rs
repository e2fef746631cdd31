//! Tests of each primitive that kernels may use, against the CUDA programming guide. The same tests run on a real GPU
//! to confirm that the emulation is right.

use crate::common::{Bench, ORDERS, in_several_orders};
use arcuate_compute::arguments;
use arcuate_compute::cuda::{Grid, Plain};
use half::f16;
use std::sync::PoisonError;

/// Returns pseudorandom numbers.
fn numbers(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count).map(next).collect()
}

impl Bench {
    fn upload<T: Plain>(&self, values: &[T]) -> arcuate_compute::cuda::Buffer<T> {
        self.gpu.upload(&self.stream, values).unwrap()
    }

    fn zeros<T: Plain>(&self, len: usize) -> arcuate_compute::cuda::Buffer<T> {
        self.gpu.alloc(len).unwrap()
    }
}

#[test]
fn threads_of_a_3d_grid_have_correct_indices() {
    let Some(bench) = Bench::new("threads_of_a_3d_grid_have_correct_indices", 0) else { return };
    in_several_orders(|| {
        let (blocks, threads) = ([3, 4, 5], [7, 3, 2]);
        let count = 3 * 4 * 5 * 7 * 3 * 2;
        let mut out = bench.zeros::<u32>(8 * count);
        let grid = Grid { blocks, threads, shared_bytes: 0 };
        bench.run("emulation_indices", grid, &arguments![&mut out]).unwrap();
        let out = out.to_vec(&bench.stream).unwrap();
        let primes = [2, 3, 5, 7, 11, 13, 17, 19];
        for (at, own) in (0_u32..).zip(out.chunks(8)) {
            let (block, thread) = (at / 42, at % 42);
            let place = [block % 3, block / 3 % 4, block / 12, thread % 7, thread / 7 % 3, thread / 21];
            assert_eq!(own[0], 1, "thread {at} ran once");
            assert_eq!(own[1..7], place);
            assert_eq!(own[7], primes[thread as usize % 8]);
        }
    });
}

#[test]
fn warps_exchange_values() {
    let Some(bench) = Bench::new("warps_exchange_values", 0) else { return };
    in_several_orders(|| {
        for (width, source, delta) in
            [(32, 5, 1), (32, 31, 7), (16, 3, 4), (8, 9, 2), (4, 1, 3), (2, 0, 1), (32, 40, 16), (16, 0, 20)]
        {
            let input = numbers(96, 7 + delta);
            let mut out = bench.zeros::<u32>(3 * 11 * 32);
            let data = bench.upload(&input);
            bench
                .run(
                    "emulation_shuffles",
                    Grid::row(1, 96),
                    &arguments![&data, &mut out, width, source, delta],
                )
                .unwrap();
            let out = out.to_vec(&bench.stream).unwrap();
            for (warp, rows) in input.chunks(32).zip(out.chunks(11 * 32)) {
                check_exchanges(warp, rows, width as usize, source as usize, delta as usize, input[0]);
            }
        }
    });
}

/// Checks `rows`, which the lanes of a warp with the values `warp` have written.
fn check_exchanges(warp: &[u32], rows: &[u32], width: usize, source: usize, delta: usize, first: u32) {
    let row = |number: usize| &rows[32 * number..32 * (number + 1)];
    let ballot = |holds: &dyn Fn(usize) -> bool| {
        (0..32).fold(0_u32, |bits, lane| bits | u32::from(holds(lane)) << lane)
    };
    for lane in 0..32 {
        let (start, inner) = (lane / width * width, lane % width);
        assert_eq!(row(0)[lane], warp[start + source % width], "indexed, lane {lane}");
        assert_eq!(row(1)[lane], warp[if delta <= inner { lane - delta } else { lane }], "up, lane {lane}");
        assert_eq!(
            row(2)[lane],
            warp[if inner + delta < width { lane + delta } else { lane }],
            "down, lane {lane}"
        );
        let other = lane ^ delta;
        assert_eq!(row(3)[lane], warp[if other < start + width { other } else { lane }], "xor, lane {lane}");
        assert_eq!(row(4)[lane], ballot(&|lane| warp[lane].is_multiple_of(3)));
        let (any, all) = (warp.contains(&first), warp.iter().all(|&value| value >= first));
        assert_eq!(row(5)[lane], u32::from(any) | u32::from(all) << 1);
        let part = match lane {
            0..4 => warp[lane ^ 5].wrapping_add(warp[lane ^ 1]),
            4..16 => warp[lane ^ 5],
            _ => ballot(&|lane| lane >= 16 && warp[lane] % 2 == 1),
        };
        assert_eq!(row(6)[lane], part, "parts of the warp, lane {lane}");
        assert_eq!(row(7)[lane], ballot(&|other| warp[other] % 5 == warp[lane] % 5));
        assert_eq!(row(8)[lane], 1, "a value of 64 bits");
        assert_eq!(row(9)[lane], (2.0 * (0.5 * warp[lane ^ 3] as f32)) as u32, "a fraction, lane {lane}");
        assert_eq!(row(10)[lane], 1, "the lane itself is active");
    }
}

#[test]
fn barriers_count_only_running_threads() {
    let Some(bench) = Bench::new("barriers_count_only_running_threads", 0) else { return };
    in_several_orders(|| {
        let mut out = bench.zeros::<u32>(4 * 12);
        bench.run("emulation_leaving", Grid::row(1, 96), &arguments![&mut out]).unwrap();
        let out = out.to_vec(&bench.stream).unwrap();
        for (turn, answers) in out.chunks(4).enumerate() {
            // In each turn, 8 of the 96 threads leave, beginning with the first warp. Lanes of the last warp
            // leave last.
            let gone = (8 * turn).saturating_sub(64);
            let expected = [(96 - 8 * turn as u32) / 2, 1, 1, u32::MAX << gone];
            assert_eq!(answers, expected, "turn {turn}");
        }
    });
}

#[test]
fn warps_with_different_code_synchronise_at_named_barriers() {
    let Some(bench) = Bench::new("warps_with_different_code_synchronise_at_named_barriers", 0) else {
        return;
    };
    in_several_orders(|| {
        let mut out = bench.zeros::<u32>(128);
        bench.run("emulation_named_barriers", Grid::row(1, 128), &arguments![&mut out, 10_u32]).unwrap();
        // Computes the sum of the values that a lane receives from the next lane of the partner's warp in all
        // rounds.
        let heard = |thread: u32| {
            let (warp, partner) = (thread / 32, (thread / 32) ^ 1);
            let rounds = if warp < 2 { 10 } else { 30 };
            (0..rounds).map(|round| 1000 * partner + 10 * round + (thread + 1) % 2).sum::<u32>()
        };
        let expected: Vec<u32> = (0..128).map(|thread| heard(thread) + heard((thread + 64) % 128)).collect();
        assert_eq!(out.to_vec(&bench.stream).unwrap(), expected);
    });
}

#[test]
fn named_barriers_wait_for_running_lanes() {
    let Some(bench) = Bench::new("named_barriers_wait_for_running_lanes", 0) else { return };
    in_several_orders(|| {
        let mut out = bench.zeros::<u32>(64);
        bench.run("emulation_leaving_named", Grid::row(1, 64), &arguments![&mut out]).unwrap();
        // Lane n takes part until turn n. Its last value from the other warp is the number of this turn, plus
        // 100 in the first warp.
        let mut expected: Vec<u32> =
            (0..64).map(|thread| thread % 32 + if thread < 32 { 100 } else { 0 }).collect();
        (expected[31], expected[63]) = (1, 0);
        assert_eq!(out.to_vec(&bench.stream).unwrap(), expected);
    });
}

#[test]
fn blocks_sum_through_shared_memory() {
    let Some(bench) = Bench::new("blocks_sum_through_shared_memory", 0) else { return };
    let input: Vec<f32> = numbers(40 * 256, 3).iter().map(|&x| (x % 1000) as f32).collect();
    let data = bench.upload(&input);
    in_several_orders(|| {
        let (mut sums, mut backwards) = (bench.zeros::<f32>(40), bench.zeros::<f32>(input.len()));
        let grid = Grid::row(40, 256).shared(256 * 4);
        bench.run("emulation_block_sum", grid, &arguments![&data, &mut sums, &mut backwards]).unwrap();
        // The sums are whole numbers below 2^24, so they are exact in any order.
        let expected: Vec<f32> = input.chunks(256).map(|row| row.iter().sum()).collect();
        assert_eq!(sums.to_vec(&bench.stream).unwrap(), expected);
        let expected: Vec<f32> = input.chunks(256).flat_map(|row| row.iter().rev().copied()).collect();
        assert_eq!(backwards.to_vec(&bench.stream).unwrap(), expected);
    });
}

fn atomic_add<T: Plain + PartialEq + std::fmt::Debug>(bench: &Bench, name: &str, of_block: T, of_all: T) {
    let (mut sum, mut sums) = (bench.zeros::<T>(1), bench.zeros::<T>(50));
    bench.run(name, Grid::row(50, 128), &arguments![&mut sum, &mut sums]).unwrap();
    assert_eq!(sum.to_vec(&bench.stream).unwrap(), [of_all], "{name}");
    assert_eq!(sums.to_vec(&bench.stream).unwrap(), [of_block; 50], "{name}");
}

#[test]
fn atomics_lose_nothing() {
    let Some(bench) = Bench::new("atomics_lose_nothing", 0) else { return };
    in_several_orders(|| {
        // Each block adds 128 · 129 / 2 = 8256.
        atomic_add(&bench, "emulation_atomic_add_i32", 8256_i32, 412_800);
        atomic_add(&bench, "emulation_atomic_add_u32", 8256_u32, 412_800);
        atomic_add(&bench, "emulation_atomic_add_u64", 8256_u64, 412_800);
        atomic_add(&bench, "emulation_atomic_add_f32", 8256_f32, 412_800.0);
        atomic_add(&bench, "emulation_atomic_add_f64", 8256_f64, 412_800.0);

        let mut places = bench.upload(&[0_i32, 0, -1, 0, 0, -1, 1000, 0]);
        let mut ticket = bench.zeros::<u64>(1);
        bench.run("emulation_atomics", Grid::row(5, 64), &arguments![&mut places, &mut ticket]).unwrap();
        let places = places.to_vec(&bench.stream).unwrap();
        let xor = (0..320).fold(0, |sum, number| sum ^ number);
        let thirty_one_bits = i32::MAX;
        assert_eq!(places[..5], [319, -319, !thirty_one_bits, thirty_one_bits, xor]);
        assert!((0..320).contains(&places[5]), "somebody was the last: {}", places[5]);
        assert_eq!(places[6..], [1000 - 2 * 320, 3 * 320]);
        assert_eq!(ticket.to_vec(&bench.stream).unwrap(), [319 << 32]);
    });
}

#[test]
fn threads_may_wait_for_one_another_without_a_barrier() {
    let Some(bench) = Bench::new("threads_may_wait_for_one_another_without_a_barrier", 0) else { return };
    in_several_orders(|| {
        let (mut lock, mut counter) = (bench.zeros::<u32>(1), bench.zeros::<u32>(1));
        bench.run("emulation_lock", Grid::row(4, 96), &arguments![&mut lock, &mut counter]).unwrap();
        assert_eq!(counter.to_vec(&bench.stream).unwrap(), [4 * 96]);
    });
}

#[test]
fn integer_functions() {
    let Some(bench) = Bench::new("integer_functions", 0) else { return };
    let mut input = numbers(60, 11);
    input.extend([0, 1, u32::MAX, 0x8000_0000]);
    let data = bench.upload(&input);
    let mut out = bench.zeros::<u64>(16 * 64);
    bench.run("emulation_integers", Grid::row(1, 64), &arguments![&data, &mut out]).unwrap();
    let first_set = |zeros: u32, bits: u32| if zeros == bits { 0 } else { u64::from(zeros) + 1 };
    for (at, own) in out.to_vec(&bench.stream).unwrap().chunks(16).enumerate() {
        let (a, b) = (input[at], input[63 - at]);
        let wide = u64::from(a) << 32 | u64::from(b);
        let both = u64::from(b) << 32 | u64::from(a);
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let expected = [
            u64::from(a.count_ones()),
            u64::from(wide.count_ones()),
            u64::from(a.leading_zeros()),
            u64::from(wide.leading_zeros()),
            first_set(a.trailing_zeros(), 32),
            first_set(wide.trailing_zeros(), 64),
            u64::from(a.reverse_bits()),
            wide.reverse_bits(),
            (u64::from(a) * u64::from(b)) >> 32,
            ((u128::from(wide) * u128::from(!wide)) >> 64) as u64,
            both << (a % 32) >> 32,
            both >> (a % 32) & 0xffff_ffff,
            u64::from(u32::from_le_bytes([bytes[0], bytes[4], bytes[2], bytes[6]])),
            u64::from(a.min(b)),
            i64::from(a).max(1 - i64::from(b)) as u64,
            1,
        ];
        assert_eq!(own, expected, "{a:#x}, {b:#x}");
    }
}

#[test]
fn real_arithmetic_rounds_to_the_bit() {
    let Some(bench) = Bench::new("real_arithmetic_rounds_to_the_bit", 0) else { return };
    let mut input: Vec<f32> = numbers(60, 5).iter().map(|&x| (x as f32 / 2e9 - 1.0) * 300.0).collect();
    input.extend([0.5, 1.5, -2.5, 1e-30]);
    let input64: Vec<f64> = input.iter().map(|&x| f64::from(x) * 1.000_000_3).collect();
    let (data, data64) = (bench.upload(&input), bench.upload(&input64));
    let (mut out, mut out64) = (bench.zeros::<f32>(12 * 64), bench.zeros::<f64>(8 * 64));
    let mut whole = bench.zeros::<i64>(2 * 64);
    let arguments = arguments![&data, &mut out, &data64, &mut out64, &mut whole];
    bench.run("emulation_reals", Grid::row(1, 64), &arguments).unwrap();
    let (out, out64) = (out.to_vec(&bench.stream).unwrap(), out64.to_vec(&bench.stream).unwrap());
    let whole = whole.to_vec(&bench.stream).unwrap();
    for at in 0..64 {
        let (a, b) = (input[at], input[(at + 1) % 64]);
        let (c, d) = (input64[at], input64[(at + 1) % 64]);
        let expected = [
            a * b + a,
            a.mul_add(b, a),
            a + b,
            a / b,
            a.abs().sqrt(),
            a.min(b),
            a.max(b),
            -a,
            a.round_ties_even(),
            a.trunc(),
            a.floor(),
            a * b + a,
        ];
        // A zero and a negative zero compare as equal, because intermediate integers lose the sign of a zero.
        assert_eq!(out[12 * at..12 * (at + 1)], expected, "{a}, {b}");
        let expected = [
            c * d + c,
            c.mul_add(d, c),
            c + d,
            c.abs().sqrt(),
            c.round_ties_even(),
            c.round_ties_even(),
            c.max(d),
            c / d,
        ];
        assert_eq!(out64[8 * at..8 * (at + 1)], expected, "{c}, {d}");
        assert_eq!(
            whole[2 * at..2 * (at + 1)],
            [(c * 1e6).round_ties_even() as i64, a.round_ties_even() as i64]
        );
    }
}

#[test]
fn functions_are_accurate() {
    let Some(bench) = Bench::new("functions_are_accurate", 0) else { return };
    let input: Vec<f32> = (1..=64).map(|n| n as f32 * 0.37).collect();
    let data = bench.upload(&input);
    let mut out = bench.zeros::<f32>(8 * 64);
    bench.run("emulation_functions", Grid::row(1, 64), &arguments![&data, &mut out]).unwrap();
    for (own, &x) in out.to_vec(&bench.stream).unwrap().chunks(8).zip(&input) {
        let x = f64::from(x);
        let (sine, cosine) = (std::f64::consts::PI * (x % 2.0)).sin_cos();
        let expected = [1.0 / x.sqrt(), sine, cosine, (-x).exp(), x.ln(), sine, cosine, 3.0 * x];
        for (&found, expected) in own.iter().zip(expected) {
            // CUDA guarantees 2 units in the last place for these functions, a relative error of 2.4e-7. Near
            // the zeros of the sine the reference itself has an error of 3e-15.
            assert!(
                (f64::from(found) - expected).abs() <= 2.5e-7 * expected.abs() + 1e-14,
                "{found} {expected} at {x}"
            );
        }
    }
}

#[test]
fn vectors_have_the_layout_of_cuda() {
    let Some(bench) = Bench::new("vectors_have_the_layout_of_cuda", 0) else { return };
    let mut out = bench.zeros::<u32>(13);
    bench.run("emulation_layouts", Grid::row(1, 1), &arguments![&mut out]).unwrap();
    let layouts = [
        (8, 8),
        (12, 4),
        (16, 16),
        (16, 16),
        (8, 8),
        (16, 16),
        (8, 8),
        (16, 16),
        (4, 4),
        (8, 8),
        (4, 4),
        (16, 16),
    ];
    let mut expected: Vec<u32> = layouts.iter().map(|(size, alignment)| size << 8 | alignment).collect();
    expected.push(1 + 40 + 500 + 6000);
    assert_eq!(out.to_vec(&bench.stream).unwrap(), expected);
}

#[test]
fn tensor_cores_multiply_matrices() {
    let Some(bench) = Bench::new("tensor_cores_multiply_matrices", 0) else { return };
    in_several_orders(|| {
        let fraction = |x: u32| f16::from_f32(x as f32 / u32::MAX as f32 - 0.5).to_f32();
        let a: Vec<f32> = numbers(16 * 16, 1).into_iter().map(fraction).collect();
        let b: Vec<f32> = numbers(16 * 8, 2).into_iter().map(fraction).collect();
        let before: Vec<f32> = numbers(16 * 8, 3).into_iter().map(fraction).collect();
        let (left, right) = (bench.upload(&a), bench.upload(&b));
        let mut d = bench.upload(&before);
        bench.run("emulation_matrix_product", Grid::row(1, 32), &arguments![&left, &right, &mut d]).unwrap();
        let d = d.to_vec(&bench.stream).unwrap();
        for row in 0..16 {
            for column in 0..8 {
                let terms = (0..16).map(|k| f64::from(a[16 * row + k]) * f64::from(b[8 * k + column]));
                let expected = f64::from(before[8 * row + column]) + terms.sum::<f64>();
                let found = f64::from(d[8 * row + column]);
                // The sum has 17 terms below 0.5 with exact products. It is rounded or truncated 16 times at
                // the last of 24 bits.
                assert!(
                    (found - expected).abs() < 16.0 * 4.0 / 16_777_216.0,
                    "{row}, {column}: {found} {expected}"
                );
            }
        }
    });
}

#[test]
fn half_precision_rounds_as_in_ieee_754() {
    let Some(bench) = Bench::new("half_precision_rounds_as_in_ieee_754", 0) else { return };
    let mut input = vec![
        0.0,
        -0.0,
        1.0,
        65504.0,
        65519.9,
        65520.0,
        -1e9,
        f32::INFINITY,
        5.96e-8,
        2.98e-8,
        2.981e-8,
        8.9e-8,
    ];
    // The inputs are all f16 values, and the midpoint to the next value with the f32 values next to it.
    for bits in 0..0x7c00_u16 {
        let (value, next) = (f16::from_bits(bits).to_f32(), f16::from_bits(bits + 1).to_f32());
        let middle = if next.is_finite() { value.midpoint(next) } else { 65520.0 };
        input.extend([
            value,
            middle,
            f32::from_bits(middle.to_bits() + 1),
            -f32::from_bits(middle.to_bits() - 1),
        ]);
    }
    input.resize(input.len().next_multiple_of(512), 0.0);
    let data = bench.upload(&input);
    let (mut bits, mut back) = (bench.zeros::<u32>(input.len() / 2), bench.zeros::<f32>(input.len()));
    let grid = Grid::row((input.len() / 512) as u32, 256);
    bench.run("emulation_halves", grid, &arguments![&data, &mut bits, &mut back]).unwrap();
    let (bits, back) = (bits.to_vec(&bench.stream).unwrap(), back.to_vec(&bench.stream).unwrap());
    for (at, &value) in input.iter().enumerate() {
        let expected = f16::from_f32(value);
        let found = (bits[at / 2] >> (16 * (at % 2))) as u16;
        assert_eq!(found, expected.to_bits(), "{value:e}");
        assert_eq!(back[at], expected.to_f32(), "{value:e}");
    }
}

#[test]
fn asynchronous_copies_complete_when_awaited() {
    let Some(bench) = Bench::new("asynchronous_copies_complete_when_awaited", 0) else { return };
    in_several_orders(|| {
        let input: Vec<[u32; 4]> =
            numbers(4 * 64 * 10, 8).chunks(4).map(|four| four.try_into().unwrap()).collect();
        let (data, mut out) = (bench.upload(&input), bench.zeros::<[u32; 4]>(input.len()));
        let grid = Grid::row(1, 64).shared(2 * 64 * 16);
        bench.run("emulation_async_copy", grid, &arguments![&data, &mut out, 10_u32]).unwrap();
        let rotated: Vec<[u32; 4]> =
            input.chunks(64).flat_map(|row| (0..64).map(|at| row[(at + 1) % 64])).collect();
        assert_eq!(out.to_vec(&bench.stream).unwrap(), rotated);
    });
}

#[test]
fn asynchronous_copies_without_a_wait_are_delayed() {
    let Some(bench) = Bench::new("asynchronous_copies_without_a_wait_are_delayed", 0) else { return };
    let input = numbers(64, 9);
    let mut turned = input.clone();
    turned.reverse();
    let data = bench.upload(&input);
    let copied = |waits: i32| {
        let mut out = bench.zeros::<u32>(64);
        let grid = Grid::row(1, 64).shared(64 * 4);
        bench.run("emulation_async_copy_words", grid, &arguments![&data, &mut out, waits]).unwrap();
        out.to_vec(&bench.stream).unwrap()
    };
    in_several_orders(|| assert_eq!(copied(1), turned));
    // A GPU may give the expected result by chance.
    if arcuate_emulation::emulated() {
        // The lock is held because the order applies to all tests of this process. Another test might choose
        // an order that also gives this result.
        let _alone = ORDERS.lock().unwrap_or_else(PoisonError::into_inner);
        arcuate_emulation::set_order(1);
        assert_ne!(copied(0), turned);
    }
}
