import { defaultRelease, type KubeObject, type Node, type Pod, type Release } from "@rollcall/api"
import { type Connection, type EventRecorder, Reflector } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { makeAdmissionChain } from "./admission/AdmissionChain.ts"
import { EvictionLoop } from "./eviction/EvictionLoop.ts"
import { PressureSources } from "./eviction/PressureSources.ts"
import { Chance, hashOf } from "./internal/Chance.ts"
import { Env } from "./internal/Env.ts"
import { type KubeletConfig, kubeletConfig } from "./KubeletConfig.ts"
import { type KubeletModel, modelUpstream } from "./KubeletModel.ts"
import type { PressureKind } from "./node/Conditions.ts"
import { LeaseLoop } from "./node/LeaseLoop.ts"
import { tellNode, tellOfStart } from "./node/NodeEvents.ts"
import { NodeInputs } from "./node/NodeInputs.ts"
import { StatusLoop } from "./node/StatusLoop.ts"
import type { PodAdmissionHandler } from "./pod/PodAdmission.ts"
import { hasContainers, type PodStage } from "./pod/PodDecision.ts"
import type { KillPod } from "./pod/PodKill.ts"
import { PodLoop } from "./pod/PodLoop.ts"
import { makeModelledHost } from "./runtime/ModelledHost.ts"
import { makeModelledPodRuntime } from "./runtime/ModelledPodRuntime.ts"
import type { NodeHost } from "./runtime/NodeHost.ts"
import type { PodRuntime } from "./runtime/PodRuntime.ts"
import type { StaticPodManifest } from "./static/StaticPodManifest.ts"

export interface KubeletOptions {
  /** The node's name. */
  readonly name: string
  /** The kubelet's own way to the API, as `system:node:<name>`; a link's faults are faults of this connection. */
  readonly connection: Connection
  /** Shared by all kubelets of a group. */
  readonly config?: KubeletConfig
  readonly model?: KubeletModel
  readonly release?: Release
  readonly host?: NodeHost
  readonly runtime?: PodRuntime
  /** Who allocates devices, CPUs and memory: asked after node pressure and sysctls, before the predicates. */
  readonly resourceManagers?: ReadonlyArray<PodAdmissionHandler>
  /** Asked last: node shutdown, and whatever else may refuse a pod. */
  readonly admission?: ReadonlyArray<PodAdmissionHandler>
  /** Where Events about the node and its pods go; without it none are made. */
  readonly recorder?: Pick<EventRecorder, "event">
  /** Jitter follows from this and the name. */
  readonly seed?: number
  /** The process has ended, by itself or with its machine. */
  readonly onStop?: () => void
  /** Heartbeats fail again and again: a live client closes its connections. */
  readonly onRepeatedHeartbeatFailure?: () => void
}

/** One pod as its node sees it. */
export interface LocalPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly stage: PodStage
  /** It has containers, or is getting or losing them. */
  readonly hasContainers: boolean
}

/**
 * A modelled kubelet. Everything it does happens in callbacks of its timers and of its connection; nothing here waits.
 *
 * A machine that is on runs a kubelet or does not; a machine that is off runs nothing. What is done to a machine or a process
 * that is not there is ignored.
 */
export interface Kubelet {
  readonly name: string
  readonly config: KubeletConfig
  /** The kubelet's process is there. */
  readonly running: boolean
  /** The machine has power. */
  readonly powered: boolean
  /** The Node as the kubelet last saw it. */
  readonly node: Node | undefined
  readonly pods: () => ReadonlyArray<LocalPod>
  /** Pods that hold resources of the node: those with containers, and those that are getting or losing them. */
  readonly activePods: () => ReadonlyArray<Pod>
  readonly killPod: KillPod
  /** Tells of something that befell the node, if anybody listens. */
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  /** Posts the node's status as soon as may be, instead of with the next pass. */
  readonly syncStatus: () => void
  /** Manifests of pods that this node runs whatever the API says; those that are no longer among them are ended. */
  readonly setStaticPods: (manifests: ReadonlyArray<StaticPodManifest>) => void
  /** Starts the process; containers that run go on. */
  readonly startKubelet: () => void
  /** Ends the process; containers go on. */
  readonly stopKubelet: () => void
  /** The machine loses power: process and containers are gone. */
  readonly crash: () => void
  /** The machine starts, with another boot id, and the kubelet with it. */
  readonly boot: () => void
  /** The link is whole again. A kubelet does not know that, and its back-offs end when they end, unless the model says otherwise. */
  readonly reconnected: () => void
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly setRuntimeDown: (down: boolean) => void
  readonly setNetworkUnavailable: (unavailable: boolean) => void
  /** `node is shutting down`, while it is. */
  readonly setShutdown: (error: string | undefined) => void
  /** How far the node's clock is ahead, from now on. */
  readonly setClockSkew: (skewMs: number) => void
}

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
  private readonly onStop: (() => void) | undefined
  private podsStarted = false

  constructor(timers: TimersShape, options: KubeletOptions) {
    const { connection, model = modelUpstream, name, release = defaultRelease, seed = 0 } = options
    const config = options.config ?? kubeletConfig({}, release)
    const chance = new Chance(hashOf(name) ^ Math.imul(seed, 0x9e3779b1))
    const runtime = options.runtime ?? makeModelledPodRuntime(timers)
    this.env = new Env(
      name,
      connection,
      timers,
      config,
      model,
      release,
      chance,
      options.recorder,
      options.onRepeatedHeartbeatFailure
    )
    this.onStop = options.onStop
    this.host = options.host ?? makeModelledHost({ name })
    this.inputs = new NodeInputs(model)
    this.lease = new LeaseLoop(this.env)
    this.status = new StatusLoop(this.env, this.host, this.inputs, (cidrs) => runtime.setPodCIDR(cidrs))
    this.pressure = new PressureSources((kind, underPressure) => {
      this.inputs.setPressure(kind, underPressure)
      this.changed()
    })
    const { resources } = this.host
    if (resources !== undefined) {
      this.eviction = new EvictionLoop({
        timers,
        config,
        release,
        resources,
        activePods: () => this.activePods(),
        killPod: this.killPod,
        setPressure: this.pressure.observe,
        nodeEvent: (type, reason, message) => this.nodeEvent(type, reason, message),
        recorder: options.recorder
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
        failed: () => {}
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
      evictionHandler: this.eviction?.admission,
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

  pods(): ReadonlyArray<LocalPod> {
    return Array.from(this.podLoop.all, ({ pod, stage }) => ({
      uid: pod.metadata.uid ?? "",
      namespace: pod.metadata.namespace ?? "",
      name: pod.metadata.name ?? "",
      stage,
      hasContainers: hasContainers(stage)
    }))
  }

  activePods(): ReadonlyArray<Pod> {
    return this.podLoop.activePods()
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
    if (this.env.recorder !== undefined) tellOfStart(this.env.recorder, this.name)
    this.status.start()
    if (this.env.release.nodeLeases) this.lease.start()
    this.nodeWatch.start()
    this.eviction?.start()
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
    this.status.stop()
    this.lease.stop()
    this.nodeWatch.stop()
    this.podLoop.stop()
    this.eviction?.stop()
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
    this.inputs.setRuntimeDown(down, this.env.timers.now())
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

/** Makes a kubelet on a machine that is on; `startKubelet` brings it to life. */
export const makeKubelet = (timers: TimersShape, options: KubeletOptions): Kubelet =>
  new ModelledKubelet(timers, options)
