import { type Compared, type Difference, variationOf } from "./Comparison.ts"
import type { Recording } from "./Recording.ts"

/** What the recordings' notes allow between an instant and what follows from it, in seconds. */
const TOLERANCE_SECONDS = 0.3
/** A spread between the recorded runs beyond this is a different number of entries, not a different time. */
const MOST_SPREAD_SECONDS = 1.1

const durationSeconds = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text)
  const unit = { ms: 0.001, s: 1, m: 60 }[match?.[2] ?? "s"] ?? 1
  return Number(match?.[1] ?? 5) * unit
}

/** The pause between two passes of the node monitor: what a run's passes can be shifted by. */
const passSeconds = (recording: Recording): number => {
  const flag = recording.flags["kube-controller-manager"]?.find((text) => text.startsWith("--node-monitor-period="))
  return flag === undefined ? 5 : durationSeconds(flag.slice(flag.indexOf("=") + 1))
}

const firstUnknown = (items: ReadonlyArray<Compared>): number | undefined =>
  items.find(({ entry }) => entry.type === "ConditionChanged" && entry.to === "Unknown")?.entry.at

/** What the pod garbage collector brings about, by a period of its own. */
const byCollector = ["PodPhaseChanged", "PodDeleted", "PodEvictionCancelled"]

const firstCollected = (items: ReadonlyArray<Compared>): number | undefined =>
  items.find(({ entry }) => entry.type === "PodPhaseChanged" && entry.to === "Failed")?.entry.at

const timesBySignature = (items: ReadonlyArray<Compared>): Map<string, Array<number>> => {
  const times = new Map<string, Array<number>>()
  for (const { entry, signature, zone } of items) {
    const key = `${zone} ${signature}`
    const list = times.get(key)
    if (list === undefined) times.set(key, [entry.at])
    else list.push(entry.at)
  }
  for (const list of times.values()) list.sort((a, b) => a - b)
  return times
}

/**
 * Compares the k-th entry of each zone and signature. A run's passes lie anywhere between two passes of the other's, so a
 * difference is measured modulo that shift: 0, the shift of the first Unknown, and one pass more or less; and that of the
 * garbage collector's first run where it is at work.
 */
export const compareTimes = (
  recording: Recording,
  recorded: ReadonlyArray<Compared>,
  ours: ReadonlyArray<Compared>
): { readonly largest: number; readonly differences: ReadonlyArray<Difference> } => {
  const period = passSeconds(recording)
  const shift = (firstUnknown(ours) ?? 0) - (firstUnknown(recorded) ?? 0)
  const collected = (firstCollected(ours) ?? 0) - (firstCollected(recorded) ?? 0)
  const theirs = timesBySignature(recorded)
  const differences: Array<Difference> = []
  let largest = 0
  for (const [key, times] of timesBySignature(ours)) {
    const expected = theirs.get(key) ?? []
    const type = key.slice(key.indexOf(" ") + 1).split(" ")[0] ?? ""
    const varies = variationOf(recording, type) > 0
    const spread = Math.min(recording.spread?.maxDifference?.[type] ?? 0, MOST_SPREAD_SECONDS)
    if (expected.length !== times.length && !varies) continue
    const offOf = (at: number, target: number): number => {
      const raw = at - target
      const shifts = [0, shift, shift - period, shift + period, ...(byCollector.includes(type) ? [collected] : [])]
      return Math.min(...shifts.map((by) => Math.abs(raw - by)))
    }
    let unmatched = 0
    for (const [index, at] of times.entries()) {
      const candidates = varies ? expected : [expected[index] ?? Number.NaN]
      const off = Math.min(...candidates.map((target) => offOf(at, target)))
      if (off <= TOLERANCE_SECONDS + spread) {
        largest = Math.max(largest, off)
        continue
      }
      if (++unmatched <= variationOf(recording, type)) continue
      differences.push({
        check: "time",
        message: `${key} #${index + 1}: recorded at ${expected[index] ?? "-"}, here at ${at} (${off.toFixed(3)} s off)`
      })
    }
  }
  return { largest, differences }
}
