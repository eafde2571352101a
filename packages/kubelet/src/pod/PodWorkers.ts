import type { Node, Pod } from "@rollcall/api"
import { admitPod, type PodAdmitHandler, type PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { Env } from "../internal/Env.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import { StatusManager } from "../status/StatusManager.ts"
import { type AdmissionCallbacks, AdmissionQueue } from "./AdmissionQueue.ts"
import {
  type Containers,
  containerExited,
  containersCreating,
  containersEnded,
  containersStarted
} from "./Containers.ts"
import { losePower } from "./losePower.ts"
import { decidePod, hasContainers, type PodDecision } from "./PodDecision.ts"
import { recordStart, recordStop } from "./PodEvents.ts"
import type { PodKill } from "./PodKill.ts"
import { isTerminal } from "./PodPhase.ts"
import { holdingPods, type PodCallbacks, type PodRecord } from "./PodRecord.ts"
import { PodRetries } from "./PodRetries.ts"
import { PodStart } from "./PodStart.ts"
import { PodTermination } from "./PodTermination.ts"
import { type PodEndCallbacks, RuntimeManager } from "./RuntimeManager.ts"

/** Runs the pods of one node from admission to termination: acts on PodDecision and on the runtime's callbacks. */
export class PodWorkers implements PodCallbacks, AdmissionCallbacks, PodEndCallbacks {
  /** By uid. */
  readonly records = new Map<string, PodRecord>()
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly handlers: ReadonlyArray<PodAdmitHandler>
  private readonly node: () => Node | undefined
  private readonly statusManager: StatusManager
  private readonly admission: AdmissionQueue
  private readonly starts: PodStart
  private readonly termination: PodTermination
  private readonly retries: PodRetries
  /** Created for the first pod that needs more than running. */
  private loop: RuntimeManager | undefined = undefined

  constructor(
    env: Env,
    host: NodeHost,
    runtime: PodRuntime,
    handlers: ReadonlyArray<PodAdmitHandler>,
    node: () => Node | undefined
  ) {
    this.env = env
    this.runtime = runtime
    this.handlers = handlers
    this.node = node
    this.statusManager = new StatusManager(env, host, node, this)
    this.admission = new AdmissionQueue(this)
    this.starts = new PodStart(env, runtime, this.statusManager, () => this.containers)
    this.termination = new PodTermination(env, runtime)
    this.retries = new PodRetries(env)
  }

  /** Whether the kubelet's process runs. */
  get isActive(): boolean {
    return this.statusManager.isActive
  }

  activePods(): ReadonlyArray<Pod> {
    return holdingPods(this.records.values(), undefined)
  }

  start(): void {
    this.statusManager.start()
    for (const record of this.records.values()) record.sending = false
  }

  stop(): void {
    this.statusManager.stop()
    this.admission.clear()
    this.retries.clear()
    for (const record of this.records.values()) {
      this.loop?.cancel(record)
      this.termination.abandon(record)
    }
  }

  /** Posts what happened while the process did not run. */
  resume(): void {
    for (const record of this.records.values()) {
      this.guard(record, () => {
        if (this.env.model.podSyncFromChange) this.statusManager.later(record)
        else this.statusManager.syncPod(record)
        this.attend(record)
        this.loop?.advance(record)
      })
    }
  }

  /** Restarts the period of the comparison with the API. */
  postpone(): void {
    this.statusManager.postpone()
  }

  /** The machine lost power, and with it every container. */
  powerOff(): void {
    this.runtime.powerOff()
    for (const record of this.records.values()) losePower(record)
  }

  guard(record: PodRecord, act: () => void): void {
    try {
      act()
    } catch (error) {
      this.failed(record, error)
    }
  }

  failed(record: PodRecord, error: unknown): void {
    this.retries.after(record, error, () => {
      if (!this.statusManager.isActive || this.records.get(record.pod.metadata.uid ?? "") !== record) return
      if (record.stage === "running") this.loop?.advance(record)
      this.statusManager.later(record)
      this.look(record)
    })
  }

  /** Syncs a pod: compares its state with the desired one, and acts. */
  attend(record: PodRecord): void {
    try {
      this.look(record)
    } catch (error) {
      this.failed(record, error)
    }
  }

  private look(record: PodRecord): void {
    if (!this.statusManager.isActive) return
    record.attended()
    switch (this.decide(record)) {
      case "start":
        this.admission.offer(record)
        return
      case "stop":
        this.end(record, undefined)
        return
      case "finish":
        this.conclude(record, record.stage === "lost" ? record.containers : containersCreating(record.pod), 0)
        return
      case "delete":
        this.statusManager.delete(record)
        return
      case "forget":
        this.loop?.cancel(record)
        this.records.delete(record.pod.metadata.uid ?? "")
        record.forgotten()
    }
  }

  /** Posts the status if the API does not have it. */
  tell(record: PodRecord): void {
    if (this.statusManager.isActive) this.statusManager.syncPod(record)
  }

  /** The API shows another status than the kubelet's. A changed readiness gate takes effect at once. */
  differs(record: PodRecord): void {
    this.statusManager.later(record)
    if (record.stage === "running" && record.pod.spec.readinessGates !== undefined) {
      this.statusManager.setPodStatus(record, record.containers)
    }
  }

  /** The API shows another spec: only its images can change. */
  changed(record: PodRecord, before: Pod): void {
    if (this.statusManager.isActive && record.stage === "running") this.containers.changed(record, before)
  }

  kill(record: PodRecord, kill: PodKill): void {
    if (!this.statusManager.isActive) return
    if (hasContainers(record.stage)) this.end(record, kill)
    else kill.done?.("stopped")
  }

  over(record: PodRecord, containers: Containers): void {
    if (
      record.life?.containers.some(({ stage }) => stage === "starting" || stage === "running" || stage === "ending")
    ) {
      this.statusManager.setPodStatus(record, containers)
      if (this.statusManager.isActive && record.stage === "running") this.end(record, undefined)
      return
    }
    record.stage = "stopped"
    this.runtime.removeSandbox?.(record.pod)
    this.statusManager.setPodStatus(record, containers)
    this.attend(record)
  }

  ask(record: PodRecord, decide: (refusal: PodRefusal | undefined) => void, failed: (error: unknown) => void): void {
    const otherPods = () => holdingPods(this.records.values(), record)
    admitPod(this.handlers, { pod: record.pod, otherPods, node: this.node() }, decide, failed)
  }

  isWanted(record: PodRecord): boolean {
    const isKnown = this.records.get(record.pod.metadata.uid ?? "") === record
    return this.statusManager.isActive && isKnown && this.decide(record) === "start"
  }

  decided(record: PodRecord, refusal: PodRefusal | undefined): void {
    this.guard(record, () => {
      if (refusal === undefined) this.starts.begin(record)
      else this.starts.reject(record, refusal)
    })
  }

  started(record: PodRecord, podIP: string): void {
    record.stage = "running"
    const { pod } = record
    this.statusManager.setPodStatus(record, containersStarted(pod, record.containers, this.env.wallTime()), podIP)
    for (const container of this.env.recorder === undefined ? [] : pod.spec.containers) {
      recordStart(this.env.recorder, pod, container, false)
    }
  }

  sandboxReady(record: PodRecord, podIP: string): void {
    record.stage = "running"
    const had = record.containers
    this.statusManager.setPodStatus(record, had.regular.length === 0 ? containersCreating(record.pod) : had, podIP)
    this.containers.advance(record)
  }

  containerStarted(record: PodRecord, name: string): void {
    this.containers.started(record, name)
  }

  containerFailed(record: PodRecord, name: string, failure: StartFailure): void {
    this.containers.failed(record, name, failure)
  }

  containerExited(record: PodRecord, name: string, exitCode: number): void {
    if (record.stage === "running") this.containers.exited(record, name, exitCode)
    else if (record.stage === "stopping") {
      this.statusManager.setPodStatus(record, containerExited(record.containers, name, exitCode, this.env.wallTime()))
    }
  }

  stopped(record: PodRecord, exitCode: number): void {
    this.conclude(record, record.containers, exitCode)
  }

  warned(record: PodRecord, reason: string, message: string): void {
    this.env.recorder?.event(record.pod, "Warning", reason, message)
  }

  private get containers(): RuntimeManager {
    this.loop ??= new RuntimeManager(this.env, this.runtime, this.statusManager, this)
    return this.loop
  }

  private decide({ pod, present, stage }: PodRecord): PodDecision {
    return decidePod({
      stage,
      present,
      deleting: pod.metadata.deletionTimestamp !== undefined,
      terminal: isTerminal(pod.status?.phase),
      reportTerminal: this.env.model.reportTerminal
    })
  }

  private end(record: PodRecord, kill: PodKill | undefined): void {
    const isNew = record.stage !== "stopping"
    this.loop?.cancel(record)
    if (kill === undefined) this.termination.end(record)
    else this.termination.kill(record, kill)
    if (isNew) recordStop(this.env.recorder, record.podNow)
  }

  /** Nothing of the pod runs any more: sets its terminal status, and continues. */
  private conclude(record: PodRecord, containers: Containers, exitCode: number): void {
    record.stage = "stopped"
    // The end of a deleted pod is only reported to its waiters; one that stays would count as running forever.
    const stays = record.pod.metadata.deletionTimestamp === undefined && !isTerminal(record.pod.status?.phase)
    if (record.present && (this.env.model.reportTerminal || stays)) {
      this.statusManager.setPodStatus(record, containersEnded(containers, exitCode, this.env.wallTime()))
    }
    this.termination.stopped(record)
    this.attend(record)
  }
}
