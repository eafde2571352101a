import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Machine } from "./Machine.ts"

/** The machines of a world, by name. */
export interface MachineDirectoryShape {
  readonly get: (name: string) => Machine | undefined
  readonly byName: ReadonlyMap<string, Machine>
  readonly add: (machine: Machine) => void
  readonly remove: (name: string) => void
}

/**
 * The service that knows the machines of a world. Components that look up machines (clouds, storage, invariants) depend
 * on it, and the component that creates machines fills it.
 */
export class MachineDirectory extends Context.Service<MachineDirectory, MachineDirectoryShape>()(
  "@rollcall/machines/MachineDirectory"
) {
  static readonly layer: Layer.Layer<MachineDirectory> = Layer.sync(MachineDirectory, () => {
    const byName = new Map<string, Machine>()
    return {
      byName,
      get: (name) => byName.get(name),
      add: (machine) => void byName.set(machine.name, machine),
      remove: (name) => void byName.delete(name)
    }
  })
}
