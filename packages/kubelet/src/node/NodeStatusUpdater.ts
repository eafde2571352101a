import type { Node } from "@rollcall/api"
import type { JsonMap } from "@rollcall/api/patch"
import { type Answer, type ApiRequest, isOlder, noLog } from "@rollcall/cluster"
import { guarded, type Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { ReadyChecks } from "./FastStatus.ts"
import { alikeReports, postUnchanged } from "./Heartbeats.ts"
import { NodeEventRecorder } from "./NodeEventRecorder.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import { nodePatch } from "./NodePatch.ts"
import type { NodeSetters } from "./NodeSetters.ts"
import { RegistrationLoop } from "./RegistrationLoop.ts"
import { nextReportMs, noReports, type ReportHistory } from "./Report.ts"
import { joinedPodCIDRs, needsPost, nodeStatusChanged } from "./StatusChanged.ts"
import {
  beginStatusPass,
  type StatusPass,
  type StatusPassStep,
  statusAttemptFailed,
  statusComputed,
  statusPatched,
  statusReadsTimedOut
} from "./StatusPass.ts"
import { type ReportSource, StatusSchedule } from "./StatusSchedule.ts"
import { patchErrorText, readErrorText, tooManyRetries } from "./statusErrors.ts"

/**
 * Maintains the Node's status: registers the Node, and then posts its changes, and also an unchanged status when the
 * report period has passed. Upstream: pkg/kubelet/kubelet_node_status.go syncNodeStatus, updateNodeStatus,
 * tryUpdateNodeStatus.
 */
export class NodeStatusUpdater implements ReportSource {
  private readonly env: Env
  private readonly setters: NodeSetters
  private readonly inputs: NodeInputs
  private readonly runtime: Pick<PodRuntime, "setPodCIDR">
  private readonly schedule: StatusSchedule
  /** The pod ranges of the Node of the last update, comma-joined. An update that sees others posts the status. */
  private podCIDR = ""
  /** The Node as last shown by the watch, or by an answer to this kubelet; undefined while none is known. */
  private node: Node | undefined
  private registration: RegistrationLoop | undefined
  private history = noReports
  /** Whether an update runs, and whether the Node or an input has changed since it began. */
  private pass: "none" | "running" | "outdated" = "none"
  /** Whether the next update posts the status even if it has not changed. */
  private mustPost = false
  /** Whether the last update found that the known Node is up to date. */
  private isUpToDate = false
  /** The first time after the last plan at which an input of the status changes by itself. */
  private changesAtMs = 0
  private readonly readyChecks: ReadyChecks
  private eventRecorder: NodeEventRecorder | undefined
  /** The number of the current update. Answers to an update with another number are ignored. */
  private passNumber = 0
  /** The stay of the update's reads at a cut link, and the timer of its end. */
  private cut: { readonly end: () => void; readonly timer: Timer } | undefined
  /** The error of the last update of the status; undefined if it succeeded. */
  problem: (() => string) | undefined

  constructor(env: Env, setters: NodeSetters, inputs: NodeInputs, runtime: Pick<PodRuntime, "setPodCIDR">) {
    this.env = env
    this.setters = setters
    this.inputs = inputs
    this.runtime = runtime
    this.schedule = new StatusSchedule(env, this.handleDue)
    this.readyChecks = new ReadyChecks(env, setters, inputs)
  }

  /** Why the node is not registered yet; undefined if it is, or if this kubelet does not register it. */
  get registrationProblem(): string | undefined {
    return this.registration?.problem
  }

  get cachedNode(): Node | undefined {
    this.schedule.makeNode()
    return this.node
  }

  start(): void {
    const { config, name, recorder } = this.env
    this.schedule.start()
    this.node = undefined
    this.problem = undefined
    this.isUpToDate = false
    this.history = noReports
    this.readyChecks.start()
    this.eventRecorder = recorder === undefined ? undefined : new NodeEventRecorder(recorder, name)
    if (!config.registerNode) {
      this.startPass()
      return
    }
    this.registration = new RegistrationLoop(this.env, this.setters, (node) => {
      this.registration = undefined
      // The conditions that a process registers with count as changed from Unknown, also if the Node has them already.
      const recordEvents = () => this.eventRecorder?.recordFirst(this.setters.computed({ ...node, status: {} }))
      guarded(this.env.timers, "node status", recordEvents)
      this.node ??= node
      this.startPass()
    })
  }

  stop(): void {
    this.abandonPass()
    this.registration?.cancel()
    this.registration = undefined
    this.pass = "none"
    this.schedule.cancel()
  }

  /** Handles a version of the Node from the watch; undefined after its deletion. */
  nodeChanged(node: Node | undefined): void {
    const before = this.node
    if (node !== undefined && before !== undefined && isOlder(node, before)) return
    this.node = node
    if (node !== undefined) this.runtime.setPodCIDR(joinedPodCIDRs(node))
    if (this.isBusy()) return
    // Identity suffices: versions of an object share what has not changed. A taint, for example, is irrelevant.
    const isIrrelevant =
      before?.status === node?.status &&
      before?.metadata.labels === node?.metadata.labels &&
      before?.spec?.podCIDRs === node?.spec?.podCIDRs &&
      this.eventRecorder?.isDue(node) !== true
    if (isIrrelevant) return
    this.isUpToDate = false
    this.scheduleNext()
  }

  /** Whether a registration or an update runs: a change is then handled when that ends. */
  private isBusy(): boolean {
    if (this.pass === "running") this.pass = "outdated"
    return this.registration !== undefined || this.pass !== "none"
  }

  /** Handles a changed input of the status: posts it with the next update or, if the model says so, at once. */
  inputsChanged(): void {
    this.schedule.leaveColumns()
    if (this.isBusy()) return
    if (this.env.model.statusAtOnce) this.passNow(false)
    else {
      this.isUpToDate = false
      this.scheduleNext()
    }
  }

  /** Starts an update at once, unless the Node is being registered. With `mustPost` it posts an unchanged status too. */
  passNow(mustPost: boolean): void {
    if (this.registration !== undefined) return
    this.abandonPass()
    this.schedule.leaveGrid()
    this.mustPost = mustPost
    this.startPass()
  }

  private readonly handleDue = (): void => this.contain(() => void (this.postUnchanged() || this.startPass()))

  /** Posts the status without a pass, if the last one found it up to date and nothing can have changed it since. */
  private postUnchanged(): boolean {
    const { env, history, inputs, node } = this
    const now = env.timers.now()
    const isSettled = this.isUpToDate && !this.mustPost && !this.readyChecks.areOn && now < this.changesAtMs
    if (node === undefined || !isSettled || this.eventRecorder?.isDue(node) === true) return false
    const posted = postUnchanged({ env, history, inputs, node, now })
    if (posted === undefined) return false
    this.node = posted
    this.history = { lastReportMs: now, delayMs: 0 }
    this.schedule.updateEnded()
    this.scheduleNext()
    return true
  }

  reportMade(node: Node): void {
    this.node = node
  }

  reportsLeft(lastReportMs: number): void {
    this.history = { lastReportMs, delayMs: 0 }
  }

  /** Takes the reports out of columns, before anything changes that one depends on. */
  leaveColumns(): void {
    this.schedule.leaveColumns()
  }

  private readonly startPass = (): void => {
    this.schedule.cancel()
    this.pass = "running"
    this.run(beginStatusPass(this.history))
  }

  /** Acts. An exception ends the update: the next one follows after the usual period, even if nothing is due then. */
  private contain(act: () => void): void {
    const { name, timers } = this.env
    try {
      act()
    } catch (error) {
      timers.handleError("node status", error, { node: name })
      this.abandonPass()
      this.pass = "none"
      this.isUpToDate = false
      this.schedule.retry()
    }
  }

  private run(step: StatusPassStep, read?: Node, computed?: Node): void {
    this.contain(() => this.act(step, read, computed))
  }

  private act({ action, heartbeatFailure, state }: StatusPassStep, read?: Node, computed?: Node): void {
    const { connection, name, onHeartbeatFailure } = this.env
    if (heartbeatFailure) onHeartbeatFailure?.()
    switch (action.type) {
      case "readCache":
        // A forced update needs the current Node, not the one that the watch had before the link was cut.
        if (this.mustPost) this.readApi(state)
        else if (this.node === undefined)
          this.attemptFailed(state, () => readErrorText(name)(`node "${name}" not found`))
        else this.compute(state, this.node)
        return
      case "readApi":
        if (!this.waitsForLink(state)) this.readApi(state)
        return
      case "patch": {
        const target = { verb: "patch", kind: "Node", name, subresource: "status" } as const
        const onPatched = (node: Node) => {
          if (this.node === undefined || !isOlder(node, this.node)) this.node = node
          this.isUpToDate = this.node === node && !nodeStatusChanged(node.status ?? {}, computed?.status ?? {})
          this.run(statusPatched(state, this.env.timers.now()))
        }
        // Made when it is sent: on a cut link it never is.
        let made: JsonMap | undefined
        const body = () => {
          made ??= read === undefined || computed === undefined ? {} : nodePatch(read, computed)
          return made
        }
        const request = {
          ...target,
          patchType: "strategic",
          get body() {
            return body()
          }
        } as const
        connection.send(request, this.handleAnswer(state, onPatched, patchErrorText(name, body)))
        return
      }
      case "end":
        if (action.patched) this.mustPost = false
        if (action.failed) this.env.log("error", "Unable to update node status", tooManyRetries)
        this.endPass(state.history, action.failed)
    }
  }

  private endPass(history: ReportHistory, hasFailed = false): void {
    this.history = history
    if (this.pass === "outdated") this.isUpToDate = false
    this.pass = "none"
    if (!hasFailed) this.problem = undefined
    this.schedule.updateEnded()
    this.scheduleNext(hasFailed)
  }

  private readApi(state: StatusPass): void {
    this.env.connection.send(this.readRequest, this.handleRead(state))
  }

  private get readRequest(): ApiRequest {
    return { verb: "get", kind: "Node", name: this.env.name }
  }

  private handleRead(state: StatusPass) {
    return this.handleAnswer(state, (node) => this.compute(state, node), readErrorText(this.env.name))
  }

  /** Leaves this read and those after it to be computed if the link is cut: all of them time out. */
  private waitsForLink(first: StatusPass): boolean {
    const { connection, log, model, name, onHeartbeatFailure, timers } = this.env
    if (log !== noLog || onHeartbeatFailure !== undefined || model.statusJitter === 0) return false
    const sentAtMs = timers.now()
    const waiting = (nowMs: number) => statusReadsTimedOut(first, sentAtMs, cut?.timeoutMs ?? 0, nowMs)
    const cut = connection.heartbeats?.enterCut?.(() => {
      this.endCut()
      const read = waiting(timers.now())
      cut?.sendFrom(read.sentAtMs, this.readRequest, this.handleRead(read.state))
    })
    if (cut === undefined) return false
    const last = waiting(Number.POSITIVE_INFINITY)
    const err = () => readErrorText(name)(cut.error.message)
    const timer = timers.at(last.sentAtMs + cut.timeoutMs, () => {
      this.endCut()
      this.contain(() => this.attemptFailed(last.state, err))
    })
    this.cut = { end: cut.end, timer }
    return true
  }

  private endCut(): void {
    const { cut, env } = this
    if (cut === undefined) return
    cut.end()
    env.timers.cancel(cut.timer)
    this.cut = undefined
  }

  /** Ends the update in flight, if any. */
  private abandonPass(): void {
    this.passNumber++
    this.endCut()
  }

  private attemptFailed(state: StatusPass, err: () => string): void {
    this.problem = err
    if (this.env.log !== noLog) this.env.log("error", "Error updating node status, will retry", { err: err() })
    this.run(statusAttemptFailed(state))
  }

  /** Returns a request's callback: it passes the Node to `onNode`, or fails the attempt with `errorText`'s text. */
  private handleAnswer(state: StatusPass, onNode: (node: Node) => void, errorText: (message: string) => string) {
    const { passNumber } = this
    return (answer: Answer): void => {
      if (passNumber !== this.passNumber) return
      this.contain(() => {
        if (Result.isSuccess(answer)) onNode(answer.success as Node)
        else this.attemptFailed(state, () => errorText(answer.failure.message))
      })
    }
  }

  private compute(state: StatusPass, read: Node): void {
    const { random, config, timers } = this.env
    const cidrs = joinedPodCIDRs(read)
    this.runtime.setPodCIDR(cidrs)
    const computed = this.setters.computed(read)
    this.eventRecorder?.record(read, computed)
    const changed = this.mustPost || needsPost(read, computed, this.podCIDR)
    this.isUpToDate = !changed && read === this.node
    if (cidrs !== "") this.podCIDR = cidrs
    const frequencyMs = config.nodeStatusReportFrequencyMs
    this.run(statusComputed(state, changed, timers.now(), frequencyMs, random.next), read, computed.node)
  }

  /** Plans the next update. After one that has failed, its report may not enter columns: the link is probably cut. */
  private scheduleNext(hasFailed = false): void {
    const now = this.env.timers.now()
    this.contain(() => {
      const dueMs = this.nextDueMs(now)
      const readyMs = this.readyChecks.nextMs(this.node, now)
      const { env, eventRecorder, history, inputs, node } = this
      const isAtRest =
        !hasFailed &&
        this.isUpToDate &&
        !this.mustPost &&
        !this.readyChecks.areOn &&
        eventRecorder?.isDue(node) !== true
      const reports = isAtRest && node !== undefined ? alikeReports({ env, history, inputs, node, now }) : undefined
      if (reports === undefined || !this.schedule.enterColumns(reports, dueMs, this)) this.schedule.plan(dueMs, readyMs)
    })
  }

  /** Returns the first time from which an update would find something to do; `now` if one would do so already. */
  private nextDueMs(now: number): number {
    const { node } = this
    // Without a Node every update runs and fails, because a kubelet registers only once.
    if (node === undefined || this.mustPost) return now
    this.isUpToDate ||=
      !needsPost(node, this.setters.computed(node), this.podCIDR) && this.eventRecorder?.isDue(node) !== true
    if (!this.isUpToDate || this.inputs.isShuttingDown) return now
    const reportMs = nextReportMs(this.history, this.env.config.nodeStatusReportFrequencyMs)
    if (reportMs === undefined) return now
    this.changesAtMs = this.inputs.nextChangeMs(now)
    return Math.max(now, Math.min(reportMs, this.changesAtMs))
  }
}
