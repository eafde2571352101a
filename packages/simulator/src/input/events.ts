import { parseDuration } from "@rollcall/api"
import {
  missing,
  type Problem,
  problemAt,
  readSelector,
  unknownAmong,
  type Wrong,
  wrongChoice,
  wrongValue
} from "@rollcall/input"
import type { FaultName, NodeSelection } from "@rollcall/machines"
import * as Result from "effect/Result"
import type { ActionName, EventSpec } from "./Scenario.ts"

/** A checked event of a scenario. Times are virtual milliseconds. */
export interface PlannedEvent {
  /** The place of the event in the file, from 0. */
  readonly index: number
  readonly atMs: number
  /** The duration of a fault; undefined if it lasts until the end of the scenario. */
  readonly forMs: number | undefined
  readonly what: { readonly fault: FaultName } | { readonly do: ActionName }
  readonly spec: EventSpec
}

type Field = Exclude<keyof EventSpec, "at" | "for" | "fault" | "do">

/** The fields that a fault or an action takes. */
interface Rule {
  readonly required: ReadonlyArray<Field>
  readonly optional?: ReadonlyArray<Field>
  /** The event needs at least one of these fields. */
  readonly oneOf?: ReadonlyArray<Field>
}

const nodesOnly: Rule = { required: ["nodes"] }

const faultRules: Readonly<Record<FaultName, Rule>> = {
  partition: nodesOnly,
  crash: nodesOnly,
  "kubelet-stop": nodesOnly,
  latency: { required: ["nodes", "by"] },
  loss: { required: ["nodes", "rate"] },
  "clock-skew": { required: ["nodes", "by"] },
  "memory-pressure": { required: ["nodes"], optional: ["available"] },
  "disk-pressure": { required: ["nodes"], optional: ["available"] },
  "pid-pressure": { required: ["nodes"], optional: ["available"] },
  "runtime-down": nodesOnly,
  "network-unavailable": nodesOnly,
  "kubelet-not-ready": nodesOnly,
  "api-server-down": { required: [] },
  "cloud-delete": nodesOnly,
  "cloud-deny": nodesOnly,
  "cloud-error": { required: [], optional: ["rate"] },
  "cloud-latency": { required: ["by"] },
  "controller-restart": { required: [], optional: ["component", "process"] }
}

const actionRules: Readonly<Record<ActionName, Rule>> = {
  apply: { required: [], oneOf: ["objects", "manifests"] },
  delete: {
    required: [],
    optional: ["force", "gracePeriodSeconds"],
    oneOf: ["objects", "object", "manifests"]
  },
  patch: { required: ["object", "patch"] },
  cordon: nodesOnly,
  uncordon: nodesOnly,
  drain: {
    required: ["nodes"],
    optional: [
      "force",
      "ignoreDaemonsets",
      "deleteEmptydirData",
      "disableEviction",
      "gracePeriodSeconds",
      "timeout",
      "skipWaitForDeleteTimeout",
      "podSelector"
    ]
  },
  taint: { required: ["nodes", "taint"] },
  untaint: { required: ["nodes", "taint"] },
  label: { required: ["nodes", "labels"] },
  scale: { required: ["object", "replicas"] },
  resize: { required: ["object", "resources"], optional: ["container"] },
  poweroff: nodesOnly,
  boot: nodesOnly,
  shutdown: nodesOnly,
  "cancel-shutdown": nodesOnly,
  "out-of-service": { required: ["nodes"], optional: ["taint"] },
  "clear-out-of-service": { required: ["nodes"], optional: ["taint"] }
}

/** The names that events and expectations can refer to: nodes, groups and zones of the scenario's cluster. */
export interface KnownNodes {
  readonly names: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly zones: ReadonlySet<string>
  /** Whether there may be more nodes and zones than these, because events create objects or label nodes. */
  readonly mayGrow: boolean
}

/** A problem is the path of a field within its event, and what is wrong there. */
const selectorProblems = ({ selector }: NodeSelection): ReadonlyArray<readonly [string, string]> => {
  if (selector === undefined) return []
  const read = readSelector(selector)
  return Result.isSuccess(read) ? [] : [["selector", `not a label selector: ${read.failure}`]]
}

/** Returns the problems of a selector that is a field of the event itself. */
const problemsOfSelector = (
  path: string,
  selector: NodeSelection["selector"]
): ReadonlyArray<readonly [string, string]> =>
  selectorProblems(selector === undefined ? {} : { selector }).map(([, message]) => [path, message])

