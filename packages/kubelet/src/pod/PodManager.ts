import type { KubeObject, Node, Pod } from "@rollcall/api"
import { Reflector, type WatchEvent, watchFailureLine } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import { hostPortsOf } from "../admission/HostPorts.ts"
import type { PodAdmitHandler } from "../admission/PodAdmitHandler.ts"
import { podNeeds } from "../admission/PodNeeds.ts"
import { predicateGatesOf } from "../admission/Predicates.ts"
import type { ResizeMeter } from "../allocation/metrics.ts"
import { resizeFromStatus } from "../allocation/PodResize.ts"
import type { Env } from "../internal/Env.ts"
import type { LocalPod } from "../Kubelet.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { SeenProbes } from "../runtime/ProbeOutcomes.ts"
import type { ServedPod } from "../server/streams/containerRun.ts"
import type { StaticPodManifest } from "../static/StaticPodManifest.ts"
import { StaticPodRecord } from "../static/StaticPodRecord.ts"
import { StaticPods } from "../static/StaticPods.ts"
import { isMirrorPod } from "../static/staticPodOf.ts"
import { showsDevices } from "./deviceHealth.ts"
import { hasContainers, isOver } from "./PodDecision.ts"
import type { PodKill } from "./PodKill.ts"
import { isStaticPod } from "./PodPhase.ts"
import { PodRecord, podsWithContainers } from "./PodRecord.ts"
import { PodWorkers } from "./PodWorkers.ts"
import { makePodResizes } from "./podResizes.ts"

/** Sorts objects by creation time. Objects that were created in the same second keep their order. */
const sortedByCreation = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<KubeObject> => {
  const at = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ""
  const isSorted = objects.every((object, index) => index === 0 || at(objects[index - 1] ?? object) <= at(object))
  return isSorted
    ? objects
    : objects.toSorted((left, right) => (at(left) < at(right) ? -1 : at(left) > at(right) ? 1 : 0))
}

const servedPod = ({ pod, status }: PodRecord): ServedPod => ({
  pod,
  status: status.phase === undefined ? (pod.status ?? {}) : status
})

/** Watches the pods of one node in the API, and passes them to its PodWorkers. */
export class PodManager {
  private readonly env: Env
  private readonly workers: PodWorkers
  private readonly reflector: Reflector
  private readonly node: () => Node | undefined
  /** Set once the node has static pod manifests. */
  private staticPods: StaticPods | undefined = undefined
  /** Whether the kubelet's process runs. */
  private isProcessRunning = false
  /** Whether the process has handled the first list of pods. */
  private hasListed = false
  /** A list that has arrived and is handled by `timer`. */
  private pendingList: { readonly objects: ReadonlyArray<KubeObject>; readonly timer: Timer } | undefined

  constructor(
    env: Env,
    host: NodeHost,
    runtime: PodRuntime,
    admission: ReadonlyArray<PodAdmitHandler>,
    node: () => Node | undefined,
    meter?: ResizeMeter
  ) {
    this.env = env
    this.node = node
    this.workers = new PodWorkers(env, host, runtime, admission, node, () =>
      makePodResizes(env, host, runtime, this.workers, () => this.hasListed, meter)
    )
    const selection = { fieldSelector: `spec.nodeName=${env.name}` }
    this.reflector = new Reflector(
      env.connection,
      env.timers,
      "Pod",
      selection,
      {
        replace: this.replace,
        apply: this.apply,
        failed: (error, stage) => {
          const { fields, message, severity } = watchFailureLine(stage, "Pod", error)
          env.log(severity, message, fields)
        }
      },
      env.random.next
    )
  }

  /** All pods of the node, in any stage. */
  get all(): Iterable<PodRecord> {
    return this.workers.records.values()
  }

  localPods(): ReadonlyArray<LocalPod> {
    return Array.from(this.all, ({ pod, stage }) => ({
      uid: pod.metadata.uid ?? "",
      namespace: pod.metadata.namespace ?? "",
      name: pod.metadata.name ?? "",
      stage,
      isStatic: isStaticPod(pod),
      hasContainers: hasContainers(stage)
    }))
  }

  /** A pod of the node with its latest status: the kubelet's, or the API's while the kubelet has none. */
  podNamed(namespace: string, name: string): ServedPod | undefined {
    for (const record of this.all) {
      const { metadata } = record.pod
      if (metadata.name === name && (metadata.namespace ?? "default") === namespace) return servedPod(record)
    }
    return undefined
  }

  servedPods(): ReadonlyArray<ServedPod> {
    return Array.from(this.all, servedPod)
  }

  /** The pods that have not terminated, or undefined until the first list has been handled. */
  knownPods(): ReadonlyArray<Pod> | undefined {
    if (!this.hasListed) return undefined
    const pods: Array<Pod> = []
    for (const { pod, stage } of this.all) if (!isOver(stage)) pods.push(pod)
    return pods
  }

  /** The pods in the API that hold resources of the node, including those being stopped. */
  activePods(): ReadonlyArray<Pod> {
    return podsWithContainers(this.workers.records.values(), undefined)
  }

  /** Handles what commands in a container have left of the files that its probes look at. */
  probesSeen(uid: string, container: string, seen: SeenProbes): void {
    const record = this.workers.records.get(uid)
    if (record === undefined) return
    const { runtimeManager } = this.workers
    this.guard(uid, () => {
      if (runtimeManager.probes.see(record, container, seen)) runtimeManager.advance(record)
    })
  }

  /** Reports how the devices of pods are now. */
  reportDevices(): void {
    for (const record of this.all) {
      if (record.stage !== "running" || !showsDevices(record.containers)) continue
      this.workers.guard(record, () => this.workers.statusManager.setPodStatus(record, record.containers))
    }
  }

