//! Compares exact Fourier sums with their definition in double precision.

use super::{Element, FourierSums, Functions, ScatteredSums};
use crate::Shape;
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::ErrorKind;
use arcuate_solve::{LinearOperator, checks};
use std::f64::consts::TAU;

/// Returns numbers in (−1, 1) without a regular pattern.
fn numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|n| 2.0 * ((n as f64 + 1.0) * 0.618_033_988_749_894_9 * seed).fract() - 1.0).collect()
}

fn places(count: usize, reach: [f64; 3]) -> Vec<[f64; 3]> {
    numbers(3 * count, 3.7).chunks_exact(3).map(|k| std::array::from_fn(|n| reach[n] * k[n])).collect()
}

/// Returns a device with two GPUs, if the machine has them.
fn two_gpus(cap: Option<u64>) -> Option<Device> {
    match Gpus::open(&[0, 1]) {
        Ok(gpus) => Some(Device::Cuda(gpus.with_memory_cap(cap))),
        Err(error) => {
            assert_eq!(std::env::var("ARCUATE_TEST_DEVICE").as_deref(), Ok("cuda"), "{error}");
            None
        }
    }
}

/// Returns Σ_a values(a) e^(2πi sign a·b), added term by term.
fn definition(from: &[[f64; 3]], values: &[f64], sign: f64, to: &[[f64; 3]], factor: f64) -> Vec<f64> {
    to.iter()
        .flat_map(|b| {
            let mut sum = [0.0; 2];
            for (a, value) in from.iter().zip(values.chunks_exact(2)) {
                let turns: f64 = (0..3).map(|n| a[n] * b[n]).sum();
                let (sin, cos) = (sign * TAU * turns).sin_cos();
                sum[0] += value[0] * cos - value[1] * sin;
                sum[1] += value[0] * sin + value[1] * cos;
            }
            sum.map(|part| factor * part)
        })
        .collect()
}

fn voxels(shape: Shape) -> Vec<[f64; 3]> {
    let [nx, ny, nz] = shape.lengths();
    let mut all = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                all.push([0, 1, 2].map(|axis| shape.position(axis, [x, y, z][axis])));
            }
        }
    }
    all
}

/// Computes the forward sums and the adjoint of `volumes` images at once. Returns the larger relative error.
fn error<T: Element>(lengths: [usize; 3], samples: usize, volumes: usize) -> f64 {
    let shape = Shape::new(lengths).unwrap();
    let samples = places(samples, lengths.map(|n| n as f64 / 2.0));
    let sums = FourierSums::<T>::new(shape, samples.clone()).unwrap();
    let voxels = voxels(shape);
    let scale = 1.0 / (voxels.len() as f64).sqrt();
    let of = |values: &[f64]| values.iter().map(|&v| T::of(v)).collect::<Vec<T>>();
    let mut worst = 0.0f64;
    let images = numbers(2 * voxels.len() * volumes, 1.3);
    let data = numbers(2 * samples.len() * volumes, 2.1);
    let mut found_data = vec![T::nan(); data.len()];
    sums.forward_all(&of(&images), &mut found_data);
    let mut found_images = vec![T::nan(); images.len()];
    sums.adjoint_all(&of(&data), &mut found_images);
    for volume in 0..volumes {
        let (image, data) = (&images[2 * voxels.len() * volume..], &data[2 * samples.len() * volume..]);
        let forward = of(&definition(&voxels, &image[..2 * voxels.len()], -1.0, &samples, scale));
        let adjoint = of(&definition(&samples, &data[..2 * samples.len()], 1.0, &voxels, scale));
        let pairs = [
            (&found_data[forward.len() * volume..][..forward.len()], &forward),
            (&found_images[adjoint.len() * volume..][..adjoint.len()], &adjoint),
        ];
        for (found, expected) in pairs {
            worst = worst.max(checks::relative_difference(found, expected));
        }
    }
    worst
}

