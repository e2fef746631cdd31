//! Tests of wrong PTX kernels written as text, invalid PTX, and launches that are refused or broken on
//! request. They run only on the emulated device.

use crate::common::in_several_orders;
use crate::common::written::{NAME, Shape, Written, kernel, kernel_with, own_element};
use arcuate_emulation::{emulated, last_report};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CString;
use std::process::Command;
use std::ptr::null_mut;

fn on_emulated(test: &str) -> Option<Written> {
    Written::new(test).filter(|_| emulated())
}

/// Returns the device's report of a launch that fails.
fn report_of(written: &Written, text: &str, shape: Shape, words: usize) -> String {
    let result = written.run(text, shape, &mut vec![0; words], 0);
    written.heal();
    let (error, report) = result.expect_err("nothing was said");
    assert_eq!(error, CUresult::CUDA_ERROR_LAUNCH_FAILED, "{report}");
    report
}

fn check_all(written: &Written, shape: Shape, words: usize, rows: &[(&str, &[&str])]) {
    for (body, expected) in rows {
        let report = report_of(written, &kernel(&(own_element(4) + body)), shape, words);
        for part in *expected {
            assert!(report.contains(part), "{body}: {report}");
        }
    }
}

#[test]
fn out_of_bounds_accesses_are_reported() {
    let Some(written) = on_emulated("out_of_bounds_accesses_are_reported") else { return };
    let rows: [(&str, &[&str]); 10] = [
        // The array has 39 elements for 40 threads.
        (
            "ld.global.u32 %r1, [%d0];",
            &[
                "kernel emulation_written, block (0, 0, 0), thread (39, 0, 0), line 9, `ld.global.u32 %r1, [%d0];`: reads 4 bytes at 0x",
                "not within an allocation that the device may use",
            ],
        ),
        ("\nst.global.u32 [%d0+-4], %r0;", &["thread (0, 0, 0), line 10,", "writes 4 bytes"]),
        ("mov.b64 %d1, 0; ld.global.u8 %r1, [%d1];", &["reads 1 byte at 0x0,"]),
        ("red.global.add.u32 [%d0], 1;", &["thread (39, 0, 0)", "changes 4 bytes"]),
        (
            "add.u64 %d0, %d0, 2; mov.b32 %r1, 5; setp.eq.u32 %p1, %r0, 7; @%p1 st.global.f32 [%d0], %r1;",
            &["thread (7, 0, 0)", "which is no multiple of their number"],
        ),
        (
            "setp.eq.u32 %p1, %r0, 36; @%p1 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d0];",
            &["thread (36, 0, 0)", "reads 16 bytes"],
        ),
        (
            "mov.u32 %r1, 1020; ld.shared.u32 %r2, [%r1];",
            &["reads 4 bytes at 0x3fc, which are not within the block's shared memory"],
        ),
        ("mov.u32 %r1, 0; st.local.u32 [%r1], %r0;", &["not within an array of the thread's"]),
        ("add.u64 %d0, %d0, 0x100000000000; st.global.u32 [%d0], %r0;", &["not within an allocation"]),
        ("mov.u64 %d1, -4; ld.global.u32 %r1, [%d1+4];", &["reads 4 bytes at 0x0,"]),
    ];
    check_all(&written, Shape(1, 40, 0), 39, &rows);
    let arrays: [(&str, &str, &[&str]); 5] = [
        (
            ".shared .align 4 .b8 tile[156];",
            "shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r0;",
            &["thread (39, 0, 0)", "writes 4 bytes at 0x49c, which are not within the block's shared memory"],
        ),
        (
            ".shared .align 4 .b8 tile[156];",
            "ld.shared.v2.u32 {%r1, %r2}, [tile+152];",
            &["reads 8 bytes at 0x498, which are not within"],
        ),
        (
            ".shared .align 4 .b8 tile[156];",
            "atom.shared.add.u32 %r1, [tile+2], 1;",
            &["no multiple of their number"],
        ),
        (
            ".local .align 4 .b8 own[16]; .local .align 4 .b8 next[16];",
            "mov.u32 %r1, own; shl.b32 %r2, %r0, 2; setp.gt.u32 %p1, %r2, 16;
          @%p1 exit; add.u32 %r1, %r1, %r2; st.local.u32 [%r1], %r2;",
            &["thread (4, 0, 0)", "not within an array of the thread's"],
        ),
        (
            ".local .align 8 .b8 own[8];",
            "ld.local.b32 %r1, [own+-4];",
            &["reads 4 bytes at 0xfc, which are not within an array"],
        ),
    ];
    for (array, code, expected) in arrays {
        let report =
            report_of(&written, &kernel(&format!("{array}{}{code}", own_element(4))), Shape(1, 40, 0), 64);
        for part in expected {
            assert!(report.contains(part), "{code}: {report}");
        }
    }
}

