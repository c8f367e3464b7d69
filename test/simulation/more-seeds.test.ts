import { checkSeeds, checkTelling, telling } from './check-seeds.js';

checkSeeds(1001, 2000);
checkTelling(telling);
