//! Tests of the emulation's reports of wrong kernels, and of faults that tests request.

use crate::common::Bench;
use arcuate_compute::arguments;
use arcuate_compute::cuda::{Argument, Buffer, Grid};
use arcuate_emulation::{Faults, last_report, live_allocations, sanitized, set_order};

/// Returns a device that the test may break and that is restored at the end, or `None` on a real GPU.
fn breakable(test: &str) -> Option<(Faults, Bench)> {
    if arcuate_emulation::available(test) && !arcuate_emulation::emulated() {
        eprintln!("skipped {test}: it would break a real device");
    }
    // `Faults` is taken first, so that no fault of another test affects this test.
    let faults = arcuate_emulation::emulated().then(Faults::begin)?;
    Some((faults, Bench::new(test, 0)?))
}

/// Runs a kernel that must fail with this error, and returns the emulation's report.
fn report_of(bench: &Bench, name: &str, grid: Grid, arguments: &[Argument<'_>], error: &str) -> String {
    let found = bench.run(name, grid, arguments).expect_err("a wrong kernel was not noticed").to_string();
    assert!(found.contains(error) && found.contains(name), "{found}");
    let report = last_report();
    assert!(report.contains(name), "{report}");
    report
}

fn zeros(bench: &Bench, len: usize) -> Buffer<u32> {
    bench.gpu.alloc(len).unwrap()
}

#[test]
fn barriers_that_some_threads_miss_are_deadlocks() {
    let Some((_faults, bench)) = breakable("barriers_that_some_threads_miss_are_deadlocks") else { return };
    let mut out = zeros(&bench, 64);
    let grid = Grid::row(3, 64);
    let report =
        report_of(&bench, "emulation_wrong_barrier", grid, &arguments![&mut out], "CUDA_ERROR_LAUNCH_FAILED");
    assert_eq!(
        report,
        "deadlock in kernel emulation_wrong_barrier, block (1, 0, 0) of 64 threads: at __syncthreads threads 0-2, 4-63; \
         at __syncwarp with mask 0x00000018 threads 3; 0 threads have ended"
    );
}

#[test]
fn shuffles_that_some_lanes_miss_are_deadlocks() {
    let Some((_faults, bench)) = breakable("shuffles_that_some_lanes_miss_are_deadlocks") else { return };
    let mut out = zeros(&bench, 32);
    let grid = Grid::row(1, 32);
    let report =
        report_of(&bench, "emulation_wrong_shuffle", grid, &arguments![&mut out], "CUDA_ERROR_LAUNCH_FAILED");
    assert!(
        report.contains("at __syncthreads threads 8-31; at a shuffle with mask 0x0000ffff threads 0-7;"),
        "{report}"
    );
}

#[test]
fn masks_and_barriers_must_match_the_running_lanes() {
    let Some((faults, bench)) = breakable("masks_and_barriers_must_match_the_running_lanes") else { return };
    let mut out = zeros(&bench, 32);
    let grid = Grid::row(1, 32);
    let failed = "CUDA_ERROR_LAUNCH_FAILED";
    let report = report_of(&bench, "emulation_wrong_mask", grid, &arguments![&mut out], failed);
    assert!(report.contains("calls a shuffle with mask 0x000000ff, which lacks its own lane"), "{report}");
    faults.heal();
    let report = report_of(&bench, "emulation_wrong_barriers", grid, &arguments![&mut out], failed);
    assert!(report.contains("while other threads wait at __syncthreads"), "{report}");
    faults.heal();
    let report = report_of(&bench, "emulation_wrong_trap", Grid::row(2, 2), &arguments![&mut out], failed);
    assert!(report.contains("the kernel trapped"), "{report}");
}

#[test]
fn block_barriers_must_be_the_same_instruction() {
    let Some((_faults, bench)) = breakable("block_barriers_must_be_the_same_instruction") else {
        return;
    };
    let report = report_of(&bench, "emulation_wrong_code", Grid::row(1, 64), &[], "CUDA_ERROR_LAUNCH_FAILED");
    assert!(report.contains("comes to __syncthreads at another place than other threads"), "{report}");
    // The two warps are at the same line, but in two instances of a function.
    assert!(
        report.contains("WARP = 0") && report.contains("WARP = 1") && report.contains(", line "),
        "{report}"
    );
}

#[test]
fn invalid_named_barriers_are_rejected() {
    let Some((faults, bench)) = breakable("invalid_named_barriers_are_rejected") else { return };
    let report = |name: &str, threads: u32, arguments: &[Argument<'_>]| {
        let report = report_of(&bench, name, Grid::row(1, threads), arguments, "CUDA_ERROR_LAUNCH_FAILED");
        faults.heal();
        report
    };
    let meeting =
        |number: u32, threads: u32| report("emulation_wrong_meeting", 96, &arguments![number, threads]);
    let missing = meeting(1, 96);
    assert_eq!(
        missing,
        "deadlock in kernel emulation_wrong_meeting, block (0, 0, 0) of 96 threads: at barrier_sync(1, 96) threads 0-63; \
         32 threads have ended"
    );
    for number in [0, 16] {
        assert!(meeting(number, 64).contains("numbers are 1 to 15"));
    }
    for threads in [0, 48, 128] {
        assert!(meeting(1, threads).contains("warps come as a whole, 3 of them at most"));
    }
    let counts = report("emulation_wrong_count", 96, &[]);
    assert!(counts.contains("while other threads wait at barrier_sync(1, "), "{counts}");
    let lanes = report("emulation_wrong_lanes", 32, &[]);
    assert!(lanes.contains("at another place than other lanes of its warp"), "{lanes}");
}

#[test]
fn out_of_bounds_writes_are_detected() {
    let Some((faults, bench)) = breakable("out_of_bounds_writes_are_detected") else { return };
    if sanitized() {
        return; // The sanitizer ends the process at this error. tests/all/sanitizers.rs tests this case.
    }
    let grid = Grid::row(1, 1);
    let name = "emulation_wrong_place";
    let mut out = zeros(&bench, 20);
    bench.run(name, grid, &arguments![&mut out, 19_u32]).unwrap();
    for beside in [20_u32, 40] {
        let report =
            report_of(&bench, name, grid, &arguments![&mut out, beside], "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert!(report.contains("wrote next to an allocation of 80 bytes of device 0"), "{report}");
        assert!(
            bench.gpu.alloc::<u32>(1).is_err(),
            "everything fails until the device is healed, as on a GPU"
        );
        faults.heal();
    }
    let report = report_of(
        &bench,
        "emulation_wrong_shared",
        grid.shared(64),
        &arguments![16_u32],
        "CUDA_ERROR_LAUNCH_FAILED",
    );
    assert!(report.contains("wrote behind its 64 bytes of dynamic shared memory"), "{report}");
}

#[test]
fn unwritten_memory_is_garbage_in_every_block() {
    let Some((_faults, bench)) = breakable("unwritten_memory_is_garbage_in_every_block") else { return };
    let mut out = zeros(&bench, 2 * 50);
    bench.run("emulation_wrong_unwritten", Grid::row(50, 1).shared(16), &arguments![&mut out]).unwrap();
    assert_eq!(out.to_vec(&bench.stream).unwrap(), [0xa5a5_a5a5; 100]);
}

#[test]
fn different_thread_orders_reveal_races() {
    let Some((_faults, bench)) = breakable("different_thread_orders_reveal_races") else { return };
    let mut out = zeros(&bench, 64);
    let mut seen = Vec::new();
    for order in [0, 1, 2, 3, 3] {
        set_order(order);
        bench.run("emulation_wrong_race", Grid::row(1, 64), &arguments![&mut out]).unwrap();
        seen.push(out.to_vec(&bench.stream).unwrap());
    }
    let right: Vec<u32> = (0..64).map(|thread| (thread + 1) % 64).collect();
    assert!(seen.iter().all(|values| *values != right), "a missing barrier was not noticed");
    assert_eq!(seen[3], seen[4], "an order is the same every time");
    seen.dedup();
    assert_eq!(seen.len(), 4, "orders differ");

    let mut last: Vec<u32> = Vec::new();
    for order in 1..=8 {
        set_order(order);
        bench.run("emulation_wrong_order", Grid::row(1, 256), &arguments![&mut out]).unwrap();
        last.push(out.to_vec(&bench.stream).unwrap()[0]);
    }
    set_order(1);
    last.sort_unstable();
    last.dedup();
    assert!(last.len() > 4, "who comes last depends on the order: {last:?}");
}

#[test]
fn allocations_fail_on_request() {
    let Some((faults, bench)) = breakable("allocations_fail_on_request") else { return };
    let before = live_allocations();
    let error = {
        faults.fail_allocation_after(2);
        let _first = bench.gpu.alloc::<u32>(10).unwrap();
        let _second = bench.gpu.alloc::<u32>(10).unwrap();
        assert_eq!(live_allocations().count, before.count + 2);
        assert_eq!(live_allocations().bytes, before.bytes + 80);
        bench.gpu.alloc::<u32>(10).unwrap_err()
    };
    assert!(error.is_out_of_memory(), "{error}");
    assert!(bench.gpu.alloc::<u32>(10).is_ok(), "it fails once");
    assert_eq!(live_allocations(), before, "nothing was left behind");

    faults.limit_memory(before.bytes + (64 << 20));
    let maximum = bench.gpu.free_bytes().unwrap();
    assert!(maximum <= 64 << 20, "{maximum}");
    assert!(bench.gpu.alloc::<u8>((64 << 20) + 1).unwrap_err().is_out_of_memory());
}

#[test]
fn launches_fail_on_request() {
    let Some((faults, bench)) = breakable("launches_fail_on_request") else { return };
    let mut values = zeros(&bench, 4);
    let grid = Grid::row(1, 4);
    faults.fail_launch("emulation_increment", 3);
    for _ in 0..2 {
        bench.run("emulation_increment", grid, &arguments![&mut values, 4_u32]).unwrap();
    }
    bench.run("emulation_layouts", Grid::row(1, 1), &arguments![&mut zeros(&bench, 13)]).unwrap();
    let error = bench.run("emulation_increment", grid, &arguments![&mut values, 4_u32]).unwrap_err();
    assert!(error.to_string().contains("CUDA_ERROR_LAUNCH_FAILED"), "{error}");
    assert!(!error.is_out_of_memory());
    assert!(
        bench.run("emulation_increment", grid, &arguments![&mut values, 4_u32]).is_err(),
        "the device stays broken"
    );
    faults.heal();
    assert_eq!(values.to_vec(&bench.stream).unwrap(), [2; 4]);
    bench.run("emulation_increment", grid, &arguments![&mut values, 4_u32]).unwrap();
    assert_eq!(values.to_vec(&bench.stream).unwrap(), [3; 4]);
}
