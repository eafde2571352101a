import {
  type Container,
  type ContainerStatus,
  type KubeObject,
  type Pod,
  type PodCondition,
  type PodStatus,
  qosClassOf
} from "@rollcall/api"

/** The conditions that a kubelet reports for a running pod. */
const runningConditions = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled"
] as const

const runningContainer = ({ image = "", name }: Container, since: string, ready: boolean): ContainerStatus => ({
  name,
  image,
  imageID: "",
  ready,
  restartCount: 0,
  started: true,
  state: { running: { startedAt: since } }
})

const completedContainer = ({ image = "", name }: Container, at: string): ContainerStatus => ({
  name,
  image,
  imageID: "",
  ready: true,
  restartCount: 0,
  started: false,
  state: { terminated: { exitCode: 0, reason: "Completed", startedAt: at, finishedAt: at } }
})

/** The statuses in which each of these containers has one with a state. Pods of one template may share both. */
const complete = new WeakMap<ReadonlyArray<ContainerStatus>, ReadonlyArray<Container>>()

/** Returns the statuses unchanged if each container has one with a state; otherwise adds the missing ones. */
const withStates = (
  containers: ReadonlyArray<Container>,
  statuses: ReadonlyArray<ContainerStatus>,
  make: (container: Container) => ContainerStatus
): ReadonlyArray<ContainerStatus> => {
  if (complete.get(statuses) === containers) return statuses
  const statusOf = new Map(statuses.map((status) => [status.name, status]))
  if (containers.every(({ name }) => statusOf.get(name)?.state !== undefined)) {
    complete.set(statuses, containers)
    return statuses
  }
  return containers.map((container) => {
    const given = statusOf.get(container.name)
    return given?.state === undefined ? { ...make(container), ...given } : given
  })
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always"

const noConditions: ReadonlyArray<PodCondition> = []

const missingConditions = (conditions: ReadonlyArray<PodCondition>, ready: string, since: string) => {
  const isMissing = (type: string) => !conditions.some((condition) => condition.type === type)
  if (!runningConditions.some(isMissing)) return noConditions
  return runningConditions.filter(isMissing).map((type) => ({
    type,
    status: type === "Ready" || type === "ContainersReady" ? ready : "True",
    lastTransitionTime: since
  }))
}

/** Adds the conditions and container statuses that a kubelet would report to the status of a running pod. */
const runningStatus = ({ metadata, spec }: Pod, status: PodStatus, now: string): PodStatus => {
  const since = status.startTime ?? metadata.creationTimestamp ?? now
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = status
  const ready = conditions.find(({ type }) => type === "Ready")?.status ?? "True"
  const init = spec.initContainers ?? []
  const added = missingConditions(conditions, ready, since)
  return {
    ...status,
    startTime: since,
    ...(added.length === 0 ? {} : { conditions: [...conditions, ...added] }),
    containerStatuses: withStates(spec.containers, containerStatuses, (container) =>
      runningContainer(container, since, ready === "True")
    ),
    ...(init.length === 0
      ? {}
      : {
          initContainerStatuses: withStates(init, initContainerStatuses, (container) =>
            isSidecar(container) ? runningContainer(container, since, true) : completedContainer(container, since)
          )
        })
  }
}

/**
 * Adds the fields that an API server and a kubelet would have set to a Pod of a snapshot that lacks them: the phase and the QoS class
 * of every stored pod, and the container statuses of a running one. Without them the API would refuse the kubelet's status updates,
 * because the QoS class of a stored pod is immutable, and the pod would neither run nor end. `now` is a timestamp in RFC 3339. Returns
 * other objects unchanged.
 */
export const completePod = (object: KubeObject, now: string): KubeObject => {
  if (object.kind !== "Pod") return object
  const pod: Pod = object as Pod
  const { phase = "Pending", qosClass = qosClassOf(pod), ...rest } = pod.status ?? {}
  const status: PodStatus = { ...rest, phase, qosClass }
  const isRunning = phase === "Running" && (pod.spec.nodeName ?? "") !== ""
  const complete: Pod = { ...pod, status: isRunning ? runningStatus(pod, status, now) : status }
  return complete
}
