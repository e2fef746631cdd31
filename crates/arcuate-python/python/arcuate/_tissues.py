"""Five-tissue-type (5TT) images for anatomically constrained tracking."""

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
    """Makes a five-tissue-type image (MRtrix's 5TT) for anatomically constrained tracking, like ``arcuate 5tt``.

    Parameters
    ----------
    segmentation : image, optional
        Label image with FreeSurfer's label numbers, such as aparc+aseg.mgz.
    grey_matter, white_matter, csf, subcortical, pathological : image, optional
        Maps of tissue fractions from 0 to 1, on the same voxel grid. They are used instead of a segmentation. The maps of grey
        matter, white matter and CSF (cerebrospinal fluid) are then required.

    Returns
    -------
    Image
        Image with the axes (x, y, z, 5): the fractions of cortical grey matter, sub-cortical grey matter, white matter,
        cerebrospinal fluid (CSF) and pathological tissue.

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
    """Returns, for each voxel of a five-tissue-type image, the amount of the boundary between grey and white matter."""
    return Image._of(_arcuate.tissue_interface(call("cpu"), volume(tissues, "tissues")))
