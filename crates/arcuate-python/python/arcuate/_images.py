"""Images and gradient tables."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import as_array, numbers, real_or_complex
from ._calls import call
from ._errors import InputError
from ._files import is_file, path_of

PathLike = Union[str, "os.PathLike[str]"]
ImageLike = Any
"""An :class:`Image`, a path, an image of nibabel, or ``(array, affine)``."""
Regions = Union[ImageLike, Sequence[ImageLike]]
"""One image, or several images."""


class Image:
    """Values on a grid of voxels.

    Parameters
    ----------
    data : array_like
        Values of the voxels: an array (x, y, z), or (x, y, z, channels). An array that is not ``float32`` is copied.
    affine : array_like
        Matrix (4, 4) from voxel indices to RAS mm. It is multiplied with (i, j, k, 1) to get the centre of voxel (i, j, k).

    Notes
    -----
    ``data`` of an image from Arcuate is a read-only view of the library's memory; ``data.copy()`` is writable. Functions of Arcuate use
    this memory without another copy.

    Examples
    --------
    >>> import arcuate as ar, numpy as np
    >>> image = ar.Image(np.ones((4, 5, 6)), np.diag([2, 2, 2, 1]))
    >>> image
    <arcuate.Image 4 × 5 × 6, voxels of 2 × 2 × 2 mm>
    """

    __slots__ = ("_array", "_affine", "_native")
    _affine: NDArray[np.float64]

    def __init__(self, data: ArrayLike, affine: ArrayLike):
        array = real_or_complex(data, "data")
        if array.dtype == np.bool_:
            array = array.astype(np.float32)
        if array.dtype.kind == "c":
            raise InputError("data: its values are complex; give real numbers, such as their magnitude")
        if array.ndim not in (3, 4):
            raise InputError(f"data: {array.ndim} dimensions; give (x, y, z), or (x, y, z, values of a voxel)")
        if array.size == 0:
            raise InputError(f"data: its shape is {array.shape}; give an image with a voxel and a value")
        self._affine = _affine(affine)
        self._array: Optional[NDArray[Any]] = array
        self._native: Optional[_arcuate.Volume] = None

    @classmethod
    def _of(cls, native: Any) -> "Image":
        image = cls.__new__(cls)
        image._native = native
        image._affine = np.array(native.affine)
        image._array = None
        return image

    def _volume(self) -> Any:
        # The array may change before the next call, so the converted image is not kept.
        if self._native is not None:
            return self._native
        return _arcuate.Volume(numbers(self._array, "data", np.float32), self._affine.tolist())

    def __reduce__(self) -> Tuple[Any, ...]:
        placed = None if self._native is None else self._native.placed
        return _restored_image, (np.asarray(self.data), self._affine, placed)

    @property
    def data(self) -> NDArray[Any]:
        """Values of the voxels as an array of shape (x, y, z) or (x, y, z, channels)."""
        if self._array is None:
            assert self._native is not None
            self._array = self._native.array()
        return self._array

    @property
    def affine(self) -> NDArray[np.float64]:
        """Affine matrix (4, 4) from voxel indices to RAS mm."""
        return self._affine.copy()

    @property
    def shape(self) -> Tuple[int, ...]:
        """Shape of the array of values: (x, y, z) or (x, y, z, channels)."""
        return self.data.shape

    @property
    def voxel_size(self) -> NDArray[np.float64]:
        """Size of a voxel along its axes in mm."""
        edges: NDArray[np.float64] = np.sqrt((self._affine[:3, :3] ** 2).sum(0))
        return edges

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        array = self.data if dtype is None else self.data.astype(dtype, copy=False)
        return array.copy() if copy else array

    def save(self, path: PathLike) -> None:
        """Writes the image as ``.nii``, ``.nii.gz``, ``.mif`` or ``.mif.gz`` (32-bit floating point)."""
        _arcuate.save_image(call(), os.fspath(path), self._volume())

    def to_nibabel(self) -> Any:
        """Returns the image as a ``Nifti1Image`` of nibabel, without a copy."""
        import nibabel

        return nibabel.Nifti1Image(self.data, self._affine)

    def _repr_html_(self) -> str:
        from ._pictures import table

        return table(repr(self), {"middle slice": self})

    def __repr__(self) -> str:
        shape = " × ".join(map(str, self.shape))
        size = " × ".join(f"{edge:.4g}" for edge in self.voxel_size)
        return f"<arcuate.Image {shape}, voxels of {size} mm>"


def _affine(given: ArrayLike) -> NDArray[np.float64]:
    """Returns a copy of an affine."""
    affine = np.array(numbers(given, "affine", np.float64))
    if affine.shape != (4, 4) or not np.isfinite(affine).all():
        raise InputError(f"affine: its shape is {affine.shape}; give (4, 4) finite numbers, from voxel indices to RAS mm")
    return affine


def _restored_image(data: NDArray[Any], affine: NDArray[np.float64], placed: Optional[bool]) -> Image:
    """Restores an image from a pickle or a copy. ``placed`` is None if the image is not from Arcuate."""
    if placed is None:
        return Image(data, affine)
    return Image._of(_arcuate.Volume(numbers(data, "data", np.float32), affine.tolist(), placed))


def image(given: ImageLike, name: str = "image") -> Image:
    """Returns any image-like object as an :class:`Image`."""
    if isinstance(given, Image):
        return given
    if is_file(given):
        return load_image(given)
    if hasattr(given, "dataobj") and hasattr(given, "affine"):
        if given.affine is None:
            raise InputError(f"{name}: it has no affine; give an image with an affine")
        return Image(np.asarray(given.dataobj), given.affine)
    if isinstance(given, tuple) and len(given) == 2 and not isinstance(given, Series):
        return Image(*given)
    if isinstance(as_array(given, name), np.ndarray):
        raise InputError(f"{name}: an array alone has no position in space; give (array, affine)")
    raise InputError(f"{name}: {type(given).__name__} is no image; give arcuate's or nibabel's, a path, or (array, affine)")


def volume(given: ImageLike, name: str, like: Optional[Image] = None) -> Any:
    """Returns the library's image. An array without an affine gets the affine of ``like``."""
    given = as_array(given, name)
    if like is not None and isinstance(given, np.ndarray):
        if given.shape[:3] != like.shape[:3]:
            there = " × ".join(map(str, like.shape[:3]))
            raise InputError(f"{name}: its shape is {given.shape}, not that of the series, {there}; give (array, affine)")
        given = (given, like._affine)
    return image(given, name)._volume()


