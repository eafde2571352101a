/** What the containers of a node may swap, for a person and for programs. */

export { reportSwap, type SwapSizes, swapSizesOf } from "./reportSwap.ts"
export { renderSwapJson, renderSwapTable, type SwapReport } from "./swapReport.ts"
