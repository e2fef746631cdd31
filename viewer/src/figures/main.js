// Makes the figures of a report interactive: slices open enlarged, and drawings can be saved. Without this script they are static.
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
