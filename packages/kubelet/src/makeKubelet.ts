import { defaultRelease, type KubeObject, type Node, type Pod } from "@rollcall/api"
import { type EventRecorder, noLog, Reflector, watchFailureLine } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"
import { makeAdmissionChain } from "./admission/AdmissionChain.ts"
import { EvictionLoop } from "./eviction/EvictionLoop.ts"
import { OutOfDisk, outOfDiskRefusal } from "./eviction/OutOfDisk.ts"
import { pressureAdmission } from "./eviction/PressureAdmission.ts"
import { PressureSources } from "./eviction/PressureSources.ts"
import { Chance, hashOf } from "./internal/Chance.ts"
import { Env } from "./internal/Env.ts"
import type { Kubelet, KubeletOptions, LocalPod } from "./Kubelet.ts"
import { type KubeletConfig, kubeletConfig } from "./KubeletConfig.ts"
import { type KubeletHealth, MIN_SYNC_LOOP_MS } from "./KubeletHealth.ts"
import { modelUpstream } from "./KubeletModel.ts"
import type { PressureKind } from "./node/Conditions.ts"
import { LeaseLoop } from "./node/LeaseLoop.ts"
import { tellNode, tellOfStart } from "./node/NodeEvents.ts"
import { NodeInputs } from "./node/NodeInputs.ts"
import { StatusLoop } from "./node/StatusLoop.ts"
import type { PodAdmissionHandler } from "./pod/PodAdmission.ts"
import { hasContainers, isOver } from "./pod/PodDecision.ts"
import type { KillPod } from "./pod/PodKill.ts"
import { PodLoop } from "./pod/PodLoop.ts"
import { isStaticPod } from "./pod/PodPhase.ts"
import { HangingRuntime } from "./runtime/HangingRuntime.ts"
import { makeModelledHost } from "./runtime/ModelledHost.ts"
import { makeModelledPodRuntime } from "./runtime/ModelledPodRuntime.ts"
import type { NodeHost } from "./runtime/NodeHost.ts"
import { type KubeletRequest, type KubeletResponse, serveKubelet } from "./server/serveKubelet.ts"
import type { StaticPodManifest } from "./static/StaticPodManifest.ts"
import type { Summary } from "./stats/Summary.ts"
import { summaryOf } from "./stats/summaryOf.ts"
import { memoryBackedVolumesOnDisk, volumesMayBeSwapped } from "./swap/swapAtStart.ts"

class ModelledKubelet implements Kubelet {
  running = false
  powered = true
  private readonly env: Env
  private readonly host: NodeHost
  private readonly inputs: NodeInputs
  private readonly lease: LeaseLoop
  private readonly status: StatusLoop
  private readonly podLoop: PodLoop
  private readonly nodeWatch: Reflector
  private readonly pressure: PressureSources
  private readonly eviction: EvictionLoop | undefined
  /** Of releases that know the condition. */
  private readonly outOfDisk: OutOfDisk | undefined
  private readonly runtime: HangingRuntime
  private readonly onStop: (() => void) | undefined
  private podsStarted = false
  private bootedMs: number

  constructor(timers: TimersShape, given: KubeletOptions) {
    const options = given.recorder === undefined ? given : { ...given, recorder: safeRecorder(timers, given.recorder) }
    const { connection, model = modelUpstream, name, release = defaultRelease, seed = 0 } = options
    const config = options.config ?? kubeletConfig({}, release)
    const chance = new Chance(hashOf(name) ^ Math.imul(seed, 0x9e3779b1))
    const runtime = new HangingRuntime(timers, options.runtime ?? makeModelledPodRuntime(timers), () => this.changed())
    this.runtime = runtime
    this.env = new Env(
      name,
      connection,
      timers,
      config,
      model,
      release,
      chance,
      options.recorder,
      options.onRepeatedHeartbeatFailure,
      options.log ?? noLog
    )
    this.onStop = options.onStop
    this.bootedMs = timers.now()
    this.host = options.host ?? makeModelledHost({ name })
    this.inputs = new NodeInputs(model, () => runtime.networkProblem())
    this.lease = new LeaseLoop(this.env)
    this.status = new StatusLoop(this.env, this.host, this.inputs, (cidrs) => runtime.setPodCIDR(cidrs))
    this.pressure = new PressureSources((kind, underPressure) => {
      this.inputs.setPressure(kind, underPressure)
      this.changed()
    })
    const { resources } = this.host
    if (resources !== undefined && release.kubeletConditions.includes("OutOfDisk")) {
      this.outOfDisk = new OutOfDisk({
        timers,
        limits: config,
        resources,
        periodMs: config.nodeStatusUpdateFrequencyMs,
        changed: (outOfDisk) => this.pressure.observe("OutOfDisk", outOfDisk)
      })
    }
    if (resources !== undefined) {
      this.eviction = new EvictionLoop({
        timers,
        config,
        release,
        resources,
        // Until its pods are followed again, a kubelet that has just started can end none of them.
        activePods: () => (this.podsStarted ? this.activePods() : []),
        killPod: this.killPod,
        setPressure: this.pressure.observe,
        nodeEvent: (type, reason, message) => this.nodeEvent(type, reason, message),
        recorder: options.recorder,
        ...(options.meter === undefined ? {} : { meter: options.meter })
      })
    }
    this.podLoop = new PodLoop(this.env, this.host, runtime, this.admissionChain(options), () => this.status.cachedNode)
    this.nodeWatch = new Reflector(
      connection,
      timers,
      "Node",
      { fieldSelector: `metadata.name=${name}` },
      {
        replace: this.nodeListed,
        apply: (event) => {
          if (event.type !== "ERROR") this.status.seen(event.type === "DELETED" ? undefined : (event.object as Node))
        },
        failed: (error, stage) => {
          const { fields, message, severity } = watchFailureLine(stage, "Node", error)
          this.env.log(severity, message, fields)
        }
      },
      chance.next
    )
  }

