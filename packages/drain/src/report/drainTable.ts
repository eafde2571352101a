import { columns, fold, gapLines, grouped } from "@rollcall/text"
import type { Block, BudgetNumbers, Displaced, Moment, NodeDrain, PodDrain, Replacement } from "../plan/DrainPlan.ts"
import type { DrainReport } from "./DrainReport.ts"

/** A duration for people. */
const span = (seconds: number): string => {
  const whole = Math.round(seconds)
  if (whole < 120) return `${whole}s`
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${rest > 0 ? `${rest}s` : ""}`
}

const when = (seconds: number | undefined): string => (seconds === undefined ? "never" : span(seconds))

/** `2s, at worst 30s`; a single one where they are equal. */
const both = ({ expected, worst }: Moment): string =>
  expected === worst ? when(expected) : `${when(expected)}, at worst ${when(worst)}`

const nameOf = ({ metadata }: PodDrain["pod"]): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`
const count = (many: number, one: string): string => `${many} ${one}${many === 1 ? "" : "s"}`

const landing = (replacement: Replacement | undefined): string => {
  if (replacement === undefined) return ""
  if (replacement.kind === "none") return `none: ${replacement.why}`
  if (replacement.kind === "unplaceable") return "nowhere"
  const { node, ready } = replacement
  return ready.expected === undefined
    ? `${node}, but does not become ready`
    : `${node}, ready at ${when(ready.expected)}`
}

const leaving = ({ block, by, gone, leaves }: PodDrain): readonly [leaves: string, gone: string, worst: string] => {
  if (by === undefined) return block === undefined ? ["stays", "", ""] : ["blocks", "", ""]
  if (leaves.expected === undefined) return [block === undefined ? "held" : "blocks", "", ""]
  return [when(leaves.expected), when(gone.expected), when(gone.worst)]
}

/** Where the replacement goes; for a pod that stays, why. */
const remark = (one: PodDrain): string => {
  if (one.staysBecause !== undefined) return one.staysBecause
  if (one.by !== undefined && one.block === undefined && one.leaves.expected === undefined) {
    return "not evicted while kubectl refuses this node"
  }
  return landing(one.replacement)
}

const row = (one: PodDrain): ReadonlyArray<string> => [...leaving(one), nameOf(one.pod), remark(one)]

const numbers = ({
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

/** `0s to 11s, at worst 0s to 30s`; a single one where they are equal. */
const period = (starts: Moment, ends: Moment): string => {
  const expected = `${when(starts.expected)} to ${when(ends.expected)}`
  const worst = `${when(starts.worst)} to ${when(ends.worst)}`
  return expected === worst ? expected : `${expected}, at worst ${worst}`
}

const heading = (
  { ends, name, outcome, pods, starts, wasCordoned, worstOutcome }: NodeDrain,
  knowsPods: boolean
): string => {
  const cordon = wasCordoned ? "cordoned already" : "cordoned"
  const late = worstOutcome === outcome ? "" : `; at worst it ${outcomes[worstOutcome]}`
  if (outcome === "drained" && pods.length === 0) {
    return `${name}: ${cordon}, ${knowsPods ? "no pods" : "its pods are not known"}`
  }
  if (outcome === "drained") return `${name}: ${cordon}, ${period(starts, ends)}${late}`
  return `${name}: ${cordon}; ${outcomes[outcome]}${late}`
}

const paragraph = (head: string, text: string): ReadonlyArray<string> => [
  `  ${head}`,
  ...fold(text, 96).map((line) => `    ${line}`)
]

const nodeLines = (node: NodeDrain, knowsPods: boolean): ReadonlyArray<string> => {
  const shown = node.pods
    .map((pod, index) => ({ pod, index, at: pod.leaves.expected ?? Number.POSITIVE_INFINITY }))
    .toSorted((left, right) => left.at - right.at || left.index - right.index)
  const head = ["leaves", "gone", "at worst", "pod", "replaced on"]
  return [
    "",
    heading(node, knowsPods),
    ...(shown.length === 0 ? [] : columns([head, ...shown.map(({ pod }) => row(pod))])),
    ...node.warnings.flatMap((warning) => fold(`Warning: ${warning}`, 96).map((line) => `  ${line}`))
  ]
}

const headed = (names: ReadonlyArray<string>, tail: string): ReadonlyArray<string> => {
  const lines = fold(names.join(", "), 90)
  return lines.map((line, index) => `  ${line}${index === lines.length - 1 ? tail : ""}`)
}

const blockText = ({ budget, message, why }: Block): string =>
  [
    ...fold(message, 96),
    ...(why === undefined ? [] : fold(why, 96)),
    ...(budget === undefined ? [] : [numbers(budget)])
  ]
    .map((line) => `    ${line}`)
    .join("\n")

const blockLines = (pods: ReadonlyArray<PodDrain>): ReadonlyArray<string> => {
  const blocked = pods.flatMap(({ block, pod }) => (block === undefined ? [] : [{ name: nameOf(pod), block }]))
  return grouped(blocked, ({ block }) => `  (${block.reason})\n${blockText(block)}`).flatMap(([text, same]) => {
    const [tail = "", ...lines] = text.split("\n")
    return [
      ...headed(
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
  const tried = `refused ${refusals === 1 ? "once" : `${refusals} times`}, leaves at ${both(leaves)}`
  return [
    ...paragraph(`${nameOf(pod.pod)}  (${tried})`, waitsFor.message),
    ...(waitsFor.budget === undefined ? [] : [`    ${numbers(waitsFor.budget)}`])
  ]
}

/** The flags with which kubectl would start. */
const wantLines = ({ name, wants }: NodeDrain): ReadonlyArray<string> =>
  wants.length === 0 ? [] : [`  ${name}: kubectl starts with ${wants.join(" ")}`]

const noteLines =
  (note: "uncounted" | "leftBehind") =>
  (pod: PodDrain): ReadonlyArray<string> => {
    const text = pod[note]
    return text === undefined ? [] : paragraph(nameOf(pod.pod), text)
  }

interface Landing {
  readonly pod: PodDrain["pod"]
  readonly replacement?: Replacement
}

const unplacedLines = (all: ReadonlyArray<Landing>): ReadonlyArray<string> => {
  const lost = all.flatMap(({ pod, replacement }) =>
    replacement?.kind === "unplaceable" ? [{ name: nameOf(pod), message: replacement.message }] : []
  )
  return grouped(lost, ({ message }) => message).flatMap(([message, same]) => [
    ...headed(
      same.map(({ name }) => name),
      ""
    ),
    ...fold(message, 96).map((line) => `    ${line}`)
  ])
}

const displacedLines = ({ at, for: wanted, node, pod, replacement }: Displaced): ReadonlyArray<string> =>
  paragraph(
    `${nameOf(pod)}  (${node}, at ${both(at)})`,
    `preempted for ${wanted}, which has a higher priority; replaced on: ${landing(replacement)}`
  )

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

/** Kinds that may block and that the snapshot may lack. */
const unknownBlocks = { Pod: "pods", PodDisruptionBudget: "budgets" } as const

const nothingBlocks = ({ gaps }: DrainReport): string => {
  const unknown = Object.entries(unknownBlocks).flatMap(([kind, name]) =>
    gaps.some((gap) => gap.kind === kind) ? [name] : []
  )
  return unknown.length === 0 ? "Nothing blocks." : `Nothing known blocks it; ${unknown.join(" and ")} are not known.`
}

const headline = (report: DrainReport): string => {
  const { gaps, plan } = report
  const pods = plan.nodes.flatMap((node) => node.pods)
  const go = pods.filter(({ leaves }) => leaves.expected !== undefined).length
  const stay = pods.length - go
  const names = plan.nodes.map(({ name }) => name)
  const what = names.length > 3 ? count(names.length, "node") : names.join(", ")
  const lost = [...pods, ...plan.displaced].filter(({ replacement }) => replacement?.kind === "unplaceable").length
  const nowhere = lost === 0 ? "" : `, ${lost} cannot be rescheduled`
  if (gaps.some(({ kind }) => kind === "Pod"))
    return `Draining ${what}: which pods leave, and for how long, is not known.`
  const moves = `${count(go, "pod")} ${go === 1 ? "leaves" : "leave"}, ${stay} ${stay === 1 ? "stays" : "stay"}${nowhere}.`
  return plan.blocked
    ? `Draining ${what} is blocked: ${moves}`
    : `Draining ${what} takes ${both(plan.takes)}: ${moves} ${nothingBlocks(report)}`
}

/** Renders the plan as a table. */
export const renderDrainTable = (report: DrainReport): string => {
  const { displaced, nodes } = report.plan
  const pods = nodes.flatMap((node) => node.pods)
  return `${[
    headline(report),
    ...nodes.flatMap((node) => nodeLines(node, !report.gaps.some(({ kind }) => kind === "Pod"))),
    ...section("Blocked", [...blockLines(pods), ...nodes.flatMap(wantLines)]),
    ...section("Waits for a budget", pods.flatMap(waitLines)),
    ...section("Evicted uncounted", pods.flatMap(noteLines("uncounted"))),
    ...section("Not waited for", pods.flatMap(noteLines("leftBehind"))),
    ...section("Preempted", displaced.flatMap(displacedLines)),
    ...section("Unschedulable", unplacedLines([...pods, ...displaced])),
    ...section("Not known", gapLines(report.gaps))
  ].join("\n")}\n`
}
