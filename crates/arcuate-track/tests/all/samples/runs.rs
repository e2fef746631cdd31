//! Repeated runs of one tracker, which reuses data that they have in common.

use crate::common::kept::Kept;
use crate::common::samples::region;
use crate::samples::warps::{regions, seeds_by, table, warped};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Affine, Control, Grid, StreamlineSink, Tractogram};
use arcuate_track::{
    Constraints, Jitter, Mapping, OrientationTable, SampleOptions, SampleOutputs, SampleTracker,
    SampleTracks, Seeds,
};
use std::sync::Arc;

/// Input and requested outputs of a run.
struct RunRequest {
    seeds: Seeds,
    regions: Constraints,
    options: SampleOptions,
    map: Option<(Grid, Option<Arc<Mapping>>)>,
    lengths: bool,
    gives: Gives,
}

/// Destination of streamlines.
#[derive(Clone, Copy, Debug)]
enum Gives {
    Nowhere,
    InOrder,
    OnGpus,
}

/// Streamlines and results of a run.
type Answer = (Tractogram, SampleTracks);

impl RunRequest {
    fn of(&self, tracker: &SampleTracker<'_>) -> Answer {
        let (mut streamlines, mut kept) = (Tractogram::new(), Kept::default());
        let (map, lengths) = (self.map.clone(), self.lengths);
        let outputs = SampleOutputs { map, lengths, ..SampleOutputs::default() };
        let outputs = match self.gives {
            Gives::Nowhere => outputs,
            Gives::InOrder => {
                SampleOutputs { sink: Some(&mut streamlines as &mut dyn StreamlineSink), ..outputs }
            }
            Gives::OnGpus => SampleOutputs { device_sink: Some(&mut kept), ..outputs },
        };
        let Self { seeds, regions, options, .. } = self;
        let tracks = tracker.track(seeds, regions, options, outputs, &Control::default()).unwrap();
        for streamlines_of in [kept.on_host.clone(), kept.streamlines()] {
            streamlines_of.as_batch().iter().for_each(|points| streamlines.push(points));
        }
        (streamlines, tracks)
    }
}

fn assert_same(found: &Answer, expected: &Answer, which: &str) {
    let bits = |(t, _): &Answer| -> (Vec<u64>, Vec<u32>) {
        (t.offsets().to_vec(), t.positions().iter().flatten().map(|c| c.to_bits()).collect())
    };
    assert_eq!(found.1.summary, expected.1.summary, "{which}");
    assert!(found.1.map == expected.1.map, "{which}: other maps");
    assert!(found.1.target_hits == expected.1.target_hits, "{which}: other hits of targets");
    assert!(bits(found) == bits(expected), "{which}: other streamlines");
}

/// Creates runs. Some are equal, and others need more, less or different memory than the run before.
fn requests(table: &OrientationTable) -> Vec<RunRequest> {
    let there = warped([9, 8, 10], [7.0, 8.0, 6.0], [-30.0, -25.0, -20.0], 2.0);
    let back = warped([10, 9, 8], [5.0, 6.0, 7.0], [-24.0, -24.0, -24.0], 1.0);
    let grid = Grid::new([40, 36, 44], Affine::scaling([1.5, 1.6, 1.4], [-32.0, -20.0, -20.0])).unwrap();
    let small = Grid::new([20, 20, 20], Affine::scaling([3.0; 3], [-32.0, -20.0, -20.0])).unwrap();
    let (warped_map, small_map) = (Some((grid, Some(Arc::clone(&there)))), Some((small, None)));
    let few = regions(table);
    let targets = |n: usize| region("target", table.grid(), move |[i, j, k]| (i + j + k) % 35 == n);
    let many = Constraints { targets: (0..35).map(targets).collect(), ..Constraints::default() };
    let stops = Constraints { avoid: Vec::new(), waypoints: Vec::new(), ..few.clone() };
    let loops = SampleOptions { loop_check: true, ..SampleOptions::default() };
    let short = SampleOptions { max_steps: 60, seed: 4, ..SampleOptions::default() };
    let seeds = |jitter| seeds_by(Arc::clone(&back), jitter);
    let plain = Seeds::Random { mask: table.mask().unwrap(), mapping: None, count: 500 };
    let request =
        |seeds, regions: &Constraints, options: &SampleOptions, map: &Option<_>, lengths, gives| RunRequest {
            seeds,
            regions: regions.clone(),
            options: options.clone(),
            map: map.clone(),
            lengths,
            gives,
        };
    let (none, standard) = (Constraints::default(), SampleOptions::default());
    let no_map: Option<(Grid, Option<Arc<Mapping>>)> = None;
    vec![
        request(seeds(Jitter::Voxel), &few, &standard, &warped_map, true, Gives::Nowhere),
        // Only the regions differ from the previous run.
        request(seeds(Jitter::Voxel), &stops, &standard, &warped_map, true, Gives::Nowhere),
        request(seeds(Jitter::None), &stops, &standard, &warped_map, false, Gives::Nowhere),
        // There are more regions than one word has bits.
        request(seeds(Jitter::None), &many, &standard, &small_map, false, Gives::InOrder),
        request(plain.clone(), &none, &standard, &no_map, false, Gives::InOrder),
        request(seeds(Jitter::None), &few, &loops, &warped_map, true, Gives::OnGpus),
        request(seeds(Jitter::None), &few, &short, &warped_map, true, Gives::OnGpus),
        request(plain, &many, &short, &small_map, true, Gives::OnGpus),
        request(seeds(Jitter::Voxel), &few, &standard, &warped_map, true, Gives::Nowhere),
    ]
}

