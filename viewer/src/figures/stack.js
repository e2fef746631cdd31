// All slices of a map, unpacked: crates/arcuate-report/src/stack.rs packs them.
import { Glyphs } from './glyphs.js';

/** R, A, S axis across, down and through the picture, and what its four sides are: left, right, above, below. */
export const PLANES = {
  axial: { axes: [0, 1, 2], through: 'z', sides: ['R', 'L', 'A', 'P'] },
  coronal: { axes: [0, 2, 1], through: 'y', sides: ['R', 'L', 'S', 'I'] },
  sagittal: { axes: [1, 2, 0], through: 'x', sides: ['P', 'A', 'S', 'I'] },
};

const unpacked = new Map();

/** The bytes of a packed file of the page; what several maps share is unpacked once. */
function bytesOf(id) {
  if (!unpacked.has(id)) {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    unpacked.set(id, new Response(stream).arrayBuffer().then((buffer) => new Uint8Array(buffer)));
  }
  return unpacked.get(id);
}

export class Stack {
  /** The stack of a description, with all its data. */
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

  /** Voxels across, down and through a plane. */
  extent(plane) {
    return PLANES[plane].axes.map((axis) => this.size[axis]);
  }

  /** The slices of a plane that can be looked at: all, or those that have glyphs. */
  slicesOf(plane) {
    return this.glyphs?.slices?.[plane] ?? Array.from({ length: this.extent(plane)[2] }, (_, slice) => slice);
  }

  /** Unit vectors in scanner axes: to the right of the pictures of a plane, up, and towards who looks at them. */
  axesOf(plane) {
    const along = (axis, sign) => {
      const step = this.toMillimetres.map((row) => row[axis]);
      return step.map((mm) => (sign * mm) / Math.hypot(...step));
    };
    const { axes } = PLANES[plane];
    const [right, up] = [along(axes[0], plane === 'sagittal' ? 1 : -1), along(axes[1], 1)];
    return [right, up, [0, 1, 2].map((n) => right[(n + 1) % 3] * up[(n + 2) % 3] - right[(n + 2) % 3] * up[(n + 1) % 3])];
  }

  /** Width and height of the slices of a plane, in mm. */
  millimetres(plane) {
    const { axes } = PLANES[plane];
    return [axes[0], axes[1]].map((axis) => this.size[axis] * this.spacing[axis]);
  }

  /** The place along right, anterior and superior of a pixel: the subject's left is on the right, and the front in sagittal slices. */
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

  /** The scanner's millimetres at the centre of a place. */
  coordinates(place) {
    return this.toMillimetres.map((row) => row[0] * place[0] + row[1] * place[1] + row[2] * place[2] + row[3]);
  }

  /** The coordinate of the middle of a slice along the axis through it. */
  position(plane, slice) {
    const [columns, rows] = this.extent(plane);
    const middle = this.place(plane, slice, Math.floor(columns / 2), Math.floor(rows / 2));
    return this.coordinates(middle)[PLANES[plane].axes[2]];
  }

  /** The number of a voxel of a scalar map; NaN where there is none. */
  number(index) {
    const { step, first } = this.picture.map;
    const code = this.map[index] | (this.map[index + this.voxels] << 8);
    return code === 0 ? NaN : step * (first + code - 1);
  }

  /** Whether a voxel has something to show, so that the anatomy is not seen. */
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

  /** The colour of a voxel as red, green and blue. */
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

  /** What a voxel says, in words. */
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

/** A number as people read it: four digits that count, and no minus that is a hyphen. */
export function tell(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-3 ? value.toExponential(3).replace(/\.?0*e\+?/, ' × 10^') : String(Number(value.toPrecision(size >= 1e4 ? 7 : 4)));
  const raised = text.replace(/\^(-?)(\d+)$/, (_, minus, digits) => (minus ? '⁻' : '') + Array.from(digits, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join(''));
  return raised.replace('-', '−');
}
