import * as Effect from "effect/Effect"
import type { FaultName } from "./faultNames.ts"
import { beginFault, endFault, type FaultContext, type FaultSpec } from "./faults.ts"

/** An active fault and its targets. */
export interface ActiveFault {
  readonly name: FaultName
  readonly spec: FaultSpec
  readonly context: FaultContext
}

/** The active faults. Faults of one kind may overlap: a target recovers when the last of them has ended. */
export interface ActiveFaults {
  readonly begin: (fault: ActiveFault) => Effect.Effect<void>
  readonly end: (fault: ActiveFault) => Effect.Effect<void>
}

/** The faults of machines that have a value: while several are active on a machine, the value of the latest applies. */
const faultsWithValue: ReadonlySet<FaultName> = new Set(["latency", "loss", "clock-skew"])

/** The faults without machines or components as targets: the latest one that is still active applies. */
const clusterFaults: ReadonlySet<FaultName> = new Set(["api-server-down", "cloud-error", "cloud-latency"])

/** Returns the name under which a fault is compared with others: two names mean the same fault. */
const kindOf = ({ name }: ActiveFault): FaultName => (name === "kubelet-not-ready" ? "runtime-down" : name)

/** Makes an empty set of active faults. */
export const makeActiveFaults = (): ActiveFaults => {
  const active: Array<ActiveFault> = []

  /** Returns the context of a fault without the targets that other active faults of its kind have too. */
  const withoutOthers = (fault: ActiveFault, others: ReadonlyArray<ActiveFault>): FaultContext => ({
    ...fault.context,
    machines: fault.context.machines.filter(
      (machine) => !others.some(({ context }) => context.machines.includes(machine))
    ),
    components: fault.context.components.filter(
      (component) => !others.some(({ context }) => context.components.includes(component))
    )
  })

  /** Begins again, on each machine that an ended fault shares with others, the latest of the others. */
  const restoreLatest = (fault: ActiveFault, others: ReadonlyArray<ActiveFault>) =>
    fault.context.machines.flatMap((machine) => {
      const latest = others.findLast(({ context }) => context.machines.includes(machine))
      return latest === undefined
        ? []
        : [beginFault(latest.name, latest.spec, { ...latest.context, machines: [machine] })]
    })

  const othersOf = (fault: ActiveFault) => active.filter((other) => other !== fault && kindOf(other) === kindOf(fault))

  return {
    begin: (fault) =>
      Effect.suspend(() => {
        const { context, name, spec } = fault
        if (name !== "controller-restart") {
          active.push(fault)
          return beginFault(name, spec, context)
        }
        // A restart does not start components that other faults keep down. Without an end, it is over at once.
        const effect = beginFault(name, spec, withoutOthers(fault, othersOf(fault)))
        if (context.hasEnd) active.push(fault)
        return effect
      }),
    end: (fault) =>
      Effect.suspend(() => {
        const index = active.indexOf(fault)
        if (index >= 0) active.splice(index, 1)
        const others = othersOf(fault)
        const latest = others.at(-1)
        if (latest !== undefined && clusterFaults.has(fault.name))
          return beginFault(latest.name, latest.spec, latest.context)
        const ended = endFault(fault.name, fault.spec, withoutOthers(fault, others))
        if (!faultsWithValue.has(fault.name)) return ended
        return Effect.andThen(ended, Effect.all(restoreLatest(fault, others), { discard: true }))
      })
  }
}
