// Lint rules that carry the style page: types, promises, purity of model and engine, one place per outside library.
import tseslint from 'typescript-eslint';
import { noJsonCoercion } from './lint/no-json-coercion.js';

/** The server and the packages that it is made of. */
const ofServer = ['src/**/*.ts', 'packages/*/src/**/*.ts'];

const pureFolders = ['src/model/**/*.ts', 'src/engine/**/*.ts'];

/** Where the store has answered: the gate, and what reads promises and leases back from it. */
const saysDurable = [
  'src/shard/pending-commit.ts',
  ...['src/shard/recover-execution.ts', 'src/shard/removal.ts'],
  ...['src/shard/queue-audit.ts', 'src/shard/lease-audit.ts'],
];

const restrictedSyntax = [
  { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
  { selector: 'TSModuleDeclaration[kind="namespace"]', message: 'Use a module.' },
  { selector: 'ExportDefaultDeclaration', message: 'Use a named export.' },
];

/** A cast through another type compiles whatever the two types are. */
const noDoubleCast = {
  selector: 'TSAsExpression > TSAsExpression:not([typeAnnotation.typeName.name="const"])',
  message: 'Use asJson, ownRecord or parseOwnJson of src/model for JSON; else mend the type.',
};

/** Durable is what comes through the gate. */
const noDurableCast = {
  selector:
    ':matches(TSAsExpression, TSSatisfiesExpression) > TSTypeReference[typeName.name=/^Durable|^PassedGate$/]',
  message: 'Take it from the gate, or make it of what came through it (src/std/durable.ts).',
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', 'bench/results/', 'ui/src/api/schema.d.ts'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      // The type of a declaration that refers to itself can only be an interface.
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-len': [
        'error',
        {
          code: 100,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
    },
  },
  {
    files: [...ofServer, 'ui/src/**/*.ts', 'ui/src/**/*.tsx'],
    plugins: { downbeat: { rules: { 'no-json-coercion': noJsonCoercion } } },
    rules: { 'downbeat/no-json-coercion': 'error' },
  },
  {
    files: [...ofServer, 'plugins/*/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax, noDoubleCast, noDurableCast],
    },
  },
  {
    files: ['ui/src/**/*.ts', 'ui/src/**/*.tsx'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, noDoubleCast] },
  },
  {
    files: ['src/std/durable.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, noDoubleCast] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: saysDurable,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/durable.js'],
              importNames: ['durable'],
              message: 'Only where the store has answered may a value be called durable.',
            },
          ],
        },
      ],
    },
  },
  {
    files: pureFolders,
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'performance',
        'console',
        'fetch',
        'Promise',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'The engine is given `now`.' },
        {
          object: 'Math',
          property: 'random',
          message: 'What looks random is a hash of the attempt.',
        },
      ],
    },
  },
  { files: ['**/*.config.ts', '**/*.config.js'], rules: { 'no-restricted-syntax': 'off' } },
);
