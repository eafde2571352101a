import { isNodeReady, type Node } from "@rollcall/api"
import { type Answer, isOlder } from "@rollcall/cluster"
import { guarded } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { NodeEventRecorder } from "./NodeEventRecorder.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import { nodePatch } from "./NodePatch.ts"
import type { NodeSetters } from "./NodeSetters.ts"
import type { ComputedNode } from "./NodeStatusOf.ts"
import { RegistrationLoop } from "./RegistrationLoop.ts"
import { noReports } from "./Report.ts"
import { nodeStatusChanged } from "./StatusChanged.ts"
import {
  beginStatusPass,
  type StatusPass,
  type StatusPassStep,
  statusAttemptFailed,
  statusComputed,
  statusPatched
} from "./StatusPass.ts"
import { StatusSchedule } from "./StatusSchedule.ts"

const podCIDRsOf = ({ spec }: Node): string => spec?.podCIDRs?.join(",") ?? ""

/**
 * Maintains the Node's status: registers the Node, then posts changes, or everything when the report period has
 * passed. Upstream: pkg/kubelet/kubelet_node_status.go syncNodeStatus, updateNodeStatus, tryUpdateNodeStatus.
 */
export class NodeStatusUpdater {
  private readonly env: Env
  private readonly setters: NodeSetters
  private readonly inputs: NodeInputs
  private readonly runtime: Pick<PodRuntime, "setPodCIDR">
  private readonly schedule: StatusSchedule
  /** The podCIDR of the last status: a new one is posted at once. */
  private podCIDR = ""
  /** The Node as last shown by the watch, or by an answer to this kubelet. */
  private node: Node | undefined
  private registration: RegistrationLoop | undefined
  private history = noReports
  private passing = false
  /** The next update posts in any case. */
  private forced = false
  /** The last update found that the known Node is up to date. */
  private settled = false
  private fast = false
  private eventRecorder: NodeEventRecorder | undefined
  private turn = 0
  private trouble: string | undefined

  constructor(env: Env, setters: NodeSetters, inputs: NodeInputs, runtime: Pick<PodRuntime, "setPodCIDR">) {
    this.env = env
    this.setters = setters
    this.inputs = inputs
    this.runtime = runtime
    this.schedule = new StatusSchedule(env, this.pass)
  }

  /** Why the node is not registered yet; undefined: it is, or this kubelet does not register it. */
  get unregistered(): string | undefined {
    return this.registration?.problem
  }

  /** Why the last post of the status failed; undefined: it succeeded. */
  get problem(): string | undefined {
    return this.trouble
  }

  get cachedNode(): Node | undefined {
    return this.node
  }

  start(): void {
    const { config, name, recorder } = this.env
    this.schedule.start()
    this.node = undefined
    this.trouble = undefined
    this.settled = false
    this.history = noReports
    this.fast = true
    this.eventRecorder = recorder === undefined ? undefined : new NodeEventRecorder(recorder, name)
    if (!config.registerNode) {
      this.pass()
      return
    }
    this.registration = new RegistrationLoop(this.env, this.setters, (node, created) => {
      this.registration = undefined
      // New conditions count as changed from Unknown.
      if (created) {
        const recordEvents = () => this.eventRecorder?.record(node, this.setters.computed({ ...node, status: {} }))
        guarded(this.env.timers, "node status", recordEvents)
      }
      this.node ??= node
      this.pass()
    })
  }

  stop(): void {
    this.turn++
    this.registration?.cancel()
    this.registration = undefined
    this.passing = false
    this.schedule.cancel()
  }

  /** The watch shows the Node, or its deletion. */
  seen(node: Node | undefined): void {
    const before = this.node
    if (node !== undefined && before !== undefined && isOlder(node, before)) return
    this.node = node
    if (node !== undefined) this.runtime.setPodCIDR(podCIDRsOf(node))
    if (this.registration !== undefined || this.passing) return
    // The kubelet's own report, or a change outside the status (a taint, a foreign label).
    const same =
      before?.status === node?.status &&
      before?.metadata.labels === node?.metadata.labels &&
      before?.spec?.podCIDRs === node?.spec?.podCIDRs &&
      this.eventRecorder?.isDue(node) !== true
    if (same) return
    this.settled = false
    this.plan()
  }

  /** An input of the status has changed. */
  inputsChanged(): void {
    if (this.registration !== undefined || this.passing) return
    if (this.env.model.statusAtOnce) this.passNow(false)
    else {
      this.settled = false
      this.plan()
    }
  }

  /** Starts an update at once; `forced`: it posts even without a change. A registration in progress goes first. */
  passNow(forced: boolean): void {
    if (this.registration !== undefined) return
    this.turn++
    this.schedule.leaveGrid()
    this.forced = forced
    this.pass()
  }

  private readonly pass = (): void => {
    this.schedule.cancel()
    this.passing = true
    this.run(beginStatusPass(this.history))
  }

  /** An exception ends the update: the next one follows after the usual period, whether something is due or not. */
  private failed(error: unknown): void {
    const { name, timers } = this.env
    timers.handleError("node status", error, { node: name })
    this.turn++
    this.passing = false
    this.settled = false
    this.schedule.retry()
  }

