// Builds the page into dist/ui: hashed assets, each beside its compressed forms, so that the server
// compresses nothing. Relative addresses, so that the same build serves under any base path.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const outDir = path.resolve(import.meta.dirname, '..', 'dist', 'ui');
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

/** Names the files of all pages in the document, which fetches them ahead. */
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
        return [{ tag: 'meta', attrs, injectTo: 'head' }];
      },
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [react(), nameCode(), compress()],
  build: { outDir, emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/health': 'http://127.0.0.1:8080' } },
});
