export { defineLayers } from "./defineLayers.ts"
export { type LayersReader, type PortName, readers, type WorldBase, type WorldPort } from "./ports.ts"
export { type ReadLayersOptions, readLayers, type UserLayers } from "./readLayers.ts"
