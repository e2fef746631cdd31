//! The functions of the model language. `table.rs` has a row of each function, and the files of this folder
//! define them.

mod arithmetic;
mod bessel;
mod bingham;
mod comparison;
mod debye;
mod dispatch;
mod elementary;
mod error_function;
mod legendre;
mod operation;
mod restricted;
mod rotations;
mod row;
mod trigonometry;
mod vectors;
mod watson;

pub use row::Function;
pub(super) use row::{ABOVE_0, FROM_0};

use super::lowering::{Lowering, Value};
use super::source::{Place, did_you_mean};
use arcuate_core::Result;

macro_rules! rows {
    (
        operators { $($operators:tt)* }
        functions { $($file:ident::$row:ident $(, $kind:ident $operation:ident)?;)* }
    ) => {
        /// Every function of the model language.
        pub const FUNCTIONS: &[&Function] = &[$(&$file::$row),*];
    };
}
functions!(rows);

impl Lowering<'_> {
    /// Returns the value of the function with this name for the given arguments. Each argument has its
    /// position in the model file, for error messages.
    pub(super) fn function(
        &mut self,
        name: &str,
        arguments: Vec<(Value, Place)>,
        place: Place,
    ) -> Result<Value> {
        let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
            let known = FUNCTIONS.iter().map(|function| function.name);
            let advice = did_you_mean(name, known, "see the page on the model language");
            return Err(self.error(place, format!("`{name}` is not a function"), advice));
        };
        self.value_of(function, arguments, place)
    }
}
