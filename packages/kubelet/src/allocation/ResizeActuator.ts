import type { Pod } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { withIdleMemory } from "../stats/modelledUsage.ts"
import { type Allocation, increasesRequests, sameRequirements, withAllocation } from "./Allocation.ts"
import type { ResizeMeter } from "./metrics.ts"
import { type PodResize, resizeCondition } from "./PodResize.ts"
import type { ResizeCallbacks } from "./ResizeCallbacks.ts"
import { memoryLimitError, resizeActions } from "./resizeActions.ts"
import { resizeMessage } from "./resizeMessages.ts"

/** The sync that resizes a container sees the result. */
const AT_ONCE_MS = 0
/** The delay after a resize that failed. Upstream: pkg/kubelet/pod_workers.go backOffPeriod. */
const BACK_OFF_MS = 10_000

/** Returns what containers have once these have what is allocated. */
export const withActuated = ({ actuated, allocated }: PodResize, names: ReadonlyArray<string>): Allocation => {
  const containers = new Map(actuated.containers)
  for (const name of names) {
    const wanted = allocated.containers.get(name)
    if (wanted !== undefined) containers.set(name, wanted)
  }
  return { ...actuated, containers }
}

/**
 * Gives containers the resources that are allocated to them. Upstream: pkg/kubelet/kubelet.go SyncPod;
 * pkg/kubelet/kuberuntime/kuberuntime_manager.go doPodResizeAction.
 */
export class ResizeActuator {
  private readonly env: Env
  private readonly host: NodeHost
  private readonly callbacks: ResizeCallbacks
  private readonly meter: ResizeMeter | undefined
  /** Called when a pod holds less than before. */
  private readonly onShrunk: () => void

  constructor(
    env: Env,
    host: NodeHost,
    callbacks: ResizeCallbacks,
    meter: ResizeMeter | undefined,
    onShrunk: () => void
  ) {
    this.env = env
    this.host = host
    this.callbacks = callbacks
    this.meter = meter
    this.onShrunk = onShrunk
  }

  /** Begins to resize the containers of a pod, or ends its resize if all have what is allocated. */
  sync(record: PodRecord, resize: PodResize, delayMs = AT_ONCE_MS): void {
    if (record.stage !== "running" || resize.timer !== undefined) return
    if (!this.isActuated(record, resize)) {
      resize.startedMs = this.env.timers.now()
      this.actLater(record, resize, delayMs)
      return
    }
    const { inProgress } = resize
    if (inProgress !== undefined) {
      const { observedGeneration = 0 } = inProgress
      resize.inProgress = undefined
      const allocated = this.allocatedPod(record, resize)
      const text = resizeMessage("Pod resize completed", allocated, observedGeneration)
      this.env.recorder?.event(record.pod, "Normal", "ResizeCompleted", text)
      this.callbacks.reportResize(record)
    }
    const isGranted = this.allocatedPod(record, resize) === record.pod
    if (isGranted && resize.pending === undefined) record.resize = undefined
  }

  private actLater(record: PodRecord, resize: PodResize, delayMs: number): void {
    resize.timer = this.env.timers.after(delayMs, () => {
      this.callbacks.whenResponsive(() => {
        resize.timer = undefined
        if (record.resize === resize && record.stage === "running")
          this.callbacks.guard(record, () => this.act(record, resize))
      })
    })
  }

  private act(record: PodRecord, resize: PodResize): void {
    const { config } = this.env
    const [to, from] = [
      this.allocatedPod(record, resize),
      withAllocation(record.pod, resize.actuated, config.featureGates)
    ]
    const isRunning = (name: string) => this.isRunning(record, name)
    const actions = resizeActions(to, resize.allocated, resize.actuated, isRunning, config.featureGates)
    for (const container of actions.restarts) {
      this.callbacks.restartContainer(record, container, `Container ${container.name} resize requires restart`)
    }
    const running = record.statuses.filter(({ state }) => state?.running !== undefined).map(({ name }) => name)
    const usage = withIdleMemory(this.host.resources?.read().podUsage(record.pod.metadata.uid ?? ""), running)
    const error = memoryLimitError(to, from, actions.updates, usage)
    this.meter?.resizeActuated(error === undefined, this.env.timers.now() - resize.startedMs)
    if (error !== undefined) {
      this.failed(record, resize, to, error)
      return
    }
    resize.actuated = { ...withActuated(resize, actions.updates), pod: resize.allocated.pod }
    if (actions.restarts.length > 0) this.callbacks.reportResize(record)
    else this.sync(record, resize)
    if (increasesRequests(from, to, config.featureGates)) this.onShrunk()
  }

  /** Reports that a resize has failed, and tries it again later. */
  private failed(record: PodRecord, resize: PodResize, allocated: Pod, message: string): void {
    const before = resize.inProgress
    const { generation: current = 0 } = record.pod.metadata
    const generation = before?.observedGeneration ?? current
    const error = { reason: "Error", message, generation }
    resize.inProgress = resizeCondition("PodResizeInProgress", before, error, this.env.wallTime())
    if (before?.reason !== "Error" || before.message !== message) {
      const text = resizeMessage("Pod resize error", allocated, generation, message)
      this.env.recorder?.event(record.pod, "Warning", "ResizeError", text)
    }
    this.callbacks.reportResize(record)
    this.actLater(record, resize, BACK_OFF_MS)
  }

  private isActuated(record: PodRecord, { actuated, allocated }: PodResize): boolean {
    if (!sameRequirements(actuated.pod, allocated.pod)) return false
    return [...allocated.containers].every(
      ([name, wanted]) => !this.isRunning(record, name) || sameRequirements(actuated.containers.get(name), wanted)
    )
  }

  private isRunning({ statuses }: PodRecord, name: string): boolean {
    return statuses.find((status) => status.name === name)?.state?.running !== undefined
  }

  private allocatedPod({ pod }: PodRecord, { allocated }: PodResize): Pod {
    return withAllocation(pod, allocated, this.env.config.featureGates)
  }
}
