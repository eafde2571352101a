import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { compare } from "../src/compare.ts"
import { type Entry, type MetricsEntry, type Recording, type Run, readRecording } from "../src/Recording.ts"
import { rehearse } from "../src/rehearse.ts"

const fileOf = (name: string): string => fileURLToPath(new URL(`../fixtures/recordings/${name}.json`, import.meta.url))
const recordingOf = (name: string): Recording => readRecording(fileOf(name))
const outage = recordingOf("01-zone-outage")
const tolerations = recordingOf("07-tolerations")
const outOfService = recordingOf("12-out-of-service")
const allZones = recordingOf("04-all-zones-die")

const withTrace = (run: Run, change: (entry: Entry) => Entry): Run => ({
  ...run,
  trace: run.trace.map(change).toSorted((left, right) => left.at - right.at)
})

const withMetrics = (run: Run, change: (entry: MetricsEntry) => MetricsEntry): Run => ({
  ...run,
  metrics: run.metrics.map(change)
})

/** A recording's scenario, rehearsed with another value of a flag of the controller manager. */
const rehearsedWith = async (name: string, flag: string): Promise<Run> => {
  const recording = JSON.parse(readFileSync(fileOf(name), "utf8"))
  const flags: ReadonlyArray<string> = recording.flags["kube-controller-manager"]
  const others = flags.filter((text) => !text.startsWith(flag.slice(0, flag.indexOf("="))))
  assert.strictEqual(others.length, flags.length - 1)
  const file = join(mkdtempSync(join(tmpdir(), "falsified-")), `${name}.json`)
  writeFileSync(
    file,
    JSON.stringify({ ...recording, flags: { ...recording.flags, "kube-controller-manager": [...others, flag] } })
  )
  return rehearse(file)
}

const checksOf = (recording: Recording, run: Run): ReadonlyArray<string> =>
  [...new Set(compare(recording, run).differences.map(({ check }) => check))].sort()

const messagesOf = (recording: Recording, run: Run): string =>
  compare(recording, run)
    .differences.map(({ message }) => message)
    .join("\n")

const delayEntry = (entry: Entry, seconds: number): Entry => ({ ...entry, at: entry.at + seconds })
const isDeletion = ({ at, reason, type }: Entry) =>
  at > 0 && (type === "PodDeletionRequested" || (type === "PodConditionChanged" && reason === "DeletionByTaintManager"))

