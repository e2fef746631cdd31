// Colour images are embedded as NIfTI files with three channels, one plane after another. NiiVue needs the NIfTI data type RGB24, in
// which the three bytes of each voxel lie together.
import { unzipped } from './scene.js';

const RGB24 = 128;

/** Converts a gzipped, little-endian NIfTI-1 file with three channels of bytes into a file with 24-bit colours. */
export async function interleaved(file) {
  const bytes = await unzipped(file);
  const header = new DataView(bytes.buffer);
  const at = header.getFloat32(108, true); // vox_offset
  const voxels = (bytes.length - at) / 3;
  const colours = bytes.slice();
  for (let channel = 0; channel < 3; channel++) {
    for (let voxel = 0; voxel < voxels; voxel++) colours[at + 3 * voxel + channel] = bytes[at + channel * voxels + voxel];
  }
  const out = new DataView(colours.buffer);
  out.setInt16(40, 3, true); // dim[0]: number of dimensions
  out.setInt16(48, 1, true); // dim[4]: number of images
  out.setInt16(70, RGB24, true);
  out.setInt16(72, 24, true); // bits per voxel
  return colours.buffer;
}
