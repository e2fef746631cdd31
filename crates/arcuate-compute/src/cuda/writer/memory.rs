//! Access of a kernel to memory.

use super::text::Writer;
use super::value::{Kind, Value};
use arcuate_core::narrow;
use std::fmt::Write;

/// An address space, the kind of memory to which an address belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// GPU memory that the kernel may read and write.
    Global,
    /// GPU memory that nothing writes while the kernel runs.
    Read,
    /// Constants that are part of the kernel.
    Constant,
    /// Memory that the threads of a block share.
    Shared,
    /// Local memory of one thread.
    Local,
}

impl Space {
    fn load(self) -> &'static str {
        match self {
            Self::Global => "ld.global",
            Self::Read => "ld.global.nc",
            Self::Constant => "ld.const",
            Self::Shared => "ld.shared",
            Self::Local => "ld.local",
        }
    }

    fn store(self) -> &'static str {
        match self {
            Self::Global => "st.global",
            Self::Read | Self::Constant => unreachable!("no kernel writes to it"),
            Self::Shared => "st.shared",
            Self::Local => "st.local",
        }
    }
}

/// An address in one of the address spaces.
#[derive(Debug, Clone, Copy)]
pub struct Pointer<'w> {
    space: Space,
    address: Value<'w>,
    offset: u32,
}

impl<'w> Pointer<'w> {
    pub(super) fn new(space: Space, address: Value<'w>) -> Self {
        Self { space, address, offset: 0 }
    }

