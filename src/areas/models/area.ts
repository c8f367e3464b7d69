// Models and vectors (semantics 4.23): the tasks that ask a model, let it generate, and store and
// search texts by their meaning. Integrations say which models and vector stores there are.
import { area } from '../area.js';
import { chatCompleteTask } from './chat-complete.js';
import { generateAudioTask } from './generate-audio.js';
import { generateEmbeddingsTask } from './generate-embeddings.js';
import { generateImageTask } from './generate-image.js';
import { generateVideoTask } from './generate-video.js';
import { Models } from './models.js';
import { modelSettings } from './settings.js';
import { textCompleteTask } from './text-complete.js';
import { indexDocumentTask, indexTextTask } from './vectors/index-text.js';
import { getEmbeddingsTask, searchEmbeddingsTask } from './vectors/search-embeddings.js';
import { searchIndexTask } from './vectors/search-index.js';
import { storeEmbeddingsTask } from './vectors/store-embeddings.js';

export const models = area({
  name: 'models',
  about: 'Calls of models, and vectors of texts: tasks ask, generate, store and search.',
  settings: modelSettings,
  records: {},
  taskTypes: [
    ...[chatCompleteTask, textCompleteTask, generateEmbeddingsTask],
    ...[generateImageTask, generateAudioTask, generateVideoTask],
    ...[indexTextTask, indexDocumentTask, storeEmbeddingsTask],
    ...[searchIndexTask, searchEmbeddingsTask, getEmbeddingsTask],
  ],
  needsFirst: ['clock', 'outbound', 'failed', 'integrationUse', 'tokenBudget'],
  lends: ['models'],
  provides: ['models'],
  begin(ports, { settings: { modelSilenceMsMax: silenceMsMax } }) {
    const { outbound: client, integrationUse: integrations, tokenBudget: usage, ...more } = ports;
    const models = new Models({ ...more, client, integrations, usage, silenceMsMax });
    return { lent: { models }, ports: { models } };
  },
  needs: [],
  build: () => ({ endpoints: [] }),
});
