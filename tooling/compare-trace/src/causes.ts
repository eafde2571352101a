import type { Entry } from "./Recording.ts"

/**
 * The cause of the time of an entry. Two runs agree on a time if they agree on the delay since its cause:
 *
 * - `scenario`: the scenario itself, at the same second in each run.
 * - `pass`: a pass of the node monitor, whose phase is random.
 * - `collection`: a run of the pod garbage collector, whose phase is random.
 * - `after`: an earlier entry of the same run, at one of these times. A second taint on a node may keep a timer or restart it, so
 *   that a deletion names the first and the latest taint, in this order.
 */
export type Cause =
  | { readonly _tag: "scenario" | "pass" | "collection" }
  | { readonly _tag: "after"; readonly times: ReadonlyArray<number> }

export const byScenario: Cause = { _tag: "scenario" }
const byPass: Cause = { _tag: "pass" }
const byCollection: Cause = { _tag: "collection" }

/** The watch and the controller's log have different clocks: an effect can be recorded this much before its cause. */
const EARLY_SECONDS = 0.05

/** The keys of the taints that the node lifecycle controller adds. */
const lifecycleTaints = new Set(["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"])

const podOf = ({ namespace, pod }: Entry): string => `${namespace}/${pod}`

/** The times of each node's NoExecute taints and their removals, and of each pod's failure and deletion. */
class History {
  private readonly tainted = new Map<string, { first: number; latest: number; taints: number }>()
  private readonly untainted = new Map<string, number>()
  private readonly failed = new Map<string, number>()
  private readonly deleted = new Map<string, number>()

  add(entry: Entry): void {
    if (entry.type === "PodPhaseChanged" && entry.to === "Failed") this.failed.set(podOf(entry), entry.at)
    if (entry.type === "PodDeleted") this.deleted.set(podOf(entry), entry.at)
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

  /** The cause of what a node's NoExecute taints cause. */
  causeByTaints(node: string | undefined): Cause {
    const known = this.tainted.get(node ?? "")
    return known === undefined ? byScenario : { _tag: "after", times: [known.first, known.latest] }
  }

  /** The cause of a cancelled eviction: the removal of its taint, or the deletion of its pod. */
  causeOfCancellation(entry: Entry): Cause {
    const times = [this.untainted.get(entry.node ?? ""), this.deleted.get(podOf(entry))].filter(
      (at): at is number => at !== undefined
    )
    return times.length === 0 ? byPass : { _tag: "after", times: [Math.max(...times)] }
  }

  /** The cause of a pod's removal: its failure, if it has failed. */
  causeOfRemoval(entry: Entry): Cause {
    const failedAt = this.failed.get(podOf(entry))
    return failedAt === undefined ? byScenario : { _tag: "after", times: [failedAt] }
  }
}

/** Returns whether an entry belongs to an eviction because of a taint. */
const isTaintEviction = (entry: Entry): boolean =>
  entry.type === "PodEvictionScheduled" ||
  (entry.type === "PodDeletionRequested" && entry.by === "taint-eviction") ||
  (entry.type === "PodConditionChanged" && entry.reason === "DeletionByTaintManager")

const causeOf = (entry: Entry, history: History): Cause => {
  if (isTaintEviction(entry)) return history.causeByTaints(entry.node)
  switch (entry.type) {
    case "ConditionChanged":
      return entry.to === "Unknown" ? byPass : byScenario
    case "TaintAdded":
    case "TaintChanged":
      return lifecycleTaints.has(String(entry.key)) ? byPass : byScenario
    case "TaintRemoved":
      return lifecycleTaints.has(String(entry.key)) && entry.effect === "NoExecute" ? byPass : byScenario
    case "ZoneStateChanged":
    case "AllZonesDown":
      return byPass
    case "PodReadyChanged":
      return entry.ready === false ? byPass : byScenario
    case "PodPhaseChanged":
      return entry.to === "Failed" ? byCollection : byScenario
    case "PodDeletionRequested":
      return entry.by === "pod-gc" ? byCollection : byScenario
    case "PodDeleted":
      return history.causeOfRemoval(entry)
    case "PodEvictionCancelled":
      return history.causeOfCancellation(entry)
    default:
      return byScenario
  }
}

/** Returns the cause of each entry of a trace in time order. */
export const causesOf = (trace: ReadonlyArray<Entry>): ReadonlyArray<Cause> => {
  const history = new History()
  /** The number of entries that the history has. */
  let addedCount = 0
  return trace.map((entry) => {
    for (
      let next = trace[addedCount];
      next !== undefined && next.at <= entry.at + EARLY_SECONDS;
      next = trace[addedCount]
    ) {
      history.add(next)
      addedCount++
    }
    return causeOf(entry, history)
  })
}
