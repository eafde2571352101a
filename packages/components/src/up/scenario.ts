import { formatMicroTime } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists, isForbidden } from "@rollcall/cluster"
import type { Plan } from "@rollcall/simulator"
import { createLoaded, performAction } from "@rollcall/simulator/scenario"
import { containedRunner, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { writeMap } from "../commands/maps.ts"
import type { LiveFleet } from "../fleet/Fleet.ts"
import { type FleetFault, type FleetGroup, faultsName } from "../fleet/FleetDocument.ts"
import { waitForSchedulableNodes } from "../fleet/nodesReady.ts"
import { playUsage } from "./playUsage.ts"

/** Returns the node groups of a scenario as groups of a fleet. */
export const groupsOfPlan = ({ groups }: Plan): ReadonlyArray<FleetGroup> => groups.map(({ group }) => group)

/**
 * Retries for ten seconds while pods are forbidden, until a controller has created the service account of their
 * namespace.
 */
const forbiddenRetries = Schedule.spaced(100).pipe(Schedule.upTo({ times: 100 }))

/** Creates the objects of a scenario, except existing ones: a restarted cluster has them all. */
export const createObjects = (cluster: ClusterShape, { objects }: Plan): Effect.Effect<void, ClusterError> =>
  Effect.forEach(
    objects.filter(({ kind }) => kind !== "Node"),
    (loaded) =>
      createLoaded(cluster, loaded).pipe(
        Effect.retry({ schedule: forbiddenRetries, while: isForbidden }),
        Effect.catchIf(isAlreadyExists, () => Effect.void)
      ),
    { discard: true }
  )

/**
 * Runs the events of a scenario on the nodes of a fleet, at their times after the start of the fleet, as in a
 * rehearsal, where kubelets start at 0.
 */
export const playEvents = Effect.fnUntraced(function* (plan: Plan, cluster: ClusterShape, fleet: LiveFleet) {
  const timers = yield* Timers
  const fork = yield* containedRunner(timers, "scenario event")
  const startMs = fleet.startedMs()
  const machine = (name: string) => [...fleet.machines()].find((candidate) => candidate.name === name)
  const runEvent = (event: Plan["events"][number]): Effect.Effect<void, ClusterError> => {
    const { index, spec, what } = event
    if ("do" in what) {
      return performAction(event, {
        cluster,
        nodes: fleet.select(spec.nodes),
        objects: plan.eventObjects.get(index) ?? [],
        powerOff: (name) => machine(name)?.crash(),
        boot: (name) => machine(name)?.boot(),
        shutdown: (name) => machine(name)?.shutdown.begin(),
        cancelShutdown: (name) => machine(name)?.shutdown.cancel(),
        drainLog: {
          warn: (message) => fork(Effect.logWarning(`spec.events[${index}]: ${message}`)),
          setWaitReason: () => undefined
        }
      })
    }
    const fault: FleetFault = {
      ...spec,
      fault: what.fault,
      at: formatMicroTime(timers.now()),
      on: fleet.select(spec.nodes)
    }
    return Effect.asVoid(writeMap(cluster, faultsName, { [`event-${index}`]: JSON.stringify(fault) }))
  }
  for (const event of plan.events) {
    const logRefusal = (error: ClusterError) =>
      Effect.logWarning(`spec.events[${event.index}]: the API refused: ${error.message}`)
    timers.at(startMs + event.atMs, () => fork(Effect.catch(runEvent(event), logRefusal)))
  }
})

/**
 * Runs a scenario in a cluster with Ready nodes: creates its objects once pods can be scheduled, then runs its events
 * and has its pods use what it says.
 */
export const playScenario = Effect.fnUntraced(function* (plan: Plan, cluster: ClusterShape, fleet: LiveFleet) {
  yield* waitForSchedulableNodes(cluster, fleet.nodesWithoutFault)
  yield* playUsage(plan, cluster, fleet.startedMs())
  yield* createObjects(cluster, plan)
  yield* playEvents(plan, cluster, fleet)
})
