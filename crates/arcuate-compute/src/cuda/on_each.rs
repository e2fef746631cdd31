use arcuate_core::{Result, threads};

/// Runs `work` for each of `items`, for example one item per GPU. Each item has its own host thread, so that
/// no item waits while another fills its GPU's memory. The calling thread runs the first item, and the items
/// for which the system refuses a thread. Results are in the order of the items. If several items fail, the
/// error of the first one is returned.
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
    fn the_first_error_is_returned() {
        let done = on_each([1, 2, 3], |n, item| {
            if n == 0 { Ok(item) } else { Err(Error::invalid(item, "is wrong", "mend it")) }
        });
        assert_eq!(done.unwrap_err().to_string(), "2: is wrong; mend it");
        assert_eq!(on_each([2, 3], |n, item| Ok(n + item)).unwrap(), [2, 4]);
    }
}
