// Models and vectors (semantics 4.23): tasks that ask a model, let it generate, and store and
// search texts by their meaning. Integrations say which models and vector stores there are. The
// plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { chatCompleteTask } from './chat-complete.js';
import { generateAudioTask } from './generate-audio.js';
import { generateEmbeddingsTask } from './generate-embeddings.js';
import { generateImageTask } from './generate-image.js';
import { generateVideoTask } from './generate-video.js';
import { testPrompt } from './test-prompt.js';
import { textCompleteTask } from './text-complete.js';
import { indexDocumentTask, indexTextTask } from './vectors/index-text.js';
import { getEmbeddingsTask, searchEmbeddingsTask } from './vectors/search-embeddings.js';
import { searchIndexTask } from './vectors/search-index.js';
import { storeEmbeddingsTask } from './vectors/store-embeddings.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'models',
  taskTypes: [
    ...[chatCompleteTask, textCompleteTask, generateEmbeddingsTask],
    ...[generateImageTask, generateAudioTask, generateVideoTask],
    ...[indexTextTask, indexDocumentTask, storeEmbeddingsTask],
    ...[searchIndexTask, searchEmbeddingsTask, getEmbeddingsTask],
  ],
  testPrompt,
  settings: {
    silenceMsMax: {
      kind: 'integer',
      about: 'Longest silence of the provider of a model while it answers, ms',
      default: 120_000,
      min: 1,
    },
  },
};
