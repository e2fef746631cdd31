//! Kernels that are written when they are needed: what depends on a model that nobody knew when the program was built becomes
//! text (PTX), which the driver compiles.
//!
//! A [`Writer`] writes one kernel. [`Value`]s are numbers in registers; operators between them write an instruction each and
//! answer with the register of its result, so that code that writes a kernel reads like one. Operations of [`Value`] are each
//! rounded once, as those of [`numbers`](crate::numbers), and `fma` alone joins a product to a sum: what is written with the same
//! operations in the same order has the bits of the processor. Numbers known while writing are part of the instructions, and
//! what is made of such numbers alone is computed at once.
//!
//! ```
//! use arcuate_compute::cuda::writer::{Kind, Space, Writer};
//!
//! // Doubles `count` numbers, a thread for each.
//! let w = Writer::new("double_all");
//! let count = w.parameter(Kind::U32);
//! let numbers = w.pointer(Space::Global);
//! let n = w.block() * w.constant(Kind::U32, 128.0) + w.thread();
//! w.when(n.below(count), || {
//!     let place = numbers.element(n, Kind::F32);
//!     let number = place.load(Kind::F32);
//!     place.store(number + number);
//! });
//! let kernel = w.finish(128, 1);
//! assert!(kernel.text().contains("add.rn.f32"));
//! ```

mod elementary;
mod flow;
mod memory;
mod random;
#[cfg(test)]
mod tests;
mod value;

pub use flow::{Loop, Variable};
pub use memory::{Pointer, Space, Structure};
pub use random::random_block;
pub use value::{Kind, Value};

use super::written::WrittenKernel;
use std::cell::{Cell, RefCell};
use std::fmt::Write;

/// The oldest PTX that has all that is written here, and the least GPU served.
const HEADER: &str = ".version 7.8\n.target sm_75\n.address_size 64\n";

/// Bytes that shared memory of a kernel is aligned to.
const SHARED_ALIGNMENT: usize = 16;

