// Tells each survivor when it is found: a whole part takes long, and reading can begin at once.
import type { MutantResult } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';

class Survivors implements Reporter {
  onMutantTested({
    status,
    fileName,
    location: { start },
    mutatorName,
    replacement = '',
  }: Readonly<MutantResult>): void {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    console.log(`${status} ${fileName}:${start.line}:${start.column} ${mutatorName}: ${replacement.slice(0, 100)}`);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'survivors', Survivors)];
