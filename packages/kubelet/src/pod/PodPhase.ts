import {
  annotationConfigSource,
  type Container,
  type ContainerStateTerminated,
  type ContainerStatus,
  type Pod
} from "@rollcall/api"
import { containerShouldRestart, isSidecar } from "./ContainerRestart.ts"

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed"

export const isTerminal = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed"

/** Whether the pod's manifest is on the node. Upstream: pkg/kubelet/types/pod_update.go IsStaticPod. */
export const isStaticPod = (pod: Pod): boolean => {
  const source = pod.metadata.annotations?.[annotationConfigSource]
  return source !== undefined && source !== "api"
}

/** The state that a container counts as. */
type Standing = "unknown" | "waiting" | "running" | "stopped"

const standingOf = (status: ContainerStatus | undefined): Standing => {
  if (status?.state?.running !== undefined) return "running"
  if (status?.state?.terminated !== undefined) return "stopped"
  if (status?.state?.waiting === undefined) return "unknown"
  return status.lastState?.terminated === undefined ? "waiting" : "stopped"
}

/** How the container terminated, now or, while it waits for its restart, the last time. */
const endOf = (status: ContainerStatus | undefined): ContainerStateTerminated | undefined =>
  status?.state?.terminated ?? status?.lastState?.terminated

/** Upstream's reason for a restart of all containers that one of them requested. */
const RESTARTING_ALL = "RestartingAllContainers"

const comesBack = (pod: Pod, container: Container, status: ContainerStatus | undefined): boolean => {
  const end = endOf(status)
  if (end === undefined) return true
  return end.reason === RESTARTING_ALL || containerShouldRestart(container, pod.spec.restartPolicy, end.exitCode)
}

/**
 * The phase of a pod from the statuses of its containers. `terminating`: the kubelet terminates the pod and restarts
 * nothing; `initialized`: a regular container has been started before. Upstream: pkg/kubelet/kubelet_pods.go getPhase.
 */
export const podPhase = (
  pod: Pod,
  statuses: ReadonlyArray<ContainerStatus>,
  terminating: boolean,
  initialized: boolean
): Phase => {
  const statusOf = (container: Container) => statuses.find(({ name }) => name === container.name)
  const inits = pod.spec.initContainers ?? []
  const plainInits = inits.filter((container) => !isSidecar(container))
  const sidecars = inits.filter(isSidecar).map(statusOf)
  const regulars = pod.spec.containers.map((container) => ({ container, status: statusOf(container) }))
  const sidecarStandings = sidecars.map(standingOf)
  const standings = regulars.map(({ status }) => standingOf(status))

  const initFailedForGood = plainInits.some((container) => {
    const status = statusOf(container)
    return (
      standingOf(status) === "stopped" && (endOf(status)?.exitCode ?? 0) !== 0 && !comesBack(pod, container, status)
    )
  })
  if (initFailedForGood) return "Failed"

  const initPending = plainInits.some((container) => standingOf(statusOf(container)) !== "stopped")
  const sidecarPending = sidecars.some((status, index) => {
    const standing = sidecarStandings[index]
    if (standing === "running") return status?.started !== true
    // A sidecar without a status does not keep the pod pending here: it makes the phase unknown below.
    return standing === "waiting" || (standing === "unknown" && status !== undefined)
  })
  if (initPending || (sidecarPending && !initialized)) return "Pending"
  if (sidecarStandings.includes("waiting") || standings.includes("waiting")) return "Pending"
  if (sidecarStandings.includes("unknown") || standings.includes("unknown")) return "Pending"
  if (sidecarStandings.includes("running") || standings.includes("running")) return "Running"
  if (standings.length === 0) return "Pending"

  // Every regular container has stopped. Only a permanently stopped container, not one in back-off, counts as
  // succeeded.
  const allSucceeded = regulars.every(({ status }) => status?.state?.terminated?.exitCode === 0)
  if (terminating && !isStaticPod(pod)) return allSucceeded ? "Succeeded" : "Failed"
  if (regulars.some(({ container, status }) => comesBack(pod, container, status))) return "Running"
  return allSucceeded ? "Succeeded" : "Failed"
}
