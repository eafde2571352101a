import { getPodCondition, isNodeReady, type Node, parseTime } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { kubeletConfig, modelUpstream } from "../src/index.ts"
import { START, setUpKubelet } from "./setUpKubelet.ts"

/** The reflector's longest pause, 30 s times two; then up to 10 s to compare, and a second to stop or start. */
const SETTLED_AFTER_MS = 75_000

const action = fc.record({
  afterMs: fc.integer({ min: 0, max: 40_000 }),
  what: fc.constantFrom("cut", "heal", "create", "delete", "deleteNow", "crash", "boot", "stop", "start", "mark"),
  which: fc.integer({ min: 0, max: 5 })
})

describe("laws", () => {
  it("after any faults of link, machine and process, the pods that run are those of the API", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), fc.integer(), (deeds, seed) => {
        const { boot, api, kubelet, link, untilMs } = setUpKubelet({ model: modelUpstream, seed })
        kubelet.startKubelet()
        let now = 15_000
        let made = 0
        untilMs(now)
        for (const { afterMs, what, which } of deeds) {
          now += afterMs
          untilMs(now)
          const name = `p${which}`
          if (what === "cut" || what === "heal") link.setCut(what === "cut")
          else if (what === "create" && api.pod(name) === undefined) {
            made++
            api.createPod(name, "n1")
          } else if (what === "delete") api.deletePod(name)
          else if (what === "deleteNow") api.deletePod(name, 0)
          else if (what === "crash") kubelet.powerLost()
          else if (what === "boot") boot()
          else if (what === "stop") kubelet.stopKubelet()
          else if (what === "start") kubelet.startKubelet()
          else if (what === "mark") {
            const pod = api.pod(name)
            const conditions = pod?.status?.conditions?.map((held) =>
              held.type === "Ready" ? { ...held, status: "False" as const } : held
            )
            if (pod !== undefined)
              api.update("Pod", { ...pod, status: { ...pod.status, conditions } } as typeof pod, "status")
          }
        }
        link.setCut(false)
        boot()
        kubelet.startKubelet()
        untilMs(now + SETTLED_AFTER_MS)

        const running = kubelet.pods().filter(({ hasContainers }) => hasContainers)
        const names = Array.from({ length: 6 }, (_, index) => `p${index}`)
        const wanted = names.map((name) => api.pod(name)).filter((pod) => pod !== undefined)
        assert.deepStrictEqual(
          running.map(({ uid }) => uid).sort(),
          wanted.map(({ metadata }) => metadata.uid ?? "").sort()
        )
        for (const pod of wanted) {
          assert.isUndefined(pod.metadata.deletionTimestamp)
          assert.strictEqual(pod.status?.phase, "Running")
          assert.strictEqual(getPodCondition(pod.status, "Ready")?.status, "True")
        }
        assert.isAtMost(running.length, made)
        assert.isTrue(isNodeReady(api.node("n1") as Node))
        const renewed = parseTime(api.lease("n1")?.spec?.renewTime ?? "") - START
        assert.isAbove(renewed, now + SETTLED_AFTER_MS - 10_401)
      }),
      { numRuns: 150 }
    )
  })

  it("after any cut, renewals resume within the back-off", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), fc.integer(), (cutMs, seed) => {
        const { kubelet, link, times, untilMs } = setUpKubelet({ model: modelUpstream, seed })
        kubelet.startKubelet()
        untilMs(45_000)
        link.setCut(true)
        untilMs(45_000 + cutMs)
        link.setCut(false)
        const before = times("update Lease").length
        // A pause of at most 7 s, or, when the cut fell between two renewals, the rest of an interval.
        untilMs(45_000 + cutMs + 10_400)
        assert.isAbove(times("update Lease").length, before)
        const first = times("update Lease")[before] ?? 0
        if (cutMs > 10_400) assert.isAtMost(first, 45_000 + cutMs + 7_000)
      })
    )
  })

  it("status changes are posted at the same instants as by a kubelet that checks at every instant", () => {
    const looks = (seed: number): ReadonlyArray<number> => {
      const config = kubeletConfig({ nodeStatusReportFrequencyMs: 1 })
      const { kubelet, times, untilMs } = setUpKubelet({ model: modelUpstream, config, seed })
      kubelet.startKubelet()
      untilMs(1_000_000)
      return times("patch Node/status")
    }
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 8 }), (seed, pauses) => {
        const grid = looks(seed)
        const config = kubeletConfig({ nodeStatusReportFrequencyMs: Number.POSITIVE_INFINITY })
        const { kubelet, times, untilMs } = setUpKubelet({ model: modelUpstream, config, seed })
        kubelet.startKubelet()
        let now = 1_000
        let under = false
        const expected = [100]
        for (const pause of pauses) {
          now += pause
          untilMs(now)
          under = !under
          kubelet.pressure("MemoryPressure", under)
          // A change may be undone by the next one before anybody looks.
          const look = grid.find((at) => at >= now) ?? 0
          if (expected.at(-1) === look) expected.pop()
          else expected.push(look)
        }
        untilMs(1_000_000)
        assert.deepStrictEqual(times("patch Node/status"), expected)
      }),
      { numRuns: 40 }
    )
  })
})
