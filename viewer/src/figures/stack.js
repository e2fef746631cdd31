// Unpacks all slices of a map. The file crates/arcuate-report/src/stack.rs packs them.
import { Glyphs } from './glyphs.js';

/**
 * Planes of slices. `axes`: image axes (0 to 2 for R, A, S) across, down and through the picture. `sides`: letters at the left, right,
 * upper and lower side.
 */
export const PLANES = {
  axial: { axes: [0, 1, 2], through: 'z', sides: ['R', 'L', 'A', 'P'] },
  coronal: { axes: [0, 2, 1], through: 'y', sides: ['R', 'L', 'S', 'I'] },
  sagittal: { axes: [1, 2, 0], through: 'x', sides: ['P', 'A', 'S', 'I'] },
};

const unpacked = new Map();

/** Returns the bytes of a packed file that is embedded in the page. A file that several maps share is unpacked only once. */
function bytesOf(id) {
  if (!unpacked.has(id)) {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    unpacked.set(id, new Response(stream).arrayBuffer().then((buffer) => new Uint8Array(buffer)));
  }
  return unpacked.get(id);
}

export class Stack {
  /** Reads the stack of a description with all its data. */
  static async open(description) {
    const { picture, anatomy, outlines, glyphs } = description;
    const [map, below, orientations, ...regions] = await Promise.all([
      bytesOf(picture.map.data),
      anatomy ? bytesOf(anatomy.data) : null,
      glyphs ? Glyphs.open(glyphs, bytesOf) : null,
      ...outlines.map(({ data }) => bytesOf(data)),
    ]);
    return new Stack(description, map, below, orientations, regions);
  }

  constructor({ title, geometry, picture, outlines }, map, below, glyphs, regions) {
    Object.assign(this, { title, picture, outlines, map, below, glyphs, regions });
    Object.assign(this, geometry);
    this.voxels = this.size[0] * this.size[1] * this.size[2];
  }

  /** Returns the numbers of voxels across, down and through a plane. */
  extent(plane) {
    return PLANES[plane].axes.map((axis) => this.size[axis]);
  }

  /** Returns the indices of the slices of a plane that the view offers: those with glyphs, or all slices of maps without glyphs. */
  slicesOf(plane) {
    return this.glyphs?.slices?.[plane] ?? Array.from({ length: this.extent(plane)[2] }, (_, slice) => slice);
  }

  /** Returns three unit vectors in scanner axes: to the right of pictures of the plane, up, and towards the viewer. */
  axesOf(plane) {
    const along = (axis, sign) => {
      const step = this.toMillimetres.map((row) => row[axis]);
      return step.map((mm) => (sign * mm) / Math.hypot(...step));
    };
    const { axes } = PLANES[plane];
    const [right, up] = [along(axes[0], plane === 'sagittal' ? 1 : -1), along(axes[1], 1)];
    return [right, up, [0, 1, 2].map((n) => right[(n + 1) % 3] * up[(n + 2) % 3] - right[(n + 2) % 3] * up[(n + 1) % 3])];
  }

  /** Returns the width and height of the slices of a plane in mm. */
  millimetres(plane) {
    const { axes } = PLANES[plane];
    return [axes[0], axes[1]].map((axis) => this.size[axis] * this.spacing[axis]);
  }

  /**
   * Returns the voxel indices (right, anterior, superior) of a pixel. In axial and coronal slices the subject's left is on the right;
   * in sagittal slices the front is on the right.
   */
  place(plane, slice, column, row) {
    const { axes } = PLANES[plane];
    const place = [0, 0, 0];
    place[axes[0]] = plane === 'sagittal' ? column : this.size[axes[0]] - 1 - column;
    place[axes[1]] = this.size[axes[1]] - 1 - row;
    place[axes[2]] = slice;
    return place;
  }

  index([right, anterior, superior]) {
    return right + this.size[0] * (anterior + this.size[1] * superior);
  }

  /** Returns the scanner coordinates of the centre of a voxel in mm. */
  coordinates(place) {
    return this.toMillimetres.map((row) => row[0] * place[0] + row[1] * place[1] + row[2] * place[2] + row[3]);
  }

  /** Returns the scanner coordinate of the centre of a slice along the axis through the slice, in mm. */
  position(plane, slice) {
    const [columns, rows] = this.extent(plane);
    const middle = this.place(plane, slice, Math.floor(columns / 2), Math.floor(rows / 2));
    return this.coordinates(middle)[PLANES[plane].axes[2]];
  }

  /** Returns the value of a voxel of a scalar map, or NaN if the voxel has none. */
  number(index) {
    const { step, first } = this.picture.map;
    const code = this.map[index] | (this.map[index + this.voxels] << 8);
    return code === 0 ? NaN : step * (first + code - 1);
  }

  /** Returns true if a voxel of the map has a value to show, so that it hides the anatomy. */
  covers(index) {
    switch (this.picture.kind) {
      case 'scalar': {
        const value = this.number(index);
        return value !== 0 && !Number.isNaN(value);
      }
      case 'classes':
        return this.map[index] > 0;
      default:
        return this.map[index] + this.map[index + this.voxels] + this.map[index + 2 * this.voxels] > 0;
    }
  }

  /** Returns the red, green and blue values of a voxel's colour. */
  colour(index) {
    if (this.below && !this.covers(index)) return Array(3).fill(this.below[index]);
    const { kind, colours, window } = this.picture;
    if (kind === 'channels') return [0, 1, 2].map((channel) => this.map[index + channel * this.voxels]);
    if (kind === 'classes') return this.map[index] > 0 ? colours[(this.map[index] - 1) % colours.length] : [0, 0, 0];
    const fraction = (this.number(index) - window[0]) / (window[1] - window[0]);
    if (Number.isNaN(fraction)) return [0, 0, 0];
    const place = Math.min(Math.max(fraction, 0), 1) * (colours.length - 1);
    const low = Math.min(Math.floor(place), colours.length - 2);
    return [0, 1, 2].map((c) => Math.round(colours[low][c] + (colours[low + 1][c] - colours[low][c]) * (place - low)));
  }

  /** Describes the value of a voxel in words. */
  reading(index) {
    const { kind, names, most, unit, map } = this.picture;
    if (kind === 'classes') return this.map[index] > 0 ? (names[this.map[index] - 1] ?? `class ${this.map[index]}`) : 'none';
    if (kind === 'channels') {
      const digits = most < 1 ? 3 : 2;
      const amounts = names.map((name, channel) => `${name} ${((this.map[index + channel * this.voxels] / 255) * most).toFixed(digits)}`);
      return amounts.join(', ');
    }
    const value = this.number(index);
    if (Number.isNaN(value)) return 'no number';
    const code = this.map[index] | (this.map[index + this.voxels] << 8);
    const bound = map.beyond[0] && code === 1 ? '≤ ' : map.beyond[1] && code === 65535 ? '≥ ' : '';
    return `${bound}${tell(value)}${unit ? ` ${unit}` : ''}`;
  }
}

/** Formats a number with four significant digits, with minus signs instead of hyphens. */
export function tell(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-3 ? value.toExponential(3).replace(/\.?0*e\+?/, ' × 10^') : String(Number(value.toPrecision(size >= 1e4 ? 7 : 4)));
  const raised = text.replace(/\^(-?)(\d+)$/, (_, minus, digits) => (minus ? '⁻' : '') + Array.from(digits, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join(''));
  return raised.replace('-', '−');
}
