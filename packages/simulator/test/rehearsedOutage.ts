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
import { evictionObjects, type Found, forecastKinds } from "../src/snapshot/index.ts"

/** When a rehearsal begins. */
const START_MS = 1_767_225_600_000

export interface Look {
  /** When the objects were taken, in seconds of the rehearsal. */
  readonly at: number
  readonly forecast: EvictionForecast
}

export interface RehearsedOutage {
  readonly looks: ReadonlyArray<Look>
  readonly trace: ReadonlyArray<TraceEntry>
}

/** Seconds of the rehearsal. */
export const secondsOf = (ms: number): number => (ms - START_MS) / 1000

/**
 * Rehearses an outage, and asks at each of these seconds what will come of it, by nothing but what the API shows then; `asOf`: and by
 * the time.
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
    const looks: Array<Look> = []
    for (const at of instants) {
      simulation.runWhile(() => simulation.elapsedMs() < at * 1000)
      const found: Array<Found> = []
      for (const kind of forecastKinds) {
        for (const object of yield* simulation.list<KindName>(kind)) found.push({ kind, object })
      }
      const forecast = forecastEvictions({
        ...evictionObjects(found, asOf ? START_MS + at * 1000 : undefined),
        settings: nodeLifecycleSettings(settings, release),
        outOfService: featureGatesOf(release).NodeOutOfServiceVolumeDetach
      })
      looks.push({ at, forecast })
    }
    simulation.runWhile(() => true)
    const { bugs, trace } = simulation.result(0)
    if (bugs !== undefined) return yield* Effect.die(JSON.stringify(bugs))
    return { looks, trace }
  }).pipe(Effect.scoped, Effect.runPromise)

/** Of the pods whose deletion a forecast says: its second. A pod is named with its namespace and its node. */
export const foretold = (
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

/** Of the pods that were asked to go because of their node: the second when that was first so. */
export const happened = (
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

export interface Agreement {
  /** How much later than foretold a deletion may come, in seconds. */
  readonly late: number
}

/** The loops' own delays, and that times in the API are cut to whole seconds. */
const close: Agreement = { late: 2 }

/** All that is foretold happens when it is to, and nothing else does, until that second. */
export const checkLook = (
  { at, forecast }: Look,
  { trace }: RehearsedOutage,
  until: number,
  { late } = close
): void => {
  const said = foretold(forecast)
  const latest = foretold(forecast, ({ atTheLatest }) => atTheLatest === true)
  const was = happened(trace, at, until)
  for (const [pod, second] of said) {
    if (second > until - late) continue
    const actual = was.get(pod)
    // What was due as the cluster was looked at may have gone by in the same second.
    if (actual === undefined && second <= at) continue
    assert.isDefined(actual, `at ${at} s: ${pod} was to be deleted at ${second} s, and never was`)
    if (!latest.has(pod)) assert.isAtLeast(actual, second - 0.01, `at ${at} s: ${pod} was deleted too early`)
    assert.isAtMost(actual, second + late, `at ${at} s: ${pod} was deleted too late`)
  }
  for (const [pod, second] of was)
    assert.isTrue(said.has(pod), `at ${at} s: nobody said that ${pod} goes at ${second} s`)
}
