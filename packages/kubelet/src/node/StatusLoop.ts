import { isNodeReady, type Node } from "@rollcall/api"
import { type Answer, isOlder } from "@rollcall/cluster"
import { guarded, type Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import type { Machine, NodeHost } from "../runtime/NodeHost.ts"
import { fastLookAfter } from "./FastStatus.ts"
import { initialNode, nodeInCloud } from "./InitialNode.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import { nodePatch } from "./NodePatch.ts"
import { type ComputedNode, computeNode } from "./NodeStatusOf.ts"
import { NodeTeller } from "./NodeTeller.ts"
import { RegistrationLoop } from "./RegistrationLoop.ts"
import { noReports } from "./Report.ts"
import { type NodeSetting, nodeSetting } from "./StaticStatus.ts"
import { nodeStatusChanged } from "./StatusChanged.ts"
import { gridFrom, type StatusGrid } from "./StatusGrid.ts"
import {
  beginStatusPass,
  type StatusPass,
  type StatusPassStep,
  statusAttemptFailed,
  statusComputed,
  statusPatched
} from "./StatusPass.ts"

const podCIDRsOf = ({ spec }: Node): string => spec?.podCIDRs?.join(",") ?? ""

/**
 * Drives the status of the Node: registers it, then posts what changes, or everything once the report period is over.
 * Passes that would find nothing to do are not made (StatusGrid says how and why that changes nothing).
 */
export class StatusLoop {
  private readonly env: Env
  private readonly host: NodeHost
  private readonly inputs: NodeInputs
  private readonly onPodCIDR: (cidrs: string) => void
  /** What the last status was made with: another one is posted at once. */
  private podCIDR = ""
  /** What the network has. */
  private networkCIDR = ""
  /** The Node as the watch, or an answer to this kubelet, last showed it. */
  private node: Node | undefined
  private setting: NodeSetting | undefined
  private registration: RegistrationLoop | undefined
  private history = noReports
  private grid: StatusGrid = { atMs: 0, seed: 0 }
  private timer: Timer | undefined
  private passing = false
  /** The pass is a look of the grid, from whose end the next look is counted. */
  private onGrid = false
  /** The next pass posts whatever it finds. */
  private forced = false
  /** The Node as it is known is as this kubelet would have it: the last pass has looked. */
  private settled = false
  private startedAtMs = 0
  private fast = false
  private teller: NodeTeller | undefined
  private turn = 0
  private trouble: string | undefined

  constructor(env: Env, host: NodeHost, inputs: NodeInputs, onPodCIDR: (cidrs: string) => void) {
    this.env = env
    this.host = host
    this.inputs = inputs
    this.onPodCIDR = onPodCIDR
  }

  /** Why the node is not registered yet; undefined: it is, or this kubelet does not register it. */
  get unregistered(): string | undefined {
    return this.registration?.problem
  }

  /** Why the status could not be posted when that was last tried; undefined: it could. */
  get problem(): string | undefined {
    return this.trouble
  }

  get cachedNode(): Node | undefined {
    return this.node
  }

  start(): void {
    const { chance, config, name, recorder, timers } = this.env
    this.startedAtMs = timers.now()
    this.grid = { atMs: this.startedAtMs, seed: chance.seed }
    chance.next()
    this.node = undefined
    this.trouble = undefined
    this.settled = false
    this.history = noReports
    this.fast = true
    this.onGrid = true
    this.teller = recorder === undefined ? undefined : new NodeTeller(recorder, name)
    if (!config.registerNode) {
      this.pass()
      return
    }
    const recreated = () => this.host.machine().recreated === true
    this.registration = new RegistrationLoop(this.env, this.initial, recreated, (node, created) => {
      this.registration = undefined
      // Conditions that are new have come from Unknown.
      if (created) {
        guarded(this.env.timers, "node status", () => this.teller?.tell(node, this.computed({ ...node, status: {} })))
      }
      this.node ??= node
      this.pass()
    })
  }

  /** The Node as this kubelet would register it now; undefined while a cloud that has to be asked does not answer. */
  readonly initial = (): Node | undefined => {
    const { askCloud } = this.host
    const words = askCloud?.()
    if (askCloud !== undefined && words === undefined) return undefined
    const node = initialNode(this.env.name, this.settings(), this.observe(), this.env.wallTime())
    return words === undefined ? node : nodeInCloud(node, words)
  }

  stop(): void {
    this.turn++
    this.registration?.cancel()
    this.registration = undefined
    this.passing = false
    this.unplan()
  }

  /** The watch shows the Node, or that it is gone. */
  seen(node: Node | undefined): void {
    const before = this.node
    if (node !== undefined && before !== undefined && isOlder(node, before)) return
    this.node = node
    if (node !== undefined) this.heedPodCIDR(node)
    if (this.registration !== undefined || this.passing) return
    // An echo of the own report, or a change outside the status (a taint, a label that is nobody's business here).
    const same =
      before?.status === node?.status &&
      before?.metadata.labels === node?.metadata.labels &&
      before?.spec?.podCIDRs === node?.spec?.podCIDRs &&
      this.teller?.owes(node) !== true
    if (same) return
    this.settled = false
    this.plan()
  }

  /** Something that the status is made of has changed. */
  inputsChanged(): void {
    if (this.registration !== undefined || this.passing) return
    if (this.env.model.statusAtOnce) this.passNow(false)
    else {
      this.settled = false
      this.plan()
    }
  }

  /** Begins a pass at once; `forced`, it posts even what the server has. Registration under way goes first. */
  passNow(forced: boolean): void {
    if (this.registration !== undefined) return
    this.turn++
    this.onGrid = false
    this.forced = forced
    this.pass()
  }

  private readonly pass = (): void => {
    this.unplan()
    this.passing = true
    this.run(beginStatusPass(this.history))
  }

  /** What throws ends the pass: the next one is made after the usual pause, whatever it will find. */
  private failed(error: unknown): void {
    const { config, name, timers } = this.env
    timers.handleError("node status", error, { node: name })
    this.turn++
    this.passing = false
    this.onGrid = false
    this.settled = false
    this.unplan()
    this.timer = timers.after(config.nodeStatusUpdateFrequencyMs, this.pass)
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
        // Who is told to post whatever there is wants the truth, not what the watch saw before the link was cut.
        if (this.forced) this.readApi(state)
        else if (this.node === undefined) this.attemptFailed(state, this.gettingFailed(`node "${name}" not found`))
        else this.compute(state, this.node)
        return
      case "readApi":
        this.readApi(state)
        return
      case "patch": {
        const body = read === undefined || computed === undefined ? {} : nodePatch(read, computed)
        const request = {
          verb: "patch",
          kind: "Node",
          name,
          subresource: "status",
          patchType: "strategic",
          body
        } as const
        const posted = (node: Node) => {
          if (this.node === undefined || !isOlder(node, this.node)) this.node = node
          this.settled = this.node === node && !nodeStatusChanged(node.status ?? {}, computed?.status ?? {})
          this.run(statusPatched(state, this.env.timers.now()))
        }
        const failed = (message: string) =>
          `failed to patch status ${JSON.stringify(JSON.stringify(body))} for node "${name}": ${message}`
        connection.send(request, this.hears(state, posted, failed))
        return
      }
      case "end":
        this.history = state.history
        this.passing = false
        if (action.patched) this.forced = false
        if (action.failed) {
          this.env.log("error", "Unable to update node status", { err: "update node status exceeds retry count" })
        } else this.trouble = undefined
        this.settle()
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
    this.heedPodCIDR(read)
    const computed = this.computed(read)
    this.teller?.tell(read, computed)
    const changed = this.forced || this.differs(read, computed)
    this.settled = !changed && read === this.node
    const cidrs = podCIDRsOf(read)
    if (cidrs !== "") this.podCIDR = cidrs
    const frequencyMs = config.nodeStatusReportFrequencyMs
    this.run(statusComputed(state, changed, timers.now(), frequencyMs, chance.next), read, computed.node)
  }

  /**
   * Upstream pkg/kubelet/kubelet_network.go updatePodCIDR is called while a status is made; network plugins that work with the
   * Node's range watch it themselves, so that pods that are there when the kubelet starts are known by it.
   */
  private heedPodCIDR(node: Node): void {
    const cidrs = podCIDRsOf(node)
    if (cidrs === "" || cidrs === this.networkCIDR) return
    this.networkCIDR = cidrs
    this.onPodCIDR(cidrs)
  }

  private computed(read: Node): ComputedNode {
    return computeNode(read, this.settings(), this.observe(), this.env.wallTime())
  }

  private differs(read: Node, { node, relabelled }: ComputedNode): boolean {
    const cidrs = podCIDRsOf(read)
    if (relabelled || (cidrs !== "" && cidrs !== this.podCIDR)) return true
    return nodeStatusChanged(read.status ?? {}, node.status ?? {})
  }

  private settle(): void {
    // A fixed grid stays where it is, however long the pass took.
    if (this.onGrid && this.env.model.statusJitter > 0) {
      this.grid = { atMs: this.env.timers.now(), seed: this.grid.seed }
    }
    this.onGrid = false
    this.plan()
  }

  /** Sets the timer to the first look at which something is due. */
  private plan(): void {
    try {
      this.planNext()
    } catch (error) {
      this.failed(error)
    }
  }

  private planNext(): void {
    this.unplan()
    const { config, model, timers } = this.env
    const now = timers.now()
    const cadence = { frequencyMs: config.nodeStatusUpdateFrequencyMs, jitter: model.statusJitter }
    const next = gridFrom(this.grid, cadence, this.dueMs(now))
    const fastMs = this.fastMs(now)
    if (fastMs < next.atMs) {
      this.timer = timers.at(fastMs, this.pass)
    } else if (next.atMs < Number.POSITIVE_INFINITY) {
      this.timer = timers.at(next.atMs, () => {
        this.grid = next
        this.onGrid = true
        this.pass()
      })
    }
  }

  /** The first instant from which a look would find something to do. */
  private dueMs(now: number): number {
    const { node } = this
    // Without a Node every pass is made, and fails: a kubelet does not register twice.
    if (node === undefined || this.forced || !(this.settled || this.asWanted(node))) return now
    const { delayMs, lastReportMs } = this.history
    if (lastReportMs === undefined) return now
    const reportMs = lastReportMs + this.env.config.nodeStatusReportFrequencyMs + delayMs
    return Math.max(now, Math.min(reportMs, this.inputs.nextChangeMs(now)))
  }

  private asWanted(node: Node): boolean {
    this.settled = !this.differs(node, this.computed(node)) && this.teller?.owes(node) !== true
    return this.settled
  }

  /** The next fast look, if it would find that the node has become ready; Infinity otherwise. */
  private fastMs(now: number): number {
    const { node } = this
    if (!this.fast || node === undefined || this.env.model.statusJitter === 0) return Number.POSITIVE_INFINITY
    if (isNodeReady(node)) {
      this.fast = false
      return Number.POSITIVE_INFINITY
    }
    const readyMs = isNodeReady(this.computed(node).node) ? now : this.inputs.nextChangeMs(now)
    return fastLookAfter(this.startedAtMs, readyMs)
  }

  private unplan(): void {
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
  }

  private observe() {
    return this.inputs.observe(this.env.timers.now())
  }

  private settings(): NodeSetting {
    const machine: Machine = this.host.machine()
    if (this.setting?.machine !== machine) {
      const { config, release } = this.env
      this.setting = nodeSetting(machine, config, release)
    }
    return this.setting
  }
}
