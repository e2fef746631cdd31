//! GPUs encode as processors do: the same coefficients, bit for bit, in any memory and any order of threads.

use arcuate_compute::cuda::{Gpu, Gpus};
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, Grid, Mask, Orientations, Point, Tractogram};
use arcuate_emulation::Faults;
use arcuate_evaluate::encoding::{Encoding, EncodingOptions, NodeValue};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memory caps count what all tests of this process hold, and faults strike whoever comes next: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The GPU under test; nothing where there is none.
fn gpu(test: &str) -> Option<Gpu> {
    arcuate_emulation::available(test).then(|| Gpu::open(0).unwrap())
}

fn device(gpu: &Gpu, cap: Option<u64>) -> Device {
    Device::Cuda(Gpus::new(vec![gpu.with_memory_cap(cap)]).unwrap())
}

/// An image with oblique axes, a fifth of its voxels outside the mask.
fn mask(random: &mut Random) -> Mask {
    let affine = Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -5.0], [0.15, 0.45, 2.4, -6.0]]);
    let grid = Grid::new([9, 7, 6], affine.unwrap()).unwrap();
    let inside = (0..grid.len()).map(|_| random.below(5) > 0).collect();
    Mask::new(grid, inside).unwrap()
}

/// A streamline of one of the kinds that go wrong first, most of it in the image.
fn streamline(random: &mut Random, grid: &Grid) -> Vec<Point> {
    let mut uniform = || random.uniform();
    let kind = (uniform() * 8.0) as usize;
    let points = match kind {
        0 => 0,
        1 => 1,
        2 => 2,
        _ => 3 + (uniform() * 90.0) as usize,
    };
    let [nx, ny, nz] = grid.shape().map(|n| n as f64);
    let mut place = [nx * uniform(), ny * uniform(), nz * uniform()];
    let mut direction = [0.0; 3];
    let mut line: Vec<Point> = Vec::new();
    for n in 0..points {
        let point = grid.affine().apply(place).map(|c| c as f32);
        // Now and then a point is repeated, or the streamline turns back on itself.
        match kind {
            3 if n % 4 == 1 => line.push(*line.last().unwrap_or(&point)),
            4 if n % 5 == 4 => line.push(line[n - 2]),
            _ => line.push(point),
        }
        for axis in 0..3 {
            // Kind 5 stays in one voxel and comes back to its orientations again and again.
            let step = if kind == 5 { 0.02 } else { 0.3 };
            direction[axis] = 0.8 * direction[axis] + step * (2.0 * uniform() - 1.0);
            place[axis] += direction[axis];
        }
    }
    line
}

fn tractogram(random: &mut Random, streamlines: usize, grid: &Grid) -> Tractogram {
    let mut tractogram = Tractogram::new();
    for _ in 0..streamlines {
        tractogram.push(&streamline(random, grid));
    }
    tractogram
}

fn options(orientations: usize, node_value: NodeValue) -> EncodingOptions {
    EncodingOptions { orientations: Orientations::half_sphere(orientations), node_value }
}

/// Everything that an encoding tells, values by their bits: which of the many that are no numbers is nobody's concern.
fn told(encoding: &Encoding) -> (Vec<(u32, u16, u32, u32)>, u64) {
    let bits = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let of_voxel = |(n, &voxel): (usize, &u32)| {
        encoding
            .coefficients_of(n)
            .map(move |(atom, streamline, value)| (voxel, atom, streamline, bits(value)))
    };
    (encoding.voxels().iter().enumerate().flat_map(of_voxel).collect(), encoding.nodes_outside())
}

/// Encodes on the processor and on `device`, compares, and answers what the device's work logged.
fn compare(tractogram: &Tractogram, mask: &Mask, options: &EncodingOptions, device: &Device) -> String {
    let expected = Encoding::new(tractogram, mask, options, &Device::Cpu);
    let (found, log) = logged(|| Encoding::new(tractogram, mask, options, device));
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            assert_eq!(told(&found), told(&expected));
            assert_eq!(found.grid(), expected.grid());
            assert_eq!(found.orientations(), expected.orientations());
            assert_eq!(found.streamlines(), expected.streamlines());
        }
        (Err(expected), Err(found)) => assert_eq!(found.to_string(), expected.to_string()),
        (expected, found) => panic!("{found:?} and not {expected:?}"),
    }
    log
}

