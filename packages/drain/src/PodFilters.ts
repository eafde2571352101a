import { getControllerOf, type OwnerReference, type Pod, parseTime } from "@rollcall/api"

/** What a filter says of a pod: `delete` false ends the matter, and the reason tells whether that is in order. */
export interface PodVerdict {
  readonly delete: boolean
  readonly reason: "Okay" | "Skip" | "Warning" | "Error"
  readonly message: string
}

/** The words of refusals and warnings. They differ a little between releases of kubectl. */
export interface DrainMessages {
  readonly daemonSetFatal: string
  readonly daemonSetWarning: string
  readonly localStorageFatal: string
  readonly localStorageWarning: string
  readonly unmanagedFatal: string
  readonly unmanagedWarning: string
}

/** As of v1.36. */
export const drainMessages: DrainMessages = {
  daemonSetFatal: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonSetWarning: "ignoring DaemonSet-managed Pods",
  localStorageFatal: "Pods with local storage (use --delete-emptydir-data to override)",
  localStorageWarning: "deleting Pods with local storage",
  unmanagedFatal: "Pods that declare no controller (use --force to override)",
  unmanagedWarning: "deleting Pods that declare no controller"
}

/** What the one who drains allows, under kubectl's names. */
export interface DrainFlags {
  readonly force?: boolean
  readonly ignoreDaemonsets?: boolean
  readonly deleteEmptydirData?: boolean
  /** Pods that have been terminating for longer than so many seconds are not waited for; 0: all are. */
  readonly skipWaitForDeleteTimeoutSeconds?: number
}

export interface FilterContext extends DrainFlags {
  readonly nowMs: number
  /** The error of the look-up when the DaemonSet is not there or could not be read; undefined when it is there. */
  readonly daemonSetError: (namespace: string, name: string) => DaemonSetError | undefined
  readonly messages?: DrainMessages
}

export interface DaemonSetError {
  readonly notFound: boolean
  readonly message: string
}

const okay: PodVerdict = { delete: true, reason: "Okay", message: "" }
const skip: PodVerdict = { delete: false, reason: "Skip", message: "" }
const refuse = (message: string): PodVerdict => ({ delete: false, reason: "Error", message })
const warn = (remove: boolean, message: string): PodVerdict => ({ delete: remove, reason: "Warning", message })

type PodFilter = (pod: Pod, context: FilterContext, messages: DrainMessages) => PodVerdict

const isFinished = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed"

/** Whether a pod has been terminating for so long that nobody waits for it any more. */
export const isLongDeleted = ({ metadata }: Pod, seconds: number, nowMs: number): boolean =>
  seconds > 0 &&
  metadata.deletionTimestamp !== undefined &&
  Math.trunc((nowMs - parseTime(metadata.deletionTimestamp)) / 1000) > seconds

/** The DaemonSet that controls a pod: Kubernetes' own, for other groups have kinds of that name. */
export const daemonSetOf = (pod: Pod): OwnerReference | undefined => {
  const owner = getControllerOf(pod)
  return owner?.apiVersion === "apps/v1" && owner.kind === "DaemonSet" ? owner : undefined
}

const deleted: PodFilter = (pod, { nowMs, skipWaitForDeleteTimeoutSeconds = 0 }) =>
  isLongDeleted(pod, skipWaitForDeleteTimeoutSeconds, nowMs) ? skip : okay

const daemonSet: PodFilter = (pod, context, messages) => {
  const owner = daemonSetOf(pod)
  if (owner === undefined || isFinished(pod)) return okay
  const error = context.daemonSetError(pod.metadata.namespace ?? "", owner.name)
  // What is left of a set that is gone comes to no harm by going too.
  if (error !== undefined) return error.notFound && context.force ? warn(true, error.message) : refuse(error.message)
  return context.ignoreDaemonsets ? warn(false, messages.daemonSetWarning) : refuse(messages.daemonSetFatal)
}

const mirror: PodFilter = ({ metadata }) =>
  Object.hasOwn(metadata.annotations ?? {}, "kubernetes.io/config.mirror") ? skip : okay

const localStorage: PodFilter = (pod, { deleteEmptydirData }, messages) => {
  const holdsData = pod.spec.volumes?.some(({ emptyDir }) => emptyDir !== undefined) ?? false
  if (!holdsData || isFinished(pod)) return okay
  return deleteEmptydirData ? warn(true, messages.localStorageWarning) : refuse(messages.localStorageFatal)
}

const unreplicated: PodFilter = (pod, { force }, messages) => {
  if (isFinished(pod) || getControllerOf(pod) !== undefined) return okay
  return force ? warn(true, messages.unmanagedWarning) : refuse(messages.unmanagedFatal)
}

const filters: ReadonlyArray<PodFilter> = [deleted, daemonSet, mirror, localStorage, unreplicated]

/**
 * Whether a drain takes this pod. The first filter that keeps it has the say; otherwise the last one, so that a warning of an
 * earlier one is lost. Upstream: staging/src/k8s.io/kubectl/pkg/drain/filters.go.
 */
export const judgePod = (pod: Pod, context: FilterContext): PodVerdict => {
  let verdict = okay
  for (const filter of filters) {
    verdict = filter(pod, context, context.messages ?? drainMessages)
    if (!verdict.delete) return verdict
  }
  return verdict
}
