import type { Release } from "@rollcall/api"
import type { PlannedEvent } from "../input/events.ts"
import type { ScenarioResult } from "../Result.ts"
import { clock, columns, fold, plural, span } from "./format.ts"
import { findMoves } from "./moves.ts"
import type { Rules } from "./Rules.ts"
import { type Chapter, foldRounds, tellStory } from "./story.ts"
import type { ThemeContext } from "./ThemeContext.ts"
import { lossesOf, spellsOf } from "./why/Facts.ts"
import { findings } from "./why/findings.ts"

/** What the report needs to know beside the result. */
export interface ReportContext {
  readonly description: string
  readonly zoneOf: (node: string) => string
  /** Nodes a second that a zone's limiter starts with. */
  readonly evictionRate: number
  /** What is done to a lost node: it is tainted, or emptied. */
  readonly podEviction?: Release["podEviction"]
  /** The events of the scenario, in the order in which they happen. */
  readonly events?: ReadonlyArray<PlannedEvent>
  /** The numbers by which the control plane went; without them the report says what happened and not why. */
  readonly rules?: Rules
  /** Static pods that name a priority class and give no priority: the class, by the pod's name on its node. */
  readonly classOnly?: ReadonlyMap<string, string>
}

const MOST_MOVES = 8
const MOST_CHAPTERS = 30
const MOST_MAJOR_CHAPTERS = 45
const MOST_WARNINGS = 8

const heading = (result: ScenarioResult, { description }: ReportContext): ReadonlyArray<string> => {
  const { spec, summary } = result
  const speed = summary.wallSeconds > 0 ? Math.round(spec.durationSeconds / summary.wallSeconds) : 0
  return [
    result.metadata.name,
    ...fold(description),
    "",
    `Kubernetes ${spec.release} · ${plural(summary.nodes.registered, "node")} · ${span(spec.durationSeconds)} of virtual time in ${summary.wallSeconds.toFixed(2)} s (${speed.toLocaleString("en-US")} times real time) · seed ${spec.seed}`
  ]
}

/** The nodes of a zone, by the controller's metrics. */
const sizesOf = ({ metrics }: ScenarioResult): ThemeContext["sizeOf"] => {
  const sizes = new Map<string, number>()
  for (const { zones: all } of metrics) {
    for (const [key, { size }] of Object.entries(all)) {
      const zone = key.slice(key.indexOf("/") + 1)
      sizes.set(zone, Math.max(size, sizes.get(zone) ?? 0))
    }
  }
  return (zone) => sizes.get(zone)
}

const themesOf = (result: ScenarioResult, { events, podEviction, zoneOf }: ReportContext): ThemeContext => ({
  events,
  podEviction,
  zoneOf,
  sizeOf: sizesOf(result)
})

/** What decided, with its numbers. */
const why = (result: ScenarioResult, context: ReportContext): ReadonlyArray<string> => {
  const { classOnly = new Map(), events, rules } = context
  if (rules === undefined) return []
  const { trace } = result
  const found = findings({
    result,
    trace,
    rules,
    classOnly,
    context: themesOf(result, context),
    spells: spellsOf(trace, events, result.spec.durationSeconds),
    losses: lossesOf(trace)
  })
  return found.length === 0
    ? []
    : ["", "WHY", ...found.flatMap((text) => fold(text).map((line, index) => `${index === 0 ? "- " : "  "}${line}`))]
}

/** The story, without its minor lines where it is too long with them. */
const told = (chapters: ReadonlyArray<Chapter>): readonly [ReadonlyArray<Chapter>, leftOut: string] => {
  if (chapters.length <= MOST_CHAPTERS) return [chapters, ""]
  const major = foldRounds(chapters.filter(({ minor }) => !minor))
  const minor = chapters.filter((chapter) => chapter.minor).length
  const rest = Math.max(0, major.length - MOST_MAJOR_CHAPTERS)
  const what = `${plural(minor + rest, "more line")}${rest === 0 ? " of pods created, ready, or to be evicted" : ""}`
  return [major.slice(0, MOST_MAJOR_CHAPTERS), what]
}

const story = (result: ScenarioResult, context: ReportContext): ReadonlyArray<string> => {
  const [chapters, leftOut] = told(tellStory(result.trace, themesOf(result, context)))
  const rows = chapters.map(({ from, text, to, topic }) => [
    clock(from),
    to - from >= 1 ? `to ${clock(to)}` : "",
    topic,
    text
  ])
  return [
    "",
    "WHAT HAPPENED",
    ...columns(rows),
    ...(leftOut === "" ? [] : [`  … and ${leftOut}; -o ndjson has every entry`])
  ]
}

/** What was refused, and what was waited for in vain. */
const refused = ({ warnings }: ScenarioResult): ReadonlyArray<string> =>
  warnings.length === 0
    ? []
    : [
        "",
        "WARNINGS",
        ...warnings.slice(0, MOST_WARNINGS).map((warning) => `  ${warning}`),
        ...(warnings.length > MOST_WARNINGS
          ? [`  … and ${plural(warnings.length - MOST_WARNINGS, "more warning")}`]
          : [])
      ]

