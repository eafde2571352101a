/** Reports of the swap of a node's containers, for people and for programs. */

export { reportSwap, type SwapSizes, swapSizesOf } from "./reportSwap.ts"
export { renderSwapJson, renderSwapTable, type SwapReport } from "./swapReport.ts"
