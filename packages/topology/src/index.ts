export * from "./hints.ts"
export type * from "./MachineTopology.ts"
export * from "./masks.ts"
export * from "./metrics.ts"
