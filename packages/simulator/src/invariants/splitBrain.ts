import { getControllerOf, type Pod } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"
import type { MachineView } from "./stoppedPods.ts"

/** One identity of a StatefulSet at work on two machines at once. */
export interface SplitBrain {
  readonly namespace: string
  readonly pod: string
  /** Where the older pod runs, then where the newer does. */
  readonly nodes: readonly [string, string]
}

interface Incarnation {
  readonly uid: string
  readonly node: string
  /** Its kubelet has said that it runs: one that waits for its volume does nothing yet. */
  started: boolean
  /** The API has no such object any more. */
  gone: boolean
  /** Its kubelet had said that it stopped. */
  confirmed: boolean
}

/** What the last status of a pod says of its containers: none runs. */
const isSaidToHaveStopped = ({ status }: Pod): boolean => {
  const statuses = status?.containerStatuses ?? []
  return statuses.length > 0 && statuses.every(({ state }) => state?.terminated !== undefined)
}

/**
 * Two pods of one StatefulSet identity never run at once, unless somebody removed the older object without its kubelet's word: then
 * two writers are at work on what was made for one. That is no fault of the model, and is told, not reported: a real cluster does the
 * same to those who force-delete pods of machines that still run. Where the kubelet had given its word, it is a bug.
 */
export const splitBrain = (
  machineOf: (node: string) => MachineView | undefined,
  report: Report,
  tell: (found: SplitBrain) => void
): Invariant => {
  const identities = new Map<string, Array<Incarnation>>()
  /** Identities with more than one pod that may run. */
  const doubtful = new Set<string>()
  const told = new Set<string>()

  const runs = ({ node, started, uid }: Incarnation): boolean =>
    started &&
    machineOf(node)
      ?.kubelet.pods()
      .some((pod) => pod.uid === uid && pod.hasContainers) === true

  const look = (key: string): void => {
    const known = identities.get(key) ?? []
    const live = known.filter((one) => !one.gone || runs(one))
    identities.set(key, live)
    if (live.length < 2) doubtful.delete(key)
    const running = live.filter(runs)
    const [older] = running
    const newer = running.at(-1)
    if (older === undefined || newer === undefined || older === newer) return
    const once = `${older.uid} ${newer.uid}`
    if (told.has(once)) return
    told.add(once)
    const [namespace = "", pod = ""] = key.split("/")
    tell({ namespace, pod, nodes: [older.node, newer.node] })
    if (older.confirmed) {
      report(
        `${namespace}/${pod} runs on ${older.node} and on ${newer.node}, though its first kubelet said it had stopped`
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
          old.gone = true
          old.confirmed = isSaidToHaveStopped(previous)
        }
      }
      const { nodeName = "" } = next?.spec ?? {}
      if (next !== undefined && nodeName !== "" && !known.some(({ uid }) => uid === next.metadata.uid)) {
        known.push({ uid: next.metadata.uid ?? "", node: nodeName, started: false, gone: false, confirmed: false })
        identities.set(key, known)
        if (known.length > 1) doubtful.add(key)
      }
      if (next?.status?.phase === "Running") {
        const running = known.find(({ uid }) => uid === next.metadata.uid)
        if (running !== undefined) running.started = true
      }
      if (doubtful.has(key)) look(key)
    },
    look: () => {
      for (const key of doubtful) look(key)
    }
  }
}
