// A headless Chromium that opens the report as its reader would, with the network cut, and notes what goes wrong.
//
// CHROMIUM names the browser where it is not in a usual place. WebGL runs in software, so no graphics card is needed.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

/** Software rendering on a busy machine is slow; a browser that hangs is not waited for for ever. */
export const PATIENCE = 240_000;

export const file = process.env.ARCUATE_REPORT;

function findChromium() {
  const usual = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`);
  const found = [process.env.CHROMIUM, ...usual].find((path) => path && existsSync(path));
  assert.ok(found, 'no Chromium found: install it, or name it in CHROMIUM');
  return found;
}

/** A browser, what its pages asked for and complained of, and a way to open the report in it. */
export async function launch() {
  assert.ok(file && existsSync(file), 'name a report in ARCUATE_REPORT');
  const address = pathToFileURL(resolve(file)).href;
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

/** Takes WebGL 2 away from a page that is about to be opened. */
export const withoutWebGL = (page) =>
  page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === 'webgl2' ? null : original.call(this, kind, ...rest);
    };
  });
