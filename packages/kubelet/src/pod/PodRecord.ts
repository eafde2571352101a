import { type ContainerStatus, type Pod, type PodStatus, reportsOtherResources } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import { withAllocation } from "../allocation/Allocation.ts"
import type { PodResize } from "../allocation/PodResize.ts"
import type { PodObserver, StartFailure } from "../runtime/PodRuntime.ts"
import type { PodLifecycle } from "./ContainerLifecycle.ts"
import type { Containers } from "./Containers.ts"
import { decidePod, hasContainers, type PodDecision, type PodStage } from "./PodDecision.ts"
import type { PodEnding } from "./PodEnding.ts"
import { isTerminal } from "./PodPhase.ts"

/** What the owner of the pods does when the runtime reports an event of a pod. */
export interface PodCallbacks {
  /** Runs `act`. If it throws, the pod is synced again later. */
  readonly guard: (record: PodRecord, act: () => void) => void
  /** Handles another version of the pod in the API than the one before. */
  readonly apiChanged: (record: PodRecord, before: Pod) => void
  readonly started: (record: PodRecord, podIP: string) => void
  readonly sandboxReady: (record: PodRecord, podIP: string) => void
  readonly containerStarted: (record: PodRecord, name: string) => void
  readonly containerFailed: (record: PodRecord, name: string, failure: StartFailure) => void
  readonly containerExited: (record: PodRecord, name: string, exitCode: number, message?: string) => void
  readonly stopped: (record: PodRecord, exitCode: number) => void
  readonly warned: (record: PodRecord, reason: string, message: string) => void
}

const NO_STATUS: PodStatus = {}

/**
 * One pod of one kubelet, which observes its containers. 100,000 nodes have millions of pods: a record has few fields,
 * shares its objects with the API server, and has no timer for a pod that only runs.
 */
export class PodRecord implements PodObserver {
  private readonly callbacks: PodCallbacks
  /** The pod as the API last showed it; of a static pod, the manifest's. */
  pod: Pod
  /** The status that the kubelet last posted, or will post. It has no phase until the first one has been computed. */
  status: PodStatus = NO_STATUS
  stage: PodStage = "new"
  /** Whether the pod exists in the API, or a static pod in the manifests. */
  present = true
  /** Whether a request about the pod's status or its deletion is in flight. */
  sending = false
  /** The termination in progress; undefined before it. */
  ending: PodEnding | undefined = undefined
  /** The state of its containers; undefined while the pod only runs. */
  lifecycle: PodLifecycle | undefined = undefined
  /** The resize in progress; undefined while the pod has what it asks for. */
  resize: PodResize | undefined = undefined

  constructor(callbacks: PodCallbacks, pod: Pod) {
    this.callbacks = callbacks
    this.pod = pod
  }

  get containers(): Containers {
    const {
      containerStatuses: regular = [],
      ephemeralContainerStatuses,
      initContainerStatuses: init = []
    } = this.status
    const ephemeral = ephemeralContainerStatuses ?? this.pod.status?.ephemeralContainerStatuses
    return ephemeral === undefined ? { init, regular } : { init, regular, ephemeral }
  }

  get statuses(): ReadonlyArray<ContainerStatus> {
    const { containerStatuses = [], initContainerStatuses } = this.status
    return initContainerStatuses === undefined ? containerStatuses : [...initContainerStatuses, ...containerStatuses]
  }

  /**
   * The pod in the API to which statuses are written; undefined while the API shows none. A static pod's is its mirror.
   */
  get apiPod(): Pod | undefined {
    return this.pod
  }

  /** Whether the API shows the pod, so that its status is posted. */
  get isReported(): boolean {
    return this.present
  }

  /** The pod with the resources that it holds on the node. */
  get held(): Pod {
    const { pod, resize, status } = this
    if (resize === undefined) return reportsOtherResources(pod) ? { ...pod, status } : pod
    return { ...withAllocation(pod, resize.allocated, resize.gates), status }
  }

  /** Takes another version of the pod from the API, and reports what it changes. Returns false for an older one. */
  updateFromApi(pod: Pod): boolean {
    const before = this.pod
    if (pod === before || isOlder(pod, before)) return false
    this.pod = pod
    this.callbacks.apiChanged(this, before)
    return true
  }

  /** Whether the pod stays in the API: without a terminal phase it would count as running forever. */
  get mustBecomeTerminal(): boolean {
    return this.pod.metadata.deletionTimestamp === undefined && !isTerminal(this.pod.status?.phase)
  }

  /** Whether the pod is run again after a power loss even if it had terminated, as a static pod is. */
  get restartsAfterPowerLoss(): boolean {
    return false
  }

  /** Called when the pod is synced. */
  onSync(): void {}

  /** Called when nothing of the pod is left. */
  onForget(): void {}

  started(podIP: string): void {
    this.callbacks.guard(this, () => this.callbacks.started(this, podIP))
  }
  sandboxReady(podIP: string): void {
    this.callbacks.guard(this, () => this.callbacks.sandboxReady(this, podIP))
  }
  containerStarted(name: string): void {
    this.callbacks.guard(this, () => this.callbacks.containerStarted(this, name))
  }
  containerFailed(name: string, failure: StartFailure): void {
    this.callbacks.guard(this, () => this.callbacks.containerFailed(this, name, failure))
  }
  containerExited(name: string, exitCode: number, message?: string): void {
    this.callbacks.guard(this, () => this.callbacks.containerExited(this, name, exitCode, message))
  }
  stopped(exitCode: number): void {
    this.callbacks.guard(this, () => this.callbacks.stopped(this, exitCode))
  }
  warned(reason: string, message: string): void {
    this.callbacks.guard(this, () => this.callbacks.warned(this, reason, message))
  }
}

/** Returns what the kubelet does about a pod. */
export const decisionAbout = ({ pod, present, stage }: PodRecord, reportTerminal: boolean): PodDecision =>
  decidePod({
    stage,
    present,
    deleting: pod.metadata.deletionTimestamp !== undefined,
    terminal: isTerminal(pod.status?.phase),
    reportTerminal
  })

/**
 * Returns the pods that hold resources of the node, including those being stopped. Those that were deleted by force and
 * are still being stopped do not count, as upstream: pkg/kubelet/kubelet_pods.go GetActivePods. `except` is left out.
 */
export const podsWithContainers = (records: Iterable<PodRecord>, except: PodRecord | undefined): ReadonlyArray<Pod> => {
  const pods: Array<Pod> = []
  for (const record of records) {
    if (record !== except && record.present && hasContainers(record.stage)) pods.push(record.held)
  }
  return pods
}
