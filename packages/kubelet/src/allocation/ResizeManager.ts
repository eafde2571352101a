import { type Container, type Pod, qosClassOf } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { Env } from "../internal/Env.ts"
import { hasContainers } from "../pod/PodDecision.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { allocationOf, increasesRequests, sameRequirements, withAllocation } from "./Allocation.ts"
import { type ResizeMeter, type RetryTrigger, requestedResizesOf } from "./metrics.ts"
import { type PodResize, resizeCondition, resizeFrom } from "./PodResize.ts"
import { sortPending } from "./pendingOrder.ts"
import { ResizeActuator, withActuated } from "./ResizeActuator.ts"
import type { ResizeCallbacks } from "./ResizeCallbacks.ts"
import { resizeMessage } from "./resizeMessages.ts"
import { infeasibleResize } from "./resizeRefusal.ts"

/** The time after the last retry until the next one. Upstream: allocation_manager.go retryDelay. */
const RETRY_MS = 180_000

/**
 * Grants the resizes of a node's pods: what fits is allocated at once, the rest is retried when resources become free
 * and every three minutes. Upstream: pkg/kubelet/allocation/allocation_manager.go.
 */
export class ResizeManager {
  private readonly env: Env
  private readonly host: NodeHost
  private readonly callbacks: ResizeCallbacks
  private readonly meter: ResizeMeter | undefined
  private readonly actuator: ResizeActuator
  /** The pods whose resizes are retried, in the order of the retries. */
  private pending: ReadonlyArray<PodRecord> = []
  private timer: Timer | undefined
  /** The number of the current pass over the pending resizes: undefined while there is none. */
  private pass: number | undefined
  private passes = 0
  /** What asked for another pass during the current one. */
  private again: RetryTrigger | undefined

  constructor(env: Env, host: NodeHost, callbacks: ResizeCallbacks, meter: ResizeMeter | undefined) {
    this.env = env
    this.host = host
    this.callbacks = callbacks
    this.meter = meter
    this.actuator = new ResizeActuator(env, host, callbacks, meter, () => this.retry("pod_resized"))
  }

  /** Handles a pod whose spec has changed. Upstream: pkg/kubelet/kubelet.go HandlePodUpdates. */
  changed(record: PodRecord, before: Pod): void {
    const gates = this.env.config.featureGates
    const requested = requestedResizesOf(record.pod, before, gates)
    if (requested.length === 0 && sameRequirements(record.pod.spec.resources, before.spec.resources)) return
    for (const labels of requested) this.meter?.resizeRequested(labels)
    // A pod without containers is admitted with what it asks for, unless it ran before.
    if (record.stage === "new" && record.resize === undefined) return
    record.resize ??= resizeFrom(before, gates)
    if (!hasContainers(record.stage)) return
    if (this.isAllocated(record, record.resize)) this.withdraw(record, record.resize)
    else {
      this.push(record)
      this.retry("pod_updated")
    }
  }

  /** Takes up the resizes of pods that exist when the kubelet starts. */
  added(records: Iterable<PodRecord>): void {
    for (const record of records) {
      const { resize } = record
      if (resize === undefined || !hasContainers(record.stage)) continue
      if (!this.isAllocated(record, resize)) this.push(record)
      this.sync(record)
    }
    this.retry("pods_added")
  }

  /** Takes up the resize of a pod that was admitted again. */
  admitted(record: PodRecord): void {
    if (record.resize !== undefined) this.added([record])
  }

  /** Compares what the containers of a pod have with what is allocated, and acts. */
  sync(record: PodRecord): void {
    if (record.resize !== undefined) this.actuator.sync(record, record.resize)
  }

  /** Containers that start have what is allocated. */
  containersStarted({ resize }: PodRecord, containers: ReadonlyArray<Pick<Container, "name">>): void {
    if (resize !== undefined)
      resize.actuated = withActuated(
        resize,
        containers.map(({ name }) => name)
      )
  }

  /** Ends the resize of a pod that is over, and that frees resources. */
  ended(record: PodRecord): void {
    const { resize } = record
    if (resize !== undefined) {
      this.cancel(record)
      resize.pending = undefined
      resize.inProgress = undefined
    }
    this.retry("pod_terminated")
  }

  cancel({ resize }: PodRecord): void {
    if (resize?.timer === undefined) return
    this.env.timers.cancel(resize.timer)
    resize.timer = undefined
  }

  /** Stops with the kubelet's process. What is allocated stays, as a checkpoint. */
  stop(records: Iterable<PodRecord>): void {
    this.pending = []
    this.pass = undefined
    this.again = undefined
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
    for (const record of records) this.cancel(record)
  }

