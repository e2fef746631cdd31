// What the page carries for the viewer: a JSON description and, each in an element of its own, files in base64.

/**
 * @typedef {object} Background
 * @property {string} name
 * @property {string} data    id of the element that holds the NIfTI file
 * @property {string} unit
 * @property {number[]} window values shown black and white; empty for colour images
 *
 * @typedef {object} Values at the vertices of surfaces
 * @property {string} name
 * @property {string} quantity
 * @property {number} largest      at the end of the scale
 * @property {?number[]} place     in mm, that they are of
 * @property {Array<{surface: number, data: string}>} on a byte for each vertex, compressed: 0 without a value, else the place
 *           on the scale from 1 to 255, which is logarithmic
 *
 * @typedef {object} Quantity a number of each streamline, in the data `quantity` of the TRX file
 * @property {string} name
 * @property {boolean} logarithmic whether colours and slider go by its logarithm
 * @property {boolean} atStart     whether streamlines have its colours at the beginning
 *
 * @typedef {object} Scene
 * @property {Background[]} backgrounds
 * @property {Background[]} maps   over them, in colours of heat
 * @property {?{data: string, key: Array<[string, number[]]>}} regions an image of their numbers, from 1, with names and colours
 * @property {Array<{name: string, data: string}>} surfaces in Surf Ice's format MZ3
 * @property {Values[]} values
 * @property {number[][]} heat     evenly spaced colours of the scale
 * @property {?{data: string, shown: number, total: number, quantity: ?Quantity, groups: ?Array<[string, number[]]>,
 *           groupsAtStart: boolean}} tracts
 *           groups: names and colours; the data `group` of the TRX file has their numbers; whether streamlines have their colours at the
 *           beginning
 * @property {boolean} placed whether it is known which side is which
 */

/** @returns {?Scene} the scene of the page, where it has one */
export function readScene(page) {
  const element = page.getElementById('viewer-scene');
  return element ? JSON.parse(element.textContent) : null;
}

/** The bytes of an embedded file. */
export function bytesOf(id) {
  const text = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

/** Decompressed bytes. */
export async function unzipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
