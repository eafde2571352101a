export type * from "./MachineTopology.ts"
