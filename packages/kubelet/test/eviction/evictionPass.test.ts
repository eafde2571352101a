import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { evictionSettings } from "../../src/eviction/EvictionState.ts"
import { kubeletConfig } from "../../src/index.ts"
import {
  type EvictionSettings,
  type EvictionState,
  evictionPass,
  isCriticalPod,
  noPressure,
  rankPods,
  thresholdsMet
} from "../../src/rules.ts"
import { GI, MI, makePod, readingsAt } from "./samples.ts"

const settings = evictionSettings(
  kubeletConfig({
    evictionHard: { "memory.available": "1Gi", "nodefs.available": "10%" },
    evictionSoft: { "memory.available": "2Gi" },
    evictionSoftGracePeriodMs: { "memory.available": 60_000 },
    evictionMinimumReclaim: { "memory.available": "500Mi" },
    evictionMaxPodGracePeriod: 30
  })
)

const arbitraryPod = fc
  .record({
    id: fc.integer({ min: 0, max: 9 }),
    priority: fc.constantFrom(undefined, -5, 0, 1000, 2_000_000_000),
    request: fc.constantFrom(undefined, "100Mi", "1Gi"),
    terminationGracePeriodSeconds: fc.constantFrom(undefined, 5, 600),
    memoryBytes: fc.option(fc.integer({ min: 0, max: 2 * GI }), { nil: undefined }),
    rootfsBytes: fc.integer({ min: 0, max: 2 * GI })
  })
  .map(({ id, memoryBytes, priority, request, rootfsBytes, terminationGracePeriodSeconds }) => ({
    pod: makePod(`p${id}`, {
      ...(priority === undefined ? {} : { priority }),
      ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
      containers: [
        {
          name: "c",
          ...(request === undefined
            ? {}
            : { resources: { requests: { memory: request, "ephemeral-storage": request } } })
        }
      ]
    }),
    usage: memoryBytes === undefined ? undefined : { memoryBytes, containers: { c: { rootfsBytes, logsBytes: 0 } } }
  }))
const arbitraryPods = fc.uniqueArray(arbitraryPod, { selector: ({ pod }) => pod.metadata.name, maxLength: 8 })

const arbitraryPass = fc.record({
  afterMs: fc.integer({ min: 1, max: 200_000 }),
  memory: fc.constantFrom(500 * MI, 1200 * MI, 1600 * MI, 2200 * MI, 4 * GI),
  disk: fc.constantFrom(5 * GI, 50 * GI),
  pods: arbitraryPods
})

/** Runs passes one after the other and shows each to a check, with the state before it. */
const checkPasses = (
  given: ReadonlyArray<typeof arbitraryPass extends fc.Arbitrary<infer A> ? A : never>,
  check: (
    pass: ReturnType<typeof evictionPass>,
    before: EvictionState,
    atMs: number,
    left: { readonly memory: number; readonly disk: number }
  ) => void,
  by: EvictionSettings = settings
) => {
  let state = noPressure
  let atMs = 0
  for (const { afterMs, disk, memory, pods } of given) {
    atMs += afterMs
    const usage = new Map(
      pods.flatMap(({ pod, usage }) => (usage === undefined ? [] : [[pod.metadata.uid ?? "", usage]]))
    )
    const readings = readingsAt(atMs, { "memory.available": memory, "nodefs.available": disk }, usage)
    const pass = evictionPass(
      state,
      readings,
      pods.map(({ pod }) => pod),
      atMs,
      by
    )
    check(pass, state, atMs, { memory, disk })
    state = pass.state
  }
}

const history = fc.array(arbitraryPass, { maxLength: 12 })