def optional_volume(given: Optional[ImageLike], name: str, like: Optional[Image] = None) -> Any:
    """Returns the library's image, or None if no image is given."""
    return None if given is None else volume(given, name, like)


class Gradients:
    """Gradient table: the diffusion weighting of the measurements of a series.

    Parameters
    ----------
    directions : array_like
        Gradient directions: an array (measurements, 3) of unit vectors in scanner axes. The directions of measurements with b = 0
        are ignored.
    b_values : array_like
        b-values in s/mm²: an array (measurements).
    b0_threshold : float, optional
        Largest b-value (s/mm²) of a measurement that counts as b = 0. Default: 50.

    Examples
    --------
    >>> import arcuate as ar
    >>> table = ar.Gradients([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [0, 1000, 1000])
    >>> table
    <arcuate.Gradients of 3 measurements: 1 × b 0, 2 × b 1000>
    """

    __slots__ = ("_native",)

    def __init__(self, directions: ArrayLike, b_values: ArrayLike, b0_threshold: Optional[float] = None):
        self._native = _arcuate.Gradients(*_table(directions, b_values), b0_threshold)

    @classmethod
    def _of(cls, native: Any) -> "Gradients":
        gradients = cls.__new__(cls)
        gradients._native = native
        return gradients

    @classmethod
    def from_dipy(cls, table: Any, affine: Optional[ArrayLike] = None, *, axes: str = "fsl") -> "Gradients":
        """Converts DIPY's ``GradientTable``, which does not state its axes.

        Parameters
        ----------
        table : dipy.core.gradients.GradientTable
        affine : array_like, optional
            Affine matrix (4, 4) of the series. Required unless ``axes`` is ``"scanner"``.
        axes : {"fsl", "voxel", "scanner"}
            Axes of the gradient directions. ``"fsl"`` means the axes of FSL's ``.bvec`` files, from which DIPY's tutorials read their tables.
            These are the voxel axes, with x negated if the determinant of the affine matrix is positive. ``"voxel"`` means the voxel axes,
            without negation. ``"scanner"`` means RAS axes, as in :class:`Gradients`.

        Examples
        --------
        >>> gradients = ar.Gradients.from_dipy(gtab, affine)  # doctest: +SKIP
        """
        if axes not in ("fsl", "voxel", "scanner"):
            raise InputError(f"axes: `{axes}` is none of fsl, voxel, scanner; give one of them")
        threshold = float(table.b0_threshold)
        if axes == "scanner":
            if affine is not None:
                raise InputError("affine: it has no meaning for directions in scanner axes; give one of affine and axes=\"scanner\"")
            return cls(table.bvecs, table.bvals, threshold)
        if affine is None:
            raise InputError(
                "affine: DIPY's table does not state its axes; give the affine of the series if its directions came from FSL's files, or "
                "axes=\"scanner\" if they are in scanner axes"
            )
        directions, b_values = _table(table.bvecs, table.bvals)
        return cls._of(_arcuate.Gradients.of_image_axes(directions, b_values, threshold, _affine(affine).tolist(), axes == "fsl"))

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored_gradients, (self._native.parts(),)

    @property
    def directions(self) -> NDArray[np.float64]:
        """Gradient directions as unit vectors in scanner axes: an array (measurements, 3)."""
        return self._native.directions()

    @property
    def b_values(self) -> NDArray[np.float64]:
        """b-values of the measurements in s/mm²."""
        return self._native.b_values()

    @property
    def b0_threshold(self) -> float:
        """Largest b-value (s/mm²) of a measurement that counts as b = 0."""
        return self._native.b0_threshold

    @property
    def shells(self) -> "list[tuple[float, int]]":
        """Shells of the gradient table: the mean b-value in s/mm² and the number of measurements of each shell."""
        return self._native.shells()

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        shells = ", ".join(f"{count} × b {b:.0f}" for b, count in self.shells)
        return f"<arcuate.Gradients of {len(self)} measurements: {shells}>"


