import type { Pod } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { makeModelledHost, makeModelledPodRuntime, type PodObserver } from "../../src/index.ts"
import { annotationBehaviour, type PodBehaviour, parseBehaviour } from "../../src/runtime/PodBehaviour.ts"

const problemOf = (text: string) => {
  const parsed = parseBehaviour(text)
  return Result.isFailure(parsed) ? parsed.failure : undefined
}

describe("a behaviour", () => {
  it("is read from JSON", () => {
    const given: PodBehaviour = { app: { exitAfterSeconds: 5, exitCode: 1, memory: "500Mi" }, "*": { stopSeconds: 40 } }
    assert.deepStrictEqual(Result.getOrThrow(parseBehaviour(JSON.stringify(given))), given)
  })

  it("is refused with the path of the problem", () => {
    assert.include(problemOf("{") ?? "", "JSON")
    const mistakes = ["[]", '{"c": 3}', '{"c": {"exit": 3}}', '{"c": {"stopSeconds": -1}}', '{"c": {"memory": "much"}}']
    assert.deepStrictEqual(mistakes.map(problemOf), [
      "must be an object of containers",
      "c: must be an object",
      'c: unknown field "exit"',
      "c.stopSeconds: must be a number, at least 0",
      "c.memory: must be a quantity such as 500Mi"
    ])
    assert.strictEqual(problemOf('{"c": {"exitCode": 1.5}}'), "c.exitCode: must be a whole number, at least 0")
    assert.strictEqual(problemOf('{"c": {"imagePull": "slow"}}'), 'c.imagePull: must be "fail"')
  })
})

const Gi = 2 ** 30

describe("a machine whose resources can run out", () => {
  const start = () => {
    const time = makeVirtualTime(0)
    const capacity = { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi" }
    const host = makeModelledHost({ name: "n1", capacity, resources: time.timers, systemMemory: "1Gi" })
    const runtime = makeModelledPodRuntime(time.timers, {}, host)
    const { resources } = host
    if (resources === undefined) throw new Error("they cannot")
    let changes = 0
    resources.onChange?.(() => void changes++)
    return { time, host, runtime, resources, changes: () => changes }
  }

  const podOf = (behaviour: PodBehaviour): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "a",
      namespace: "default",
      uid: "u1",
      annotations: { [annotationBehaviour]: JSON.stringify(behaviour) }
    },
    spec: { containers: [{ name: "c" }] }
  })

  it("has less available while a pod uses some", () => {
    const { changes, resources, runtime, time } = start()
    const pod = podOf({ c: { memory: "3Gi", disk: "10Gi", processes: 7 } })
    const heard: Array<string> = []
    const observer: PodObserver = {
      started: () => {},
      sandboxReady: () => runtime.containers?.startContainer(pod, "c", false, observer),
      containerStarted: (name) => void heard.push(`${name} up`),
      containerFailed: () => {},
      containerExited: () => {},
      stopped: () => void heard.push("stopped"),
      warned: (_, message) => void heard.push(message)
    }
    const memory = () => resources.read().signals["memory.available"]
    assert.deepStrictEqual(memory(), { available: 7 * Gi, capacity: 8 * Gi, atMs: 0 })
    runtime.containers?.startSandbox(pod, observer)
    time.runUntil(2_000)
    assert.deepStrictEqual(heard, ["c up"])
    assert.strictEqual(memory()?.available, 4 * Gi)
    assert.strictEqual(resources.read().signals["nodefs.available"]?.available, 90 * Gi)
    const usage = resources.read().podUsage("u1")
    assert.strictEqual(usage?.memoryBytes, 3 * Gi)
    assert.strictEqual(usage?.containers?.c?.rootfsBytes, 10 * Gi)
    assert.strictEqual(usage?.processes, 7)
    assert.strictEqual(changes(), 1)
    runtime.stop(pod, 30, observer)
    time.runUntil(4_000)
    assert.deepStrictEqual(heard, ["c up", "stopped"])
    assert.strictEqual(memory()?.available, 7 * Gi)
    assert.isUndefined(resources.read().podUsage("u1"))
    assert.strictEqual(changes(), 2)
  })

  it("has the amount that was set, until it is reset", () => {
    const { changes, host, resources } = start()
    host.setAvailable("memory.available", "50Mi")
    host.setAvailable("allocatableMemory.available", "1Gi")
    const { signals } = resources.read()
    assert.strictEqual(signals["memory.available"]?.available, 50 * 2 ** 20)
    assert.strictEqual(signals["allocatableMemory.available"]?.available, Gi)
    host.setAvailable("memory.available", undefined)
    assert.strictEqual(resources.read().signals["memory.available"]?.available, 7 * Gi)
    assert.strictEqual(changes(), 3)
  })

  it("is limited only on request: otherwise the host reports no resources", () => {
    const host = makeModelledHost({ name: "n1" })
    host.setAvailable("memory.available", "50Mi")
    host.setPodUsage("u1", { memoryBytes: 3 })
    assert.isUndefined(host.resources)
  })
})
