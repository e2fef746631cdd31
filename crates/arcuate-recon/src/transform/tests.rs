use super::*;
use crate::{Element, fast_length};
use arcuate_compute::cuda::Gpu;
use arcuate_fourier::Planned;
use num_complex::Complex;

#[test]
fn radices_are_few_and_even() {
    for (length, expected) in [
        (1, vec![1]),
        (16, vec![16]),
        (18, vec![6, 3]),
        (256, vec![16, 16]),
        (450, vec![15, 6, 5]),
        (512, vec![8, 8, 8]),
        (1024, vec![16, 8, 8]),
    ] {
        assert_eq!(radices_of(length), expected, "{length}");
    }
    for length in (1..4000).map(fast_length) {
        let radices = radices_of(length);
        assert_eq!(radices.iter().product::<usize>(), length);
        assert!(radices.iter().all(|&radix| radix <= 16) && radices.len() <= 16);
    }
}

#[test]
fn too_many_columns_are_rejected() {
    use super::cuda::counts;
    let rows = Lines { count: 9, stride: 1, inner_stride: 9, outer_stride: 0 };
    let columns = Lines { count: 9, stride: 255, inner_stride: 1, outer_stride: 4000 };
    assert_eq!(counts::<u8>(255, 17, &rows, &columns).unwrap(), [255, 17, 9, 1, 1, 255]);
    assert!(counts::<u8>(256, 17, &rows, &columns).is_err());
    assert!(counts::<u8>(255, 256, &rows, &columns).is_err());
    for lines in [Lines { stride: 256, ..columns }, Lines { inner_stride: 256, ..columns }] {
        assert!(
            counts::<u8>(255, 17, &rows, &lines).is_err() && counts::<u8>(255, 17, &lines, &rows).is_err()
        );
    }
    // Strides between groups of columns have 64 bits.
    let apart = Lines { outer_stride: 1 << 40, ..columns };
    assert!(counts::<u32>(1 << 31, 17, &rows, &apart).is_ok());
}

/// Returns complex values without a regular pattern.
fn values<T: Element>(count: usize) -> Vec<T> {
    (0..count).map(|n| T::of(2.0 * (n as f64 * 0.618_033_988_749_894_9).fract() - 1.0)).collect()
}

/// Returns the largest difference from rustfft in double precision, relative to the norm of a row. Transforms
/// three rows of each length in both directions. The rows are padded or cropped, and are transformed across
/// and along.
fn difference<T: Element>(gpu: &Gpu, length: usize) -> f64 {
    const ROWS: usize = 21;
    let stream = gpu.stream().unwrap();
    let transform = AxisTransform::<T>::new(gpu, &stream, length).unwrap();
    let count = length.div_ceil(2);
    let input = values::<T>(2 * ROWS * count);
    let from = gpu.upload(&stream, &input).unwrap();
    // The rows of one array become columns of another array.
    let mut there = gpu.alloc::<T>(2 * ROWS * length).unwrap();
    let mut back = gpu.alloc::<T>(2 * ROWS * count).unwrap();
    let rows = Lines { count, stride: 1, inner_stride: count, outer_stride: 0 };
    let columns = Lines { count: length, stride: ROWS, inner_stride: 1, outer_stride: 0 };
    #[allow(unsafe_code)]
    // SAFETY: the rows and columns are within both arrays, which have the allocated sizes.
    unsafe {
        let to = (there.view_mut(), &columns);
        transform.run(&stream, false, (ROWS, ROWS), (from.view(), &rows), to, Maps::None).unwrap();
        let to = (back.view_mut(), &rows);
        transform.run(&stream, true, (ROWS, ROWS), (there.view(), &columns), to, Maps::None).unwrap();
    }
    let (there, back) = (there.to_vec(&stream).unwrap(), back.to_vec(&stream).unwrap());
    let [reference] = f64::plan([length]);
    let mut worst = 0f64;
    for row in 0..ROWS {
        let mut expected = vec![Complex::new(0.0, 0.0); length];
        for n in 0..count {
            let at = 2 * (row * count + n);
            expected[n] = Complex::new(input[at].double(), input[at + 1].double());
        }
        let scale = length as f64 * expected.iter().map(Complex::norm_sqr).sum::<f64>();
        for n in 0..count {
            let at = 2 * (row * count + n);
            let returned = Complex::new(back[at].double(), back[at + 1].double()) / length as f64;
            worst = worst.max((returned - expected[n]).norm() * (length as f64 / scale).sqrt());
        }
        reference.forward.process(&mut expected);
        for (n, expected) in expected.iter().enumerate() {
            let at = 2 * (n * ROWS + row);
            let got = Complex::new(there[at].double(), there[at + 1].double());
            worst = worst.max((got - expected).norm() / scale.sqrt());
        }
    }
    worst
}

#[test]
fn gpu_transforms_agree_with_rustfft() {
    if !arcuate_emulation::available("gpu_transforms_agree_with_rustfft") {
        return;
    }
    let gpu = Gpu::open(0).unwrap();
    // The lengths have every radix alone and after other radices. 1,024 and 4,050 have at least three stages.
    // All lengths with specialised kernels are included.
    for length in [
        1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 25, 27, 32, 45, 60, 96, 128, 192, 225, 250, 256, 384,
        450, 512, 1024, 4050,
    ] {
        // The error of one number is compared with the norm of its row. The tolerance allows for the rounding
        // of a few units in each of up to five stages.
        let (single, double) = (difference::<f32>(&gpu, length), difference::<f64>(&gpu, length));
        assert!(single < 3e-7 && double < 6e-16, "{length}: {single:e} {double:e}");
    }
}
