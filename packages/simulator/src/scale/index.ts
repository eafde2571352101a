export { measuredCosts } from "./machineCosts.ts"
export { rehearsedLoad } from "./rehearsedLoad.ts"
export { type LoadPerNode, type MachineCosts, type ScaleLoad, type ScaleShape, scaleLoad } from "./scaleModel.ts"
export { renderScaleTable } from "./scaleTable.ts"