#[test]
fn sums_on_grids_agree_with_the_definition() {
    // The sizes are even, odd and 1. Rows are longer than a panel and longer than a block of terms. Blocks of
    // samples are incomplete, and there are more blocks than are processed at a time.
    for (lengths, samples, volumes) in [
        ([8, 8, 1], 5, 1),
        ([7, 5, 3], 129, 2),
        ([1, 4, 2], 40, 1),
        ([33, 3, 4], 300, 3),
        ([150, 52, 1], 200, 1),
        ([6, 101, 2], 70, 2),
        ([4, 3, 1], 33 * 128 + 7, 1),
        ([1, 1, 1], 3, 1),
    ] {
        let (double, single) =
            (error::<f64>(lengths, samples, volumes), error::<f32>(lengths, samples, volumes));
        println!("{lengths:?} {samples}: {double:.1e} {single:.1e}");
        // The tolerances allow for the rounding of phases of up to 75 turns in f64, and for the rounding of
        // sums in each precision.
        assert!(double < 1e-13, "{lengths:?} {samples} {double:e}");
        assert!(single < 5e-7, "{lengths:?} {samples} {single:e}");
    }
}

#[test]
fn sums_agree_with_finufft() {
    // The script oracles/recon_finufft.py computed the expected values with FINUFFT 2.5.1 and a tolerance of
    // 1e-14.
    let shape = Shape::new([12, 9, 5]).unwrap();
    let sums = FourierSums::<f64>::new(shape, places(400, [6.0, 4.5, 2.5])).unwrap();
    let (mut data, mut image) = (vec![f64::NAN; 800], vec![f64::NAN; 1080]);
    sums.forward(&numbers(1080, 1.3), &mut data);
    sums.adjoint(&numbers(800, 2.1), &mut image);
    let forward = [
        (0, [0.06243854154923385, -0.09456968949813034]),
        (131, [0.020992104295622708, -0.14049966213539938]),
        (399, [0.6714088065655661, 0.8681168545984365]),
    ];
    let adjoint = [
        (0, [0.10273351471838052, -0.07908256754739405]),
        (271, [0.014333521919698692, -0.1358448268052513]),
        (539, [-0.07005034503905036, 0.07062586302443387]),
    ];
    for (found, of_finufft) in [(&data, forward), (&image, adjoint)] {
        for (n, expected) in of_finufft {
            let apart = (found[2 * n] - expected[0]).hypot(found[2 * n + 1] - expected[1]);
            assert!(apart < 1e-12, "{n}: {apart:e}");
        }
    }
}

#[test]
fn sums_at_any_positions_agree_with_the_definition() {
    let (positions, samples) = (places(75, [0.5; 3]), places(261, [40.0, 30.0, 20.0]));
    let (values, data) = (numbers(150, 1.1), numbers(522, 1.9));
    let forward = definition(&positions, &values, -1.0, &samples, 0.25);
    let adjoint = definition(&samples, &data, 1.0, &positions, 0.25);
    let double = ScatteredSums::<f64>::new(positions.clone(), samples.clone(), 0.25).unwrap();
    let (mut found, mut back) = (vec![f64::NAN; 522], vec![f64::NAN; 150]);
    double.forward(&values, &mut found);
    double.adjoint(&data, &mut back);
    assert!(checks::relative_difference(&found, &forward) < 1e-13);
    assert!(checks::relative_difference(&back, &adjoint) < 1e-13);
    let single = ScatteredSums::<f32>::new(positions, samples, 0.25).unwrap();
    checks::all(&single, 5e-7);
    checks::complex_linearity(&single, 5e-7);
    let narrow = |values: &[f64]| values.iter().map(|&v| v as f32).collect::<Vec<_>>();
    let mut found = vec![f32::NAN; 522];
    single.forward(&narrow(&values), &mut found);
    assert!(checks::relative_difference(&found, &narrow(&forward)) < 5e-7);
}

#[test]
fn sums_pass_the_shared_checks() {
    let shape = Shape::new([12, 9, 5]).unwrap();
    let double = FourierSums::<f64>::new(shape, places(400, [6.0, 4.5, 2.5])).unwrap();
    checks::all(&double, 1e-13);
    checks::complex_linearity(&double, 1e-13);
    checks::all(&FourierSums::<f32>::new(shape, places(400, [6.0, 4.5, 2.5])).unwrap(), 5e-7);
}

