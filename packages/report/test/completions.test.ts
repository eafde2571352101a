import type { TraceEntry } from "@rollcall/simulator/result"
import { assert, describe, it } from "vitest"
import { completionsOf } from "../src/completions.ts"
import { timelineOf } from "../src/timeline.ts"

const on = (pod: string) => ({ namespace: "default", pod, node: "n-0" })
const notReady = (at: number, pod: string): TraceEntry => ({ at, type: "PodReadyChanged", ...on(pod), ready: false })
const ended = (at: number, pod: string, to: string): TraceEntry => ({
  at,
  type: "PodPhaseChanged",
  ...on(pod),
  from: "Running",
  to,
  reason: ""
})
const deleted = (at: number, pod: string): TraceEntry => ({
  at,
  type: "PodDeletionRequested",
  ...on(pod),
  by: "user",
  gracePeriodSeconds: 30
})

describe("the completion of a pod", () => {
  const completed = [notReady(20, "job-a"), notReady(20, "web-a"), ended(20, "job-a", "Succeeded")]
  const reversed = [ended(30, "job-b", "Succeeded"), notReady(30, "job-b")]

  it("is the loss of its readiness as it succeeds, in either order", () => {
    assert.deepStrictEqual([...completionsOf([...completed, ...reversed])], [completed[0], reversed[1]])
  })

  it("is neither a failure, nor the end of a pod that is deleted, nor a success at another time", () => {
    const others = [
      ...[notReady(40, "failed"), ended(40, "failed", "Failed")],
      ...[deleted(40, "drained"), notReady(41, "drained"), ended(41, "drained", "Succeeded")],
      ...[notReady(42, "slow"), ended(50, "slow", "Succeeded")]
    ]
    assert.isEmpty(completionsOf(others))
  })

  it("is no line of the timeline, in which a pod leaves its Services and pods leave theirs", () => {
    const lines = timelineOf([...completed, notReady(60, "x"), notReady(60, "y")], { zoneOf: () => "" })
    assert.deepStrictEqual(
      lines.map(({ text }) => text),
      ["1 pod not ready: removed from its Services", "2 pods not ready: removed from their Services"]
    )
  })
})
