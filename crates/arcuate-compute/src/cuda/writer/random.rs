//! Random numbers in kernels that are written at run time. They perform the same operations and give the same
//! bits as [`Random`](crate::Random); change both together.

use super::value::{Kind, Value};

/// Computes four random 32-bit words from a counter and a key (Philox4x32-10).
pub fn random_block<'w>(counter: [Value<'w>; 4], key: [Value<'w>; 2]) -> [Value<'w>; 4] {
    let word = |value: u32| Value::immediate(key[0].writer(), Kind::U32, u64::from(value));
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key;
    for round in 0..10 {
        if round > 0 {
            k0 = k0 + word(0x9e37_79b9);
            k1 = k1 + word(0xbb67_ae85);
        }
        let (first, second) = (word(0xd251_1f53), word(0xcd9e_8d57));
        let (product0, above0) = (c0 * first, c0.upper_product(first));
        let (product1, above1) = (c2 * second, c2.upper_product(second));
        [c0, c1, c2, c3] = [above1 ^ c1 ^ k0, product1, above0 ^ c3 ^ k1, product0];
    }
    [c0, c1, c2, c3]
}
