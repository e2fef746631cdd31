//! Streamline propagation through tensor fields.
