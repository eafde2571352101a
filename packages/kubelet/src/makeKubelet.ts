import type { KubeObject, Node, Pod } from "@rollcall/api"
import type { Reflector } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { makeAdmitHandlers } from "./admission/AdmitHandlers.ts"
import type { PodAdmitHandler } from "./admission/PodAdmitHandler.ts"
import { withImageReclaim } from "./eviction/imageReclaim.ts"
import { NodePressure } from "./eviction/NodePressure.ts"
import { ImageGcManager } from "./images/ImageGcManager.ts"
import { type Env, envOf } from "./internal/Env.ts"
import type { Kubelet, KubeletOptions, LocalPod, ModelledKubelet } from "./Kubelet.ts"
import type { KubeletConfig } from "./KubeletConfig.ts"
import { type KubeletHealth, MIN_SYNC_LOOP_MS } from "./KubeletHealth.ts"
import type { PressureKind } from "./node/Conditions.ts"
import { recordNodeEvent, recordStart } from "./node/NodeEvents.ts"
import { NodeInputs } from "./node/NodeInputs.ts"
import { NodeSetters } from "./node/NodeSetters.ts"
import { NodeStatusUpdater } from "./node/NodeStatusUpdater.ts"
import { nodeReflector } from "./node/nodeReflector.ts"
import { LeaseController } from "./nodelease/LeaseController.ts"
import type { KillPod } from "./pod/PodKill.ts"
import { PodManager } from "./pod/PodManager.ts"
import type { HangingRuntime } from "./runtime/HangingRuntime.ts"
import { kubeletRuntime } from "./runtime/kubeletRuntime.ts"
import { makeModelledHost } from "./runtime/ModelledHost.ts"
import type { NodeHost } from "./runtime/NodeHost.ts"
import type { KubeletRequest, KubeletResponse } from "./server/KubeletRequest.ts"
import { contentOf, type ServedParts, streamsOf } from "./server/kubeletContent.ts"
import { serveKubelet } from "./server/serveKubelet.ts"
import { commandsIn } from "./server/streams/commandsIn.ts"
import type { StaticPodManifest } from "./static/StaticPodManifest.ts"
import { volumesMayBeSwapped } from "./swap/swapAtStart.ts"

class NodeKubelet implements ModelledKubelet {
  running = false
  /** Whether the machine is without power. */
  private isOff = false
  private readonly env: Env
  private readonly host: NodeHost
  private readonly inputs: NodeInputs
  private readonly lease: LeaseController
  private readonly setters: NodeSetters
  private readonly status: NodeStatusUpdater
  private readonly podManager: PodManager
  private readonly nodeWatch: Reflector
  private readonly evictions: NodePressure
  private readonly imageGc: ImageGcManager
  private readonly runtime: HangingRuntime
  readonly claimsOf: Kubelet["claimsOf"]
  private readonly onStop: (() => void) | undefined
  private podsStarted = false
  private bootedMs: number
  private startedMs: number

  constructor(timers: TimersShape, options: KubeletOptions) {
    this.env = envOf(timers, options)
    this.onStop = options.onStop
    this.bootedMs = timers.now()
    this.startedMs = this.bootedMs
    this.host = options.host ?? makeModelledHost({ name: options.name })
    const { claimsOf, runtime } = kubeletRuntime(this.env, options, this)
    this.runtime = runtime
    this.claimsOf = claimsOf
    this.inputs = new NodeInputs(this.env.model, runtime, options.shutdownStatus)
    this.lease = new LeaseController(this.env)
    this.setters = new NodeSetters(this.env, this.host, this.inputs)
    this.status = new NodeStatusUpdater(this.env, this.setters, this.inputs, runtime)
    this.imageGc = new ImageGcManager({ env: this.env, runtime, host: this.host, pods: () => this.podManager }, this)
    this.evictions = this.nodePressure(options)
    this.podManager = new PodManager(
      this.env,
      this.host,
      runtime,
      this.admitHandlers(options),
      () => this.status.cachedNode,
      options.meter
    )
    runtime.followWith(commandsIn(() => streamsOf(this.served)))
    this.nodeWatch = nodeReflector(this.env, this.nodeListed, (node) => this.status.nodeChanged(node))
  }

  private nodePressure({ meter }: KubeletOptions): NodePressure {
    const { config, recorder, release, timers } = this.env
    const { resources } = this.host
    return new NodePressure({
      timers,
      config,
      release,
      resources: resources && withImageReclaim(resources, () => this.imageGc.deleteUnused()),
      // A kubelet that has just started cannot kill pods until it follows them again.
      activePods: () => (this.podsStarted ? this.activePods() : []),
      killPod: this.killPod,
      nodeEvent: (type, reason, message) => this.nodeEvent(type, reason, message),
      recorder,
      meter,
      changed: (kind, underPressure) => {
        this.inputs.setPressure(kind, underPressure)
        this.changed()
      }
    })
  }

