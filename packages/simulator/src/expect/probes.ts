import type { Node, Pod } from "@rollcall/api"
import { clock, span } from "@rollcall/text"
import type { PlannedExpectation } from "../input/expectations.ts"
import type { TraceEntry, TraceEntryOf } from "../trace/TraceEntry.ts"
import { matches } from "./matches.ts"
import { makeTimeline, type Timeline } from "./Timeline.ts"
import { availabilityOf, type Workloads } from "./Workloads.ts"

/** The result of an expectation. */
export interface ExpectationResult {
  readonly name: string
  readonly held: boolean
  /** The virtual seconds at which `held` was decided. */
  readonly at: number
  /** What was observed, for people: `since 2m05s`. */
  readonly observed: string
}

/**
 * Evaluates one expectation during a run. The caller passes every change of a node or pod and every trace entry; `next` is undefined if the
 * object was deleted.
 */
export interface Probe {
  readonly node?: (next: Node | undefined, name: string, atMs: number) => void
  readonly pod?: (next: Pod | undefined, namespace: string, name: string, atMs: number) => void
  readonly entry?: (entry: TraceEntry, atMs: number) => void
  /** Returns the result at the end of the run. */
  readonly finish: (endMs: number) => Judgement
}

const seconds = (atMs: number): number => Math.round(atMs) / 1000

type Judgement = Omit<ExpectationResult, "name">

/** A state over time that an expectation is about. */
interface ObservedState<A> {
  readonly timeline: Timeline<A>
  readonly test: (value: A) => boolean
  readonly show: (value: A) => string
  /** Returns when the subject first existed, or undefined if it never did. Absent if it exists from the start. */
  readonly firstSeenMs?: () => number | undefined
}

const ENDED = "the scenario ended before"

/**
 * Judges a state over the window of its expectation. With `at` it must hold at that time. With `by` it must hold at some time in
 * [from, by]. With `from` or `until` it must hold throughout. With none of them it must hold from its first occurrence to the end.
 */
const judge = <A>(
  { firstSeenMs, show, test, timeline }: ObservedState<A>,
  { atMs, byMs, fromMs, untilMs }: PlannedExpectation,
  endMs: number
): Judgement => {
  const valueAt = (ms: number) => timeline.changes().findLast(([at]) => at <= ms)?.[1] ?? timeline.now()
  const fail = (ms: number): Judgement => ({ held: false, at: seconds(ms), observed: show(valueAt(ms)) })
  const firstFailure = (since: number, until: number): Judgement | undefined => {
    const ms = timeline.firstWhere((value) => !test(value), since, until)
    return ms === undefined ? undefined : fail(ms)
  }
  if ((atMs ?? fromMs ?? 0) > endMs) return { held: false, at: seconds(endMs), observed: ENDED }
  if (atMs !== undefined) {
    const value = valueAt(atMs)
    return { held: test(value), at: seconds(atMs), observed: show(value) }
  }
  if (byMs !== undefined) {
    const first = timeline.firstWhere(test, fromMs ?? 0, Math.min(byMs, endMs))
    return first === undefined
      ? fail(Math.min(byMs, endMs))
      : { held: true, at: seconds(first), observed: `since ${clock(seconds(first))}` }
  }
  if (fromMs === undefined && untilMs === undefined) {
    const seen = firstSeenMs === undefined ? 0 : firstSeenMs()
    const first = seen === undefined ? undefined : timeline.firstWhere(test, seen, endMs)
    if (first === undefined) return fail(endMs)
    const since = first > 0 ? `since ${clock(seconds(first))}` : "throughout"
    return firstFailure(first, endMs) ?? { held: true, at: seconds(endMs), observed: since }
  }
  const until = Math.min(untilMs ?? endMs, endMs)
  return firstFailure(fromMs ?? 0, until) ?? { held: true, at: seconds(until), observed: "throughout" }
}

