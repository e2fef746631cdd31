"""Small pictures of images, for notebooks."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Slice(NamedTuple):
    """An array (x, y, z) that is shown like an image."""

    data: NDArray[Any]


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Returns pixels (rows, columns) of grey values, or (rows, columns, 3), as a PNG file."""
    height, width = pixels.shape[:2]
    colour = 2 if pixels.ndim == 3 else 0

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def slice_of(image: Any) -> NDArray[np.uint8]:
    """Returns the middle slice seen from below. Right is on the right if the axes are scanner axes."""
    data = image.data
    middle = data[:, :, data.shape[2] // 2]
    if middle.ndim == 3 and middle.shape[2] != 3:
        middle = middle[..., 0]
    values = np.nan_to_num(np.asarray(middle, dtype=np.float64))
    if values.ndim == 3:
        values = np.abs(values)
    shown = values[values != 0]
    low, high = (min(0.0, float(shown.min())), float(np.quantile(shown, 0.99))) if shown.size else (0.0, 1.0)
    scaled = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    return np.ascontiguousarray((255 * scaled).astype(np.uint8).swapaxes(0, 1)[::-1])


def table(title: str, images: Mapping[str, Any]) -> str:
    """Returns HTML with images side by side, each with its name."""
    cells = []
    for name, image in images.items():
        picture = base64.b64encode(png(slice_of(image))).decode()
        cells.append(
            f'<figure style="display:inline-block;margin:4px;text-align:center"><img alt="{html.escape(name)}" '
            f'style="height:120px;image-rendering:pixelated" src="data:image/png;base64,{picture}">'
            f"<figcaption>{html.escape(name)}</figcaption></figure>"
        )
    return f"<div><div>{html.escape(title)}</div>{''.join(cells)}</div>"
