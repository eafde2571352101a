import type { MachineCosts } from "./scaleModel.ts"

/**
 * What `npm run live load` measured at 60, 200 and 240 nodes, on a virtual machine of two cores that other programs used too:
 * the processor time of a process is what it ran, not what it waited. The cost of a watch event is assumed.
 */
export const measuredCosts: MachineCosts = {
  serverSecondsPerWrite: 0.0019,
  serverSecondsPerWatchEvent: 0.0001,
  etcdSecondsPerWrite: 0.0005,
  serverBytesAtStart: 255e6,
  serverBytesPerNode: 80e3,
  memoryPerStoredByte: 1.5
}
