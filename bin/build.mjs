// `npm run build`: compiles the server into dist.
import { buildServer } from './lib/prepare.mjs';

buildServer();
