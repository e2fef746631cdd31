"""Tractograms: streamlines with their data and groups."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arcuate
from ._arrays import as_array, numbers, real_or_complex
from ._calls import call
from ._errors import InputError
from ._files import is_file, path_of
from ._images import ImageLike, PathLike, optional_volume


class Tractogram:
    """Streamlines, with data of points, streamlines and groups of streamlines.

    Parameters
    ----------
    positions : array_like
        Points of all streamlines: an array (points, 3) in RAS mm. The points of a streamline come after those of the previous
        streamline.
    offsets : array_like
        Array (streamlines + 1) with the index of the first point of each streamline. The last value is the number of points.
    data_per_point, data_per_streamline : mapping of str to array_like, optional
        Data by name. Data of points are arrays (points) or (points, numbers). Data of streamlines are arrays (streamlines) or
        (streamlines, numbers).
    groups : mapping of str to array_like, optional
        For each group, the numbers (indices) of its streamlines.

    Notes
    -----
    ``positions`` and ``offsets`` of a tractogram from Arcuate are read-only views of the library's memory.

    Examples
    --------
    >>> import arcuate as ar
    >>> tracks = ar.Tractogram([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 2, 0]], [0, 2, 4])
    >>> tracks
    <arcuate.Tractogram of 2 streamlines, 4 points>
    >>> tracks.lengths
    array([1., 2.])
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        positions: ArrayLike,
        offsets: ArrayLike,
        data_per_point: Optional[Mapping[str, ArrayLike]] = None,
        data_per_streamline: Optional[Mapping[str, ArrayLike]] = None,
        groups: Optional[Mapping[str, ArrayLike]] = None,
    ):
        points = _points(positions, "positions")
        begins = numbers(offsets, "offsets", np.uint64)
        if begins.ndim != 1:
            raise InputError("offsets: give whole numbers, one more than there are streamlines")
        self._native = _arcuate.Tractogram(
            points,
            begins,
            _columns(data_per_point, len(points), "data_per_point"),
            _columns(data_per_streamline, max(len(begins) - 1, 0), "data_per_streamline"),
            {name: numbers(members, f"groups: {name}", np.uint32).tolist() for name, members in (groups or {}).items()},
        )

    @classmethod
    def _of(cls, native: Any) -> "Tractogram":
        tractogram = cls.__new__(cls)
        tractogram._native = native
        return tractogram

    def __reduce__(self) -> Tuple[Any, ...]:
        native = self._native
        columns = (native.data_per_point(), native.data_per_streamline())
        parts = (native.positions(), native.offsets(), *columns, native.groups(), native.data_per_group())
        return _restored_tractogram, (type(self), parts, getattr(self, "summary", None))

    @property
    def positions(self) -> NDArray[np.float32]:
        """Points of all streamlines: an array (points, 3) in RAS mm."""
        return self._native.positions()

    @property
    def offsets(self) -> NDArray[np.uint64]:
        """Index of the first point of each streamline. The last value is the number of points."""
        return self._native.offsets()

    @property
    def data_per_point(self) -> Dict[str, NDArray[Any]]:
        """Data of the points by name: arrays (points) or (points, numbers)."""
        return self._native.data_per_point()

    @property
    def data_per_streamline(self) -> Dict[str, NDArray[Any]]:
        """Data of the streamlines by name: arrays (streamlines) or (streamlines, numbers)."""
        return self._native.data_per_streamline()

    @property
    def groups(self) -> Dict[str, NDArray[np.uint32]]:
        """Numbers of the streamlines of each group."""
        return self._native.groups()

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Lengths of the streamlines in mm."""
        if len(self) == 0:
            return np.zeros(0)
        points, offsets = self.positions.astype(np.float64), self.offsets.astype(np.int64)
        ways = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(points, axis=0) ** 2).sum(1)))]) if len(points) else np.zeros(1)
        last = np.maximum(offsets[1:] - 1, offsets[:-1])
        empty = offsets[1:] == offsets[:-1]
        ends = np.where(empty, 0, last)
        begins = np.where(empty, 0, offsets[:-1])
        return ways[ends] - ways[begins]

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> "Iterator[NDArray[np.float32]]":
        positions, offsets = self.positions, self.offsets.tolist()
        for begin, end in zip(offsets, offsets[1:]):
            yield positions[begin:end]

    @overload
    def __getitem__(self, chosen: Union[int, "np.integer[Any]"]) -> NDArray[np.float32]: ...

    @overload
    def __getitem__(self, chosen: Union[slice, Sequence[int], NDArray[Any]]) -> "Tractogram": ...

    def __getitem__(self, chosen: Any) -> Any:
        if isinstance(chosen, (int, np.integer)):
            number = range(len(self))[chosen]
            begin, end = self.offsets[number : number + 2].tolist()
            return self.positions[begin:end]
        chosen = np.arange(len(self))[chosen]
        return Tractogram._of(self._native.select(chosen.tolist()))

    def save(self, path: PathLike, reference: Optional[ImageLike] = None) -> None:
        """Writes the tractogram as ``.tck``, ``.trk``, ``.trx``, ``.tck.gz`` or ``.trk.gz``.

        Parameters
        ----------
        path : path
            The file.
        reference : image, optional
            The image whose size and position are written to headers of ``.trk`` and ``.trx``.
        """
        _arcuate.save_tractogram(call(), os.fspath(path), self._native, optional_volume(reference, "reference"))

    def to_nibabel(self) -> Any:
        """Returns the streamlines as nibabel's ``Tractogram`` in RAS mm, without a copy of the points."""
        from nibabel.streamlines.array_sequence import ArraySequence
        from nibabel.streamlines.tractogram import Tractogram as Nibabel

        tractogram = Nibabel(self._sequence(ArraySequence, self.positions), affine_to_rasmm=np.eye(4))
        for name, values in self.data_per_streamline.items():
            tractogram.data_per_streamline[name] = values
        for name, values in self.data_per_point.items():
            values = values if values.ndim == 2 else values[:, None]
            tractogram.data_per_point[name] = self._sequence(ArraySequence, values)
        return tractogram

    def _sequence(self, kind: Any, rows: NDArray[Any]) -> Any:
        sequence = kind()
        offsets = self.offsets.astype(np.int64)
        sequence._data, sequence._offsets, sequence._lengths = rows, offsets[:-1], np.diff(offsets)
        return sequence

    def to_dipy(self, reference: ImageLike) -> Any:
        """Returns the streamlines as DIPY's ``StatefulTractogram`` in the space of an image."""
        from dipy.io.stateful_tractogram import StatefulTractogram  # pyright: ignore[reportMissingImports]
        from dipy.io.utils import Space  # pyright: ignore[reportMissingImports]

        from ._images import image

        tractogram = self.to_nibabel()
        # DIPY transforms the points in place for other spaces.
        tractogram.streamlines._data = tractogram.streamlines._data.copy()
        return StatefulTractogram(
            tractogram.streamlines,
            image(reference, "reference").to_nibabel(),
            Space.RASMM,
            data_per_point={name: tractogram.data_per_point[name] for name in tractogram.data_per_point},
            data_per_streamline=self.data_per_streamline,
        )

    @classmethod
    def from_nibabel(cls, tractogram: Any) -> "Tractogram":
        """Converts nibabel's ``Tractogram``, or a similar object in RAS mm, such as DIPY's ``StatefulTractogram``."""
        space = getattr(tractogram, "space", None)
        if space is not None and getattr(space, "value", "rasmm") != "rasmm":
            raise InputError(f"tractogram: its points are in the space {space.value}; call to_rasmm() before")
        if getattr(getattr(tractogram, "origin", None), "value", "center") != "center":
            raise InputError("tractogram: its points are from corners of voxels, half a voxel away; call to_center() before")
        if getattr(tractogram, "affine_to_rasmm", None) is not None and not np.allclose(tractogram.affine_to_rasmm, np.eye(4)):
            raise InputError("tractogram: its points are not in RAS mm; call to_world() before")
        lines = tractogram.streamlines
        lengths = np.array([len(line) for line in lines], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        points = lines.get_data() if hasattr(lines, "get_data") and lines.is_array_sequence else None
        if points is None or len(points) != offsets[-1]:
            points = np.concatenate([as_array(line, "streamlines") for line in lines]) if len(lines) else np.zeros((0, 3))

        def rows(values: Any) -> NDArray[Any]:
            return np.concatenate([np.asarray(value) for value in values]) if len(values) else np.zeros((0, 1))

        return cls(
            points,
            offsets,
            {name: rows(values) for name, values in tractogram.data_per_point.items()},
            {name: np.asarray(values) for name, values in tractogram.data_per_streamline.items()},
        )

    from_dipy = from_nibabel

    def __repr__(self) -> str:
        named = [f"{len(self.groups)} groups"] if self.groups else []
        data = [*self.data_per_point, *self.data_per_streamline]
        named += [f"data {', '.join(data)}"] if data else []
        return f"<arcuate.Tractogram of {', '.join([f'{len(self):,} streamlines', f'{len(self.positions):,} points', *named])}>"


def _columns(given: Optional[Mapping[str, ArrayLike]], rows: int, name: str) -> Dict[str, NDArray[Any]]:
    columns = {}
    for key, values in (given or {}).items():
        array = real_or_complex(values, f"{name}: {key}")
        array = array.astype(np.uint8 if array.dtype == np.bool_ else array.dtype.newbyteorder("="), copy=False)
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2 or len(array) != rows:
            raise InputError(f"{name}: the shape of {key} is {np.shape(values)}; give {rows} rows")
        columns[key] = array
    return columns


def _points(given: ArrayLike, name: str) -> NDArray[np.float32]:
    """Returns points (points, 3). An empty array gives no points."""
    points = numbers(given, name, np.float32)
    if points.size == 0:
        points = points.reshape(0, 3)
    if points.ndim != 2 or points.shape[1] != 3:
        raise InputError(f"{name}: their shape is {points.shape}; give (points, 3), RAS mm")
    return points


def _restored_tractogram(kind: Any, parts: Tuple[Any, ...], summary: Optional[Dict[str, Any]]) -> "Tractogram":
    """Restores a tractogram from a pickle or a copy."""
    *known, data_per_group = parts
    native = Tractogram(*known)._native
    groups = {name: {key: values.reshape(1, -1) for key, values in of.items()} for name, of in data_per_group.items()}
    tractogram: Tractogram = kind._of(native.with_data_per_group(groups) if groups else native)
    if summary is not None:
        tractogram.summary = summary  # type: ignore[attr-defined]
    return tractogram


def load_tractogram(path: "Union[PathLike, BinaryIO]", reference: Optional[ImageLike] = None) -> Tractogram:
    """Reads a tractogram: ``.tck``, ``.trk``, ``.trx``, ``.tck.gz`` or ``.trk.gz``.

    Parameters
    ----------
    path : path or binary file object
        The file.
    reference : image, optional
        Image that defines the coordinate space of a ``.trk`` file, if the file does not store its space.
    """
    with path_of(path, "tractogram") as place:
        return Tractogram._of(_arcuate.load_tractogram(call(), place, optional_volume(reference, "reference")))


def tractogram(given: Any, name: str = "tracks") -> Any:
    """Returns the library's tractogram for any tractogram-like object."""
    if isinstance(given, Tractogram):
        return given._native
    if is_file(given):
        return load_tractogram(given)._native
    if hasattr(given, "streamlines"):
        return Tractogram.from_nibabel(given)._native
    if isinstance(given, Sequence) or getattr(given, "is_array_sequence", False):
        lines = [_points(line, f"{name}[{n}]") for n, line in enumerate(given)]
        points = np.concatenate(lines) if lines else np.zeros((0, 3))
        return Tractogram(points, np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64))._native
    raise InputError(f"{name}: {type(given).__name__} is no tractogram; give arcuate's, nibabel's or DIPY's, a path, or a list of arrays")
