import type { Container, Pod } from "@rollcall/api"
import { type EventRecorder, referenceTo } from "@rollcall/cluster"
import type { ProbeKind } from "../runtime/ProbeOutcomes.ts"
import { isSidecar } from "./ContainerRestart.ts"

type Recorder = Pick<EventRecorder, "event"> | undefined

/** An Event about one container of a pod. Upstream: pkg/kubelet/container/ref.go GenerateContainerRef. */
export const tellOfContainer = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: boolean,
  type: "Normal" | "Warning",
  reason: string,
  message: string
): void => {
  if (recorder === undefined) return
  const fieldPath = `spec.${isInit ? "initContainers" : "containers"}{${container.name}}`
  recorder.event({ ...referenceTo(pod), fieldPath }, type, reason, message)
}

const image = ({ image = "" }: Container): string => JSON.stringify(image)

/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer, pkg/kubelet/images/image_manager.go. */
export const tellOfStart = (recorder: Recorder, pod: Pod, container: Container, isInit: boolean): void => {
  const pulled = `Container image ${image(container)} already present on machine and can be accessed by the pod`
  tellOfContainer(recorder, pod, container, isInit, "Normal", "Pulled", pulled)
  tellOfContainer(recorder, pod, container, isInit, "Normal", "Created", "Container created")
  tellOfContainer(recorder, pod, container, isInit, "Normal", "Started", "Container started")
}

export const tellOfFailedPull = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: boolean,
  why: string
): void => {
  const tell = (type: "Normal" | "Warning", reason: string, message: string) =>
    tellOfContainer(recorder, pod, container, isInit, type, reason, message)
  tell("Normal", "Pulling", `Pulling image ${image(container)}`)
  tell("Warning", "Failed", `Failed to pull image ${image(container)}: ${why}`)
  tell("Warning", "Failed", "Error: ErrImagePull")
}

export const tellOfPullBackOff = (recorder: Recorder, pod: Pod, container: Container, isInit: boolean): void => {
  const message = `Back-off pulling image ${image(container)}`
  tellOfContainer(recorder, pod, container, isInit, "Normal", "BackOff", message)
  tellOfContainer(recorder, pod, container, isInit, "Warning", "Failed", "Error: ImagePullBackOff")
}

const titles: Readonly<Record<ProbeKind, string>> = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" }

/** Upstream: pkg/kubelet/prober/prober.go. */
export const tellOfFailedProbe = (
  recorder: Recorder,
  pod: Pod,
  container: Container,
  isInit: boolean,
  kind: ProbeKind
): void => {
  const message = `${titles[kind]} probe failed: the container does not answer`
  tellOfContainer(recorder, pod, container, isInit, "Warning", "Unhealthy", message)
}

/** All containers that run are asked to end. Upstream: kuberuntime_container.go killContainer. */
export const tellOfStop = (recorder: Recorder, pod: Pod): void => {
  if (recorder === undefined) return
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const runs = (statuses: typeof containerStatuses, container: Container) =>
    statuses.some(({ name, state }) => name === container.name && state?.running !== undefined)
  for (const container of pod.spec.containers) {
    if (!runs(containerStatuses, container)) continue
    tellOfContainer(recorder, pod, container, false, "Normal", "Killing", `Stopping container ${container.name}`)
  }
  for (const container of pod.spec.initContainers ?? []) {
    if (!isSidecar(container) || !runs(initContainerStatuses, container)) continue
    tellOfContainer(recorder, pod, container, true, "Normal", "Killing", `Stopping container ${container.name}`)
  }
}
