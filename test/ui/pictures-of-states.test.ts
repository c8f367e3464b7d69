// Pages look as they did while they are empty, refused by the server, or still load. Those with
// data are in pictures.test.ts.
import { comparePictures } from './pictures/each-page.js';
import { states } from './pictures/plan.js';

comparePictures(states.filter((state) => state !== 'full'));
