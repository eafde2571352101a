import { type Container, formatDuration, type Pod } from "@rollcall/api"
import { type EventRecorder, referenceTo } from "@rollcall/cluster"
import type { ProbeKind } from "../runtime/ProbeOutcomes.ts"
import { deadlineExceeded } from "./PodKill.ts"
import type { PodRecord } from "./PodRecord.ts"

type Recorder = Pick<EventRecorder, "event"> | undefined

/** What an Event is about: an init container or another one, an ephemeral one, or the image of a volume, which is the pod's. */
export type EventKind = boolean | "ephemeralContainers" | "volumes"

/** Records an Event about one container of a pod; `kind` says whether it is an init container. Upstream: pkg/kubelet/container/ref.go GenerateContainerRef. */
export const recordContainerEvent = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  kind: EventKind,
  type: "Normal" | "Warning",
  reason: string,
  message: string
): void => {
  if (recorder === undefined) return
  if (kind === "volumes") {
    recorder.event(pod, type, reason, message)
    return
  }
  const list = typeof kind === "string" ? kind : kind ? "initContainers" : "containers"
  const fieldPath = `spec.${list}{${container.name}}`
  recorder.event({ ...referenceTo(pod), fieldPath }, type, reason, message)
}

const quotedImage = ({ image = "" }: Container): string => JSON.stringify(image)

/** Records that a container's image is on the node; `isVerified` says whether access to it is looked at. */
export const recordPresentImage = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: EventKind,
  isVerified: boolean
): void => {
  const access = isVerified ? " and can be accessed by the pod" : ""
  const message = `Container image ${quotedImage(container)} already present on machine${access}`
  recordContainerEvent(recorder, pod, container, isInit, "Normal", "Pulled", message)
}

/**
 * Records the Events of a container that was started. Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go
 * startContainer, pkg/kubelet/images/image_manager.go.
 */
export const recordStart = (recorder: Recorder, pod: Pod, container: Container, isInit: EventKind): void => {
  recordContainerEvent(recorder, pod, container, isInit, "Normal", "Created", "Container created")
  recordContainerEvent(recorder, pod, container, isInit, "Normal", "Started", "Container started")
}

/** Records that the sandbox of a pod is made anew. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncPod. */
export const recordLostSandbox = (recorder: Recorder, pod: Pod): void => {
  const message = "Pod sandbox changed, it will be killed and re-created."
  recorder?.event(pod, "Normal", "SandboxChanged", message)
}

/** Records the Events of the containers of a pod that was started as a whole. */
export const recordStarts = (recorder: Recorder, pod: Pod, isVerified: boolean): void => {
  for (const container of recorder === undefined ? [] : pod.spec.containers) {
    recordPresentImage(recorder, pod, container, false, isVerified)
    recordStart(recorder, pod, container, false)
  }
}

/** How long a pull took, without and with the wait for others, and what it brought. */
export interface PullTimes {
  readonly tookMs: number
  readonly totalMs: number
  readonly sizeBytes: number
}

/** Records that an image was pulled. Times are in whole milliseconds. Upstream: image_manager.go, pullImage. */
export const recordImagePulled = (
  recorder: Recorder,
  pod: Pod,
  { container, isInit }: { readonly container: Container; readonly isInit: EventKind },
  { sizeBytes, tookMs, totalMs }: PullTimes
): void => {
  const took = formatDuration(Math.trunc(tookMs))
  const total = formatDuration(Math.trunc(totalMs))
  const message = `Successfully pulled image ${quotedImage(container)} in ${took} (${total} including waiting). Image size: ${sizeBytes} bytes.`
  recordContainerEvent(recorder, pod, container, isInit, "Normal", "Pulled", message)
}

/** Records why a container was not started. An image of a volume is none: each container that mounts it says so. */
export const recordNotStarted = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: EventKind,
  reason: string
): void => {
  if (isInit === "volumes") return
  recordContainerEvent(recorder, pod, container, isInit, "Warning", "Failed", `Error: ${reason}`)
}

