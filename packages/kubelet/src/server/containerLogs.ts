import { type ContainerStatus, goQuote } from "@rollcall/api"
import { anyContainer, type ServedPod } from "./streams/containerRun.ts"
import { statusNamed } from "./streams/logStream.ts"

/** Why a kubelet has no log of a container. */
interface LogRefusal {
  readonly code: number
  readonly text: string
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
  if (anyContainer(served.pod, container) === undefined)
    return { code: 404, text: `container ${quoted} not found in pod ${quotedPod}` }
  const known = statusNamed(served, container)
  if (isPrevious && known !== undefined && !known.lastState?.terminated?.containerID) {
    return { code: 400, text: `previous terminated container ${quoted} in pod ${quotedPod} not found` }
  }
  const problem = problemOf(known, isPrevious)
  return problem === undefined ? undefined : { code: 400, text: `container ${quoted} in pod ${quotedPod} ${problem}` }
}
