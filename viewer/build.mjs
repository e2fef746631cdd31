// Bundles two classic scripts into dist/, which a page can embed inline. The script viewer.js is the 3-D viewer with all its
// packages. The script figures.js makes the figures of a report interactive.
import { build } from 'esbuild';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(here);

await mkdir('dist', { recursive: true });
// Pages without streamlines, maps or surfaces in 3-D embed only the small script figures.js.
await bundle('src/main.js', 'viewer.js');
await bundle('src/figures/main.js', 'figures.js');

async function bundle(entry, name) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    charset: 'ascii',
    legalComments: 'none', // The function `notices` puts the complete licences of all bundled packages in front.
    loader: { '.css': 'text' },
    alias: {
      // Zarr is a format for images that are read over a network, with compiled codecs. The page makes no requests, so it needs
      // neither.
      zarrita: './src/no-zarr.js',
      '@zarrita/storage': './src/no-zarr.js',
      numcodecs: './src/no-zarr.js',
    },
    metafile: true,
    write: false,
  });
  const script = `/*!\n${await notices(Object.keys(result.metafile.inputs))}\n*/\n${result.outputFiles[0].text}`;
  for (const forbidden of [/<\/script/i, /<!--/]) {
    if (forbidden.test(script)) throw new Error(`${name} contains ${forbidden}, which would end an inline script`);
  }
  await writeFile(join('dist', name), script);
  if (process.argv.includes('--analyse')) {
    const inputs = Object.values(result.metafile.outputs)[0].inputs;
    for (const [path, { bytesInOutput }] of Object.entries(inputs).sort((a, b) => b[1].bytesInOutput - a[1].bytesInOutput).slice(0, 25)) {
      console.log(String(bytesInOutput).padStart(9), path);
    }
  }
  console.log(`dist/${name}: ${(script.length / 1e6).toFixed(2)} MB`);
}

/** Returns the licence texts of all packages in the bundle, each once. */
async function notices(inputs) {
  const packages = new Set();
  for (const path of inputs) {
    const match = path.match(/^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (match) packages.add(match[1]);
  }
  const parts = [`Arcuate (MIT OR Apache-2.0).${packages.size > 0 ? ' It contains:' : ''}`];
  for (const name of [...packages].sort()) {
    const folder = join('node_modules', name);
    const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file
      ? await readFile(join(folder, file), 'utf8')
      : await readFile(join('licences', `${name.replaceAll('/', '__')}.txt`), 'utf8').catch(() => {
          throw new Error(`${name} ships no licence: put its text into viewer/licences/`);
        });
    parts.push(`--- ${name} ${version} (${license}) ---\n\n${text.trim().replaceAll('*/', '* /')}`);
  }
  return parts.join('\n\n');
}