describe("a pass of the eviction manager", () => {
  it("does nothing for the node while no threshold is met and all are resolved", () => {
    fc.assert(
      fc.property(history, (given) =>
        checkPasses(given, ({ overLimits, relief }, _, __, { disk, memory }) => {
          assert.lengthOf(overLimits, 0)
          if (memory >= 2 * GI + 500 * MI && disk >= 11 * GI) assert.isUndefined(relief)
        })
      )
    )
  })

  it("sets a condition as soon as a threshold is met, and drops it a whole transition period after the last time", () => {
    fc.assert(
      fc.property(history, (given) => {
        let lastMetMs = Number.NEGATIVE_INFINITY
        checkPasses(given, ({ state }, _, atMs, { memory }) => {
          if (memory < 2 * GI || state.actedOn.some(({ signal }) => signal === "memory.available")) lastMetMs = atMs
          assert.strictEqual(state.conditions.includes("MemoryPressure"), atMs - lastMetMs < 300_000)
        })
      })
    )
  })

  it("never ends a critical pod, and gives a victim a second or at most what is configured", () => {
    fc.assert(
      fc.property(history, (given) =>
        checkPasses(given, ({ relief }, before, atMs) => {
          const victim = relief?.victim
          if (victim === undefined) return
          assert.isFalse(isCriticalPod(victim.pod))
          assert.isTrue(victim.nodePressure)
          const own = victim.pod.spec.terminationGracePeriodSeconds ?? 30
          assert.oneOf(victim.graceSeconds, [1, Math.min(30, own)])
          if (victim.graceSeconds === 1) return
          const since = Array.from(before.metSinceMs).find(([{ graceMs }]) => graceMs > 0)?.[1] ?? atMs
          assert.isAtLeast(atMs - since, 60_000)
        })
      )
    )
  })

  it("ranks all pods, in one order whatever order they come in", () => {
    const signals = fc.constantFrom("memory.available" as const, "pid.available" as const, "nodefs.inodesFree" as const)
    fc.assert(
      fc.property(arbitraryPods, signals, fc.infiniteStream(fc.nat()), (entries, signal, draws) => {
        const usage = new Map(entries.map(({ pod, usage }) => [pod.metadata.uid, usage]))
        const usageOf = (uid: string) => usage.get(uid)
        const options = { dedicatedImageFs: false, splitContainers: false, podLevelResources: true }
        const pods = entries.map(({ pod }) => pod)
        const shuffled = pods
          .map((pod) => [pod, draws.next().value as number] as const)
          .sort(([, a], [, b]) => a - b)
          .map(([pod]) => pod)
        const ranked = rankPods(signal, pods, usageOf, options)
        assert.deepStrictEqual(rankPods(signal, shuffled, usageOf, options), ranked)
        assert.sameMembers([...ranked], pods)
      })
    )
  })

  it("treats a threshold that was acted on as met until the minimum reclaim is available too", () => {
    const pods = [makePod("a")]
    let { relief, state } = evictionPass(noPressure, readingsAt(0, { "memory.available": 900 * MI }), pods, 0, settings)
    assert.strictEqual(relief?.victim?.graceSeconds, 1)
    ;({ relief, state } = evictionPass(state, readingsAt(1, { "memory.available": 1500 * MI }), pods, 1, settings))
    assert.isDefined(relief)
    ;({ relief, state } = evictionPass(state, readingsAt(2, { "memory.available": 1524 * MI }), pods, 2, settings))
    assert.isUndefined(relief)
    assert.deepStrictEqual(state.conditions, ["MemoryPressure"])
  })

  it("does not act twice on the same figures", () => {
    const low = readingsAt(0, { "memory.available": 500 * MI })
    const first = evictionPass(noPressure, low, [makePod("a")], 0, settings)
    const second = evictionPass(first.state, low, [makePod("a")], 10_000, settings)
    assert.isDefined(first.relief)
    assert.isUndefined(second.relief)
    assert.deepStrictEqual(second.state.conditions, ["MemoryPressure"])
  })

  it("checks the containers' filesystem by the thresholds of the one it is on, from the second synchronization on", () => {
    const low = (atMs: number, dedicatedImageFs: boolean) => ({
      ...readingsAt(atMs, { "containerfs.available": 5 * GI }),
      dedicatedImageFs
    })
    const first = evictionPass(noPressure, low(0, false), [], 0, settings)
    assert.deepStrictEqual(first.state.conditions, [])
    const second = evictionPass(first.state, low(1, false), [], 1, settings)
    assert.deepStrictEqual(second.state.conditions, ["DiskPressure"])
    const elsewhere = evictionPass(noPressure, low(0, true), [], 0, settings)
    assert.deepStrictEqual(evictionPass(elsewhere.state, low(1, true), [], 1, settings).state.conditions, [])
  })

  it("finds nothing met where nothing was measured", () => {
    assert.deepStrictEqual(thresholdsMet(settings.thresholds, {}, true), [])
  })
})
