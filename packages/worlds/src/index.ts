// Layers of your own, read from a module.

export { defineLayers } from "./defineLayers.ts"
export type { LayersReader, WorldBase, WorldPort } from "./ports.ts"
export { type ReadLayersOptions, readLayers, type UserLayers } from "./readLayers.ts"
