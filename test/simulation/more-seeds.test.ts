import { checkSeeds } from './check-seeds.js';

checkSeeds(151, 1000);
