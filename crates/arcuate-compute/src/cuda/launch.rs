//! Kernel launches that check the arguments of the kernel.
#![allow(unsafe_code)]

use super::arguments::Argument;
use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::kernels::Kernel;
use super::stream::Stream;
use std::ffi::c_void;

/// The grid of a kernel launch: numbers of blocks and threads, and the dynamic shared memory of each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Number of blocks in x, y and z.
    pub blocks: [u32; 3],
    /// Number of threads of a block in x, y and z.
    pub threads: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
}

impl Grid {
    /// Creates a one-dimensional launch grid of `blocks` thread blocks, each with `threads` threads.
    pub fn row(blocks: u32, threads: u32) -> Self {
        Self { blocks: [blocks, 1, 1], threads: [threads, 1, 1], shared_bytes: 0 }
    }

    /// Creates a one-dimensional launch grid with at least one thread for each of `items` items. Each thread
    /// block has `threads` threads.
    pub fn for_items(items: usize, threads: u32) -> Self {
        Self::row(u32::try_from(items.div_ceil(threads as usize)).unwrap_or(u32::MAX), threads)
    }

    /// Sets the dynamic shared memory of each block, in bytes.
    pub fn shared(self, shared_bytes: u32) -> Self {
        Self { shared_bytes, ..self }
    }
}

impl Stream {
    /// Queues a kernel with its arguments in order. The function checks the grid, the number and sizes of the
    /// arguments, and that buffers are on the kernel's GPU. An error inside the kernel is reported by the
    /// next call that waits for the GPU.
    ///
    /// # Safety
    /// The kernel must have parameters of the types of these arguments, and may access only the memory of the
    /// arguments. If work in another stream uses the same buffers, the caller must order the two with events.
    /// The buffers must live until the kernel is done. This is always the case, since dropping a buffer waits
    /// for the kernel.
    pub unsafe fn launch(&self, kernel: &Kernel, grid: Grid, arguments: &[Argument<'_>]) -> CudaResult<()> {
        if let Some(problem) = self.wrong(kernel, grid, arguments) {
            return Err(CudaError::Misuse { about: format!("launch of {kernel}"), problem });
        }
        kernel.allow_shared(grid.shared_bytes)?;
        let mut pointers: Vec<*mut c_void> =
            arguments.iter().map(|argument| argument.bytes().as_ptr().cast_mut().cast()).collect();
        let [blocks_x, blocks_y, blocks_z] = grid.blocks;
        let [threads_x, threads_y, threads_z] = grid.threads;
        // SAFETY: each pointer refers to as many bytes as its parameter has, and the driver copies them
        // before it returns. The caller promises the rest.
        unsafe {
            call!(
                format!("launch of {kernel}"),
                cuLaunchKernel(
                    kernel.raw(),
                    blocks_x,
                    blocks_y,
                    blocks_z,
                    threads_x,
                    threads_y,
                    threads_z,
                    grid.shared_bytes,
                    self.raw(),
                    pointers.as_mut_ptr(),
                    std::ptr::null_mut()
                )
            )
        }?;
        self.launched(kernel.name());
        Ok(())
    }

    /// Describes what is wrong with a launch; `None` if nothing is.
    fn wrong(&self, kernel: &Kernel, grid: Grid, arguments: &[Argument<'_>]) -> Option<String> {
        if kernel.gpu() != self.gpu() {
            return Some(format!("the stream belongs to {}", self.gpu()));
        }
        if let Some(problem) = mismatch(kernel.parameters(), arguments) {
            return Some(problem);
        }
        for (number, argument) in arguments.iter().enumerate() {
            if let Some(gpu) = argument.gpu
                && !matches!(self.gpu().reach(gpu), Ok(true))
            {
                return Some(format!("argument {number} is on {gpu}, which the kernel cannot access"));
            }
        }
        wrong_grid(grid, kernel.max_threads())
    }
}

/// Describes how the arguments of a launch differ from the kernel's parameters, whose sizes are given in
/// bytes. Returns `None` if all arguments match.
fn mismatch(parameters: &[usize], arguments: &[Argument<'_>]) -> Option<String> {
    if parameters.len() != arguments.len() {
        return Some(format!("it takes {} arguments and was given {}", parameters.len(), arguments.len()));
    }
    let wrong =
        arguments.iter().zip(parameters).position(|(argument, &bytes)| argument.bytes().len() != bytes)?;
    Some(format!(
        "argument {wrong} has {} bytes, its parameter {}",
        arguments[wrong].bytes().len(),
        parameters[wrong]
    ))
}

fn wrong_grid(grid: Grid, max_threads: u32) -> Option<String> {
    let Grid { blocks, threads, .. } = grid;
    let in_block: u64 = threads.iter().map(|&n| u64::from(n)).product();
    if blocks.contains(&0) || in_block == 0 {
        return Some(format!("{blocks:?} blocks of {threads:?} threads are none"));
    }
    if in_block > u64::from(max_threads) {
        return Some(format!("{in_block} threads a block are more than its {max_threads}"));
    }
    // The grid must respect the driver's limits, which have been equal for all GPUs since 2012.
    if blocks[0] > i32::MAX.cast_unsigned() || blocks[1] > 65_535 || blocks[2] > 65_535 {
        return Some(format!("{blocks:?} blocks are more than [2147483647, 65535, 65535]"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_checked_by_number_and_size() {
        let given = [Argument::from(1_u64), Argument::from(3_u32), Argument::from(0.5_f64)];
        assert_eq!(mismatch(&[8, 4, 8], &given), None);
        assert_eq!(mismatch(&[8, 4], &given).unwrap(), "it takes 2 arguments and was given 3");
        assert_eq!(mismatch(&[8, 8, 8], &given).unwrap(), "argument 1 has 4 bytes, its parameter 8");
    }

    #[test]
    fn grids_are_checked() {
        assert_eq!(wrong_grid(Grid::row(1, 1024), 1024), None);
        assert!(wrong_grid(Grid::row(0, 32), 1024).unwrap().contains("are none"));
        assert!(wrong_grid(Grid::row(1, 1025), 1024).unwrap().contains("1025 threads"));
        let tall = Grid { blocks: [1, 65_536, 1], threads: [1; 3], shared_bytes: 0 };
        assert!(wrong_grid(tall, 1024).unwrap().contains("65536"));
        let overflowing = Grid { blocks: [1; 3], threads: [u32::MAX, 2, 1], shared_bytes: 0 };
        assert!(wrong_grid(overflowing, 1024).is_some());
        assert_eq!(Grid::for_items(257, 256).shared(64), Grid { shared_bytes: 64, ..Grid::row(2, 256) });
        assert!(wrong_grid(Grid::for_items(usize::MAX, 1), 1024).is_some());
    }
}
