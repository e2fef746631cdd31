// Images of the scene for NiiVue: anatomy, a map over it in colours of heat, and regions.
import { NVImage } from '@niivue/niivue';
import { interleaved } from './colour-image.js';
import { bytesOf } from './scene.js';

/** NiiVue's colours go from 0, and what is below the smallest value has none. */
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

/** The least value of a map that has a colour, at a part of its scale. */
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
