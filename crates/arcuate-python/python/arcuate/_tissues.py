"""Images of five tissues, for streamlines that heed them."""

from __future__ import annotations

from typing import Optional

from . import _arcuate
from ._calls import call
from ._errors import InputError
from ._images import Image, ImageLike, image, optional_volume, volume


def five_tissues(
    segmentation: Optional[ImageLike] = None,
    *,
    grey_matter: Optional[ImageLike] = None,
    white_matter: Optional[ImageLike] = None,
    csf: Optional[ImageLike] = None,
    subcortical: Optional[ImageLike] = None,
    pathological: Optional[ImageLike] = None,
) -> Image:
    """An image of five tissues (MRtrix's 5TT) for anatomically-constrained tracking, as ``arcuate 5tt``.

    Parameters
    ----------
    segmentation : image, optional
        With FreeSurfer's numbers, such as aparc+aseg.mgz.
    grey_matter, white_matter, csf, subcortical, pathological : image, optional
        In its place maps of tissues on one grid, from 0 to 1; the first three are needed.

    Returns
    -------
    Image
        (x, y, z, 5): fractions of cortical and sub-cortical grey matter, white matter, fluid and pathological tissue.

    References
    ----------
    Smith RE et al. (2012), doi:10.1016/j.neuroimage.2012.06.005.
    """
    maps = {"grey_matter": grey_matter, "white_matter": white_matter, "csf": csf}
    if segmentation is not None:
        if any(one is not None for one in (*maps.values(), subcortical, pathological)):
            raise InputError("segmentation: maps of tissues are given, too; give one of both")
        return Image._of(_arcuate.tissues_of_free_surfer(call("cpu"), volume(segmentation, "segmentation")))
    missing = [name for name, one in maps.items() if one is None]
    if missing or grey_matter is None:
        raise InputError(f"{', '.join(missing)}: not given; give a segmentation, or grey_matter, white_matter and csf")
    like = image(grey_matter, "grey_matter")
    given = [volume(one, name, like) for name, one in maps.items()]
    others = [optional_volume(one, name, like) for name, one in (("subcortical", subcortical), ("pathological", pathological))]
    return Image._of(_arcuate.tissues_of_maps(call("cpu"), *given, *others))


def tissue_interface(tissues: ImageLike) -> Image:
    """How much of the interface of grey and white matter each voxel of a five-tissue-type image has."""
    return Image._of(_arcuate.tissue_interface(call("cpu"), volume(tissues, "tissues")))
