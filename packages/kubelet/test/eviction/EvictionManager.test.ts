import { defaultRelease, type Pod } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { EvictionManager } from "../../src/eviction/EvictionManager.ts"
import { type HostResources, type KubeletConfig, kubeletConfig, type PodKill, type PodUsage } from "../../src/index.ts"
import { GI, MI, makePod, readingsAt } from "./samples.ts"

const START = 1_767_225_600_000

interface SetUpOptions {
  readonly config?: Partial<KubeletConfig>
  readonly pods?: ReadonlyArray<Pod>
  /** The machine tells of its changes. */
  readonly tells?: boolean
  /** How long a pod takes to end, and then to be cleaned up. */
  readonly stopMs?: number
  readonly cleanUpMs?: number
  readonly canReclaim?: boolean
}

/** An eviction manager on a made-up machine, and what came of it by time. */
const setUp = ({ canReclaim, cleanUpMs = 0, config, pods = [], stopMs = 1500, tells = true }: SetUpOptions = {}) => {
  const time = makeVirtualTime(START)
  const { timers } = time
  const log: Array<string> = []
  const note = (text: string) => log.push(`${(timers.now() - START) / 1000}: ${text}`)
  const left: Record<string, number> = { "memory.available": 4 * GI, "nodefs.available": 50 * GI }
  const usage = new Map<string, PodUsage>()
  const listeners: Array<() => void> = []
  let reads = 0
  let active = pods
  const resources: HostResources = {
    read: () => {
      reads++
      return readingsAt(timers.now(), left, usage)
    },
    ...(tells ? { onChange: (listener: () => void) => listeners.push(listener) } : {}),
    ...(canReclaim === true
      ? {
          reclaim: (what: "containers" | "images", done: () => void) => {
            note(`throws away ${what}`)
            if (what === "images") left["nodefs.available"] = (left["nodefs.available"] ?? 0) + 20 * GI
            timers.after(2000, done)
          }
        }
      : {})
  }
  const kills: Array<PodKill> = []
  const loop = new EvictionManager({
    timers,
    config: kubeletConfig({ evictionHard: { "memory.available": "1Gi", "nodefs.available": "10%" }, ...config }),
    release: defaultRelease,
    resources,
    activePods: () => active,
    killPod: (uid, kill) => {
      kills.push(kill)
      note(`ends ${uid} in ${kill.graceSeconds} s`)
      timers.after(stopMs, () => {
        kill.done?.("stopped")
        timers.after(cleanUpMs, () => {
          active = active.filter(({ metadata }) => metadata.uid !== uid)
        })
      })
    },
    setPressure: (kind, under) => note(`${kind} ${under}`),
    nodeEvent: (type, reason, message) => note(`${type} ${reason} ${message}`),
    recorder: {
      event: (regarding, type, reason, _message, annotations) => {
        const { name } = (regarding as Pod).metadata
        note(`${type} ${reason} ${name} ${JSON.stringify(annotations)}`)
      }
    }
  })
  const set = (signal: string, available: number) => {
    left[signal] = available
    for (const listener of listeners) listener()
  }
  return {
    time,
    loop,
    log,
    kills,
    usage,
    set,
    reads: () => reads,
    take: () => log.splice(0),
    untilSeconds: (seconds: number) => time.runUntil(START + seconds * 1000)
  }
}

const RECLAIM_EVENT = "Warning EvictionThresholdMet Attempting to reclaim memory"
const NO_OFFENDERS = '{"offending_containers":"","offending_containers_usage":"","starved_resource":"memory"}'

