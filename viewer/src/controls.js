// The panel of controls under the 3-D view. The controls are plain form elements, which keyboards and screen readers support.
import { saveCanvas } from './download.js';
import { leastOf } from './overlays.js';
import { CUTS, START, VIEWS } from './stage.js';

/** State keys whose values are indices into lists of the scene. */
const NUMBERED = ['background', 'map', 'values'];

/** Adds the controls to `root`. Each change of a control is applied to the stage at once. */
export function buildControls(root, scene, stage) {
  const panel = element('form', { className: 'viewer-controls' });
  panel.addEventListener('submit', (event) => event.preventDefault());
  const refreshers = [];
  const add = (legend, ...rows) => {
    const group = element('fieldset');
    group.append(element('legend', { textContent: legend }), ...rows);
    panel.append(group);
    return group;
  };
  /** Makes a list of options for the state key `key`. `also` returns further state changes that a choice causes. */
  const choice = (label, key, options, also = () => ({})) => {
    const select = element('select', { name: key });
    for (const [value, name] of options) select.append(element('option', { value, textContent: name }));
    const valueOf = (text) => (NUMBERED.includes(key) ? Number(text) : text);
    select.addEventListener('change', () => change({ [key]: valueOf(select.value), ...also(valueOf(select.value)) }));
    refreshers.push(() => (select.value = String(stage.state[key])));
    return labelled(label, select);
  };
  const slider = (label, key, { min, max, step, say }) => {
    const input = element('input', { type: 'range', name: key, min, max, step });
    const output = element('output');
    input.addEventListener('input', () => change({ [key]: Number(input.value) }));
    refreshers.push(() => {
      input.value = String(stage.state[key]);
      output.textContent = say(stage.state[key]);
      input.setAttribute('aria-valuetext', output.textContent);
    });
    const row = labelled(label, input);
    row.append(output);
    return row;
  };
  const refresh = () => refreshers.forEach((each) => each());
  const change = (values) => {
    if (stage.niivue.gl) stage.apply(values);
    refresh();
  };
  const percent = (value) => `${Math.round(value * 100)} %`;

  add(
    'View',
    choice('Layout', 'view', Object.entries(VIEWS).map(([key, { name }]) => [key, name])),
    choice('Cut', 'cut', Object.entries(CUTS).map(([key, { name }]) => [key, name])),
    slider('Cut depth', 'cutDepth', { min: -0.5, max: 0.5, step: 0.01, say: (value) => percent(0.5 - value) }),
  );
  if (scene.backgrounds.length > 0) {
    add(
      'Anatomy',
      choice('Image', 'background', numbered(scene.backgrounds)),
      slider('Opacity', 'backgroundOpacity', { min: 0, max: 1, step: 0.05, say: percent }),
    );
  }
  if (scene.maps.length > 0) {
    const least = (part) => (part > 0 ? `≥ ${leastOf(scene.maps[Math.max(stage.state.map, 0)], part).toPrecision(2)}` : 'all');
    add(
      'Map',
      choice('Shown', 'map', [['-1', 'none'], ...numbered(scene.maps)]),
      scaleKey(stage, refreshers, () => scaleOfMap(scene.maps[stage.state.map])),
      slider('From', 'mapFrom', { min: 0, max: 1, step: 0.01, say: least }),
      slider('Opacity', 'mapOpacity', { min: 0, max: 1, step: 0.05, say: percent }),
    );
  }
  if (scene.regions) {
    const key = element('p', { className: 'viewer-key' });
    key.append(...scene.regions.key.map(coloured));
    add('Regions', key, slider('Opacity', 'regionOpacity', { min: 0, max: 1, step: 0.05, say: percent }));
  }
  if (scene.surfaces.length > 0) {
    const which = [['all', 'all'], ...numbered(scene.surfaces), ['none', 'none']];
    const rows = [slider('Opacity', 'surfaceOpacity', { min: 0, max: 1, step: 0.05, say: percent })];
    if (scene.values.length > 0) {
      which.splice(1, 0, ['valued', 'those with values']);
      // Values of surfaces are visible only if no other surface hides them.
      const also = (values) =>
        values < 0 ? { surfaces: 'all', surfaceOpacity: START.surfaceOpacity } : { surfaces: 'valued', surfaceOpacity: 1 };
      rows.unshift(choice('Values', 'values', [['-1', 'none'], ...numbered(scene.values)], also));
    }
    rows.splice(-1, 0, scaleKey(stage, refreshers, () => scaleOfValues(scene.values[stage.state.values])));
    add('Surfaces', choice('Shown', 'surfaces', which), ...rows);
  }
  if (scene.tracts) {
    const colours = [['direction', 'local direction'], ['ends', 'end-to-end direction']];
    const { groups, quantity } = scene.tracts;
    if (groups) colours.unshift(['group', 'group']);
    if (quantity) colours.push(['quantity', quantity.logarithmic ? `${quantity.name} (log scale)` : quantity.name]);
    const rows = [
      choice('Colour', 'colour', colours),
      slider('Opacity', 'tractOpacity', { min: 0, max: 1, step: 0.05, say: percent }),
      slider('Slab', 'slab', { min: 1, max: 20, step: 1, say: (mm) => (mm >= 20 ? 'all' : `± ${mm} mm`) }),
    ];
    if (quantity) {
      const digits = quantity.logarithmic ? 2 : 3;
      const say = (position) => (position > 0 ? `≥ ${stage.scale?.threshold(position).toPrecision(digits)}` : 'all');
      const label = quantity.name[0].toUpperCase() + quantity.name.slice(1);
      rows.push(slider(label, 'threshold', { min: 0, max: 1, step: 0.01, say }));
    }
    rows.splice(1, 0, colourKey(scene, stage, refreshers));
    const count = element('p', { className: 'viewer-count' });
    count.setAttribute('aria-live', 'polite');
    refreshers.push(() => {
      const shown = stage.visible().toLocaleString('en');
      count.textContent = `${shown} of ${scene.tracts.total.toLocaleString('en')} streamlines shown`;
    });
    add('Streamlines', ...rows, count);
  }

  const buttons = element('div', { className: 'viewer-buttons' });
  const reset = element('button', { type: 'button', textContent: 'Reset' });
  reset.addEventListener('click', () => {
    stage.reset();
    refresh();
  });
  buttons.append(reset);
  if (document.fullscreenEnabled) {
    const full = element('button', { type: 'button', textContent: 'Full screen' });
    full.addEventListener('click', () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()));
    buttons.append(full);
  }
  const save = element('button', { type: 'button', textContent: 'Save PNG' });
  save.addEventListener('click', () => stage.niivue.gl && saveCanvas(stage.pictured(), 'streamlines'));
  buttons.append(save);
  const place = element('output', { className: 'viewer-place' });
  stage.niivue.onLocationChange = ({ mm, values }) => {
    const [x, y, z] = Array.from(mm, (value) => value.toFixed(1));
    const value = values?.[0]?.value;
    const unit = scene.backgrounds[stage.state.background]?.unit;
    const reading = Number.isFinite(value) ? `, value ${Number(value.toPrecision(4))}${unit ? ` ${unit}` : ''}` : '';
    place.textContent = `x ${x}, y ${y}, z ${z} mm${scene.placed ? ' (RAS)' : ''}${reading}`;
  };
  buttons.append(place);
  panel.append(buttons);
  root.append(panel);
  stage.onOpen = refresh;
  refresh();
}

