import { parseDuration } from "@rollcall/api"
import type { ModelledCloud } from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import type { Machine } from "../Machine.ts"
import type { ServerGateShape } from "../ServerGate.ts"
import type { FaultName } from "./faultNames.ts"

/** The values of a fault. */
export interface FaultSpec {
  /** Latency or clock skew: a duration. */
  readonly by?: string | number
  /** Loss, and errors of a cloud: from 0 to 1. */
  readonly rate?: number
  /** The available amount of the resource under pressure: a quantity. */
  readonly available?: string | number
  /** Which processes of a component restart. */
  readonly process?: "leader" | "all"
}

/** A process that a fault can stop and start. */
export interface Restartable {
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** The leader, of several processes. Absent: there is only one. */
  readonly leading?: Restartable
}

/** The targets of faults. */
export interface FaultContext {
  readonly machines: ReadonlyArray<Machine>
  readonly gate: ServerGateShape
  /** The components of the control plane that the fault names. */
  readonly components: ReadonlyArray<Restartable>
  readonly hasEnd: boolean
  /** The machines' cloud, if any. */
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

/** A restart affects the leader, unless it names all processes. */
const affectedComponents = (
  components: ReadonlyArray<Restartable>,
  { process }: FaultSpec
): ReadonlyArray<Restartable> =>
  process === "all" ? components : components.map((component) => component.leading ?? component)

/** The machine's resource behind each kind of pressure. */
const resourceOf = {
  MemoryPressure: ["memory.available"],
  DiskPressure: ["nodefs.available", "imagefs.available"],
  PIDPressure: ["pid.available"]
} as const

/**
 * With an available amount, the machine's resource is set to it, and its kubelet reacts. Without one, only the node
 * reports pressure. A machine has either at a time: the later fault decides.
 */
const pressure = (kind: keyof typeof resourceOf): Fault => {
  const leave = ({ host }: Machine, available: string | undefined) => {
    for (const signal of resourceOf[kind]) host.setAvailable?.(signal, available)
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
  // At the end a new machine with the same name exists.
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
      Effect.forEach(affectedComponents(components, spec), ({ start, stop }) => (hasEnd ? stop : start), {
        discard: true
      }),
    end: (spec, { components }) =>
      Effect.forEach(affectedComponents(components, spec), ({ start }) => start, { discard: true })
  }
}

const asEffect = (outcome: Effect.Effect<void> | void): Effect.Effect<void> => outcome ?? Effect.void

export const beginFault = (name: FaultName, spec: FaultSpec, context: FaultContext): Effect.Effect<void> =>
  Effect.suspend(() => asEffect(faults[name].begin(spec, context)))

export const endFault = (name: FaultName, spec: FaultSpec, context: FaultContext): Effect.Effect<void> =>
  Effect.suspend(() => asEffect(faults[name].end(spec, context)))
