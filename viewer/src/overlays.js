// Loads the images of the scene for NiiVue: the anatomy, a map over the anatomy in heat colours, and the regions.
import { NVImage } from '@niivue/niivue';
import { interleaved } from './colour-image.js';
import { bytesOf } from './scene.js';

/** NiiVue's colormap type whose colours start at 0 and whose values below the smallest shown value are transparent. */
const TRANSPARENT_BELOW_THE_SMALLEST = 2;

export async function loadBackground({ data, window }, index) {
  const file = bytesOf(data);
  return window.length
    ? NVImage.new(file, `image-${index}.nii.gz`, 'gray', 1, null, ...window)
    : NVImage.new(await interleaved(file), `image-${index}.nii`);
}

export async function loadMap({ data, window }, index) {
  const map = await NVImage.new(bytesOf(data), `map-${index}.nii.gz`, 'inferno', 1, null, 0, window[1]);
  map.colormapType = TRANSPARENT_BELOW_THE_SMALLEST;
  return map;
}

/** Returns the smallest visible value of a map if the slider is at the position `part` (0 to 1) of the map's scale. */
export const leastOf = ({ window }, part) => Math.max(part, 1e-6) * window[1];

export async function loadRegions({ data, key }) {
  const regions = await NVImage.new(bytesOf(data), 'regions.nii.gz', 'gray', 1);
  const channel = (n) => [0, ...key.map(([, colour]) => colour[n])];
  regions.setColormapLabel({
    R: channel(0),
    G: channel(1),
    B: channel(2),
    A: [0, ...key.map(() => 255)],
    I: [0, ...key.map((_, n) => n + 1)],
    labels: ['', ...key.map(([name]) => name)],
  });
  return regions;
}
