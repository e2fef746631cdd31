// The viewer of a report: finds its scene in the page, shows it, and says in the page how that went.
import { readScene } from './scene.js';
import { Stage, hasWebGL2 } from './stage.js';
import { buildControls } from './controls.js';
import styles from './viewer.css';

async function start() {
  const root = document.getElementById('viewer');
  const scene = readScene(document);
  if (!root || !scene) return;
  const sheet = document.createElement('style');
  sheet.textContent = styles;
  document.head.append(sheet);
  root.replaceChildren();
  if (!hasWebGL2()) {
    refuse(root, 'This browser offers no WebGL 2, which the 3-D viewer needs. The still pictures below show the same data.');
    return;
  }
  try {
    const stage = new Stage(scene);
    root.append(stage.element);
    buildControls(root, scene, stage);
    await stage.open();
    root.dataset.state = 'ready';
  } catch (error) {
    root.replaceChildren();
    refuse(root, `The 3-D viewer could not start (${error.message}). The still pictures below show the same data.`);
  }
}

/** Says in the page why there is no viewer; tests wait for the state. */
function refuse(root, message) {
  root.className = 'viewer-note';
  root.textContent = message;
  root.dataset.state = 'unavailable';
}

start();
