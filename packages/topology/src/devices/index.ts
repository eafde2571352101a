export * from "./DeviceManager.ts"
export type { Device, DeviceInventory } from "./deviceHints.ts"
