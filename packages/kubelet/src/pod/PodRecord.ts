import type { ContainerStatus, Pod, PodStatus } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import type { PodObserver, StartFailure } from "../runtime/PodRuntime.ts"
import type { PodLife } from "./ContainerLife.ts"
import type { Containers } from "./Containers.ts"
import { hasContainers, type PodStage } from "./PodDecision.ts"
import type { PodEnding } from "./PodEnding.ts"

/** Handles the runtime's callbacks. */
export interface PodCallbacks {
  /** Runs a pod's work. An exception ends it for this pod only, which is synced again later. */
  readonly guard: (record: PodRecord, act: () => void) => void
  readonly started: (record: PodRecord, podIP: string) => void
  readonly sandboxReady: (record: PodRecord, podIP: string) => void
  readonly containerStarted: (record: PodRecord, name: string) => void
  readonly containerFailed: (record: PodRecord, name: string, failure: StartFailure) => void
  readonly containerExited: (record: PodRecord, name: string, exitCode: number) => void
  readonly stopped: (record: PodRecord, exitCode: number) => void
  readonly warned: (record: PodRecord, reason: string, message: string) => void
}

const NO_STATUS: PodStatus = {}

/**
 * One pod of one kubelet. A hundred thousand nodes have millions of them: few fields, objects shared with the API
 * server, and no timers for a pod that only runs.
 */
export class PodRecord implements PodObserver {
  private readonly keeper: PodCallbacks
  /** As last shown by the API. */
  pod: Pod
  /** The kubelet's version: what it last posted, or will post. Without a phase: none yet. */
  status: PodStatus = NO_STATUS
  stage: PodStage = "new"
  present = true
  /** A status or deletion request is in flight. */
  sending = false
  /** The termination in progress. */
  ending: PodEnding | undefined = undefined
  /** Further state, unless the pod only runs. */
  life: PodLife | undefined = undefined

  constructor(keeper: PodCallbacks, pod: Pod) {
    this.keeper = keeper
    this.pod = pod
  }

  get containers(): Containers {
    return { init: this.status.initContainerStatuses ?? [], regular: this.status.containerStatuses ?? [] }
  }

  get statuses(): ReadonlyArray<ContainerStatus> {
    const { containerStatuses = [], initContainerStatuses } = this.status
    return initContainerStatuses === undefined ? containerStatuses : [...initContainerStatuses, ...containerStatuses]
  }

  /** As shown by the API; undefined while it is not. */
  get apiPod(): Pod | undefined {
    return this.pod
  }

  /** The API shows this version now. */
  shown(pod: Pod): void {
    if (!isOlder(pod, this.pod)) this.pod = pod
  }

  /** With its current status, as far as it is known. */
  get podNow(): Pod {
    return this.pod
  }

  /** Whether it is run again after a power loss, however it ended before. */
  get comesBackWithMachine(): boolean {
    return false
  }

  /** Called when it is synced. */
  attended(): void {}

  /** Called when nothing of it is left. */
  forgotten(): void {}

  started(podIP: string): void {
    this.keeper.guard(this, () => this.keeper.started(this, podIP))
  }
  sandboxReady(podIP: string): void {
    this.keeper.guard(this, () => this.keeper.sandboxReady(this, podIP))
  }
  containerStarted(name: string): void {
    this.keeper.guard(this, () => this.keeper.containerStarted(this, name))
  }
  containerFailed(name: string, failure: StartFailure): void {
    this.keeper.guard(this, () => this.keeper.containerFailed(this, name, failure))
  }
  containerExited(name: string, exitCode: number): void {
    this.keeper.guard(this, () => this.keeper.containerExited(this, name, exitCode))
  }
  stopped(exitCode: number): void {
    this.keeper.guard(this, () => this.keeper.stopped(this, exitCode))
  }
  warned(reason: string, message: string): void {
    this.keeper.guard(this, () => this.keeper.warned(this, reason, message))
  }
}

/** Pods that hold resources of the node, including those being stopped, except one. */
export const holdingPods = (records: Iterable<PodRecord>, but: PodRecord | undefined): ReadonlyArray<Pod> => {
  const pods: Array<Pod> = []
  for (const record of records) if (record !== but && hasContainers(record.stage)) pods.push(record.pod)
  return pods
}
