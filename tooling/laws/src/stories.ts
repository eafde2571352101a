import { type Plan, type ScenarioResult, simulate } from "@rollcall/simulator"
import * as Effect from "effect/Effect"

/** The kinds whose objects a story has. */
const kinds = [
  "Node",
  "Lease",
  "Pod",
  "Event",
  "Namespace",
  "ReplicaSet",
  "Deployment",
  "DaemonSet",
  "StatefulSet",
  "PodDisruptionBudget",
  "PersistentVolumeClaim",
  "PersistentVolume",
  "VolumeAttachment",
  "CSINode"
] as const

/** Everything that a rehearsal shows: its result, and the objects of the API at its end. */
export interface Story {
  readonly result: ScenarioResult
  readonly objects: Readonly<Record<string, ReadonlyArray<unknown>>>
}

export interface StoryOptions {
  readonly everyHeartbeat: boolean
  readonly traceLeases: boolean
}

/** Rehearses a plan to its end. */
export const storyOf = (plan: Plan, options: StoryOptions): Story =>
  Effect.runSync(
    Effect.scoped(
      Effect.gen(function* () {
        const simulation = yield* simulate(plan, options)
        simulation.runWhile(() => true)
        const result = simulation.result(0)
        const objects: Record<string, ReadonlyArray<unknown>> = {}
        for (const kind of kinds) objects[kind] = yield* simulation.list(kind)
        return { result, objects }
      })
    )
  )

const firstDifference = (name: string, first: ReadonlyArray<unknown>, second: ReadonlyArray<unknown>) => {
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const [one, other] = [JSON.stringify(first[index]), JSON.stringify(second[index])]
    if (one !== other) return `${name}[${index}] is ${other} with every heartbeat, and ${one} without`
  }
  return undefined
}

/** Everything of a result but its lists, the time that it took and the number of its steps. */
const totalsOf = ({ events: _, metrics: __, summary, trace: ___, ...rest }: ScenarioResult) => {
  const { events: ____, wallSeconds: _____, ...counted } = summary
  return { ...rest, summary: counted }
}

/**
 * Returns the first difference between the story of a run with columns and that of a run with every heartbeat; undefined if they are
 * the same.
 */
export const storyDifference = (columns: Story, eager: Story): string | undefined =>
  firstDifference("trace", columns.result.trace, eager.result.trace) ??
  firstDifference("Events", columns.result.events, eager.result.events) ??
  firstDifference("metrics", columns.result.metrics, eager.result.metrics) ??
  firstDifference("totals", [totalsOf(columns.result)], [totalsOf(eager.result)]) ??
  kinds
    .map((kind) => firstDifference(`final ${kind}`, columns.objects[kind] ?? [], eager.objects[kind] ?? []))
    .find((found) => found !== undefined)
