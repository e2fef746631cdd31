//! Tests that GPUs draw the same bits as CPUs.

use arcuate_compute::cuda::Gpu;
use arcuate_compute::{Distribution, Draws, Purpose};

/// Shapes of gamma distributions, below and above 1. The smallest shapes give subnormal numbers and 0.
const SHAPES: [f64; 8] = [0.001, 0.05, 0.9, 1.0, 1.5, 4.2, 1000.0, 1e300];

fn distributions() -> impl Iterator<Item = Distribution> {
    use Distribution::{Below, Exponential, Gamma, Normal, OnSphere, Uniform};
    let plain = [Uniform, Below(1), Below(7), Below(1 << 53), Normal, Exponential, OnSphere];
    plain.into_iter().chain(SHAPES.map(Gamma))
}

/// Draws values on a GPU and compares them with the values of the CPU.
fn compare(gpu: &Gpu, draws: &Draws, first: u64, items: usize) -> arcuate_core::Result<Vec<f64>> {
    let stream = gpu.stream()?;
    let mut values = gpu.alloc::<f64>(items * draws.values_per_item())?;
    draws.fill_on(&stream, first, values.view_mut())?;
    let found = values.to_vec(&stream)?;
    let mut expected = vec![0.0; found.len()];
    draws.fill(first, &mut expected);
    let differs = found.iter().zip(&expected).position(|(x, y)| x.to_bits() != y.to_bits());
    if let Some(n) = differs {
        panic!("{draws:?} from item {first}: value {n} is {:e} and not {:e}", found[n], expected[n]);
    }
    Ok(found)
}

#[test]
fn gpu_random_numbers_are_bit_identical() -> arcuate_core::Result<()> {
    if !arcuate_emulation::available("gpu_random_numbers_are_bit_identical") {
        return Ok(());
    }
    let gpu = Gpu::open(0)?;
    // Item numbers and the seed need more than 32 bits, and the last block of threads is not full.
    let first = (1 << 32) - 300;
    for distribution in distributions() {
        let draws = Draws::new(distribution, 0x1234_5678_9abc_def0, Purpose::Noise, 33)?;
        let values = compare(&gpu, &draws, first, 1001)?;
        assert!(values.iter().all(|x| x.is_finite()), "{distribution:?}");
    }
    Ok(())
}

#[test]
fn threads_process_several_items_if_blocks_are_too_few() -> arcuate_core::Result<()> {
    if !arcuate_emulation::available("threads_process_several_items_if_blocks_are_too_few") {
        return Ok(());
    }
    let draws = Draws::new(Distribution::Uniform, 1, Purpose::Seeding, 1)?;
    compare(&Gpu::open(0)?, &draws, 0, 16_384 * 128 + 1000)?;
    Ok(())
}

#[test]
fn gpus_access_draws_by_number() -> arcuate_core::Result<()> {
    if !arcuate_emulation::available("gpus_access_draws_by_number") {
        return Ok(());
    }
    let gpu = Gpu::open(0)?;
    // The first draws cover each place in a block of four, draws far away, and draws around number 2³⁴, from
    // which the block number needs two words.
    for first_draw in [0, 1, 2, 3, 4, 5, 1_000_003, (1 << 34) - 3] {
        for distribution in [Distribution::Uniform, Distribution::Normal, Distribution::Gamma(0.7)] {
            let draws = Draws::new(distribution, 17, Purpose::Propagation, 5)?.starting_at(first_draw);
            compare(&gpu, &draws, (1 << 32) - 40, 129)?;
        }
    }
    Ok(())
}

#[test]
fn filling_part_of_a_buffer_changes_nothing_else() -> arcuate_core::Result<()> {
    if !arcuate_emulation::available("filling_part_of_a_buffer_changes_nothing_else") {
        return Ok(());
    }
    let gpu = Gpu::open(0)?;
    let stream = gpu.stream()?;
    let draws = Draws::new(Distribution::OnSphere, 5, Purpose::Seeding, 2)?;
    let mut values = gpu.alloc::<f64>(60)?;
    draws.fill_on(&stream, 7, values.range_mut(12..36))?;
    draws.fill_on(&stream, 7, values.range_mut(36..36))?;
    let mut expected = vec![0.0; 60];
    draws.fill(7, &mut expected[12..36]);
    assert_eq!(values.to_vec(&stream)?, expected);
    Ok(())
}
