import * as Context from "effect/Context"
import { assert, describe, it } from "vitest"
import { makeKubeletMeter, makeModelledHost, makeModelledKubelet } from "../../src/index.ts"
import { modelWithoutJitter } from "../setUpKubelet.ts"
import { fits, resourcesOf, setUp } from "./setUpResizes.ts"

describe("another process of the kubelet", () => {
  it("keeps what was allocated, and grants the rest later", () => {
    const { api, create, kubelet, link, resize, shown, time, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    create("b", resourcesOf("2", "1Gi"), { terminationGracePeriodSeconds: 1 })
    untilMs(8_000)
    resize("a", resourcesOf("3500m", "1Gi"))
    untilMs(9_000)
    kubelet.stopKubelet()
    const host = makeModelledHost({ name: "n1", capacity: { cpu: "4", memory: "16Gi", pods: "110" } })
    const { connection } = link
    const next = makeModelledKubelet(time.timers, { name: "n1", connection, model: modelWithoutJitter, host })
    next.startKubelet()
    untilMs(20_000)
    assert.strictEqual(api.pod("a")?.status?.phase, "Running")
    assert.deepStrictEqual([shown("a").allocated, shown("a").conditions[0]?.[1]], ["1", "Deferred"])
    api.deletePod("b")
    untilMs(40_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "3500m", actual: "3500m" })
  })
})

describe("a runtime that does not answer", () => {
  it("gets the resize once it answers again", () => {
    const { create, kubelet, resize, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    untilMs(8_000)
    kubelet.runtimeDown(true)
    resize("a", resourcesOf("2", "1Gi"))
    untilMs(60_000)
    const waiting = { ...fits, conditions: [["PodResizeInProgress", 2]], allocated: "2", actual: "1" }
    assert.deepStrictEqual(shown("a"), waiting as never)
    kubelet.runtimeDown(false)
    untilMs(90_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "2", actual: "2" })
  })
})

describe("the metrics of resizes", () => {
  it("count what is asked for, refused, deferred and done", () => {
    const counted: Array<string> = []
    const count = (what: string) => (value: unknown) => void counted.push(`${what} ${JSON.stringify(value)}`)
    const meter = {
      ...makeKubeletMeter(Context.empty()),
      resizeRequested: count("requested"),
      resizeInfeasible: count("infeasible"),
      deferredResizeAccepted: count("accepted"),
      resizeActuated: count("actuated")
    }
    const { api, create, resize, untilMs } = setUp({ meter })
    create("a", resourcesOf("1", "1Gi"))
    create("b", resourcesOf("2", "1Gi"), { terminationGracePeriodSeconds: 1 })
    untilMs(8_000)
    resize("a", resourcesOf("3500m", "1Gi", { memory: "2Gi" }))
    untilMs(10_000)
    api.deletePod("b")
    untilMs(20_000)
    assert.deepStrictEqual(counted, [
      'requested {"resource":"memory","requirement":"limits","operation":"add"}',
      'requested {"resource":"cpu","requirement":"requests","operation":"increase"}',
      'accepted "pod_terminated"',
      "actuated true"
    ])
  })
})
