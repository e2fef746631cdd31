// Makes the figures of a report live: slices open large, pictures can be saved. Without it they are still pictures.
import { listenToSlices } from './slice-view.js';
import { offerSaving } from './save.js';
import styles from './figures.css';

const sheet = document.createElement('style');
sheet.textContent = styles;
document.head.append(sheet);
for (const figure of document.querySelectorAll('figure')) {
  for (const slices of figure.querySelectorAll('.slices')) listenToSlices(slices);
  offerSaving(figure);
}
document.documentElement.dataset.figures = 'ready';
