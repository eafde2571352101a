import { parseDuration, parseTime } from "@rollcall/api"
import type { ModelledCloud } from "@rollcall/node-controller"
import {
  type ActiveFault,
  type Component,
  chanceFor,
  type Machine,
  makeActiveFaults,
  type ServerGate,
  selectNodes,
  shuffled
} from "@rollcall/simulator/world"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { FleetFault } from "./FleetDocument.ts"

/** What faults have to work on. */
export interface FaultWorld {
  readonly machines: () => Iterable<Machine>
  /** The components and the server that run beside the fleet; without them, faults of theirs have no effect. */
  readonly components: ReadonlyArray<Component>
  readonly gate: ServerGate
  /** The cloud that the machines are of; without it, its faults do to the machines only what they do. */
  readonly cloud?: ModelledCloud | undefined
  readonly timers: TimersShape
  readonly seed: number
  /** A fault has begun on these nodes, or is over. */
  readonly told: (what: "begins" | "ends", id: string, fault: FleetFault, nodes: ReadonlyArray<string>) => void
  /** Its time is over: whoever keeps the list takes it out. */
  readonly over: (id: string) => void
}

/** Makes the faults that are on those that are wanted. */
export interface FaultKeeper {
  readonly keep: (wanted: ReadonlyMap<string, FleetFault>) => Effect.Effect<void>
}

interface Running {
  readonly fault: FleetFault
  readonly active: ActiveFault
  readonly nodes: ReadonlyArray<string>
  readonly cancel: () => void
}

const CONTROLLER_MANAGER = "kube-controller-manager"

/** When the fault ends; undefined: when it is taken away. */
export const endOf = ({ at, for: lasts }: FleetFault): number | undefined =>
  lasts === undefined ? undefined : parseTime(at) + parseDuration(lasts)

/** The names of the machines that a selection means; some of them in the order of the seed. */
export const selectMachines = (
  selection: FleetFault["nodes"],
  machines: ReadonlyArray<Machine>,
  seed: number
): ReadonlyArray<string> => {
  if (selection === undefined) return []
  const order = shuffled(machines.map(({ name }) => name).sort(), chanceFor(seed, "order of nodes"))
  const ranks = new Map(order.map((name, rank) => [name, rank]))
  const candidates = machines.map(({ group, kubelet, name }) => ({ name, group, node: kubelet.node }))
  return selectNodes(selection, candidates, (name) => ranks.get(name) ?? 0)
}

export const makeFaultKeeper = (world: FaultWorld): FaultKeeper => {
  const { cloud, components, gate, seed, timers } = world
  const faults = makeActiveFaults()
  const running = new Map<string, Running>()

  const begin = (id: string, fault: FleetFault) => {
    const machines = [...world.machines()]
    const nodes = selectMachines(fault.nodes, machines, seed)
    const hit = new Set(nodes)
    const endMs = endOf(fault)
    const named = fault.component ?? CONTROLLER_MANAGER
    const active: ActiveFault = {
      name: fault.fault,
      spec: fault,
      context: {
        machines: machines.filter(({ name }) => hit.has(name)),
        gate,
        cloud,
        components: components.filter(({ name }) => name === named),
        hasEnd: endMs !== undefined
      }
    }
    const timer = endMs === undefined ? undefined : timers.at(endMs, () => world.over(id))
    running.set(id, { fault, active, nodes, cancel: () => timer !== undefined && timers.cancel(timer) })
    world.told("begins", id, fault, nodes)
    return faults.begin(active)
  }

  const end = (id: string, { active, cancel, fault, nodes }: Running) => {
    running.delete(id)
    cancel()
    world.told("ends", id, fault, nodes)
    return faults.end(active)
  }

  return {
    keep: (wanted) =>
      Effect.suspend(() => {
        const ended = [...running].filter(([id]) => !wanted.has(id)).map(([id, entry]) => end(id, entry))
        const now = timers.now()
        const begun: Array<Effect.Effect<void>> = []
        for (const [id, fault] of wanted) {
          if (running.has(id)) continue
          const endMs = endOf(fault)
          if (endMs !== undefined && endMs <= now) world.over(id)
          else begun.push(begin(id, fault))
        }
        return Effect.all([...ended, ...begun], { discard: true })
      })
  }
}