/** Makes the key that explains the colours of the streamlines. */
function colourKey(scene, stage, refreshers) {
  const key = element('p', { className: 'viewer-key' });
  const directions = [['red', 'left – right'], ['green', 'front – back'], ['blue', 'up – down']];
  refreshers.push(() => {
    const { scale, state } = stage;
    if (state.colour === 'quantity' && scale) {
      const digits = scale.logarithmic ? 2 : 3;
      const ends = [scale.smallest, scale.largest].map((value) => element('span', { textContent: value.toPrecision(digits) }));
      key.replaceChildren(ends[0], element('span', { className: 'viewer-scale' }), ends[1]);
    } else if (state.colour === 'group') {
      key.replaceChildren(...scene.tracts.groups.map(coloured));
    } else {
      key.replaceChildren(...directions.map(([name, textContent]) => element('span', { className: `viewer-${name}`, textContent })));
    }
  });
  return key;
}

/** Makes the colour bar for the ends that `scale` returns. If `scale` returns no ends, the key lists the colours of the surfaces. */
function scaleKey(stage, refreshers, scale) {
  const key = element('p', { className: 'viewer-key' });
  refreshers.push(() => {
    const of = scale();
    key.classList.toggle('viewer-heat', Boolean(of?.ends));
    if (!of) key.replaceChildren();
    else if (of.ends) {
      const [low, high] = of.ends.map((textContent) => element('span', { textContent }));
      key.replaceChildren(low, element('span', { className: 'viewer-scale' }), high);
    } else key.replaceChildren(...(stage.surfaces?.key() ?? []).map(coloured));
  });
  return key;
}

/** Returns the two end labels of the colour scale of a map, or null without a map. */
function scaleOfMap(map) {
  if (!map) return null;
  return { ends: ['0', `${Number(map.window[1].toPrecision(3))}${map.unit ? ` ${map.unit}` : ''}`] };
}

/** Returns the two end labels of the colour scale of surface values. Without values, returns an object without ends. */
function scaleOfValues(values) {
  if (!values) return {};
  return { ends: ['1', `${Number(values.largest.toPrecision(3)).toLocaleString('en')} ${values.quantity} (log scale)`] };
}

/** Returns pairs of index and name for the options of a list of the scene. */
const numbered = (list) => list.map(({ name }, index) => [String(index), name]);

/** Makes an entry of a colour key: a name with its colour. */
function coloured([textContent, colour]) {
  const entry = element('span', { textContent, className: 'viewer-group' });
  entry.style.setProperty('--colour', `rgb(${colour.join(' ')})`);
  return entry;
}

function labelled(text, control) {
  const label = element('label');
  label.append(element('span', { textContent: text }), control);
  return label;
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
