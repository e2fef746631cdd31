// Tests the directions and colours of fibre orientation distributions on slices.
//
//   ARCUATE_FOD_REPORT=csd/report.html ARCUATE_FOD_PEAKS=brain/truth_peaks.nii.gz npm test

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Surfaces } from '../src/figures/glyph-drawing.js';
import { Stack } from '../src/figures/stack.js';
import { PATIENCE, fileWithDistributions, launch, withoutWebGL } from './browser.mjs';

describe('a surface', () => {
  const description = (columns) => ({
    title: '',
    picture: {},
    outlines: [],
    geometry: { size: [3, 3, 3], spacing: [2, 2, 2], toMillimetres: [0, 1, 2].map((row) => [...columns.map((column) => column[row]), 0]) },
  });
  const axesOf = (columns, plane) => new Stack(description(columns), null, null, null, []).axesOf(plane).map((axis) => axis.map((c) => Math.round(c * 1000) / 1000 + 0));

  it('is seen from below, from the front and from the right', () => {
    const straight = [[2, 0, 0], [0, 2, 0], [0, 0, 2]];
    assert.deepEqual(axesOf(straight, 'axial'), [[-1, 0, 0], [0, 1, 0], [0, 0, -1]]);
    assert.deepEqual(axesOf(straight, 'coronal'), [[-1, 0, 0], [0, 0, 1], [0, 1, 0]]);
    assert.deepEqual(axesOf(straight, 'sagittal'), [[0, 1, 0], [0, 0, 1], [1, 0, 0]]);
    // With a head turned to its left, slices follow the image axes and orientations the scanner axes.
    const turned = [[1.6, 1.2, 0], [-1.2, 1.6, 0], [0, 0, 2]];
    assert.deepEqual(axesOf(turned, 'axial'), [[-0.8, -0.6, 0], [-0.6, 0.8, 0], [0, 0, -1]]);
  });

  it('reaches as far as its amplitudes, and what is in front hides what is behind', () => {
    // The directions form an octahedron: right, left, front, back, up, down.
    const directions = Float32Array.from([1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1]);
    const triangles = Uint16Array.from([0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5]);
    const axes = axesOf([[2, 0, 0], [0, 2, 0], [0, 0, 2]], 'axial');
    const surfaces = new Surfaces(100, 100);
    // This distribution extends to the right and to the front. A negative lobe would have the amplitude 0.
    surfaces.add(Float32Array.from([4, 0, 2, 0, 1, 1]), directions, triangles, axes, { x: 50, y: 50, reach: 10 });
    const seen = Array.from({ length: 100 * 100 }, (_, n) => n).filter((n) => surfaces.colours[4 * n + 3] > 0);
    const [xs, ys] = [seen.map((n) => n % 100), seen.map((n) => Math.floor(n / 100))];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    assert.ok(left >= 10 && left <= 12, `the subject's right is on the left: ${left}`);
    assert.ok(top >= 30 && top <= 32 && right <= 50 && bottom <= 50, `the front is above: ${top}, ${right}, ${bottom}`);
    const colour = (x, y) => surfaces.colours.slice(4 * (100 * y + x), 4 * (100 * y + x) + 3);
    assert.ok(colour(14, 49)[0] > 3 * colour(14, 49)[1], `red to the side: ${colour(14, 49)}`);
    assert.ok(colour(49, 33)[1] > 3 * colour(49, 33)[0], `green to the front: ${colour(49, 33)}`);
    // A smaller surface is hidden if it is more distant than the first one, and visible if it is nearer.
    const before = surfaces.colours.slice();
    surfaces.add(Float32Array.from([0.5, 0.5, 0.5, 0.5, 0.5, 0]), directions, triangles, axes, { x: 44, y: 48, reach: 2 });
    assert.deepEqual(surfaces.colours, before);
    surfaces.add(Float32Array.from([2, 2, 2, 2, 9, 9]), directions, triangles, axes, { x: 44, y: 48, reach: 2 });
    assert.notDeepEqual(surfaces.colours, before);
  });
});

