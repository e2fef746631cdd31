// Colour images come as NIfTI files with three channels, one plane after another; NiiVue wants the three bytes of a
// voxel together, in the data type that NIfTI has for that.
import { unzipped } from './scene.js';

const RGB24 = 128;

/** The file as one of 24-bit colours; `file` is gzipped NIfTI-1, little-endian, with three channels of bytes. */
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
  out.setInt16(40, 3, true); // dim[0]: three dimensions …
  out.setInt16(48, 1, true); // … and so one image
  out.setInt16(70, RGB24, true);
  out.setInt16(72, 24, true); // bits per voxel
  return colours.buffer;
}
