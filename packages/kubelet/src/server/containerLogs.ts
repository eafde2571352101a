import { type ContainerStatus, goQuote, type Pod, type PodStatus } from "@rollcall/api"

/** A pod as its kubelet knows it. */
export interface ServedPod {
  readonly pod: Pod
  readonly status: PodStatus
}

/** Why a kubelet has no log of a container. */
interface LogRefusal {
  readonly code: number
  readonly text: string
}

const hasContainer = ({ spec }: Pod, name: string): boolean => {
  const { containers, ephemeralContainers = [], initContainers = [] } = spec
  return [...containers, ...initContainers, ...ephemeralContainers].some((container) => container.name === name)
}

const statusNamed = (status: PodStatus, name: string): ContainerStatus | undefined => {
  const { containerStatuses = [], ephemeralContainerStatuses = [], initContainerStatuses = [] } = status
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name
  )
}

const PULLING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image"
}

/** Says why a container has no log; undefined if it has one. Upstream: pkg/kubelet validateContainerLogStatus. */
const problemOf = (status: ContainerStatus | undefined, isPrevious: boolean): string | undefined => {
  if (status === undefined) return "is not available"
  const { lastState, state = {} } = status
  const last = lastState?.terminated
  if (isPrevious || state.running !== undefined) return undefined
  if (state.terminated !== undefined) {
    return state.terminated.containerID || last?.containerID ? undefined : "is terminated"
  }
  if (last !== undefined) return last.containerID ? undefined : "is terminated"
  if (state.waiting === undefined) return "is waiting to start - no logs yet"
  const { reason = "" } = state.waiting
  return `is waiting to start: ${PULLING[reason] ?? reason}`
}

/**
 * Returns why a kubelet has no log of a container, which is undefined if it has one. Upstream: pkg/kubelet/server
 * getContainerLogs.
 */
export const logRefusal = (
  served: ServedPod | undefined,
  podName: string,
  container: string,
  isPrevious: boolean
): LogRefusal | undefined => {
  const [quotedPod, quoted] = [goQuote(podName), goQuote(container)]
  if (served === undefined) return { code: 404, text: `pod ${quotedPod} does not exist` }
  const { pod, status } = served
  if (!hasContainer(pod, container)) return { code: 404, text: `container ${quoted} not found in pod ${quotedPod}` }
  const known = statusNamed(status, container)
  if (isPrevious && known !== undefined && !known.lastState?.terminated?.containerID) {
    return { code: 400, text: `previous terminated container ${quoted} in pod ${quotedPod} not found` }
  }
  const problem = problemOf(known, isPrevious)
  return problem === undefined ? undefined : { code: 400, text: `container ${quoted} in pod ${quotedPod} ${problem}` }
}