/** The states of each zone with the rate of each: `Normal 0.1/s → PartialDisruption 0/s`. */
const courseOf = (result: ScenarioResult, region: string, zone: string, initialRate: number): string => {
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

const zones = (
  result: ScenarioResult,
  { evictionRate, podEviction = "taints" }: ReportContext
): ReadonlyArray<string> => {
  const rows = new Map<string, { size: number; unhealthy: number; tainted: number }>()
  for (const sample of result.metrics) {
    for (const [zone, { evictions, size, unhealthy }] of Object.entries(sample.zones)) {
      const row = rows.get(zone) ?? { size: 0, unhealthy: 0, tainted: 0 }
      row.size = Math.max(row.size, size)
      row.unhealthy = Math.max(row.unhealthy, unhealthy)
      row.tainted = Math.max(row.tainted, evictions)
      rows.set(zone, row)
    }
  }
  if (rows.size === 0) return []
  const { byZone } = result.summary.evictions
  return [
    "",
    "ZONES",
    ...columns([
      [
        "ZONE",
        "NODES",
        "MOST NOT READY",
        podEviction === "taints" ? "NODES TAINTED" : "NODES EMPTIED",
        "PODS EVICTED",
        `STATES, AND NODES ${podEviction === "taints" ? "TAINTED" : "EMPTIED"} A SECOND AT MOST`
      ],
      ...[...rows].map(([zone, row]) => [
        zone === "/" ? "(none)" : zone,
        String(row.size),
        String(row.unhealthy),
        String(row.tainted),
        String(byZone[zone.slice(zone.indexOf("/") + 1)] ?? 0),
        courseOf(result, zone.slice(0, zone.indexOf("/")), zone.slice(zone.indexOf("/") + 1), evictionRate)
      ])
    ])
  ]
}

const moves = (result: ScenarioResult): ReadonlyArray<string> => {
  const all = findMoves(result.trace)
  if (all.length === 0) return ["", "PODS THAT MOVED", "  none"]
  const rows = all
    .slice(0, MOST_MOVES)
    .map(({ at, node, pod, readyAt, replacement, replacementNode, why }) => [
      clock(at),
      pod,
      node || "-",
      why,
      replacement === undefined ? "nobody takes its place" : replacement,
      replacement === undefined ? "" : (replacementNode ?? "not placed"),
      readyAt === undefined ? "" : `ready at ${clock(readyAt)}, ${span(readyAt - at)} later`
    ])
  const rest = all.length - rows.length
  return [
    "",
    "PODS THAT MOVED",
    ...columns([["WHEN", "POD", "FROM", "WHY", "REPLACED BY", "ON", ""], ...rows]),
    ...(rest > 0 ? [`  … and ${plural(rest, "more pod")}`] : [])
  ]
}

const workloads = (result: ScenarioResult): ReadonlyArray<string> => {
  const { workloads: all } = result.summary
  const hurt = all.filter(({ unavailableSeconds }) => unavailableSeconds > 0)
  if (all.length === 0) return []
  const shown = (hurt.length > 0 ? hurt : all).slice(0, MOST_MOVES)
  return [
    "",
    "WORKLOADS",
    ...columns([
      ["WORKLOAD", "FEWEST READY", "SHORT OF REPLICAS FOR"],
      ...shown.map(({ kind, minReady, name, namespace, unavailableSeconds }) => [
        `${kind} ${namespace}/${name}`,
        String(minReady),
        span(unavailableSeconds)
      ])
    ]),
    ...(all.length > shown.length ? [`  … and ${plural(all.length - shown.length, "more workload")}`] : [])
  ]
}

/** A wait that is worth a word: longer than the burst of a client is used up in. */
const SLOW_SECONDS = 5

const clients = (result: ScenarioResult): ReadonlyArray<string> => {
  const slow = result.summary.clients.filter(({ longestWaitSeconds }) => longestWaitSeconds >= SLOW_SECONDS)
  if (slow.length === 0) return []
  return [
    "",
    "CLIENT LIMITS THAT HELD THINGS UP",
    ...slow.flatMap(({ burst, client, longestWaitAt, longestWaitSeconds, qps, requests }) =>
      fold(
        `${client} may send ${qps} requests a second (burst ${burst}): of its ${plural(requests, "request")} the slowest, at ${clock(longestWaitAt)}, had waited ${span(longestWaitSeconds)} for its turn. What it does (conditions, taints, pods marked not ready, Events) came that much late; generic.clientConnection.qps and burst raise the limit.`
      ).map((line) => `  ${line}`)
    )
  ]
}

const expectations = (result: ScenarioResult): ReadonlyArray<string> =>
  result.expectations.length === 0
    ? []
    : [
        "",
        "EXPECTATIONS",
        ...columns(
          result.expectations.map(({ at, held, name, observed }) => [
            held ? "held  " : "FAILED",
            name,
            held ? `(${observed})` : `observed: ${observed} at ${clock(at)}`
          ])
        )
      ]

const closing = (result: ScenarioResult): ReadonlyArray<string> => {
  const { evictions, traceDigest } = result.summary
  const failed = result.expectations.filter(({ held }) => !held).length
  const verdict =
    result.expectations.length === 0
      ? "no expectations"
      : failed === 0
        ? `all ${plural(result.expectations.length, "expectation")} held`
        : `${failed} of ${plural(result.expectations.length, "expectation")} failed`
  return ["", `${plural(evictions.total, "pod")} evicted · ${verdict} · trace ${traceDigest.slice(0, 19)}…`, ""]
}

/** The result for a person: what happened in order, then the summary. */
export const renderTable = (result: ScenarioResult, context: ReportContext): string =>
  [
    ...heading(result, context),
    ...why(result, context),
    ...story(result, context),
    ...refused(result),
    ...zones(result, context),
    ...moves(result),
    ...workloads(result),
    ...clients(result),
    ...expectations(result),
    ...closing(result)
  ].join("\n")
