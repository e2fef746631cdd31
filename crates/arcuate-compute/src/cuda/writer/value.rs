//! Numbers in the registers of a kernel, and operations on these numbers.

use super::text::Writer;
use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// The number type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A floating-point number in single precision.
    F32,
    /// A floating-point number in double precision.
    F64,
    /// A 32-bit integer.
    U32,
    /// A 64-bit integer, or an address.
    U64,
    /// A truth value, true or false.
    Flag,
}

impl Kind {
    /// The suffix that PTX instructions have for this number type, such as `f32`.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Flag => "pred",
        }
    }

    /// The suffix that PTX instructions that only move bits have for this number type, such as `b32`.
    pub(super) fn bits(self) -> &'static str {
        match self {
            Self::F32 | Self::U32 => "b32",
            Self::F64 | Self::U64 => "b64",
            Self::Flag => "pred",
        }
    }

    pub(super) fn unsigned(self) -> &'static str {
        if self.bytes() == 8 { "u64" } else { "u32" }
    }

    /// Index of the kind of register that holds this number type: 0 for 32-bit registers, 1 for 64-bit
    /// registers, 2 for flags (true or false).
    pub(super) fn file(self) -> usize {
        match self {
            Self::F32 | Self::U32 => 0,
            Self::F64 | Self::U64 => 1,
            Self::Flag => 2,
        }
    }

    /// Size of a number in memory, in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::F32 | Self::U32 => 4,
            Self::F64 | Self::U64 => 8,
            Self::Flag => 1,
        }
    }

    /// Returns whether the number type is a floating-point type.
    pub fn is_real(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    pub(super) fn bits_of(self, value: f64) -> u64 {
        match self {
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F64 => value.to_bits(),
            Self::U32 => u64::from(value as u32),
            Self::U64 => value as u64,
            Self::Flag => u64::from(value != 0.0),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    Register(u32),
    /// The bits of a number that is known when the kernel is written.
    Immediate(u64),
}

/// A number in a register of each thread, or a number that is known when the kernel is written.
#[derive(Clone, Copy)]
pub struct Value<'w> {
    pub(super) writer: &'w Writer,
    kind: Kind,
    operand: Operand,
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}: {:?}", self.kind)
    }
}

/// Formats the value as an operand of an instruction.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.operand, self.kind) {
            (Operand::Register(n), kind) => write!(f, "{}{n}", ["%r", "%d", "%p"][kind.file()]),
            (Operand::Immediate(bits), Kind::F32) => write!(f, "0f{bits:08X}"),
            (Operand::Immediate(bits), Kind::F64) => write!(f, "0d{bits:016X}"),
            (Operand::Immediate(bits), _) => write!(f, "{bits}"),
        }
    }
}

impl<'w> Value<'w> {
    pub(super) fn register(writer: &'w Writer, kind: Kind, number: u32) -> Self {
        Self { writer, kind, operand: Operand::Register(number) }
    }

    pub(super) fn immediate(writer: &'w Writer, kind: Kind, bits: u64) -> Self {
        Self { writer, kind, operand: Operand::Immediate(bits) }
    }