#[test]
fn memory_of_an_earlier_launch_is_invalid() {
    let Some(written) = on_emulated("memory_of_an_earlier_launch_is_invalid") else {
        return;
    };
    let text = kernel(&(own_element(4) + "st.global.u32 [%d0], 1;"));
    for _ in 0..4 {
        written.run(&text, Shape(16, 128, 0), &mut [0; 2048], 0).unwrap();
        let report = report_of(&written, &text, Shape(16, 128, 0), 1024);
        assert!(report.contains("not within an allocation"), "{report}");
    }
}

#[test]
fn uninitialised_registers_are_reported() {
    let Some(written) = on_emulated("uninitialised_registers_are_reported") else { return };
    check_all(
        &written,
        Shape(2, 64, 0),
        128,
        &[
            ("add.u32 %r1, %r2, 1;", &["line 9, `add.u32 %r1, %r2, 1;`: reads %r2, which was never written"]),
            (
                "setp.lt.u32 %p1, %r0, 100; @%p1 mov.u32 %r1, 1; st.global.u32 [%d0], %r1;",
                &["block (1, 0, 0), thread (36, 0, 0)", "reads %r1,"],
            ),
            ("@%p3 mov.u32 %r1, 1;", &["reads %p3,"]),
            ("@!%q bra END; END:", &["reads %q,"]),
            (
                "mov.u32 %r1, 1; mov.u32 %r3, 1; st.global.v4.u32 [%d0], {%r1, %r3, %r1, %r2};",
                &["reads %r2,"],
            ),
            ("mov.u32 %r1, 1; shfl.sync.bfly.b32 %r2, %r1, 1, 31, %r7;", &["reads %r7,"]),
            ("fma.rn.f64 %d1, %d0, %d0, %d9;", &["reads %d9,"]),
        ],
    );
    // A register that is written in one block is unwritten in the next block.
    let body = own_element(4)
        + "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r2, 5; st.global.u32 [%d0], %r2;";
    written.run(&kernel(&body), Shape(1, 32, 0), &mut [0; 32], 0).unwrap();
    let report = report_of(&written, &kernel(&body), Shape(2, 32, 0), 64);
    assert!(report.contains("block (1, 0, 0)"), "{report}");
}

#[test]
fn deadlocks_are_reported() {
    let Some(written) = on_emulated("deadlocks_are_reported") else { return };
    let part = "mov.u32 %r1, %laneid; setp.lt.u32 %p1, %r1, 12; mov.u32 %r2, 1; ";
    let rows: [(&str, &[&str]); 6] = [
        (
            "@%p1 bar.sync 0; bar.warp.sync -1; bar.sync 0;",
            &[
                "deadlock in kernel emulation_written, block (0, 0, 0) of 32 threads:",
                " at line 9, `bar.warp.sync -1;` threads 12-31; at line 9, `@%p1 bar.sync 0;` threads 0-11;",
            ],
        ),
        (
            "@%p1 bra FEW; bar.sync 0; ret; FEW: bar.sync 0;",
            &["comes to this barrier while other threads wait at that of line 9, `bar.sync 0;`"],
        ),
        (
            "@%p1 bra FEW; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; ret; FEW: shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;",
            &["deadlock", "threads 0-11", "threads 12-31"],
        ),
        (
            "@%p1 shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0x7ff;",
            &["thread (11, 0, 0)", "is not in the mask that it gives"],
        ),
        ("@%p1 bra.uni FEW; FEW:", &["thread (0, 0, 0)", "goes another way than other threads of its warp"]),
        (
            "mov.u32 %r4, -1; @!%p1 mov.u32 %r4, 0xfffff000; vote.sync.any.pred %p2, %p1, %r4;",
            &["thread (0, 0, 0)", "gives another mask than thread 12, which is in it"],
        ),
    ];
    for (code, expected) in rows {
        in_several_orders(|| {
            let report =
                report_of(&written, &kernel(&format!("{}{part}{code}", own_element(4))), Shape(1, 32, 0), 32);
            for part in expected {
                assert!(report.contains(part), "{code}: {report}");
            }
        });
    }
    // Barriers and exchanges do not wait for threads that have ended.
    let ended = "@!%p1 ret; bar.sync 0; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; st.global.u32 [%d0], %r3;";
    in_several_orders(|| {
        let mut words = [7; 64];
        written
            .run(&kernel(&format!("{}{part}{ended}", own_element(4))), Shape(1, 64, 0), &mut words, 0)
            .unwrap();
        assert_eq!((words[0], words[11], words[12], words[32]), (1, 1, 7, 1));
    });
}

