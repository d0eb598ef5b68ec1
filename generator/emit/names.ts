// Names that the outputs add to those of the document. The document's names win: an added name steps aside with an underscore.
import type { Protocol } from '../model.ts';

export interface Names {
  readonly models: string;
  readonly modelsRead: string;
  readonly modelName: string;
  readonly unlisted: string;
  readonly except: string;
  /** The as-read view of a model. */
  readonly read: (model: string) => string;
  readonly variants: (model: string) => string;
  readonly variantsRead: (model: string) => string;
}

export function namesFor(protocol: Protocol): Names {
  const taken = new Set([...protocol.models, ...protocol.variants].map(({ name }) => name));
  const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
  return {
    models: free('Models'),
    modelsRead: free('ModelsRead'),
    modelName: free('ModelName'),
    unlisted: free('Unlisted'),
    except: free('Except'),
    read: (model) => free(`${model}Read`),
    variants: (model) => free(`${model}Variants`),
    variantsRead: (model) => free(`${model}VariantsRead`),
  };
}