#[test]
fn sums_do_not_depend_on_the_number_of_threads() {
    let shape = Shape::new([20, 18, 6]).unwrap();
    let sums = FourierSums::<f32>::new(shape, places(9000, [10.0, 9.0, 3.0])).unwrap();
    let image: Vec<f32> = numbers(2 * shape.voxels(), 1.7).iter().map(|&v| v as f32).collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut data, mut back) = (vec![0f32; sums.rows()], vec![0f32; sums.columns()]);
        pool.install(|| {
            sums.forward(&image, &mut data);
            sums.adjoint(&data, &mut back);
        });
        (data, back)
    };
    assert!(on(1) == on(2) && on(1) == on(5));
}

#[test]
fn cartesian_transforms_are_unitary() {
    let shape = Shape::new([6, 4, 2]).unwrap();
    let mut samples = Vec::new();
    for z in -1..1 {
        for y in -2..2 {
            for x in -3..3 {
                samples.push([f64::from(x), f64::from(y), f64::from(z)]);
            }
        }
    }
    let sums = FourierSums::<f64>::new(shape, samples).unwrap();
    let image = numbers(2 * shape.voxels(), 1.3);
    let mut out = vec![f64::NAN; image.len()];
    sums.normal(&image, &mut out);
    assert!(checks::relative_difference(&out, &image) < 1e-14);
}

#[test]
fn invalid_trajectories_are_rejected() {
    let shape = Shape::new([4, 4, 1]).unwrap();
    let message = |samples: Vec<[f64; 3]>| FourierSums::<f32>::new(shape, samples).unwrap_err().to_string();
    assert_eq!(message(vec![]), "trajectory: it has no samples; give one with samples");
    let spoilt = vec![[0.0; 3], [0.0, f64::NAN, 0.0]];
    assert_eq!(
        message(spoilt),
        "trajectory: position number 1 (counted from 0) is not finite; remove or correct this position"
    );
    for lengths in [[0, 4, 1], [1 << 20, 1 << 20, 1], [usize::MAX, 2, 2]] {
        assert!(Shape::new(lengths).unwrap_err().to_string().contains("are not a possible image"));
    }
}

/// Computes the adjoints of several volumes with this limit of GPU memory in bytes.
fn on_gpu(sums: &FourierSums<f32>, data: &[f32], cap: Option<u64>) -> Vec<f32> {
    let gpus = Gpus::open(&[0]).unwrap().with_memory_cap(cap);
    let mut images = vec![f32::NAN; data.len() / sums.rows() * sums.columns()];
    sums.clone().on(Device::Cuda(gpus)).adjoint_all(data, &mut images);
    images
}

#[test]
fn gpu_adjoints_agree_with_the_cpu_up_to_rounding() {
    if !arcuate_emulation::available("gpu_adjoints_agree_with_the_cpu_up_to_rounding") {
        return;
    }
    // The images have more rows than a tile, odd and even numbers of rows, more columns than a tile, several
    // slices, or several volumes. Samples end within a fragment, and there are more than are summed
    // separately.
    for (lengths, samples, volumes) in [
        ([130, 3, 2], 40, 1),
        ([9, 70, 1], 531, 2),
        ([8, 5, 3], 1025, 3),
        ([1, 2, 1], 3, 1),
        ([129, 65, 1], 17, 1),
    ] {
        let shape = Shape::new(lengths).unwrap();
        let reach = lengths.map(|n| n as f64 / 2.0);
        let sums = FourierSums::<f32>::new(shape, places(samples, reach)).unwrap();
        // The data of the volumes have very different magnitudes.
        let data: Vec<f32> = numbers(2 * samples * volumes, 2.1)
            .iter()
            .enumerate()
            .map(|(n, value)| (value * 3e4 * (-(n as f64) / 200.0).exp()) as f32)
            .collect();
        let mut expected = vec![f32::NAN; volumes * sums.columns()];
        sums.adjoint_all(&data, &mut expected);
        let found = on_gpu(&sums, &data, None);
        for (found, expected) in found.chunks_exact(sums.columns()).zip(expected.chunks_exact(sums.columns()))
        {
            let error = checks::relative_difference(found, expected);
            println!("{lengths:?} {samples}: {error:.1e}");
            // The tolerance allows for numbers of 22 bits, the hardware's sine and cosine (7e-7), and sums of
            // up to 128 terms on tensor cores.
            assert!(error < 2e-6, "{lengths:?} {samples} {error:e}");
        }
    }
}

