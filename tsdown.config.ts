import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    'cli/main': 'cli/main.ts',
    index: 'index.ts',
    'judging-thread': 'conformance/judging-thread.ts',
    types: 'types.ts',
    validators: 'validators.ts',
    arbitraries: 'arbitraries.ts',
    api: 'api.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: true,
  clean: true,
  fixedExtension: false,
});