  /** Retries the pending resizes, in their order. */
  retry(trigger: RetryTrigger): void {
    if ((this.pending.length === 0 && this.pass === undefined) || !this.callbacks.isReady()) return
    if (this.pass !== undefined) {
      this.again = trigger
      return
    }
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
    this.pass = ++this.passes
    const queue = this.pending
    this.pending = []
    this.decideFrom(queue, 0, this.pass, trigger)
  }

  private push(record: PodRecord): void {
    if (this.pending.includes(record)) return
    const gates = this.env.config.featureGates
    this.pending = sortPending([...this.pending, record], ({ pod, resize }) => ({
      pod,
      increases: resize !== undefined && increasesRequests(pod, withAllocation(pod, resize.allocated, gates), gates),
      qosClass: pod.status?.qosClass ?? qosClassOf(pod),
      pending: resize?.pending
    }))
  }

  /** Decides about one resize after the other. A handler may answer later; the rest then waits. */
  private decideFrom(queue: ReadonlyArray<PodRecord>, from: number, pass: number, trigger: RetryTrigger): void {
    for (let index = from; index < queue.length; index++) {
      const record = queue[index]
      if (record?.resize === undefined || !record.present || !hasContainers(record.stage)) continue
      let isAnswered = false
      let inCall = true
      const finish = (act: () => void) => {
        if (pass !== this.pass) return
        isAnswered = true
        this.callbacks.guard(record, act)
        if (!inCall) this.decideFrom(queue, index + 1, pass, trigger)
      }
      if (this.isAllocated(record, record.resize)) {
        this.withdraw(record, record.resize)
        continue
      }
      this.admit(
        record,
        record.resize,
        (refusal) => finish(() => this.decided(record, refusal, trigger)),
        (error) =>
          finish(() => {
            this.pending = [...this.pending, record]
            throw error
          })
      )
      inCall = false
      if (!isAnswered) return
    }
    this.pass = undefined
    const { again } = this
    this.again = undefined
    if (again !== undefined) this.retry(again)
    else if (this.pending.length > 0) this.timer = this.env.timers.after(RETRY_MS, () => this.retry("periodic_retry"))
  }

  private admit(
    record: PodRecord,
    resize: PodResize,
    decide: (refusal: PodRefusal | undefined) => void,
    failed: (error: unknown) => void
  ): void {
    const { config, release } = this.env
    const allocated = withAllocation(record.pod, resize.allocated, config.featureGates)
    const infeasible = infeasibleResize(record.pod, allocated, this.host.machine(), config, release)
    if (infeasible === undefined) {
      this.callbacks.admitResize(record, decide, failed)
      return
    }
    this.meter?.resizeInfeasible(infeasible.detail)
    decide({ reason: "Infeasible", message: infeasible.message })
  }

  private decided(record: PodRecord, refusal: PodRefusal | undefined, trigger: RetryTrigger): void {
    const { pod, resize } = record
    if (resize === undefined) return
    if (refusal !== undefined) {
      this.refuse(record, resize, refusal)
      return
    }
    const { generation = 0 } = pod.metadata
    if (resize.pending?.reason === "Deferred") this.meter?.deferredResizeAccepted(trigger)
    resize.allocated = allocationOf(pod, this.env.config.featureGates)
    resize.pending = undefined
    const started = { reason: "", message: "", generation }
    resize.inProgress = resizeCondition("PodResizeInProgress", undefined, started, this.env.wallTime())
    this.env.recorder?.event(pod, "Normal", "ResizeStarted", resizeMessage("Pod resize started", pod, generation))
    this.cancel(record)
    this.callbacks.reportResize(record)
    this.sync(record)
  }

  private refuse(record: PodRecord, resize: PodResize, { message, reason: given }: PodRefusal): void {
    const { pod } = record
    const { generation = 0 } = pod.metadata
    const reason = given === "Infeasible" ? given : "Deferred"
    const before = resize.pending
    resize.pending = resizeCondition("PodResizePending", before, { reason, message, generation }, this.env.wallTime())
    if (reason === "Deferred") this.pending = [...this.pending, record]
    if (before?.reason !== reason || before.observedGeneration !== generation) {
      const text = resizeMessage(`Pod resize ${given}`, pod, generation, message)
      this.env.recorder?.event(pod, "Warning", `Resize${reason}`, text)
    }
    this.callbacks.reportResize(record)
  }

  /** Ends a pending resize whose pod asks for what it has again. */
  private withdraw(record: PodRecord, resize: PodResize): void {
    if (resize.pending !== undefined) {
      resize.pending = undefined
      this.callbacks.reportResize(record)
    }
    this.sync(record)
  }

  private isAllocated({ pod }: PodRecord, { allocated }: PodResize): boolean {
    return withAllocation(pod, allocated, this.env.config.featureGates) === pod
  }
}