    /// The number type of the value.
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// The writer of the kernel to which the value belongs.
    pub fn writer(self) -> &'w Writer {
        self.writer
    }

    /// The bits of the value, if the value is known when the kernel is written.
    pub(super) fn known(self) -> Option<u64> {
        match self.operand {
            Operand::Immediate(bits) => Some(bits),
            Operand::Register(_) => None,
        }
    }

    /// Returns a constant of the same number type.
    pub fn all(self, value: f64) -> Self {
        self.writer.constant(self.kind, value)
    }

    fn binary(
        self,
        other: Self,
        instruction: &str,
        known: impl Fn(Number, Number) -> Option<Number>,
    ) -> Self {
        debug_assert_eq!(self.kind, other.kind, "{instruction} of different kinds");
        if let (Some(a), Some(b)) = (self.known(), other.known())
            && let Some(value) = known(Number::of(self.kind, a), Number::of(self.kind, b))
        {
            return Self::immediate(self.writer, self.kind, value.bits());
        }
        let instruction = format!("{instruction}.{}", self.kind.suffix());
        self.writer.made(self.kind, &instruction, &[self, other])
    }

    /// Computes `self` · `factor` + `term` with one rounding.
    pub fn fma(self, factor: Self, term: Self) -> Self {
        if let (Some(a), Some(b), Some(c)) = (self.known(), factor.known(), term.known()) {
            let [a, b, c] = [a, b, c].map(|bits| Number::of(self.kind, bits));
            let value = match (a, b, c) {
                (Number::F32(a), Number::F32(b), Number::F32(c)) => Number::F32(a.mul_add(b, c)),
                (Number::F64(a), Number::F64(b), Number::F64(c)) => Number::F64(a.mul_add(b, c)),
                _ => unreachable!("whole numbers are added and multiplied"),
            };
            return Self::immediate(self.writer, self.kind, value.bits());
        }
        let instruction = format!("fma.rn.{}", self.kind.suffix());
        self.writer.made(self.kind, &instruction, &[self, factor, term])
    }

    /// Computes the square root of the value.
    pub fn root(self) -> Self {
        self.writer.made(self.kind, &format!("sqrt.rn.{}", self.kind.suffix()), &[self.held()])
    }

    /// Computes the absolute value.
    pub fn size(self) -> Self {
        self.writer.made(self.kind, &format!("abs.{}", self.kind.suffix()), &[self.held()])
    }

    /// Rounds the value down to an integer.
    pub fn whole(self) -> Self {
        let suffix = self.kind.suffix();
        self.writer.made(self.kind, &format!("cvt.rmi.{suffix}.{suffix}"), &[self.held()])
    }

    /// Moves the value to a register, for instructions that do not take constants.
    pub(super) fn held(self) -> Self {
        if self.known().is_none() {
            return self;
        }
        self.writer.made(self.kind, &format!("mov.{}", self.kind.bits()), &[self])
    }

    fn compared(self, other: Self, how: &str) -> Self {
        debug_assert_eq!(self.kind, other.kind, "comparison of different kinds");
        let (first, second) = (self.held(), other);
        self.writer.made(Kind::Flag, &format!("setp.{how}.{}", self.kind.suffix()), &[first, second])
    }

    /// Compares two values: `self` < `other`; false if either is NaN.
    pub fn below(self, other: Self) -> Self {
        self.compared(other, "lt")
    }

    /// Compares two values: `self` > `other`; false if either is NaN.
    pub fn above(self, other: Self) -> Self {
        self.compared(other, "gt")
    }

    /// Compares two values: `self` ≤ `other`; false if either is NaN.
    pub fn at_most(self, other: Self) -> Self {
        self.compared(other, "le")
    }

    /// Compares two values: `self` ≥ `other`; false if either is NaN.
    pub fn at_least(self, other: Self) -> Self {
        self.compared(other, "ge")
    }

    /// Compares two values: `self` = `other`; false if either is NaN.
    pub fn equals(self, other: Self) -> Self {
        self.compared(other, "eq")
    }

    /// Compares two values: `self` ≠ `other`; true if either is NaN.
    pub fn differs(self, other: Self) -> Self {
        self.compared(other, if self.kind.is_real() { "neu" } else { "ne" })
    }

    /// Selects a value by this flag: `set` if the flag is set, `not_set` if not.
    pub fn choose(self, set: Self, not_set: Self) -> Self {
        debug_assert_eq!(self.kind, Kind::Flag);
        if let Some(bits) = self.known() {
            return if bits == 0 { not_set } else { set };
        }
        if set.kind == Kind::Flag {
            return (self & set) | (!self & not_set);
        }
        let instruction = format!("selp.{}", set.kind.bits());
        self.writer.made(set.kind, &instruction, &[set, not_set, self])
    }

    /// Computes the smaller of two values. If one value is NaN, the result is the other value.
    pub fn smaller(self, other: Self) -> Self {
        self.below(other).choose(self, other)
    }

    /// Computes the larger of two values. If one value is NaN, the result is the other value.
    pub fn larger(self, other: Self) -> Self {
        self.above(other).choose(self, other)
    }

    /// Reinterprets the bits of the value as another number type of the same size.
    pub fn as_bits(self, kind: Kind) -> Self {
        debug_assert_eq!(self.kind.file(), kind.file(), "bits of another size");
        Self { kind, ..self }
    }

    /// Converts the value to the nearest number of another type. A conversion of a 64-bit integer to 32 bits
    /// keeps the lowest 32 bits.
    ///
    /// # Panics
    /// Panics if a floating-point number would be converted to an integer. For this conversion, use
    /// [`whole`](Self::whole), add a large power of two, and take the lowest bits of the sum.
    pub fn to(self, kind: Kind) -> Self {
        if self.kind == kind {
            return self;
        }
        let (from, into) = (self.kind.suffix(), kind.suffix());
        let instruction = match (self.kind, kind) {
            (Kind::F32, Kind::F64) | (Kind::U32, Kind::U64) | (Kind::U64, Kind::U32) => {
                format!("cvt.{into}.{from}")
            }
            (Kind::F64, Kind::F32) | (Kind::U32 | Kind::U64, Kind::F32 | Kind::F64) => {
                format!("cvt.rn.{into}.{from}")
            }
            #[expect(
                clippy::panic,
                reason = "the code that writes a kernel chooses the types of its numbers"
            )]
            _ => panic!("{:?} becomes no {kind:?}", self.kind),
        };
        if let Some(bits) = self.known() {
            let number = Number::of(self.kind, bits);
            return Self::immediate(self.writer, kind, number.to(kind));
        }
        self.writer.made(kind, &instruction, &[self])
    }

    /// Converts a signed integer to the nearest floating-point number.
    pub fn signed_to(self, kind: Kind) -> Self {
        let from = if self.kind == Kind::U64 { "s64" } else { "s32" };
        self.writer.made(kind, &format!("cvt.rn.{}.{from}", kind.suffix()), &[self.held()])
    }

    /// Shifts an integer to the right and keeps its sign.
    pub fn signed_shift(self, bits: u32) -> Self {
        let suffix = if self.kind == Kind::U64 { "s64" } else { "s32" };
        let by = Self::immediate(self.writer, Kind::U32, u64::from(bits));
        self.writer.made(self.kind, &format!("shr.{suffix}"), &[self.held(), by])
    }

    /// Computes the upper half of the product of two integers.
    pub fn upper_product(self, other: Self) -> Self {
        self.writer.made(self.kind, &format!("mul.hi.{}", self.kind.suffix()), &[self.held(), other])
    }

    /// Computes the remainder of an integer division.
    pub fn rest_of(self, other: Self) -> Self {
        self.writer.made(self.kind, &format!("rem.{}", self.kind.suffix()), &[self.held(), other])
    }

    /// Counts the bits of an integer that are 1.
    pub fn ones(self) -> Self {
        if let Some(bits) = self.known() {
            return Self::immediate(self.writer, Kind::U32, u64::from(bits.count_ones()));
        }
        self.writer.made(Kind::U32, &format!("popc.{}", self.kind.bits()), &[self])
    }

    /// Returns the value that another lane (thread) of the warp has in this register. The index of the other
    /// lane is the index of this lane XOR `bits`.
    pub fn from_lane_across(self, bits: u32) -> Self {
        let by = |value: u64| Self::immediate(self.writer, Kind::U32, value);
        let operands = [self.held(), by(u64::from(bits)), by(31), by(u64::from(u32::MAX))];
        self.writer.made(self.kind, "shfl.sync.bfly.b32", &operands)
    }

    fn joined(self, other: Self, name: &str, known: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.kind, other.kind, "{name} of different kinds");
        if self.kind == Kind::Flag
            && let Some(value) = self.joined_flag(other, name)
        {
            return value;
        }
        if let (Some(a), Some(b)) = (self.known(), other.known()) {
            return Self::immediate(self.writer, self.kind, known(a, b));
        }
        let (first, second) = if self.known().is_some() { (other, self) } else { (self, other) };
        self.writer.made(self.kind, &format!("{name}.{}", self.kind.bits()), &[first, second])
    }

    /// Combines two flags (true or false) if one of them is constant, because PTX instructions do not take
    /// constant flags as operands.
    fn joined_flag(self, other: Self, name: &str) -> Option<Self> {
        let (known, rest) = match (self.known(), other.known()) {
            (Some(known), _) => (known, other),
            (None, Some(known)) => (known, self),
            (None, None) => return None,
        };
        Some(match (name, known) {
            ("and", 0) | ("or", 1) => Self::immediate(self.writer, Kind::Flag, known),
            ("xor", 1) => !rest,
            _ => rest,
        })
    }
}