const isInWindow = (expectation: PlannedExpectation, atMs: number): boolean =>
  atMs >= (expectation.fromMs ?? 0) && atMs <= (expectation.untilMs ?? expectation.byMs ?? Number.POSITIVE_INFINITY)

const inBounds = ({ spec }: PlannedExpectation, value: number): boolean =>
  value >= (spec.min ?? Number.NEGATIVE_INFINITY) && value <= (spec.max ?? Number.POSITIVE_INFINITY)

/** Returns the probe that counts the trace entries in the window that pass the test. */
const countProbe = (expectation: PlannedExpectation, test: (entry: TraceEntry) => boolean): Probe => {
  let count = 0
  let decidedMs: number | undefined
  const { max, min } = expectation.spec
  return {
    entry: (entry, atMs) => {
      if (!isInWindow(expectation, atMs) || !test(entry)) return
      count++
      // More than `max` is final, and so is `min` if there is no `max`; any other count is decided at the end.
      if (count === (max ?? Number.POSITIVE_INFINITY) + 1 || (max === undefined && count === min)) decidedMs = atMs
    },
    finish: (endMs) => ({
      held: inBounds(expectation, count),
      at: seconds(decidedMs ?? endMs),
      observed: String(count)
    })
  }
}

/** Returns whether an entry is the eviction of a pod from a lost node. A forced deletion that follows is not a second eviction. */
const isEvictionRequest = ({ by, gracePeriodSeconds }: TraceEntryOf<"PodDeletionRequested">): boolean =>
  by === "taint-eviction" || (by === "node-controller" && gracePeriodSeconds > 0)

const evictionsProbe = (expectation: PlannedExpectation, zoneOf: (node: string) => string): Probe => {
  const wanted = expectation.spec.evictions ?? {}
  return countProbe(
    expectation,
    (entry) =>
      entry.type === "PodDeletionRequested" &&
      (wanted.by === undefined ? isEvictionRequest(entry) : entry.by === wanted.by) &&
      (wanted.zone === undefined || zoneOf(entry.node) === wanted.zone) &&
      (wanted.node === undefined || entry.node === wanted.node) &&
      (wanted.namespace === undefined || entry.namespace === wanted.namespace)
  )
}

const traceProbe = (expectation: PlannedExpectation): Probe => {
  const wanted = expectation.spec.trace ?? {}
  return countProbe(expectation, (entry) => matches(entry, wanted))
}

const conditionProbe = (expectation: PlannedExpectation): Probe => {
  const { node, status, type } = expectation.spec.condition ?? { node: "", status: "", type: "" }
  const timeline = makeTimeline<string>("absent")
  return {
    node: (next, name, atMs) => {
      if (name !== node) return
      timeline.set(atMs, next?.status?.conditions?.find((other) => other.type === type)?.status ?? "absent")
    },
    finish: (endMs) =>
      judge({ timeline, test: (value) => value === status, show: (value) => `${type}=${value}` }, expectation, endMs)
  }
}

const taintProbe = (expectation: PlannedExpectation): Probe => {
  const wanted = expectation.spec.taint ?? { node: "", key: "" }
  const timeline = makeTimeline(false)
  return {
    node: (next, name, atMs) => {
      if (name !== wanted.node) return
      const has = next?.spec?.taints?.some(
        (other) => other.key === wanted.key && (wanted.effect === undefined || other.effect === wanted.effect)
      )
      timeline.set(atMs, has === true)
    },
    finish: (endMs) =>
      judge(
        {
          timeline,
          test: (value) => value === (wanted.present ?? true),
          show: (value) => (value ? "tainted" : "not tainted")
        },
        expectation,
        endMs
      )
  }
}

const zoneStateProbe = (expectation: PlannedExpectation): Probe => {
  const wanted = expectation.spec.zoneState ?? { zone: "", state: "Initial" as const }
  const timeline = makeTimeline<string>("Initial")
  return {
    entry: (entry, atMs) => {
      if (entry.type !== "ZoneStateChanged" || entry.zone !== wanted.zone) return
      if (wanted.region === undefined || entry.region === wanted.region) timeline.set(atMs, entry.to)
    },
    finish: (endMs) =>
      judge({ timeline, test: (value) => value === wanted.state, show: (value) => value }, expectation, endMs)
  }
}

