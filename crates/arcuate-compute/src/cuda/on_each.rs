use arcuate_core::{Result, threads};

/// Does `work` for each of `items` (those of one GPU each, say), every one in a thread of the host of its own, so that
/// none waits while another fills the memory of its GPU; the first is the caller's, and so are those for which the system
/// has no thread. Answers come in the order of the
/// items; of several errors it is the first.
pub fn on_each<I: Send, R: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(usize, I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    threads::each(items, work).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Error;

    #[test]
    fn the_first_error_is_the_answer() {
        let done = on_each([1, 2, 3], |n, item| {
            if n == 0 { Ok(item) } else { Err(Error::invalid(item, "is wrong", "mend it")) }
        });
        assert_eq!(done.unwrap_err().to_string(), "2: is wrong; mend it");
        assert_eq!(on_each([2, 3], |n, item| Ok(n + item)).unwrap(), [2, 4]);
    }
}
