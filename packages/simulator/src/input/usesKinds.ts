import { deviceKinds } from "./kinds.ts"
import type { Plan } from "./Plan.ts"

const deviceKindNames: ReadonlySet<string> = new Set(deviceKinds)

const hasKind = ({ eventObjects, objects, snapshot }: Plan, isWanted: (kind: string) => boolean): boolean =>
  [snapshot, objects, ...eventObjects.values()].some((some) => some.some(({ kind }) => isWanted(kind)))

/** Whether pods of a plan may use claims for devices: without an object of these kinds, no claim is ever bound. */
export const usesDevices = (plan: Plan): boolean => hasKind(plan, (kind) => deviceKindNames.has(kind))

/** Whether pods of a plan may name RuntimeClasses. Without one, those of pods are not known: they are let in as they are. */
export const usesRuntimeClasses = (plan: Plan): boolean => hasKind(plan, (kind) => kind === "RuntimeClass")
