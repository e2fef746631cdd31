//! Tests of models and of the model language, apart from fits.

#![cfg(test)]

mod bootstrap;
mod constraints;
mod jacobians;
mod language;
mod model_files;
mod real_scans;
mod special_functions;
