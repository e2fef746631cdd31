//! Tests how an anatomical reference improves an image with little signal. The image is similar to a sodium
//! slice. The reference is similar to a proton image, and has an additional edge.

use arcuate_compute::Device;
use arcuate_core::Control;
use arcuate_phantom::{
    Ellipsoid, Ellipsoids, KSpaceOptions, Trajectory, compare_images, measure_k_space, object_image,
};
use arcuate_recon::{Differences, Iterative, Lambda, Scan, Shape, Toeplitz, iterate, toeplitz};

const SIZE: usize = 48;
const FIELD: f64 = 220.0;

fn ellipse(value: f64, [x, y]: [f64; 2], [a, b]: [f64; 2], degrees: f64) -> Ellipsoid {
    let (sin, cos) = f64::to_radians(degrees).sin_cos();
    Ellipsoid {
        value,
        centre: [x, y, 0.0],
        semi_axes: [a, b, 1.0],
        axes: [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]],
    }
}

/// Creates a head with two ventricles and a lesion. Each kind has the given contrast.
fn head([brain, ventricle, lesion]: [f64; 3]) -> Vec<Ellipsoid> {
    vec![
        ellipse(brain, [0.0, 0.0], [75.0, 95.0], 0.0),
        ellipse(ventricle, [18.0, 10.0], [10.0, 32.0], -15.0),
        ellipse(ventricle, [-18.0, 10.0], [10.0, 32.0], 15.0),
        ellipse(lesion, [38.0, -45.0], [16.0, 13.0], 30.0),
    ]
}

/// Centre and half axes of a shape that exists in the reference only.
const FALSE: [[f64; 2]; 2] = [[-40.0, -45.0], [15.0, 15.0]];

fn image(shapes: Vec<Ellipsoid>) -> Vec<f32> {
    object_image(&Ellipsoids::in_plane(shapes), [SIZE, SIZE, 1], [FIELD; 3])
}

fn scan(shape: Shape, snr: Option<f64>, seed: u64) -> Scan<f32> {
    let path = Trajectory::Radial { voxels: SIZE, spokes: 75, samples: 2 * SIZE }.path().unwrap();
    let options = KSpaceOptions { shape: shape.lengths(), field_of_view_mm: [FIELD; 3], snr, seed };
    let sodium = Ellipsoids::in_plane(head([0.4, 0.6, 0.35]));
    let data = measure_k_space(&sodium, &path.samples, None, &options);
    Scan::new(shape, path.samples, data.into_iter().flatten().collect()).unwrap()
}

fn solved(
    scan: &Scan<f32>,
    operator: &Toeplitz<f32>,
    lambda: f64,
    prior: Option<&Differences<f32>>,
) -> Vec<[f32; 2]> {
    let options = Iterative {
        lambda: Lambda::Fixed(lambda),
        prior: prior.cloned(),
        iterations: 100,
        ..Iterative::default()
    };
    let image = iterate(scan, operator, &options, &Control::default(), |_| {}).unwrap().image;
    image.chunks_exact(2).map(|value| [value[0], value[1]]).collect()
}

#[test]
fn anatomical_priors_beat_tikhonov_and_false_edges_have_little_effect() {
    let shape = Shape::new([SIZE, SIZE, 1]).unwrap();
    let truth: Vec<[f32; 2]> = image(head([0.4, 0.6, 0.35])).into_iter().map(|value| [value, 0.0]).collect();
    // The reference is similar to a proton image. It has other contrasts, a little noise, and an edge that
    // the sodium image does not have.
    let with_noise = |values: Vec<f32>| -> Vec<f32> {
        let noise = |n: usize| 0.02 * (((n as f32 + 1.0) * 0.618_034).fract() - 0.5);
        values.into_iter().enumerate().map(|(n, value)| value + noise(n)).collect()
    };
    let proton = [0.8, -0.6, 0.15];
    let honest = with_noise(image(head(proton)));
    let mut shapes = head(proton);
    shapes.push(ellipse(-0.3, FALSE[0], FALSE[1], 0.0));
    let deceiving = with_noise(image(shapes));
    let [honest, deceiving] = [honest, deceiving].map(|reference| {
        let reference: Vec<_> = reference.into_iter().map(Some).collect();
        Differences::along_anatomy(shape, &reference, None).unwrap()
    });
    let plain = Differences::new(shape);
    // Each prior is compared at its best λ, for three random noises. The SNR is 5 in a voxel of a Cartesian
    // scan.
    let mut margins = Vec::new();
    for seed in 0..3 {
        let scan = scan(shape, Some(5.0), seed);
        let operator = toeplitz(&scan, None, &Device::Cpu).unwrap();
        let best = |prior: Option<&Differences<f32>>| {
            (0..15)
                .map(|n| 10f64.powf(3.0 - 0.25 * f64::from(n)))
                .map(|lambda| {
                    let found = solved(&scan, &operator, lambda, prior);
                    (compare_images(&found, &truth).unwrap().psnr, lambda)
                })
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap()
        };
        let (tikhonov, differences, anatomy) = (best(None), best(Some(&plain)), best(Some(&deceiving)));
        println!("Tikhonov {tikhonov:.3?}, differences {differences:.3?}, anatomy {anatomy:.3?}");
        margins.push((anatomy.0 - tikhonov.0, anatomy.0 - differences.0));
    }
    // With the reference, the PSNR must be 9 dB higher than with Tikhonov's penalty, and 7 dB higher than
    // with smoothing without a reference.
    assert!(
        margins.iter().all(|&(tikhonov, differences)| tikhonov > 9.0 && differences > 7.0),
        "{margins:?}"
    );
    // Without noise, the test measures what the false edge changes: the mean inside the edge minus the mean
    // around it.
    let scan = scan(shape, None, 0);
    let operator = toeplitz(&scan, None, &Device::Cpu).unwrap();
    let contrast = |prior: &Differences<f32>| {
        let found = solved(&scan, &operator, 50.0, Some(prior));
        let (mut inside, mut outside) = ((0.0, 0.0), (0.0, 0.0));
        for (n, value) in found.iter().enumerate() {
            let at = [n % SIZE, n / SIZE].map(|i| FIELD * (i as f64 - (SIZE / 2) as f64) / SIZE as f64);
            let distance = (at[0] - FALSE[0][0]).hypot(at[1] - FALSE[0][1]) / FALSE[1][0];
            let sum = if distance < 0.8 { &mut inside } else { &mut outside };
            if distance < 0.8 || (1.2..1.6).contains(&distance) {
                *sum = (sum.0 + f64::from(value[0]), sum.1 + 1.0);
            }
        }
        inside.0 / inside.1 - outside.0 / outside.1
    };
    // The contrast of the lesion is 0.35.
    let imprint = (contrast(&deceiving) - contrast(&honest)).abs() / 0.35;
    println!("imprint {imprint:.4}");
    assert!(imprint < 0.01, "{imprint}");
}
