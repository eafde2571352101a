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

/** Those created in the same second stay as they are. */
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

/** Follows the pods of one node, as the API shows them. */
export class PodManager {
  private readonly env: Env
  private readonly work: PodWorkers
  private readonly reflector: Reflector
  private readonly node: () => Node | undefined
  /** Once the node was told what static pods it has. */
  private statics: StaticPods | undefined = undefined
  /** The kubelet's process is there. */
  private began = false
  /** It has seen the first list. */
  private resumed = false
  /** A list that is still to be gone through. */
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

  /** Those that have not ended; undefined until a list has been gone through. */
  knownPods(): ReadonlyArray<Pod> | undefined {
    if (!this.resumed) return undefined
    const pods: Array<Pod> = []
    for (const { pod, stage } of this.all) if (!isOver(stage)) pods.push(pod)
    return pods
  }

  activePods(): ReadonlyArray<Pod> {
    return this.work.activePods()
  }

  /** Ends a pod on the kubelet's own account. */
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

  /** The kubelet's process is there. Its static pods do not wait for the API. */
  begin(): void {
    this.began = true
    if (this.statics === undefined) return
    this.work.start()
    this.statics.start()
  }

  /** The API has answered: its pods are followed from now on. */
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

  /** The link is whole again: look now instead of when the back-off ends. */
  relist(): void {
    this.reflector.stop()
    this.reflector.start()
    this.work.postpone()
  }

  powerOff(): void {
    this.work.powerOff()
  }

  /**
   * A list is gone through once its watch has begun. Thousands of kubelets that start at one instant would else each begin
   * to watch behind all that those before them wrote.
   */
  private readonly replace = (objects: ReadonlyArray<KubeObject>): void => {
    if (this.listed !== undefined) this.env.timers.cancel(this.listed.timer)
    this.listed = { objects, timer: this.env.timers.after(0, this.goThrough) }
  }

  private readonly goThrough = (): void => {
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
    this.goThrough()
    const pod = event.object as Pod
    const { uid = "" } = pod.metadata
    this.guard(uid, () => (event.type === "DELETED" ? this.unseen(uid) : this.seen(pod)))
  }

  /** What a pod's news throws is that pod's: it is looked at again later. */
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

  /** Throws for a pod whose needs cannot be told: no other pod could be admitted beside it. What was known of it stays. */
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
