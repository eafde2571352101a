import type { Entry } from "./Recording.ts"

/**
 * The cause of the time of an entry. Two runs agree on a time if they agree on the delay since its cause:
 *
 * - `played`: the driver of the scenario, at the same second in each run.
 * - `pass`: a pass of the node monitor, whose phase is random.
 * - `collection`: a run of the pod garbage collector, whose phase is random.
 * - `after`: an earlier entry of the same run, at one of these times. A second taint on a node may keep a timer or restart it, so
 *   that a deletion names the first and the latest taint, in this order.
 */
export type Cause =
  | { readonly _tag: "played" | "pass" | "collection" }
  | { readonly _tag: "after"; readonly times: ReadonlyArray<number> }

export const played: Cause = { _tag: "played" }
const pass: Cause = { _tag: "pass" }
const collection: Cause = { _tag: "collection" }

/** The watch and the controller's log have different clocks: an effect can be recorded this much before its cause. */
const EARLY_SECONDS = 0.05

const byLifecycle = new Set(["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"])

const podOf = ({ namespace, pod }: Entry): string => `${namespace}/${pod}`

/** The times of each node's NoExecute taints and their removals, and of each pod's failure and deletion. */
class History {
  private readonly tainted = new Map<string, { first: number; latest: number; taints: number }>()
  private readonly untainted = new Map<string, number>()
  private readonly failed = new Map<string, number>()
  private readonly gone = new Map<string, number>()

  add(entry: Entry): void {
    if (entry.type === "PodPhaseChanged" && entry.to === "Failed") this.failed.set(podOf(entry), entry.at)
    if (entry.type === "PodDeleted") this.gone.set(podOf(entry), entry.at)
    if (entry.effect !== "NoExecute" || entry.node === undefined) return
    const known = this.tainted.get(entry.node)
    if (entry.type === "TaintRemoved") {
      this.untainted.set(entry.node, entry.at)
      if (known !== undefined && --known.taints === 0) this.tainted.delete(entry.node)
    } else if (known === undefined) this.tainted.set(entry.node, { first: entry.at, latest: entry.at, taints: 1 })
    else {
      known.latest = entry.at
      if (entry.type === "TaintAdded") known.taints++
    }
  }

  taintsOf(node: string | undefined): Cause {
    const known = this.tainted.get(node ?? "")
    return known === undefined ? played : { _tag: "after", times: [known.first, known.latest] }
  }

  /** A timer is cancelled when its taint is removed or its pod is deleted. */
  cancelled(entry: Entry): Cause {
    const times = [this.untainted.get(entry.node ?? ""), this.gone.get(podOf(entry))].filter(
      (at): at is number => at !== undefined
    )
    return times.length === 0 ? pass : { _tag: "after", times: [Math.max(...times)] }
  }

  removed(entry: Entry): Cause {
    const failedAt = this.failed.get(podOf(entry))
    return failedAt === undefined ? played : { _tag: "after", times: [failedAt] }
  }
}

const isByTaint = (entry: Entry): boolean =>
  entry.type === "PodEvictionScheduled" ||
  (entry.type === "PodDeletionRequested" && entry.by === "taint-eviction") ||
  (entry.type === "PodConditionChanged" && entry.reason === "DeletionByTaintManager")

const causeOf = (entry: Entry, history: History): Cause => {
  if (isByTaint(entry)) return history.taintsOf(entry.node)
  switch (entry.type) {
    case "ConditionChanged":
      return entry.to === "Unknown" ? pass : played
    case "TaintAdded":
    case "TaintChanged":
      return byLifecycle.has(String(entry.key)) ? pass : played
    case "TaintRemoved":
      return byLifecycle.has(String(entry.key)) && entry.effect === "NoExecute" ? pass : played
    case "ZoneStateChanged":
    case "AllZonesDown":
      return pass
    case "PodReadyChanged":
      return entry.ready === false ? pass : played
    case "PodPhaseChanged":
      return entry.to === "Failed" ? collection : played
    case "PodDeletionRequested":
      return entry.by === "pod-gc" ? collection : played
    case "PodDeleted":
      return history.removed(entry)
    case "PodEvictionCancelled":
      return history.cancelled(entry)
    default:
      return played
  }
}

/** Returns the cause of each entry of a trace in time order. */
export const causesOf = (trace: ReadonlyArray<Entry>): ReadonlyArray<Cause> => {
  const history = new History()
  let noted = 0
  return trace.map((entry) => {
    for (let next = trace[noted]; next !== undefined && next.at <= entry.at + EARLY_SECONDS; next = trace[noted]) {
      history.add(next)
      noted++
    }
    return causeOf(entry, history)
  })
}