/// A number that is known when the kernel is written.
#[derive(Debug, Clone, Copy)]
enum Number {
    F32(f32),
    F64(f64),
    U32(u32),
    U64(u64),
}

impl Number {
    fn of(kind: Kind, bits: u64) -> Self {
        match kind {
            Kind::F32 => Self::F32(f32::from_bits(bits as u32)),
            Kind::F64 => Self::F64(f64::from_bits(bits)),
            Kind::U32 | Kind::Flag => Self::U32(bits as u32),
            Kind::U64 => Self::U64(bits),
        }
    }

    fn bits(self) -> u64 {
        match self {
            Self::F32(value) => u64::from(value.to_bits()),
            Self::F64(value) => value.to_bits(),
            Self::U32(value) => u64::from(value),
            Self::U64(value) => value,
        }
    }

    /// The bits of the nearest number of another type.
    fn to(self, kind: Kind) -> u64 {
        match (self, kind) {
            (Self::U64(value), Kind::U32) => u64::from(value as u32),
            (Self::U64(value), Kind::F32) => u64::from((value as f32).to_bits()),
            (Self::U64(value), _) => kind.bits_of(value as f64),
            (Self::U32(value), Kind::U64) => u64::from(value),
            (Self::U32(value), Kind::F32) => u64::from((value as f32).to_bits()),
            (Self::U32(value), _) => kind.bits_of(f64::from(value)),
            (Self::F32(value), _) => kind.bits_of(f64::from(value)),
            (Self::F64(value), _) => kind.bits_of(value),
        }
    }
}

