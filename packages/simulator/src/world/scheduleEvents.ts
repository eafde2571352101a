import type { ClusterShape } from "@rollcall/cluster"
import type { Component } from "@rollcall/control-plane"
import type { FaultName, Machine, ServerGateShape } from "@rollcall/machines"
import { type ActiveFault, makeActiveFaults, selectNodes, shuffled } from "@rollcall/machines"
import type { ModelledCloud } from "@rollcall/node-controller"
import type { TimersShape } from "@rollcall/time"
import { rngFor } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { PlannedEvent } from "../input/events.ts"
import type { Plan } from "../input/Plan.ts"
import type { Trace } from "../trace/Trace.ts"
import { performAction } from "./actions.ts"
import type { DrainLog } from "./drain.ts"
import type { Observation } from "./Observation.ts"

/** The plan, and what its events act on. */
export interface ScheduleEventsOptions {
  readonly plan: Pick<Plan, "seed" | "events" | "eventObjects" | "driver" | "durationMs">
  readonly timers: TimersShape
  /** Time 0 on the timers. */
  readonly startMs: number
  readonly fork: (purpose: string, effect: Effect.Effect<void>) => void
  readonly trace: Trace
  /** An administrator's client. */
  readonly cluster: ClusterShape
  /** The administrator's client for drains. */
  readonly drainer: ClusterShape
  readonly machines: ReadonlyArray<Machine>
  readonly gate: ServerGateShape
  readonly components: ReadonlyArray<Component>
  readonly cloud?: ModelledCloud | undefined
  readonly observation: Observation
  /** Called when the API refuses an action. */
  readonly onRefusal: (event: PlannedEvent, message: string) => void
  /** Called with any other problem of an event. */
  readonly onWarning: (event: PlannedEvent, message: string) => void
}

/** The faults that only cut a modelled machine off in a recorded run. */
const partitioningFaults: ReadonlyArray<FaultName> = ["crash", "kubelet-stop"]
const CONTROLLER_MANAGER = "kube-controller-manager"

/** Schedules all events of a plan on the timers. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a function for each kind of event; all share the options.
export const scheduleEvents = (options: ScheduleEventsOptions): void => {
  const {
    cloud,
    cluster,
    components,
    drainer,
    fork,
    gate,
    machines,
    observation,
    onRefusal,
    onWarning,
    plan,
    startMs,
    timers,
    trace
  } = options
  const byName = new Map(machines.map((machine) => [machine.name, machine]))
  const order = shuffled([...byName.keys()].sort(), rngFor(plan.seed, "order of nodes"))
  /** The order in which `count` and `fraction` select nodes. */
  const ranks = new Map(order.map((name, rank) => [name, rank]))

  const select = (event: PlannedEvent): ReadonlyArray<string> => {
    const { spec } = event
    if (spec.nodes === undefined) return []
    const { count: wanted } = spec.nodes
    const candidates = machines.map(({ group, name }) => ({ name, group, node: observation.nodes.get(name) }))
    const selected = selectNodes(spec.nodes, candidates, (name) => ranks.get(name) ?? 0)
    if (selected.length === 0) onWarning(event, "selects no node, so nothing happens")
    else if (wanted !== undefined && selected.length < wanted) {
      onWarning(event, `asks for ${wanted} nodes, and there are ${selected.length}`)
    }
    return selected
  }
  const machinesOf = (nodes: ReadonlyArray<string>) => nodes.flatMap((name) => byName.get(name) ?? [])

  const faults = makeActiveFaults()
  const runFault = (event: PlannedEvent, fault: FaultName) => {
    // In a recorded run, these faults only cut a modelled machine off: its pods run on.
    const effect = plan.driver !== undefined && partitioningFaults.includes(fault) ? "partition" : fault
    const nodes = select(event)
    const component = event.spec.component ?? CONTROLLER_MANAGER
    const active: ActiveFault = {
      name: effect,
      spec: event.spec,
      context: {
        machines: machinesOf(nodes),
        gate,
        cloud,
        components: components.filter(({ name }) => name === component),
        hasEnd: event.forMs !== undefined
      }
    }
    trace.add("FaultStarted", { fault, nodes })
    fork(`event ${event.index}`, faults.begin(active))
    if (event.forMs === undefined) return
    timers.after(event.forMs, () => {
      trace.add("FaultEnded", { fault, nodes })
      fork(`event ${event.index}`, faults.end(active))
    })
  }

  /** Passes a drain's messages to `onWarning`; at the end of the scenario also the pods that it still waits for, and why. */
  const drainLog = (event: PlannedEvent): DrainLog => {
    const waiting = new Map<string, string>()
    timers.at(startMs + plan.durationMs, () => {
      for (const [pod, reason] of waiting) onWarning(event, `waits for pod ${pod} to the end: ${reason}`)
    })
    return {
      warn: (message) => onWarning(event, message),
      setWaitReason: (pod, reason) => {
        if (reason === undefined) waiting.delete(pod)
        else waiting.set(pod, reason)
      }
    }
  }

  const runAction = (event: PlannedEvent, action: string) => {
    const nodes = select(event)
    trace.add("Action", { do: action, nodes })
    const objects = plan.eventObjects.get(event.index) ?? []
    const context = {
      cluster,
      drainer,
      nodes,
      objects,
      powerOff: (name: string) => byName.get(name)?.crash(),
      boot: (name: string) => byName.get(name)?.boot(),
      shutdown: (name: string) => byName.get(name)?.shutdown.begin(),
      cancelShutdown: (name: string) => byName.get(name)?.shutdown.cancel(),
      ...(action === "drain" ? { drainLog: drainLog(event) } : {})
    }
    fork(
      `event ${event.index}`,
      performAction(event, context).pipe(Effect.catch((error) => Effect.sync(() => onRefusal(event, error.message))))
    )
  }

  for (const event of plan.events) {
    timers.at(startMs + event.atMs, () => {
      if ("fault" in event.what) runFault(event, event.what.fault)
      else runAction(event, event.what.do)
    })
  }
}