#[test]
fn adjoints_do_not_depend_on_memory() {
    if !arcuate_emulation::available("adjoints_do_not_depend_on_memory") {
        return;
    }
    let shape = Shape::new([5, 66, 2]).unwrap();
    let sums = FourierSums::<f32>::new(shape, places(1100, [2.5, 33.0, 1.0])).unwrap();
    let data: Vec<f32> = numbers(2 * 1100 * 3, 1.9).iter().map(|&v| v as f32).collect();
    let whole = on_gpu(&sums, &data, None);
    // The memory suffices for few samples at a time, and for few slices, which begin and end within volumes.
    for cap in [800_000, 440_000] {
        assert!(on_gpu(&sums, &data, Some(cap)) == whole, "{cap}");
    }
    // Several GPUs share six slices of three volumes, with much memory and with little. Chunks begin anywhere
    // in a volume.
    for cap in [None, Some(440_000)] {
        let Some(device) = two_gpus(cap) else { break };
        let mut images = vec![f32::NAN; whole.len()];
        sums.clone().on(device).adjoint_all(&data, &mut images);
        assert!(images == whole, "{cap:?}");
    }
    // If there are no volumes, there is no work.
    sums.clone().on(Device::Cuda(Gpus::open(&[0]).unwrap())).adjoint_all(&[], &mut []);
}

/// Tests the method that GPUs with little shared memory use.
#[test]
fn adjoints_do_not_depend_on_the_step_method() {
    if !arcuate_emulation::available("adjoints_do_not_depend_on_the_step_method") {
        return;
    }
    let sums = FourierSums::<f32>::new(Shape::new([5, 6, 1]).unwrap(), places(531, [2.5, 3.0, 0.0])).unwrap();
    let data: Vec<f32> = numbers(2 * 531, 1.9).iter().map(|&v| v as f32).collect();
    let whole = on_gpu(&sums, &data, None);
    let mut on_processor = vec![f32::NAN; whole.len()];
    sums.adjoint_all(&data, &mut on_processor);
    // The tolerance is that of `gpu_adjoints_agree_with_the_cpu_up_to_rounding`.
    assert!(checks::relative_difference(&whole, &on_processor) < 2e-6);
    let gpus = Gpus::open(&[0]).unwrap();
    for step in [16, 32] {
        let mut images = vec![f32::NAN; whole.len()];
        super::cuda::adjoint_by(&sums, &gpus, Some(step), &data, &mut images).unwrap();
        assert!(images == whole, "{step}");
    }
}

#[test]
fn insufficient_memory_is_reported() {
    if !arcuate_emulation::available("insufficient_memory_is_reported") {
        return;
    }
    let shape = Shape::new([10, 66, 2]).unwrap();
    let sums = FourierSums::<f32>::new(shape, places(2100, [5.0, 33.0, 1.0])).unwrap();
    let gpus = Gpus::open(&[0]).unwrap().with_memory_cap(Some(1 << 16));
    let error = super::cuda::adjoint(&sums, &gpus, &vec![1.0; 4200], &mut vec![0.0; 2640]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceTooSmall);
    let message = error.to_string();
    assert!(
        message.contains("exact Fourier sums need") && message.contains("64.0 KiB may be used"),
        "{message}"
    );
}

