import type { KubeObject, Node, Pod, PodStatus } from "@rollcall/api"
import { Reflector, type WatchEvent } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import { isOlder } from "../internal/revision.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { StaticPodManifest } from "../static/StaticPodManifest.ts"
import { AdmissionQueue } from "./AdmissionQueue.ts"
import {
  type Containers,
  containerExited,
  containerStarted,
  containersCreating,
  containersEnded,
  containersLost,
  containersStarted
} from "./Containers.ts"
import { admitPod, type PodAdmissionHandler, type PodRefusal } from "./PodAdmission.ts"
import { decidePod, hasContainers, type PodDecision } from "./PodDecision.ts"
import type { PodKill } from "./PodKill.ts"
import { isTerminal } from "./PodPhase.ts"
import { holdingPods, type PodKeeper, PodRecord } from "./PodRecord.ts"
import { PodSender } from "./PodSender.ts"
import { podStatusOf, rejectedStatus } from "./PodStatusOf.ts"
import { PodTermination } from "./PodTermination.ts"
import { Restarts } from "./Restarts.ts"

/** Those created in the same second stay as they are. */
const inOrderOfCreation = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<KubeObject> => {
  const at = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ""
  const isSorted = objects.every((object, index) => index === 0 || at(objects[index - 1] ?? object) <= at(object))
  return isSorted
    ? objects
    : objects.toSorted((left, right) => (at(left) < at(right) ? -1 : at(left) > at(right) ? 1 : 0))
}