macro_rules! arithmetic {
    ($trait:ident, $method:ident, $operator:tt, $real:literal, $whole:literal, $checked:ident) => {
        impl<'w> $trait for Value<'w> {
            type Output = Value<'w>;

            fn $method(self, other: Self) -> Self {
                let instruction = if self.kind.is_real() { $real } else { $whole };
                self.binary(other, instruction, |a, b| match (a, b) {
                    (Number::F32(a), Number::F32(b)) => Some(Number::F32(a $operator b)),
                    (Number::F64(a), Number::F64(b)) => Some(Number::F64(a $operator b)),
                    (Number::U32(a), Number::U32(b)) => a.$checked(b).map(Number::U32),
                    (Number::U64(a), Number::U64(b)) => a.$checked(b).map(Number::U64),
                    _ => None,
                })
            }
        }
    };
}

arithmetic!(Add, add, +, "add.rn", "add", checked_add);
arithmetic!(Sub, sub, -, "sub.rn", "sub", checked_sub);
arithmetic!(Mul, mul, *, "mul.rn", "mul.lo", checked_mul);
arithmetic!(Div, div, /, "div.rn", "div", checked_div);

impl Neg for Value<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        match (self.kind, self.known()) {
            (Kind::F32, Some(bits)) => Self::immediate(self.writer, self.kind, bits ^ 1 << 31),
            (Kind::F64, Some(bits)) => Self::immediate(self.writer, self.kind, bits ^ 1 << 63),
            _ => self.writer.made(self.kind, &format!("neg.{}", self.kind.suffix()), &[self.held()]),
        }
    }
}

impl BitAnd for Value<'_> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.joined(other, "and", |a, b| a & b)
    }
}

