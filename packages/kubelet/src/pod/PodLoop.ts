import type { KubeObject, Node, Pod } from "@rollcall/api"
import { Reflector, type WatchEvent } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import { isOlder } from "../internal/revision.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { StaticPodManifest } from "../static/StaticPodManifest.ts"
import type { PodAdmissionHandler } from "./PodAdmission.ts"
import type { PodKill } from "./PodKill.ts"
import { PodRecord } from "./PodRecord.ts"
import { PodWork } from "./PodWork.ts"

/** Those created in the same second stay as they are. */
const inOrderOfCreation = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<KubeObject> => {
  const at = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ""
  const isSorted = objects.every((object, index) => index === 0 || at(objects[index - 1] ?? object) <= at(object))
  return isSorted
    ? objects
    : objects.toSorted((left, right) => (at(left) < at(right) ? -1 : at(left) > at(right) ? 1 : 0))
}

/** Follows the pods of one node, as the API shows them. */
export class PodLoop {
  private readonly env: Env
  private readonly work: PodWork
  private readonly reflector: Reflector
  /** The kubelet's process is there. */
  private active = false
  /** It has seen the first list. */
  private resumed = false
  /** A list that is still to be gone through. */
  private listed: { readonly objects: ReadonlyArray<KubeObject>; readonly timer: Timer } | undefined

  constructor(
    env: Env,
    host: NodeHost,
    runtime: PodRuntime,
    admission: ReadonlyArray<PodAdmissionHandler>,
    node: () => Node | undefined
  ) {
    this.env = env
    this.work = new PodWork(env, host, runtime, admission, node)
    const selection = { fieldSelector: `spec.nodeName=${env.name}` }
    this.reflector = new Reflector(
      env.connection,
      env.timers,
      "Pod",
      selection,
      { replace: this.replace, apply: this.apply, failed: () => {} },
      env.chance.next
    )
  }

  get all(): Iterable<PodRecord> {
    return this.work.records.values()
  }

  activePods(): ReadonlyArray<Pod> {
    return this.work.activePods()
  }

  /** Ends a pod on the kubelet's own account. */
  kill(uid: string, kill: PodKill): void {
    const record = this.work.records.get(uid)
    if (record !== undefined) this.work.kill(record, kill)
    else if (this.active) kill.done?.("stopped")
  }

  setStaticPods(_manifests: ReadonlyArray<StaticPodManifest>): void {}

  start(): void {
    this.active = true
    this.resumed = false
    this.work.start()
    this.reflector.start()
  }

  stop(): void {
    this.active = false
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
    for (const object of inOrderOfCreation(objects)) {
      missing.delete(object.metadata.uid ?? "")
      this.seen(object as Pod)
    }
    for (const uid of missing) this.unseen(uid)
    if (this.resumed) return
    this.resumed = true
    this.work.resume()
  }

  private readonly apply = (event: WatchEvent): void => {
    this.goThrough()
    if (event.type === "DELETED") this.unseen(event.object.metadata.uid ?? "")
    else this.seen(event.object as Pod)
  }

  private seen(pod: Pod): void {
    const uid = pod.metadata.uid ?? ""
    const record = this.work.records.get(uid)
    if (record === undefined) {
      const added = new PodRecord(this.work, pod)
      this.work.records.set(uid, added)
      this.work.attend(added)
      return
    }
    if (record.pod === pod || isOlder(pod, record.pod)) return
    record.pod = pod
    if (pod.status !== record.status) this.work.differs(record)
    this.work.attend(record)
  }

  private unseen(uid: string): void {
    const record = this.work.records.get(uid)
    if (record === undefined) return
    record.present = false
    this.work.attend(record)
  }
}
