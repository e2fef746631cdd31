"""Checks and converts arrays of numbers. All arrays from users pass through this module."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError

# DLPack devices whose memory NumPy can read: CPU memory, and page-locked CPU memory.
OF_PROCESSORS = (1, 3)


def as_array(given: Any, name: str) -> Any:
    """Returns an array of any library with DLPack support as a NumPy array, without a copy.

    A masked array without masked values is returned as its data. Other objects are returned unchanged.
    """
    if isinstance(given, np.ma.MaskedArray):
        masked = int(np.ma.count_masked(given))
        if masked:
            raise InputError(f"{name}: {masked:,} values of this masked array are masked; fill them (`.filled(0)`), or give `.data` and a mask")
        return np.asarray(given.data)
    if isinstance(given, np.ndarray) or not hasattr(given, "__dlpack_device__"):
        return given
    if given.__dlpack_device__()[0] not in OF_PROCESSORS:
        raise InputError(f"{name}: its array is on a GPU; give one in the processor's memory, as .cpu() or cupy.asnumpy() make it")
    return np.from_dlpack(given)


def real_or_complex(given: Any, name: str) -> NDArray[Any]:
    """Returns an array of numbers in its own type. Raises an error for other objects."""
    given = as_array(given, name)
    if isinstance(given, (list, tuple)):
        given = [as_array(one, name) for one in given]
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise InputError(f"{name}: it is no array ({error}); give rows of the same length") from None
    if array.dtype.kind not in "biufc":
        raise InputError(f"{name}: values of the type {array.dtype} are no numbers; give an array of numbers")
    return array


def numbers(given: Any, name: str, kind: Any) -> NDArray[Any]:
    """Returns an array of this type, aligned and in the machine's byte order, with any strides.

    Raises an error for conversions that lose more than rounding: complex to real numbers, numbers beyond the range of the type, and
    integers that the type cannot represent.
    """
    array = real_or_complex(given, name)
    wanted = np.dtype(kind)
    if array.dtype.kind == "c" and wanted.kind != "c":
        raise InputError(f"{name}: its values are complex; give real numbers, such as their magnitude")
    if wanted.kind in "iu":
        whole = _whole(array, name, wanted)
        return np.require(whole, requirements=["A"])
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(array, dtype=wanted)
    _check_range(array, found, name)
    return np.require(found, requirements=["A"])


def vector(given: Any, name: str) -> NDArray[np.float64]:
    """Returns finite numbers, or one number, as an array of shape (n,)."""
    array = np.atleast_1d(numbers(given, name, np.float64))
    if array.ndim != 1:
        raise InputError(f"{name}: its shape is {array.shape}; give a number, or a list of numbers")
    if not np.isfinite(array).all():
        raise InputError(f"{name}: a value is not finite; give finite numbers")
    return array


def number(given: Any, name: str) -> float:
    """Returns a number, which may be infinite."""
    array = np.atleast_1d(numbers(given, name, np.float64))
    if array.shape != (1,):
        raise InputError(f"{name}: its shape is {array.shape}; give one number")
    if np.isnan(array[0]):
        raise InputError(f"{name}: it is not a number; give one")
    return float(array[0])


def flags(given: Any, name: str, count: int) -> NDArray[np.bool_]:
    """Returns an array of ``count`` values, each True or False."""
    array = numbers(given, name, np.int64)
    if array.shape != (count,):
        raise InputError(f"{name}: its shape is {array.shape}; give {count} values, each True or False")
    if not np.isin(array, (0, 1)).all():
        raise InputError(f"{name}: its values are {array.min()} to {array.max()}; give True or False")
    return array.astype(np.bool_)


def _whole(array: NDArray[Any], name: str, wanted: Any) -> NDArray[Any]:
    limits = np.iinfo(wanted)
    if array.dtype.kind not in "biu" and not (np.isfinite(array).all() and (array == np.floor(array)).all()):
        raise InputError(f"{name}: its values are not whole; give whole numbers")
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise InputError(f"{name}: its values are {array.min()} to {array.max()}; give whole numbers from {limits.min} to {limits.max}")
    return np.asarray(array, dtype=wanted)


def _check_range(array: NDArray[Any], found: NDArray[Any], name: str) -> None:
    """Raises an error if finite numbers became infinite, or if integers changed."""
    # Number of bytes of a real number, or of the real part of a complex number.
    parts = found.dtype.itemsize // (2 if found.dtype.kind == "c" else 1)
    precision = "single" if parts == 4 else "double"
    given = array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1)
    if array.dtype.kind in "fc" and given > parts and (np.isfinite(array) & ~np.isfinite(found)).any():
        raise InputError(f"{name}: it has values beyond the range of {precision} precision; scale them")
    if array.dtype.kind in "iu" and array.size:
        exact = 2 ** (24 if parts == 4 else 53)
        if int(array.max()) > exact or int(array.min()) < -exact:
            with np.errstate(invalid="ignore"):
                lost = np.flatnonzero(np.real(found).astype(array.dtype).ravel() != array.ravel())
            if lost.size:
                raise InputError(
                    f"{name}: {precision} precision does not hold the whole number {array.ravel()[lost[0]]}; give numbers up to {exact:,}"
                )
