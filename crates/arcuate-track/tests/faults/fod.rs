//! FOD tracking on a GPU that fails gives one warning and bit-identical results.

use crate::alone;
use crate::common::fod::{Problem, bits, gpu};
use arcuate_emulation::{Faults, available_with_fallback, emulated};
use arcuate_test_support::with_captured_log;
use tracing::Level;

const LINE: &str = "tracking: the GPU failed";

#[test]
fn failing_kernels_give_a_warning_and_the_same_results() {
    let _alone = alone();
    if !available_with_fallback("failing kernels of distributions") || !emulated() {
        return;
    }
    for (mut problem, room, kernel) in [
        (Problem::new(), 2 << 20, "fod_follow_arcs"),
        (Problem::in_tissues(), 3 << 20, "fod_follow_arcs_in_tissues"),
    ] {
        // Each streamline needs so much memory that there are several launches.
        problem.options.max_length_mm = 3000.0;
        let memory = problem.image.voxels() as u64 * 192 + room;
        let (expected, here) = problem.follow(&arcuate_compute::Device::Cpu);
        for nth in [1, 2, 3] {
            let faults = Faults::begin();
            faults.fail_launch(kernel, nth);
            let ((found, there), log) = with_captured_log(Level::WARN, || problem.follow(&gpu(Some(memory))));
            let report = arcuate_emulation::last_report();
            drop(faults);
            assert!(report.contains(&format!("{kernel} fails")), "{kernel}: launch {nth} was none");
            assert_eq!(there.summary, here.summary, "{kernel}: launch {nth}");
            assert!(bits(&found) == bits(&expected), "{kernel}: launch {nth}");
            // Later launches run in another thread while streamlines are delivered. The captured log lacks
            // warnings of that thread.
            let lines = log.matches(LINE).count();
            assert!(lines == 1 || nth > 1 && lines == 0, "{kernel}: launch {nth}: {log}");
        }
    }
}

#[test]
fn running_out_of_memory_does_not_change_results() {
    let _alone = alone();
    if !available_with_fallback("failing allocations of distributions") || !emulated() {
        return;
    }
    let problem = Problem::new();
    let (expected, here) = problem.follow(&arcuate_compute::Device::Cpu);
    let mut fell_back = 0;
    for successes in 0..20 {
        let faults = Faults::begin();
        faults.fail_allocation_after(successes);
        let ((found, there), log) = with_captured_log(Level::WARN, || problem.follow(&gpu(None)));
        drop(faults);
        assert_eq!(there.summary, here.summary, "after {successes}");
        assert!(bits(&found) == bits(&expected), "after {successes}");
        let fell = log.matches(LINE).count();
        assert!(fell <= 1, "after {successes}: {log}");
        fell_back += fell;
    }
    // With few successful allocations memory always runs out. With many it never does.
    assert!((5..20).contains(&fell_back), "{fell_back}");
    // The image is larger than the allowed GPU memory.
    let ((found, there), log) = with_captured_log(Level::WARN, || problem.follow(&gpu(Some(100_000))));
    assert!(there == here && bits(&found) == bits(&expected));
    assert_eq!(log.matches(LINE).count(), 1, "{log}");
}
