//! Tests of streams, events, page-locked memory and several devices. Work is done in order within a stream.
//! The work of different streams runs earlier or later, as the seed of the order determines.

use crate::common::{Bench, ORDERS, in_several_orders};
use arcuate_compute::arguments;
use arcuate_compute::cuda::Grid;
use std::sync::PoisonError;

const COUNT: usize = 1000;

#[test]
fn a_stream_keeps_its_order() {
    let Some(bench) = Bench::new("a_stream_keeps_its_order", 0) else { return };
    in_several_orders(|| {
        let mut values = bench.gpu.upload(&bench.stream, &[7_u32; COUNT]).unwrap();
        for turn in 1..=50 {
            let grid = Grid::for_items(COUNT, 128);
            bench
                .give(&bench.stream, "emulation_increment", grid, &arguments![&mut values, COUNT as u32])
                .unwrap();
            if turn == 20 {
                values.zero(&bench.stream).unwrap();
            }
        }
        assert_eq!(values.to_vec(&bench.stream).unwrap(), [30; COUNT]);
    });
}

#[test]
fn streams_wait_for_events() {
    let Some(bench) = Bench::new("streams_wait_for_events", 0) else { return };
    let streams: Vec<_> = (0..3).map(|_| bench.gpu.stream().unwrap()).collect();
    let events: Vec<_> = (0..3).map(|_| bench.gpu.event().unwrap()).collect();
    in_several_orders(|| {
        let mut values = bench.gpu.upload(&bench.stream, &[1_u32; COUNT]).unwrap();
        let mut copy = bench.gpu.alloc::<u32>(COUNT).unwrap();
        bench.stream.synchronize().unwrap();
        let grid = Grid::for_items(COUNT, 64);
        // The test has ten rounds over three streams. Each stream continues after the previous one.
        for turn in 0..30 {
            let (own, before) = (turn % 3, (turn + 2) % 3);
            streams[own].wait(&events[before]).unwrap();
            let arguments = arguments![&mut values, COUNT as u32];
            bench.give(&streams[own], "emulation_increment", grid, &arguments).unwrap();
            streams[own].record(&events[own]).unwrap();
        }
        streams[0].wait(&events[2]).unwrap();
        copy.view_mut().copy_from_device(&streams[0], values.view()).unwrap();
        assert_eq!(copy.to_vec(&streams[0]).unwrap(), [31; COUNT]);
    });
}

#[test]
fn without_an_event_streams_are_not_in_order() {
    let Some(bench) = Bench::new("without_an_event_streams_are_not_in_order", 0) else { return };
    if !arcuate_emulation::emulated() {
        return; // On a GPU, the result depends on timing.
    }
    let other = bench.gpu.stream().unwrap();
    let _alone = ORDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut late = 0;
    for order in 1..=20 {
        arcuate_emulation::set_order(order);
        let mut values = bench.gpu.alloc::<u32>(COUNT).unwrap();
        let arguments = arguments![&mut values, COUNT as u32];
        bench.give(&bench.stream, "emulation_increment", Grid::for_items(COUNT, 64), &arguments).unwrap();
        late += usize::from(values.to_vec(&other).unwrap()[0] == 0);
        bench.stream.synchronize().unwrap();
        assert_eq!(values.to_vec(&other).unwrap(), [1; COUNT]);
    }
    arcuate_emulation::set_order(1);
    assert!((1..20).contains(&late), "the other stream came first {late} times of 20");
}

#[test]
fn events_measure_the_time_between_them() {
    let Some(bench) = Bench::new("events_measure_the_time_between_them", 0) else { return };
    let (start, end) = (bench.gpu.timed_event().unwrap(), bench.gpu.timed_event().unwrap());
    let mut values = bench.gpu.alloc::<u32>(COUNT).unwrap();
    bench.stream.record(&start).unwrap();
    for _ in 0..10 {
        let arguments = arguments![&mut values, COUNT as u32];
        bench.give(&bench.stream, "emulation_increment", Grid::for_items(COUNT, 64), &arguments).unwrap();
    }
    bench.stream.record(&end).unwrap();
    // Repeated queries end, because each query advances the stream.
    while !end.has_happened().unwrap() {}
    let milliseconds = start.milliseconds_until(&end).unwrap();
    assert!(milliseconds > 0.0 && milliseconds.is_finite(), "{milliseconds}");
    assert!(end.milliseconds_until(&start).unwrap() <= 0.0);
}

#[test]
fn page_locked_memory_is_copied_in_stream_order() {
    let Some(bench) = Bench::new("page_locked_memory_is_copied_in_stream_order", 0) else {
        return;
    };
    in_several_orders(|| {
        let host: Vec<u32> = (0..COUNT as u32).collect();
        let pinned = bench.gpu.pin(&host).unwrap();
        let mut values = bench.gpu.alloc::<u32>(COUNT).unwrap();
        let mut back = bench.gpu.pinned::<u32>(COUNT).unwrap();
        values.view_mut().copy_from_pinned(&bench.stream, &pinned, 0).unwrap();
        let arguments = arguments![&mut values, COUNT as u32];
        bench.give(&bench.stream, "emulation_increment", Grid::for_items(COUNT, 64), &arguments).unwrap();
        values.view().copy_to_pinned(&bench.stream, &mut back, 0).unwrap();
        let expected: Vec<u32> = (1..=COUNT as u32).collect();
        assert_eq!(back.as_slice().unwrap(), expected);
    });
}

#[test]
fn devices_copy_memory_to_each_other() {
    let Some(first) = Bench::new("devices_copy_memory_to_each_other", 0) else { return };
    if arcuate_compute::cuda::list_gpus().is_ok_and(|gpus| gpus.len() < 2) {
        eprintln!("skipped devices_copy_memory_to_each_other: there is one device");
        return;
    }
    let second = Bench::new("devices_copy_memory_to_each_other", 1).expect("the first was there");
    assert_ne!(first.gpu, second.gpu);
    in_several_orders(|| {
        let host: Vec<u32> = (0..COUNT as u32).collect();
        let mut here = first.gpu.upload(&first.stream, &host).unwrap();
        let arguments = arguments![&mut here, COUNT as u32];
        first.give(&first.stream, "emulation_increment", Grid::for_items(COUNT, 64), &arguments).unwrap();
        let done = first.gpu.event().unwrap();
        first.stream.record(&done).unwrap();
        let mut there = second.gpu.alloc::<u32>(COUNT).unwrap();
        second.stream.wait(&done).unwrap();
        there.view_mut().copy_from_device(&second.stream, here.view()).unwrap();
        let arguments = arguments![&mut there, COUNT as u32];
        second.give(&second.stream, "emulation_increment", Grid::for_items(COUNT, 64), &arguments).unwrap();
        let expected: Vec<u32> = (2..COUNT as u32 + 2).collect();
        assert_eq!(there.to_vec(&second.stream).unwrap(), expected);
    });
}
