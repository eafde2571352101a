import * as Effect from "effect/Effect"
import type { FaultName } from "./faultNames.ts"
import { beginFault, endFault, type FaultContext, type FaultSpec } from "./faults.ts"

/** An active fault and its targets. */
export interface ActiveFault {
  readonly name: FaultName
  readonly spec: FaultSpec
  readonly context: FaultContext
}

/** The active faults. Faults of one kind may overlap: a target recovers when the last of them ends. */
export interface ActiveFaults {
  readonly begin: (fault: ActiveFault) => Effect.Effect<void>
  readonly end: (fault: ActiveFault) => Effect.Effect<void>
}

/** Faults with a value: while several are active, the latest one's value applies. */
const measured: ReadonlySet<FaultName> = new Set(["latency", "loss", "clock-skew"])

/** Faults without machines as targets: the latest one that is still active applies. */
const ofAll: ReadonlySet<FaultName> = new Set(["api-server-down", "cloud-error", "cloud-latency"])

/** Maps two names of the same fault to one. */
const kindOf = ({ name }: ActiveFault): FaultName => (name === "kubelet-not-ready" ? "runtime-down" : name)

export const makeActiveFaults = (): ActiveFaults => {
  const active: Array<ActiveFault> = []

  /** The fault without the targets of other active faults of its kind. */
  const withoutOthers = (fault: ActiveFault, others: ReadonlyArray<ActiveFault>): FaultContext => ({
    ...fault.context,
    machines: fault.context.machines.filter(
      (machine) => !others.some(({ context }) => context.machines.includes(machine))
    ),
    components: fault.context.components.filter(
      (component) => !others.some(({ context }) => context.components.includes(component))
    )
  })

  /** The effective faults on the machines that the ended fault shares with others: for each the latest. */
  const remaining = (fault: ActiveFault, others: ReadonlyArray<ActiveFault>) =>
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
        // A restart is over at once; only a component that is down stays down for other faults.
        const begun = beginFault(name, spec, withoutOthers(fault, othersOf(fault)))
        if (context.hasEnd) active.push(fault)
        return begun
      }),
    end: (fault) =>
      Effect.suspend(() => {
        const index = active.indexOf(fault)
        if (index >= 0) active.splice(index, 1)
        const others = othersOf(fault)
        const latest = others.at(-1)
        if (latest !== undefined && ofAll.has(fault.name)) return beginFault(latest.name, latest.spec, latest.context)
        const ended = endFault(fault.name, fault.spec, withoutOthers(fault, others))
        if (!measured.has(fault.name)) return ended
        return Effect.andThen(ended, Effect.all(remaining(fault, others), { discard: true }))
      })
  }
}
