//! The model language, in which users describe a signal model in a small file or in Rust.
//!
//! - [`Model`]: a signal model as declared in a file. Its names, units and divisors have been checked.
//! - [`Program`]: the model as a graph of operations, with its derivatives. Other modules evaluate this
//!   graph.
//!
//! The page “The model language” of the documentation describes the syntax of model files.

#[macro_use]
mod table;

mod constrained_range;
mod derivative;
mod evaluation;
mod expression;
mod file;
mod folding;
mod functions;
mod id;
mod listing;
mod lowering;
mod model;
mod model_priors;
mod model_program;
mod node;
mod operators;
mod parser;
mod prior;
mod program;
mod range;
mod signal_model;
mod source;
mod stage;
mod unit;

pub use expression::Expression;
pub use functions::{FUNCTIONS, Function};
pub use id::Id;
pub use model::{
    Constraint, Form, Known, Model, OtherNames, Output, Parameter, SignalStatistic, Start, TensorPart,
};
pub(crate) use model_program::{ConstraintValue, DEVIATIONS, EnergyProgram, OWN_COLUMNS, OutputProgram};
pub use model_program::{MEASURED, ModelProgram, Role};
pub use node::Input;
pub(crate) use node::{Binary, Dispersed, Fanned, Moments, Node, Ternary, Unary};
pub use prior::Prior;
pub use program::Program;
pub use range::Range;
pub use signal_model::SignalModel;
pub(crate) use source::did_you_mean;
pub use stage::{Method, Stage};
pub use unit::{Dimension, Unit};
