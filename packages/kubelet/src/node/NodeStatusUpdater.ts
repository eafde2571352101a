import type { Node } from "@rollcall/api"
import { type CutStay, isOlder, withHeartbeatTimes } from "@rollcall/cluster"
import { guarded } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { type CutReports, type CutUpdate, CutUpdates } from "./CutUpdates.ts"
import { ReadyChecks } from "./FastStatus.ts"
import { alikeReports, dueReport, postReport } from "./Heartbeats.ts"
import { NodeEventRecorder } from "./NodeEventRecorder.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import type { NodeSetters } from "./NodeSetters.ts"
import { RegistrationLoop } from "./RegistrationLoop.ts"
import { nextReportMs, noReports, type ReportHistory } from "./Report.ts"
import { joinedPodCIDRs, needsPost, nodeStatusChanged } from "./StatusChanged.ts"
import { type ReportSource, StatusSchedule } from "./StatusSchedule.ts"
import { StatusUpdate, type StatusUpdateOwner } from "./StatusUpdate.ts"
import { readErrorText } from "./statusErrors.ts"

/**
 * Maintains the Node's status: registers the Node, and then posts its changes, and also an unchanged status when the
 * report period has passed. Upstream: pkg/kubelet/kubelet_node_status.go syncNodeStatus, updateNodeStatus,
 * tryUpdateNodeStatus.
 */
export class NodeStatusUpdater implements ReportSource, StatusUpdateOwner {
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
  private isForced = false
  /** Whether the last update found that the known Node is up to date. */
  private isUpToDate = false
  /** The first time after the last plan at which an input of the status changes by itself. */
  private changesAtMs = 0
  private readonly readyChecks: ReadyChecks
  private eventRecorder: NodeEventRecorder | undefined
  private readonly update: StatusUpdate
  private readonly cut: CutUpdates

  constructor(env: Env, setters: NodeSetters, inputs: NodeInputs, runtime: Pick<PodRuntime, "setPodCIDR">) {
    this.env = env
    this.setters = setters
    this.inputs = inputs
    this.runtime = runtime
    this.schedule = new StatusSchedule(env, this.handleDue)
    this.update = new StatusUpdate(env, this)
    this.cut = new CutUpdates(env, (...stay) => this.contain(() => this.continueAt(...stay)))
    this.readyChecks = new ReadyChecks(env, setters, inputs)
  }

  /** Why the node is not registered yet; undefined if it is, or if this kubelet does not register it. */
  get registrationProblem(): string | undefined {
    return this.registration?.problem
  }

  /** The error of the last update of the status; undefined if it succeeded. */
  get problem(): (() => string) | undefined {
    this.cut.leave()
    return this.update.problem
  }

  get cachedNode(): Node | undefined {
    this.schedule.makeNode()
    return this.node
  }

  start(): void {
    const { config, name, recorder } = this.env
    this.schedule.start()
    this.node = undefined
    this.update.problem = undefined
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
    this.cut.end()
    this.update.abandon()
    this.registration?.cancel()
    this.registration = undefined
    this.pass = "none"
    this.schedule.cancel()
  }

  /** Handles a version of the Node from the watch; undefined after its deletion. */
  nodeChanged(node: Node | undefined): void {
    this.cut.leave()
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
    this.leaveColumns()
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
    this.cut.leave()
    this.update.abandon()
    this.schedule.leaveGrid()
    this.isForced = mustPost
    this.startPass()
  }

  private readonly handleDue = (): void => this.contain(() => void (this.handleReport() || this.startPass()))

  /** Whether the last update found the status up to date, and nothing can have changed it since. */
  private get isSettled(): boolean {
    const { env, eventRecorder, node } = this
    if (!this.isUpToDate || this.isForced || this.readyChecks.areOn) return false
    return env.timers.now() < this.changesAtMs && eventRecorder?.isDue(node) !== true
  }

