import {
  type Container,
  type ContainerStatus,
  type KubeObject,
  type Pod,
  type PodCondition,
  type PodStatus,
  qosClassOf
} from "@rollcall/api"

/** What a kubelet says of a pod that runs. */
const ofRunning = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"] as const

const running = ({ image = "", name }: Container, since: string, ready: boolean): ContainerStatus => ({
  name,
  image,
  imageID: "",
  ready,
  restartCount: 0,
  started: true,
  state: { running: { startedAt: since } }
})

const ended = ({ image = "", name }: Container, at: string): ContainerStatus => ({
  name,
  image,
  imageID: "",
  ready: true,
  restartCount: 0,
  started: false,
  state: { terminated: { exitCode: 0, reason: "Completed", startedAt: at, finishedAt: at } }
})

/** The statuses as they are, where each container has one with a state. */
const withStates = (
  containers: ReadonlyArray<Container>,
  statuses: ReadonlyArray<ContainerStatus>,
  make: (container: Container) => ContainerStatus
): ReadonlyArray<ContainerStatus> => {
  const stateOf = new Map(statuses.map((status) => [status.name, status]))
  return containers.every(({ name }) => stateOf.get(name)?.state !== undefined)
    ? statuses
    : containers.map((container) => {
        const given = stateOf.get(container.name)
        return given?.state === undefined ? { ...make(container), ...given } : given
      })
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always"

/** The status of a pod that runs, with what its kubelet would have written of its containers. */
const runningStatus = ({ metadata, spec }: Pod, status: PodStatus, now: string): PodStatus => {
  const since = status.startTime ?? metadata.creationTimestamp ?? now
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = status
  const ready = conditions.find(({ type }) => type === "Ready")?.status ?? "True"
  const init = spec.initContainers ?? []
  const told: ReadonlyArray<PodCondition> = ofRunning
    .filter((type) => !conditions.some((condition) => condition.type === type))
    .map((type) => ({
      type,
      status: type === "Ready" || type === "ContainersReady" ? ready : "True",
      lastTransitionTime: since
    }))
  return {
    ...status,
    startTime: since,
    ...(told.length === 0 ? {} : { conditions: [...conditions, ...told] }),
    containerStatuses: withStates(spec.containers, containerStatuses, (container) =>
      running(container, since, ready === "True")
    ),
    ...(init.length === 0
      ? {}
      : {
          initContainerStatuses: withStates(init, initContainerStatuses, (container) =>
            isSidecar(container) ? running(container, since, true) : ended(container, since)
          )
        })
  }
}

/**
 * A pod of a snapshot with what an API server and a kubelet would have filled in, where whoever wrote it left that out: the
 * phase and QoS class that every stored pod has, and the containers of one that runs. Without them a kubelet's reports would
 * be refused, as the class of a stored pod never changes, and such a pod would neither run nor end.
 */
export const completePod = (object: KubeObject, now: string): KubeObject => {
  if (object.kind !== "Pod") return object
  const pod: Pod = object as Pod
  const { phase = "Pending", qosClass = qosClassOf(pod), ...rest } = pod.status ?? {}
  const status: PodStatus = { ...rest, phase, qosClass }
  const whole = phase === "Running" && (pod.spec.nodeName ?? "") !== ""
  const complete: Pod = { ...pod, status: whole ? runningStatus(pod, status, now) : status }
  return complete
}