  private admissionChain(options: KubeletOptions): ReadonlyArray<PodAdmissionHandler> {
    const { config, connection, model, name, release } = this.env
    const { admission = [], recorder, resourceManagers = [] } = options
    if (!model.admits) return [...resourceManagers, ...admission]
    return makeAdmissionChain({
      nodeName: name,
      config,
      release,
      host: this.host,
      connection,
      initialNode: this.status.initial,
      killPod: this.killPod,
      recorder,
      meter: options.meter,
      evictionHandler: this.pressureHandler(config.featureGates.PodLevelResources),
      resourceManagers,
      extra: admission
    })
  }

  /** What eviction says of pressure; a lack of disk space is none of it. */
  private pressureHandler(podLevelResources: boolean): PodAdmissionHandler {
    const evictable = () => this.pressure.conditions.filter((kind) => kind !== "OutOfDisk")
    const underPressure = pressureAdmission(evictable, podLevelResources)
    return (request, ...rest) =>
      underPressure(request, ...rest) ??
      (this.outOfDisk?.isLow === true || this.pressure.isTold("OutOfDisk") ? outOfDiskRefusal : undefined)
  }

  get name(): string {
    return this.env.name
  }

  get config(): KubeletConfig {
    return this.env.config
  }

  get node(): Node | undefined {
    return this.status.cachedNode
  }

  pods(): ReadonlyArray<LocalPod> {
    return Array.from(this.podLoop.all, ({ pod, stage }) => ({
      uid: pod.metadata.uid ?? "",
      namespace: pod.metadata.namespace ?? "",
      name: pod.metadata.name ?? "",
      stage,
      isStatic: isStaticPod(pod),
      hasContainers: hasContainers(stage)
    }))
  }

  activePods(): ReadonlyArray<Pod> {
    return this.podLoop.activePods()
  }

  knownPods(): ReadonlyArray<Pod> | undefined {
    if (!this.podLoop.knowsAll) return undefined
    const pods: Array<Pod> = []
    for (const { pod, stage } of this.podLoop.all) if (!isOver(stage)) pods.push(pod)
    return pods
  }

  health(): KubeletHealth {
    const { config, timers } = this.env
    const restedMs = this.inputs.runtimeDownForMs(timers.now())
    const isStuck = restedMs > Math.max(MIN_SYNC_LOOP_MS, 2 * config.syncFrequencyMs)
    return {
      registration: this.status.unregistered,
      lease: this.lease.problem,
      status: this.status.problem,
      syncLoop: isStuck ? "sync Loop took longer than expected" : undefined
    }
  }

  serve(request: KubeletRequest): KubeletResponse {
    return serveKubelet(request, { summary: () => this.summary() })
  }

  private summary(): Summary | string {
    // At once, where upstream waits for the runtime first.
    if (this.runtime.isHanging) return RUNTIME_SILENT
    const { clockSkewMs, config, name, release, timers } = this.env
    return summaryOf({
      nodeName: name,
      machine: this.host.machine(),
      config,
      release,
      nowMs: timers.now(),
      bootedMs: this.bootedMs,
      clockSkewMs,
      readings: this.host.resources?.read(),
      pods: Array.from(this.podLoop.all, ({ pod, status, statuses }) => ({
        pod,
        statuses,
        startTime: status.startTime
      }))
    })
  }