#[test]
fn gpu_pairs_agree_with_the_cpu() {
    if !arcuate_emulation::available("gpu_pairs_agree_with_the_cpu") {
        return;
    }
    let open = |cap| Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(cap));
    let numbers = |count: usize| numbers(count, 1.3);
    // The positions are distant from each other or near, in complete and incomplete groups of 256.
    for (reach, is_near) in [([80.0, 20.0, 0.0], false), ([7.0, 3.0, 0.0], true)] {
        let (few, many) = (places(700, [0.5; 3]), places(1300, reach));
        let wide = ScatteredSums::<f64>::new(few.clone(), many.clone(), 0.7).unwrap();
        let (x, y) = (numbers(wide.columns()), numbers(wide.rows()));
        let products = |sums: &ScatteredSums<f64>| {
            let (mut data, mut image) = (vec![f64::NAN; y.len()], vec![f64::NAN; x.len()]);
            sums.forward(&x, &mut data);
            sums.adjoint(&y, &mut image);
            [data, image]
        };
        let expected = products(&wide);
        for (found, expected) in products(&wide.on(open(None))).iter().zip(&expected) {
            // Phases are up to 50 turns.
            assert!(checks::relative_difference(found, expected) < 3e-14);
        }
        let single = ScatteredSums::<f32>::new(few, many, 0.7).unwrap();
        for forward in [false, true] {
            let placed = super::scattered::places::single(&single.pairs(forward)).unwrap();
            assert_eq!(placed.near.is_some(), is_near, "{reach:?} {forward}");
        }
        let products = |sums: &ScatteredSums<f32>| {
            let narrow = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
            let (mut data, mut image) = (vec![f32::NAN; y.len()], vec![f32::NAN; x.len()]);
            sums.forward(&narrow(&x), &mut data);
            sums.adjoint(&narrow(&y), &mut image);
            [data, image]
        };
        for functions in [Functions::Hardware, Functions::Own] {
            let of = |device| products(&single.clone().with_functions(functions).on(device));
            let found = of(open(None));
            for (found, expected) in found.iter().zip(&expected) {
                let found: Vec<f64> = found.iter().map(|&v| f64::from(v)).collect();
                let error = checks::relative_difference(&found, expected);
                println!("{reach:?} {functions:?}: {error:.1e}");
                // The tolerance allows for phases with an error of 2^-24 of a turn, the hardware's functions,
                // and sums of 128 terms. For nearby positions, the error of phases is proportional to their
                // number of turns.
                let tolerance = if is_near { 1.3e-6 } else { 1e-6 };
                assert!(error < tolerance, "{reach:?} {functions:?} {error:e}");
            }
            // With little memory, positions are copied tile by tile. Two GPUs share the positions.
            assert!(of(open(Some(30_000))) == found);
            assert!(two_gpus(None).is_none_or(|device| of(device) == found));
        }
    }
    // The error of phases increases with the extent of samples and positions. At 800 turns, it is 3 · 2⁻²⁰ of
    // a turn, or 2e-5.
    for (reach, tolerance) in [([200.0, 1.0, 0.0], 2e-6), ([1600.0, 7.0, 90.0], 2e-5)] {
        let (few, many) = (places(60, [0.5; 3]), places(70, reach));
        let wide = ScatteredSums::<f64>::new(few.clone(), many.clone(), 1.0).unwrap();
        let single = ScatteredSums::<f32>::new(few, many, 1.0).unwrap().on(open(None));
        let y = numbers(wide.rows());
        let narrow: Vec<f32> = y.iter().map(|&y| y as f32).collect();
        let (mut expected, mut found) = (vec![f64::NAN; wide.columns()], vec![f32::NAN; wide.columns()]);
        wide.adjoint(&y, &mut expected);
        single.adjoint(&narrow, &mut found);
        let found: Vec<f64> = found.iter().map(|&v| f64::from(v)).collect();
        let error = checks::relative_difference(&found, &expected);
        assert!(error < tolerance, "{reach:?} {error:e}");
    }
    // If phases have more turns, the CPU computes the sums.
    let far = ScatteredSums::<f32>::new(vec![[0.5; 3]], vec![[3e3; 3]], 1.0).unwrap();
    let refused = super::scattered::sum_on_gpus(
        &Gpus::open(&[0]).unwrap(),
        &far.pairs(true),
        &[1f32, 0.0],
        &mut [0.0; 2],
    );
    assert!(refused.unwrap_err().to_string().contains("turns"));
}