/** Reads a single-precision NIfTI-1 image. Returns functions for the value in a voxel and for the voxel at a point in mm. */
function readImage(path) {
  const bytes = gunzipSync(readFileSync(path));
  const shape = [42, 44, 46, 48].map((at) => bytes.readInt16LE(at));
  assert.equal(bytes.readInt16LE(70), 16, 'single precision');
  const rows = [280, 296, 312].map((at) => [0, 4, 8, 12].map((offset) => bytes.readFloatLE(at + offset)));
  const begin = bytes.readFloatLE(108);
  const size = shape[0] * shape[1] * shape[2];
  return {
    channels: Math.max(bytes.readInt16LE(48), 1),
    // The affine of the phantom has no rotation: each row has one nonzero factor.
    voxelAt: (mm) => [0, 1, 2].map((axis) => Math.round((mm[axis] - rows[axis][3]) / rows[axis][axis])),
    value: ([i, j, k], channel) => bytes.readFloatLE(begin + 4 * (i + shape[0] * (j + shape[1] * k) + size * channel)),
  };
}

describe('a report with distributions', { timeout: 3 * PATIENCE }, () => {
  let browser, requests, complaints, page, figure;

  before(async () => {
    let open;
    ({ browser, requests, complaints, open } = await launch(fileWithDistributions));
    page = await open({ viewport: { width: 1200, height: 900 }, deviceScaleFactor: 2 }, withoutWebGL);
    await page.waitForSelector('html[data-figures="ready"]');
    await page.evaluate(() => {
      // The pixels are read from a copy, because frequent reads change how a browser stores a canvas.
      window.pixelsOf = (canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        return copy.getImageData(0, 0, canvas.width, canvas.height).data;
      };
    });
    figure = page.locator('figure:has(figcaption strong:text("distributions"))').first();
  });
  afterEach(async () => {
    if ((await page.locator('dialog.slice-view').count()) === 0) return;
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog.slice-view', { state: 'detached' });
  });
  after(() => browser?.close());

  const openSlice = async (plane) => {
    const tiles = figure.locator(`.tile[data-plane="${plane}"]`);
    await tiles.nth(Math.floor((await tiles.count()) / 2)).click();
    await page.waitForSelector('dialog.slice-view[open]');
  };
  const setSize = (value) =>
    page.locator('.slice-view [name="glyphSize"]').evaluate((control, wanted) => {
      control.value = wanted;
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }, String(value));
  /** Returns the number of coloured (not gray) pixels of the picture. */
  const coloured = () =>
    page.locator('.slice-view canvas').evaluate((canvas) => {
      const data = window.pixelsOf(canvas);
      let count = 0;
      for (let n = 0; n < data.length; n += 4) count += Math.max(data[n], data[n + 1], data[n + 2]) - Math.min(data[n], data[n + 1], data[n + 2]) > 40;
      return count;
    });

  /**
   * Measures the glyphs in some voxels. `moments` are the second moments of the coloured pixels about the voxel centre. `colours` are
   * differences between the share of one of the two colours in a pixel and the share expected from the direction of the pixel.
   */
  const measure = (canvas, { oblique, columns, rows, axes }) => {
    const { width, height } = canvas;
    const data = window.pixelsOf(canvas);
    const [wide, high] = [width / columns, height / rows];
    return oblique.map(({ column, row, x, y }) => {
      const [moments, colours] = [[0, 0, 0], []];
      for (let py = Math.ceil(row * high); py < (row + 1) * high; py++) {
        for (let px = Math.ceil(column * wide); px < (column + 1) * wide; px++) {
          const colour = [0, 1, 2].map((c) => data[4 * (py * width + px) + c]);
          if (Math.max(...colour) - Math.min(...colour) < 60) continue;
          const [dx, dy] = [(px + 0.5) / wide - column - 0.5, row + 0.5 - (py + 0.5) / high];
          [dx * dx, dx * dy, dy * dy].forEach((product, n) => (moments[n] += product));
          const [a, b] = axes.map((axis) => colour[axis]);
          if (Math.hypot(dx, dy) > 0.15) colours.push(Math.abs(a / (a + b) - Math.abs(dx) / (Math.abs(dx) + Math.abs(dy))));
        }
      }
      return { x, y, moments, colours };
    });
  };

  // Image axis and sign across and up the picture, and the axis through it. The subject's left is on the right, in sagittal slices the front.
  const planes = { axial: [[0, -1], [1, 1], 2], coronal: [[0, -1], [2, 1], 1], sagittal: [[1, 1], [2, 1], 0] };
  for (const [plane, [across, up, through]] of Object.entries(planes)) {
    it(`has them along the true fibres, coloured by their directions: ${plane}`, async () => {
      await openSlice(plane);
      const geometry = await figure.locator('.slices > script').evaluate((script) => JSON.parse(script.textContent).geometry);
      const peaks = readImage(process.env.ARCUATE_FOD_PEAKS);
      const [columns, rows] = [geometry.size[across[0]], geometry.size[up[0]]];
      // Finds voxels with only one bundle, which runs obliquely in the slice. The slice with most of them is tested.
      const obliqueIn = (slice) => {
        const voxels = [];
        for (let row = 0; row < rows; row++) {
          for (let column = 0; column < columns; column++) {
            const place = [0, 0, 0];
            place[across[0]] = across[1] > 0 ? column : columns - 1 - column;
            place[up[0]] = rows - 1 - row;
            place[through] = slice;
            const voxel = peaks.voxelAt(geometry.toMillimetres.map((line) => line[0] * place[0] + line[1] * place[1] + line[2] * place[2] + line[3]));
            const [first, second] = [0, 3].map((from) => [0, 1, 2].map((n) => (from + n < peaks.channels ? peaks.value(voxel, from + n) : 0)));
            const [x, y] = [across[1] * first[across[0]], first[up[0]]];
            const length = Math.hypot(...first);
            if (length > 0 && Math.hypot(...second) < 0.1 * length && Math.min(Math.abs(x), Math.abs(y)) > 0.35 * length) voxels.push({ column, row, x, y });
          }
        }
        return voxels;
      };
      const all = Array.from({ length: geometry.size[through] }, (_, slice) => obliqueIn(slice));
      const slice = all.reduce((best, voxels, n) => (voxels.length > all[best].length ? n : best), 0);
      const oblique = all[slice];
      await page.locator('.slice-view [name="slice"]').fill(String(slice));
      // At this size no glyph extends into the next voxel.
      await setSize(0.5);
      const [angles, mirrored, shades] = [[], [], []];
      for (const { x, y, moments, colours } of await page.locator('.slice-view canvas').evaluate(measure, { oblique, columns, rows, axes: [across[0], up[0]] })) {
        if (colours.length === 0) continue;
        shades.push(...colours);
        const seen = 0.5 * Math.atan2(2 * moments[1], moments[0] - moments[2]);
        const apart = (expected) => Math.abs(Math.asin(Math.sin(seen - expected))) * (180 / Math.PI);
        angles.push(apart(Math.atan2(y, x)));
        mirrored.push(apart(Math.atan2(y, -x)));
      }
      const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
      assert.ok(angles.length >= 5, `${angles.length} voxels with an oblique bundle have a glyph`);
      assert.ok(median(angles) < 4, `${median(angles)}° from the true fibres in ${angles.length} voxels`);
      assert.ok(median(mirrored) > 40, `${median(mirrored)}° from those of the other side`);
      assert.ok(median(shades) < 0.03, `colours are ${median(shades)} beside directions`);
    });
  }

  it('makes them larger and smaller, and the slice too', async () => {
    await openSlice('axial');
    await page.locator('dialog.slice-view').screenshot({ path: join(dirname(resolve(fileWithDistributions)), 'distributions.png'), timeout: PATIENCE });
    const usual = await coloured();
    await setSize(0);
    const none = await coloured();
    await setSize(2);
    const large = await coloured();
    assert.ok(none < 0.2 * usual && large > 1.3 * usual, `${none}, ${usual} and ${large} coloured pixels`);
    await setSize(1);
    const x = async (at) => {
      const box = await page.locator('.slice-view canvas').boundingBox();
      await page.mouse.move(box.x + box.width * at, box.y + box.height / 2);
      return Number((await page.locator('.slice-reading').textContent()).match(/^x (−?[\d.]+)/)[1].replace('−', '-'));
    };
    const width = async () => (await x(0.05)) - (await x(0.95));
    const whole = await width();
    await page.getByRole('button', { name: 'Larger' }).click();
    await page.getByRole('button', { name: 'Larger' }).click();
    // The picture itself grows too, up to the size of its frame.
    const part = await width();
    assert.ok(part < 0.8 * whole && part > 0.3 * whole, `${part} of ${whole} mm`);
    // Dragging moves the picture.
    const box = await page.locator('.slice-view canvas').boundingBox();
    const middle = await x(0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    assert.ok((await x(0.5)) > middle, 'what was left of the middle, the subject’s right, is in it');
    await page.getByRole('button', { name: 'Smaller' }).click();
    await page.getByRole('button', { name: 'Smaller' }).click();
    assert.equal(await width(), whole);
  });

  it('asked for nothing and complained of nothing', () => {
    assert.deepEqual(requests, []);
    assert.deepEqual(complaints, []);
  });
});
