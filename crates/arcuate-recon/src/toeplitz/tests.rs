use super::*;

fn places(count: usize, lengths: [usize; 3]) -> Vec<[f64; 3]> {
    let number = |n: usize| 2.0 * (n as f64 * 0.618_033_988_749_894_9).fract() - 1.0;
    (0..count)
        .map(|n| std::array::from_fn(|axis| 0.5 * lengths[axis] as f64 * number(3 * n + axis + 1)))
        .collect()
}

fn operator<T: Element>(lengths: [usize; 3], weighted: bool) -> Toeplitz<T> {
    let samples = places(300, lengths);
    let weights = weighted.then(|| {
        let values: Vec<[f64; 2]> = samples.iter().map(|k| [0.5 + k[0].abs(), k[1]]).collect();
        Weights::new(values).unwrap()
    });
    let sums = FourierSums::<T>::new(Shape::new(lengths).unwrap(), samples).unwrap();
    let kernel = Kernel::new(&sums, weights.as_ref());
    Toeplitz::new(sums, weights, Arc::new(kernel)).unwrap()
}

#[test]
fn the_convolution_agrees_with_the_adjoint_of_forward() {
    use arcuate_solve::checks;
    // The sizes n are even, odd and 1. The doubled grid has 2n points, 2n − 1 points (9 and 15), or more (13
    // gives 25, 19 gives 40).
    for lengths in [[8, 12, 1], [13, 5, 4], [1, 6, 3], [19, 8, 17], [40, 1, 1]] {
        for weighted in [false, true] {
            let double = operator::<f64>(lengths, weighted);
            // The tolerance allows for the rounding of Fourier transforms.
            checks::all(&double, 1e-12);
            checks::complex_linearity(&double, 1e-12);
            // The tolerance allows for sums of 300 terms and transforms of up to 5,440 points in single
            // precision.
            checks::all(&operator::<f32>(lengths, weighted), 2e-6);
        }
    }
}

#[test]
fn products_do_not_depend_on_the_number_of_threads() {
    let operator = operator::<f32>([18, 20, 7], false);
    let image: Vec<f32> = (0..operator.columns()).map(|n| (n as f32 * 0.37).sin()).collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = vec![0f32; image.len()];
        pool.install(|| {
            let kernel = Kernel::new(operator.sums(), None);
            assert!(kernel == *operator.kernel);
            operator.normal(&image, &mut out);
        });
        out
    };
    assert!(on(1) == on(2) && on(1) == on(7));
}

#[test]
fn kernels_of_other_trajectories_are_rejected() {
    let operator = operator::<f32>([8, 12, 1], false);
    let mut moved = operator.sums().samples().to_vec();
    moved[3][1] += 1e-9;
    let sums = FourierSums::<f32>::new(operator.sums().shape(), moved).unwrap();
    let error = Toeplitz::new(sums, None, Arc::clone(&operator.kernel)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Q: it was computed for another trajectory, image size, precision or sample weights; give the kernel \
         file that was saved for these data, or write the kernel again with ‘save_q’"
    );
    let weights = Weights::new(vec![[1.0, 0.5]; 300]).unwrap();
    assert!(Toeplitz::new(operator.sums().clone(), Some(weights), Arc::clone(&operator.kernel)).is_err());
    let kernel = &operator.kernel;
    let again =
        Kernel::from_parts(kernel.shape(), *kernel.fingerprint(), kernel.spectrum().to_vec()).unwrap();
    assert_eq!(again, **kernel);
    for (spectrum, problem) in [
        (
            vec![1.0; 16 * 24],
            "Q: the kernel Q has 384 numbers, but a grid of [15, 24, 1] has 360; write the kernel again with \
             ‘save_q’",
        ),
        (
            vec![f32::NAN; 15 * 24],
            "Q: the kernel Q has a value that is not finite; write the kernel again with ‘save_q’",
        ),
    ] {
        let error = Kernel::from_parts(kernel.shape(), *kernel.fingerprint(), spectrum).unwrap_err();
        assert_eq!(error.to_string(), problem);
    }
}

#[test]
fn gpu_products_agree_with_the_cpu() {
    use arcuate_compute::DeviceChoice;
    use arcuate_solve::checks;
    fn check<T: Element>(lengths: [usize; 3], tolerance: f64) {
        let here = operator::<T>(lengths, true);
        let sums = here.sums().clone().on(DeviceChoice::Cuda(vec![0]).open(None).unwrap());
        let there = Toeplitz::new(sums, here.weights.clone(), Arc::clone(&here.kernel)).unwrap();
        assert!(there.device_normal().is_some());
        checks::normal(&there, tolerance);
        let images: Vec<T> = (0..2 * here.columns()).map(|n| T::of((n as f64 * 0.37).sin())).collect();
        let (mut expected, mut found) = (vec![T::nan(); images.len()], vec![T::nan(); images.len()]);
        here.normal_all(&images, &mut expected);
        there.normal_all(&images, &mut found);
        assert!(checks::relative_difference(&found, &expected) < tolerance, "{lengths:?}");
    }
    if !arcuate_emulation::available("Toeplitz products on a GPU") {
        return;
    }
    // Two threads use one operator at the same time, each in its own stream.
    let here = operator::<f32>([13, 5, 4], false);
    let sums = here.sums().clone().on(DeviceChoice::Cuda(vec![0]).open(None).unwrap());
    let there = Toeplitz::new(sums, None, Arc::clone(&here.kernel)).unwrap();
    let product = |step: f64| {
        let image: Vec<f32> = (0..here.columns()).map(|n| (n as f64 * step).sin() as f32).collect();
        let mut out = vec![f32::NAN; image.len()];
        there.normal(&image, &mut out);
        out
    };
    let alone = [0.3, 0.7].map(product);
    for _ in 0..10 {
        let both = rayon::join(|| product(0.3), || product(0.7));
        assert!([both.0, both.1] == alone);
    }
    for lengths in [[8, 12, 1], [13, 5, 4], [1, 6, 3], [19, 8, 17], [40, 1, 1], [1, 1, 1]] {
        // The expected products are exact sums of 300 terms.
        check::<f64>(lengths, 1e-12);
        check::<f32>(lengths, 3e-6);
    }
    // The doubled sizes have specialised kernels: 128, 192, 256, 384 and 512.
    for length in [64, 96, 128, 192, 256] {
        check::<f32>([1, length, 1], 3e-6);
    }
}

