import type { ScenarioResult } from "@rollcall/simulator/result"
import { clock, plural, span } from "@rollcall/text"
import { findMoves, type Move } from "./moves.ts"
import { initialOwners, inNamespace } from "./owners.ts"
import { type ReportContext, reportContextOf } from "./ReportContext.ts"
import type { Limits, Section } from "./Section.ts"
import { foldRepeats, type TimelineLine, timelineOf } from "./timeline.ts"
import { factsOf } from "./why/Facts.ts"
import { findings } from "./why/findings.ts"

/** Returns the section with the causes of what happened. */
const whySection = (result: ScenarioResult, context: ReportContext): Section | undefined => {
  const points = findings(factsOf(result, context))
  return points.length === 0 ? undefined : { layout: "points", title: "WHY", points }
}

/** Returns the lines of the timeline; leaves out minor ones if there are too many. */
const visibleLines = (
  all: ReadonlyArray<TimelineLine>,
  { lines, majorLines }: Limits
): readonly [ReadonlyArray<TimelineLine>, leftOut: string | undefined] => {
  if (all.length <= lines) return [all, undefined]
  const major = foldRepeats(all.filter(({ minor }) => !minor))
  const minor = all.filter((line) => line.minor).length
  const rest = Math.max(0, major.length - majorLines)
  const what = `${plural(minor + rest, "more line")}${rest === 0 ? " of pods created, ready, or to be evicted" : ""}`
  return [major.slice(0, majorLines), `${what}; -o ndjson has every entry`]
}

const timelineSection = (result: ScenarioResult, context: ReportContext, limits: Limits): Section => {
  const [lines, more] = visibleLines(timelineOf(result.trace, context), limits)
  const rows = lines.map(({ from, text, to, topic }) => [
    clock(from),
    to - from >= 1 ? `to ${clock(to)}` : "",
    topic,
    text
  ])
  return { layout: "table", title: "WHAT HAPPENED", head: undefined, rows, more }
}

/** Returns the section of warnings, for example of refused requests and of drains that were still waiting at the end. */
const warningsSection = ({ warnings }: ScenarioResult, limits: Limits): Section | undefined => {
  if (warnings.length === 0) return undefined
  const rest = warnings.length - limits.warnings
  return {
    layout: "lines",
    title: "WARNINGS",
    lines: warnings.slice(0, limits.warnings),
    folds: false,
    more: rest > 0 ? plural(rest, "more warning") : undefined
  }
}

/** Returns the states of a zone in order, each with its rate: `Normal 0.1/s → PartialDisruption 0/s`. */
const stateCourse = (result: ScenarioResult, region: string, zone: string, initialRate: number): string => {
  const steps: Array<{ readonly state: string; rate: number }> = []
  let rate = initialRate
  for (const entry of result.trace) {
    if (entry.type === "ZoneStateChanged" && entry.zone === zone && entry.region === region) {
      steps.push({ state: entry.to, rate })
    } else if (entry.type === "ZoneRateChanged" && entry.zone === zone && entry.region === region) {
      rate = entry.nodesPerSecond
      const last = steps.at(-1)
      if (last !== undefined) last.rate = rate
    }
  }
  return steps.map((step) => `${step.state} ${Number(step.rate.toPrecision(3))}/s`).join(" → ")
}

const zonesSection = (result: ScenarioResult): Section | undefined => {
  const { evictionRate, podEviction } = result.context
  const sums = new Map<string, { size: number; unhealthy: number; tainted: number }>()
  for (const sample of result.metrics) {
    for (const [zone, { evictions, size, unhealthy }] of Object.entries(sample.zones)) {
      const sum = sums.get(zone) ?? { size: 0, unhealthy: 0, tainted: 0 }
      sum.size = Math.max(sum.size, size)
      sum.unhealthy = Math.max(sum.unhealthy, unhealthy)
      sum.tainted = Math.max(sum.tainted, evictions)
      sums.set(zone, sum)
    }
  }
  if (sums.size === 0) return undefined
  const { byZone } = result.summary.evictions
  const verb = podEviction === "taints" ? "TAINTED" : "EMPTIED"
  const rows = [...sums].map(([key, { size, tainted, unhealthy }]) => {
    const slash = key.indexOf("/")
    const [region, zone] = [key.slice(0, slash), key.slice(slash + 1)]
    return [
      key === "/" ? "(none)" : key,
      String(size),
      String(unhealthy),
      String(tainted),
      String(byZone[zone] ?? 0),
      stateCourse(result, region, zone, evictionRate)
    ]
  })
  const states = `STATES, AND NODES ${verb} A SECOND AT MOST`
  const head = ["ZONE", "NODES", "MOST NOT READY", `NODES ${verb}`, "PODS EVICTED", states]
  return { layout: "table", title: "ZONES", head, rows, more: undefined }
}

