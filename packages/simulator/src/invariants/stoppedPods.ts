import { clock } from "@rollcall/text"
import type { Invariant, Report } from "./Invariant.ts"

/** A machine as far as its pods are concerned. */
export interface MachineView {
  readonly kubelet: {
    readonly running: boolean
    readonly pods: () => ReadonlyArray<{ readonly uid: string; readonly hasContainers: boolean }>
  }
}

interface Gone {
  readonly uid: string
  readonly name: string
  readonly node: string
  readonly atSeconds: number
  readonly graceSeconds: number
}

const DEFAULT_GRACE_SECONDS = 30
/**
 * What a healthy kubelet needs at most to hear that a pod is gone: a broken watch is noticed after 45 s, and tried again after a
 * back-off of up to 60 s, twice for good measure.
 */
const HEARING_SECONDS = 240
const LOOK_EVERY_SECONDS = 30

/** Faults that keep a kubelet from hearing of a deletion, or from carrying it out. */
const disturbing: ReadonlySet<string> = new Set([
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
 * A pod that the API no longer has does not go on running on a node whose kubelet could have heard of it: it runs, and neither it
 * nor its link was disturbed, for its grace period and the time that hearing of it can take.
 */
export const stoppedPods = (machineOf: (node: string) => MachineView | undefined, report: Report): Invariant => {
  let gone: Array<Gone> = []
  let lookedAt = 0
  /** Since when each node was left in peace; absent: from the beginning. Infinity: a fault is on. */
  const calmSince = new Map<string, number>()
  const faults = new Map<string, number>()
  const everyNode = ""

  const since = (node: string): number => Math.max(calmSince.get(node) ?? 0, calmSince.get(everyNode) ?? 0)
  const disturb = (node: string, change: 1 | -1, at: number) => {
    const count = Math.max(0, (faults.get(node) ?? 0) + change)
    faults.set(node, count)
    calmSince.set(node, count > 0 ? Number.POSITIVE_INFINITY : at)
  }

  const stillRuns = ({ atSeconds, graceSeconds, name, node, uid }: Gone, now: number): boolean => {
    const machine = machineOf(node)
    const local = machine?.kubelet.pods().find((pod) => pod.uid === uid)
    if (machine === undefined || local?.hasContainers !== true) return false
    if (!machine.kubelet.running) {
      calmSince.set(node, Math.max(since(node), now))
      return true
    }
    const waited = now - Math.max(atSeconds, since(node))
    if (waited <= graceSeconds + HEARING_SECONDS) return true
    report(`${name} is gone from the API since ${clock(atSeconds)}, and still runs on ${node}, which could know`)
    return false
  }

  return {
    pod: (previous, next, atSeconds) => {
      if (previous === undefined || previous.metadata.uid === next?.metadata.uid) return
      const { deletionGracePeriodSeconds, name = "", namespace = "", uid = "" } = previous.metadata
      const node = previous.spec.nodeName ?? ""
      if (node === "") return
      const own = previous.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
      gone.push({
        uid,
        name: `${namespace}/${name}`,
        node,
        atSeconds,
        graceSeconds: Math.max(own, deletionGracePeriodSeconds ?? 0)
      })
    },
    entry: (entry) => {
      if (entry.type === "FaultStarted" || entry.type === "FaultEnded") {
        if (!disturbing.has(entry.fault)) return
        const nodes = entry.fault === "api-server-down" ? [everyNode] : entry.nodes
        for (const node of nodes) disturb(node, entry.type === "FaultStarted" ? 1 : -1, entry.at)
      } else if (entry.type === "Action" && disturbingActions.has(entry.do)) {
        for (const node of entry.nodes) if (since(node) < entry.at) calmSince.set(node, entry.at)
      }
    },
    look: (now) => {
      if (now - lookedAt < LOOK_EVERY_SECONDS) return
      lookedAt = now
      if (gone.length > 0) gone = gone.filter((pod) => stillRuns(pod, now))
    }
  }
}