/// What `work` comes to and what it logs.
fn logged<R>(work: impl FnOnce() -> R) -> (R, String) {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let done = tracing::subscriber::with_default(subscriber, work);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    (done, text)
}

/// How many batches the log says the GPU did the work in, without a warning.
fn batches(log: &str) -> usize {
    assert!(!log.contains("WARN"), "{log}");
    let said = log.split("streamlines, batches: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    said.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no work of a GPU in: {log}"))
}

fn set_order(order: u64) {
    if arcuate_emulation::emulated() {
        arcuate_emulation::set_order(order);
    }
}

#[test]
fn random_tractograms_are_encoded_alike() {
    let _alone = alone();
    let Some(gpu) = gpu("random_tractograms_are_encoded_alike") else { return };
    let mut coefficients = 0;
    for case in 0..60 {
        let mut random = Random::new(7, Purpose::Resampling, case);
        let mask = mask(&mut random);
        let streamlines = random.below(20);
        let tractogram = tractogram(&mut random, streamlines, mask.grid());
        let node_value = if case % 2 == 0 { NodeValue::Length } else { NodeValue::Count };
        let mut options = options([1, 6, 60, 1057][random.below(4)], node_value);
        if case % 5 == 0 {
            // Every orientation twice or more: of equals the first counts.
            let again: Vec<_> = options.orientations.directions().iter().map(|d| d.map(|c| -c)).collect();
            let all = [&again, options.orientations.directions(), &again].concat();
            options.orientations = Orientations::new(&all).unwrap();
        }
        set_order(case);
        let log = compare(&tractogram, &mask, &options, &device(&gpu, None));
        coefficients +=
            Encoding::new(&tractogram, &mask, &options, &Device::Cpu).map_or(0, |e| e.coefficients());
        assert!(batches(&log) <= 1, "case {case}");
    }
    assert!(coefficients > 3000, "{coefficients} coefficients are no test");
}

#[test]
fn memory_and_the_order_of_threads_change_nothing() {
    let _alone = alone();
    let Some(gpu) = gpu("memory_and_the_order_of_threads_change_nothing") else { return };
    let mut random = Random::new(8, Purpose::Resampling, 0);
    let mask = mask(&mut random);
    let tractogram = tractogram(&mut random, 150, mask.grid());
    assert!(tractogram.positions().len() > 2 * 2048, "several tiles");
    for node_value in [NodeValue::Count, NodeValue::Length] {
        let cuts =
            [(0, None), (1, Some(150_000)), (2, Some(90_000)), (77, Some(50_000))].map(|(order, cap)| {
                set_order(order);
                batches(&compare(&tractogram, &mask, &options(200, node_value), &device(&gpu, cap)))
            });
        assert!(cuts[0] == 1 && cuts.is_sorted_by(|a, b| a < b), "{cuts:?}");
    }
    assert_eq!(gpu.allocated_bytes(), 0);
}

#[test]
fn thousands_of_points_in_one_voxel_are_added_in_order() {
    let _alone = alone();
    let Some(gpu) = gpu("thousands_of_points_in_one_voxel_are_added_in_order") else { return };
    let mask = Mask::full(Grid::new([1, 2, 1], Affine::identity()).unwrap());
    let mut random = Random::new(9, Purpose::Resampling, 0);
    let mut tractogram = Tractogram::new();
    // To and fro between two orientations, in steps whose sum depends on its order.
    let mut point = |n: usize| {
        let along = [0, 1, 1][n % 3];
        let mut point = [-0.3_f32; 3];
        point[along] = 0.6 * random.uniform() as f32 - 0.3;
        point
    };
    tractogram.push(&(0..5000).map(&mut point).collect::<Vec<_>>());
    tractogram.push(&(0..3).map(&mut point).collect::<Vec<_>>());
    for node_value in [NodeValue::Count, NodeValue::Length] {
        let log = compare(&tractogram, &mask, &options(2, node_value), &device(&gpu, None));
        assert_eq!(batches(&log), 1);
    }
}