const podState = (pod: Pod | undefined): string => {
  if (pod === undefined) return "gone"
  if (pod.metadata.deletionTimestamp !== undefined) return "terminating"
  if (pod.status?.conditions?.some((other) => other.type === "Ready" && other.status === "True") === true)
    return "ready"
  return pod.status?.phase === "Running" ? "running" : "pending"
}

const podProbe = (expectation: PlannedExpectation): Probe => {
  const wanted = expectation.spec.pod ?? { name: "", state: "gone" as const }
  const timeline = makeTimeline<string>("gone")
  let firstSeenMs: number | undefined
  return {
    pod: (next, namespace, name, atMs) => {
      if (name !== wanted.name || namespace !== (wanted.namespace ?? "default")) return
      firstSeenMs ??= atMs
      timeline.set(atMs, podState(next))
    },
    finish: (endMs) =>
      judge(
        {
          timeline,
          test: (value) => value === wanted.state || (wanted.state === "running" && value === "ready"),
          show: (value) => (firstSeenMs === undefined ? "never there" : value),
          // A pod is not gone before it was created.
          firstSeenMs: () => firstSeenMs
        },
        expectation,
        endMs
      )
  }
}

/** Returns the result for a workload that was not tracked: the expectation does not hold. */
const untrackedResult = (workloads: Workloads, kind: string, namespace: string, name: string) => ({
  held: false,
  at: 0,
  observed: workloads.isUnknown(kind, namespace, name)
    ? "not known: the snapshot lacks its ReplicaSets"
    : "no such workload"
})

const readyProbe = (expectation: PlannedExpectation, workloads: Workloads): Probe => ({
  finish: (endMs) => {
    const { kind, name, namespace } = expectation.spec.ready ?? { kind: "", name: "" }
    const workload = workloads.find(kind, namespace ?? "default", name)
    if (workload === undefined) return untrackedResult(workloads, kind, namespace ?? "default", name)
    return judge(
      { timeline: workload.ready, test: (value) => inBounds(expectation, value), show: (value) => `${value} ready` },
      expectation,
      endMs
    )
  }
})

const unavailableProbe = (expectation: PlannedExpectation, workloads: Workloads): Probe => ({
  finish: (endMs) => {
    const { kind, name, namespace } = expectation.spec.unavailableSeconds ?? { kind: "", name: "" }
    const workload = workloads.find(kind, namespace ?? "default", name)
    if (workload === undefined) return untrackedResult(workloads, kind, namespace ?? "default", name)
    const { neverAllReady, unavailableSeconds } = availabilityOf(workload, endMs)
    // Its unavailability is not counted before it was first all ready, so neither bound can be judged.
    if (neverAllReady === true) return { held: false, at: seconds(endMs), observed: "never all ready" }
    return {
      held: inBounds(expectation, unavailableSeconds),
      at: seconds(endMs),
      observed: span(unavailableSeconds)
    }
  }
})

/** Makes the probe of an expectation, which has exactly one subject (`planExpectations` checks that). */
export const makeProbe = (
  expectation: PlannedExpectation,
  workloads: Workloads,
  zoneOf: (node: string) => string
): Probe => {
  const { spec } = expectation
  if (spec.evictions !== undefined) return evictionsProbe(expectation, zoneOf)
  if (spec.ready !== undefined) return readyProbe(expectation, workloads)
  if (spec.unavailableSeconds !== undefined) return unavailableProbe(expectation, workloads)
  if (spec.condition !== undefined) return conditionProbe(expectation)
  if (spec.taint !== undefined) return taintProbe(expectation)
  if (spec.zoneState !== undefined) return zoneStateProbe(expectation)
  if (spec.pod !== undefined) return podProbe(expectation)
  return traceProbe(expectation)
}
