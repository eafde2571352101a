export * from "./fleet/FleetDocument.ts"
export { Host, type HostShape } from "./host/Host.ts"
export { isInvalidInput } from "./isInvalidInput.ts"
export { type ComponentFailure, type ComponentName, runComponent } from "./programs/index.ts"