/// Writes one kernel: see the [module](self).
#[derive(Debug)]
pub struct Writer {
    name: String,
    parameters: RefCell<Vec<String>>,
    /// Memory of each thread, and that of blocks.
    arrays: RefCell<String>,
    array_count: Cell<u32>,
    /// Of each array of constants the type of its words, and these.
    constant_arrays: RefCell<Vec<(&'static str, String)>>,
    has_shared: Cell<bool>,
    body: RefCell<String>,
    /// Registers of 32 bits, of 64, and flags.
    registers: [Cell<u32>; 3],
    labels: Cell<u32>,
}

impl Writer {
    /// Begins a kernel of this name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            parameters: RefCell::default(),
            arrays: RefCell::default(),
            array_count: Cell::new(0),
            constant_arrays: RefCell::default(),
            has_shared: Cell::new(false),
            body: RefCell::default(),
            registers: Default::default(),
            labels: Cell::new(0),
        }
    }

    /// The kernel, for blocks of so many threads, of which a multiprocessor is to have room for so many at least.
    ///
    /// # Panics
    /// Where `threads` is 0.
    pub fn finish(self, threads: u32, blocks: u32) -> WrittenKernel {
        assert!(threads > 0, "a block without threads");
        let mut text = String::from(HEADER);
        if self.has_shared.get() {
            let _ = writeln!(text, ".extern .shared .align {SHARED_ALIGNMENT} .b8 shared[];");
        }
        for (number, (word, array)) in self.constant_arrays.into_inner().iter().enumerate() {
            let _ = writeln!(text, ".const .align 8 .{word} constants{number}{array}");
        }
        let parameters = self.parameters.into_inner().join(",\n");
        let _ = writeln!(text, "\n.visible .entry {}(\n{parameters}\n)", self.name);
        let _ = writeln!(text, ".maxntid {threads}, 1, 1\n.minnctapersm {blocks}\n{{");
        for (kind, count) in ["b32 %r", "b64 %d", "pred %p"].iter().zip(&self.registers) {
            let _ = writeln!(text, "\t.reg .{kind}<{}>;", count.get() + 1);
        }
        text.push_str(&self.arrays.into_inner());
        text.push_str(&self.body.into_inner());
        text.push_str("\tret;\n}\n");
        WrittenKernel::new(self.name, text)
    }

    /// The next parameter, a number.
    pub fn parameter(&self, kind: Kind) -> Value<'_> {
        let name = self.next_parameter(&format!(".param .{}", kind.unsigned()));
        self.loaded(kind, &format!("ld.param.{}", kind.suffix()), &format!("[{name}]"))
    }

    /// The next parameter, an address in memory of that space.
    pub fn pointer(&self, space: Space) -> Pointer<'_> {
        let name = self.next_parameter(".param .u64 .ptr .global .align 1");
        Pointer::new(space, self.loaded(Kind::U64, "ld.param.u64", &format!("[{name}]")))
    }

    /// The next parameter, a structure of so many bytes.
    pub fn structure(&self, bytes: usize) -> Structure<'_> {
        let number = self.parameters.borrow().len();
        let name = format!("{}_{number}", self.name);
        self.parameters.borrow_mut().push(format!("\t.param .align 8 .b8 {name}[{bytes}]"));
        Structure::new(self, name)
    }

    fn next_parameter(&self, declaration: &str) -> String {
        let mut parameters = self.parameters.borrow_mut();
        let name = format!("{}_{}", self.name, parameters.len());
        parameters.push(format!("\t{declaration} {name}"));
        name
    }

    /// The thread's number in its block.
    pub fn thread(&self) -> Value<'_> {
        self.loaded(Kind::U32, "mov.u32", "%tid.x")
    }

    /// The block's number.
    pub fn block(&self) -> Value<'_> {
        self.loaded(Kind::U32, "mov.u32", "%ctaid.x")
    }

    /// Threads of a block.
    pub fn threads(&self) -> Value<'_> {
        self.loaded(Kind::U32, "mov.u32", "%ntid.x")
    }

    /// The shared memory of a block that its launch asks for.
    pub fn shared(&self) -> Pointer<'_> {
        self.has_shared.set(true);
        Pointer::new(Space::Shared, self.loaded(Kind::U32, "mov.u32", "shared"))
    }

    /// Memory that each thread has for itself, for what is found by a number that is not known while writing.
    pub fn local(&self, bytes: usize) -> Pointer<'_> {
        let number = self.array_count.get();
        self.array_count.set(number + 1);
        let _ = writeln!(self.arrays.borrow_mut(), "\t.local .align 8 .b8 local{number}[{bytes}];");
        Pointer::new(Space::Local, self.loaded(Kind::U32, "mov.u32", &format!("local{number}")))
    }

    /// Numbers known while writing, each rounded to that kind, which are found by a number that is not: at most 64 KiB in a kernel.
    pub fn constants(&self, kind: Kind, values: &[f64]) -> Pointer<'_> {
        let words: Vec<String> = values.iter().map(|value| format!("{:#x}", kind.bits_of(*value))).collect();
        let array = format!("[{}] = {{{}}};", words.len(), words.join(", "));
        let mut arrays = self.constant_arrays.borrow_mut();
        // The same numbers are there once.
        let known = arrays.iter().position(|(other, there)| *other == kind.bits() && *there == array);
        let number = known.unwrap_or(arrays.len());
        if known.is_none() {
            arrays.push((kind.bits(), array));
        }
        Pointer::new(Space::Constant, self.loaded(Kind::U32, "mov.u32", &format!("constants{number}")))
    }

    /// A number known while writing, rounded to its kind.
    pub fn constant(&self, kind: Kind, value: f64) -> Value<'_> {
        Value::immediate(self, kind, kind.bits_of(value))
    }

    /// A whole number of 64 bits.
    pub fn bits(&self, bits: u64) -> Value<'_> {
        Value::immediate(self, Kind::U64, bits)
    }

    /// A remark in the text, for who reads it.
    pub fn remark(&self, text: &str) {
        let _ = writeln!(self.body.borrow_mut(), "\t// {text}");
    }

    fn line(&self, text: &str) {
        let mut body = self.body.borrow_mut();
        body.push('\t');
        body.push_str(text);
        body.push_str(";\n");
    }

    /// A register that nothing was written to.
    fn register(&self, kind: Kind) -> Value<'_> {
        let count = &self.registers[kind.file()];
        count.set(count.get() + 1);
        Value::register(self, kind, count.get())
    }

    /// What an instruction makes of an operand that is no value.
    fn loaded(&self, kind: Kind, instruction: &str, from: &str) -> Value<'_> {
        let into = self.register(kind);
        self.line(&format!("{instruction} {into}, {from}"));
        into
    }

    /// What an instruction makes of values.
    fn made<'w>(&'w self, kind: Kind, instruction: &str, of: &[Value<'w>]) -> Value<'w> {
        let into = self.register(kind);
        let operands: Vec<String> = of.iter().map(ToString::to_string).collect();
        self.line(&format!("{instruction} {into}, {}", operands.join(", ")));
        into
    }

    fn label(&self) -> String {
        let number = self.labels.get();
        self.labels.set(number + 1);
        format!("$L{number}")
    }
}
