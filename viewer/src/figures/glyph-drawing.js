// Draws the fibre orientations of a slice: distributions as surfaces, and peaks as sticks. The colours show the directions.

/** Surface pixels per canvas pixel along each side, for smooth edges. On large canvases the factor is 1. */
const FINER = 2;
/** Maximum number of surface pixels for which `FINER` is used. */
const MOST_PIXELS = 6e6;
/** Relative brightness of surface parts that are seen edge-on. */
const DARKEST = 0.35;

/**
 * Draws the glyphs of a slice. `shown` gives the visible part of the slice: its first column and row, and its numbers of columns and
 * rows, which may be fractions. `axes` are three unit vectors in scanner axes: to the right of the picture, up, and towards the
 * viewer. Returns the number of glyphs drawn.
 */
export function drawGlyphs(context, glyphs, { indexAt, columns, rows, shown, axes, size }) {
  const { width, height } = context.canvas;
  const [across, down] = [width / shown.columns, height / shown.rows];
  // Number of pixels per unit of amplitude.
  const reach = (0.5 * Math.min(across, down) * size) / glyphs.scale;
  const found = [];
  // Glyphs up to two voxels outside the picture may extend into the picture.
  const [left, right] = [Math.max(Math.floor(shown.column) - 2, 0), Math.min(Math.ceil(shown.column + shown.columns) + 2, columns)];
  const [top, bottom] = [Math.max(Math.floor(shown.row) - 2, 0), Math.min(Math.ceil(shown.row + shown.rows) + 2, rows)];
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const numbers = glyphs.at(indexAt(column, row));
      if (numbers) found.push({ numbers, x: (column + 0.5 - shown.column) * across, y: (row + 0.5 - shown.row) * down });
    }
  }
  if (glyphs.kind === 'sticks') drawSticks(context, found, axes, reach, Math.min(across, down));
  else drawSurfaces(context, glyphs, found, axes, reach);
  return found.length;
}

function drawSticks(context, found, [right, up, towards], reach, voxel) {
  const sticks = [];
  for (const { numbers, x, y } of found) {
    for (let n = 0; n + 2 < numbers.length; n += 3) {
      const stick = [numbers[n], numbers[n + 1], numbers[n + 2]];
      const length = Math.hypot(...stick);
      if (length === 0) continue;
      const [dx, dy] = [dot(stick, right) * reach, -dot(stick, up) * reach];
      sticks.push({ ends: [x - dx, y - dy, x + dx, y + dy], depth: Math.abs(dot(stick, towards)), colour: stick.map((c) => Math.round((255 * Math.abs(c)) / length)) });
    }
  }
  // Sticks perpendicular to the slice look like dots. They are drawn last, in front of the other sticks.
  sticks.sort((a, b) => a.depth - b.depth);
  context.lineCap = 'round';
  context.lineWidth = Math.max(voxel / 9, 1);
  for (const { ends, colour } of sticks) {
    context.strokeStyle = `rgb(${colour.join(' ')})`;
    context.beginPath();
    context.moveTo(ends[0], ends[1]);
    context.lineTo(ends[2], ends[3]);
    context.stroke();
  }
}

function drawSurfaces(context, glyphs, found, axes, reach) {
  const { width, height } = context.canvas;
  const finer = width * height * FINER ** 2 > MOST_PIXELS ? 1 : FINER;
  const surfaces = new Surfaces(width * finer, height * finer);
  const triangles = glyphs.trianglesFor(2 * reach * finer * glyphs.scale);
  const corners = triangles.reduce((most, corner) => Math.max(most, corner), 0) + 1;
  for (const { numbers, x, y } of found) {
    surfaces.add(glyphs.amplitudes(numbers, corners), glyphs.directions, triangles, axes, { x: x * finer, y: y * finer, reach: reach * finer });
  }
  const layer = new OffscreenCanvas(surfaces.width, surfaces.height);
  layer.getContext('2d').putImageData(new ImageData(surfaces.colours, surfaces.width, surfaces.height), 0, 0);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  context.drawImage(layer, 0, 0, width, height);
}

