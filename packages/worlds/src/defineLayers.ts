import type * as Layer from "effect/Layer"
import type { WorldBase, WorldPort } from "./ports.ts"

/**
 * Declares the default export of a file for `--layers`: one layer of ports that requires only time. Combine several
 * with `Layer.mergeAll(a, b)`. Returns its argument; a layer of a tag that is not a port of a world does not compile.
 */
export const defineLayers = <Out extends WorldPort, E = never>(
  layer: Layer.Layer<Out, E, WorldBase>
): Layer.Layer<Out, E, WorldBase> => layer
