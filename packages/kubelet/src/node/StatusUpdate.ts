import type { Node } from "@rollcall/api"
import type { JsonMap } from "@rollcall/api/patch"
import { type Answer, type ApiRequest, type CutStay, noLog } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import { nodePatch } from "./NodePatch.ts"
import type { ReportHistory } from "./Report.ts"
import {
  beginStatusPass,
  type StatusPass,
  type StatusPassStep,
  statusAttemptFailed,
  statusAttemptsTimedOut,
  statusComputed,
  statusPatched
} from "./StatusPass.ts"
import { patchErrorText, readErrorText, tooManyRetries } from "./statusErrors.ts"

/** What an update of the status needs of its owner. */
export interface StatusUpdateOwner {
  /** Returns the Node as last known here. */
  readonly known: () => Node | undefined
  /** Whether the status is posted even if it has not changed. */
  readonly mustPost: () => boolean
  /** Returns the Node that was read with its status of now, and whether that has to be posted. */
  readonly computed: (read: Node) => { readonly node: Node; readonly isChanged: boolean }
  /** Handles that the API has answered the patch to this Node. */
  readonly patched: (answer: Node, computed: Node) => void
  readonly ended: (history: ReportHistory, wasPatched: boolean, hasFailed: boolean) => void
  /** Runs `act`. If it throws, the update ends. */
  readonly contain: (act: () => void) => void
}

/** Carries out the updates of one Node's status, one at a time: reads, patches, and tries again. */
export class StatusUpdate {
  private readonly env: Env
  private readonly owner: StatusUpdateOwner
  /** The number of the current update. Answers to an update with another number are ignored. */
  private number = 0
  /** The stay of the update's reads at a cut link, and the timer of its end. */
  private cut: { readonly end: () => void; readonly timer: Timer } | undefined
  /** The error of the last update of the status; undefined if it succeeded. */
  problem: (() => string) | undefined

  constructor(env: Env, owner: StatusUpdateOwner) {
    this.env = env
    this.owner = owner
  }

  begin(history: ReportHistory): void {
    this.run(beginStatusPass(history))
  }

  /** Ends the update in flight, if any. */
  abandon(): void {
    this.number++
    this.endCut()
  }

  private run(step: StatusPassStep, read?: Node, computed?: Node): void {
    this.owner.contain(() => this.act(step, read, computed))
  }

  private act({ action, heartbeatFailure, state }: StatusPassStep, read?: Node, computed?: Node): void {
    const { name, onHeartbeatFailure } = this.env
    if (heartbeatFailure) onHeartbeatFailure?.()
    switch (action.type) {
      case "readCache": {
        const known = this.owner.known()
        // A forced update needs the current Node, not the one that the watch had before the link was cut.
        if (this.owner.mustPost()) this.readApi(state)
        else if (known === undefined) this.attemptFailed(state, () => readErrorText(name)(`node "${name}" not found`))
        else this.compute(state, known)
        return
      }
      case "readApi":
        if (!this.waitsForLink(state)) this.readApi(state)
        return
      case "patch":
        this.patch(state, read, computed)
        return
      case "end":
        if (action.failed) this.env.log("error", "Unable to update node status", tooManyRetries)
        else this.problem = undefined
        this.owner.ended(state.history, action.patched, action.failed)
    }
  }

  /**
   * Continues an update over a cut link whose requests have timed out: at the attempt that waits since `sentAtMs`. The first one
   * has read this Node and computed that one.
   */
  resume(state: StatusPass, sentAtMs: number, cut: CutStay, read: Node, computed: Node): void {
    const patch = this.patchOf(state, read, computed)
    if (state.attempt === 1) {
      cut.sendFrom(sentAtMs, patch.request, patch.reply)
      return
    }
    const errorText = state.attempt === 2 ? patch.errorText : readErrorText(this.env.name)
    this.problem = () => errorText(cut.error.message)
    cut.sendFrom(sentAtMs, this.readRequest, this.handleRead(state))
  }

  private patch(state: StatusPass, read: Node | undefined, computed: Node | undefined): void {
    const { reply, request } = this.patchOf(state, read, computed)
    this.env.connection.send(request, reply)
  }

  private patchOf(state: StatusPass, read: Node | undefined, computed: Node | undefined) {
    const { name, timers } = this.env
    // Made when it is sent: on a cut link it never is.
    let made: JsonMap | undefined
    const body = () => {
      made ??= read === undefined || computed === undefined ? {} : nodePatch(read, computed)
      return made
    }
    const request = {
      verb: "patch",
      kind: "Node",
      name,
      subresource: "status",
      patchType: "strategic",
      get body() {
        return body()
      }
    } as const
    const onPatched = (node: Node) => {
      this.owner.patched(node, computed ?? node)
      this.run(statusPatched(state, timers.now()))
    }
    const errorText = patchErrorText(name, body)
    return { request, errorText, reply: this.handleAnswer(state, onPatched, errorText) }
  }

  private compute(state: StatusPass, read: Node): void {
    const { config, random, timers } = this.env
    const { isChanged, node } = this.owner.computed(read)
    const frequencyMs = config.nodeStatusReportFrequencyMs
    this.run(statusComputed(state, isChanged, timers.now(), frequencyMs, random.next), read, node)
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
    const { connection, model, name, showsFailures, timers } = this.env
    if (showsFailures || model.statusJitter === 0) return false
    const sentAtMs = timers.now()
    const waiting = (nowMs: number) => {
      const waits = statusAttemptsTimedOut(first.attempt, sentAtMs, cut?.timeoutMs ?? 0, nowMs)
      return { state: { ...first, attempt: waits.attempt }, sentAtMs: waits.sentAtMs }
    }
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
      this.owner.contain(() => this.attemptFailed(last.state, err))
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

  private attemptFailed(state: StatusPass, err: () => string): void {
    this.problem = err
    if (this.env.log !== noLog) this.env.log("error", "Error updating node status, will retry", { err: err() })
    this.run(statusAttemptFailed(state))
  }

  /** Returns a request's callback: it passes the Node to `onNode`, or fails the attempt with `errorText`'s text. */
  private handleAnswer(state: StatusPass, onNode: (node: Node) => void, errorText: (message: string) => string) {
    const { number } = this
    return (answer: Answer): void => {
      if (number !== this.number) return
      this.owner.contain(() => {
        if (Result.isSuccess(answer)) onNode(answer.success as Node)
        else this.attemptFailed(state, () => errorText(answer.failure.message))
      })
    }
  }
}
