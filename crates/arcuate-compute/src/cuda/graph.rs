//! Work recorded once and given to a GPU again and again at the cost of one launch.
#![allow(unsafe_code)]

use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::Gpu;
use super::stream::Stream;
use cudarc::driver::sys;

/// Launches, zeroings and copies between buffers, recorded from a stream with their arguments.
pub struct Graph {
    gpu: Gpu,
    executable: sys::CUgraphExec,
    last_kernel: Option<String>,
}

// SAFETY: the driver takes its handle from any thread; it is not changed after it was made.
unsafe impl Send for Graph {}

impl Stream {
    /// Records what `work` gives to this stream (nothing of it is done now). Memory can be neither allocated nor freed
    /// nor waited for meanwhile.
    pub fn capture(&self, work: impl FnOnce() -> CudaResult<()>) -> CudaResult<Graph> {
        self.gpu().bind()?;
        // Other threads may go on calling the driver as they like.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives as long as `self`.
        unsafe { call!(self.about(), cuStreamBeginCapture_v2(self.raw(), mode)) }?;
        let worked = work();
        let bound = self.gpu().bind();
        let mut graph = std::ptr::null_mut();
        // SAFETY: ends what was begun above, whether the work succeeded or not; writes the graph's handle.
        let ended = unsafe { call!(self.about(), cuStreamEndCapture(self.raw(), &raw mut graph)) };
        let made = worked.and(bound).and(ended).and_then(|()| {
            let mut executable = std::ptr::null_mut();
            // SAFETY: the graph was just captured; writes the handle.
            unsafe { call!(self.about(), cuGraphInstantiateWithFlags(&raw mut executable, graph, 0)) }?;
            Ok(Graph { gpu: self.gpu().clone(), executable, last_kernel: self.last_kernel() })
        });
        if !graph.is_null() {
            // SAFETY: made above; the executable graph is a copy.
            let _ = unsafe { sys::cuGraphDestroy(graph) };
        }
        made
    }

    /// Gives recorded work to the stream.
    ///
    /// # Safety
    /// As for the launches that were recorded: the buffers and the page-locked memory that were used live, and nobody
    /// else uses them, until the work is done.
    pub unsafe fn launch_graph(&self, graph: &Graph) -> CudaResult<()> {
        if self.gpu() != &graph.gpu {
            let (about, problem) = (
                format!("launch of a graph of {}", graph.gpu),
                format!("the stream belongs to {}", self.gpu()),
            );
            return Err(CudaError::Misuse { about, problem });
        }
        self.gpu().bind()?;
        // SAFETY: the graph lives, and the driver keeps what it needs of it while it runs.
        unsafe { call!(self.about(), cuGraphLaunch(graph.executable, self.raw())) }?;
        if let Some(kernel) = &graph.last_kernel {
            self.launched(kernel);
        }
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: made once; the driver finishes what runs of it.
            let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
        }
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Graph({})", self.gpu)
    }
}
