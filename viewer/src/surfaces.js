// Surfaces for NiiVue: shaded in 3-D, lines in slices. Each surface has its own colour, or the colours of values at its vertices.
import { NVMesh } from '@niivue/niivue';
import { bytesOf, unzipped } from './scene.js';

/** Colours of surfaces without values, chosen to be visible as lines in slices. */
const COLOURS = [[236, 236, 236], [255, 140, 105], [110, 190, 255], [150, 225, 130], [245, 215, 95], [205, 150, 250]];
/** Colour of vertices without a value on surfaces with values. */
const NO_VALUE = [150, 150, 150];
/** NiiVue's names of the shaders for 3-D and for slices. */
const ROUND = 'Phong';
const LINES = 'Crosscut';

export class Surfaces {
  /** Loads the surfaces of a scene. */
  static async load(scene, niivue) {
    const meshes = [];
    for (const [n, { data }] of scene.surfaces.entries()) {
      meshes.push(await NVMesh.readMesh(bytesOf(data), `${n}.mz3`, niivue.gl));
    }
    return new Surfaces(scene, niivue, meshes);
  }

  constructor(scene, niivue, meshes) {
    Object.assign(this, { scene, niivue, meshes, opacity: 0 });
    const kinds = [...new Set(scene.surfaces.map(({ name }) => kindOf(name)))];
    this.colours = scene.surfaces.map(({ name }) => COLOURS[kinds.indexOf(kindOf(name)) % COLOURS.length]);
    this.levels = new Map();
    for (const mesh of meshes) {
      mesh.colorbarVisible = false;
      niivue.addMesh(mesh);
    }
    const shader = (name) => niivue.meshShaders.findIndex((shader) => shader.Name === name);
    const [round, lines] = [shader(ROUND), shader(LINES)];
    // NiiVue has one shader and one opacity for each mesh. Slices and the 3-D picture need different ones.
    const draw = niivue.drawMesh3D.bind(niivue);
    niivue.drawMesh3D = (depth, alpha, matrix, model, normal, is2D) => {
      for (const mesh of meshes) {
        mesh.meshShaderIndex = is2D ? lines : round;
        mesh.opacity = is2D && this.opacity > 0 ? 1 : this.opacity;
      }
      draw(depth, alpha, matrix, model, normal, is2D);
    };
  }

  /** Selects the visible surfaces: `all`, `none`, `valued` (those with values), or the index of one surface. */
  show(which, opacity, values) {
    const on = this.scene.values[values]?.on.map(({ surface }) => surface) ?? [];
    const isSeen = (n) => which === 'all' || which === String(n) || (which === 'valued' && on.includes(n));
    this.meshes.forEach((mesh, n) => (mesh.visible = opacity > 0 && isSeen(n)));
    this.opacity = opacity;
  }

  /** Colours the surfaces by the values with the given index in the scene. Without such values, each surface gets its own colour. */
  async colour(values) {
    const { on = [] } = this.scene.values[values] ?? {};
    const levels = await Promise.all(on.map(({ data }) => this.levelsOf(data)));
    this.meshes.forEach((mesh, n) => {
      const place = on.findIndex(({ surface }) => surface === n);
      mesh.rgba255 = place < 0 ? Uint8Array.from([...this.colours[n], 255]) : this.coloursOf(levels[place]);
      mesh.updateMesh(this.niivue.gl);
    });
  }

  async levelsOf(data) {
    if (!this.levels.has(data)) this.levels.set(data, await unzipped(bytesOf(data)));
    return this.levels.get(data);
  }

  /** Returns the colours of the vertices, four bytes for each vertex. */
  coloursOf(levels) {
    const colours = new Uint8Array(4 * levels.length);
    levels.forEach((level, vertex) => {
      colours.set(level === 0 ? NO_VALUE : heat(this.scene.heat, (level - 1) / 254), 4 * vertex);
      colours[4 * vertex + 3] = 255;
    });
    return colours;
  }

  /** Returns NiiVue's azimuth and elevation from which a point on the surfaces is seen. */
  sideOf(place) {
    const [least, most] = ['extentsMin', 'extentsMax'].map((end) =>
      [0, 1, 2].map((axis) => (end === 'extentsMin' ? Math.min : Math.max)(...this.meshes.map((mesh) => mesh[end][axis]))),
    );
    const [x, y, z] = place.map((value, axis) => value - (least[axis] + most[axis]) / 2);
    const degrees = (radians) => (180 * radians) / Math.PI;
    const elevation = degrees(Math.atan2(z, Math.hypot(x, y)));
    return [(degrees(Math.atan2(x, -y)) + 360) % 360, Math.max(-60, Math.min(60, elevation))];
  }

  /** Returns names and colours for the key. Surfaces of both hemispheres share one entry. */
  key() {
    const key = new Map();
    this.scene.surfaces.forEach(({ name }, n) => key.set(kindOf(name), this.colours[n]));
    return [...key];
  }
}

/** Returns the colour at a fraction of the scale. The darkest quarter of the colours is not used, because it is invisible on black. */
export function heat(points, fraction) {
  const place = (0.25 + 0.75 * fraction) * (points.length - 1);
  const low = Math.min(Math.floor(place), points.length - 2);
  return points[low].map((value, channel) => Math.round(value + (points[low + 1][channel] - value) * (place - low)));
}

/** Returns the name of a surface without its hemisphere and its file ending. */
function kindOf(name) {
  const parts = name.replace(/(\.surf)?\.(gii|gii\.gz|asc|srf)$/i, '').split(/[._-]/);
  return parts.filter((part) => !/^(lh|rh|l|r|left|right|hemi)$/i.test(part)).join(' ') || name;
}
