//! Tests of PTX kernels written as text, apart from arithmetic: thread indices, loops, barriers, exchanges
//! and memory. The same tests run on a real GPU to confirm that the emulation is right.

use crate::common::in_several_orders;
use crate::common::written::{Shape, Written, kernel, own_element};
use std::sync::PoisonError;

/// Launches `body` on `words` in several orders and checks the resulting words.
fn each_order(
    written: &Written,
    body: &str,
    shape: Shape,
    words: &[u32],
    count: u32,
    check: impl Fn(&[u32]),
) {
    in_several_orders(|| {
        let mut found = words.to_vec();
        written.run(&kernel(body), shape, &mut found, count).unwrap();
        check(&found);
    });
}

#[test]
fn threads_have_correct_indices() {
    let Some(written) = Written::new("threads_have_correct_indices") else { return };
    let body = own_element(16)
        + "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.b32 %r5, %laneid;
           mad.lo.u32 %r4, %r4, 100, %r5; /* two in one
           word */ st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};";
    each_order(&written, &body, Shape(3, 70, 0), &[0; 4 * 210], 0, |found| {
        for (at, own) in (0_u32..).zip(found.chunks(4)) {
            assert_eq!(own, [at % 70, 70, at / 70, 300 + at % 70 % 32]);
        }
    });
}

#[test]
fn lanes_diverge_in_loops_and_reconverge() {
    let Some(written) = Written::new("lanes_diverge_in_loops_and_reconverge") else { return };
    // The kernel counts the steps of the 3 n + 1 sequence down to 1. Then all lanes must meet again, although
    // some have ended.
    let body = own_element(4)
        + "ld.global.u32 %r1, [%d0]; mov.u32 %r2, 0; .pragma \"nounroll\";
        AGAIN: setp.eq.u32 %p1, %r1, 1; @%p1 bra DONE;
        add.u32 %r2, %r2, 1; and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @!%p2 bra ODD;
        shr.u32 %r1, %r1, 1; bra AGAIN;
        ODD: mad.lo.u32 %r1, %r1, 3, 1; bra.uni AGAIN;
        DONE: shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; setp.gt.u32 %p3, %r2, 40; @%p3 st.global.u32 [%d0], %r2; @%p3 exit;
        mad.lo.u32 %r5, %r4, 1000, %r2; st.global.u32 [%d0], %r5;";
    let numbers: Vec<u32> = (0..96).map(|n| 1 + n * 37 % 200).collect();
    let steps = |mut n: u32| {
        let mut count = 0;
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            count += 1;
        }
        count
    };
    each_order(&written, &body, Shape(1, 96, 0), &numbers, 0, |found| {
        for (at, &out) in found.iter().enumerate() {
            let (own, other) = (steps(numbers[at]), steps(numbers[at ^ 1]));
            assert_eq!(out, if own > 40 { own } else { 1000 * other + own }, "{at}");
        }
    });
}

#[test]
fn diverged_lanes_make_progress_independently() {
    let Some(written) = Written::new("diverged_lanes_make_progress_independently") else { return };
    if !arcuate_emulation::emulated() {
        return; // A GPU does not guarantee the order of the tickets.
    }
    // In the natural order, lanes that run together get their tickets in the order of their numbers.
    let body = own_element(4)
        + "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN; mov.u32 %r2, 5;
        EVEN: ld.param.u64 %d1, [data]; atom.global.add.u32 %r3, [%d1+128], 1; st.global.u32 [%d0], %r3;";
    let _alone = crate::common::ORDERS.lock().unwrap_or_else(PoisonError::into_inner);
    arcuate_emulation::set_order(0);
    let mut words = [0; 33];
    written.run(&kernel(&body), Shape(1, 32, 0), &mut words, 0).unwrap();
    arcuate_emulation::set_order(1);
    assert!(words.iter().copied().eq(0..33), "{words:?}");
}