  private admitHandlers(options: KubeletOptions): ReadonlyArray<PodAdmitHandler> {
    const { config, connection, model, name, recorder, release } = this.env
    const { admission = [], resourceManagers = [] } = options
    if (!model.admits) return [...resourceManagers, ...admission]
    return makeAdmitHandlers({
      nodeName: name,
      config,
      release,
      host: this.host,
      connection,
      initialNode: () => this.setters.initial(),
      killPod: this.killPod,
      recorder,
      meter: options.meter,
      evictionHandler: this.evictions.admitHandler(config.featureGates.PodLevelResources),
      resourceManagers,
      extra: admission
    })
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

  get isLeaseSynced(): boolean {
    return this.lease.isSynced
  }

  pods(): ReadonlyArray<LocalPod> {
    return this.podManager.localPods()
  }

  activePods(): ReadonlyArray<Pod> {
    return this.podManager.activePods()
  }

  knownPods(): ReadonlyArray<Pod> | undefined {
    return this.podManager.knownPods()
  }

  health(): KubeletHealth {
    const { config, timers } = this.env
    const downMs = this.inputs.runtimeDownForMs(timers.now())
    const isStuck = downMs > Math.max(MIN_SYNC_LOOP_MS, 2 * config.syncFrequencyMs)
    return {
      registration: this.status.registrationProblem,
      lease: this.lease.problem,
      status: this.status.problem?.(),
      syncLoop: isStuck ? "sync Loop took longer than expected" : undefined
    }
  }

  serve(request: KubeletRequest): KubeletResponse {
    return serveKubelet(request, contentOf(this.served))
  }

  private get served(): ServedParts {
    const { bootedMs, env, host, podManager, runtime, startedMs } = this
    const problem = () => this.health().syncLoop
    const isRunning = () => this.running
    return { bootedMs, startedMs, env, host, podManager, runtime, problem, node: () => this.node, isRunning }
  }

  readonly killPod: KillPod = (uid, kill) => this.podManager.kill(uid, kill)

  nodeEvent(type: "Normal" | "Warning", reason: string, message: string): void {
    const { name, recorder } = this.env
    if (recorder !== undefined) recordNodeEvent(recorder, name, type, reason, message)
  }

  syncNodeStatus(): void {
    if (!this.running) return
    this.status.passNow(false)
    this.podManager.reportDevices()
  }

  setStaticPods(manifests: ReadonlyArray<StaticPodManifest>): void {
    this.podManager.setStaticPods(manifests)
  }

  startKubelet(): void {
    if (this.running || this.isOff) return
    this.running = true
    this.podsStarted = false
    this.startedMs = this.env.timers.now()
    this.inputs.processStarted(this.startedMs)
    const swapsVolumes = () => volumesMayBeSwapped(this.host.machine(), this.env.release)
    if (this.env.recorder !== undefined) recordStart(this.env.recorder, this.name, swapsVolumes)
    this.evictions.start()
    this.imageGc.start()
    this.status.start()
    if (this.env.release.nodeLeases) this.lease.start()
    this.podManager.startProcess()
    this.nodeWatch.start()
  }

  /** Handles a list of the Node. Pods are watched once the Node has been listed. Upstream: nodeHasSynced. */
  private readonly nodeListed = (objects: ReadonlyArray<KubeObject>): void => {
    const node = objects[0] as Node | undefined
    if (node !== undefined || this.podsStarted) this.status.nodeChanged(node)
    if (this.podsStarted) return
    this.podsStarted = true
    this.podManager.followApi()
  }

  stopKubelet(): void {
    if (!this.running) return
    this.running = false
    this.evictions.stop()
    this.imageGc.stop()
    this.status.stop()
    this.lease.stop()
    this.nodeWatch.stop()
    this.podManager.stop()
    this.env.stopReading()
    this.env.recorder?.restart?.()
    this.onStop?.()
  }

  powerLost(): void {
    if (this.isOff) return
    this.stopKubelet()
    this.isOff = true
    this.podManager.powerOff()
  }

  booted(): void {
    if (!this.isOff) return
    this.isOff = false
    this.bootedMs = this.env.timers.now()
  }

  reconnected(): void {
    if (!this.running || !this.env.model.heartbeatOnReconnect) return
    this.status.passNow(true)
    if (this.env.release.nodeLeases) this.lease.passNow()
    this.nodeWatch.stop()
    this.nodeWatch.start()
    if (this.podsStarted) this.podManager.relist()
  }

  pressure(kind: PressureKind, underPressure: boolean): void {
    this.evictions.setFault(kind, underPressure)
  }

  runtimeDown(down: boolean): void {
    const now = this.env.timers.now()
    this.inputs.setRuntimeDown(down, now)
    if (this.env.model.runtimeHangs) {
      if (down) this.runtime.hang()
      else this.runtime.answerAfter(this.inputs.runtimeBackMs(now) - now)
    }
    this.changed()
  }

  networkUnavailable(unavailable: boolean): void {
    this.inputs.setNetworkUnavailable(unavailable)
    this.changed()
  }

  clockSkewed(skewMs: number): void {
    this.status.leaveColumns()
    this.env.clockSkewMs = skewMs
    this.lease.setClockSkew(skewMs)
  }

  runtimeAnswered(): void {
    this.changed()
  }

  devicesChanged(): void {
    this.podManager.reportDevices()
  }

  readonly imagesChanged = (): void => {
    this.imageGc.imagesChanged()
    this.changed()
  }

  private changed(): void {
    if (this.running) this.status.inputsChanged()
  }
}

/** Makes a kubelet on a machine that is on; `startKubelet` starts it. */
export const makeKubelet = (timers: TimersShape, options: KubeletOptions): Kubelet => new NodeKubelet(timers, options)

/** Makes a kubelet on a modelled machine that is on. */
export const makeModelledKubelet = (timers: TimersShape, options: KubeletOptions): ModelledKubelet =>
  new NodeKubelet(timers, options)