def _table(directions: ArrayLike, b_values: ArrayLike) -> Tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns directions (measurements, 3) and a b-value for each."""
    directions, b_values = numbers(directions, "directions", np.float64), numbers(b_values, "b_values", np.float64)
    if directions.ndim != 2 or directions.shape[1] != 3:
        raise InputError(f"directions: their shape is {directions.shape}; give (measurements, 3)")
    if b_values.shape != directions.shape[:1]:
        raise InputError(f"b_values: {b_values.size} for {len(directions)} directions; give one for each")
    return directions, b_values


def _restored_gradients(parts: Dict[str, Any]) -> Gradients:
    """Restores a gradient table from a pickle or a copy."""
    return Gradients._of(_arcuate.Gradients.of_parts(parts))


class Series(NamedTuple):
    """A diffusion series: an image with one volume per measurement, and its gradient table. It can be unpacked:
    ``dwi, gradients = series``."""

    dwi: Image
    gradients: Gradients

    def __repr__(self) -> str:
        return f"<arcuate.Series {self.dwi!r}, {self.gradients!r}>"


def load_image(path: "Union[PathLike, BinaryIO]") -> Image:
    """Reads an image in NIfTI, MRtrix or MGH format.

    Parameters
    ----------
    path : path or binary file object
        The file.

    Returns
    -------
    Image
        Image whose values are 32-bit floating-point numbers, with the scaling of the header applied.
    """
    with path_of(path, "image") as place:
        return Image._of(_arcuate.load_image(call(), place))


# NIfTI's intent code of symmetric matrices.
SYMMETRIC_MATRIX = 1005


def load_tensor(path: "Union[PathLike, BinaryIO]", tensor_order: Optional[str] = None) -> Image:
    """Reads diffusion tensors, and converts their elements to Arcuate's order: D11, D22, D33, D12, D13, D23, scanner axes.

    Parameters
    ----------
    path : path or binary file object
        The file.
    tensor_order : {"arcuate", "mrtrix", "fsl", "dipy", "ants", "lower-triangle"}, optional
        Order and axes of the tensor elements in the file. Default: the order that the header states. If the header states none,
        Arcuate's order.

    Returns
    -------
    Image
        Diffusion tensors with the axes (x, y, z, 6).
    """
    with path_of(path, "tensor") as place:
        return Image._of(_arcuate.load_tensor(call(), place, tensor_order))


def tensor_image(given: ImageLike, name: str = "tensor") -> Image:
    """Returns tensors in Arcuate's order. Files and images of nibabel are read in the order stated in their header."""
    if is_file(given):
        return load_tensor(given)
    header = getattr(given, "header", None)
    if not hasattr(given, "dataobj") or header is None or "intent_code" not in header or given.affine is None:
        return image(given, name)
    array = np.asarray(given.dataobj)
    if array.ndim == 5 and array.shape[3] == 1:
        array = array[:, :, :, 0]
    tensor = Image(array, given.affine)
    intent = int(header["intent_code"])
    return Image._of(_arcuate.order_tensor(call(), tensor._volume(), intent, name)) if intent else tensor


