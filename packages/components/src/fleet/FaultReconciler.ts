import { formatMicroTime, parseDuration, parseTime } from "@rollcall/api"
import type { Component } from "@rollcall/control-plane"
import {
  type ActiveFault,
  type Candidate,
  type Machine,
  makeActiveFaults,
  type ServerGateShape,
  selectNodes,
  shuffled
} from "@rollcall/machines"
import type { ModelledCloud } from "@rollcall/node-controller"
import type { Timer, TimersShape } from "@rollcall/time"
import { rngFor } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { FleetFault } from "./FleetDocument.ts"

/** A change of a fault's state: it continues after a restart of the fleet, is ended by a user, or expires. */
export type FaultChange = "begins" | "continues" | "ends" | "expires"

/** The targets of faults. */
export interface FaultTargets {
  readonly machines: () => Iterable<Machine>
  /** All nodes that a fault may select, those included whose machines run in other processes. */
  readonly candidates: Effect.Effect<ReadonlyArray<Candidate>>
  /** Whether the process runs a part of a fleet: faults of components and clouds are left to other processes. */
  readonly isPart: boolean
  /** The components that run in the process of the fleet; faults of any other component are refused. */
  readonly components: ReadonlyArray<Component>
  readonly gate: ServerGateShape
  /** The cloud of the machines; without it, cloud faults are refused. */
  readonly cloud?: ModelledCloud | undefined
  readonly timers: TimersShape
  readonly seed: number
  readonly onChange: (change: FaultChange, id: string, fault: FleetFault, nodes: ReadonlyArray<string>) => void
  /** Runs the effect of a timer, after the effects that were passed before. */
  readonly run: (effect: Effect.Effect<void>) => void
  /**
   * Records in the list when the fault began, and on which nodes. Succeeds with false if the entry has changed, so that it
   * is reconciled again: of several processes one decides.
   */
  readonly recordStart: (id: string, fault: FleetFault) => Effect.Effect<boolean>
  /** Records in the list why the fault is refused. */
  readonly recordRefusal: (id: string, fault: FleetFault) => Effect.Effect<unknown>
  /** Removes an expired fault from the list. */
  readonly removeExpired: (id: string) => void
}

/** Reconciles the active faults with the list. */
export interface FaultReconciler {
  /**
   * Reconciles with the faults by ID in `wanted`. `isRestart` says that the fleet has just started, so that faults that
   * have begun continue.
   */
  readonly reconcile: (wanted: ReadonlyMap<string, FleetFault>, isRestart?: boolean) => Effect.Effect<void>
  /** Returns the nodes with an active fault; all nodes while the API server is down. */
  readonly affectedNodes: () => ReadonlySet<string>
  /** Whether a fault keeps the kubelet of a node from being started. */
  readonly preventsKubeletStart: (node: string) => boolean
}

interface RunningFault {
  readonly fault: FleetFault
  readonly active: ActiveFault
  readonly nodes: ReadonlyArray<string>
  timer: Timer | undefined
}

const CONTROLLER_MANAGER = "kube-controller-manager"

/** Returns when a fault ends, in milliseconds since the Unix epoch; undefined if it has no end or has not begun. */
export const endMsOf = ({ at, for: lasts }: FleetFault): number | undefined =>
  lasts === undefined || at === undefined ? undefined : parseTime(at) + parseDuration(lasts)

/** Returns machines as candidates of a selection. */
export const candidatesOf = (machines: Iterable<Machine>): ReadonlyArray<Candidate> =>
  // A kubelet that has just started has no Node yet.
  Array.from(machines, ({ group, kubelet, name, registered }) => ({ name, group, node: kubelet.node ?? registered }))

/**
 * Returns the names of the nodes that a selection matches; with a count, the first ones in an order that the seed decides.
 */
export const selectCandidates = (
  selection: FleetFault["nodes"],
  candidates: ReadonlyArray<Candidate>,
  seed: number
): ReadonlyArray<string> => {
  if (selection === undefined) return []
  const order = shuffled(candidates.map(({ name }) => name).sort(), rngFor(seed, "order of nodes"))
  const ranks = new Map(order.map((name, rank) => [name, rank]))
  return selectNodes(selection, candidates, (name) => ranks.get(name) ?? 0)
}

/** Whether a fault happens to a component or to the cloud, and not to the machines themselves. */
const isOfOthers = ({ fault }: FleetFault) => fault === "controller-restart" || fault.startsWith("cloud-")