#[test]
fn gpus_compute_the_right_side() {
    use arcuate_compute::DeviceChoice;
    use arcuate_solve::{QuadraticProblem, ResidualRule, checks, conjugate_gradients};
    if !arcuate_emulation::available("a right side in a GPU") {
        return;
    }
    let device = |cap| DeviceChoice::Cuda(vec![0]).open(cap).unwrap();
    let rule = ResidualRule { tolerance: 1e-6, misfit: None, iterations: 20 };
    let data = |count: usize| (0..count).map(|n| (n as f64 * 0.37).sin() as f32).collect::<Vec<f32>>();
    for (lengths, weights) in [([13, 5, 4], true), ([9, 70, 1], false)] {
        let here = operator::<f32>(lengths, weights);
        let on = |cap| {
            let sums = here.sums().clone().on(device(cap));
            Toeplitz::new(sums, here.weights.clone(), Arc::clone(&here.kernel)).unwrap()
        };
        let (data, there) = (data(here.rows()), on(None));
        // The right side must have the bits of the adjoint.
        let placed = there.device_normal().unwrap();
        let stream = placed.gpu().stream().unwrap();
        let mut image = placed.gpu().alloc(there.columns()).unwrap();
        placed.adjoint(&stream, &data, &mut image).expect("sums in single precision").unwrap();
        let mut expected = vec![f32::NAN; there.columns()];
        there.adjoint(&data, &mut expected);
        assert!(image.to_vec(&stream).unwrap() == expected, "{lengths:?}");
        // The solution must be the same as with the right side from the host.
        let solve = |problem: QuadraticProblem<'_, f32>| {
            conjugate_gradients(&problem.with_penalty(0.3, None), None, &rule, |_| true)
        };
        let own = solve(QuadraticProblem::new(&there, &data));
        let given = solve(QuadraticProblem::from_right_side(&there, expected, own.misfit));
        assert!(own.unknowns == given.unknowns && own.trace.len() > 3);
        let on_the_processor = solve(QuadraticProblem::new(&here, &data));
        let error = checks::relative_difference(&own.unknowns, &on_the_processor.unknowns);
        // The tolerance allows for rounding errors of 1e-6, times a condition number of some hundreds.
        assert!(error > 0.0 && error < 1e-3, "{error:e}");
    }
    // In double precision, the right side comes from the host.
    let wide = operator::<f64>([8, 12, 1], false);
    let wide = Toeplitz::new(wide.sums().clone().on(device(None)), None, Arc::clone(&wide.kernel)).unwrap();
    let placed = wide.device_normal().unwrap();
    let stream = placed.gpu().stream().unwrap();
    let mut image = placed.gpu().alloc(wide.columns()).unwrap();
    assert!(placed.adjoint(&stream, &vec![0.0; wide.rows()], &mut image).is_none());
}

#[test]
fn gpu_kernels_agree_with_the_cpu() {
    use arcuate_solve::checks;
    fn check<T: Element>(lengths: [usize; 3], tolerance: f64) {
        let here = operator::<T>(lengths, true);
        let on = |cap| {
            let sums =
                here.sums().clone().on(arcuate_compute::DeviceChoice::Cuda(vec![0]).open(cap).unwrap());
            let lags = cpu::lags(&here.sums, here.weights.as_ref());
            spectrum_on(sums.device(), sums.shape(), doubled(sums.shape()), &lags)
        };
        let there = on(None);
        let error = checks::relative_difference(&there, here.kernel.spectrum());
        assert!(error < tolerance, "{lengths:?} {error:e}");
        // The memory suffices for one plane at a time.
        if lengths == [19, 8, 17] {
            assert!(on(Some(if tolerance < 1e-10 { 360_000 } else { 180_000 })) == there);
        }
    }
    if !arcuate_emulation::available("a kernel made on a GPU") {
        return;
    }
    for lengths in [[8, 12, 1], [13, 5, 4], [1, 6, 3], [19, 8, 17], [40, 1, 1], [1, 1, 1]] {
        // The lags are the same, and the transforms differ by rounding.
        check::<f64>(lengths, 1e-15);
        check::<f32>(lengths, 4e-7);
    }
}