  /** Kills a pod, by the kubelet's own decision. */
  kill(uid: string, kill: PodKill): void {
    const record = this.workers.records.get(uid)
    if (record !== undefined) this.workers.kill(record, kill)
    else if (this.workers.isActive) kill.done?.("stopped")
  }

  /** Replaces the manifests of static pods. */
  setStaticPods(manifests: ReadonlyArray<StaticPodManifest>): void {
    this.staticPods ??= new StaticPods(this.env, this.workers, this.node)
    if (this.isProcessRunning && !this.workers.isActive) this.workers.start()
    this.staticPods.set(manifests)
  }

  /** Starts with the kubelet's process. Its static pods do not wait for the API. */
  startProcess(): void {
    this.isProcessRunning = true
    if (this.staticPods === undefined) return
    this.workers.start()
    this.staticPods.start()
  }

  /** Starts to watch the pods in the API, after the API has answered for the first time. */
  followApi(): void {
    this.hasListed = false
    if (!this.workers.isActive) this.workers.start()
    this.reflector.start()
  }

  stop(): void {
    this.isProcessRunning = false
    this.staticPods?.stop()
    this.reflector.stop()
    if (this.pendingList !== undefined) this.env.timers.cancel(this.pendingList.timer)
    this.pendingList = undefined
    this.workers.stop()
  }

  /** Lists the pods now instead of after the reflector's back-off, because the link has recovered. */
  relist(): void {
    this.reflector.stop()
    this.reflector.start()
    this.workers.statusManager.postpone()
  }

  powerOff(): void {
    this.workers.powerOff()
  }

  /**
   * Delays a list until its watch has begun. If thousands of kubelets start at one instant, each watch would otherwise
   * begin behind all the writes of the kubelets before it.
   */
  private readonly replace = (objects: ReadonlyArray<KubeObject>): void => {
    if (this.pendingList !== undefined) this.env.timers.cancel(this.pendingList.timer)
    this.pendingList = { objects, timer: this.env.timers.after(0, this.processList) }
  }

  private readonly processList = (): void => {
    if (this.pendingList === undefined) return
    const { objects, timer } = this.pendingList
    this.pendingList = undefined
    this.env.timers.cancel(timer)
    const missing = new Set(this.workers.records.keys())
    const present = this.staticPods === undefined ? undefined : new Set<string>()
    const pods = sortedByCreation(objects) as ReadonlyArray<Pod>
    const add = () => {
      for (const pod of pods) {
        const { uid = "" } = pod.metadata
        missing.delete(uid)
        present?.add(uid)
        this.guard(uid, () => this.podChanged(pod))
      }
    }
    if (present === undefined) this.workers.addAll(pods, add)
    else add()
    for (const uid of missing) {
      if (!(this.workers.records.get(uid) instanceof StaticPodRecord)) this.guard(uid, () => this.podDeleted(uid))
    }
    if (present !== undefined) this.staticPods?.retainMirrors(present)
    if (this.hasListed) return
    this.hasListed = true
    this.workers.resume()
    this.workers.resizes?.added(this.workers.records.values())
  }

  private readonly apply = (event: WatchEvent): void => {
    this.processList()
    const pod = event.object as Pod
    const { uid = "" } = pod.metadata
    this.guard(uid, () => (event.type === "DELETED" ? this.podDeleted(uid) : this.podChanged(pod)))
  }

  /** Runs work of one pod. An exception of it delays the sync of this pod only. */
  private guard(uid: string, act: () => void): void {
    try {
      act()
    } catch (error) {
      const record = this.workers.records.get(uid)
      if (record !== undefined) this.workers.retryAfterError(record, error)
      else this.env.timers.handleError("pod worker", error, { node: this.env.name, uid })
    }
  }

  private podChanged(pod: Pod): void {
    if (this.staticPods !== undefined && isMirrorPod(pod)) {
      this.staticPods.mirrorChanged(pod)
      return
    }
    const uid = pod.metadata.uid ?? ""
    const record = this.workers.records.get(uid)
    if (record?.pod.spec !== pod.spec) this.validate(pod)
    if (record === undefined) {
      const added = new PodRecord(this.workers, pod)
      this.workers.records.set(uid, added)
      this.takeUpResize(added)
      this.workers.sync(added)
      return
    }
    if (!record.updateFromApi(pod)) return
    // The API deletes a terminal pod by itself, at once: the kubelet's own deletion has time until the next comparison.
    const deletesLater = isOver(record.stage) && pod.metadata.deletionTimestamp !== undefined
    if (deletesLater || pod.status !== record.status) this.workers.statusManager.syncLater(record)
    if (!deletesLater) this.workers.sync(record)
  }

  /** Takes up a resize that another process of this kubelet has begun. */
  private takeUpResize(record: PodRecord): void {
    const { featureGates } = this.env.config
    if (!featureGates.InPlacePodVerticalScaling || record.pod.status?.containerStatuses === undefined) return
    record.resize = resizeFromStatus(record.pod, featureGates)
    if (record.resize !== undefined) this.workers.needResizes()
  }

  /**
   * Throws for a pod with invalid requests, beside which no other pod could be admitted. The pod's last valid version
   * is then kept.
   */
  private validate(pod: Pod): void {
    const { config, release } = this.env
    podNeeds(pod, predicateGatesOf(config.featureGates, release))
    hostPortsOf(pod)
  }

  private podDeleted(uid: string): void {
    this.staticPods?.mirrorDeleted(uid)
    const record = this.workers.records.get(uid)
    if (record === undefined) return
    record.present = false
    this.workers.sync(record)
    this.workers.resizes?.retry("pods_removed")
  }
}