/** Records the Events of a failed image pull, after that of its begin. `error` is the runtime's message. */
export const recordFailedPull = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: EventKind,
  error: string,
  reason: string
): void => {
  const record = (type: "Normal" | "Warning", reason: string, message: string) =>
    recordContainerEvent(recorder, pod, container, isInit, type, reason, message)
  record("Warning", "Failed", `Failed to pull image ${quotedImage(container)}: ${error}`)
  recordNotStarted(recorder, pod, container, isInit, reason)
}

/** Records that the next pull of a container's image waits for its back-off. */
export const recordPullBackOff = (recorder: Recorder, pod: Pod, container: Container, isInit: EventKind): void => {
  const message = `Back-off pulling image ${quotedImage(container)}`
  recordContainerEvent(recorder, pod, container, isInit, "Normal", "BackOff", message)
  recordNotStarted(recorder, pod, container, isInit, "ImagePullBackOff")
}

/**
 * Records that the deadline of a pod has passed: each sync that computes its status does so, two before it is stopped and two
 * after that. Upstream: pkg/kubelet/active_deadline.go ShouldEvict.
 */
export const recordOverdue = (recorder: Recorder, pod: Pod): void => {
  for (let sync = 0; sync < 2; sync++) recorder?.event(pod, "Normal", deadlineExceeded.reason, deadlineExceeded.message)
}

const titles: Readonly<Record<ProbeKind, string>> = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" }

/** Records a check that failed, or that passed with a warning. Upstream: pkg/kubelet/prober/prober.go probe. */
export const recordProbe = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: boolean,
  kind: ProbeKind,
  outcome: "failed" | "warning",
  output: string
): void => {
  const reason = outcome === "failed" ? "Unhealthy" : "ProbeWarning"
  const message = `${titles[kind]} probe ${outcome}: ${output}`
  recordContainerEvent(recorder, pod, container, isInit, "Warning", reason, message)
}

/**
 * The message of the Event of a container that is killed because its probe failed. If no other container runs on, the pod
 * is killed as a whole. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions.
 */
export const probeKillMessage = (
  { lifecycle, pod }: Pick<PodRecord, "lifecycle" | "pod">,
  { container }: { readonly container: Container },
  kind: ProbeKind
): string => {
  const { restartPolicy = pod.spec.restartPolicy } = container
  if (restartPolicy !== "Never") return `Container ${container.name} failed ${kind} probe, will be restarted`
  const isKept = lifecycle?.containers.some((other) => !other.isInit && other.container !== container && other.isUp)
  return isKept === true ? `Container ${container.name} failed ${kind} probe` : `Stopping container ${container.name}`
}

/**
 * Records that the running containers of a pod are being stopped. Upstream:
 * pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer.
 */
export const recordStop = (
  recorder: Recorder,
  { containers: { ephemeral = [] }, pod, statuses }: Pick<PodRecord, "containers" | "pod" | "statuses">
): void => {
  if (recorder === undefined) return
  const runs = (container: Container) =>
    statuses.some(({ name, state }) => name === container.name && state?.running !== undefined)
  for (const container of pod.spec.containers) {
    if (!runs(container)) continue
    recordContainerEvent(recorder, pod, container, false, "Normal", "Killing", `Stopping container ${container.name}`)
  }
  for (const container of pod.spec.initContainers ?? []) {
    if (!runs(container)) continue
    recordContainerEvent(recorder, pod, container, true, "Normal", "Killing", `Stopping container ${container.name}`)
  }
  for (const container of pod.spec.ephemeralContainers ?? []) {
    if (!ephemeral.some(({ name, state }) => name === container.name && state?.running !== undefined)) continue
    const message = `Stopping container ${container.name}`
    recordContainerEvent(recorder, pod, container, "ephemeralContainers", "Normal", "Killing", message)
  }
}
