//! A test that GPUs compute the elementary functions of [`arcuate_numbers::elementary`] with the same bits.

mod tests;