fn gpus(ordinals: &[usize]) -> Gpus {
    Gpus::open(ordinals).unwrap()
}

#[test]
fn repeated_runs_of_one_tracker_equal_separate_runs() {
    let table = table();
    let tracker = SampleTracker::new(&table, &Device::Cpu).unwrap();
    for (n, request) in requests(&table).iter().enumerate() {
        let alone = request.of(&SampleTracker::new(&table, &Device::Cpu).unwrap());
        assert_same(&request.of(&tracker), &alone, &format!("run {n}"));
    }
}

#[test]
fn repeated_gpu_runs_of_one_tracker_equal_separate_runs() {
    if !arcuate_emulation::available("repeated_gpu_runs_of_one_tracker_equal_separate_runs") {
        return;
    }
    let table = table();
    let on_host = SampleTracker::new(&table, &Device::Cpu).unwrap();
    let requests = requests(&table);
    let expected: Vec<Answer> = requests.iter().map(|request| request.of(&on_host)).collect();
    let mut devices = vec![gpus(&[0])];
    devices.extend(Gpus::open(&[0, 1]).ok());
    for gpus in devices {
        let device = Device::Cuda(gpus);
        let tracker = SampleTracker::new(&table, &device).unwrap();
        for (n, (request, expected)) in requests.iter().zip(&expected).enumerate() {
            let found = request.of(&tracker);
            assert_ne!(found.1.device_name, "the processor");
            assert_same(&found, expected, &format!("{device:?}, run {n}"));
        }
    }
}

#[test]
fn concurrent_runs_are_independent() {
    if !arcuate_emulation::available("concurrent_runs_are_independent") {
        return;
    }
    let table = table();
    let on_host = SampleTracker::new(&table, &Device::Cpu).unwrap();
    let requests = requests(&table);
    let tracker = SampleTracker::new(&table, &Device::Cuda(gpus(&[0]))).unwrap();
    for _ in 0..2 {
        std::thread::scope(|scope| {
            for n in [0, 1, 5] {
                let (request, tracker, on_host) = (&requests[n], &tracker, &on_host);
                scope.spawn(move || {
                    assert_same(&request.of(tracker), &request.of(on_host), &format!("run {n}"));
                });
            }
        });
    }
}

#[test]
fn equal_runs_allocate_no_additional_memory() {
    if !arcuate_emulation::available("equal_runs_allocate_no_additional_memory") {
        return;
    }
    let table = table();
    let gpus = gpus(&[0]);
    let held = || gpus[0].allocated_bytes();
    let tracker = SampleTracker::new(&table, &Device::Cuda(gpus.clone())).unwrap();
    let (of_table, requests) = (held(), requests(&table));
    requests[0].of(&tracker);
    let of_one = held();
    // The buffers of a run need at least 12 bytes per voxel of its map.
    assert!(of_one > of_table + 40 * 36 * 44 * 12, "{of_one} bytes after {of_table}");
    for n in [0, 8] {
        requests[n].of(&tracker);
        assert_eq!(held(), of_one, "run {n}");
    }
    // A run that needs less memory frees the rest.
    requests[1].of(&tracker);
    assert!((of_table + 1..of_one).contains(&held()), "{} bytes", held());
    drop(tracker);
    assert_eq!(held(), 0);
}

#[test]
fn memory_of_earlier_runs_is_freed_if_memory_is_short() {
    if !arcuate_emulation::available("memory_of_earlier_runs_is_freed_if_memory_is_short") {
        return;
    }
    let table = table();
    let on_host = SampleTracker::new(&table, &Device::Cpu).unwrap();
    let little = gpus(&[0]).with_memory_cap(Some(table.bytes() + (5 << 20)));
    let tracker = SampleTracker::new(&table, &Device::Cuda(little)).unwrap();
    let requests = requests(&table);
    // The first run uses half of the memory for few lanes. The second run needs more than the remaining
    // memory.
    for n in [4, 0, 6, 4] {
        let found = requests[n].of(&tracker);
        assert_ne!(found.1.device_name, "the processor");
        assert_same(&found, &requests[n].of(&on_host), &format!("run {n}"));
    }
}