  private run(step: StatusPassStep, read?: Node, computed?: Node): void {
    try {
      this.act(step, read, computed)
    } catch (error) {
      this.failed(error)
    }
  }

  private act({ action, heartbeatFailure, state }: StatusPassStep, read?: Node, computed?: Node): void {
    const { connection, name, onHeartbeatFailure } = this.env
    if (heartbeatFailure) onHeartbeatFailure?.()
    switch (action.type) {
      case "readCache":
        // A forced update needs the current Node, not the one that the watch had before the link was cut.
        if (this.forced) this.readApi(state)
        else if (this.node === undefined) this.attemptFailed(state, this.gettingFailed(`node "${name}" not found`))
        else this.compute(state, this.node)
        return
      case "readApi":
        this.readApi(state)
        return
      case "patch": {
        const body = read === undefined || computed === undefined ? {} : nodePatch(read, computed)
        const about = { verb: "patch", kind: "Node", name, subresource: "status" } as const
        const posted = (node: Node) => {
          if (this.node === undefined || !isOlder(node, this.node)) this.node = node
          this.settled = this.node === node && !nodeStatusChanged(node.status ?? {}, computed?.status ?? {})
          this.run(statusPatched(state, this.env.timers.now()))
        }
        const failed = (message: string) =>
          `failed to patch status ${JSON.stringify(JSON.stringify(body))} for node "${name}": ${message}`
        connection.send({ ...about, patchType: "strategic", body }, this.hears(state, posted, failed))
        return
      }
      case "end":
        this.history = state.history
        this.passing = false
        if (action.patched) this.forced = false
        if (action.failed) {
          this.env.log("error", "Unable to update node status", { err: "update node status exceeds retry count" })
        } else this.trouble = undefined
        this.schedule.settle()
        this.plan()
    }
  }

  private readApi(state: StatusPass): void {
    const { connection, name } = this.env
    connection.send(
      { verb: "get", kind: "Node", name },
      this.hears(state, (node) => this.compute(state, node), this.gettingFailed)
    )
  }

  private readonly gettingFailed = (message: string): string => `error getting node "${this.env.name}": ${message}`

  private attemptFailed(state: StatusPass, err: string): void {
    this.trouble = err
    this.env.log("error", "Error updating node status, will retry", { err })
    this.run(statusAttemptFailed(state))
  }

  private hears(
    state: StatusPass,
    listen: (node: Node) => void,
    failed: (message: string) => string
  ): (answer: Answer) => void {
    const { turn } = this
    return (answer) => {
      if (turn !== this.turn) return
      try {
        if (Result.isSuccess(answer)) listen(answer.success as Node)
        else this.attemptFailed(state, failed(answer.failure.message))
      } catch (error) {
        this.failed(error)
      }
    }
  }

  private compute(state: StatusPass, read: Node): void {
    const { chance, config, timers } = this.env
    const cidrs = podCIDRsOf(read)
    this.runtime.setPodCIDR(cidrs)
    const computed = this.setters.computed(read)
    this.eventRecorder?.record(read, computed)
    const changed = this.forced || this.differs(read, computed)
    this.settled = !changed && read === this.node
    if (cidrs !== "") this.podCIDR = cidrs
    const frequencyMs = config.nodeStatusReportFrequencyMs
    this.run(statusComputed(state, changed, timers.now(), frequencyMs, chance.next), read, computed.node)
  }

  private differs(read: Node, { node, relabelled }: ComputedNode): boolean {
    const cidrs = podCIDRsOf(read)
    if (relabelled || (cidrs !== "" && cidrs !== this.podCIDR)) return true
    return nodeStatusChanged(read.status ?? {}, node.status ?? {})
  }

  private plan(): void {
    try {
      const now = this.env.timers.now()
      const dueMs = this.dueMs(now)
      this.schedule.plan(dueMs, this.readyMs(now))
    } catch (error) {
      this.failed(error)
    }
  }

  /** The first time from which an update would find something to do. */
  private dueMs(now: number): number {
    const { node } = this
    // Without a Node every update runs, and fails: a kubelet does not register twice.
    if (node === undefined || this.forced || !(this.settled || this.asWanted(node))) return now
    if (this.inputs.isShuttingDown) return now
    const { delayMs, lastReportMs } = this.history
    if (lastReportMs === undefined) return now
    const reportMs = lastReportMs + this.env.config.nodeStatusReportFrequencyMs + delayMs
    return Math.max(now, Math.min(reportMs, this.inputs.nextChangeMs(now)))
  }

  private asWanted(node: Node): boolean {
    this.settled = !this.differs(node, this.setters.computed(node)) && this.eventRecorder?.isDue(node) !== true
    return this.settled
  }

  /** From when on a fast check finds the node ready; Infinity: none runs. */
  private readyMs(now: number): number {
    const { node } = this
    if (!this.fast || node === undefined || this.env.model.statusJitter === 0) return Number.POSITIVE_INFINITY
    if (isNodeReady(node)) {
      this.fast = false
      return Number.POSITIVE_INFINITY
    }
    return isNodeReady(this.setters.computed(node).node) ? now : this.inputs.nextChangeMs(now)
  }
}
