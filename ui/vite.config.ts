// Builds the page into dist/ui: hashed assets, each beside its compressed forms, so that the server
// compresses nothing. Relative addresses, so that the same build serves under any base path.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { galleryTemplates } from './gallery';

const outDir = path.resolve(import.meta.dirname, '..', 'dist', 'ui');
/** Of the folder `public`, shown on every page. */
const publicFiles = ['favicon.svg'];
const compressible = /\.(?:js|css|html|svg|json|txt)$/;

/** Writes `.br` and `.gz` beside every file that gains by it. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    // Not when the bundle is closed: a failed build has no files, and its error would be hidden.
    writeBundle() {
      for (const name of fs.readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        const file = path.join(outDir, name);
        if (!compressible.test(name) || !fs.statSync(file).isFile()) continue;
        const bytes = fs.readFileSync(file);
        const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 };
        fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes, { params }));
        fs.writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/** Writes `sw.js`: the worker that keeps the files of this build (service-worker.js). */
function keepShell(): Plugin {
  return {
    name: 'keep-shell',
    apply: 'build',
    writeBundle(_options, bundle) {
      const [main = ''] = Object.values(bundle)
        .filter((file) => file.type === 'chunk' && file.isEntry)
        .map(({ fileName }) => fileName);
      const files = [
        ...Object.keys(bundle).filter((name) => name !== 'index.html'),
        ...publicFiles,
      ];
      const hash = createHash('sha256');
      for (const name of files) hash.update(fs.readFileSync(path.join(outDir, name)));
      hash.update(fs.readFileSync(path.join(outDir, 'index.html')));
      const shell = { version: hash.digest('hex').slice(0, 16), main, files: files.sort() };
      const worker = fs.readFileSync(path.join(import.meta.dirname, 'service-worker.js'), 'utf8');
      fs.writeFileSync(
        path.join(outDir, 'sw.js'),
        `const shell = ${JSON.stringify(shell)};\n${worker}`,
      );
    },
  };
}

/** Names the files of all pages in the document, which fetches them ahead; the font of all words
 * at once, so that they do not change their width once they are there. */
function nameCode(): Plugin {
  return {
    name: 'name-code',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const files = Object.keys(bundle).filter(
          (name) => /\.(?:js|css)$/.test(name) && !html.includes(name),
        );
        const attrs = { name: 'page-code', content: files.sort().join(' ') };
        const font = Object.keys(bundle).find((name) => /inter-.*\.woff2$/.test(name)) ?? '';
        const ahead = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '' };
        return [
          { tag: 'meta', attrs, injectTo: 'head' },
          { tag: 'link', attrs: { ...ahead, href: `./${font}` }, injectTo: 'head' },
        ];
      },
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [react(), galleryTemplates(), nameCode(), keepShell(), compress()],
  build: { outDir, emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/health': 'http://127.0.0.1:8080' } },
});
