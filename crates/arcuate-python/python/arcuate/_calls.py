"""Settings that all calls share: device, number of threads, random seed and progress."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from . import _arcuate

Progress = Union[bool, Callable[[int, int], object]]


class _Bar:
    """A progress bar of tqdm, or a line on standard error if tqdm is not installed."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                import sys

                sys.stderr.write(f"\r{100 * done // max(total, 1):3d} %" + ("\n" if done >= total else ""))
                sys.stderr.flush()
                return
            self._bar = tqdm(total=total)
        self._bar.n = done
        self._bar.refresh()
        if done >= total:
            self._bar.close()


def call(
    device: str = "auto",
    device_memory: Optional[str] = None,
    threads: Optional[int] = None,
    random_seed: int = 0,
    progress: Progress = False,
    frames: int = 2,
) -> _arcuate.Call:
    """Returns the settings of a call for the library. Warnings refer to the line that is ``frames`` frames above this call."""
    told = _Bar() if progress is True else (progress or None)
    return _arcuate.Call(device, device_memory, threads, random_seed, told, frames)