describe("compare detects a run", () => {
  it("with a grace period of 2 s or 10 s instead of 8 s", async () => {
    for (const seconds of [2, 10]) {
      const run = await rehearsedWith("01-zone-outage", `--node-monitor-grace-period=${seconds}s`)
      assert.include(messagesOf(outage, run), "first Unknown")
    }
  })

  it("with another eviction rate of a zone", async () => {
    const run = await rehearsedWith("01-zone-outage", "--node-eviction-rate=0.4")
    assert.include(checksOf(outage, run), "time")
  })

  it("with deletions that are one or five seconds early or late", () => {
    for (const seconds of [-1, 1, 5, -0.7]) {
      const run = withTrace(outage, (entry) => (isDeletion(entry) ? delayEntry(entry, seconds) : entry))
      assert.deepStrictEqual(checksOf(outage, run), ["time"], `${seconds}`)
    }
    const run = withTrace(outage, (entry) => (isDeletion(entry) ? delayEntry(entry, 0.1) : entry))
    assert.deepStrictEqual(checksOf(outage, run), [])
  })

  it("with eviction timers that restart a second later", () => {
    const run = withTrace(outage, (entry) => {
      if (entry.type === "PodEvictionScheduled") return { ...entry, due: Number(entry.due) + 1 }
      return isDeletion(entry) ? delayEntry(entry, 1) : entry
    })
    assert.deepStrictEqual(checksOf(outage, run), ["time"])
  })

  it("with timers of another duration, even if the taint is removed before they end", () => {
    const run = withTrace(tolerations, (entry) =>
      entry.type === "PodEvictionScheduled" && entry.pod === "t120" ? { ...entry, due: Number(entry.due) - 60 } : entry
    )
    assert.deepStrictEqual(checksOf(tolerations, run), ["time"])
  })

  it("with a second taint that restarts a timer instead of keeping it", () => {
    const run = withTrace(outOfService, (entry) =>
      entry.type === "PodEvictionScheduled" && entry.pod === "default"
        ? { ...entry, due: Number(entry.due) + 7.4 }
        : entry
    )
    assert.deepStrictEqual(checksOf(outOfService, run), ["time"])
  })

  it("with the tolerations of two pods swapped", () => {
    const names: Readonly<Record<string, string>> = { t5: "t20", t20: "t5" }
    const run = withTrace(tolerations, (entry) =>
      isDeletion(entry) ? { ...entry, pod: names[entry.pod ?? ""] ?? entry.pod ?? "" } : entry
    )
    assert.include(checksOf(tolerations, run), "time")
  })

  it("with early deletions after the blackout, in a recording whose runs differ", () => {
    const run = withTrace(allZones, (entry) => (isDeletion(entry) && entry.at > 100 ? delayEntry(entry, -1) : entry))
    assert.include(checksOf(allZones, run), "time")
  })

  it("with passes shifted by two periods, but accepts a shift by half a period", () => {
    const recovers = ({ effect, type }: Entry) =>
      (type === "TaintRemoved" && effect === "NoExecute") || type === "ZoneStateChanged"
    const byPass = (seconds: number) =>
      withTrace(outage, (entry) => {
        if (["FaultStarted", "FaultEnded"].includes(entry.type)) return entry
        if (entry.at < 21 || (entry.at > 80 && !recovers(entry))) return entry
        return { ...delayEntry(entry, seconds), ...(typeof entry.due === "number" ? { due: entry.due + seconds } : {}) }
      })
    assert.include(messagesOf(outage, byPass(-2)), "first Unknown")
    assert.strictEqual(messagesOf(outage, byPass(-0.5)), "")
  })
})

describe("compareMetrics", () => {
  const zoneB = "r1/zone-b"
  const inZone = (field: string, value: number, from: number, to: number) => (entry: MetricsEntry) => {
    const zone = entry.zones?.[zoneB]
    if (zone === undefined || entry.at < from || entry.at > to) return entry
    return { ...entry, zones: { ...entry.zones, [zoneB]: { ...zone, [field]: value } } }
  }

  it("detects another intermediate zone health, in a recording whose runs differ", () => {
    assert.deepStrictEqual(checksOf(allZones, withMetrics(allZones, inZone("health", 50, 40, 90))), ["metric"])
    assert.deepStrictEqual(checksOf(allZones, withMetrics(allZones, inZone("evictions", 9, 100, 200))), ["metric"])
    assert.deepStrictEqual(checksOf(allZones, allZones), [])
  })

  it("detects an additional lasting value, and one that is ten seconds late", () => {
    assert.deepStrictEqual(checksOf(outage, withMetrics(outage, inZone("unhealthy", 3, 36, 50))), ["metric"])
    const late = withMetrics(outage, (entry) =>
      entry.at > 25 && entry.at < 70 ? { ...entry, at: entry.at + 10 } : entry
    )
    assert.deepStrictEqual(checksOf(outage, late), ["metric"])
  })

  it("accepts a scrape between two changes of one pass", () => {
    const at = outage.metrics.find((entry) => entry.at > 21)?.at ?? 0
    const between = withMetrics(outage, inZone("unhealthy", 0, at, at))
    const metrics = [...between.metrics, { ...outage.metrics.find((entry) => entry.at === at), at: at + 1 }]
    assert.strictEqual(
      messagesOf(outage, { ...between, metrics: metrics.toSorted((left, right) => left.at - right.at) }),
      ""
    )
  })

  it("detects a counter with another final value", () => {
    const name = "taint_eviction_controller_pod_deletions_total"
    const run = withMetrics(outage, (entry) => ({ ...entry, counters: { ...entry.counters, [name]: 5 } }))
    assert.deepStrictEqual(checksOf(outage, run), ["metric"])
  })
})
