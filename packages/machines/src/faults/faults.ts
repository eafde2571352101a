import { parseDuration } from "@rollcall/api"
import type { ModelledCloud } from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import type { Machine } from "../Machine.ts"
import type { ServerGateShape } from "../ServerGate.ts"
import type { FaultName } from "./faultNames.ts"

/** The values with which a fault is configured. Which of them apply depends on the fault. */
export interface FaultSpec {
  /** The latency of links or of the cloud, or the clock skew: a duration such as `300ms`. */
  readonly by?: string | number
  /** The share of lost packets, or of failed calls of a cloud, from 0 to 1. */
  readonly rate?: number
  /** The available amount of the resource under pressure, a quantity. */
  readonly available?: string | number
  /** Which processes of a component restart; absent means the leader. */
  readonly process?: "leader" | "all"
}

/** A process that a fault can stop and start. */
export interface Restartable {
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** The leader of several processes; absent if there is only one. */
  readonly leading?: Restartable
}

/** The targets of faults. */
export interface FaultContext {
  readonly machines: ReadonlyArray<Machine>
  readonly gate: ServerGateShape
  /** The components of the control plane that the fault names. */
  readonly components: ReadonlyArray<Restartable>
  /** Whether the fault ends later; a restart without an end is over at once. */
  readonly hasEnd: boolean
  /** The machines' cloud; undefined if they have none that faults can act on. */
  readonly cloud?: ModelledCloud | undefined
}

/** What happens at the start and at the end of a fault. */
interface Fault {
  readonly begin: (spec: FaultSpec, context: FaultContext) => Effect.Effect<void> | void
  readonly end: (spec: FaultSpec, context: FaultContext) => Effect.Effect<void> | void
}

/** Makes a fault that begins and ends on each machine alone. */
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

/** Returns the processes that a restart affects: the leader of each component, unless the fault names all processes. */
const affectedComponents = (
  components: ReadonlyArray<Restartable>,
  { process }: FaultSpec
): ReadonlyArray<Restartable> =>
  process === "all" ? components : components.map((component) => component.leading ?? component)

/** The eviction signals behind each kind of pressure. */
const signalsOf = {
  MemoryPressure: ["memory.available"],
  DiskPressure: ["nodefs.available", "imagefs.available"],
  PIDPressure: ["pid.available"]
} as const

/**
 * Makes a fault of pressure. With an available amount, the machine's resource is set to it, and its kubelet reacts.
 * Without one, only the node reports the condition.
 */
const pressure = (kind: keyof typeof signalsOf): Fault => {
  const setAvailable = ({ host }: Machine, available: string | undefined) => {
    for (const signal of signalsOf[kind]) host.setAvailable?.(signal, available)
  }
  return perMachine(
    (machine, { available }) => {
      if (available === undefined) machine.setPressure(kind, true)
      else setAvailable(machine, String(available))
    },
    (machine, { available }) => {
      if (available === undefined) machine.setPressure(kind, false)
      else setAvailable(machine, undefined)
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
  // At the end of this fault, a new machine with the same name exists.
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

/** Carries out the start of a fault on its targets. */
export const beginFault = (name: FaultName, spec: FaultSpec, context: FaultContext): Effect.Effect<void> =>
  Effect.suspend(() => asEffect(faults[name].begin(spec, context)))

/** Carries out the end of a fault on its targets, which are then healthy again in this respect. */
export const endFault = (name: FaultName, spec: FaultSpec, context: FaultContext): Effect.Effect<void> =>
  Effect.suspend(() => asEffect(faults[name].end(spec, context)))
