// One file, no chunks: importing it again under another name is a whole new load.
import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { subject: './subject.ts' },
  outDir: './bundle',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: false,
  clean: false,
  fixedExtension: false,
});
