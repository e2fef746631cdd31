use super::{Kind, Space, Writer};

/// Returns the instructions of a kernel, without the declarations around them.
fn instructions(w: Writer) -> Vec<String> {
    let kernel = w.finish(32, 1);
    let body = kernel.text().split_once(">;\n\t").map_or("", |(_, body)| body);
    body.lines()
        .map(|line| line.trim().to_owned())
        .filter(|line| line.ends_with(';') && !line.starts_with('.'))
        .collect()
}

#[test]
fn known_values_are_computed_during_code_generation() {
    let w = Writer::new("known");
    let of = |value: f64| w.constant(Kind::F32, value);
    assert_eq!((of(0.1) + of(0.2)).to_string(), format!("0f{:08X}", (0.1_f32 + 0.2).to_bits()));
    assert_eq!(
        of(0.1).fma(of(0.3), of(-0.03)).to_string(),
        format!("0f{:08X}", 0.1_f32.mul_add(0.3, -0.03).to_bits())
    );
    assert_eq!((-of(0.0)).to_string(), "0f80000000");
    let whole = |value: f64| w.constant(Kind::U32, value);
    assert_eq!((whole(7.0) * whole(6.0)).to_string(), "42");
    assert_eq!(whole(5.0).to(Kind::F64).to_string(), format!("0d{:016X}", 5.0_f64.to_bits()));
    let yes = w.constant(Kind::Flag, 1.0);
    let read = w.parameter(Kind::F32);
    assert_eq!(yes.choose(read, of(1.0)).to_string(), read.to_string());
    assert_eq!((!yes).choose(read, of(1.0)).to_string(), of(1.0).to_string());
    w.when(!yes, || unreachable!("never done"));
    assert_eq!(instructions(w), ["ld.param.f32 %r1, [known_0];", "ret;"]);
}

#[test]
fn known_flags_need_no_instructions() {
    let w = Writer::new("flags");
    let (yes, no) = (w.constant(Kind::Flag, 1.0), w.constant(Kind::Flag, 0.0));
    let read = w.parameter(Kind::F32);
    let unknown = read.above(read.all(0.0));
    assert_eq!((unknown & yes).to_string(), unknown.to_string());
    assert_eq!((no | unknown).to_string(), unknown.to_string());
    assert_eq!((unknown & no).choose(read, read.all(2.0)).to_string(), "0f40000000");
    let variable = w.variable(no);
    variable.set(yes);
    variable.set(unknown);
    let expected = format!("mov.pred %p2, {unknown};");
    let found = instructions(w);
    assert!(found.contains(&expected), "{found:?}");
    assert!(
        found.iter().all(|line| !line.contains("pred %p2, 0") && !line.contains("pred %p2, 1")),
        "{found:?}"
    );
}

#[test]
fn known_offsets_are_part_of_addresses() {
    let w = Writer::new("addresses");
    let (numbers, shared) = (w.pointer(Space::Read), w.shared());
    let third = numbers.element(w.constant(Kind::U32, 2.0), Kind::F64).offset(8);
    third.load(Kind::F64);
    let thread = w.thread();
    numbers.element(thread, Kind::F32).load(Kind::F32);
    shared.further(thread, 16).offset(4).store(thread);
    let found = instructions(w);
    assert_eq!(
        found,
        [
            "ld.param.u64 %d1, [addresses_0];",
            "mov.u32 %r1, shared;",
            "ld.global.nc.f64 %d2, [%d1+24];",
            "mov.u32 %r2, %tid.x;",
            "mad.wide.u32 %d3, %r2, 4, %d1;",
            "ld.global.nc.f32 %r3, [%d3];",
            "mul.lo.u32 %r4, %r2, 16;",
            "add.u32 %r5, %r4, %r1;",
            "st.shared.u32 [%r5+4], %r2;",
            "ret;"
        ]
    );
}

#[test]
fn kernels_declare_parameters_and_block_sizes() {
    let w = Writer::new("declared");
    w.parameter(Kind::F32);
    w.pointer(Space::Global);
    w.shared();
    w.local(24);
    let kernel = w.finish(96, 4);
    for part in [
        ".extern .shared .align 16 .b8 shared[];",
        ".visible .entry declared(\n\t.param .u32 declared_0,\n\t.param .u64 .ptr .global .align 1 declared_1\n)",
        ".maxntid 96, 1, 1",
        ".minnctapersm 4",
        "\t.local .align 8 .b8 local0[24];",
    ] {
        assert!(kernel.text().contains(part), "{part} is not in\n{}", kernel.text());
    }
}
