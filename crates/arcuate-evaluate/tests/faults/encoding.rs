//! Tests encoding on a GPU whose memory does not suffice. A message is logged, and the encoding is the same.

use crate::encodings::{alone, compare, device, mask, options, tractogram};
use arcuate_compute::cuda::Gpu;
use arcuate_compute::{Purpose, Random};
use arcuate_emulation::Faults;
use arcuate_evaluate::encoding::NodeValue;

#[test]
fn too_little_memory_gives_one_warning_and_the_same_encoding() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("encoding in too little memory") {
        return;
    }
    let gpu = Gpu::open(0).unwrap();
    let mut random = Random::new(11, Purpose::Resampling, 0);
    let mask = mask(&mut random);
    let tractogram = tractogram(&mut random, 30, mask.grid());
    let options = options(60, NodeValue::Length);
    let warnings = |log: &str| -> Vec<String> {
        log.lines().filter(|line| line.contains("WARN")).map(str::to_owned).collect()
    };
    let messages = warnings(&compare(&tractogram, &mask, &options, &device(&gpu, Some(10_000))));
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].contains("encoding: the GPU has too little memory")
            && messages[0].contains("using the CPU"),
        "{messages:?}"
    );
    if !arcuate_emulation::emulated() {
        return;
    }
    let faults = Faults::begin();
    for successes in [0, 4, 9, 14] {
        faults.fail_allocation_after(successes);
        let messages = warnings(&compare(&tractogram, &mask, &options, &device(&gpu, None)));
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].contains("in smaller pieces"), "{messages:?}");
    }
    assert_eq!(gpu.allocated_bytes(), 0);
}