  /** Posts the report of a settled status without a pass. Over a cut link, it and those after it are left to be computed. */
  private handleReport(): boolean {
    const { changesAtMs, cut, env, history, inputs, node, schedule } = this
    const now = env.timers.now()
    const report = node && this.isSettled ? dueReport({ env, history, inputs, node, now }) : undefined
    if (node === undefined || report === undefined) return false
    const { cadence, runningGrid: grid } = schedule
    const isAtRest = changesAtMs === Number.POSITIVE_INFINITY && grid !== undefined
    const dueMs = nextReportMs({ ...history, delayMs: 0 }, env.config.nodeStatusReportFrequencyMs) ?? now
    if (isAtRest && cut.enter({ node, report, grid, cadence, dueMs })) return true
    const posted = postReport(env, node, report)
    if (posted === undefined) return false
    this.node = posted
    this.history = { lastReportMs: now, delayMs: 0 }
    this.schedule.updateEnded()
    this.scheduleNext()
    return true
  }

  /** Continues updates over a cut link whose requests have timed out. */
  private continueAt({ dueMs, node, report }: CutReports, at: CutUpdate, stay: CutStay): void {
    const { env, schedule, update } = this
    const { attempt, grid, hasEnded, sentAtMs } = at
    const state = { history: { ...this.history, delayMs: 0 }, attempt: attempt ?? 0 }
    if (hasEnded) {
      this.history = state.history
      update.problem = () => readErrorText(env.name)(stay.error.message)
    }
    schedule.continueAt(grid, attempt !== undefined)
    if (attempt === undefined) {
      schedule.plan(Math.max(grid.atMs, dueMs), Number.POSITIVE_INFINITY)
      return
    }
    this.pass = "running"
    update.resume(state, sentAtMs, stay, node, withHeartbeatTimes(node, report, env.wallTime(grid.atMs)))
  }

  reportMade(node: Node): void {
    this.node = node
  }

  reportsLeft(lastReportMs: number): void {
    this.history = { lastReportMs, delayMs: 0 }
  }

  /** Takes the reports out of columns, before anything changes that one depends on. */
  leaveColumns(): void {
    this.cut.leave()
    this.schedule.leaveColumns()
  }

  private readonly startPass = (): void => {
    this.schedule.cancel()
    this.pass = "running"
    this.update.begin(this.history)
  }

  /** Acts. An exception ends the update: the next one follows after the usual period, even if nothing is due then. */
  contain(act: () => void): void {
    const { name, timers } = this.env
    try {
      act()
    } catch (error) {
      timers.handleError("node status", error, { node: name })
      this.update.abandon()
      this.pass = "none"
      this.isUpToDate = false
      this.schedule.retry()
    }
  }

  known(): Node | undefined {
    return this.node
  }

  mustPost(): boolean {
    return this.isForced
  }

  patched(answer: Node, computed: Node): void {
    if (this.node === undefined || !isOlder(answer, this.node)) this.node = answer
    this.isUpToDate = this.node === answer && !nodeStatusChanged(answer.status ?? {}, computed.status ?? {})
  }

  ended(history: ReportHistory, wasPatched: boolean, hasFailed: boolean): void {
    if (wasPatched) this.isForced = false
    this.history = history
    if (this.pass === "outdated") this.isUpToDate = false
    this.pass = "none"
    this.schedule.updateEnded()
    this.scheduleNext(hasFailed)
  }

  computed(read: Node): { readonly node: Node; readonly isChanged: boolean } {
    const cidrs = joinedPodCIDRs(read)
    this.runtime.setPodCIDR(cidrs)
    const computed = this.setters.computed(read)
    this.eventRecorder?.record(read, computed)
    const isChanged = this.isForced || needsPost(read, computed, this.podCIDR)
    this.isUpToDate = !isChanged && read === this.node
    if (cidrs !== "") this.podCIDR = cidrs
    return { node: computed.node, isChanged }
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
        !this.isForced &&
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
    if (node === undefined || this.isForced) return now
    this.isUpToDate ||=
      !needsPost(node, this.setters.computed(node), this.podCIDR) && this.eventRecorder?.isDue(node) !== true
    if (!this.isUpToDate || this.inputs.isShuttingDown) return now
    const reportMs = nextReportMs(this.history, this.env.config.nodeStatusReportFrequencyMs)
    if (reportMs === undefined) return now
    this.changesAtMs = this.inputs.nextChangeMs(now)
    return Math.max(now, Math.min(reportMs, this.changesAtMs))
  }
}
