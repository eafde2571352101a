import { getControllerOf, type Pod } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"
import type { MachineView } from "./stoppedPods.ts"

/** Two pods with the same StatefulSet identity that run at the same time. */
export interface SplitBrain {
  readonly namespace: string
  readonly pod: string
  /** The node of the older pod, then the node of the newer. */
  readonly nodes: readonly [string, string]
}

/** One of the successive pods of a StatefulSet identity. */
interface Incarnation {
  readonly uid: string
  readonly node: string
  /** Whether its kubelet has reported phase Running. A pod that waits for its volume does not run yet. */
  started: boolean
  /** Whether its API object was deleted. */
  isDeleted: boolean
  /** Whether its kubelet had reported that it stopped before the object was deleted. */
  hadStopped: boolean
}

/** Returns whether the last status of a pod reports all its containers as terminated. */
const isReportedStopped = ({ status }: Pod): boolean => {
  const statuses = status?.containerStatuses ?? []
  return statuses.length > 0 && statuses.every(({ state }) => state?.terminated !== undefined)
}

/**
 * Checks that two pods of one StatefulSet identity never run at once, unless the older object was deleted without its kubelet's
 * confirmation. That case is no bug of the model: a real cluster behaves the same after a force-delete of a pod whose machine still
 * runs. It is passed to `onFound`. If the kubelet had confirmed that the pod stopped, it is a bug and goes to `report`.
 */
export const splitBrain = (
  machineOf: (node: string) => MachineView | undefined,
  report: Report,
  onFound: (found: SplitBrain) => void
): Invariant => {
  const identities = new Map<string, Array<Incarnation>>()
  /** Identities with more than one pod that may run. */
  const contested = new Set<string>()
  /** The pairs of UIDs that were reported. */
  const found = new Set<string>()

  const runs = ({ node, started, uid }: Incarnation): boolean =>
    started &&
    machineOf(node)
      ?.kubelet.pods()
      .some((pod) => pod.uid === uid && pod.hasContainers) === true

  const check = (key: string): void => {
    const known = identities.get(key) ?? []
    const live = known.filter((incarnation) => !incarnation.isDeleted || runs(incarnation))
    identities.set(key, live)
    if (live.length < 2) contested.delete(key)
    const running = live.filter(runs)
    const [older] = running
    const newer = running.at(-1)
    if (older === undefined || newer === undefined || older === newer) return
    const uids = `${older.uid} ${newer.uid}`
    if (found.has(uids)) return
    found.add(uids)
    const [namespace = "", pod = ""] = key.split("/")
    onFound({ namespace, pod, nodes: [older.node, newer.node] })
    if (older.hadStopped) {
      report(
        `${namespace}/${pod} runs on ${older.node} and on ${newer.node}, although the first kubelet reported that it had stopped`
      )
    }
  }

  return {
    pod: (previous, next) => {
      const pod = next ?? previous
      if (pod === undefined || getControllerOf(pod)?.kind !== "StatefulSet") return
      const { name = "", namespace = "" } = pod.metadata
      const key = `${namespace}/${name}`
      const known = identities.get(key) ?? []
      if (previous !== undefined && previous.metadata.uid !== next?.metadata.uid) {
        const old = known.find(({ uid }) => uid === previous.metadata.uid)
        if (old !== undefined) {
          old.isDeleted = true
          old.hadStopped = isReportedStopped(previous)
        }
      }
      const { nodeName = "" } = next?.spec ?? {}
      if (next !== undefined && nodeName !== "" && !known.some(({ uid }) => uid === next.metadata.uid)) {
        known.push({
          uid: next.metadata.uid ?? "",
          node: nodeName,
          started: false,
          isDeleted: false,
          hadStopped: false
        })
        identities.set(key, known)
        if (known.length > 1) contested.add(key)
      }
      if (next?.status?.phase === "Running") {
        const running = known.find(({ uid }) => uid === next.metadata.uid)
        if (running !== undefined) running.started = true
      }
      if (contested.has(key)) check(key)
    },
    tick: () => {
      for (const key of contested) check(key)
    }
  }
}
