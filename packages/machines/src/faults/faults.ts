import { parseDuration } from "@rollcall/api"
import type { ModelledCloud } from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import type { Machine } from "../Machine.ts"
import type { ServerGateShape } from "../ServerGate.ts"
import type { FaultName } from "./faultNames.ts"

/** How much of a fault, for those that have a measure. */
export interface FaultSpec {
  /** Latency or clock skew: a duration. */
  readonly by?: string | number
  /** Loss, and errors of a cloud: from 0 to 1. */
  readonly rate?: number
  /** What is left of the resource under pressure: a quantity. */
  readonly available?: string | number
  /** Which processes of a component restart. */
  readonly process?: "leader" | "all"
}

/** A process that a fault can stop and start. */
export interface Restartable {
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** Of several processes the one that works. Absent: there is but one. */
  readonly leading?: Restartable
}

/** What faults work on. */
export interface FaultContext {
  readonly machines: ReadonlyArray<Machine>
  readonly gate: ServerGateShape
  /** Components of the control plane that the fault names. */
  readonly components: ReadonlyArray<Restartable>
  readonly hasEnd: boolean
  /** The cloud that the machines are of, if any. */
  readonly cloud?: ModelledCloud | undefined
}

interface Fault {
  readonly begin: (spec: FaultSpec, context: FaultContext) => Effect.Effect<void> | void
  readonly end: (spec: FaultSpec, context: FaultContext) => Effect.Effect<void> | void
}

const perMachine = (
  begin: (machine: Machine, spec: FaultSpec) => void,
  end: (machine: Machine, spec: FaultSpec) => void
): Fault => ({
  begin: (spec, { machines }) => {
    for (const machine of machines) begin(machine, spec)
  },
  end: (spec, { machines }) => {
    for (const machine of machines) end(machine, spec)
  }
})

const milliseconds = ({ by }: FaultSpec): number => (by === undefined ? 0 : parseDuration(by))

/** A restart hits the process that works, unless it is said to hit all of them. */
const struck = (components: ReadonlyArray<Restartable>, { process }: FaultSpec): ReadonlyArray<Restartable> =>
  process === "all" ? components : components.map((component) => component.leading ?? component)

/** What of the machine runs short. */
const shortOf = {
  MemoryPressure: ["memory.available"],
  DiskPressure: ["nodefs.available", "imagefs.available"],
  PIDPressure: ["pid.available"]
} as const

/**
 * With an amount that is left, the machine is short of it, and its kubelet does what it does about that. Without, the node says that it is
 * under pressure, and that is all. Both stand on one machine at a time: the later fault decides.
 */
const pressure = (kind: keyof typeof shortOf): Fault => {
  const leave = ({ host }: Machine, available: string | undefined) => {
    for (const signal of shortOf[kind]) host.setAvailable?.(signal, available)
  }
  return perMachine(
    (machine, { available }) => {
      if (available === undefined) machine.setPressure(kind, true)
      else leave(machine, String(available))
    },
    (machine, { available }) => {
      if (available === undefined) machine.setPressure(kind, false)
      else leave(machine, undefined)
    }
  )
}

const faults: Readonly<Record<FaultName, Fault>> = {
  partition: perMachine(
    ({ link }) => link.setCut(true),
    (machine) => {
      machine.link.setCut(false)
      machine.reconnect()
    }
  ),
  crash: perMachine(
    (machine) => machine.crash(),
    (machine) => machine.boot()
  ),
  "kubelet-stop": perMachine(
    ({ kubelet }) => kubelet.stopKubelet(),
    ({ kubelet }) => kubelet.startKubelet()
  ),
  latency: perMachine(
    ({ link }, spec) => link.setLatency(milliseconds(spec)),
    ({ link }) => link.setLatency(0)
  ),
  loss: perMachine(
    ({ link }, { rate }) => link.setLoss(rate ?? 0),
    ({ link }) => link.setLoss(0)
  ),
  "clock-skew": perMachine(
    (machine, spec) => machine.setClockSkew(milliseconds(spec)),
    (machine) => machine.setClockSkew(0)
  ),
  "memory-pressure": pressure("MemoryPressure"),
  "disk-pressure": pressure("DiskPressure"),
  "pid-pressure": pressure("PIDPressure"),
  "runtime-down": perMachine(
    (machine) => machine.setRuntimeDown(true),
    (machine) => machine.setRuntimeDown(false)
  ),
  "kubelet-not-ready": perMachine(
    (machine) => machine.setRuntimeDown(true),
    (machine) => machine.setRuntimeDown(false)
  ),
  "network-unavailable": perMachine(
    (machine) => machine.setNetworkUnavailable(true),
    (machine) => machine.setNetworkUnavailable(false)
  ),
  // At the end there is a machine of the name again: another one.
  "cloud-delete": {
    begin: (_, { cloud, machines }) => {
      for (const machine of machines) {
        cloud?.remove(machine.name)
        machine.crash()
      }
    },
    end: (_, { cloud, machines }) => {
      for (const machine of machines) {
        cloud?.replace(machine.name)
        machine.boot()
      }
    }
  },
  "cloud-deny": {
    begin: (_, { cloud, machines }) => {
      for (const { name } of machines) cloud?.deny(name, true)
    },
    end: (_, { cloud, machines }) => {
      for (const { name } of machines) cloud?.deny(name, false)
    }
  },
  "cloud-error": {
    begin: ({ rate }, { cloud }) => cloud?.setErrorRate(rate ?? 1),
    end: (_, { cloud }) => cloud?.setErrorRate(undefined)
  },
  "cloud-latency": {
    begin: (spec, { cloud }) => cloud?.setLatencyMs(milliseconds(spec)),
    end: (_, { cloud }) => cloud?.setLatencyMs(undefined)
  },
  "api-server-down": {
    begin: (_, { gate }) => gate.setDown(true),
    end: (_, { gate }) => gate.setDown(false)
  },
  "controller-restart": {
    begin: (spec, { components, hasEnd }) =>
      Effect.forEach(struck(components, spec), ({ start, stop }) => (hasEnd ? stop : start), { discard: true }),
    end: (spec, { components }) => Effect.forEach(struck(components, spec), ({ start }) => start, { discard: true })
  }
}

const asEffect = (outcome: Effect.Effect<void> | void): Effect.Effect<void> => outcome ?? Effect.void

export const beginFault = (name: FaultName, spec: FaultSpec, context: FaultContext): Effect.Effect<void> =>
  Effect.suspend(() => asEffect(faults[name].begin(spec, context)))

export const endFault = (name: FaultName, spec: FaultSpec, context: FaultContext): Effect.Effect<void> =>
  Effect.suspend(() => asEffect(faults[name].end(spec, context)))
