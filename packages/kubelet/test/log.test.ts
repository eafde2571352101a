import { assert, describe, it } from "@effect/vitest"
import {
  type ApiError,
  type ComponentLog,
  type Connection,
  cancellable,
  type makeEventRecorder
} from "@rollcall/cluster"
import { refusal } from "@rollcall/cluster/testing"
import { makeVirtualTime } from "@rollcall/time"
import * as Result from "effect/Result"
import { type KubeletOptions, makeModelledKubelet } from "../src/index.ts"
import { modelWithoutJitter, START, setUpKubelet } from "./setUpKubelet.ts"
import { TestApi } from "./TestApi.ts"

const MINUTE = 60_000

/** A log that keeps lines with the time of each, in milliseconds after the start. */
const makeRecordingLog = (now: () => number) => {
  const lines: Array<{ readonly atMs: number; readonly text: string }> = []
  const log: ComponentLog = (severity, message, { err } = {}) => {
    lines.push({ atMs: now() - START, text: `${severity} ${message}${err === undefined ? "" : `: ${err}`}` })
  }
  const times = (text: string) => lines.filter((line) => line.text.startsWith(text)).map(({ atMs }) => atMs)
  return { lines, log, times }
}

/** One kubelet whose API server answers what `refuse` says, while that says something. */
const setUp = (options: Partial<KubeletOptions> = {}) => {
  const time = makeVirtualTime(START)
  const api = new TestApi(time)
  const server: { refuse: ApiError | undefined } = { refuse: undefined }
  const to = api.connectionOf("n1")
  const connection: Connection = {
    send: cancellable((request, reply) => {
      if (server.refuse === undefined) to.send(request, reply)
      else reply(Result.fail(server.refuse))
    }),
    watch: to.watch
  }
  const kept = makeRecordingLog(time.timers.now)
  const kubelet = makeModelledKubelet(time.timers, {
    name: "n1",
    connection,
    model: modelWithoutJitter,
    log: kept.log,
    ...options
  })
  return { ...kept, api, kubelet, server, untilMs: (ms: number) => time.runUntil(START + ms) }
}

describe("the log of a kubelet that the API server refuses", () => {
  it("has a line for each try, with the kubelet's text and timing", () => {
    const { kubelet, server, times, untilMs } = setUp()
    server.refuse = refusal(401, "Unauthorized")
    kubelet.startKubelet()
    untilMs(MINUTE)
    // 0.1 s doubling to 7 s.
    const tries = [100, 300, 700, 1500, 3100, 6300, 12_700, 19_700, 26_700]
    assert.deepStrictEqual(times("info Attempting to register node").slice(0, 9), tries)
    assert.deepStrictEqual(times("error Unable to register node with API server: Unauthorized").slice(0, 9), tries)
    // At once, then after 0.2 s doubling to 7 s.
    assert.deepStrictEqual(
      times("error Failed to ensure lease exists, will retry: Unauthorized").slice(0, 8),
      [0, 200, 600, 1400, 3000, 6200, 12_600, 19_600]
    )
    const lists = times("error Failed to watch: failed to list *v1.Node: Unauthorized")
    assert.isTrue(lists.length >= 5 && lists.length <= 8)
    const { lease, registration, status, syncLoop } = kubelet.health()
    assert.deepStrictEqual(
      [registration, lease, status, syncLoop],
      ["Unauthorized", "Unauthorized", undefined, undefined]
    )
  })

  it("has a line for the registration once the server accepts it", () => {
    const { kubelet, lines, server, untilMs } = setUp()
    server.refuse = refusal(401, "Unauthorized")
    kubelet.startKubelet()
    untilMs(2000)
    server.refuse = undefined
    untilMs(MINUTE)
    assert.include(
      lines.map(({ text }) => text),
      "info Successfully registered node"
    )
    const { lease, registration, status } = kubelet.health()
    assert.deepStrictEqual([registration, lease, status], [undefined, undefined, undefined])
    const before = lines.length
    untilMs(10 * MINUTE)
    assert.strictEqual(lines.length, before)
  })

  it("logs a Lease and a status that it can no longer write", () => {
    const { kubelet, lines, server, times, untilMs } = setUp()
    kubelet.startKubelet()
    untilMs(MINUTE)
    const quiet = lines.length
    server.refuse = refusal(403, "Forbidden")
    kubelet.syncNodeStatus()
    untilMs(2 * MINUTE)
    const told = lines.slice(quiet).map(({ text }) => text)
    assert.deepStrictEqual(told.filter((text) => text.includes("lease")).slice(0, 7), [
      ...Array.from({ length: 5 }, () => "error Failed to update lease: Forbidden"),
      "info failed to update lease using latest lease, fallback to ensure lease: failed 5 attempts to update lease",
      "error Failed to ensure lease exists, will retry: Forbidden"
    ])
    kubelet.pressure("MemoryPressure", true)
    untilMs(3 * MINUTE)
    assert.isAbove(times("error Error updating node status, will retry: ").length, 4)
    assert.include(
      lines.map(({ text }) => text),
      'error Error updating node status, will retry: error getting node "n1": Forbidden'
    )
    assert.isAbove(times("error Unable to update node status: update node status exceeds retry count").length, 0)
    assert.include(kubelet.health().status, "Forbidden")
    assert.strictEqual(kubelet.health().lease, "Forbidden")
    server.refuse = undefined
    untilMs(4 * MINUTE)
    assert.deepStrictEqual([kubelet.health().lease, kubelet.health().status], [undefined, undefined])
  })

  it("reports that the sync loop skips pods once its runtime has been down for five minutes", () => {
    const { kubelet, untilMs } = setUp()
    kubelet.startKubelet()
    untilMs(MINUTE)
    kubelet.runtimeDown(true)
    // It counts as down 30 s after it was last seen well.
    untilMs(MINUTE + 30_000 + 5 * MINUTE)
    assert.isUndefined(kubelet.health().syncLoop)
    untilMs(MINUTE + 30_000 + 5 * MINUTE + 1)
    assert.strictEqual(kubelet.health().syncLoop, "sync Loop took longer than expected")
    kubelet.runtimeDown(false)
    untilMs(8 * MINUTE)
    assert.isUndefined(kubelet.health().syncLoop)
  })
})

describe("Events about a node", () => {
  it("have the node's name as UID, which kubectl describe node selects by", () => {
    const regarded: Array<unknown> = []
    const recorder: Pick<ReturnType<typeof makeEventRecorder>, "event"> = {
      event: (regarding, _, reason) => void regarded.push([reason, regarding])
    }
    const { kubelet, untilMs } = setUpKubelet({ recorder })
    kubelet.startKubelet()
    untilMs(MINUTE)
    kubelet.nodeEvent("Warning", "CgroupV1", "told")
    assert.deepInclude(regarded, ["Starting", { apiVersion: "v1", kind: "Node", name: "n1", uid: "n1" }])
    assert.deepInclude(regarded, ["CgroupV1", { apiVersion: "v1", kind: "Node", name: "n1", uid: "n1" }])
    assert.strictEqual(
      regarded.every((one) => JSON.stringify(one).includes('"uid":"n1"')),
      true
    )
  })
})
