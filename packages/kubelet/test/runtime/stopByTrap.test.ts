import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import { stopByTrap } from "../../src/runtime/command/stopByTrap.ts"
import { makeModelledPodRuntime } from "../../src/runtime/ModelledPodRuntime.ts"

const podOf = (script: string, annotations: Readonly<Record<string, string>> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns", uid: "u", annotations },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i", command: ["sh", "-c", script] }] }
})

const stopOf = (script: string, sinceStartMs: number): string => {
  const pod = podOf(script)
  const [container] = pod.spec.containers
  const end = container && stopByTrap(pod, container, sinceStartMs)
  return end === undefined ? "traps nothing" : `${end.exitCode} after ${end.afterMs}`
}

const loop = "while true; do\n\tsleep 1\ndone"

describe("stopByTrap", () => {
  it("carries out what a command traps once the program that runs has ended", () => {
    const script = `_term(){\n\tsleep 5\n\texit 143\n}\ntrap _term SIGTERM\n${loop}`
    assert.strictEqual(stopOf(script, 10_300), "143 after 5700")
    assert.strictEqual(stopOf(script, 3_600_000), "143 after 6000")
    assert.strictEqual(stopOf(`trap 'exit 7' TERM; ${loop}`, 0), "7 after 1000")
  })

  it("is not known of a command that also traps its end", () => {
    assert.strictEqual(stopOf(`trap 'exit 7' TERM EXIT; ${loop}`, 0), "traps nothing")
    assert.strictEqual(stopOf(`trap 'exit 7' TERM; trap 'echo end' 0; ${loop}`, 2000), "traps nothing")
  })

  it("goes on where a trap does not exit", () => {
    assert.strictEqual(stopOf(`trap "" TERM; ${loop}`, 100), "0 after Infinity")
    assert.strictEqual(stopOf(`trap "echo no" TERM; ${loop}`, 100), "0 after Infinity")
    assert.strictEqual(stopOf("trap 'exit 1' TERM; sleep infinity", 100), "0 after Infinity")
  })

  it("knows commands that trap nothing", () => {
    for (const script of [
      loop,
      `trap 'exit 1' INT; ${loop}`,
      `trap 'exit 1' TERM; trap - TERM; ${loop}`,
      "trap 'exit 1' TERM"
    ])
      assert.strictEqual(stopOf(script, 100), "traps nothing")
  })

  it("is how a container ends", () => {
    const ends: Array<string> = []
    const time = makeVirtualTime(0)
    const runtime = makeModelledPodRuntime(time.timers, { startMs: 0 })
    const observer = {
      started: () => {},
      stopped: (exitCode: number) => ends.push(`${exitCode} at ${time.timers.now()}`),
      containerExited: (name: string, exitCode: number) => ends.push(`${name} ${exitCode} at ${time.timers.now()}`)
    } as unknown as Parameters<typeof runtime.start>[1]
    const pod = podOf(`trap "sleep 5; exit 143" TERM; ${loop}`)
    runtime.start(pod, observer)
    time.runUntil(10_500)
    runtime.stop(pod, 30, observer)
    time.runUntil(60_000)
    assert.include(ends.join(), "143 at 16000")
  })
})