#[test]
fn shared_memory_is_initially_garbage() {
    let Some(written) = on_emulated("shared_memory_is_initially_garbage") else { return };
    let body = ".local .align 4 .b8 own[4];".to_owned()
        + &own_element(16)
        + "mov.u32 %r1, dynamic; ld.shared.u32 %r2, [%r1+60]; ld.local.u32 %r3, [own]; mov.u32 %r4, 3; st.shared.u32 [%r1+60], %r4;
        st.local.u32 [own], %r4; mov.u32 %r9, %laneid; setp.eq.u32 %p1, %r9, 0; @%p1 exit; shfl.sync.idx.b32 %r5, %r4, 0, 31, 0xfffffffe;
        st.global.v4.u32 [%d0], {%r2, %r3, %r4, %r5};";
    let text = kernel_with("", ".extern .shared .align 16 .b8 dynamic[];", &body);
    let mut words = [0; 2 * 32 * 4];
    written.run(&text, Shape(2, 32, 64), &mut words, 0).unwrap();
    // A shuffle returns garbage for a lane that does not take part.
    assert_eq!(words[4..8], [0xa5a5_a5a5, 0xa5a5_a5a5, 3, 0xa5a5_a5a5]);
    assert_eq!(words[132..136], words[4..8]);
}

#[test]
fn invalid_ptx_is_rejected_with_its_line() {
    let Some(written) = on_emulated("invalid_ptx_is_rejected_with_its_line") else { return };
    let rows = [
        (
            "\n\nlop3.b32 %r1, %r2, %r3, %r4, 0x80;",
            10,
            "there is no instruction lop3.b32 here, in `lop3.b32 %r1, %r2, %r3, %r4, 0x80;`",
        ),
        ("add.ftz.f32 %r1, %r2, %r3;", 8, "there is no instruction add.ftz.f32"),
        ("add.f32 %r1, %r2, %r3;", 8, "there is no instruction add.f32 here; with .rn there is"),
        ("div.f32 %r1, %r2, %r3;", 8, "there is no instruction div.f32"),
        ("/* two\nlines */ mov.u32 %r1, %r40;", 9, "%r40 is no register of this kernel"),
        ("mov.u32 %r1, %r01;", 8, "%r01 is no register"),
        ("add.u64 %d1, %d2, %r1;", 8, "%r1 is a register of type .b32 where one of type .b64 belongs"),
        ("mul.wide.u32 %r1, %r2, %r3;", 8, "%r1 is a register of type .b32 where one of type .b64 belongs"),
        ("add.u32 %r1, %r2, 0f3F800000;", 8, "0f3F800000 is no operand of this type"),
        ("add.rn.f32 %r1, %r2, 1;", 8, "1 is no operand of this type"),
        ("add.rn.f32 %r1, %r2, 0d3FF0000000000000;", 8, "is no operand of this type"),
        ("add.u32 %r1, %r2, 4294967296;", 8, "4294967296 has too many bits"),
        ("add.s32 %r1, %r2, -2147483649;", 8, "-2147483649 has too many bits"),
        ("add.u32 %r1, %r2, 010;", 8, "010 is no number that is taken here"),
        ("mov.f32 %r1, 0f3F8;", 8, "0f3F8 is no number that is taken here"),
        ("add.u32 %r1, %tid.x, 1;", 8, "%tid.x is no register"),
        ("add.u32 %r1, %r2", 9, "expected , and found }"),
        ("add.u32 %r1, %r2;", 8, "expected , and found ;"),
        ("bra NOWHERE;", 8, "there is no label NOWHERE"),
        ("HERE: mov.u32 %r1, 1;\nHERE: ret;", 9, "label HERE is there already"),
        ("ld.param.u64 %d1, [nothing];", 8, "nothing is no parameter of this kernel"),
        ("ld.param.u64 %d1, [count];", 8, "8 bytes at 0 are not within parameter count"),
        ("ld.param.u32 %r1, [data+8];", 8, "4 bytes at 8 are not within parameter data"),
        ("ld.global.u32 %r1, [%r2];", 8, "%r2 is a register of type .b32"),
        ("ld.shared.u32 %r1, [%d2];", 8, "%d2 is a register of type .b64"),
        ("ld.global.v2.f32 {%r1, %r2, %r3}, [%d1];", 8, "expected } and found ,"),
        ("bar.sync 1;", 8, "barriers other than 0 are not taken"),
        (".reg .f32 %f<4>;", 8, "registers are .b32, .b64 or .pred, not .f32"),
        (".reg .b32 %r<4>;", 8, "registers %r are there already"),
        ("ret;\n.shared .align 4 .b8 tile[4];", 9, "declarations come ahead of all instructions"),
        (".shared .align 4 .b8 tile[65536];", 8, "shared arrays have more than 48 KiB"),
        (".shared .align 4 .b8 tile[4]; ld.local.u32 %r1, [tile];", 8, "tile is in another kind of memory"),
        ("{ ret; }", 8, "expected an instruction and found {"),
        ("mov.u32 %r1, 1; #", 8, "there is no such sign in PTX: #"),
        ("/* ret;", 8, "the comment that begins here has no end"),
        ("ret; } .func f() { ret;", 8, ".func is not taken here"),
    ];
    for (body, line, expected) in rows {
        let (error, report) = written.load(&kernel(body)).expect_err(body);
        assert_eq!(error, CUresult::CUDA_ERROR_INVALID_PTX, "{body}: {report}");
        assert!(
            report.starts_with(&format!("ptxas application ptx input, line {line}; error : ")),
            "{body}: {report}"
        );
        assert!(report.contains(expected), "{body}: {report}");
    }
    for (limits, expected) in [
        (".maxntid 1025", "1025, the most threads of a block, is not from 1 to 1024"),
        (".maxntid 64, 32", "a block has at most 1024 threads"),
        (".reqntid 32", ".reqntid is not taken of a kernel"),
    ] {
        let (error, report) = written.load(&kernel_with(limits, "", "ret;")).expect_err(limits);
        assert_eq!(error, CUresult::CUDA_ERROR_INVALID_PTX);
        assert!(report.contains(expected), "{limits}: {report}");
    }
}

