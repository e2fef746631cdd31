// The viewer of a report with maps, regions and surfaces, and without streamlines.
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
  const outside = (found, of) => found.filter((there, n) => there && !of[n]).length;
  const choices = (name) =>
    page.locator(`#viewer [name="${name}"] option`).evaluateAll((options) => options.map(({ value, textContent }) => [value, textContent]));
  const reset = () => page.getByRole('button', { name: 'Reset' }).click();
  /** Nothing but what a test adds. */
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
    // Only the largest values are left.
    await set('mapFrom', 0.99);
    const few = count(await pixels(page, 'vivid'));
    assert.ok(few < nothing + (map - nothing) / 2, `${few} pixels of ${map}`);
    await reset();
    assert.equal(await page.inputValue('#viewer [name="map"]'), '0');
  });

  it('shows regions in their colours', async () => {
    await clear();
    await set('view', 'axial');
    const without = count(await pixels(page, 'lit'));
    await set('regionOpacity', 1);
    const regions = count(await pixels(page, 'lit'));
    assert.ok(regions > without + 50, `${regions} pixels, ${without} without`);
    await reset();
  });

  it('draws surfaces as lines where the anatomy is, and round in 3-D', async () => {
    await clear();
    for (const view of ['axial', 'coronal', 'sagittal']) {
      await set('view', view);
      await set('surfaceOpacity', 0);
      await set('backgroundOpacity', 1);
      const anatomy = await pixels(page, 'lit');
      await set('backgroundOpacity', 0);
      const nothing = await pixels(page, 'lit');
      await set('surfaceOpacity', 1);
      const lines = (await pixels(page, 'lit')).map((there, n) => there && !nothing[n]);
      assert.ok(count(lines) > 200, `${view}: ${count(lines)} pixels of lines`);
      assert.ok(count(lines) < 0.5 * count(anatomy), `${view}: ${count(lines)} pixels are no lines of ${count(anatomy)}`);
      assert.ok(outside(lines, anatomy) < 0.05 * count(lines), `${view}: ${outside(lines, anatomy)} of ${count(lines)} are outside`);
    }
    await set('view', 'render');
    const all = count(await pixels(page, 'lit'));
    const alone = [];
    for (const [value] of (await choices('surfaces')).filter(([value]) => /^\d+$/.test(value))) {
      await set('surfaces', value);
      alone.push(count(await pixels(page, 'lit')));
    }
    assert.ok(alone.length >= 2 && alone.every((one) => one > 1000 && one < all), `${alone} of ${all}`);
    await reset();
  });

  it('colours surfaces by the rows of a seed, and goes there', async () => {
    await clear();
    await set('view', 'render');
    await set('surfaceOpacity', 1);
    const gray = count(await pixels(page, 'vivid'));
    const rows = (await choices('values')).filter(([, name]) => name.startsWith('from vertex '));
    assert.ok(rows.length >= 2, `${rows.length} rows of the matrix`);
    const places = new Set();
    let vivid = 0;
    for (const [value] of rows) {
      await set('values', value);
      // The values are unpacked first.
      await page.waitForTimeout(300);
      vivid = Math.max(vivid, count(await pixels(page, 'vivid')));
      places.add(await page.textContent('.viewer-place'));
    }
    assert.ok(vivid > gray + 50, `${vivid} coloured pixels, ${gray} without values`);
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
