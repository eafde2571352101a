import { assert, describe, it } from "vitest"
import { kubeletConfig, makeModelledPodRuntime } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const setUp = (containerLogMaxSize: string, script: string) => {
  const made = setUpKubelet({
    runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }),
    config: kubeletConfig({ containerLogMaxSize })
  })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  const containers = [{ name: "c", image: "busybox", command: ["sh", "-c", script] }]
  made.api.createPod("p", "n1", { containers, restartPolicy: "Never" })
  const read = (query: Readonly<Record<string, string>> = {}) => {
    const state = { text: "" }
    const asked = new Map(Object.entries(query).map(([name, value]) => [name, [value]] as const))
    const { body } = made.kubelet.serve({ method: "GET", path: "/containerLogs/default/p/c", query: asked })
    if (typeof body === "string" || !("open" in body)) throw new Error("no stream")
    body.open({ write: (_, text) => (state.text += text), isFull: () => false, end: () => (state.text += "<end>") })
    return state
  }
  /** What a reader gets who comes at a time and leaves. */
  const logAt = (ms: number, query: Readonly<Record<string, string>> = {}) => {
    made.untilMs(ms)
    const state = read(query)
    made.time.runUntil(made.time.timers.now() + 20)
    return state.text
  }
  return { ...made, read, logAt }
}

/** A line every second, of 48 bytes in the file. */
const COUNT = "i=10; while true; do echo line $i; i=$((i+1)); sleep 1; done"

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("")

describe("the log of a container", () => {
  it("begins anew when it has its size at a look of the kubelet, for those who come then", () => {
    const { logAt, read, untilMs } = setUp("480", COUNT)
    untilMs(2_500)
    const follower = read({ follow: "true" })
    // The tenth line comes at 11 s, and the looks are at 10 and 20 s.
    assert.strictEqual(logAt(11_900), `${lines(10, 19)}<end>`)
    assert.strictEqual(logAt(19_900), `${lines(10, 27)}<end>`)
    assert.strictEqual(logAt(20_500), `${lines(28, 28)}<end>`)
    assert.strictEqual(logAt(23_500, { tailLines: "100" }), `${lines(28, 31)}<end>`)
    assert.strictEqual(logAt(23_600, { tailLines: "2" }), `${lines(30, 31)}<end>`)
    assert.strictEqual(logAt(23_700, { limitBytes: "10" }), "line 28\nli<end>")
    assert.strictEqual(logAt(23_800, { sinceSeconds: "20" }), `${lines(28, 31)}<end>`)
    assert.strictEqual(follower.text, lines(10, 31))
  })

  it("is the same if it is first computed late", () => {
    const { logAt } = setUp("480", COUNT)
    assert.strictEqual(logAt(63_500), `${lines(68, 71)}<end>`)
  })

  it("is empty after its rotation until more is written, and stays if the container has ended before", () => {
    const quiet = setUp("1Ki", "seq 1000; sleep 1000")
    assert.match(quiet.logAt(9_000), /^1\n2\n/)
    assert.strictEqual(quiet.logAt(10_100), "<end>")
    const ended = setUp("1Ki", "seq 1000; sleep 4")
    assert.match(ended.logAt(60_000), /\n1000\n<end>$/)
  })

  it("counts bytes and the pieces of long lines", () => {
    // Two lines of 40 + 3 × 100 + 1 bytes.
    const script = `echo ${"日".repeat(100)}; echo ${"日".repeat(100)}; sleep 1000`
    assert.strictEqual(setUp("682", script).logAt(10_100), "<end>")
    assert.notStrictEqual(setUp("683", script).logAt(10_100), "<end>")
  })

  it("is never rotated if its size is negative, and its memory is bounded all the same", () => {
    assert.strictEqual(setUp("-1", COUNT).logAt(63_500), `${lines(10, 71)}<end>`)
  })

  it("is looked at from the start of the process on", () => {
    const { kubelet, logAt, untilMs } = setUp("480", COUNT)
    untilMs(15_000)
    kubelet.stopKubelet()
    untilMs(17_000)
    kubelet.startKubelet()
    assert.strictEqual(logAt(26_900), `${lines(25, 34)}<end>`)
    assert.strictEqual(logAt(27_500), `${lines(35, 35)}<end>`)
  })

  it("is there for a container that has started by a clock that was set back since", () => {
    const { kubelet, logAt, untilMs } = setUp("10Mi", COUNT)
    kubelet.clockSkewed(3_600_000)
    untilMs(5_000)
    kubelet.stopKubelet()
    kubelet.clockSkewed(0)
    kubelet.startKubelet()
    assert.strictEqual(logAt(8_500), `${lines(10, 13)}<end>`)
  })
})
