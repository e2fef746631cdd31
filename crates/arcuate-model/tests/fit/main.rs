//! Fits of signal models: what they find in simulated signals, on the processor and on GPUs.

#![cfg(test)]

mod averages;
mod bingham;
mod calibration;
mod fibres;
mod functions;
mod gpu;
mod information;
mod long;
mod prediction;
mod progress;
mod recovery;
mod sampling;
mod sampling_gpu;
mod simulation;
mod starts;
