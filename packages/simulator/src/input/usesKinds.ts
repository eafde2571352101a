import { deviceKinds } from "./kinds.ts"
import type { Plan } from "./Plan.ts"

const deviceKindNames: ReadonlySet<string> = new Set(deviceKinds)

/** Whether pods of a plan may use claims for devices: without an object of these kinds, no claim is ever bound. */
export const usesDevices = ({ eventObjects, objects, snapshot }: Plan): boolean =>
  [snapshot, objects, ...eventObjects.values()].some((some) => some.some(({ kind }) => deviceKindNames.has(kind)))
