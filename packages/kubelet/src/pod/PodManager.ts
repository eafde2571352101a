import type { KubeObject, Node, Pod } from "@rollcall/api"
import { isOlder, Reflector, type WatchEvent, watchFailureLine } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import { hostPortsOf } from "../admission/HostPorts.ts"
import type { PodAdmitHandler } from "../admission/PodAdmitHandler.ts"
import { podNeeds } from "../admission/PodNeeds.ts"
import type { Env } from "../internal/Env.ts"
import type { LocalPod } from "../Kubelet.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { StaticPodManifest } from "../static/StaticPodManifest.ts"
import { StaticPodRecord } from "../static/StaticPodRecord.ts"
import { StaticPods } from "../static/StaticPods.ts"
import { isMirrorPod } from "../static/staticPodOf.ts"
import { hasContainers, isOver } from "./PodDecision.ts"
import type { PodKill } from "./PodKill.ts"
import { isStaticPod } from "./PodPhase.ts"
import { PodRecord } from "./PodRecord.ts"
import { PodWorkers } from "./PodWorkers.ts"

/** Sorts by creation; those created in the same second keep their order. */
const inOrderOfCreation = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<KubeObject> => {
  const at = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ""
  const isSorted = objects.every((object, index) => index === 0 || at(objects[index - 1] ?? object) <= at(object))
  return isSorted
    ? objects
    : objects.toSorted((left, right) => (at(left) < at(right) ? -1 : at(left) > at(right) ? 1 : 0))
}

const hasOtherImages = (before: Pod, after: Pod): boolean =>
  before.spec !== after.spec &&
  after.spec.containers.some(({ image }, index) => image !== before.spec.containers[index]?.image)

/** Follows the pods of one node in the API. */
export class PodManager {
  private readonly env: Env
  private readonly work: PodWorkers
  private readonly reflector: Reflector
  private readonly node: () => Node | undefined
  /** Set once the node has static pod manifests. */
  private statics: StaticPods | undefined = undefined
  /** Whether the kubelet's process runs. */
  private began = false
  /** Whether it has seen the first list. */
  private resumed = false
  /** A list that is still to be processed. */
  private listed: { readonly objects: ReadonlyArray<KubeObject>; readonly timer: Timer } | undefined

  constructor(
    env: Env,
    host: NodeHost,
    runtime: PodRuntime,
    admission: ReadonlyArray<PodAdmitHandler>,
    node: () => Node | undefined
  ) {
    this.env = env
    this.node = node
    this.work = new PodWorkers(env, host, runtime, admission, node)
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
      env.chance.next
    )
  }

  get all(): Iterable<PodRecord> {
    return this.work.records.values()
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

  /** The pods that have not terminated; undefined until a list has been processed. */
  knownPods(): ReadonlyArray<Pod> | undefined {
    if (!this.resumed) return undefined
    const pods: Array<Pod> = []
    for (const { pod, stage } of this.all) if (!isOver(stage)) pods.push(pod)
    return pods
  }

  activePods(): ReadonlyArray<Pod> {
    return this.work.activePods()
  }

  /** Kills a pod, by the kubelet's own decision. */
  kill(uid: string, kill: PodKill): void {
    const record = this.work.records.get(uid)
    if (record !== undefined) this.work.kill(record, kill)
    else if (this.work.isActive) kill.done?.("stopped")
  }

  setStaticPods(manifests: ReadonlyArray<StaticPodManifest>): void {
    this.statics ??= new StaticPods(this.env, this.work, this.node)
    if (this.began && !this.work.isActive) this.work.start()
    this.statics.set(manifests)
  }

  /** The kubelet's process starts. Its static pods do not wait for the API. */
  begin(): void {
    this.began = true
    if (this.statics === undefined) return
    this.work.start()
    this.statics.start()
  }

  /** The API has answered: starts to follow its pods. */
  start(): void {
    this.resumed = false
    if (!this.work.isActive) this.work.start()
    this.reflector.start()
  }

  stop(): void {
    this.began = false
    this.statics?.stop()
    this.reflector.stop()
    if (this.listed !== undefined) this.env.timers.cancel(this.listed.timer)
    this.listed = undefined
    this.work.stop()
  }

  /** The link has recovered: lists now instead of after the back-off. */
  relist(): void {
    this.reflector.stop()
    this.reflector.start()
    this.work.postpone()
  }

  powerOff(): void {
    this.work.powerOff()
  }

  /**
   * A list is processed once its watch has begun. If thousands of kubelets start at one instant, each watch would
   * otherwise begin behind all the writes of the kubelets before it.
   */
  private readonly replace = (objects: ReadonlyArray<KubeObject>): void => {
    if (this.listed !== undefined) this.env.timers.cancel(this.listed.timer)
    this.listed = { objects, timer: this.env.timers.after(0, this.processList) }
  }

  private readonly processList = (): void => {
    if (this.listed === undefined) return
    const { objects, timer } = this.listed
    this.listed = undefined
    this.env.timers.cancel(timer)
    const missing = new Set(this.work.records.keys())
    const present = this.statics === undefined ? undefined : new Set<string>()
    for (const object of inOrderOfCreation(objects)) {
      const { uid = "" } = object.metadata
      missing.delete(uid)
      present?.add(uid)
      this.guard(uid, () => this.seen(object as Pod))
    }
    for (const uid of missing) {
      if (!(this.work.records.get(uid) instanceof StaticPodRecord)) this.guard(uid, () => this.unseen(uid))
    }
    if (present !== undefined) this.statics?.only(present)
    if (this.resumed) return
    this.resumed = true
    this.work.resume()
  }

  private readonly apply = (event: WatchEvent): void => {
    this.processList()
    const pod = event.object as Pod
    const { uid = "" } = pod.metadata
    this.guard(uid, () => (event.type === "DELETED" ? this.unseen(uid) : this.seen(pod)))
  }

  /** Contains an exception to its pod, which is synced again later. */
  private guard(uid: string, act: () => void): void {
    try {
      act()
    } catch (error) {
      const record = this.work.records.get(uid)
      if (record !== undefined) this.work.failed(record, error)
      else this.env.timers.handleError("pod worker", error, { node: this.env.name, uid })
    }
  }

  private seen(pod: Pod): void {
    if (this.statics !== undefined && isMirrorPod(pod)) {
      this.statics.seen(pod)
      return
    }
    const uid = pod.metadata.uid ?? ""
    const record = this.work.records.get(uid)
    if (record?.pod.spec !== pod.spec) this.read(pod)
    if (record === undefined) {
      const added = new PodRecord(this.work, pod)
      this.work.records.set(uid, added)
      this.work.attend(added)
      return
    }
    if (record.pod === pod || isOlder(pod, record.pod)) return
    const before = record.pod
    record.pod = pod
    if (hasOtherImages(before, pod)) this.work.changed(record, before)
    if (pod.status !== record.status) this.work.differs(record)
    this.work.attend(record)
  }

  /**
   * Throws for a pod with invalid requests: no other pod could be admitted beside it. Its last valid version is kept.
   */
  private read(pod: Pod): void {
    const { config, release } = this.env
    podNeeds(pod, { ...config.featureGates, podsFitBy: release.podsFitBy })
    hostPortsOf(pod)
  }

  private unseen(uid: string): void {
    this.statics?.unseen(uid)
    const record = this.work.records.get(uid)
    if (record === undefined) return
    record.present = false
    this.work.attend(record)
  }
}
