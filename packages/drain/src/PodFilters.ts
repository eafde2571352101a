import { getControllerOf, type OwnerReference, type Pod, parseTime } from "@rollcall/api"

/**
 * A filter's verdict on a pod. If `delete` is false, the remaining filters are not asked; `reason` says whether the
 * pod then may stay (`Skip`, `Warning`) or prevents the drain (`Error`).
 */
export interface PodVerdict {
  readonly delete: boolean
  readonly reason: "Okay" | "Skip" | "Warning" | "Error"
  readonly message: string
}

/** The texts of refusals and warnings, which differ between releases of kubectl. */
export interface DrainMessages {
  readonly daemonSetFatal: string
  readonly daemonSetWarning: string
  readonly localStorageFatal: string
  readonly localStorageWarning: string
  readonly unmanagedFatal: string
  readonly unmanagedWarning: string
}

/** The texts of kubectl v1.36. */
export const drainMessages: DrainMessages = {
  daemonSetFatal: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonSetWarning: "ignoring DaemonSet-managed Pods",
  localStorageFatal: "Pods with local storage (use --delete-emptydir-data to override)",
  localStorageWarning: "deleting Pods with local storage",
  unmanagedFatal: "Pods that declare no controller (use --force to override)",
  unmanagedWarning: "deleting Pods that declare no controller"
}

/** What the user permits, under the names of kubectl's flags. */
export interface DrainFlags {
  readonly force?: boolean
  readonly ignoreDaemonsets?: boolean
  readonly deleteEmptydirData?: boolean
  /** Pods that have been terminating for longer than this are not waited for; 0 or absent means that all are. */
  readonly skipWaitForDeleteTimeoutSeconds?: number
}

/** What the filters know besides the pod. */
export interface FilterContext extends DrainFlags {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** Returns why the DaemonSet could not be read; undefined if it exists. */
  readonly daemonSetError: (namespace: string, name: string) => DaemonSetError | undefined
  /** Default: `drainMessages`. */
  readonly messages?: DrainMessages
}

/** The error of reading a DaemonSet, with the text of the API. */
export interface DaemonSetError {
  readonly notFound: boolean
  readonly message: string
}

const deletePod: PodVerdict = { delete: true, reason: "Okay", message: "" }
const skipPod: PodVerdict = { delete: false, reason: "Skip", message: "" }
const refuse = (message: string): PodVerdict => ({ delete: false, reason: "Error", message })
const warn = (deletesPod: boolean, message: string): PodVerdict => ({ delete: deletesPod, reason: "Warning", message })

type PodFilter = (pod: Pod, context: FilterContext, messages: DrainMessages) => PodVerdict

const isFinished = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed"

/** Whether the pod's deletion timestamp is more than `seconds` ago, so that kubectl does not wait for it. 0 disables. */
export const isLongDeleted = ({ metadata }: Pod, seconds: number, nowMs: number): boolean =>
  seconds > 0 &&
  metadata.deletionTimestamp !== undefined &&
  Math.trunc((nowMs - parseTime(metadata.deletionTimestamp)) / 1000) > seconds

/** The DaemonSet of apps/v1 that controls a pod: other API groups may have a kind of that name. */
export const daemonSetOf = (pod: Pod): OwnerReference | undefined => {
  const owner = getControllerOf(pod)
  return owner?.apiVersion === "apps/v1" && owner.kind === "DaemonSet" ? owner : undefined
}

const skipDeletedFilter: PodFilter = (pod, { nowMs, skipWaitForDeleteTimeoutSeconds = 0 }) =>
  isLongDeleted(pod, skipWaitForDeleteTimeoutSeconds, nowMs) ? skipPod : deletePod

const daemonSetFilter: PodFilter = (pod, context, messages) => {
  const owner = daemonSetOf(pod)
  if (owner === undefined || isFinished(pod)) return deletePod
  const error = context.daemonSetError(pod.metadata.namespace ?? "", owner.name)
  // A leftover pod of a deleted DaemonSet may be deleted with --force.
  if (error !== undefined) return error.notFound && context.force ? warn(true, error.message) : refuse(error.message)
  return context.ignoreDaemonsets ? warn(false, messages.daemonSetWarning) : refuse(messages.daemonSetFatal)
}

const mirrorPodFilter: PodFilter = ({ metadata }) =>
  Object.hasOwn(metadata.annotations ?? {}, "kubernetes.io/config.mirror") ? skipPod : deletePod

const localStorageFilter: PodFilter = (pod, { deleteEmptydirData }, messages) => {
  const hasEmptyDir = pod.spec.volumes?.some(({ emptyDir }) => emptyDir !== undefined) ?? false
  if (!hasEmptyDir || isFinished(pod)) return deletePod
  return deleteEmptydirData ? warn(true, messages.localStorageWarning) : refuse(messages.localStorageFatal)
}

const unreplicatedFilter: PodFilter = (pod, { force }, messages) => {
  if (isFinished(pod) || getControllerOf(pod) !== undefined) return deletePod
  return force ? warn(true, messages.unmanagedWarning) : refuse(messages.unmanagedFatal)
}

const filters: ReadonlyArray<PodFilter> = [
  skipDeletedFilter,
  daemonSetFilter,
  mirrorPodFilter,
  localStorageFilter,
  unreplicatedFilter
]

/**
 * Runs the filters on a pod. The first filter that does not delete the pod decides. If there is none, the last filter
 * decides: as in kubectl, the warning of an earlier one is lost. Upstream: staging/src/k8s.io/kubectl/pkg/drain/filters.go.
 */
export const filterPod = (pod: Pod, context: FilterContext): PodVerdict => {
  let verdict = deletePod
  for (const filter of filters) {
    verdict = filter(pod, context, context.messages ?? drainMessages)
    if (!verdict.delete) return verdict
  }
  return verdict
}