const problemsOfNodes = (
  nodes: NodeSelection,
  known: KnownNodes | undefined
): ReadonlyArray<readonly [string, string | Wrong]> => {
  const unknown = (path: string, what: string, name: string, names: ReadonlySet<string> | undefined) =>
    names === undefined || names.has(name)
      ? []
      : [[path, unknownAmong(`no ${what} "${name}" in this cluster`, name, [...names])] as const]
  return [
    ...(nodes.names ?? []).flatMap((name, index) => unknown(`names[${index}]`, "node", name, known?.names)),
    ...(nodes.group === undefined ? [] : unknown("group", "node group", nodes.group, known?.groups)),
    ...(nodes.zone === undefined ? [] : unknown("zone", "zone", nodes.zone, known?.zones)),
    ...selectorProblems(nodes),
    ...(nodes.fraction !== undefined && nodes.count !== undefined
      ? [["count", "stands beside fraction, expected one of the two"] as const]
      : [])
  ]
}

/** The components that the fault controller-restart can name. */
const restartableComponents = ["kube-controller-manager", "kube-scheduler", "cloud-controller-manager"]

/** An event without its time. */
export type EventContent = Omit<EventSpec, "at">

/**
 * Returns the problems of one event: the path of a field within the event, and what is wrong there. Names are not checked if `known` is
 * undefined.
 */
export const eventProblems = (
  spec: EventContent,
  known: KnownNodes | undefined
): ReadonlyArray<readonly [path: string, wrong: string | Wrong]> => {
  if ((spec.fault === undefined) === (spec.do === undefined)) {
    return [["", spec.fault === undefined ? "needs fault or do" : "has both fault and do, expected one of the two"]]
  }
  const name = spec.fault ?? spec.do ?? ""
  const rule = spec.fault === undefined ? actionRules[spec.do as ActionName] : faultRules[spec.fault]
  const allowed = [...rule.required, ...(rule.optional ?? []), ...(rule.oneOf ?? [])]
  const given = Object.keys(spec).filter((key): key is Field => !["at", "for", "fault", "do"].includes(key))
  const found: Array<readonly [string, string | Wrong]> = []
  if (spec.do !== undefined && spec.for !== undefined) found.push(["for", "an action has no end, only a fault has"])
  for (const field of rule.required) if (spec[field] === undefined) found.push([field, missing(` for ${name}`)])
  if (rule.oneOf?.every((field) => spec[field] === undefined) === true) {
    found.push(["", `${name} needs ${rule.oneOf.join(" or ")}`])
  }
  for (const field of given) {
    if (!allowed.includes(field)) {
      found.push([
        field,
        `has no meaning for ${name}${allowed.length === 0 ? "" : `, which takes ${allowed.join(", ")}`}`
      ])
    }
  }
  if (spec.do === "taint" && spec.taint !== undefined && spec.taint.effect === undefined) {
    found.push(["taint.effect", missing()])
  }
  if (
    (spec.fault === "latency" || spec.fault === "cloud-latency") &&
    spec.by !== undefined &&
    parseDuration(spec.by) < 0
  ) {
    found.push(["by", wrongValue(spec.by, "a duration that is not negative")])
  }
  const { component } = spec
  if (component !== undefined && !restartableComponents.includes(component)) {
    found.push(["component", wrongChoice(component, restartableComponents)])
  }
  found.push(...problemsOfSelector("podSelector", spec.podSelector))
  if (spec.nodes !== undefined) {
    for (const [path, wrong] of problemsOfNodes(spec.nodes, known)) found.push([`nodes.${path}`, wrong])
  }
  return found
}

/** Checks the events of a scenario and sorts them by time. Events at the same time keep their order in the file. */
export const planEvents = (
  file: string,
  events: ReadonlyArray<EventSpec>,
  known: KnownNodes
): { readonly events: ReadonlyArray<PlannedEvent>; readonly problems: ReadonlyArray<Problem> } => {
  const problems = events.flatMap((spec, index) =>
    eventProblems(spec, known).map(([path, wrong]) =>
      problemAt(file, `spec.events[${index}]${path === "" ? "" : `.${path}`}`, wrong)
    )
  )
  const planned = events.map(
    (spec, index): PlannedEvent => ({
      index,
      atMs: parseDuration(spec.at),
      forMs: spec.for === undefined ? undefined : parseDuration(spec.for),
      what: spec.fault === undefined ? { do: spec.do as ActionName } : { fault: spec.fault },
      spec
    })
  )
  return { events: planned.toSorted((a, b) => a.atMs - b.atMs || a.index - b.index), problems }
}
