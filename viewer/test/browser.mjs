// Opens a report in a headless Chromium without network, as a reader would, and records its requests and error messages.
//
// The environment variable CHROMIUM gives the path of the browser. WebGL runs in software, so no graphics card is needed.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

/** Time limit in ms for pages and tests: software rendering on a busy machine is slow. */
export const PATIENCE = 240_000;

/** Path of a report with streamlines. */
export const file = process.env.ARCUATE_REPORT;

/** Path of a report with maps, regions and surfaces, but without streamlines. */
export const fileWithSurfaces = process.env.ARCUATE_SURFACE_REPORT;

/** Path of a report with fibre orientation distributions. */
export const fileWithDistributions = process.env.ARCUATE_FOD_REPORT;

function findChromium() {
  const usual = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`);
  const found = [process.env.CHROMIUM, ...usual].find((path) => path && existsSync(path));
  assert.ok(found, 'no Chromium found: install it, or name it in CHROMIUM');
  return found;
}

/** Starts a browser. Returns the browser, the requests and complaints of its pages, and a function that opens the report in a page. */
export async function launch(report = file) {
  assert.ok(report && existsSync(report), 'name reports in ARCUATE_REPORT, ARCUATE_SURFACE_REPORT and ARCUATE_FOD_REPORT');
  const address = pathToFileURL(resolve(report)).href;
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  const [requests, complaints] = [[], []];
  const open = async (options = {}, prepare = undefined) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    await context.setOffline(true);
    const page = await context.newPage();
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && request.url() !== address) requests.push(request.url());
    });
    page.on('console', (message) => {
      if (['error', 'warning', 'assert'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await prepare?.(page);
    await page.goto(address);
    return page;
  };
  return { browser, requests, complaints, open };
}

/** Removes WebGL 2 from a page before the report is opened. */
export const withoutWebGL = (page) =>
  page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === 'webgl2' ? null : original.call(this, kind, ...rest);
    };
  });

/** Takes a screenshot of the viewer's canvas and returns a handle to its red, green, blue and opacity bytes in the page. */
async function picture(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const png = await page.locator('#viewer canvas').screenshot({ timeout: PATIENCE });
  return page.evaluateHandle(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }, `data:image/png;base64,${png.toString('base64')}`);
}

/** Returns true or false for each pixel of the viewer's canvas: whether its red, green and blue satisfy a named condition. */
export async function pixels(page, condition) {
  const data = await picture(page);
  const found = await data.evaluate((data, which) => {
    const holds = {
      vivid: (r, g, b) => Math.max(r, g, b) > 120 && Math.min(r, g, b) < 60,
      lit: (r, g, b) => r + g + b > 24,
      coloured: (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 50,
    }[which];
    return Array.from({ length: data.length / 4 }, (_, n) => holds(data[4 * n], data[4 * n + 1], data[4 * n + 2]));
  }, condition);
  await data.dispose();
  return found;
}

/** Moves a slider or selects an option of the viewer, as a user would. */
export async function set(page, name, value) {
  await page.locator(`#viewer [name="${name}"]`).evaluate((control, wanted) => {
    control.value = wanted;
    control.dispatchEvent(new Event(control.type === 'range' ? 'input' : 'change', { bubbles: true }));
  }, String(value));
}
