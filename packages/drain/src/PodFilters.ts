import { getControllerOf, type OwnerReference, type Pod, parseTime } from "@rollcall/api"

/**
 * A filter's verdict on a pod. `delete` false skips the remaining filters; `reason` tells an error from a pod that may
 * stay.
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

/** The texts of v1.36. */
export const drainMessages: DrainMessages = {
  daemonSetFatal: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonSetWarning: "ignoring DaemonSet-managed Pods",
  localStorageFatal: "Pods with local storage (use --delete-emptydir-data to override)",
  localStorageWarning: "deleting Pods with local storage",
  unmanagedFatal: "Pods that declare no controller (use --force to override)",
  unmanagedWarning: "deleting Pods that declare no controller"
}

/** What the user allows, under kubectl's flag names. */
export interface DrainFlags {
  readonly force?: boolean
  readonly ignoreDaemonsets?: boolean
  readonly deleteEmptydirData?: boolean
  /** Pods that have been terminating for longer than this many seconds are not waited for; 0: all are. */
  readonly skipWaitForDeleteTimeoutSeconds?: number
}

export interface FilterContext extends DrainFlags {
  readonly nowMs: number
  /** The error of looking up the DaemonSet, when it does not exist or could not be read; undefined when it exists. */
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

/** Whether a pod has been terminating for longer than `seconds`, so that kubectl does not wait for it. */
export const isLongDeleted = ({ metadata }: Pod, seconds: number, nowMs: number): boolean =>
  seconds > 0 &&
  metadata.deletionTimestamp !== undefined &&
  Math.trunc((nowMs - parseTime(metadata.deletionTimestamp)) / 1000) > seconds

/** The DaemonSet that controls a pod. Only Kubernetes' own: other API groups have kinds of that name. */
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
  // A leftover pod of a deleted DaemonSet may be deleted with --force.
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
 * Runs the filters on a pod. The first filter that keeps the pod decides; otherwise the last one does, so that a
 * warning of an earlier one is lost. Upstream: staging/src/k8s.io/kubectl/pkg/drain/filters.go.
 */
export const filterPod = (pod: Pod, context: FilterContext): PodVerdict => {
  let verdict = okay
  for (const filter of filters) {
    verdict = filter(pod, context, context.messages ?? drainMessages)
    if (!verdict.delete) return verdict
  }
  return verdict
}