def load_series(
    path: PathLike,
    bval: Optional[PathLike] = None,
    bvec: Optional[PathLike] = None,
    gradients: Optional[PathLike] = None,
    b0_threshold: Optional[float] = None,
    gradient_axes: Optional[str] = None,
    b_unit: Optional[str] = None,
    bvec_lengths: Optional[str] = None,
) -> Series:
    """Reads a diffusion series and its gradient table.

    Parameters
    ----------
    path : path
        File of the diffusion series, a 4-D image.
    bval, bvec : path, optional
        Files of b-values and of gradient directions in FSL's format. Default: the files next to the series. The directions are
        converted to scanner axes.
    gradients : path, optional
        Gradient table in one file, instead of FSL's two files: MRtrix's table (columns x y z b, directions in scanner axes),
        Camino's ``.scheme``, or a ``.prtcl``.
    b0_threshold : float, optional
        Largest b-value (s/mm²) of a measurement that counts as b = 0. Default: 50.
    gradient_axes : str, optional
        Axes of the gradient table along the image axes. Use this argument if the check of the gradient table reports reversed or
        exchanged axes. ``"-x,y,z"`` reverses the x axis, and ``"y,x,z"`` exchanges the x and y axes.
    b_unit : {"s/mm2", "s/m2", "ms/um2"}, optional
        Unit of the b-values in the gradient table. Default: the unit of the table's file format.
    bvec_lengths : {"scale", "ignore"}, optional
        How to interpret gradient directions whose length is not 1. ``"scale"`` multiplies the b-value in the table by the squared
        length. ``"ignore"`` uses the b-value in the table unchanged. Required if the lengths may encode b-values of several shells.

    Returns
    -------
    Series
        The image and the gradient table, which can be unpacked: ``dwi, gradients = ar.load_series(...)``.
    """
    b, directions, both = (None if part is None else os.fspath(part) for part in (bval, bvec, gradients))
    dwi, table = _arcuate.load_series(call(), os.fspath(path), b, directions, both, b0_threshold, gradient_axes, b_unit, bvec_lengths)
    return Series(Image._of(dwi), Gradients._of(table))


def series(dwi: ImageLike, gradients: Any) -> Tuple[Image, Any]:
    """Returns the image and the library's gradient table after checking that they fit together."""
    dwi = image(dwi, "dwi")
    if not isinstance(gradients, Gradients):
        raise InputError(f"gradients: {type(gradients).__name__} is no table; give arcuate.Gradients")
    measurements = dwi.shape[3] if len(dwi.shape) == 4 else 1
    if measurements != len(gradients):
        raise InputError(f"gradients: the gradient table has {len(gradients)} rows, but the series has {measurements} volumes; give those of this series")
    return dwi, gradients._native
