// Opens a report in a headless Chromium, as a reader would, and tests the viewer and the page.
//
//   ARCUATE_REPORT=out/report.html npm test
//
// The environment variable ARCUATE_SCREENSHOT gives the path of a screenshot of the page (default: report.png in the folder of the report).

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PATIENCE, file, launch, pixels, set as setOn, withoutWebGL } from './browser.mjs';

const screenshot = process.env.ARCUATE_SCREENSHOT ?? (file && join(dirname(resolve(file)), 'report.png'));

describe('a report in a browser', { timeout: 3 * PATIENCE }, () => {
  let browser, requests, complaints, open;
  let page;

  before(async () => {
    ({ browser, requests, complaints, open } = await launch());
    page = await open();
    await page.waitForSelector('#viewer[data-state]');
  });

  after(async () => {
    await browser?.close();
  });

  /** Waits until the next picture is drawn, and one more frame for the compositor. */
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

  /** Counts the colours of the viewer's canvas in a screenshot. */
  async function look() {
    await drawn();
    const png = await page.locator('#viewer canvas').screenshot({ timeout: PATIENCE });
    return page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const colours = new Set();
      const vivid = { red: 0, green: 0, blue: 0 };
      for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
        colours.add((r << 16) | (g << 8) | b);
        if (r > 120 && r > 2 * g && r > 2 * b) vivid.red++;
        if (g > 120 && g > 2 * r && g > 2 * b) vivid.green++;
        if (b > 120 && b > 2 * r && b > 2 * g) vivid.blue++;
      }
      return { pixels: data.length / 4, colours: colours.size, ...vivid, vivid: vivid.red + vivid.green + vivid.blue };
    }, `data:image/png;base64,${png.toString('base64')}`);
  }

  const set = (name, value) => setOn(page, name, value);

  const count = async () => Number((await page.locator('.viewer-count').textContent()).split(' of ')[0].replaceAll(',', ''));

  it('starts its viewer, which shows anatomy and streamlines', async () => {
    assert.equal(await page.getAttribute('#viewer', 'data-state'), 'ready', await page.textContent('#viewer'));
    await set('colour', 'direction');
    const seen = await look();
    await page.screenshot({ path: screenshot, timeout: PATIENCE });
    assert.ok(seen.colours > 500, `a picture has many colours: ${JSON.stringify(seen)}`);
    assert.ok(seen.vivid > 0.004 * seen.pixels, `streamlines are vivid: ${JSON.stringify(seen)}`);
    // Without streamlines, most vivid pixels disappear.
    await set('tractOpacity', 0);
    const without = await look();
    assert.ok(without.vivid < 0.2 * seen.vivid, `${JSON.stringify(without)} after ${JSON.stringify(seen)}`);
    assert.ok(without.colours > 50, `anatomy remains: ${JSON.stringify(without)}`);
    await set('backgroundOpacity', 0);
    await set('tractOpacity', 1);
    const alone = await look();
    assert.ok(alone.vivid > 0.5 * seen.vivid, `streamlines remain: ${JSON.stringify(alone)}`);
    await page.getByRole('button', { name: 'Reset' }).click();
    assert.equal(await page.inputValue('#viewer [name="backgroundOpacity"]'), '1');
  });

  it('draws streamlines where the anatomy is', async () => {
    await page.setViewportSize({ width: 640, height: 640 }); // Small pictures are drawn faster.
    await set('colour', 'direction');
    for (const view of ['axial', 'coronal', 'sagittal']) {
      await set('view', view);
      await set('backgroundOpacity', 0);
      await set('tractOpacity', 1);
      const streamlines = await pixels(page, 'vivid');
      await set('tractOpacity', 0);
      await set('backgroundOpacity', 1);
      const anatomy = await pixels(page, 'lit');
      const drawnPixels = streamlines.filter(Boolean).length;
      const outside = streamlines.filter((there, n) => there && !anatomy[n]).length;
      assert.ok(drawnPixels > 200, `${view}: ${drawnPixels} pixels of streamlines`);
      // The crosshair and the letters may be outside the anatomy. A flipped or shifted image puts far more pixels outside.
      assert.ok(outside < 0.05 * drawnPixels, `${view}: ${outside} of ${drawnPixels} pixels of streamlines are outside`);
    }
    await page.getByRole('button', { name: 'Reset' }).click();
  });

  it('obeys its controls', async () => {
    await page.setViewportSize({ width: 480, height: 480 });
    const values = (name) => page.locator(`#viewer [name="${name}"] option`).evaluateAll((options) => options.map((option) => option.value));
    for (const name of ['background', 'view', 'cut', 'colour']) {
      for (const value of await values(name)) {
        await set(name, value);
        await drawn();
      }
      await page.getByRole('button', { name: 'Reset' }).click();
    }
    const all = await count();
    assert.ok(all > 0, 'some streamlines are shown');
    if (await page.locator('#viewer [name="threshold"]').count()) {
      await set('threshold', 0.5);
      const some = await count();
      await set('threshold', 1);
      const few = await count();
      assert.ok(few >= 1 && few <= some && some <= all, `${few}, ${some}, ${all}`);
      assert.ok(few < all, 'a threshold hides streamlines');
    }
    await page.getByRole('button', { name: 'Reset' }).click();
    assert.equal(await count(), all);
  });

  it('saves what the viewer shows', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#viewer').getByRole('button', { name: 'Save PNG' }).click(),
    ]);
    const bytes = await readFile(await download.path());
    const colours = await page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    }, `data:image/png;base64,${bytes.toString('base64')}`);
    assert.ok(colours > 300, `${colours} colours`);
  });

  it('has every still picture, each with a description', async () => {
    const pictures = await page.evaluate(async () => {
      const images = document.querySelectorAll('figure img');
      const pictures = Array.from(document.querySelectorAll('svg image'), (image) => image.getAttribute('href'));
      const addresses = Array.from(images, (image) => image.src).concat(pictures);
      for (const address of addresses) {
        const image = new Image();
        image.src = address;
        await image.decode();
      }
      const nameless = document.querySelectorAll('figure svg:not([aria-label], [aria-hidden]), figure img:not([alt])').length;
      return { count: addresses.length, nameless };
    });
    assert.ok(pictures.count > 0, 'there are slices');
    assert.equal(pictures.nameless, 0);
  });

  it('forbids requests, even to scripts inside it', async () => {
    const before = complaints.length;
    const refused = await page.evaluate(async () => {
      const violations = [];
      document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
      await fetch('http://127.0.0.1:9/').catch(() => {});
      const image = new Image();
      image.src = 'http://127.0.0.1:9/image.png';
      const script = document.createElement('script');
      script.textContent = 'window.intruder = true';
      document.body.append(script);
      await new Promise((done) => setTimeout(done, 500));
      return { violations, intruder: Boolean(window.intruder) };
    });
    assert.deepEqual(refused.violations.sort(), ['connect-src', 'img-src', 'script-src-elem']);
    assert.equal(refused.intruder, false);
    complaints.length = before; // These complaints were caused on purpose.
    requests.splice(0, requests.length, ...requests.filter((url) => !url.startsWith('http://127.0.0.1:9/')));
  });

  it('fits a telephone', async () => {
    const narrow = await open({ viewport: { width: 390, height: 800 }, deviceScaleFactor: 1 });
    const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} pixels wide`);
    await narrow.context().close();
  });

  it('keeps its still pictures without WebGL 2, and without scripts', async () => {
    const without = await open({}, withoutWebGL);
    await without.waitForSelector('#viewer[data-state="unavailable"]');
    assert.match(await without.textContent('#viewer'), /offers no WebGL 2/);
    assert.ok(await without.locator('.slices').first().isVisible());
    assert.equal(await without.locator('.stills img:visible').count(), 3, 'streamlines from three sides');
    await without.context().close();
    const silent = await open({ javaScriptEnabled: false });
    assert.match(await silent.textContent('#viewer'), /needs JavaScript and WebGL 2/);
    assert.ok(await silent.locator('.slices').first().isVisible());
    assert.equal(await silent.locator('.stills img:visible').count(), 3, 'streamlines from three sides');
    await silent.context().close();
  });

  it('asked for nothing and complained of nothing', () => {
    assert.deepEqual(requests, []);
    assert.deepEqual(complaints, []);
  });
});
