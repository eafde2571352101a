import type { Block, BudgetNumbers, Displaced, Moment, NodeDrain, PodDrain, Replacement } from "@rollcall/drain"
import { columns, fold } from "@rollcall/simulator"
import type { DrainReport } from "./DrainReport.ts"

/** A span as a person says it. */
const span = (seconds: number): string => {
  const whole = Math.round(seconds)
  if (whole < 120) return `${whole}s`
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${rest > 0 ? `${rest}s` : ""}`
}

const when = (seconds: number | undefined): string => (seconds === undefined ? "never" : span(seconds))

/** `2s, at worst 30s`; one of them where they are the same. */
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

const row = (one: PodDrain): ReadonlyArray<string> => [...leaving(one), nameOf(one.pod), landing(one.replacement)]

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
  refused: "is not drained: kubectl refuses, and goes on to the next node",
  stuck: "is never drained: kubectl waits without end",
  "timed-out": "is not drained: the timeout strikes",
  failed: "is not drained: an eviction fails for good",
  "not-reached": "is not reached: kubectl waits at an earlier node"
}

/** `0s to 11s, at worst 0s to 30s`; one of them where they are the same. */
const period = (starts: Moment, ends: Moment): string => {
  const expected = `${when(starts.expected)} to ${when(ends.expected)}`
  const worst = `${when(starts.worst)} to ${when(ends.worst)}`
  return expected === worst ? expected : `${expected}, at worst ${worst}`
}

const heading = ({ ends, name, outcome, pods, starts, wasCordoned, worstOutcome }: NodeDrain): string => {
  const cordon = wasCordoned ? "cordoned already" : "cordoned"
  const late = worstOutcome === outcome ? "" : `; at worst it ${outcomes[worstOutcome]}`
  if (outcome === "drained" && pods.length === 0) return `${name}: ${cordon}, nothing runs there`
  if (outcome === "drained") return `${name}: ${cordon}, ${period(starts, ends)}${late}`
  return `${name}: ${cordon}; ${outcomes[outcome]}${late}`
}

const told = (head: string, text: string): ReadonlyArray<string> => [
  `  ${head}`,
  ...fold(text, 96).map((line) => `    ${line}`)
]

const nodeLines = (node: NodeDrain): ReadonlyArray<string> => {
  const shown = node.pods
    .map((pod, index) => ({ pod, index, at: pod.leaves.expected ?? Number.POSITIVE_INFINITY }))
    .toSorted((left, right) => left.at - right.at || left.index - right.index)
  const head = ["leaves", "gone", "at worst", "pod", "comes again on"]
  return [
    "",
    heading(node),
    ...(shown.length === 0 ? [] : columns([head, ...shown.map(({ pod }) => row(pod))])),
    ...node.warnings.flatMap((warning) => fold(`Warning: ${warning}`, 96).map((line) => `  ${line}`))
  ]
}

const blockLines = (pod: PodDrain, block: Block): ReadonlyArray<string> => [
  ...told(`${nameOf(pod.pod)}  (${block.reason})`, block.message),
  ...(block.budget === undefined ? [] : [`    ${numbers(block.budget)}`])
]

const waitLines = (pod: PodDrain): ReadonlyArray<string> => {
  const { leaves, refusals, waitsFor } = pod
  if (waitsFor === undefined || pod.block !== undefined) return []
  const tried = `refused ${refusals === 1 ? "once" : `${refusals} times`}, leaves at ${both(leaves)}`
  return [
    ...told(`${nameOf(pod.pod)}  (${tried})`, waitsFor.message),
    ...(waitsFor.budget === undefined ? [] : [`    ${numbers(waitsFor.budget)}`])
  ]
}

const unplaced = (name: string, replacement: Replacement | undefined): ReadonlyArray<string> =>
  replacement?.kind === "unplaceable" ? told(name, replacement.message) : []

const displacedLines = ({ at, for: wanted, node, pod, replacement }: Displaced): ReadonlyArray<string> =>
  told(
    `${nameOf(pod)}  (${node}, at ${both(at)})`,
    `makes room for ${wanted}, of higher priority; comes again on: ${landing(replacement)}`
  )

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

const headline = ({ plan }: DrainReport): string => {
  const pods = plan.nodes.flatMap((node) => node.pods)
  const go = pods.filter(({ leaves }) => leaves.expected !== undefined).length
  const stay = pods.length - go
  const names = plan.nodes.map(({ name }) => name)
  const what = names.length > 3 ? count(names.length, "node") : names.join(", ")
  const moves = `${count(go, "pod")} ${go === 1 ? "goes" : "go"}, ${stay} ${stay === 1 ? "stays" : "stay"}.`
  return plan.blocked
    ? `Draining ${what} is blocked: ${moves}`
    : `Draining ${what} takes ${both(plan.takes)}: ${moves} Nothing blocks.`
}

/** The plan for a person. */
export const renderDrainTable = (report: DrainReport): string => {
  const { displaced, nodes } = report.plan
  const pods = nodes.flatMap((node) => node.pods)
  return `${[
    headline(report),
    ...nodes.flatMap(nodeLines),
    ...section(
      "Blocks",
      pods.flatMap((pod) => (pod.block === undefined ? [] : blockLines(pod, pod.block)))
    ),
    ...section("Waits for a budget", pods.flatMap(waitLines)),
    ...section("Makes room", displaced.flatMap(displacedLines)),
    ...section("Fits nowhere", [
      ...pods.flatMap((pod) => unplaced(nameOf(pod.pod), pod.replacement)),
      ...displaced.flatMap(({ pod, replacement }) => unplaced(nameOf(pod), replacement))
    ])
  ].join("\n")}\n`
}