#[test]
fn gpu_forward_sums_agree_with_the_cpu_up_to_rounding() {
    if !arcuate_emulation::available("gpu_forward_sums_agree_with_the_cpu_up_to_rounding") {
        return;
    }
    // The images have more rows than a tile, odd and even numbers of rows, more columns than a tile and than
    // a segment, and several slices or volumes. There are several blocks of samples.
    for (lengths, samples, volumes) in [
        ([130, 3, 2], 40, 1),
        ([9, 70, 1], 131, 2),
        ([8, 5, 3], 300, 3),
        ([1, 2, 1], 3, 1),
        ([129, 65, 1], 17, 1),
        ([6, 4, 150], 129, 1),
    ] {
        let shape = Shape::new(lengths).unwrap();
        let reach = lengths.map(|n| n as f64 / 2.0);
        let sums = FourierSums::<f32>::new(shape, places(samples, reach)).unwrap();
        let images: Vec<f32> =
            numbers(volumes * sums.columns(), 2.1).iter().map(|&value| (7e4 * value) as f32).collect();
        let mut expected = vec![f32::NAN; volumes * sums.rows()];
        sums.forward_all(&images, &mut expected);
        let on = |device| {
            let mut found = vec![f32::NAN; expected.len()];
            sums.clone().on(device).forward_all(&images, &mut found);
            found
        };
        let one_gpu = |cap| Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(cap));
        let found = on(one_gpu(None));
        for (found, expected) in found.chunks_exact(sums.rows()).zip(expected.chunks_exact(sums.rows())) {
            let error = checks::relative_difference(found, expected);
            println!("{lengths:?} {samples}: {error:.1e}");
            // The tolerance is that of the adjoints: numbers of 22 bits, the hardware's sine and cosine, and
            // sums of 128 terms on tensor cores.
            assert!(error < 2e-6, "{lengths:?} {samples} {error:e}");
        }
        assert!(two_gpus(None).is_none_or(|device| on(device) == found));
        // The memory suffices for 128 samples at a time, and for 64 tiles of columns if there are more.
        let minimum = if lengths[2] == 150 { 4_400_000 } else { 9_000_000 };
        assert!(on(one_gpu(Some(minimum))) == found, "{lengths:?}");
    }
}

#[test]
fn forward_sums_and_double_precision_run_on_gpus() {
    if !arcuate_emulation::available("forward_sums_and_double_precision_run_on_gpus") {
        return;
    }
    let shape = Shape::new([10, 7, 3]).unwrap();
    let device = Device::Cuda(Gpus::open(&[0]).unwrap());
    let double = FourierSums::<f64>::new(shape, places(321, [5.0, 3.5, 1.5])).unwrap();
    let single = FourierSums::<f32>::new(shape, double.samples().clone()).unwrap();
    let (x, y) = (numbers(2 * double.columns(), 0.7), numbers(2 * double.rows(), 1.9));
    let (mut data, mut image) = (vec![0.0; y.len()], vec![0.0; x.len()]);
    double.forward_all(&x, &mut data);
    double.adjoint_all(&y, &mut image);
    let double = double.on(device.clone());
    let (mut data_there, mut image_there) = (vec![f64::NAN; y.len()], vec![f64::NAN; x.len()]);
    double.forward_all(&x, &mut data_there);
    double.adjoint_all(&y, &mut image_there);
    // The tolerance allows for phases of up to a few turns, and for sums of hundreds of terms in double
    // precision.
    assert!(checks::relative_difference(&data_there, &data) < 1e-14);
    assert!(checks::relative_difference(&image_there, &image) < 1e-14);
    let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let mut found = vec![f32::NAN; y.len()];
    let single = single.on(device);
    single.forward_all(&narrow, &mut found);
    let found: Vec<f64> = found.iter().map(|&v| f64::from(v)).collect();
    // The tolerance is that of sums on a grid.
    assert!(checks::relative_difference(&found, &data) < 2e-6);
    // If pairwise sums are requested, their bits must differ from those of matrix products.
    let mut by_pairs = vec![f32::NAN; y.len()];
    single.clone().pair_by_pair(Functions::Own).forward_all(&narrow, &mut by_pairs);
    assert!(by_pairs.iter().zip(&found).any(|(&a, &b)| f64::from(a) != b));
    let by_pairs: Vec<f64> = by_pairs.iter().map(|&v| f64::from(v)).collect();
    assert!(checks::relative_difference(&by_pairs, &data) < 1e-6);
    let narrow: Vec<f32> = y.iter().map(|&y| y as f32).collect();
    let adjoint = |sums: FourierSums<f32>| {
        let mut found = vec![f32::NAN; x.len()];
        sums.adjoint_all(&narrow, &mut found);
        found
    };
    let found = adjoint(single.clone().pair_by_pair(Functions::Own));
    assert!(found != adjoint(single.pair_by_pair(Functions::Hardware)));
    let found: Vec<f64> = found.iter().map(|&v| f64::from(v)).collect();
    assert!(checks::relative_difference(&found, &image) < 1e-6);
}
