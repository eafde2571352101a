import type { Node, Pod } from "@rollcall/api"
import { admitPod, admitsAll, type PodAdmitHandler, type PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { ResizeManager } from "../allocation/ResizeManager.ts"
import type { Env } from "../internal/Env.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { behaviourText } from "../runtime/PodBehaviour.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import { StatusManager } from "../status/StatusManager.ts"
import { type AdmissionCallbacks, AdmissionQueue } from "./AdmissionQueue.ts"
import { type Containers, containerExited, containersCreating, containersStarted } from "./Containers.ts"
import { containersEnded } from "./containersEnded.ts"
import { containersRemembered } from "./containersRemembered.ts"
import { EphemeralContainers, isEphemeral } from "./EphemeralContainers.ts"
import { losePower } from "./losePower.ts"
import { hasOtherGates, hasOtherSpec } from "./PodChange.ts"
import { hasContainers } from "./PodDecision.ts"
import { recordOverdue, recordStarts } from "./PodEvents.ts"
import { deadlineExceeded, type PodKill } from "./PodKill.ts"
import { isTerminal } from "./PodPhase.ts"
import { decisionAbout, type PodCallbacks, type PodRecord, podsWithContainers } from "./PodRecord.ts"
import { PodRetries } from "./PodRetries.ts"
import { PodStart } from "./PodStart.ts"
import { PodTermination } from "./PodTermination.ts"
import { type PodEndCallbacks, RuntimeManager } from "./RuntimeManager.ts"

/**
 * Runs the pods of one node from admission to termination: carries out the decisions of `decidePod`, and handles the
 * callbacks of the runtime. The interfaces that it implements describe their methods.
 */
export class PodWorkers implements PodCallbacks, AdmissionCallbacks, PodEndCallbacks {
  /** The pods of the node, by uid. */
  readonly records = new Map<string, PodRecord>()
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly handlers: ReadonlyArray<PodAdmitHandler>
  private readonly node: () => Node | undefined
  private readonly makeResizes: () => ResizeManager
  readonly statusManager: StatusManager
  private readonly admission: AdmissionQueue
  private readonly podStart: PodStart
  private readonly termination: PodTermination
  private readonly retries: PodRetries
  private readonly ephemeral: EphemeralContainers
  /** Whether the pods that are being added are all admitted. */
  private admitsAll = false
  /** Created for the first pod that needs more than to be started and kept running. */
  private createdRuntimeManager: RuntimeManager | undefined = undefined
  /** Set once a pod was resized. */
  resizes: ResizeManager | undefined = undefined

  constructor(
    env: Env,
    host: NodeHost,
    runtime: PodRuntime,
    handlers: ReadonlyArray<PodAdmitHandler>,
    node: () => Node | undefined,
    makeResizes: () => ResizeManager
  ) {
    this.env = env
    this.runtime = runtime
    this.handlers = handlers
    this.node = node
    this.makeResizes = makeResizes
    this.statusManager = new StatusManager(env, host, runtime, node, this)
    this.admission = new AdmissionQueue(this)
    this.podStart = new PodStart(env, runtime, this.statusManager, () => this.runtimeManager)
    this.termination = new PodTermination(env, runtime, this.statusManager)
    this.retries = new PodRetries(env)
    this.ephemeral = new EphemeralContainers(env, runtime, this.statusManager, () => this.runtimeManager.starter)
  }

  /** Whether the kubelet's process runs. */
  get isActive(): boolean {
    return this.statusManager.isActive
  }

  start(): void {
    this.statusManager.start()
    for (const record of this.records.values()) record.sending = false
  }

  stop(): void {
    this.statusManager.stop()
    this.admission.clear()
    this.retries.clear()
    this.createdRuntimeManager?.stopProcess(this.records.values())
    this.ephemeral.stopProcess()
    for (const record of this.records.values()) this.termination.abandon(record)
    this.resizes?.stop(this.records.values())
  }

  /** Syncs all pods after the first list: the API and the node may have changed while the process did not run. */
  resume(): void {
    for (const record of this.records.values()) {
      try {
        this.resumePod(record)
      } catch (error) {
        this.retryAfterError(record, error)
      }
    }
  }

  private resumePod(record: PodRecord): void {
    if (this.env.model.podSyncFromChange) this.statusManager.syncLater(record)
    else this.statusManager.syncPod(record)
    this.sync(record)
    this.createdRuntimeManager?.advance(record)
    if (record.stage === "running") this.ephemeral.resume(record)
  }

  powerOff(): void {
    this.runtime.powerOff()
    for (const record of this.records.values()) losePower(record)
  }

  guard(record: PodRecord, act: () => void): void {
    try {
      act()
    } catch (error) {
      this.retryAfterError(record, error)
    }
  }

  /** Reports the error, and syncs the pod again after a delay. */
  retryAfterError(record: PodRecord, error: unknown): void {
    this.retries.after(record, error, () => {
      if (!this.statusManager.isActive || this.records.get(record.pod.metadata.uid ?? "") !== record) return
      if (record.stage === "running") this.createdRuntimeManager?.advance(record)
      this.statusManager.syncLater(record)
      this.syncOrThrow(record)
    })
  }

  /** Adds the pods of a list by `add`. Those of a node without any need not be asked about one by one if all fit. */
  addAll(pods: ReadonlyArray<Pod>, add: () => void): void {
    const present = pods.filter(({ status }) => !isTerminal(status?.phase))
    this.admitsAll = this.records.size === 0 && this.admission.isIdle && admitsAll(this.handlers, present, this.node())
    try {
      add()
    } finally {
      this.admitsAll = false
    }
  }

  /** Syncs a pod: compares its state with the desired one, and acts. */
  sync(record: PodRecord): void {
    try {
      this.syncOrThrow(record)
    } catch (error) {
      this.retryAfterError(record, error)
    }
  }

  private syncOrThrow(record: PodRecord): void {
    if (!this.statusManager.isActive) return
    record.onSync()
    switch (decisionAbout(record, this.env.model.reportTerminal)) {
      case "start":
        if (this.admitsAll) this.admissionDecided(record, undefined)
        else this.admission.enqueue(record)
        return
      case "stop":
        if (!this.isBeingStarted(record)) this.terminate(record, undefined)
        return
      case "finish":
        if (this.takesOverTermination(record)) this.terminate(record, undefined)
        else this.finish(record, this.containersLeft(record), 0)
        return
      case "delete":
        this.statusManager.delete(record)
        return
      case "forget":
        this.createdRuntimeManager?.cancel(record)
        this.records.delete(record.pod.metadata.uid ?? "")
        record.onForget()
    }
  }

  /**
   * Whether the sync of a pod is in progress, which nothing interrupts: its sandbox is being made, an image is pulled, a
   * container is started or its hook runs. Upstream: pkg/kubelet/kubelet.go SyncPod.
   */
  private isBeingStarted(record: PodRecord): boolean {
    const { lifecycle, pod, stage } = record
    if (stage === "starting") return this.runtime.isStarting?.(pod, record) === true
    return stage === "running" && lifecycle?.isStarting === true
  }

  /**
   * Takes over the containers of a pod whose termination another process of the kubelet has begun: they are stopped again, with
   * the whole grace period, as the API has no other. Upstream: pkg/kubelet/pod_workers.go UpdatePod.
   */
  private takesOverTermination(record: PodRecord): boolean {
    return record.stage === "new" && !isTerminal(record.pod.status?.phase) && this.podStart.takeOver(record)
  }

  /** Posts the status if the API does not have it. */
  postStatus(record: PodRecord): void {
    if (this.statusManager.isActive) this.statusManager.syncPod(record)
  }

  /** Handles a changed spec, and reports that it was observed. A changed readiness gate takes effect at once. */
  apiChanged(record: PodRecord, before: Pod): void {
    if (!this.isActive) return
    const isRunning = record.stage === "running"
    if (isRunning && behaviourText(before) !== behaviourText(record.pod))
      this.runtime.containers?.podChanged?.(record.pod, record)
    if (hasOtherSpec(before, record.pod)) {
      // No generation is reported as observed without the resize that it asks for.
      if (this.env.config.featureGates.InPlacePodVerticalScaling) this.needResizes().changed(record, before)
      if (isRunning || record.stage === "starting") this.runtimeManager.changed(record, before)
      if (isRunning) this.statusManager.setPodStatus(record, this.ephemeral.start(record))
      else if (record.stage === "starting" && record.status.phase !== undefined)
        this.statusManager.setPodStatus(record, record.containers)
    } else if (isRunning && hasOtherGates(before, record.pod))
      this.statusManager.setPodStatus(record, record.containers)
  }

  needResizes(): ResizeManager {
    this.resizes ??= this.makeResizes()
    return this.resizes
  }

  /** Kills a pod by the kubelet's own decision. A pod without containers is reported as stopped at once. */
  kill(record: PodRecord, kill: PodKill): void {
    if (!this.statusManager.isActive) return
    if (hasContainers(record.stage)) this.terminate(record, kill)
    else kill.done?.("stopped")
  }

  /** Handles that no container of a pod will be started again. Sidecars that run are then terminated, and the phase comes last. */
  podEnded(record: PodRecord, containers: Containers): void {
    if (record.lifecycle?.hasRunning === true) {
      this.statusManager.setPodStatus(record, containers)
      if (this.statusManager.isActive && record.stage === "running") this.terminate(record, undefined)
      return
    }
    this.statusManager.setPodStatus(record, containers)
    record.stage = "stopped"
    this.resizes?.ended(record)
    this.runtime.removeSandbox?.(record.pod)
    this.statusManager.setPodStatus(record, containers)
    this.sync(record)
  }

  runAdmitHandlers(
    record: PodRecord,
    decide: (refusal: PodRefusal | undefined) => void,
    failed: (error: unknown) => void,
    isResize = false
  ): void {
    const otherPods = () => podsWithContainers(this.records.values(), record)
    const pod = isResize ? record.pod : record.held
    admitPod(this.handlers, { pod, isResize, otherPods, node: this.node() }, decide, failed)
  }

  mayStart(record: PodRecord): boolean {
    const isKnown = this.records.get(record.pod.metadata.uid ?? "") === record
    return this.statusManager.isActive && isKnown && decisionAbout(record, this.env.model.reportTerminal) === "start"
  }

  admissionDecided(record: PodRecord, refusal: PodRefusal | undefined): void {
    this.guard(record, () => {
      if (refusal === undefined) this.podStart.begin(record)
      else this.podStart.reject(record, refusal)
      this.resizes?.admitted(record)
    })
  }

  started(record: PodRecord, podIP: string): void {
    record.stage = "running"
    const { pod } = record
    this.resizes?.containersStarted(record, pod.spec.containers)
    recordStarts(this.env.recorder, pod, this.env.config.featureGates.KubeletEnsureSecretPulledImages)
    this.statusManager.setPodStatus(record, containersStarted(pod, record.containers, this.env.wallTime()), podIP)
    this.resizes?.sync(record)
    const { imageMeter } = this.env
    for (const { imagePullPolicy = "IfNotPresent" } of imageMeter === undefined ? [] : pod.spec.containers)
      imageMeter?.imageEnsured(imagePullPolicy, true, false)
    if (pod.spec.activeDeadlineSeconds !== undefined) this.runtimeManager.adopt(record)
    if (pod.metadata.deletionTimestamp !== undefined || !record.present) this.sync(record)
  }

  sandboxReady(record: PodRecord, podIP: string): void {
    record.stage = "running"
    const { containers, pod } = record
    const isNew = containers.regular.length === 0
    if (record.status.phase !== undefined) this.statusManager.setPodStatus(record, containers)
    this.statusManager.keepPodStatus(record, isNew ? containersCreating(pod) : containers, podIP)
    if (record.lifecycle === undefined) this.runtimeManager.begin(record)
    this.runtimeManager.continueSync(record)
  }

  containerStarted(record: PodRecord, name: string): void {
    this.resizes?.containersStarted(record, [{ name }])
    const containers = this.ephemeral.started(record, name)
    if (containers === undefined) this.runtimeManager.started(record, name)
    else this.statusManager.setPodStatus(record, containers)
    this.resizes?.sync(record)
  }

  containerFailed(record: PodRecord, name: string, failure: StartFailure): void {
    this.runtimeManager.failed(record, name, failure)
  }

  containerExited(record: PodRecord, name: string, exitCode: number, message?: string): void {
    const exit = { name, exitCode, message }
    if (record.stage === "stopping") this.termination.containerExited(record, exit)
    if (record.stage !== "running") return
    if (!isEphemeral(record.pod, name)) this.runtimeManager.exited(record, name, exitCode, message)
    else this.statusManager.setPodStatus(record, containerExited(record.containers, exit, this.env.wallTime()))
  }

  stopped(record: PodRecord, exitCode: number): void {
    this.finish(record, record.containers, exitCode)
  }

  warned(record: PodRecord, reason: string, message: string): void {
    this.env.recorder?.event(record.pod, "Warning", reason, message)
  }

  get runtimeManager(): RuntimeManager {
    this.createdRuntimeManager ??= new RuntimeManager(this.env, this.runtime, this.statusManager, this)
    return this.createdRuntimeManager
  }

  private terminate(record: PodRecord, kill: PodKill | undefined): void {
    const isNew = record.stage !== "stopping"
    if (isNew) this.createdRuntimeManager?.cancel(record)
    const { lifecycle } = record
    if (isNew && kill !== undefined && lifecycle !== undefined)
      this.statusManager.keepPodStatus(record, this.runtimeManager.delays.shown(lifecycle, record.containers))
    if (kill === undefined) this.termination.terminate(record)
    else this.termination.kill(record, kill)
    if (isNew) this.statusManager.reportStopping(record, kill === deadlineExceeded)
  }

  /**
   * The containers of a pod that will never run on this node again. What an earlier process of the kubelet has reported
   * of a pod stays.
   */
  private containersLeft(record: PodRecord): Containers {
    const { pod, stage } = record
    if (stage === "lost") return record.containers
    if (pod.status?.containerStatuses !== undefined) record.status = pod.status
    return containersRemembered(pod)
  }

  /** Sets the terminal status of a pod of which nothing runs any more, and syncs it. */
  private finish(record: PodRecord, containers: Containers, exitCode: number): void {
    // The mirror of a removed static pod is told of its containers only.
    if (!record.present && record.isReported && this.env.model.reportTerminal)
      this.statusManager.setPodStatus(record, containersEnded(containers, exitCode, this.env.wallTime(), record.pod))
    record.stage = "stopped"
    this.resizes?.ended(record)
    if (record.present && (this.env.model.reportTerminal || record.mustBecomeTerminal)) {
      this.statusManager.setPodStatus(record, containersEnded(containers, exitCode, this.env.wallTime(), record.pod))
    }
    if (record.ending?.kill === deadlineExceeded) recordOverdue(this.env.recorder, record.pod)
    this.termination.stopped(record)
    this.sync(record)
  }
}