/** Whether two entries are equal except for the start and the duration. */
const differsOnlyInTime = (one: FleetFault, other: FleetFault): boolean => {
  const { at: _, for: _for, ...mine } = one
  const { at: _at, for: _lasts, ...theirs } = other
  return Equal.equals(mine, theirs)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one list of faults and the functions that begin, end and list them.
export const makeFaultReconciler = (targets: FaultTargets): FaultReconciler => {
  const { cloud, components, gate, seed, timers } = targets
  const faults = makeActiveFaults()
  const running = new Map<string, RunningFault>()
  const componentsOf = ({ component = CONTROLLER_MANAGER }: FleetFault) =>
    components.filter(({ name }) => name === component)

  /** Returns why a fault is refused: it would have no effect. Undefined if it has one. */
  const refusalReason = (fault: FleetFault, nodes: ReadonlyArray<string>): string | undefined => {
    if (fault.nodes !== undefined && nodes.length === 0) return "selects no modelled node"
    if (fault.fault === "controller-restart" && componentsOf(fault).length === 0) {
      return `no ${fault.component ?? CONTROLLER_MANAGER} runs in the process of the fleet`
    }
    return fault.fault.startsWith("cloud-") && cloud === undefined
      ? "the machines of this fleet have no cloud: set spec.config.cloudProvider in the scenario"
      : undefined
  }

  /** Starts the timer that ends a fault; undefined if the fault has no end. */
  const startEndTimer = (id: string, fault: FleetFault): Timer | undefined => {
    const endMs = endMsOf(fault)
    // The fault ends even if the list cannot be written at that time.
    const expire = () =>
      targets.run(
        Effect.andThen(
          end(id, "expires"),
          Effect.sync(() => targets.removeExpired(id))
        )
      )
    return endMs === undefined ? undefined : timers.at(endMs, expire)
  }

  const begin = (id: string, fault: FleetFault, nodes: ReadonlyArray<string>, change: FaultChange) => {
    const machines = [...targets.machines()]
    const affected = new Set(nodes)
    const active: ActiveFault = {
      name: fault.fault,
      spec: fault,
      context: {
        machines: machines.filter(({ name }) => affected.has(name)),
        gate,
        cloud,
        components: componentsOf(fault),
        hasEnd: fault.for !== undefined
      }
    }
    running.set(id, { fault, active, nodes, timer: startEndTimer(id, fault) })
    targets.onChange(change, id, fault, nodes)
    return faults.begin(active)
  }

  const end = (id: string, change: FaultChange): Effect.Effect<void> =>
    Effect.suspend(() => {
      const entry = running.get(id)
      if (entry === undefined) return Effect.void
      running.delete(id)
      if (entry.timer !== undefined) timers.cancel(entry.timer)
      targets.onChange(change, id, entry.fault, entry.nodes)
      return faults.end(entry.active)
    })

  /**
   * Starts a fault, or refuses it. Records the start first: the waiting command and the next start of the fleet read
   * it.
   */
  const startOrRefuse = Effect.fnUntraced(function* (id: string, wanted: FleetFault, isRestart: boolean) {
    if (wanted.refused !== undefined) return
    const endMs = endMsOf(wanted)
    if (endMs !== undefined && endMs <= timers.now()) {
      targets.onChange("expires", id, wanted, wanted.on ?? [])
      return targets.removeExpired(id)
    }
    if (targets.isPart && isOfOthers(wanted)) return
    const nodes = wanted.on ?? selectCandidates(wanted.nodes, yield* targets.candidates, seed)
    const refused = refusalReason(wanted, nodes)
    if (refused !== undefined) {
      yield* targets.recordRefusal(id, { ...wanted, refused })
      return
    }
    const hasBegun = wanted.at !== undefined && wanted.on !== undefined
    const fault: FleetFault = { ...wanted, at: wanted.at ?? formatMicroTime(timers.now()), on: nodes }
    if (!hasBegun && !(yield* targets.recordStart(id, fault))) return
    yield* begin(id, fault, nodes, isRestart && hasBegun ? "continues" : "begins")
  })

  return {
    affectedNodes: () => {
      const down = [...running.values()].some(({ fault }) => fault.fault === "api-server-down")
      return new Set(
        down ? Array.from(targets.machines(), ({ name }) => name) : [...running.values()].flatMap(({ nodes }) => nodes)
      )
    },
    preventsKubeletStart: (node) =>
      [...running.values()].some(({ fault, nodes }) => fault.fault === "kubelet-stop" && nodes.includes(node)),
    reconcile: Effect.fnUntraced(function* (wanted, isRestart = false) {
      for (const [id, entry] of [...running]) {
        const now = wanted.get(id)
        if (now === undefined || !differsOnlyInTime({ ...now, on: now.on ?? entry.nodes }, entry.fault)) {
          yield* end(id, "ends")
        } else if (now.for !== entry.fault.for || (now.at ?? entry.fault.at) !== entry.fault.at) {
          if (entry.timer !== undefined) timers.cancel(entry.timer)
          const fault = { ...entry.fault, ...now, on: entry.nodes }
          running.set(id, { ...entry, fault, timer: startEndTimer(id, fault) })
        }
      }
      for (const [id, fault] of wanted) if (!running.has(id)) yield* startOrRefuse(id, fault, isRestart)
    })
  }
}