/** Drives the pods of one node: what the watch shows, what the runtime tells, and what PodDecision makes of both. */
export class PodLoop implements PodKeeper {
  private readonly env: Env
  private readonly host: NodeHost
  private readonly runtime: PodRuntime
  private readonly admission: AdmissionQueue
  private readonly termination: PodTermination
  private readonly records = new Map<string, PodRecord>()
  private readonly sender: PodSender
  private readonly restarts: Restarts
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
    this.host = host
    this.runtime = runtime
    this.admission = new AdmissionQueue(
      (record, decide) => {
        const otherPods = () => holdingPods(this.records.values(), record)
        admitPod(admission, { pod: record.pod, otherPods, node: node() }, decide)
      },
      (record) => this.active && this.records.has(record.pod.metadata.uid ?? "") && this.decide(record) === "start",
      (record, refusal) => this.admitted(record, refusal)
    )
    this.termination = new PodTermination(env, runtime)
    this.sender = new PodSender(env, this.attend)
    this.restarts = new Restarts(env, runtime, (record, containers) => this.restate(record, containers))
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
    return this.records.values()
  }

  activePods(): ReadonlyArray<Pod> {
    return holdingPods(this.records.values(), undefined)
  }

  /** Ends a pod on the kubelet's own account. */
  kill(uid: string, kill: PodKill): void {
    if (!this.active) return
    const record = this.records.get(uid)
    if (record === undefined || !hasContainers(record.stage)) {
      kill.done?.("stopped")
      return
    }
    this.restarts.cancel(record)
    this.termination.kill(record, kill)
  }

  setStaticPods(_manifests: ReadonlyArray<StaticPodManifest>): void {}

  start(): void {
    this.active = true
    this.resumed = false
    this.sender.start()
    for (const record of this.records.values()) record.sending = false
    this.reflector.start()
  }

  stop(): void {
    this.active = false
    this.reflector.stop()
    if (this.listed !== undefined) this.env.timers.cancel(this.listed.timer)
    this.listed = undefined
    this.sender.stop()
    this.admission.clear()
    for (const record of this.records.values()) {
      this.restarts.cancel(record)
      this.termination.abandon(record)
    }
  }

  /** The link is whole again: look now instead of when the back-off ends. */
  relist(): void {
    this.reflector.stop()
    this.reflector.start()
    this.sender.postpone()
  }

  /** The machine lost power, and with it every container. */
  powerOff(): void {
    this.runtime.powerOff()
    for (const record of this.records.values()) {
      // That the kubelet ended it is known to nobody, unless the API was told.
      const forgotten = record.ending?.kill !== undefined && !isTerminal(record.pod.status?.phase)
      if (forgotten && record.stage === "stopped") record.status = record.pod.status ?? record.status
      record.ending = undefined
      record.exits = undefined
      if (!hasContainers(record.stage) && !forgotten) continue
      record.stage = record.containers.regular.some(({ containerID }) => containerID !== undefined) ? "lost" : "new"
    }
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
    const missing = new Set(this.records.keys())
    for (const object of inOrderOfCreation(objects)) {
      missing.delete(object.metadata.uid ?? "")
      this.seen(object as Pod)
    }
    for (const uid of missing) this.unseen(uid)
    if (this.resumed) return
    // What happened while there was no process is told now.
    this.resumed = true
    for (const record of this.records.values()) {
      if (this.env.model.podSyncFromChange) this.sender.later(record)
      else this.sender.send(record)
      this.attend(record)
      if (record.stage === "running") this.restarts.consider(record)
    }
  }

  private readonly apply = (event: WatchEvent): void => {
    this.goThrough()
    if (event.type === "DELETED") this.unseen(event.object.metadata.uid ?? "")
    else this.seen(event.object as Pod)
  }

  private seen(pod: Pod): void {
    const uid = pod.metadata.uid ?? ""
    const record = this.records.get(uid)
    if (record === undefined) {
      const added = new PodRecord(this, pod)
      this.records.set(uid, added)
      this.attend(added)
      return
    }
    if (record.pod === pod || isOlder(pod, record.pod)) return
    record.pod = pod
    if (pod.status !== record.status) this.sender.later(record)
    this.attend(record)
  }

  private unseen(uid: string): void {
    const record = this.records.get(uid)
    if (record === undefined) return
    record.present = false
    this.attend(record)
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

  private readonly attend = (record: PodRecord): void => {
    if (!this.active) return
    switch (this.decide(record)) {
      case "start":
        this.admission.offer(record)
        return
      case "stop":
        this.restarts.cancel(record)
        this.termination.end(record)
        return
      case "finish":
        this.conclude(record, record.stage === "lost" ? record.containers : containersCreating(record.pod), 0)
        return
      case "delete":
        this.sender.delete(record)
        return
      case "forget":
        this.restarts.cancel(record)
        this.records.delete(record.pod.metadata.uid ?? "")
    }
  }

  private admitted(record: PodRecord, refusal: PodRefusal | undefined): void {
    const { pod } = record
    if (refusal !== undefined) {
      record.stage = "rejected"
      record.status = rejectedStatus(pod, refusal.reason, refusal.message, this.env.wallTime())
      this.env.recorder?.event(pod, "Warning", refusal.reason, refusal.message)
      this.sender.send(record)
      return
    }
    if (record.stage === "new" && this.runtime.runs(pod, record)) {
      this.adopt(record)
      return
    }
    // A pod that the API shows with containers, none of which is here, lost them.
    if (record.stage === "new" && pod.status?.containerStatuses !== undefined) record.status = pod.status
    record.stage = "starting"
    this.runtime.start(pod, record)
    if (!this.env.model.reportCreating) return
    const had = record.containers
    this.restate(record, had.regular.length === 0 ? containersCreating(pod) : containersLost(had, this.env.wallTime()))
  }

  /** The containers ran before this kubelet did. */
  private adopt(record: PodRecord): void {
    const { pod } = record
    record.stage = "running"
    record.status = pod.status ?? record.status
    const ready = record.status.conditions?.some(({ status, type }) => type === "Ready" && status === "True")
    if (ready === true) return
    const had = record.containers
    this.restate(record, had.regular.length === 0 ? containersStarted(pod, had, this.env.wallTime()) : had)
  }

  /** Nothing of the pod runs any more: state its end, and see what follows. */
  private conclude(record: PodRecord, containers: Containers, exitCode: number): void {
    record.stage = "stopped"
    if (record.present && (this.env.model.reportTerminal || record.ending?.kill !== undefined)) {
      this.restate(record, containersEnded(containers, exitCode, this.env.wallTime()))
    }
    this.termination.stopped(record)
    this.attend(record)
  }

  started(record: PodRecord, podIP: string): void {
    record.stage = "running"
    this.restate(record, containersStarted(record.pod, record.containers, this.env.wallTime()), podIP)
  }

  containerStarted(record: PodRecord, name: string): void {
    this.restate(record, containerStarted(record.pod, record.containers, name, this.env.wallTime()))
  }

  containerExited(record: PodRecord, name: string, exitCode: number): void {
    if (record.stage !== "running") return
    this.restarts.exited(record, name)
    this.restate(record, containerExited(record.containers, name, exitCode, this.env.wallTime()))
    if (isTerminal(record.status.phase)) {
      record.stage = "stopped"
      this.attend(record)
    } else if (this.active) this.restarts.consider(record)
  }

  stopped(record: PodRecord, exitCode: number): void {
    this.conclude(record, record.containers, exitCode)
  }

  /** Works the pod's status out anew from its containers, and posts it. */
  private restate(record: PodRecord, containers: Containers, podIP: string | undefined = record.status.podIP): void {
    record.status = this.statusOf(record, containers, podIP)
    if (this.active) this.sender.send(record)
  }

  private statusOf(record: PodRecord, containers: Containers, podIP: string | undefined): PodStatus {
    const { pod, stage, status } = record
    const hostIP = this.host.machine().addresses.find(({ type }) => type === "InternalIP")?.address ?? ""
    return podStatusOf(pod, {
      containers,
      previous: status,
      sandbox: stage === "running",
      terminating: stage === "stopped",
      killed: stage === "stopped" ? record.ending?.kill : undefined,
      hostIP,
      podIP: pod.spec.hostNetwork === true ? hostIP : podIP,
      now: this.env.wallTime()
    })
  }
}
