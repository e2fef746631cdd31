// The 3-D view: NiiVue, configured for streamlines over anatomy, with the few methods that the controls need.
import { MULTIPLANAR_TYPE, Niivue, SHOW_RENDER, SLICE_TYPE } from '@niivue/niivue';
import { leastOf, loadBackground, loadMap, loadRegions } from './overlays.js';
import { drawSides } from './sides.js';
import { Surfaces } from './surfaces.js';
import { groupColours, loadTracts } from './tracts.js';

export const VIEWS = {
  all: { name: 'Slices and 3-D', type: SLICE_TYPE.MULTIPLANAR },
  axial: { name: 'Axial', type: SLICE_TYPE.AXIAL },
  coronal: { name: 'Coronal', type: SLICE_TYPE.CORONAL },
  sagittal: { name: 'Sagittal', type: SLICE_TYPE.SAGITTAL },
  render: { name: '3-D', type: SLICE_TYPE.RENDER },
};

/** Cuts through the 3-D picture, given by NiiVue's azimuth and elevation of the removed side. */
export const CUTS = {
  none: { name: 'none' },
  above: { name: 'from above', direction: [0, 90] },
  left: { name: 'from the left', direction: [270, 0] },
  right: { name: 'from the right', direction: [90, 0] },
  front: { name: 'from the front', direction: [180, 0] },
  back: { name: 'from the back', direction: [0, 0] },
};

/** Smallest brightness of streamlines that opaque anatomy covers, from 0 to 1, so that the anatomy never hides them. */
const LEAST_SHINE = 0.6;

/** Zoom of the slices at the start. The margin around a slice has space for the letters of its sides. */
const SLICE_ZOOM = 0.86;

export const START = {
  view: 'all',
  background: 0,
  backgroundOpacity: 1,
  cut: 'above',
  cutDepth: 0,
  map: -1,
  mapOpacity: 1,
  mapFrom: 0,
  regionOpacity: 0,
  surfaces: 'all',
  surfaceOpacity: 0.3,
  values: -1,
  tractOpacity: 1,
  colour: 'direction',
  threshold: 0,
  slab: 3,
};

/** Returns true if a WebGL 2 context can be opened. Some browsers have the interface but open no context. */
export function hasWebGL2() {
  return Boolean(document.createElement('canvas').getContext('webgl2'));
}