describe("the eviction manager of a kubelet", () => {
  it("checks every 10 s a machine that does not report its changes", () => {
    const { loop, reads, untilSeconds } = setUp({ tells: false })
    loop.start()
    untilSeconds(60)
    assert.strictEqual(reads(), 7)
    loop.stop()
    untilSeconds(120)
    assert.strictEqual(reads(), 7)
  })

  it("has no timer while a machine that reports its changes is healthy", () => {
    const { loop, reads, time, untilSeconds } = setUp()
    loop.start()
    assert.strictEqual(reads(), 1)
    assert.strictEqual(time.nextAt(), Number.POSITIVE_INFINITY)
    untilSeconds(3600)
    assert.strictEqual(reads(), 1)
  })

  it("observes a change at the next check, with the results of a manager that checks always", () => {
    const runPressure = (tells: boolean) => {
      const { loop, log, set, untilSeconds, usage } = setUp({ tells, pods: [makePod("a"), makePod("b")] })
      for (const uid of ["uid-a", "uid-b"]) usage.set(uid, { memoryBytes: MI })
      loop.start()
      untilSeconds(3613)
      set("memory.available", 500 * MI)
      untilSeconds(3634)
      set("memory.available", 4 * GI)
      untilSeconds(9000)
      return log
    }
    assert.deepStrictEqual(runPressure(true), runPressure(false))
    assert.deepStrictEqual(runPressure(true), [
      "3620: MemoryPressure true",
      `3620: ${RECLAIM_EVENT}`,
      `3620: Warning Evicted a ${NO_OFFENDERS}`,
      "3620: ends uid-a in 1 s",
      // Clean-up is polled each second from the end of the pod on.
      `3622.5: ${RECLAIM_EVENT}`,
      `3622.5: Warning Evicted b ${NO_OFFENDERS}`,
      "3622.5: ends uid-b in 1 s",
      `3625: ${RECLAIM_EVENT}`,
      // Seen at 3635; the last look that found memory low was at 3625.
      "3925: MemoryPressure false"
    ])
  })

  it("evicts one pod at a time, and waits 30 s at most for its cleanup", () => {
    const { loop, set, take, untilSeconds } = setUp({ cleanUpMs: 100_000, pods: [makePod("a"), makePod("b")] })
    loop.start()
    set("memory.available", 500 * MI)
    untilSeconds(41.4)
    assert.lengthOf(
      take().filter((line) => line.includes("ends")),
      1
    )
    untilSeconds(41.5)
    assert.deepStrictEqual(
      take().filter((line) => line.includes("ends")),
      ["41.5: ends uid-a in 1 s"]
    )
  })

  it("sets the pod's status with the reason and the DisruptionTarget condition", () => {
    const { kills, loop, set, untilSeconds } = setUp({ pods: [makePod("a")] })
    loop.start()
    set("memory.available", 500 * MI)
    untilSeconds(11)
    const message = "The node was low on resource: memory. Threshold quantity: 1Gi, available: 500Mi. "
    assert.deepInclude(kills[0], { reason: "Evicted", message, disruption: message, graceSeconds: 1 })
  })

  it("deletes containers and images first, and evicts no pod if that frees enough", () => {
    const { loop, set, take, untilSeconds } = setUp({ canReclaim: true, pods: [makePod("a")] })
    loop.start()
    set("nodefs.available", 5 * GI)
    untilSeconds(400)
    assert.deepStrictEqual(take(), [
      "10: DiskPressure true",
      "10: Warning EvictionThresholdMet Attempting to reclaim ephemeral-storage",
      "10: throws away containers",
      "12: throws away images",
      "314: DiskPressure false"
    ])
  })

  it("waits for a soft threshold's grace period, and then gives the pod a grace period", () => {
    const { loop, set, take, untilSeconds } = setUp({
      pods: [makePod("a")],
      config: {
        evictionHard: {},
        evictionSoft: { "memory.available": "2Gi" },
        evictionSoftGracePeriodMs: { "memory.available": 90_000 },
        evictionMaxPodGracePeriod: 40
      }
    })
    loop.start()
    set("memory.available", GI)
    untilSeconds(100)
    assert.deepStrictEqual(take(), [
      "10: MemoryPressure true",
      `100: ${RECLAIM_EVENT}`,
      "100: Warning Evicted a {}",
      "100: ends uid-a in 40 s"
    ])
  })

  it("evicts each pod above its own limits, one after the other, and no other", () => {
    const volumes = [{ name: "v", emptyDir: { sizeLimit: "100Mi" } }]
    const { kills, loop, set, take, untilSeconds, usage } = setUp({
      pods: [makePod("a", { volumes }), makePod("b", { volumes }), makePod("c", { volumes })]
    })
    for (const uid of ["uid-a", "uid-c"]) usage.set(uid, { volumes: { v: { usedBytes: 200 * MI } } })
    loop.start()
    set("memory.available", 3 * GI)
    untilSeconds(60)
    assert.deepStrictEqual(
      take().filter((line) => line.includes("ends")),
      ["0: ends uid-a in 1 s", "1.5: ends uid-c in 1 s"]
    )
    assert.strictEqual(kills[0]?.message, 'Usage of EmptyDir volume "v" exceeds the limit "100Mi". ')
    assert.isUndefined(kills[0]?.disruption)
  })

  it("rejects pods as long as the conditions last", () => {
    const { loop, set, untilSeconds } = setUp()
    loop.start()
    const ask = () => loop.admission({ pod: makePod("x"), otherPods: () => [], node: undefined })
    assert.isUndefined(ask())
    set("memory.available", 500 * MI)
    untilSeconds(10)
    assert.deepStrictEqual(ask(), { reason: "Evicted", message: "The node had condition: [MemoryPressure]. " })
    set("nodefs.available", 5 * GI)
    untilSeconds(20)
    assert.deepStrictEqual(ask(), {
      reason: "Evicted",
      message: "The node had condition: [DiskPressure MemoryPressure]. "
    })
  })

  it("loses its state when its process ends, also during an eviction", () => {
    const { loop, set, take, time, untilSeconds } = setUp({ pods: [makePod("a"), makePod("b")] })
    loop.start()
    set("memory.available", 500 * MI)
    untilSeconds(11)
    take()
    loop.stop()
    assert.deepStrictEqual(take(), ["11: MemoryPressure false"])
    set("memory.available", 400 * MI)
    untilSeconds(100)
    assert.deepStrictEqual(take(), [])
    assert.strictEqual(time.nextAt(), Number.POSITIVE_INFINITY)
    loop.start()
    assert.include(take(), "100: MemoryPressure true")
  })

  it("never checks when no threshold is configured", () => {
    const { loop, reads } = setUp({ config: { evictionHard: {}, localStorageCapacityIsolation: false }, tells: false })
    loop.start()
    assert.strictEqual(reads(), 0)
  })
})
