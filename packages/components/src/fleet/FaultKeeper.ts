import { formatMicroTime, parseDuration, parseTime } from "@rollcall/api"
import type { Component } from "@rollcall/control-plane"
import {
  type ActiveFault,
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

/** A change of a fault's state. */
export type FaultChange = "begins" | "goes on" | "ends" | "is over"

/** The targets of faults. */
export interface FaultTargets {
  readonly machines: () => Iterable<Machine>
  /** The components and the server that run beside the fleet; without them, their faults are refused. */
  readonly components: ReadonlyArray<Component>
  readonly gate: ServerGateShape
  /** The cloud of the machines; without it, cloud faults are refused. */
  readonly cloud?: ModelledCloud | undefined
  readonly timers: TimersShape
  readonly seed: number
  readonly onChange: (news: FaultChange, id: string, fault: FleetFault, nodes: ReadonlyArray<string>) => void
  /** Runs the effects of timers, one after another. */
  readonly run: (effect: Effect.Effect<void>) => void
  /** Records in the list when the fault began, and on which nodes. */
  readonly begun: (id: string, fault: FleetFault) => Effect.Effect<void>
  /** Records in the list why the fault is refused. */
  readonly refused: (id: string, fault: FleetFault) => Effect.Effect<void>
  /** Removes an expired fault from the list. */
  readonly over: (id: string) => void
}

/** Reconciles the active faults with the list. */
export interface FaultKeeper {
  /** Reconciles with `wanted`. `isRestart`: the fleet starts, and faults that have begun continue. */
  readonly keep: (wanted: ReadonlyMap<string, FleetFault>, isRestart?: boolean) => Effect.Effect<void>
  /** Returns the nodes with an active fault; all nodes while the API server is down. */
  readonly affectedNodes: () => ReadonlySet<string>
  /** Whether a fault keeps the kubelet of a node from being started. */
  readonly holds: (node: string) => boolean
}

interface Running {
  readonly fault: FleetFault
  readonly active: ActiveFault
  readonly nodes: ReadonlyArray<string>
  timer: Timer | undefined
}

const CONTROLLER_MANAGER = "kube-controller-manager"

/** Returns when a fault ends; undefined: it has no end, or has not begun. */
export const endOf = ({ at, for: lasts }: FleetFault): number | undefined =>
  lasts === undefined || at === undefined ? undefined : parseTime(at) + parseDuration(lasts)

/** Returns the machines that a selection matches; with a count, the first in the seed's order. */
export const selectMachines = (
  selection: FleetFault["nodes"],
  machines: ReadonlyArray<Machine>,
  seed: number
): ReadonlyArray<string> => {
  if (selection === undefined) return []
  const order = shuffled(machines.map(({ name }) => name).sort(), rngFor(seed, "order of nodes"))
  const ranks = new Map(order.map((name, rank) => [name, rank]))
  // A kubelet that has just started has no Node yet.
  const candidates = machines.map(({ group, kubelet, name, registered }) => ({
    name,
    group,
    node: kubelet.node ?? registered
  }))
  return selectNodes(selection, candidates, (name) => ranks.get(name) ?? 0)
}

/** Whether two entries are equal except for the start and the duration. */
const isSame = (one: FleetFault, other: FleetFault): boolean => {
  const { at: _, for: _for, ...mine } = one
  const { at: _at, for: _lasts, ...theirs } = other
  return Equal.equals(mine, theirs)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one list of faults and the functions that begin, end and list them.
export const makeFaultKeeper = (world: FaultTargets): FaultKeeper => {
  const { cloud, components, gate, seed, timers } = world
  const faults = makeActiveFaults()
  const running = new Map<string, Running>()
  const componentsOf = ({ component = CONTROLLER_MANAGER }: FleetFault) =>
    components.filter(({ name }) => name === component)

  /** Returns why a fault would have no effect here; undefined: it has one. */
  const refusalOf = (fault: FleetFault, nodes: ReadonlyArray<string>): string | undefined => {
    if (fault.nodes !== undefined && nodes.length === 0) return "selects no modelled node"
    if (fault.fault === "controller-restart" && componentsOf(fault).length === 0) {
      return `no ${fault.component ?? CONTROLLER_MANAGER} runs in the process of the fleet`
    }
    return fault.fault.startsWith("cloud-") && cloud === undefined
      ? "the machines of this fleet have no cloud: set spec.config.cloudProvider in the scenario"
      : undefined
  }

  const clockOf = (id: string, fault: FleetFault): Timer | undefined => {
    const endMs = endOf(fault)
    // The fault ends even if the list cannot be written at that time.
    const ring = () =>
      world.run(
        Effect.andThen(
          end(id, "is over"),
          Effect.sync(() => world.over(id))
        )
      )
    return endMs === undefined ? undefined : timers.at(endMs, ring)
  }

  const begin = (id: string, fault: FleetFault, nodes: ReadonlyArray<string>, news: FaultChange) => {
    const machines = [...world.machines()]
    const hit = new Set(nodes)
    const active: ActiveFault = {
      name: fault.fault,
      spec: fault,
      context: {
        machines: machines.filter(({ name }) => hit.has(name)),
        gate,
        cloud,
        components: componentsOf(fault),
        hasEnd: fault.for !== undefined
      }
    }
    running.set(id, { fault, active, nodes, timer: clockOf(id, fault) })
    world.onChange(news, id, fault, nodes)
    return faults.begin(active)
  }

  const end = (id: string, news: FaultChange): Effect.Effect<void> =>
    Effect.suspend(() => {
      const entry = running.get(id)
      if (entry === undefined) return Effect.void
      running.delete(id)
      if (entry.timer !== undefined) timers.cancel(entry.timer)
      world.onChange(news, id, entry.fault, entry.nodes)
      return faults.end(entry.active)
    })

  /** Records the start first, so that the waiting command and the next start of the fleet see it. */
  const consider = Effect.fnUntraced(function* (id: string, wanted: FleetFault, isRestart: boolean) {
    if (wanted.refused !== undefined) return
    const endMs = endOf(wanted)
    if (endMs !== undefined && endMs <= timers.now()) {
      world.onChange("is over", id, wanted, wanted.on ?? [])
      return world.over(id)
    }
    const nodes = wanted.on ?? selectMachines(wanted.nodes, [...world.machines()], seed)
    const refused = refusalOf(wanted, nodes)
    if (refused !== undefined) return yield* world.refused(id, { ...wanted, refused })
    const hasBegun = wanted.at !== undefined && wanted.on !== undefined
    const fault: FleetFault = { ...wanted, at: wanted.at ?? formatMicroTime(timers.now()), on: nodes }
    if (!hasBegun) yield* world.begun(id, fault)
    yield* begin(id, fault, nodes, isRestart && hasBegun ? "goes on" : "begins")
  })

  return {
    affectedNodes: () => {
      const down = [...running.values()].some(({ fault }) => fault.fault === "api-server-down")
      return new Set(
        down ? Array.from(world.machines(), ({ name }) => name) : [...running.values()].flatMap(({ nodes }) => nodes)
      )
    },
    holds: (node) =>
      [...running.values()].some(({ fault, nodes }) => fault.fault === "kubelet-stop" && nodes.includes(node)),
    keep: Effect.fnUntraced(function* (wanted, isRestart = false) {
      for (const [id, entry] of [...running]) {
        const now = wanted.get(id)
        if (now === undefined || !isSame({ ...now, on: now.on ?? entry.nodes }, entry.fault)) {
          yield* end(id, "ends")
        } else if (now.for !== entry.fault.for || (now.at ?? entry.fault.at) !== entry.fault.at) {
          if (entry.timer !== undefined) timers.cancel(entry.timer)
          const fault = { ...entry.fault, ...now, on: entry.nodes }
          running.set(id, { ...entry, fault, timer: clockOf(id, fault) })
        }
      }
      for (const [id, fault] of wanted) if (!running.has(id)) yield* consider(id, fault, isRestart)
    })
  }
}