/** Returns the text for a pod without a replacement. `outside` are the owners that the snapshot lacks. */
const notReplacedText = ({ namespace, owner }: Move, outside: ReadonlySet<string>): string =>
  owner !== null && outside.has(inNamespace(namespace, owner))
    ? `not known: the snapshot lacks ${owner}`
    : "not replaced"

const movesSection = (result: ScenarioResult, limits: Limits): Section => {
  const title = "PODS THAT MOVED"
  const all = findMoves(result.trace, initialOwners(result))
  const outside = new Set(result.context.outside)
  if (all.length === 0) return { layout: "lines", title, lines: ["none"], folds: false, more: undefined }
  const rows = all.slice(0, limits.moves).map((move) => {
    const { at, node, pod, readyAt, replacement, replacementNode, by } = move
    return [
      clock(at),
      pod,
      node || "-",
      by,
      replacement === undefined ? notReplacedText(move, outside) : replacement,
      replacement === undefined ? "" : (replacementNode ?? "not placed"),
      readyAt === undefined ? "" : `ready at ${clock(readyAt)}, ${span(readyAt - at)} later`
    ]
  })
  const rest = all.length - rows.length
  return {
    layout: "table",
    title,
    head: ["WHEN", "POD", "FROM", "WHY", "REPLACED BY", "ON", ""],
    rows,
    more: rest > 0 ? plural(rest, "more pod") : undefined
  }
}

const workloadsSection = (result: ScenarioResult, limits: Limits): Section | undefined => {
  const { workloads: all } = result.summary
  const affected = all.filter(
    ({ allReadyFrom, neverAllReady, unavailableSeconds }) =>
      unavailableSeconds > 0 || neverAllReady === true || allReadyFrom !== undefined
  )
  if (all.length === 0) return undefined
  const shown = (affected.length > 0 ? affected : all).slice(0, limits.moves)
  const rest = all.length - shown.length
  return {
    layout: "table",
    title: "WORKLOADS",
    head: ["WORKLOAD", "FEWEST READY", "SHORT OF REPLICAS FOR"],
    rows: shown.map(({ allReadyFrom, kind, minReady, name, namespace, neverAllReady, unavailableSeconds }) => [
      `${kind} ${namespace}/${name}`,
      neverAllReady === true
        ? "never all ready"
        : `${minReady}${allReadyFrom === undefined ? "" : `, once all were ready at ${clock(allReadyFrom)}`}`,
      neverAllReady === true ? "all the time" : span(unavailableSeconds)
    ]),
    more: rest > 0 ? plural(rest, "more workload") : undefined
  }
}

/** Waits from this length on are reported: they are longer than a client takes to use up its burst. */
const SLOW_SECONDS = 5

const clientsSection = (result: ScenarioResult): Section | undefined => {
  const slow = result.summary.clients.filter(({ longestWaitSeconds }) => longestWaitSeconds >= SLOW_SECONDS)
  if (slow.length === 0) return undefined
  const lines = slow.map(
    ({ burst, client, longestWaitAt, longestWaitSeconds, qps, requests }) =>
      `${client} may send ${qps} requests a second (burst ${burst}): the slowest of its ${plural(requests, "request")}, at ${clock(longestWaitAt)}, had waited ${span(longestWaitSeconds)} for the limiter. Its writes (conditions, taints, pods marked not ready, Events) were late by as much; generic.clientConnection.qps and burst raise the limit.`
  )
  return { layout: "lines", title: "CLIENT RATE LIMITS THAT CAUSED DELAYS", lines, folds: true, more: undefined }
}

const expectationsSection = (result: ScenarioResult): Section | undefined =>
  result.expectations.length === 0
    ? undefined
    : {
        layout: "table",
        title: "EXPECTATIONS",
        head: undefined,
        rows: result.expectations.map(({ at, held, name, observed }) => [
          held ? "held  " : "FAILED",
          name,
          held ? `(${observed})` : `observed: ${observed} at ${clock(at)}`
        ]),
        more: undefined
      }

/** Returns the sections of the report on a run, the most important first. */
export const sectionsOf = (result: ScenarioResult, limits: Limits): ReadonlyArray<Section> => {
  const context = reportContextOf(result)
  return [
    whySection(result, context),
    timelineSection(result, context, limits),
    warningsSection(result, limits),
    zonesSection(result),
    movesSection(result, limits),
    workloadsSection(result, limits),
    clientsSection(result),
    expectationsSection(result)
  ].filter((section) => section !== undefined)
}