export class Stage {
  constructor(scene) {
    this.scene = scene;
    const colour = scene.tracts?.quantity?.atStart ? 'quantity' : scene.tracts?.groupsAtStart ? 'group' : START.colour;
    // Over streamlines a map adds little, so it is shown at the start only if the scene has no streamlines.
    const map = scene.maps.length > 0 && !scene.tracts ? 0 : START.map;
    this.start = { ...START, colour, map, regionOpacity: scene.tracts ? 0 : 0.5 };
    this.state = { ...this.start };
    this.mesh = null;
    this.scale = null;
    this.surfaces = null;
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute(
      'aria-label',
      'Interactive view of streamlines, maps and surfaces over the anatomy. Click a slice to move the crosshair, drag the 3-D view to turn it.',
    );
    this.element = document.createElement('div');
    this.element.className = 'viewer-stage';
    this.element.append(this.canvas);
    this.niivue = new Niivue({
      isRadiologicalConvention: true, // The still pictures of the report use the same convention.
      backColor: [0, 0, 0, 1],
      crosshairColor: [1, 0.85, 0.25, 0.7],
      crosshairWidth: 0.35,
      fontColor: [0.85, 0.88, 0.92, 1],
      multiplanarLayout: MULTIPLANAR_TYPE.AUTO,
      heroImageFraction: 0.62, // share of the width for the 3-D picture next to the three slices
      heroSliceType: SLICE_TYPE.RENDER,
      multiplanarShowRender: SHOW_RENDER.ALWAYS,
      multiplanarPadPixels: 8, // space between slices
      // Without known sides no letters are shown.
      isOrientCube: scene.placed,
      isOrientationTextVisible: scene.placed,
      clipPlaneColor: [0, 0, 0, 0],
      meshThicknessOn2D: START.slab,
      scrollRequiresFocus: true, // The page scrolls past the viewer until the viewer is clicked.
      dragAndDropEnabled: false,
      isAntiAlias: true,
      logLevel: 'error',
      loadingText: '',
    });
    this.niivue.drawSliceOrientationText = (box, plane) => drawSides(this.niivue, box, plane);
    // NiiVue draws after each setting. Here several settings or slider moves are combined into one drawing per frame.
    let frame = 0;
    this.niivue.drawScene = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        Niivue.prototype.drawScene.call(this.niivue);
      });
    };
  }

  /** Loads the scene. When the promise is fulfilled, the picture is drawn. */
  async open() {
    await this.niivue.attachToCanvas(this.canvas, true);
    this.images = new Map();
    await this.setImages();
    if (this.scene.surfaces.length > 0) this.surfaces = await Surfaces.load(this.scene, this.niivue);
    if (this.scene.tracts) {
      const { mesh, scale } = await loadTracts(this.scene.tracts, this.niivue.gl);
      [this.mesh, this.scale] = [mesh, scale];
      this.colourTracts();
      this.niivue.addMesh(mesh);
    }
    this.reset();
    this.onOpen?.();
    window.addEventListener('beforeprint', () => this.keepStill());
    // The promise waits until the frame with the first picture is drawn.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }

  /** Resets all settings and the viewpoint to the start. */
  reset() {
    const place = this.scene.values.find((values) => values.place)?.place ?? this.scene.start;
    this.niivue.scene.crosshairPos = place ? this.niivue.mm2frac(place) : [0.5, 0.5, 0.5];
    this.niivue.scene.pan2Dxyzmm = [0, 0, 0, SLICE_ZOOM];
    this.niivue.setScale(1.25);
    this.niivue.setRenderAzimuthElevation(200, 28);
    this.apply({ ...this.start });
  }

  /** Changes parts of the state and draws the view. */
  apply(change) {
    Object.assign(this.state, change);
    const { niivue, state } = this;
    const changes = (...keys) => keys.some((key) => key in change);
    if (changes('view')) niivue.setSliceType(VIEWS[state.view].type);
    if (changes('slab')) niivue.setMeshThicknessOn2D(state.slab >= 20 ? Infinity : state.slab);
    if (changes('cut', 'cutDepth')) {
      const direction = CUTS[state.cut].direction;
      niivue.setClipPlane(direction ? [state.cutDepth, ...direction] : [2, 0, 0]);
    }
    if (changes('background', 'map', 'regionOpacity', 'mapOpacity', 'mapFrom', 'backgroundOpacity')) this.setImages();
    // Streamlines under the surface of the anatomy shine through the anatomy. The lower its opacity, the brighter they are.
    if (niivue.volumes.length > 0) niivue.opts.meshXRay = Math.max(LEAST_SHINE, 1 - state.backgroundOpacity);
    if (this.surfaces) {
      this.surfaces.show(state.surfaces, state.surfaceOpacity, state.values);
      if (changes('values')) this.colourSurfaces();
    }
    if (this.mesh) {
      this.mesh.opacity = state.tractOpacity;
      this.mesh.visible = state.tractOpacity > 0;
      if (changes('colour', 'threshold')) this.colourTracts();
    }
    niivue.drawScene();
  }

  /** Colours the streamlines and hides the streamlines below the threshold. */
  colourTracts() {
    const { mesh, niivue, state, scale } = this;
    const byQuantity = state.colour === 'quantity' && scale;
    mesh.fiberGroupColormap = state.colour === 'group' ? groupColours(this.scene.tracts.groups) : null;
    mesh.fiberColor = byQuantity ? 'DPS1' : state.colour === 'ends' ? 'Global' : 'Local';
    // NiiVue compares the threshold with the data column that gives the colours.
    const threshold = scale ? scale.threshold(state.threshold) : -Infinity;
    mesh.dpsThreshold = Number.isFinite(threshold) ? (byQuantity ? scale.colour(threshold) : threshold) : NaN;
    mesh.updateMesh(niivue.gl);
  }

  /** Adds a still image of the view after the canvas for printing, because browsers cannot print WebGL. */
  keepStill() {
    const canvas = this.pictured();
    this.still ??= this.element.insertAdjacentElement('afterend', document.createElement('img'));
    this.still.className = 'viewer-print';
    this.still.alt = 'Streamlines over the anatomy, as the viewer showed them';
    this.still.src = canvas.toDataURL('image/png');
  }

  /** Draws the view and returns its canvas. The drawing lasts only until the browser has displayed it. */
  pictured() {
    Niivue.prototype.drawScene.call(this.niivue);
    return this.canvas;
  }

  /** Returns the number of embedded streamlines that pass the threshold. */
  visible() {
    const { tracts } = this.scene;
    return this.scale ? this.scale.countFrom(this.state.threshold) : tracts ? tracts.shown : 0;
  }

  /** Colours the surfaces by the chosen values and moves the crosshair to the point to which the values belong. */
  async colourSurfaces() {
    const { niivue, state, scene } = this;
    const values = state.values;
    await this.surfaces.colour(values);
    const place = scene.values[values]?.place;
    if (place && state.values === values) {
      niivue.scene.crosshairPos = niivue.mm2frac(place);
      niivue.setRenderAzimuthElevation(...this.surfaces.sideOf(place));
      niivue.createOnLocationChange();
    }
    niivue.drawScene();
  }

  /** Returns an image of the scene. An image is loaded at its first use. */
  image(key, load) {
    if (!this.images.has(key)) this.images.set(key, load());
    return this.images.get(key);
  }

  /** Shows the chosen images over each other: anatomy, a map and regions. */
  async setImages() {
    const { niivue, scene, state } = this;
    const { background, map, regionOpacity } = state;
    const chosen = { background: scene.backgrounds[background], map: scene.maps[map], regions: regionOpacity > 0 && scene.regions };
    const loads = [
      chosen.background && this.image(`image ${background}`, () => loadBackground(chosen.background, background)),
      chosen.map && this.image(`map ${map}`, () => loadMap(chosen.map, map)),
      chosen.regions && this.image('regions', () => loadRegions(chosen.regions)),
    ];
    const [anatomy, over, regions] = await Promise.all(loads);
    // Return if the user has chosen other images while these images were loading.
    if (state.background !== background || state.map !== map || state.regionOpacity !== regionOpacity) return;
    const images = [anatomy, over, regions].filter(Boolean);
    if (images.length === 0 && niivue.volumes.length === 0) return;
    if (anatomy) anatomy.opacity = state.backgroundOpacity;
    if (over) {
      over.opacity = state.mapOpacity;
      over.cal_min = leastOf(chosen.map, state.mapFrom);
    }
    if (regions) regions.opacity = regionOpacity;
    niivue.volumes = images;
    niivue.back = images[0] ?? null;
    niivue.overlays = images.slice(1);
    niivue.updateGLVolume();
    niivue.drawScene();
  }
}
