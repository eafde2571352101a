import type { MachineCosts } from "./scaleModel.ts"

/**
 * What `npm run live load` measured at 500 and 1,000 nodes on an idle virtual machine of two cores: what 500 more nodes cost. The
 * cost of a watch event is assumed.
 */
export const measuredCosts: MachineCosts = {
  serverSecondsPerWrite: 0.0016,
  serverSecondsPerWatchEvent: 0.0001,
  etcdSecondsPerWrite: 0.0008,
  serverBytesAtStart: 211e6,
  serverBytesPerNode: 216e3,
  memoryPerStoredByte: 1.5
}
