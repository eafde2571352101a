import type { KubeObject, Node, Pod, PodStatus } from "@rollcall/api"
import { Reflector, type WatchEvent } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import { isOlder } from "../internal/revision.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { StaticPodManifest } from "../static/StaticPodManifest.ts"
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
import { decidePod, hasContainers } from "./PodDecision.ts"
import type { PodKill } from "./PodKill.ts"
import { isTerminal } from "./PodPhase.ts"
import { holdingPods, type PodKeeper, PodRecord } from "./PodRecord.ts"
import { PodSender } from "./PodSender.ts"
import { podStatusOf, rejectedStatus } from "./PodStatusOf.ts"
import { Restarts } from "./Restarts.ts"
import { effectiveGrace } from "./TerminationGrace.ts"

/** Drives the pods of one node: what the watch shows, what the runtime tells, and what PodDecision makes of both. */
export class PodLoop implements PodKeeper {
  private readonly env: Env
  private readonly host: NodeHost
  private readonly runtime: PodRuntime
  private readonly admission: ReadonlyArray<PodAdmissionHandler>
  private readonly node: () => Node | undefined
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
    this.admission = admission
    this.node = node
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
    const record = this.records.get(uid)
    if (record === undefined || !hasContainers(record.stage)) kill.done?.("stopped")
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
    for (const record of this.records.values()) this.restarts.cancel(record)
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
      record.graceSeconds = 0
      record.exits = undefined
      if (!hasContainers(record.stage)) continue
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
    for (const object of objects) {
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

  private readonly attend = (record: PodRecord): void => {
    if (!this.active) return
    const decision = decidePod({
      stage: record.stage,
      present: record.present,
      deleting: record.pod.metadata.deletionTimestamp !== undefined,
      terminal: isTerminal(record.pod.status?.phase),
      reportTerminal: this.env.model.reportTerminal
    })
    switch (decision) {
      case "start":
        this.begin(record)
        return
      case "stop":
        this.end(record)
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

  private begin(record: PodRecord): void {
    const { pod } = record
    const otherPods = () => holdingPods(this.records.values(), record)
    admitPod(this.admission, { pod, otherPods, node: this.node() }, (refusal) => this.admitted(record, refusal))
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

  private end(record: PodRecord): void {
    const { metadata, spec } = record.pod
    const grace = effectiveGrace({
      previousSeconds: record.graceSeconds,
      deletionSeconds: metadata.deletionGracePeriodSeconds,
      overrideSeconds: undefined,
      specSeconds: spec.terminationGracePeriodSeconds
    })
    if (record.stage === "stopping" && !grace.shortened) return
    record.stage = "stopping"
    record.graceSeconds = grace.seconds
    this.restarts.cancel(record)
    this.runtime.stop(record.pod, grace.seconds, record)
  }

  /** Nothing of the pod runs any more: state its end, and see what follows. */
  private conclude(record: PodRecord, containers: Containers, exitCode: number): void {
    record.stage = "stopped"
    if (record.present && this.env.model.reportTerminal) {
      this.restate(record, containersEnded(containers, exitCode, this.env.wallTime()))
    }
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
      hostIP,
      podIP: pod.spec.hostNetwork === true ? hostIP : podIP,
      now: this.env.wallTime()
    })
  }
}
