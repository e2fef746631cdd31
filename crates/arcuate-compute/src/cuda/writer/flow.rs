//! Branches, loops, barriers, and mutable registers of a kernel.

use super::text::Writer;
use super::value::{Kind, Value};

/// A mutable register of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Variable<'w> {
    register: Value<'w>,
}

impl<'w> Variable<'w> {
    /// Returns the mutable register as a value. Each use of this value reads the content that the register
    /// has then.
    pub fn now(self) -> Value<'w> {
        self.register
    }

    /// Returns a copy of the register's present content.
    pub fn copied(self) -> Value<'w> {
        let value = self.register;
        value.writer().made(value.kind(), &format!("mov.{}", value.kind().bits()), &[value])
    }

    /// Assigns a value to the register.
    pub fn set(self, value: Value<'w>) {
        let register = self.register;
        debug_assert_eq!(register.kind(), value.kind(), "a variable keeps its kind");
        if register.kind() == Kind::Flag && value.known().is_some() {
            // PTX instructions cannot have a constant flag (true or false) as an operand. So the flag is set
            // by a comparison of two constant numbers.
            let zero = register.writer().constant(Kind::U32, 0.0).held();
            let how = if value.known() == Some(0) { "ne" } else { "eq" };
            register.writer().line(&format!("setp.{how}.u32 {register}, {zero}, 0"));
            return;
        }
        register.writer().line(&format!("mov.{} {register}, {value}", register.kind().bits()));
    }

    /// Adds the product of a and b to the register, with one rounding.
    pub fn add_product(self, a: Value<'w>, b: Value<'w>) {
        let register = self.register;
        let suffix = register.kind().suffix();
        register.writer().line(&format!("fma.rn.{suffix} {register}, {a}, {b}, {register}"));
    }

    /// Adds a value to the register.
    pub fn add(self, value: Value<'w>) {
        let register = self.register;
        let rounding = if register.kind().is_real() { ".rn" } else { "" };
        let suffix = register.kind().suffix();
        register.writer().line(&format!("add{rounding}.{suffix} {register}, {register}, {value}"));
    }
}

/// A loop that is being written to a kernel. The code that writes the body of the loop uses this value to
/// exit the loop.
#[derive(Debug)]
pub struct Loop<'w> {
    writer: &'w Writer,
    begin: String,
    end: String,
}

/// A branch that is being written to a kernel. The branch ends when this value is dropped.
#[derive(Debug)]
pub struct Branch<'w> {
    writer: &'w Writer,
    /// The label at the end of the branch. `None` if the branch is always executed.
    end: Option<String>,
}

impl Drop for Branch<'_> {
    fn drop(&mut self) {
        if let Some(end) = &self.end {
            self.writer.place(end);
        }
    }
}

impl Loop<'_> {
    /// Exits the loop if the flag is set.
    pub fn leave_when(&self, flag: Value<'_>) {
        self.writer.jump(flag, true, &self.end);
    }
}

impl Writer {
    /// Creates a mutable register with an initial value.
    pub fn variable<'w>(&'w self, value: Value<'w>) -> Variable<'w> {
        let variable = Variable { register: self.register(value.kind()) };
        variable.set(value);
        variable
    }

    /// Creates several mutable registers with the same initial value.
    pub fn variables<'w>(&'w self, count: usize, value: Value<'w>) -> Vec<Variable<'w>> {
        (0..count).map(|_| self.variable(value)).collect()
    }

    /// Begins a branch that is executed if the flag is set. The branch contains the code that is written until
    /// the result is dropped. Returns `None` if the branch is never executed.
    pub fn branch(&self, flag: Value<'_>) -> Option<Branch<'_>> {
        match flag.known() {
            Some(0) => None,
            Some(_) => Some(Branch { writer: self, end: None }),
            None => {
                let end = self.label();
                self.jump(flag, false, &end);
                Some(Branch { writer: self, end: Some(end) })
            }
        }
    }

    /// Writes a branch that executes `then` if the flag is set.
    pub fn when(&self, flag: Value<'_>, then: impl FnOnce()) {
        if let Some(_branch) = self.branch(flag) {
            then();
        }
    }

    /// Writes a branch that executes `then` if the flag is set, and `otherwise` if not.
    pub fn either(&self, flag: Value<'_>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        match flag.known() {
            Some(0) => otherwise(),
            Some(_) => then(),
            None => {
                let (other, end) = (self.label(), self.label());
                self.jump(flag, false, &other);
                then();
                self.line(&format!("bra {end}"));
                self.place(&other);
                otherwise();
                self.place(&end);
            }
        }
    }

    /// Writes a loop that repeats `body` until the body exits the loop.
    pub fn repeat<'w>(&'w self, body: impl FnOnce(&Loop<'w>)) {
        let round = Loop { writer: self, begin: self.label(), end: self.label() };
        self.place(&round.begin);
        body(&round);
        self.line(&format!("bra {}", round.begin));
        self.place(&round.end);
    }

    /// Writes a loop that executes `body` for 32-bit integers. The integers start at `from`, stay below
    /// `below`, and increase by `step`.
    pub fn count_from<'w>(
        &'w self,
        from: Value<'w>,
        below: Value<'w>,
        step: Value<'w>,
        body: impl FnOnce(Value<'w>),
    ) {
        let n = self.variable(from);
        self.repeat(|round| {
            round.leave_when(n.now().at_least(below));
            body(n.now());
            n.add(step);
        });
    }

    /// Writes a loop that executes `body` for the integers 0, 1, … that are below `below`.
    pub fn count<'w>(&'w self, below: Value<'w>, body: impl FnOnce(Value<'w>)) {
        self.count_from(below.all(0.0), below, below.all(1.0), body);
    }

    /// Terminates the thread of the kernel if the flag is set.
    pub fn end_when(&self, flag: Value<'_>) {
        match flag.known() {
            Some(0) => {}
            Some(_) => self.line("ret"),
            None => self.line(&format!("@{flag} ret")),
        }
    }

    /// Waits for all threads of the block.
    pub fn wait_for_block(&self) {
        self.line("bar.sync 0");
    }

    /// Waits for all lanes of the warp.
    pub fn wait_for_warp(&self) {
        self.line("bar.warp.sync 4294967295");
    }

    fn jump(&self, flag: Value<'_>, where_set: bool, label: &str) {
        match flag.known() {
            Some(bits) if (bits != 0) == where_set => self.line(&format!("bra {label}")),
            Some(_) => {}
            None => self.line(&format!("@{}{flag} bra {label}", if where_set { "" } else { "!" })),
        }
    }

    fn place(&self, label: &str) {
        let mut body = self.body.borrow_mut();
        body.push_str(label);
        body.push_str(":\n");
    }
}
