//! Compares sorting on a GPU with the standard library's stable sort.

use super::{Pairs, SumsBefore, Value};
use crate::cuda::{Gpu, Stream};
use crate::{Purpose, Random};
use proptest::prelude::*;

/// Numbers of items in the tests: 0, and numbers around the sizes of a warp, of a tile, and of several tiles.
const COUNTS: [usize; 8] = [0, 1, 31, 2047, 2048, 2049, 6 * 2048, 20_011];

fn gpu(what: &str) -> Option<(Gpu, Stream)> {
    arcuate_emulation::available(what).then(|| {
        let gpu = Gpu::open(0).unwrap();
        let stream = gpu.stream().unwrap();
        (gpu, stream)
    })
}

fn placed<V: Value>(gpu: &Gpu, stream: &Stream, pairs: &[(u64, V)]) -> Pairs<V> {
    let mut on_gpu = Pairs::new(gpu, pairs.len()).unwrap();
    let (keys, values): (Vec<u64>, Vec<V>) = pairs.iter().copied().unzip();
    let (mut to_keys, mut to_values) = on_gpu.both_mut();
    to_keys.copy_from(stream, &keys).unwrap();
    to_values.copy_from(stream, &values).unwrap();
    on_gpu
}

fn read<V: Value>(stream: &Stream, pairs: &Pairs<V>, count: usize) -> Vec<(u64, V)> {
    let (mut keys, mut values) = (vec![0; count], vec![V::zeroed(); count]);
    pairs.keys().range(0..count).copy_to(stream, &mut keys).unwrap();
    pairs.values().range(0..count).copy_to(stream, &mut values).unwrap();
    keys.into_iter().zip(values).collect()
}

fn wide(random: &mut Random) -> u64 {
    u64::from(random.bits()) << 32 | u64::from(random.bits())
}

#[test]
fn prefix_sums_agree_with_the_cpu() {
    let Some((gpu, stream)) = gpu("sums before") else { return };
    // The last count has one tile more than a block can sum at once.
    for count in COUNTS.into_iter().chain([257 * 2048]) {
        let mut random = Random::new(1, Purpose::Resampling, count as u64);
        let values: Vec<u32> = (0..count).map(|_| random.below(1000) as u32).collect();
        let mut on_gpu = gpu.upload(&stream, &values).unwrap();
        let mut sums = SumsBefore::new(&gpu, count).unwrap();
        sums.apply(&stream, on_gpu.view_mut()).unwrap();
        let mut sum = 0;
        let mut expected = Vec::with_capacity(count);
        for value in &values {
            expected.push(sum);
            sum += value;
        }
        assert!(on_gpu.to_vec(&stream).unwrap() == expected, "{count} values");
        assert_eq!(sums.total(&stream).unwrap(), sum);
    }
    let mut many = gpu.alloc::<u32>(2048).unwrap();
    let error = SumsBefore::new(&gpu, 2047).unwrap().apply(&stream, many.view_mut()).unwrap_err();
    assert!(error.to_string().contains("2048 values are more than the buffer can hold"), "{error}");
}

#[test]
fn pairs_are_sorted_by_the_requested_bits() {
    let Some((gpu, stream)) = gpu("sorting") else { return };
    for (count, bits) in COUNTS.into_iter().zip([0..64, 0..64, 0..64, 8..24, 3..12, 60..64, 40..64, 0..8]) {
        let mut random = Random::new(2, Purpose::Resampling, count as u64);
        // Some keys have all bits 1; they must not mix with the padding of the last tile.
        let key = |n: u64, random: &mut Random| if n.is_multiple_of(7) { u64::MAX } else { wide(random) };
        let mut pairs: Vec<(u64, u32)> = (0..count as u64).map(|n| (key(n, &mut random), n as u32)).collect();
        let mut on_gpu = placed(&gpu, &stream, &pairs);
        on_gpu.sort(&stream, bits.clone()).unwrap();
        pairs.sort_by_key(|&(key, _)| key << (64 - bits.end) >> (64 - bits.end) >> bits.start);
        assert!(read(&stream, &on_gpu, count) == pairs, "{count} pairs by bits {bits:?}");
    }
}

proptest! {
    // Each case runs several emulated kernels.
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pairs are sorted as the standard library sorts them, for any keys with repetitions and any range of bits.
    #[test]
    fn sorting_is_stable_for_any_keys(
        keys in prop::collection::vec(prop_oneof![any::<u64>(), 0..4_u64, Just(u64::MAX)], 0..3000),
        first in 0..64_u32,
        length in 1..=64_u32,
    ) {
        if let Some((gpu, stream)) = gpu("sorting") {
            let bits = first..(first + length).min(64);
            let mut pairs: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
            let mut on_gpu = placed(&gpu, &stream, &pairs);
            on_gpu.sort(&stream, bits.clone()).unwrap();
            pairs.sort_by_key(|&(key, _)| key << (64 - bits.end) >> (64 - bits.end) >> bits.start);
            prop_assert!(read(&stream, &on_gpu, pairs.len()) == pairs, "{} pairs by bits {bits:?}", pairs.len());
        }
    }
}

/// Sums values whose result depends on the order of summation.
#[test]
fn values_with_the_same_key_are_summed_in_order() {
    let Some((gpu, stream)) = gpu("sums by key") else { return };
    for count in COUNTS {
        let mut random = Random::new(3, Purpose::Resampling, count as u64);
        // Some keys have one pair, some have many, and one key extends over several tiles.
        let key = |n: usize| match n {
            0..2000 => n as u64 / 3,
            2000..9000 => 2000,
            _ => n as u64,
        };
        // Pairs after the first `count` have the key of the last counted pair, and must not be added to it.
        let all: Vec<(u64, f32)> =
            (0..count + 5).map(|n| (key(n.min(count.max(1) - 1)), random.normal() as f32)).collect();
        let pairs = &all[..count];
        let counted: Vec<(u64, u32)> = all.iter().map(|&(key, _)| (key, 1)).collect();
        let mut sums = Vec::<(u64, f32)>::new();
        let mut runs = Vec::<(u64, u32)>::new();
        for &(key, value) in pairs {
            match (sums.last_mut(), runs.last_mut()) {
                (Some((last, sum)), Some((_, run))) if *last == key => {
                    *sum += value;
                    *run += 1;
                }
                _ => {
                    sums.push((key, value));
                    runs.push((key, 1));
                }
            }
        }
        let mut on_gpu = placed(&gpu, &stream, &all);
        assert_eq!(on_gpu.add_up(&stream, count).unwrap(), sums.len());
        assert!(read(&stream, &on_gpu, sums.len()) == sums, "{count} pairs");
        let mut on_gpu = placed(&gpu, &stream, &counted);
        assert_eq!(on_gpu.add_up(&stream, count).unwrap(), runs.len());
        assert!(read(&stream, &on_gpu, runs.len()) == runs, "{count} pairs");
    }
}

#[test]
fn plans_predict_the_memory_of_pairs() {
    let Some((gpu, _)) = gpu("memory of pairs") else { return };
    for count in COUNTS {
        let counted = gpu.bytes_of(|gpu| Pairs::<f32>::new(gpu, count)).unwrap();
        // The size of each of the seven buffers may be rounded up.
        let planned = Pairs::<f32>::bytes(count as u64);
        assert!(
            (planned..planned + 7 * 512).contains(&counted),
            "{count}: {planned} planned, {counted} taken"
        );
    }
    let error = Pairs::<u32>::new(&gpu, (1 << 30) + 1).unwrap_err();
    assert!(error.to_string().contains("pairs are more than 1073741824"), "{error}");
}
