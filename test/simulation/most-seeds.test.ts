import { checkSeeds } from './check-seeds.js';

checkSeeds(1001, 2000);
