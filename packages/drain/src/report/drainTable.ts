import { columns, fold, gapLines, grouped } from "@rollcall/text"
import type { Block, BudgetNumbers, Displaced, Moment, NodeDrain, PodDrain, Replacement } from "../plan/DrainPlan.ts"
import type { DrainReport } from "./DrainReport.ts"

/** A duration as text: `119s`, `2m`, `1h5s`. */
const formatSeconds = (seconds: number): string => {
  const whole = Math.round(seconds)
  if (whole < 120) return `${whole}s`
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${rest > 0 ? `${rest}s` : ""}`
}

/** A time since the drain began; undefined means that it never comes. */
const timeText = (seconds: number | undefined): string => (seconds === undefined ? "never" : formatSeconds(seconds))

/** `2s, at worst 30s`; only one time if they are equal. */
const momentText = ({ expected, worst }: Moment): string =>
  expected === worst ? timeText(expected) : `${timeText(expected)}, at worst ${timeText(worst)}`

const nameOf = ({ metadata }: PodDrain["pod"]): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/** Where the replacement is scheduled, for the column `replaced on`; empty if there is no information. */
const replacementText = (replacement: Replacement | undefined): string => {
  if (replacement === undefined) return ""
  if (replacement.kind === "none") return `none: ${replacement.why}`
  if (replacement.kind === "unplaceable") return "nowhere"
  const { node, ready } = replacement
  return ready.expected === undefined
    ? `${node}, but does not become ready`
    : `${node}, ready at ${timeText(ready.expected)}`
}

/** The cells of the columns `leaves`, `gone` and `at worst`. */
const timeCells = ({ block, by, gone, leaves }: PodDrain): readonly [leaves: string, gone: string, worst: string] => {
  if (by === undefined) return block === undefined ? ["stays", "", ""] : ["blocks", "", ""]
  if (leaves.expected === undefined) return [block === undefined ? "held" : "blocks", "", ""]
  return [timeText(leaves.expected), timeText(gone.expected), timeText(gone.worst)]
}

/** Where the replacement is scheduled; for a pod that stays, why it does. */
const lastCell = (one: PodDrain): string => {
  if (one.staysBecause !== undefined) return one.staysBecause
  if (one.by !== undefined && one.block === undefined && one.leaves.expected === undefined) {
    return "not evicted while kubectl refuses this node"
  }
  return replacementText(one.replacement)
}

const row = (one: PodDrain): ReadonlyArray<string> => [...timeCells(one), nameOf(one.pod), lastCell(one)]

const budgetText = ({
  currentHealthy,
  desiredHealthy,
  disruptionsAllowed,
  expectedPods,
  name,
  namespace
}: BudgetNumbers) =>
  `budget ${namespace}/${name}: ${currentHealthy} healthy of ${expectedPods} expected, needs ${desiredHealthy}, allows ${disruptionsAllowed}`

const outcomes: Readonly<Record<NodeDrain["outcome"], string>> = {
  drained: "drained",
  refused: "is not drained: kubectl refuses, and continues with the next node",
  stuck: "is never drained: kubectl waits forever",
  "timed-out": "is not drained: the timeout expires",
  failed: "is not drained: an eviction fails permanently",
  "not-reached": "is not reached: kubectl waits at an earlier node"
}

/** `0s to 11s, at worst 0s to 30s`; only one period if they are equal. */
const period = (starts: Moment, ends: Moment): string => {
  const expected = `${timeText(starts.expected)} to ${timeText(ends.expected)}`
  const worst = `${timeText(starts.worst)} to ${timeText(ends.worst)}`
  return expected === worst ? expected : `${expected}, at worst ${worst}`
}

const heading = (
  { ends, name, outcome, pods, starts, wasCordoned, worstOutcome }: NodeDrain,
  knowsPods: boolean
): string => {
  const cordon = wasCordoned ? "cordoned already" : "cordoned"
  const atWorst = worstOutcome === outcome ? "" : `; at worst it ${outcomes[worstOutcome]}`
  if (outcome === "drained" && pods.length === 0) {
    return `${name}: ${cordon}, ${knowsPods ? "no pods" : "its pods are not known"}`
  }
  if (outcome === "drained") return `${name}: ${cordon}, ${period(starts, ends)}${atWorst}`
  return `${name}: ${cordon}; ${outcomes[outcome]}${atWorst}`
}

/** A heading, and below it the text, indented and folded. */
const paragraph = (head: string, text: string): ReadonlyArray<string> => [
  `  ${head}`,
  ...fold(text, 96).map((line) => `    ${line}`)
]

const nodeLines = (node: NodeDrain, knowsPods: boolean): ReadonlyArray<string> => {
  const podsByTime = node.pods
    .map((pod, index) => ({ pod, index, at: pod.leaves.expected ?? Number.POSITIVE_INFINITY }))
    .toSorted((left, right) => left.at - right.at || left.index - right.index)
  const head = ["leaves", "gone", "at worst", "pod", "replaced on"]
  return [
    "",
    heading(node, knowsPods),
    ...(podsByTime.length === 0 ? [] : columns([head, ...podsByTime.map(({ pod }) => row(pod))])),
    ...node.warnings.flatMap((warning) => fold(`Warning: ${warning}`, 96).map((line) => `  ${line}`))
  ]
}

/** Folded lines of names; `tail` follows the last name. */
const nameLines = (names: ReadonlyArray<string>, tail: string): ReadonlyArray<string> => {
  const lines = fold(names.join(", "), 90)
  return lines.map((line, index) => `  ${line}${index === lines.length - 1 ? tail : ""}`)
}

const blockText = ({ budget, message, why }: Block): string =>
  [
    ...fold(message, 96),
    ...(why === undefined ? [] : fold(why, 96)),
    ...(budget === undefined ? [] : [budgetText(budget)])
  ]
    .map((line) => `    ${line}`)
    .join("\n")

const blockLines = (pods: ReadonlyArray<PodDrain>): ReadonlyArray<string> => {
  const blocked = pods.flatMap(({ block, pod }) => (block === undefined ? [] : [{ name: nameOf(pod), block }]))
  return grouped(blocked, ({ block }) => `  (${block.reason})\n${blockText(block)}`).flatMap(([text, same]) => {
    const [tail = "", ...lines] = text.split("\n")
    return [
      ...nameLines(
        same.map(({ name }) => name),
        tail
      ),
      ...lines
    ]
  })
}

const waitLines = (pod: PodDrain): ReadonlyArray<string> => {
  const { leaves, refusals, waitsFor } = pod
  if (waitsFor === undefined || pod.block !== undefined) return []
  const attempts = `refused ${refusals === 1 ? "once" : `${refusals} times`}, leaves at ${momentText(leaves)}`
  return [
    ...paragraph(`${nameOf(pod.pod)}  (${attempts})`, waitsFor.message),
    ...(waitsFor.budget === undefined ? [] : [`    ${budgetText(waitsFor.budget)}`])
  ]
}

/** The flags with which kubectl would start, if it refuses. */
const missingFlagLines = ({ name, wants }: NodeDrain): ReadonlyArray<string> =>
  wants.length === 0 ? [] : [`  ${name}: kubectl starts with ${wants.join(" ")}`]

const noteLines =
  (note: "uncounted" | "leftBehind") =>
  (pod: PodDrain): ReadonlyArray<string> => {
    const text = pod[note]
    return text === undefined ? [] : paragraph(nameOf(pod.pod), text)
  }

interface ReplacedPod {
  readonly pod: PodDrain["pod"]
  readonly replacement?: Replacement
}

const unschedulableLines = (all: ReadonlyArray<ReplacedPod>): ReadonlyArray<string> => {
  const unplaceable = all.flatMap(({ pod, replacement }) =>
    replacement?.kind === "unplaceable" ? [{ name: nameOf(pod), message: replacement.message }] : []
  )
  return grouped(unplaceable, ({ message }) => message).flatMap(([message, same]) => [
    ...nameLines(
      same.map(({ name }) => name),
      ""
    ),
    ...fold(message, 96).map((line) => `    ${line}`)
  ])
}

const displacedLines = ({ at, for: preemptor, node, pod, replacement }: Displaced): ReadonlyArray<string> =>
  paragraph(
    `${nameOf(pod)}  (${node}, at ${momentText(at)})`,
    `preempted for ${preemptor}, which has a higher priority; replaced on: ${replacementText(replacement)}`
  )

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

/** Kinds that can block a drain and that the snapshot may lack, by the names of their objects. */
const blockingKinds = { Pod: "other pods", PodDisruptionBudget: "budgets" } as const

const notBlockedText = ({ gaps }: DrainReport): string => {
  const unknown = Object.entries(blockingKinds).flatMap(([kind, name]) =>
    gaps.some((gap) => gap.kind === kind) ? [name] : []
  )
  return unknown.length === 0 ? "Nothing blocks." : `Nothing known blocks it; ${unknown.join(" and ")} are not known.`
}

const headline = (report: DrainReport): string => {
  const { gaps, plan } = report
  const pods = plan.nodes.flatMap((node) => node.pods)
  const leaving = pods.filter(({ leaves }) => leaves.expected !== undefined).length
  const staying = pods.length - leaving
  const names = plan.nodes.map(({ name }) => name)
  const nodesText = names.length > 3 ? count(names.length, "node") : names.join(", ")
  const unplaceable = [...pods, ...plan.displaced].filter(
    ({ replacement }) => replacement?.kind === "unplaceable"
  ).length
  const unplaceableText = unplaceable === 0 ? "" : `, ${unplaceable} cannot be rescheduled`
  if (pods.length === 0 && gaps.some(({ kind }) => kind === "Pod"))
    return `Draining ${nodesText}: which pods leave, and for how long, is not known.`
  const moves = `${count(leaving, "pod")} ${leaving === 1 ? "leaves" : "leave"}, ${staying} ${staying === 1 ? "stays" : "stay"}${unplaceableText}.`
  return plan.blocked
    ? `Draining ${nodesText} is blocked: ${moves}`
    : `Draining ${nodesText} takes ${momentText(plan.takes)}: ${moves} ${notBlockedText(report)}`
}

/** Renders the plan as text for people: a summary, a table for each node, then what blocks or delays it. */
export const renderDrainTable = (report: DrainReport): string => {
  const { displaced, nodes } = report.plan
  const pods = nodes.flatMap((node) => node.pods)
  return `${[
    headline(report),
    ...nodes.flatMap((node) => nodeLines(node, !report.gaps.some(({ kind }) => kind === "Pod"))),
    ...section("Blocked", [...blockLines(pods), ...nodes.flatMap(missingFlagLines)]),
    ...section("Waits for a budget", pods.flatMap(waitLines)),
    ...section("Evicted uncounted", pods.flatMap(noteLines("uncounted"))),
    ...section("Not waited for", pods.flatMap(noteLines("leftBehind"))),
    ...section("Preempted", displaced.flatMap(displacedLines)),
    ...section("Unschedulable", unschedulableLines([...pods, ...displaced])),
    ...section("Not known", gapLines(report.gaps))
  ].join("\n")}\n`
}
