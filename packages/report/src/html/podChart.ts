import type { ScenarioResult } from "@rollcall/simulator/result"
import { clock } from "@rollcall/text"
import type { FaultSpan } from "../why/Facts.ts"
import { type Chart, frame, makeChart, makeXOf } from "./axis.ts"
import { element, escapeHtml } from "./markup.ts"
import { type PodSpan, type PodState, podStates } from "./podStates.ts"

/** Up to so many pods are all shown; of more, only those that end or move are. */
const MAX_LANES = 20
/** With more pods that end or move than this, there is no chart. */
const MAX_AFFECTED = 40
const LANE_HEIGHT = 16
/** Longer names than the margin has room for are shown by their first and last characters. */
const MAX_NAME = 20
/** The mean width of a character in a lane. */
const CHARACTER_WIDTH = 5.6

/** The names of the states in the legend and the tooltips. */
export const podStateNames: Readonly<Record<PodState, string>> = {
  pending: "Pending",
  running: "Running, not ready",
  ready: "Ready",
  terminating: "Terminating",
  ended: "ended",
  absent: "no such pod"
}

type Lane = readonly [pod: string, spans: ReadonlyArray<PodSpan>]

/** Whether a pod does more than become ready and stay so. */
const isAffected = ([, spans]: Lane): boolean => {
  const firstReady = spans.findIndex(({ state }) => state === "ready")
  return firstReady < 0 || firstReady < spans.length - 1 || (spans[firstReady]?.from ?? 0) > 60
}

const nameOf = (pod: string): string => {
  const name = pod.startsWith("default/") ? pod.slice("default/".length) : pod
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 13)}…${name.slice(-12)}`
}

const renderLane = ([pod, spans]: Lane, top: number, end: number): string => {
  const x = makeXOf(end)
  const middle = top + (LANE_HEIGHT - 1.5) / 2 + 4
  let named = ""
  const bars = spans.map(({ from, node, state, to }) => {
    if (state === "absent") return ""
    const width = Math.max(x(to) - x(from), 0.5)
    const title = `${pod}: ${podStateNames[state]}${node === "" ? "" : ` on ${node}`} ${clock(from)} to ${clock(to)}`
    const bar = element(
      "rect",
      { class: `pod-${state}`, x: x(from), y: top, width, height: LANE_HEIGHT - 1.5 },
      element("title", {}, escapeHtml(title))
    )
    if (node === named || width < (node.length + 1) * CHARACTER_WIDTH) return bar
    named = node
    return bar + element("text", { class: "on-node", x: x(from) + 4, y: middle }, escapeHtml(node))
  })
  return element("text", { class: "lane", x: frame.left - 10, y: middle }, escapeHtml(nameOf(pod))) + bars.join("")
}

/** Returns the chart of the states of pods, in the order of their creation; undefined if there are none, or too many. */
export const podChart = (result: ScenarioResult, faultSpans: ReadonlyArray<FaultSpan>): Chart | undefined => {
  const end = result.spec.durationSeconds
  const all = [...podStates(result.trace, end)].filter(([, spans]) => spans.length > 0)
  const lanes = all.length <= MAX_LANES ? all : all.filter(isAffected)
  if (lanes.length === 0 || lanes.length > MAX_AFFECTED) return undefined
  const top = frame.top + 6
  const content = lanes.map((lane, index) => renderLane(lane, top + index * LANE_HEIGHT, end))
  const height = top + lanes.length * LANE_HEIGHT + 8 + frame.bottom
  return makeChart("the state of the pods over time", height, end, faultSpans, content.join(""))
}