impl BitOr for Value<'_> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.joined(other, "or", |a, b| a | b)
    }
}

impl BitXor for Value<'_> {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        self.joined(other, "xor", |a, b| a ^ b)
    }
}

impl Not for Value<'_> {
    type Output = Self;

    fn not(self) -> Self {
        if let (Kind::Flag, Some(bits)) = (self.kind, self.known()) {
            return Self::immediate(self.writer, Kind::Flag, 1 - bits);
        }
        self.writer.made(self.kind, &format!("not.{}", self.kind.bits()), &[self.held()])
    }
}

impl Shl<u32> for Value<'_> {
    type Output = Self;

    fn shl(self, bits: u32) -> Self {
        let by = Self::immediate(self.writer, Kind::U32, u64::from(bits));
        self.writer.made(self.kind, &format!("shl.{}", self.kind.bits()), &[self.held(), by])
    }
}

/// Shifts a value by a number of bits that is unknown when the kernel is written.
impl<'w> Shl<Value<'w>> for Value<'w> {
    type Output = Value<'w>;

    fn shl(self, bits: Value<'w>) -> Self {
        self.writer.made(self.kind, &format!("shl.{}", self.kind.bits()), &[self.held(), bits])
    }
}

impl Shr<u32> for Value<'_> {
    type Output = Self;

    fn shr(self, bits: u32) -> Self {
        let by = Self::immediate(self.writer, Kind::U32, u64::from(bits));
        self.writer.made(self.kind, &format!("shr.{}", self.kind.unsigned()), &[self.held(), by])
    }
}

impl<'w> Shr<Value<'w>> for Value<'w> {
    type Output = Value<'w>;

    fn shr(self, bits: Value<'w>) -> Self {
        self.writer.made(self.kind, &format!("shr.{}", self.kind.unsigned()), &[self.held(), bits])
    }
}

impl Writer {
    /// Declares the kernel's next parameter, a number.
    pub fn parameter(&self, kind: Kind) -> Value<'_> {
        let name = self.next_parameter(&format!(".param .{}", kind.unsigned()));
        self.loaded(kind, &format!("ld.param.{}", kind.suffix()), &format!("[{name}]"))
    }

    /// Returns the index of the thread in its block.
    pub fn thread(&self) -> Value<'_> {
        self.loaded(Kind::U32, "mov.u32", "%tid.x")
    }

    /// Returns the index of the block.
    pub fn block(&self) -> Value<'_> {
        self.loaded(Kind::U32, "mov.u32", "%ctaid.x")
    }

    /// Returns the number of threads of a block.
    pub fn threads(&self) -> Value<'_> {
        self.loaded(Kind::U32, "mov.u32", "%ntid.x")
    }

    /// Returns a constant, rounded to its number type.
    pub fn constant(&self, kind: Kind, value: f64) -> Value<'_> {
        Value::immediate(self, kind, kind.bits_of(value))
    }

    /// Returns a 64-bit integer constant.
    pub fn bits(&self, bits: u64) -> Value<'_> {
        Value::immediate(self, Kind::U64, bits)
    }

    /// Reserves a register without content.
    pub(super) fn register(&self, kind: Kind) -> Value<'_> {
        let count = &self.registers[kind.file()];
        count.set(count.get() + 1);
        Value::register(self, kind, count.get())
    }

    /// Writes an instruction whose operand is text, such as an address, and returns the register of the
    /// instruction's result.
    pub(super) fn loaded(&self, kind: Kind, instruction: &str, from: &str) -> Value<'_> {
        let into = self.register(kind);
        self.line(&format!("{instruction} {into}, {from}"));
        into
    }

    /// Writes an instruction whose operands are values, and returns the register of the instruction's result.
    pub(super) fn made<'w>(&'w self, kind: Kind, instruction: &str, of: &[Value<'w>]) -> Value<'w> {
        let into = self.register(kind);
        let operands: Vec<String> = of.iter().map(ToString::to_string).collect();
        self.line(&format!("{instruction} {into}, {}", operands.join(", ")));
        into
    }
}
