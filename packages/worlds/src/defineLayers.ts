import type * as Layer from "effect/Layer"
import type { WorldBase, WorldPort } from "./ports.ts"

/**
 * What a file for `--layers` exports by default: one layer of ports, over time and nothing else. Several are `Layer.mergeAll(a, b)`.
 * It returns what it is given: a layer of a tag that is no port of a world does not compile.
 */
export const defineLayers = <Out extends WorldPort, E = never>(
  layer: Layer.Layer<Out, E, WorldBase>
): Layer.Layer<Out, E, WorldBase> => layer