    /// Returns the address advanced by a number of bytes.
    pub fn offset(self, bytes: u32) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }

    /// Returns the address advanced by `number` elements of a type. `number` is a 32-bit integer, or a 64-bit
    /// integer if it may be large.
    pub fn element(self, number: Value<'w>, kind: Kind) -> Self {
        self.further(number, kind.bytes())
    }

    /// Returns the address advanced by `number` times `bytes` bytes.
    pub fn further(self, number: Value<'w>, bytes: u32) -> Self {
        if let Some(known) = number.known() {
            return self.offset(narrow::<u32>(known) * bytes);
        }
        let size = number.all(f64::from(bytes));
        let address = match (self.address.kind(), number.kind()) {
            (Kind::U64, Kind::U32) => {
                self.address.writer().made(Kind::U64, "mad.wide.u32", &[number, size, self.address])
            }
            _ => number * size + self.address,
        };
        Self { address, ..self }
    }

    /// Returns the address, including its offset, as a value. A mutable register can hold this value.
    pub fn address(self) -> Value<'w> {
        if self.offset == 0 { self.address } else { self.address + self.address.all(f64::from(self.offset)) }
    }

    /// Returns a pointer with another address in the same address space.
    pub fn at(self, address: Value<'w>) -> Self {
        Self { address, offset: 0, ..self }
    }

    fn place(self) -> String {
        if self.offset == 0 {
            format!("[{}]", self.address)
        } else {
            format!("[{}+{}]", self.address, self.offset)
        }
    }

    /// Loads the value at the address.
    pub fn load(self, kind: Kind) -> Value<'w> {
        let instruction = format!("{}.{}", self.space.load(), kind.suffix());
        self.address.writer().loaded(kind, &instruction, &self.place())
    }

    /// Loads the byte at the address as a 32-bit integer.
    pub fn load_byte(self) -> Value<'w> {
        let instruction = format!("{}.u8", self.space.load());
        self.address.writer().loaded(Kind::U32, &instruction, &self.place())
    }

    /// Loads four consecutive 32-bit numbers from an address that is aligned to 16 bytes.
    pub fn load_four(self, kind: Kind) -> [Value<'w>; 4] {
        self.load_four_by(self.space.load(), kind)
    }

    /// Loads four numbers like [`load_four`](Self::load_four), but the compiler may not keep the numbers in
    /// registers for a later load from the same address. In long kernels, this reduces the number of
    /// registers.
    pub fn load_four_anew(self, kind: Kind) -> [Value<'w>; 4] {
        self.load_four_by(&self.space.load().replacen("ld", "ld.volatile", 1), kind)
    }

    fn load_four_by(self, load: &str, kind: Kind) -> [Value<'w>; 4] {
        let writer = self.address.writer();
        let four = std::array::from_fn(|_| writer.register(kind));
        let [a, b, c, d] = four;
        let suffix = kind.suffix();
        writer.line(&format!("{load}.v4.{suffix} {{{a}, {b}, {c}, {d}}}, {}", self.place()));
        four
    }

    /// Stores a value at the address.
    pub fn store(self, value: Value<'w>) {
        let (store, suffix) = (self.space.store(), value.kind().suffix());
        self.address.writer().line(&format!("{store}.{suffix} {}, {}", self.place(), value.held()));
    }

    /// Stores the lowest byte of an integer at the address.
    pub fn store_byte(self, value: Value<'w>) {
        self.address.writer().line(&format!("{}.u8 {}, {}", self.space.store(), self.place(), value.held()));
    }

    /// Stores four 32-bit values at an address that is aligned to 16 bytes.
    pub fn store_four(self, four: [Value<'w>; 4]) {
        let [a, b, c, d] = four.map(Value::held);
        let (store, suffix) = (self.space.store(), a.kind().suffix());
        let place = self.place();
        a.writer().line(&format!("{store}.v4.{suffix} {place}, {{{a}, {b}, {c}, {d}}}"));
    }

    /// Adds a value atomically to a 32-bit integer in GPU memory, and returns the integer before the
    /// addition.
    pub fn add_atomically(self, value: Value<'w>) -> Value<'w> {
        debug_assert_eq!(self.space, Space::Global);
        let writer = self.address.writer();
        let into = writer.register(Kind::U32);
        writer.line(&format!("atom.global.add.u32 {into}, {}, {}", self.place(), value.held()));
        into
    }
}

impl Writer {
    /// Declares the kernel's next parameter, an address in this address space.
    pub fn pointer(&self, space: Space) -> Pointer<'_> {
        let name = self.next_parameter(".param .u64 .ptr .global .align 1");
        Pointer::new(space, self.loaded(Kind::U64, "ld.param.u64", &format!("[{name}]")))
    }

    /// Returns the address of the dynamic shared memory of a block.
    pub fn shared(&self) -> Pointer<'_> {
        self.has_shared.set(true);
        Pointer::new(Space::Shared, self.loaded(Kind::U32, "mov.u32", "shared"))
    }

    /// Declares local memory of each thread. Use it for arrays whose indices are unknown when the kernel is
    /// written.
    pub fn local(&self, bytes: usize) -> Pointer<'_> {
        let number = self.array_count.get();
        self.array_count.set(number + 1);
        let _ = writeln!(self.arrays.borrow_mut(), "\t.local .align 8 .b8 local{number}[{bytes}];");
        Pointer::new(Space::Local, self.loaded(Kind::U32, "mov.u32", &format!("local{number}")))
    }

    /// Declares an array of constants, rounded to a type. Use it for numbers whose indices are unknown when
    /// the kernel is written. A kernel can have at most 64 KiB of constants.
    pub fn constants(&self, kind: Kind, values: &[f64]) -> Pointer<'_> {
        let words: Vec<String> = values.iter().map(|value| format!("{:#x}", kind.bits_of(*value))).collect();
        let array = format!("[{}] = {{{}}};", words.len(), words.join(", "));
        let mut arrays = self.constant_arrays.borrow_mut();
        // Arrays with equal content are stored once.
        let known = arrays.iter().position(|(other, there)| *other == kind.bits() && *there == array);
        let number = known.unwrap_or(arrays.len());
        if known.is_none() {
            arrays.push((kind.bits(), array));
        }
        Pointer::new(Space::Constant, self.loaded(Kind::U32, "mov.u32", &format!("constants{number}")))
    }
}
