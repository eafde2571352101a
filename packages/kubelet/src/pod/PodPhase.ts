import {
  annotationConfigSource,
  type Container,
  type ContainerStateTerminated,
  type ContainerStatus,
  type Pod
} from "@rollcall/api"
import { containerShouldRestart, isSidecar } from "./ContainerRestart.ts"
import { RESTARTING_ALL } from "./Containers.ts"

/** The `status.phase` of a pod, without `Unknown`, which kubelets do not write. */
export type Phase = "Pending" | "Running" | "Succeeded" | "Failed"

/** Whether a pod in this phase has terminated. */
export const isTerminal = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed"

/**
 * Whether the pod comes from a manifest of its node, and not from the API. Upstream: pkg/kubelet/types/pod_update.go
 * IsStaticPod.
 */
export const isStaticPod = (pod: Pod): boolean => {
  const source = pod.metadata.annotations?.[annotationConfigSource]
  return source !== undefined && source !== "api"
}

/** The state that a container counts as for the phase of its pod. A container that waits for a restart is `stopped`. */
type RunState = "unknown" | "waiting" | "running" | "stopped"

const runStateOf = (status: ContainerStatus | undefined): RunState => {
  if (status?.state?.running !== undefined) return "running"
  if (status?.state?.terminated !== undefined) return "stopped"
  if (status?.state?.waiting === undefined) return "unknown"
  return status.lastState?.terminated === undefined ? "waiting" : "stopped"
}

/** Returns how the container terminated: now, or the last time while it waits for its restart. */
const terminationOf = (status: ContainerStatus | undefined): ContainerStateTerminated | undefined =>
  status?.state?.terminated ?? status?.lastState?.terminated

const willRestart = (pod: Pod, container: Container, status: ContainerStatus | undefined): boolean => {
  const termination = terminationOf(status)
  if (termination === undefined) return true
  return (
    termination.reason === RESTARTING_ALL ||
    containerShouldRestart(container, pod.spec.restartPolicy, termination.exitCode)
  )
}

/**
 * Returns the phase of a pod from the statuses of its containers. `terminating` says that the kubelet terminates the
 * pod and restarts nothing, `initialized` that a regular container has been started before. Upstream:
 * pkg/kubelet/kubelet_pods.go getPhase.
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
  const sidecarRunStates = sidecars.map(runStateOf)
  const runStates = regulars.map(({ status }) => runStateOf(status))

  const initFailedForGood = plainInits.some((container) => {
    const status = statusOf(container)
    return (
      runStateOf(status) === "stopped" &&
      (terminationOf(status)?.exitCode ?? 0) !== 0 &&
      !willRestart(pod, container, status)
    )
  })
  if (initFailedForGood) return "Failed"

  const initPending = plainInits.some((container) => runStateOf(statusOf(container)) !== "stopped")
  const sidecarPending = sidecars.some((status, index) => {
    const runState = sidecarRunStates[index]
    if (runState === "running") return status?.started !== true
    // A sidecar without a status does not keep the pod pending here: it makes the phase unknown below.
    return runState === "waiting" || (runState === "unknown" && status !== undefined)
  })
  if (initPending || (sidecarPending && !initialized)) return "Pending"
  if (sidecarRunStates.includes("waiting") || runStates.includes("waiting")) return "Pending"
  if (sidecarRunStates.includes("unknown") || runStates.includes("unknown")) return "Pending"
  if (sidecarRunStates.includes("running") || runStates.includes("running")) return "Running"
  if (runStates.length === 0) return "Pending"

  // Every regular container has stopped. Only a permanently stopped container, not one in back-off, counts as
  // succeeded.
  const allSucceeded = regulars.every(({ status }) => status?.state?.terminated?.exitCode === 0)
  if (terminating && !isStaticPod(pod)) return allSucceeded ? "Succeeded" : "Failed"
  if (regulars.some(({ container, status }) => willRestart(pod, container, status))) return "Running"
  return allSucceeded ? "Succeeded" : "Failed"
}
