// Tests the figures of a report: text is legible at all page widths, slices open, and drawings can be saved.
//
//   ARCUATE_REPORT=out/report.html npm test

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { PATIENCE, launch, withoutWebGL } from './browser.mjs';
import { overlaps, texts } from './measure.mjs';

/** Minimum font size in pixels. */
const LETTERS = 11;

describe('the figures of a report', { timeout: 3 * PATIENCE }, () => {
  let browser, requests, complaints, open;

  before(async () => {
    ({ browser, requests, complaints, open } = await launch());
  });
  after(() => browser?.close());

  for (const width of [400, 1400]) {
    for (const colorScheme of ['light', 'dark']) {
      it(`can be read at ${width} pixels, ${colorScheme}`, async () => {
        const page = await open({ viewport: { width, height: 900 }, colorScheme }, withoutWebGL);
        await page.waitForSelector('html[data-figures="ready"]');
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, 'the page is wider than the screen');
        const wide = await page.evaluate(() =>
          Array.from(document.querySelectorAll('figure *'))
            .filter((part) => part.checkVisibility() && !part.closest('.scroll, defs') && !(part instanceof SVGElement && !(part instanceof SVGSVGElement)))
            .filter((part) => part.getBoundingClientRect().right > part.closest('figure').getBoundingClientRect().right + 1)
            .map((part) => part.outerHTML.slice(0, 80)),
        );
        assert.deepEqual(wide, [], 'parts of figures are cut');
        const seen = await page.evaluate(texts);
        assert.ok(seen.length > 50, `${seen.length} texts`);
        assert.deepEqual(seen.filter(({ height }) => height < LETTERS - 0.05).map(({ text, height }) => `${text}: ${height}`), []);
        assert.deepEqual(overlaps(seen), []);
        await page.context().close();
      });
    }
  }

  describe('when they are used', () => {
    let page;
    before(async () => {
      page = await open({ viewport: { width: 1200, height: 900 } }, withoutWebGL);
      await page.waitForSelector('html[data-figures="ready"]');
    });
    after(() => page?.context().close());

    const tile = () => page.locator('.slices:has(script) .tile[data-plane="axial"]').nth(1);
    const position = () => page.locator('.slice-position').textContent();
    const reading = () => page.locator('.slice-reading').textContent();
    const openLarge = async () => {
      await tile().click();
      await page.waitForSelector('dialog.slice-view[open]');
    };
    const close = async () => {
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog.slice-view', { state: 'detached' });
    };

    it('shows slices large as they are small', async () => {
      const maps = page.locator('.slices:has(script)');
      const number = (text) => Number(text.replace('−', '-').match(/-?[\d.]+/)[0]);
      for (let map = 0; map < (await maps.count()); map++) {
        const small = maps.nth(map).locator('.tile[data-plane="axial"]').nth(1);
        if ((await small.count()) === 0) continue;
        await small.click();
        await page.waitForSelector('dialog.slice-view[open]');
        // Only enlarged slices show fibre orientations, so they are hidden for the comparison.
        const glyphs = page.locator('.slice-view [name="glyphSize"]');
        if ((await glyphs.count()) > 0) await glyphs.fill('0');
        assert.equal(Math.round(number(await position())), number(await small.locator('span').textContent()));
        // Rust draws the small slice, the script the large one. Apart from letters and lines, the colours of all voxels agree.
        const same = await small.evaluate(async (tile) => {
          const still = tile.querySelector('img');
          await still.decode();
          const [columns, rows] = [still.naturalWidth, still.naturalHeight];
          const context = Object.assign(document.createElement('canvas'), { width: columns, height: rows }).getContext('2d');
          context.drawImage(still, 0, 0);
          const small = context.getImageData(0, 0, columns, rows).data;
          const large = document.querySelector('.slice-view canvas');
          const there = large.getContext('2d').getImageData(0, 0, large.width, large.height).data;
          let [same, all] = [0, 0];
          for (let row = 0; row < rows; row++) {
            for (let column = 0; column < columns; column++) {
              const [x, y] = [Math.floor(((column + 0.5) / columns) * large.width), Math.floor(((row + 0.5) / rows) * large.height)];
              const [a, b] = [4 * (row * columns + column), 4 * (y * large.width + x)];
              if (small[a] + small[a + 1] + small[a + 2] === 0) continue; // The black area around the head is not compared.
              all++;
              if ([0, 1, 2].every((c) => Math.abs(small[a + c] - there[b + c]) <= 3)) same++;
            }
          }
          return all > 0 ? same / all : 1;
        });
        assert.ok(same > 0.9, `map ${map}: ${(100 * same).toFixed(1)} % of the voxels`);
        await close();
      }
    });

    it('leafs through all slices and changes planes', async () => {
      await openLarge();
      const picture = () => page.locator('.slice-view canvas').evaluate((canvas) => canvas.toDataURL());
      const [place, before] = [await position(), await picture()];
      await page.keyboard.press('ArrowUp');
      assert.notEqual(await position(), place);
      assert.notEqual(await picture(), before);
      await page.keyboard.press('ArrowDown');
      assert.equal(await position(), place);
      assert.equal(await picture(), before);
      await page.mouse.move(600, 400);
      await page.mouse.wheel(0, -100);
      await page.waitForFunction((old) => document.querySelector('.slice-position').textContent !== old, place);
      const slices = Number(await page.getAttribute('.slice-view [name="slice"]', 'max')) + 1;
      const places = new Set();
      for (let n = 0; n < slices; n++) {
        await page.locator('.slice-view [name="slice"]').fill(String(n));
        places.add(await position());
      }
      assert.equal(places.size, slices, 'every slice has its place');
      await page.selectOption('.slice-view [name="plane"]', 'sagittal');
      assert.match(await position(), /^x −?[\d.]+ mm$/);
      await close();
    });

    it('says the value and the place under the cursor', async () => {
      await openLarge();
      const box = await page.locator('.slice-view canvas').boundingBox();
      assert.match(await reading(), /Point at the slice/);
      await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
      const shape = /^x (−?[\d.]+), y (−?[\d.]+), z (−?[\d.]+) mm: \S/;
      const first = await reading();
      assert.match(first, shape);
      // In an oblique image the coordinate of a slice varies over the slice.
      const heights = [(await position()).match(/−?[\d.]+/)[0], first.match(shape)[3]].map((text) => Number(text.replace('−', '-')));
      assert.ok(Math.abs(heights[0] - heights[1]) < 5, `${first} in ${await position()}`);
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
      const x = async () => Number((await reading()).match(shape)[1].replace('−', '-'));
      const right = Number(first.match(shape)[1].replace('−', '-'));
      assert.ok((await x()) < right, 'the subject’s right is on the left');
      await page.mouse.move(1, 1);
      assert.match(await reading(), /Point at the slice/);
      await close();
    });

    it('opens by keyboard', async () => {
      await tile().focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog.slice-view[open]');
      await close();
      assert.ok(await tile().evaluate((tile) => document.activeElement === tile), 'the focus comes back');
    });

    /** Clicks a save button and returns the name and the bytes of the downloaded file. */
    const saved = async (button) => {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const isPng = (bytes) => bytes.subarray(1, 4).toString() === 'PNG' && bytes.length > 2000;

    it('saves slices and plots', async () => {
      await openLarge();
      const slice = await saved(page.locator('.slice-view').getByRole('button', { name: 'Save PNG' }));
      assert.match(slice.name, /axial.*\.png$/);
      assert.ok(isPng(slice.bytes));
      await close();
      const plot = page.locator('figure:has(svg.plot)').first();
      const drawing = await saved(plot.getByRole('button', { name: 'Save SVG' }));
      const text = drawing.bytes.toString();
      assert.match(drawing.name, /\.svg$/);
      const parsed = await page.evaluate((text) => {
        const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
        const drawn = Array.from(svg.querySelectorAll('.axis-label'), (label) => label.style.fill);
        return { name: svg.localName, drawn };
      }, text);
      assert.equal(parsed.name, 'svg');
      assert.ok(parsed.drawn.length > 0 && parsed.drawn.every(Boolean), 'it brings its colours');
      const picture = await saved(plot.getByRole('button', { name: 'Save PNG' }));
      assert.ok(isPng(picture.bytes) && /\.png$/.test(picture.name));
    });
  });

  it('asked for nothing and complained of nothing', () => {
    assert.deepEqual(requests, []);
    assert.deepEqual(complaints, []);
  });
});