  readonly killPod: KillPod = (uid, kill) => this.podLoop.kill(uid, kill)

  nodeEvent(type: "Normal" | "Warning", reason: string, message: string): void {
    const { name, recorder } = this.env
    if (recorder !== undefined) tellNode(recorder, name, type, reason, message)
  }

  syncStatus(): void {
    if (this.running) this.status.passNow(false)
  }

  setStaticPods(manifests: ReadonlyArray<StaticPodManifest>): void {
    this.podLoop.setStaticPods(manifests)
  }

  startKubelet(): void {
    if (this.running || !this.powered) return
    this.running = true
    this.podsStarted = false
    this.inputs.started(this.env.timers.now())
    if (this.env.recorder !== undefined) this.tellOfStart(this.env.recorder)
    this.outOfDisk?.start()
    this.eviction?.start()
    this.status.start()
    if (this.env.release.nodeLeases) this.lease.start()
    this.podLoop.begin()
    this.nodeWatch.start()
  }

  private tellOfStart(recorder: Pick<EventRecorder, "event">): void {
    tellOfStart(recorder, this.name)
    if (!volumesMayBeSwapped(this.host.machine(), this.env.release)) return
    const { message, reason, type } = memoryBackedVolumesOnDisk
    this.nodeEvent(type, reason, message)
  }

  /** Pods are accepted once the Node has been looked for. Upstream: nodeHasSynced. */
  private readonly nodeListed = (objects: ReadonlyArray<KubeObject>): void => {
    const node = objects[0] as Node | undefined
    if (node !== undefined || this.podsStarted) this.status.seen(node)
    if (this.podsStarted) return
    this.podsStarted = true
    this.podLoop.start()
  }

  stopKubelet(): void {
    if (!this.running) return
    this.running = false
    this.outOfDisk?.stop()
    this.eviction?.stop()
    this.status.stop()
    this.lease.stop()
    this.nodeWatch.stop()
    this.podLoop.stop()
    this.onStop?.()
  }

  crash(): void {
    if (!this.powered) return
    this.stopKubelet()
    this.powered = false
    this.podLoop.powerOff()
  }

  boot(): void {
    if (this.powered) return
    this.powered = true
    this.bootedMs = this.env.timers.now()
    this.host.booted()
    this.startKubelet()
  }

  reconnected(): void {
    if (!this.running || !this.env.model.heartbeatOnReconnect) return
    this.status.passNow(true)
    if (this.env.release.nodeLeases) this.lease.passNow()
    this.nodeWatch.stop()
    this.nodeWatch.start()
    if (this.podsStarted) this.podLoop.relist()
  }

  setPressure(kind: PressureKind, underPressure: boolean): void {
    this.pressure.tell(kind, underPressure)
  }

  setRuntimeDown(down: boolean): void {
    const now = this.env.timers.now()
    this.inputs.setRuntimeDown(down, now)
    if (this.env.model.runtimeHangs) {
      if (down) this.runtime.hang()
      else this.runtime.answerAfter(this.inputs.runtimeBackMs(now) - now)
    }
    this.changed()
  }

  setNetworkUnavailable(unavailable: boolean): void {
    this.inputs.setNetworkUnavailable(unavailable)
    this.changed()
  }

  setShutdown(error: string | undefined): void {
    this.inputs.setShutdown(error)
    this.changed()
  }

  setClockSkew(skewMs: number): void {
    this.env.clockSkewMs = skewMs
    this.lease.clockSkewMs = skewMs
  }

  private changed(): void {
    if (this.running) this.status.inputsChanged()
  }
}

/** Upstream: pkg/kubelet/server/stats/summary.go, the first of its steps that asks the runtime. */
const RUNTIME_SILENT =
  "failed to get imageFs stats: rpc error: code = DeadlineExceeded desc = context deadline exceeded"

/** To record an Event never fails: what is recorded goes on. */
const safeRecorder = (timers: TimersShape, recorder: Pick<EventRecorder, "event">): Pick<EventRecorder, "event"> => ({
  event: (...event) => void guarded(timers, "event recorder", () => recorder.event(...event))
})

/** Makes a kubelet on a machine that is on; `startKubelet` brings it to life. */
export const makeKubelet = (timers: TimersShape, options: KubeletOptions): Kubelet =>
  new ModelledKubelet(timers, options)
