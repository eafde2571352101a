import { clock } from "@rollcall/text"
import type { Invariant, Report } from "./Invariant.ts"

/** The part of a machine that the invariants on pods read. */
export interface MachineView {
  readonly kubelet: {
    readonly running: boolean
    readonly pods: () => ReadonlyArray<{ readonly uid: string; readonly hasContainers: boolean }>
  }
}

interface RemovedPod {
  readonly uid: string
  readonly name: string
  readonly node: string
  readonly atSeconds: number
  readonly graceSeconds: number
}

/** The default of terminationGracePeriodSeconds. */
const DEFAULT_GRACE_SECONDS = 30
/**
 * The longest time in which a healthy kubelet observes a deletion: a broken watch is detected after 45 s and retried after a back-off
 * of up to 60 s; doubled as a margin.
 */
const OBSERVE_SECONDS = 240
/** The interval between two checks of the deleted pods. */
const CHECK_INTERVAL_SECONDS = 30

/** Faults that keep a kubelet from observing a deletion or from carrying it out. */
const disturbingFaults: ReadonlySet<string> = new Set([
  "partition",
  "crash",
  "cloud-delete",
  "kubelet-stop",
  "latency",
  "loss",
  "runtime-down",
  "kubelet-not-ready",
  "api-server-down"
])
const disturbingActions: ReadonlySet<string> = new Set(["poweroff", "boot"])

/**
 * Checks that a pod stops after its API object was deleted, if its kubelet could observe the deletion: the kubelet ran, and neither it
 * nor its link had a fault, for the pod's grace period plus `OBSERVE_SECONDS`.
 */
export const stoppedPods = (machineOf: (node: string) => MachineView | undefined, report: Report): Invariant => {
  let removed: Array<RemovedPod> = []
  let checkedAt = 0
  /** The time since which each node has had no fault: absent if it never had one, Infinity while one is active. */
  const undisturbedSince = new Map<string, number>()
  /** The number of active faults of each node. */
  const faults = new Map<string, number>()
  /** The key for faults of the API server, which affect every node. */
  const everyNode = ""

  const since = (node: string): number =>
    Math.max(undisturbedSince.get(node) ?? 0, undisturbedSince.get(everyNode) ?? 0)
  const disturb = (node: string, change: 1 | -1, at: number) => {
    const count = Math.max(0, (faults.get(node) ?? 0) + change)
    faults.set(node, count)
    undisturbedSince.set(node, count > 0 ? Number.POSITIVE_INFINITY : at)
  }

  /** Returns whether a deleted pod must be checked again: it still runs, and its kubelet has had too little time to stop it. */
  const mustCheckAgain = ({ atSeconds, graceSeconds, name, node, uid }: RemovedPod, now: number): boolean => {
    const machine = machineOf(node)
    const local = machine?.kubelet.pods().find((pod) => pod.uid === uid)
    if (machine === undefined || local?.hasContainers !== true) return false
    if (!machine.kubelet.running) {
      undisturbedSince.set(node, Math.max(since(node), now))
      return true
    }
    const waited = now - Math.max(atSeconds, since(node))
    if (waited <= graceSeconds + OBSERVE_SECONDS) return true
    report(
      `${name} was deleted from the API at ${clock(atSeconds)} but still runs on ${node}, whose kubelet could observe that`
    )
    return false
  }

  return {
    pod: (previous, next, atSeconds) => {
      if (previous === undefined || previous.metadata.uid === next?.metadata.uid) return
      const { deletionGracePeriodSeconds, name = "", namespace = "", uid = "" } = previous.metadata
      const node = previous.spec.nodeName ?? ""
      if (node === "") return
      const specGraceSeconds = previous.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
      removed.push({
        uid,
        name: `${namespace}/${name}`,
        node,
        atSeconds,
        graceSeconds: Math.max(specGraceSeconds, deletionGracePeriodSeconds ?? 0)
      })
    },
    entry: (entry) => {
      if (entry.type === "FaultStarted" || entry.type === "FaultEnded") {
        if (!disturbingFaults.has(entry.fault)) return
        const nodes = entry.fault === "api-server-down" ? [everyNode] : entry.nodes
        for (const node of nodes) disturb(node, entry.type === "FaultStarted" ? 1 : -1, entry.at)
      } else if (entry.type === "Action" && disturbingActions.has(entry.do)) {
        for (const node of entry.nodes) if (since(node) < entry.at) undisturbedSince.set(node, entry.at)
      }
    },
    tick: (now) => {
      if (now - checkedAt < CHECK_INTERVAL_SECONDS) return
      checkedAt = now
      if (removed.length > 0) removed = removed.filter((pod) => mustCheckAgain(pod, now))
    }
  }
}
