// Tests the viewer of a report with maps, regions and surfaces, but without streamlines.
//
//   ARCUATE_SURFACE_REPORT=out/report.html npm test

import assert from 'node:assert/strict';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PATIENCE, fileWithSurfaces, launch, pixels, set as setOn } from './browser.mjs';

describe('a report with surfaces', { timeout: 3 * PATIENCE }, () => {
  let browser, requests, complaints, page;

  before(async () => {
    let open;
    ({ browser, requests, complaints, open } = await launch(fileWithSurfaces));
    page = await open({ viewport: { width: 640, height: 900 } });
    await page.waitForSelector('#viewer[data-state]');
  });
  after(() => browser?.close());

  const set = (name, value) => setOn(page, name, value);
  const count = (found) => found.filter(Boolean).length;
  const choices = (name) =>
    page.locator(`#viewer [name="${name}"] option`).evaluateAll((options) => options.map(({ value, textContent }) => [value, textContent]));
  const reset = () => page.getByRole('button', { name: 'Reset' }).click();
  /** Hides everything, so that a test sees only what it adds. */
  const clear = async () => {
    for (const [name, value] of [['map', -1], ['regionOpacity', 0], ['surfaceOpacity', 0], ['backgroundOpacity', 0]]) await set(name, value);
  };

  it('shows its map over anatomy from the start', async () => {
    assert.equal(await page.getAttribute('#viewer', 'data-state'), 'ready', await page.textContent('#viewer'));
    assert.equal(await page.locator('#viewer [name="tractOpacity"]').count(), 0, 'there are no streamlines');
    await page.locator('#viewer').screenshot({ path: join(dirname(resolve(fileWithSurfaces)), 'surfaces.png'), timeout: PATIENCE });
    await clear();
    await set('view', 'axial');
    const nothing = count(await pixels(page, 'vivid'));
    await set('map', 0);
    const map = count(await pixels(page, 'vivid'));
    assert.ok(map > nothing + 100, `${map} pixels of the map, ${nothing} without`);
    // Only the largest values remain visible.
    await set('mapFrom', 0.99);
    const few = count(await pixels(page, 'vivid'));
    assert.ok(few < nothing + (map - nothing) / 2, `${few} pixels of ${map}`);
    await reset();
    assert.equal(await page.inputValue('#viewer [name="map"]'), '0');
  });

  it('shows regions in their colours', async () => {
    await clear();
    await set('view', 'render');
    const without = count(await pixels(page, 'lit'));
    await set('regionOpacity', 1);
    const regions = count(await pixels(page, 'lit'));
    assert.ok(regions > without + 50, `${regions} pixels, ${without} without`);
    await reset();
  });

  /** Returns the bounding box (left, top, right, bottom) of pixels, and the share of them in the right half of the picture. */
  const extent = async (found) => {
    const width = await page.locator('#viewer canvas').evaluate((canvas) => Math.round(canvas.getBoundingClientRect().width));
    const at = found.flatMap((there, n) => (there ? [[n % width, Math.floor(n / width)]] : []));
    const [xs, ys] = [0, 1].map((axis) => at.map((place) => place[axis]).sort((a, b) => a - b));
    const box = [xs[0], ys[0], xs.at(-1), ys.at(-1)];
    return { box, right: xs.filter((x) => x > width / 2).length / xs.length };
  };

  it('draws surfaces as lines around the anatomy, the left ones on the right, and round in 3-D', async () => {
    await clear();
    const names = await choices('surfaces');
    const number = (name) => names.find(([, text]) => text === name)[0];
    for (const view of ['axial', 'coronal']) {
      await set('view', view);
      await set('surfaces', 'none');
      const nothing = await pixels(page, 'lit');
      await set('backgroundOpacity', 1);
      const anatomy = (await pixels(page, 'lit')).map((there, n) => there && !nothing[n]);
      await set('backgroundOpacity', 0);
      await set('surfaceOpacity', 1);
      const linesOf = async (which) => {
        await set('surfaces', which);
        return (await pixels(page, 'lit')).map((there, n) => there && !nothing[n]);
      };
      const [all, left, right] = [await linesOf('all'), await linesOf(number('left.white.surf.gii')), await linesOf(number('right.white.surf.gii'))];
      assert.ok(count(left) > 100 && count(right) > 100 && count(all) > count(left), `${view}: ${count(all)}, ${count(left)}, ${count(right)} pixels`);
      const [around, within] = [(await extent(all)).box, (await extent(anatomy)).box];
      const width = within[2] - within[0];
      within.forEach((side, n) => {
        const out = n < 2 ? side - around[n] : around[n] - side;
        assert.ok(out > -4 && out < 0.35 * width, `${view}: lines ${around}, anatomy ${within}`);
      });
      const area = (around[2] - around[0]) * (around[3] - around[1]);
      assert.ok(count(all) < 0.25 * area, `${view}: ${count(all)} pixels of ${area} are no lines`);
      const sides = [(await extent(left)).right, (await extent(right)).right];
      assert.ok(sides[0] > 0.95 && sides[1] < 0.05, `${view}: ${sides} of left and right ones on the right`);
    }
    await set('view', 'render');
    await set('surfaces', 'all');
    const all = count(await pixels(page, 'lit'));
    await set('surfaces', number('left.white.surf.gii'));
    const one = count(await pixels(page, 'lit'));
    assert.ok(one > 1000 && one < all, `${one} of ${all}`);
    await reset();
  });

  it('colours surfaces by the rows of a seed, and goes there', async () => {
    await clear();
    await set('view', 'render');
    const names = await choices('surfaces');
    await set('surfaces', names.find(([, text]) => text === 'left.white.surf.gii')[0]);
    await set('surfaceOpacity', 1);
    const gray = count(await pixels(page, 'coloured'));
    const rows = (await choices('values')).filter(([, name]) => name.startsWith('from vertex '));
    assert.ok(rows.length >= 2, `${rows.length} rows of the matrix`);
    const places = new Set();
    let coloured = 0;
    for (const [value] of rows) {
      await set('values', value);
      // The page needs time to unpack the values.
      await page.waitForTimeout(300);
      coloured = Math.max(coloured, count(await pixels(page, 'coloured')));
      places.add(await page.textContent('.viewer-place'));
    }
    assert.ok(coloured > gray + 20, `${coloured} coloured pixels, ${gray} without values`);
    assert.equal(places.size, rows.length, 'each row has its seed');
    assert.equal(await page.inputValue('#viewer [name="surfaces"]'), 'valued');
    assert.match(await page.locator('fieldset:has([name="values"])').textContent(), /streamlines \(log scale\)/);
    await reset();
    assert.equal(await page.inputValue('#viewer [name="values"]'), '-1');
  });

  it('asked for nothing and complained of nothing', () => {
    assert.deepEqual(requests, []);
    assert.deepEqual(complaints, []);
  });
});