#[test]
fn blocks_sum_in_shared_memory() {
    let Some(written) = Written::new("blocks_sum_in_shared_memory") else { return };
    let before = ".extern .shared .align 16 .b8 dynamic[];";
    let body = ".shared .align 4 .b8 total[4];
        ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
        mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3];
        shl.b32 %r6, %r1, 2; mov.u32 %r7, dynamic; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r5;
        setp.eq.u32 %p1, %r1, 0; mov.u32 %r8, 0; @%p1 st.shared.u32 [total], %r8; shr.u32 %r9, %r3, 1;
        HALVE: bar.sync 0; setp.lt.u32 %p2, %r1, %r9; @!%p2 bra NOT;
        shl.b32 %r10, %r9, 2; add.u32 %r10, %r10, %r6; ld.shared.u32 %r11, [%r10]; ld.shared.u32 %r12, [%r6];
        add.u32 %r12, %r12, %r11; st.shared.u32 [%r6], %r12;
        NOT: shr.u32 %r9, %r9, 1; setp.ne.u32 %p3, %r9, 0; @%p3 bra HALVE;
        bar.sync 0; atom.shared.add.u32 %r20, [total], %r5; bar.sync 0;
        setp.gt.u32 %p4, %r1, 1; @%p4 ret; @%p1 ld.shared.u32 %r13, [dynamic]; @!%p1 ld.shared.u32 %r13, [total];
        st.global.u32 [%d3], %r13;";
    let text = crate::common::written::kernel_with(".maxntid 128, 1, 1 .minnctapersm 2", before, body);
    let numbers: Vec<u32> = (0..512).map(|n| n * n % 1009).collect();
    in_several_orders(|| {
        let mut found = numbers.clone();
        written.run(&text, Shape(4, 128, 512), &mut found, 0).unwrap();
        for (own, out) in numbers.chunks(128).zip(found.chunks(128)) {
            let sum: u32 = own.iter().sum();
            assert_eq!(out[..3], [sum, sum, own[2]]);
        }
    });
}

#[test]
fn lanes_shuffle_within_their_segments() {
    let Some(written) = Written::new("lanes_shuffle_within_their_segments") else { return };
    for (width, by) in [(32_u32, 1_u32), (32, 7), (16, 3), (8, 5), (4, 1), (2, 1), (8, 20)] {
        // Bits 8 to 12 define the segments. For shifts upwards the low bits are the first lane.
        let segment = (32 - width) << 8;
        let body = own_element(32)
            + &format!(
                "ld.global.u32 %r1, [%d0]; mov.u32 %r9, {by};
                shfl.sync.idx.b32 %r2, %r1, %r9, {c}, 0xffffffff; shfl.sync.up.b32 %r3|%p1, %r1, %r9, {segment}, -1;
                shfl.sync.down.b32 %r4|%p2, %r1, {by}, {c}, -1; shfl.sync.bfly.b32 %r5, %r1, %r9, {c}, -1;
                st.global.v4.b32 [%d0+16], {{%r2, %r3, %r4, %r5}}; selp.b32 %r6, 1, 0, %p1; selp.b32 %r7, 1, 0, %p2;
                st.global.v2.u32 [%d0+8], {{%r6, %r7}};",
                c = segment | 31
            );
        let values: Vec<u32> = (0..64).map(|lane| lane * lane + 5).collect();
        let words: Vec<u32> = values.iter().flat_map(|&value| [value, 0, 0, 0, 0, 0, 0, 0]).collect();
        each_order(&written, &body, Shape(1, 64, 0), &words, 0, |found| {
            for (at, own) in (0_u32..).zip(found.chunks(8)) {
                let (start, inner, step) = (at / width * width, at % width, by % 32);
                let up = inner >= step;
                let down = inner + step < width;
                let across = at ^ step;
                let expected = [
                    u32::from(up),
                    u32::from(down),
                    values[(start + by % width) as usize],
                    values[if up { at - step } else { at } as usize],
                    values[if down { at + step } else { at } as usize],
                    values[if across < start + width { across } else { at } as usize],
                ];
                assert_eq!(own[2..], expected, "lane {at}, width {width}, by {by}");
            }
        });
    }
}

#[test]
fn parts_of_a_warp_vote_and_synchronise_separately() {
    let Some(written) = Written::new("parts_of_a_warp_vote_and_synchronise_separately") else { return };
    let body = own_element(16)
        + "mov.u32 %r1, %laneid; and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1; setp.lt.u32 %p2, %r1, 8;
        vote.sync.ballot.b32 %r3, %p1, -1; mov.u32 %r10, 0xffffff00; @%p2 mov.u32 %r10, 0xff;
        vote.sync.any.pred %p3, %p1, %r10; vote.sync.all.pred %p4, %p2, %r10; selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 1, 0, %p4;
        vote.sync.all.pred %p5, %p1, %r10; @%p5 add.u32 %r4, %r4, 2;
        @%p2 bra FEW;
        bar.warp.sync 0xffffff00; shfl.sync.idx.b32 %r6, %r1, 9, 31, 0xffffff00; bra ALL;
        FEW: shfl.sync.idx.b32 %r6, %r1, 3, 31, 0xff;
        ALL: st.global.v4.u32 [%d0], {%r3, %r4, %r5, %r6};";
    each_order(&written, &body, Shape(1, 64, 0), &[0; 256], 0, |found| {
        for (at, own) in (0_u32..).zip(found.chunks(4)) {
            let few = at % 32 < 8;
            assert_eq!(own, [0x2222_2222, 1, u32::from(few), if few { 3 } else { 9 }], "{at}");
        }
    });
}

