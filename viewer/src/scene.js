// The data of the viewer in the page: a JSON description, and files as base64, each in its own element.

/**
 * @typedef {object} Background
 * @property {string} name
 * @property {string} data    id of the element with the NIfTI file
 * @property {string} unit
 * @property {number[]} window values shown as black and white; empty for colour images
 *
 * @typedef {object} Values values at the vertices of surfaces
 * @property {string} name
 * @property {string} quantity
 * @property {number} largest      value at the end of the scale
 * @property {?number[]} place     point in mm to which the values belong, such as a seed
 * @property {Array<{surface: number, data: string}>} on index of each surface with values, and the compressed values. There is
 *           a byte for each vertex: 0 without a value, otherwise the position from 1 to 255 on the logarithmic scale
 *
 * @typedef {object} Quantity a number of each streamline, in the data `quantity` of the TRX file
 * @property {string} name
 * @property {boolean} logarithmic true if colours and slider use the logarithm of the quantity
 * @property {boolean} atStart     true if the streamlines are coloured by the quantity at the beginning
 *
 * @typedef {object} Scene
 * @property {Background[]} backgrounds
 * @property {Background[]} maps   maps that are shown over the backgrounds in heat colours
 * @property {?{data: string, key: Array<[string, number[]]>}} regions label image with numbers from 1, and the names and colours of
 *           the regions
 * @property {Array<{name: string, data: string}>} surfaces surfaces in Surf Ice's format MZ3
 * @property {Values[]} values
 * @property {number[][]} heat     evenly spaced colours of the heat scale
 * @property {?{data: string, shown: number, total: number, quantity: ?Quantity, groups: ?Array<[string, number[]]>,
 *           groupsAtStart: boolean}} tracts streamlines; `groups`: names and colours of the groups, whose numbers are the data `group`
 *           of the TRX file; `groupsAtStart`: true if the streamlines are coloured by group at the beginning
 * @property {boolean} placed      true if the left and right side of the image are known
 * @property {?number[]} start     point in mm that the slices show at the beginning; null for the centre
 */

/** @returns {?Scene} the scene of the page, or null */
export function readScene(page) {
  const element = page.getElementById('viewer-scene');
  return element ? JSON.parse(element.textContent) : null;
}

/** Returns the bytes of a file that is embedded in the page. */
export function bytesOf(id) {
  const text = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

/** Decompresses gzipped bytes. */
export async function unzipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