/** A picture of surfaces with a depth buffer: near surfaces hide more distant ones. */
export class Surfaces {
  constructor(width, height) {
    Object.assign(this, { width, height });
    this.colours = new Uint8ClampedArray(4 * width * height);
    this.depths = new Float32Array(width * height).fill(-Infinity);
  }

/** Adds a surface around the point (x, y). In each direction its distance from the point is `reach` pixels times the amplitude. */
  add(amplitudes, directions, triangles, [right, up, towards], { x, y, reach }) {
    const count = amplitudes.length;
    const points = new Float32Array(3 * count);
    for (let n = 0, at = 0; n < count; n++, at += 3) {
      const length = reach * amplitudes[n];
      const [dx, dy, dz] = [directions[at], directions[at + 1], directions[at + 2]];
      points[at] = x + length * (dx * right[0] + dy * right[1] + dz * right[2]);
      points[at + 1] = y - length * (dx * up[0] + dy * up[1] + dz * up[2]);
      points[at + 2] = length * (dx * towards[0] + dy * towards[1] + dz * towards[2]);
    }
    for (let n = 0; n < triangles.length; n += 3) {
      this.#triangle(points, directions, 3 * triangles[n], 3 * triangles[n + 1], 3 * triangles[n + 2]);
    }
  }

  // A slice has millions of triangles, so their coordinates are kept in plain variables instead of arrays.
  #triangle(points, directions, a, b, c) {
    const { width, height, depths, colours } = this;
    const ax = points[a], ay = points[a + 1], az = points[a + 2];
    const bx = points[b] - ax, by = points[b + 1] - ay, bz = points[b + 2] - az;
    const cx = points[c] - ax, cy = points[c + 1] - ay, cz = points[c + 2] - az;
    const area = bx * cy - by * cx;
    // A triangle seen edge-on covers no pixels.
    if (area < 1e-9 && area > -1e-9) return;
    const left = Math.max(Math.ceil(ax + Math.min(0, bx, cx) - 0.5), 0), right = Math.min(Math.floor(ax + Math.max(0, bx, cx) - 0.5), width - 1);
    const top = Math.max(Math.ceil(ay + Math.min(0, by, cy) - 0.5), 0), bottom = Math.min(Math.floor(ay + Math.max(0, by, cy) - 0.5), height - 1);
    if (left > right || top > bottom) return;
    const acrossX = by * cz - bz * cy, acrossY = bz * cx - bx * cz;
    const light = 255 * (DARKEST + ((1 - DARKEST) * Math.abs(area)) / Math.sqrt(acrossX * acrossX + acrossY * acrossY + area * area));
    const ofArea = 1 / area;
    for (let row = top; row <= bottom; row++) {
      const y = row + 0.5 - ay;
      for (let column = left; column <= right; column++) {
        const x = column + 0.5 - ax;
        const ofB = (x * cy - y * cx) * ofArea, ofC = (bx * y - by * x) * ofArea;
        if (ofB < 0 || ofC < 0 || ofB + ofC > 1) continue;
        const pixel = row * width + column;
        const depth = az + ofB * bz + ofC * cz;
        if (depth <= depths[pixel]) continue;
        depths[pixel] = depth;
        const ofA = 1 - ofB - ofC;
        colours[4 * pixel] = light * Math.abs(ofA * directions[a] + ofB * directions[b] + ofC * directions[c]);
        colours[4 * pixel + 1] = light * Math.abs(ofA * directions[a + 1] + ofB * directions[b + 1] + ofC * directions[c + 1]);
        colours[4 * pixel + 2] = light * Math.abs(ofA * directions[a + 2] + ofB * directions[b + 2] + ofC * directions[c + 2]);
        colours[4 * pixel + 3] = 255;
      }
    }
  }
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