#[test]
fn atomic_operations_lose_nothing() {
    let Some(written) = Written::new("atomic_operations_lose_nothing") else { return };
    // The kernel computes a count, a ticket for each thread, a 64-bit sum, a real sum, a maximum by
    // compare-and-swap, and a sum under a lock.
    let body = "ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 96, %r1;
        add.u32 %r2, %r1, 1; cvt.rn.f32.u32 %r3, %r2; mul.wide.u32 %d2, %r2, -1;
        red.global.add.u32 [%d1], 1; atom.global.add.u32 %r4, [%d1+4], 1; atom.global.add.u64 %d3, [%d1+8], %d2;
        atom.global.add.f32 %r5, [%d1+16], %r3;
        ld.global.u32 %r6, [%d1+20];
        AGAIN: max.u32 %r7, %r6, %r2; atom.global.cas.b32 %r8, [%d1+20], %r6, %r7; setp.ne.u32 %p1, %r8, %r6;
        mov.u32 %r6, %r8; @%p1 bra AGAIN;
        LOCK: atom.global.cas.b32 %r9, [%d1+24], 0, 1; setp.ne.u32 %p2, %r9, 0; @%p2 bra LOCK;
        membar.gl; atom.global.add.u32 %r10, [%d1+28], 0; add.u32 %r10, %r10, %r2; st.global.u32 [%d1+28], %r10; membar.gl;
        atom.global.cas.b32 %r11, [%d1+24], 1, 0;
        mul.wide.u32 %d4, %r4, 4; add.u64 %d4, %d4, %d1; membar.cta; st.global.u32 [%d4+32], %r1;";
    each_order(&written, body, Shape(2, 96, 0), &[0; 8 + 192], 0, |found| {
        let sum = 192 * 193 / 2;
        let long = u64::from(sum) * 0xffff_ffff;
        let expected = [192, 192, long as u32, (long >> 32) as u32, (sum as f32).to_bits(), 192, 0, sum];
        assert_eq!(found[..8], expected);
        let mut tickets = found[8..].to_vec();
        tickets.sort_unstable();
        assert!(tickets.iter().copied().eq(0..192), "{tickets:?}");
    });
}

#[test]
fn memory_holds_narrow_numbers_vectors_and_arrays_of_threads() {
    let Some(written) = Written::new("memory_holds_narrow_numbers_vectors_and_arrays_of_threads") else {
        return;
    };
    // The kernel reverses 32 bytes through a local array of the thread, and widens bytes with and without
    // sign.
    let body = ".local .align 16 .b8 own[32]; .local .align 8 .b8 other[8];".to_owned()
        + &own_element(64)
        + "ld.global.v4.f32 {%r1, %r2, %r3, %r4}, [%d0]; ld.global.nc.v2.f64 {%d1, %d2}, [%d0+16];
        st.local.v4.f32 [own], {%r1, %r2, %r3, %r4}; mov.u32 %r10, own; st.local.v2.b64 [%r10+16], {%d1, %d2};
        st.local.b64 [other], 0x1122334455667788; mov.u32 %r11, 0; mov.u64 %d5, %d0; add.u32 %r12, %r10, 28;
        NEXT: ld.local.b32 %r13, [%r12]; st.global.b32 [%d5+32], %r13; add.u64 %d5, %d5, 4; add.u32 %r12, %r12, -4;
        add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 8; @%p1 bra NEXT;
        ld.global.s8 %r20, [%d0+3]; ld.global.u8 %r21, [%d0+3]; ld.global.s16 %r22, [%d0+2]; ld.local.u16 %r23, [other+4];
        st.global.v4.s32 [%d0], {%r20, %r21, %r22, %r23}; st.global.u16 [%d0+16], %r1; st.global.u8 [%d0+18], 0xab;";
    let words: Vec<u32> = (0..40 * 16_u32).map(|n| (n + 1).wrapping_mul(0x9e37_79b9)).collect();
    each_order(&written, &body, Shape(1, 40, 0), &words, 0, |found| {
        for (before, after) in words.chunks(16).zip(found.chunks(16)) {
            let top = before[0];
            assert_eq!(after[..4], [(top as i32 >> 24) as u32, top >> 24, (top as i32 >> 16) as u32, 0x3344]);
            assert_eq!(after[4], before[4] & 0xff00_0000 | 0xab_0000 | before[0] & 0xffff);
            assert!(after[8..].iter().eq(before[..8].iter().rev()));
        }
    });
}
