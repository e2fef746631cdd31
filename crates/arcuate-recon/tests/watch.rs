//! What is seen of the solves of a reconstruction while they last.

use arcuate_compute::Device;
use arcuate_phantom::{Ellipsoids, KSpaceOptions, Trajectory, measure_k_space};
use arcuate_recon::{Iterative, Lambda, Scan, Shape, iterate, toeplitz};

#[test]
fn every_solve_of_every_channel_is_seen() {
    const SIZE: usize = 12;
    let shape = Shape::new([SIZE, SIZE, 1]).unwrap();
    let path = Trajectory::Radial { voxels: SIZE, spokes: 16, samples: 2 * SIZE }.path().unwrap();
    let field_of_view_mm = [220.0; 3];
    let options = KSpaceOptions { shape: shape.lengths(), field_of_view_mm, snr: Some(20.0), seed: 1 };
    let head = Ellipsoids::shepp_logan_slice(220.0);
    let data: Vec<f32> =
        measure_k_space(&head, &path.samples, None, &options).into_iter().flatten().collect();
    // Two channels that nobody has sensitivities of.
    let data: Vec<f32> = data.iter().copied().chain(data.iter().map(|value| 0.5 * value)).collect();
    let scan = Scan::new(shape, path.samples, data).unwrap();
    let operator = toeplitz(&scan, None, &Device::Cpu).unwrap();
    let starts = |lambda: Lambda| {
        let options = Iterative { lambda, noise: Some(0.05), iterations: 20, ..Iterative::default() };
        let (mut starts, mut last) = (0, 0);
        let solved = iterate(&scan, &operator, &options, |point| {
            starts += usize::from(point.iteration == 0);
            assert!(point.iteration == 0 || point.iteration == last + 1, "{} {last}", point.iteration);
            last = point.iteration;
        });
        (starts, solved.curve.len())
    };
    assert_eq!(starts(Lambda::Fixed(1e-3)), (2, 0));
    let most = Lambda::LCurve.solves();
    assert_eq!(starts(Lambda::LCurve), (2 * most, most));
    let (seen, of_the_first) = starts(Lambda::Discrepancy);
    let most = Lambda::Discrepancy.solves();
    assert!(seen > of_the_first && of_the_first <= most && seen <= 2 * most, "{seen} {of_the_first}");
}
