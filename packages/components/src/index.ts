export * from "./fleet/FleetDocument.ts"
export { Host, type HostShape } from "./host/Host.ts"
export { type ComponentName, components, isComponentName } from "./programs/index.ts"