#[test]
fn large_images_and_many_orientations_are_encoded_alike() {
    let _alone = alone();
    let Some(gpu) = gpu("large_images_and_many_orientations_are_encoded_alike") else { return };
    // 23 bits of voxels, 16 of orientations: five digits, and numbers of voxels that are copied in pieces.
    let grid = Grid::new([200, 210, 190], Affine::scaling([0.05, 0.04, 0.045], [0.0; 3])).unwrap();
    let mut random = Random::new(10, Purpose::Resampling, 0);
    let tractogram = tractogram(&mut random, 20, &grid);
    let log =
        compare(&tractogram, &Mask::full(grid), &options(40_000, NodeValue::Length), &device(&gpu, None));
    assert_eq!(batches(&log), 1);
}

#[test]
fn points_that_are_no_numbers_are_treated_alike() {
    let _alone = alone();
    let Some(gpu) = gpu("points_that_are_no_numbers_are_treated_alike") else { return };
    let grid = Grid::new([4, 4, 4], Affine::identity()).unwrap();
    let mut tractogram = Tractogram::new();
    let (nan, infinite, huge) = (f32::NAN, f32::INFINITY, f32::MAX);
    for wrong in [nan, infinite, -infinite, huge, -huge] {
        for axis in 0..3 {
            let mut point = [1.0; 3];
            point[axis] = wrong;
            tractogram.push(&[[0.0; 3], [1.0, 0.5, 0.2], point, [2.0; 3], [3.0, 2.0, 2.0], [wrong; 3]]);
        }
    }
    for node_value in [NodeValue::Count, NodeValue::Length] {
        let log = compare(&tractogram, &Mask::full(grid), &options(60, node_value), &device(&gpu, None));
        assert_eq!(batches(&log), 1);
    }
}

#[test]
fn nothing_to_encode_is_the_same_error() {
    let _alone = alone();
    let Some(gpu) = gpu("nothing_to_encode_is_the_same_error") else { return };
    let grid = Grid::new([3, 3, 3], Affine::identity()).unwrap();
    let full = Mask::full(grid);
    let empty = Mask::new(grid, vec![false; grid.len()]).unwrap();
    let line = |lines: &[&[Point]]| {
        let mut tractogram = Tractogram::new();
        for line in lines {
            tractogram.push(line);
        }
        tractogram
    };
    let options = options(7, NodeValue::Count);
    let device = device(&gpu, None);
    // No streamline, streamlines without points, single points, points on one place, all outside, no voxel.
    for (lines, mask) in [
        (line(&[]), &full),
        (line(&[&[], &[]]), &full),
        (line(&[&[[1.0; 3]], &[[2.0; 3]]]), &full),
        (line(&[&[[1.0; 3]; 4]]), &full),
        (line(&[&[[9.0; 3], [8.0; 3]]]), &full),
        (line(&[&[[1.0; 3], [2.0; 3]]]), &empty),
    ] {
        compare(&lines, mask, &options, &device);
        Encoding::new(&lines, mask, &options, &device).unwrap_err();
    }
}

#[test]
fn memory_that_does_not_suffice_is_one_line_and_the_same_encoding() {
    let _alone = alone();
    let Some(gpu) = gpu("memory_that_does_not_suffice_is_one_line_and_the_same_encoding") else { return };
    let mut random = Random::new(11, Purpose::Resampling, 0);
    let mask = mask(&mut random);
    let tractogram = tractogram(&mut random, 30, mask.grid());
    let options = options(60, NodeValue::Length);
    let warnings = |log: &str| -> Vec<String> {
        log.lines().filter(|line| line.contains("WARN")).map(str::to_owned).collect()
    };
    let said = warnings(&compare(&tractogram, &mask, &options, &device(&gpu, Some(10_000))));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("encoding: GPU memory does not suffice") && said[0].contains("on the CPU"),
        "{said:?}"
    );
    if !arcuate_emulation::emulated() {
        return;
    }
    let faults = Faults::begin();
    for successes in [0, 4, 9, 14] {
        faults.fail_allocation_after(successes);
        let said = warnings(&compare(&tractogram, &mask, &options, &device(&gpu, None)));
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("in smaller pieces"), "{said:?}");
    }
    assert_eq!(gpu.allocated_bytes(), 0);
}
