import type { ContainerStatus, Pod, PodStatus } from "@rollcall/api"
import { isOlder } from "@rollcall/cluster"
import type { PodObserver, StartFailure } from "../runtime/PodRuntime.ts"
import type { PodLife } from "./ContainerLife.ts"
import type { Containers } from "./Containers.ts"
import { hasContainers, type PodStage } from "./PodDecision.ts"
import type { PodEnding } from "./PodEnding.ts"

/** Who acts on what the runtime tells. */
export interface PodKeeper {
  /** Runs what concerns a pod. What it throws ends this turn of the pod only: it is looked at again later. */
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
 * One pod of one kubelet. A hundred thousand nodes have millions of them: a handful of fields, objects shared with the API
 * server, and nothing planned for a pod that just runs.
 */
export class PodRecord implements PodObserver {
  private readonly keeper: PodKeeper
  /** As the API last showed it. */
  pod: Pod
  /** As the kubelet would have it: what it last posted, or means to. Without a phase: it has nothing to say yet. */
  status: PodStatus = NO_STATUS
  stage: PodStage = "new"
  present = true
  /** A status or a delete is on its way. */
  sending = false
  /** The termination that has begun. */
  ending: PodEnding | undefined = undefined
  /** What is kept of it beside its status, unless it just runs. */
  life: PodLife | undefined = undefined

  constructor(keeper: PodKeeper, pod: Pod) {
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

  /** As the API shows it; undefined while it does not. */
  get apiPod(): Pod | undefined {
    return this.pod
  }

  /** The API shows it so now. */
  shown(pod: Pod): void {
    if (!isOlder(pod, this.pod)) this.pod = pod
  }

  /** With its status, as far as it is known. */
  get podNow(): Pod {
    return this.pod
  }

  /** Is it run anew after a loss of power, however it ended before? */
  get comesBackWithMachine(): boolean {
    return false
  }

  /** It is being looked at. */
  attended(): void {}

  /** Nothing of it is left. */
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

/** Pods that hold resources of the node, those that are being stopped included, but for one. */
export const holdingPods = (records: Iterable<PodRecord>, but: PodRecord | undefined): ReadonlyArray<Pod> => {
  const pods: Array<Pod> = []
  for (const record of records) if (record !== but && hasContainers(record.stage)) pods.push(record.pod)
  return pods
}
