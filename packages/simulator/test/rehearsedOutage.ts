import { featureGatesOf, type KindName, keyOf, type ReleaseName, releases } from "@rollcall/api"
import {
  type EvictionForecast,
  forecastEvictions,
  type NodeLifecycleSettings,
  nodeLifecycleSettings,
  type PodForecast
} from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { loadScenarioText, type ScenarioDocument, simulate, type TraceEntry } from "../src/index.ts"
import type { ListedObject } from "../src/snapshot/cluster/ClusterObjects.ts"
import { evictionObjects, forecastKinds } from "../src/snapshot/evictions/evictionObjects.ts"

/** When a rehearsal begins. */
const START_MS = 1_767_225_600_000

export interface TimedForecast {
  /** When the objects were read, in seconds of the rehearsal. */
  readonly at: number
  readonly forecast: EvictionForecast
}

export interface RehearsedOutage {
  readonly timedForecasts: ReadonlyArray<TimedForecast>
  readonly trace: ReadonlyArray<TraceEntry>
}

/** Seconds of the rehearsal. */
export const secondsOf = (ms: number): number => (ms - START_MS) / 1000

/**
 * Rehearses an outage, and at each of these seconds forecasts the evictions from the objects in the API alone; with `asOf` also from
 * the current time.
 */
export const rehearseOutage = (
  scenario: ScenarioDocument,
  instants: ReadonlyArray<number>,
  settings: Partial<NodeLifecycleSettings> = {},
  asOf = false
): Promise<RehearsedOutage> =>
  Effect.gen(function* () {
    const [plan] = yield* loadScenarioText(JSON.stringify(scenario))
    if (plan === undefined) return yield* Effect.die("no scenario")
    const release = releases[(scenario.spec.release ?? "1.36") as ReleaseName]
    const simulation = yield* simulate(plan)
    const timedForecasts: Array<TimedForecast> = []
    for (const at of instants) {
      simulation.runWhile(() => simulation.elapsedMs() < at * 1000)
      const found: Array<ListedObject> = []
      for (const kind of forecastKinds) {
        for (const object of yield* simulation.list<KindName>(kind)) found.push({ kind, object })
      }
      const forecast = forecastEvictions({
        ...evictionObjects(found, asOf ? START_MS + at * 1000 : undefined),
        settings: nodeLifecycleSettings(settings, release),
        outOfService: featureGatesOf(release).NodeOutOfServiceVolumeDetach
      })
      timedForecasts.push({ at, forecast })
    }
    simulation.runWhile(() => true)
    const { bugs, trace } = simulation.result(0)
    if (bugs !== undefined) return yield* Effect.die(JSON.stringify(bugs))
    return { timedForecasts, trace }
  }).pipe(Effect.scoped, Effect.runPromise)

/** The second of each forecast deletion, by the pod's namespace, name and node. */
export const forecastDeletions = (
  { nodes }: EvictionForecast,
  counts: (pod: PodForecast) => boolean = () => true
): ReadonlyMap<string, number> =>
  new Map(
    nodes.flatMap(({ node, pods }) =>
      pods
        .filter(counts)
        .flatMap(({ deletedAtMs, pod }) =>
          deletedAtMs === undefined ? [] : [[`${keyOf(pod)} on ${node.metadata.name}`, secondsOf(deletedAtMs)] as const]
        )
    )
  )

/** The second of the first deletion request of each pod that was evicted because of its node. */
export const actualDeletions = (
  trace: ReadonlyArray<TraceEntry>,
  from: number,
  until: number
): ReadonlyMap<string, number> => {
  const first = new Map<string, number>()
  for (const entry of trace) {
    if (entry.type !== "PodDeletionRequested" || !isEviction(entry.by) || entry.at > until) continue
    const pod = `${entry.namespace}/${entry.pod} on ${entry.node}`
    if (!first.has(pod)) first.set(pod, entry.at)
  }
  return new Map([...first].filter(([, at]) => at > from))
}

const isEviction = (by: string): boolean => by === "taint-eviction" || by === "node-controller"

export interface Tolerance {
  /** The tolerated delay of a deletion after its forecast, in seconds. */
  readonly late: number
}

/** Covers the delays of the controller loops, and the truncation of API times to whole seconds. */
const defaultTolerance: Tolerance = { late: 2 }

/** Asserts that, until that second, all forecast deletions happen in time and no others do. */
export const checkForecast = (
  { at, forecast }: TimedForecast,
  { trace }: RehearsedOutage,
  until: number,
  { late } = defaultTolerance
): void => {
  const said = forecastDeletions(forecast)
  const latest = forecastDeletions(forecast, ({ atTheLatest }) => atTheLatest === true)
  const was = actualDeletions(trace, at, until)
  for (const [pod, second] of said) {
    if (second > until - late) continue
    const actual = was.get(pod)
    // A deletion that was due at the time of the reading may have happened in the same second.
    if (actual === undefined && second <= at) continue
    assert.isDefined(actual, `at ${at} s: ${pod} was to be deleted at ${second} s, and never was`)
    if (!latest.has(pod)) assert.isAtLeast(actual, second - 0.01, `at ${at} s: ${pod} was deleted too early`)
    assert.isAtMost(actual, second + late, `at ${at} s: ${pod} was deleted too late`)
  }
  for (const [pod, second] of was)
    assert.isTrue(said.has(pod), `at ${at} s: nobody said that ${pod} goes at ${second} s`)
}
