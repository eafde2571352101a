/** What the scheduler loads with the first pod that uses claims. */
export { type DeviceParts, DeviceScheduling } from "./DeviceScheduling.ts"