#[test]
fn compiled_kernels_are_not_interpreted() {
    let Some(_written) = on_emulated("compiled_kernels_are_not_interpreted") else { return };
    let text = kernel("nothing that anybody could read").replace(NAME, "emulation_increment");
    let image = CString::new(text).unwrap();
    let mut module = null_mut();
    // SAFETY: the text ends with a zero byte.
    unsafe {
        assert_eq!(sys::cuModuleLoadData(&raw mut module, image.as_ptr().cast()), CUresult::CUDA_SUCCESS);
        sys::cuModuleUnload(module);
    }
}

#[test]
fn kernels_declare_parameters_and_thread_limits() {
    let Some(written) = on_emulated("kernels_declare_parameters_and_thread_limits") else { return };
    let before = ".extern .shared .align 16 .b8 dynamic[];";
    let text = kernel_with(
        ".maxntid 96",
        before,
        ".shared .align 4 .b8 tile[20]; .local .align 8 .b8 own[24]; st.shared.u32 [dynamic], 1;",
    )
    .replace(
        ".param .u32 count",
        ".param .u32 count, .param .f64 scale, .param .u64 number, .param .f32 last",
    );
    let (module, function) = written.load(&text).unwrap();
    let attribute = |which: sys::CUfunction_attribute| {
        let mut value = 0;
        // SAFETY: the call writes one number.
        assert_eq!(
            unsafe { sys::cuFuncGetAttribute(&raw mut value, which, function) },
            CUresult::CUDA_SUCCESS
        );
        value
    };
    assert_eq!(attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 96);
    assert_eq!(attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 32);
    assert_eq!(attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 32);
    // SAFETY: each call writes only to the variables that it receives.
    unsafe {
        for (at, place) in [(0, 8), (8, 4), (16, 8), (24, 8), (32, 4)].into_iter().enumerate() {
            let (mut offset, mut bytes) = (0, 0);
            let result = sys::cuFuncGetParamInfo(function, at, &raw mut offset, &raw mut bytes);
            assert_eq!((result, (offset, bytes)), (CUresult::CUDA_SUCCESS, place));
        }
        let mut blocks = 0;
        sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, 96, 0);
        assert_eq!(blocks, 21);
        sys::cuModuleUnload(module);
    }
    let text = kernel_with(".maxntid 96", "", &(own_element(4) + "st.global.u32 [%d0], 9;"));
    let mut words = [0; 2 * 97];
    written.run(&text, Shape(2, 96, 0), &mut words, 0).unwrap();
    assert!(words[..192] == [9; 192] && words[192..] == [0; 2]);
    let (error, _) = written.run(&text, Shape(2, 97, 0), &mut words, 0).unwrap_err();
    assert_eq!(error, CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn launches_fail_on_request_and_at_foreign_pointers() {
    let Some(written) = on_emulated("launches_fail_on_request_and_at_foreign_pointers") else { return };
    let text = kernel(&(own_element(4) + "st.global.u32 [%d0], 9;"));
    written.fail_launch(2);
    let mut words = [0];
    written.run(&text, Shape(1, 1, 0), &mut words, 0).unwrap();
    assert_eq!(words, [9]);
    let (_, report) = written.run(&text, Shape(1, 1, 0), &mut [0], 0).unwrap_err();
    assert!(report.contains("kernel emulation_written fails on request"), "{report}");
    written.heal();
    let (_module, function) = written.load(&text).unwrap();
    let (mut address, mut count) = (64_u64, 0_u32);
    let mut arguments = [(&raw mut address).cast(), (&raw mut count).cast()];
    // SAFETY: the parameters have the right types. The emulated driver refuses the address, because it is not
    // device memory.
    unsafe {
        sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), arguments.as_mut_ptr(), null_mut());
        assert_eq!(sys::cuCtxSynchronize(), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    assert!(last_report().contains("parameter 0 points to memory that is no device's"), "{}", last_report());
}

#[test]
#[ignore = "run by the other tests"]
fn one_launch() {
    let written = Written::new("one_launch").expect("the emulation is there");
    let body = own_element(4) + "st.global.u32 [%d0], 9;";
    let mut words = [1; 4];
    let result = written.run(&kernel(&body), Shape(1, 4, 0), &mut words, 0);
    println!("{} {words:?}", if result.is_ok() { "succeeded" } else { "failed" });
}

#[test]
fn written_kernels_can_be_broken_idle_and_recorded() {
    if !arcuate_emulation::available("written_kernels_can_be_broken_idle_and_recorded") || !emulated() {
        return;
    }
    let notes = std::env::temp_dir().join(format!("arcuate-written-{}", std::process::id()));
    for (variable, value, expected) in [
        ("ARCUATE_EMULATION_BREAK", NAME, "failed [1, 1, 1, 1]"),
        ("ARCUATE_EMULATION_IDLE", NAME, "succeeded [1, 1, 1, 1]"),
        ("ARCUATE_EMULATION_BREAK", "sample_rician", "succeeded [9, 9, 9, 9]"),
        ("ARCUATE_EMULATION_LAUNCHES", notes.to_str().unwrap(), "succeeded [9, 9, 9, 9]"),
    ] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "written_ptx_wrong::one_launch", "--nocapture"])
            .env_remove("ARCUATE_EMULATION_BREAK")
            .env_remove("ARCUATE_EMULATION_IDLE")
            .env_remove("ARCUATE_EMULATION_LAUNCHES")
            .env(variable, value)
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(
            report.contains(expected),
            "{variable}={value}: {report}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let noted = std::fs::read_to_string(&notes).unwrap_or_default();
    let _ = std::fs::remove_file(&notes);
    assert_eq!(noted, format!("{NAME}\n"));
    let listed = arcuate_emulation::kernels();
    assert!(listed.contains(&[NAME.to_owned(), "written at run time".to_owned()]), "{listed:?}");
}
