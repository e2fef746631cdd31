// Entry point of the 3-D viewer of a report: reads the scene of the page, shows it, and stores the outcome in the page's HTML.
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

/** Writes a message to the page that explains why the viewer is unavailable, and sets the state that tests wait for. */
function refuse(root, message) {
  root.className = 'viewer-note';
  root.textContent = message;
  root.dataset.state = 'unavailable';
}

start();
