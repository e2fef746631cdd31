//! The PTX text of a kernel that is being written.

use super::super::written::WrittenKernel;
use std::cell::{Cell, RefCell};
use std::fmt::Write;

/// The header of the PTX text. It states the oldest PTX version that has all instructions used here, and the
/// oldest GPU generation that Arcuate supports.
const HEADER: &str = ".version 7.8\n.target sm_75\n.address_size 64\n";

/// Alignment of a kernel's shared memory in bytes.
const SHARED_ALIGNMENT: usize = 16;

/// Writes one kernel as PTX text; see the [module](super).
#[derive(Debug)]
pub struct Writer {
    pub(super) name: String,
    pub(super) parameters: RefCell<Vec<String>>,
    /// Declarations of the kernel's local and shared memory.
    pub(super) arrays: RefCell<String>,
    pub(super) array_count: Cell<u32>,
    /// The arrays of constants of the kernel: for each array, the PTX type of its words and the words
    /// themselves.
    pub(super) constant_arrays: RefCell<Vec<(&'static str, String)>>,
    pub(super) has_shared: Cell<bool>,
    pub(super) body: RefCell<String>,
    /// Number of 32-bit registers, number of 64-bit registers, and number of flags (true or false) that the
    /// kernel uses.
    pub(super) registers: [Cell<u32>; 3],
    labels: Cell<u32>,
}

impl Writer {
    /// Starts a kernel with this name.
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

    /// Finishes the kernel. Its blocks have `threads` threads, and the compiler limits registers so that at
    /// least `blocks` blocks fit on a multiprocessor.
    ///
    /// # Panics
    /// Panics if `threads` is 0.
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

    pub(super) fn next_parameter(&self, declaration: &str) -> String {
        let mut parameters = self.parameters.borrow_mut();
        let name = format!("{}_{}", self.name, parameters.len());
        parameters.push(format!("\t{declaration} {name}"));
        name
    }

    pub(super) fn line(&self, text: &str) {
        let mut body = self.body.borrow_mut();
        body.push('\t');
        body.push_str(text);
        body.push_str(";\n");
    }

    pub(super) fn label(&self) -> String {
        let number = self.labels.get();
        self.labels.set(number + 1);
        format!("$L{number}")
    }
}
