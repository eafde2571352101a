import type { Node } from "@rollcall/api"
import type { Answer } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Env, outcomeOf } from "../internal/Env.ts"
import { nodePatch } from "./NodePatch.ts"
import { reconcileNode } from "./ReconcileNode.ts"
import { beginRegistration, type RegistrationStep, registrationAnswered, registrationSlept } from "./Registration.ts"

/** Drives the registration of one process, until it succeeds or is cancelled. */
export class RegistrationLoop {
  private readonly env: Env
  private readonly initial: () => Node | undefined
  /** The machine is another than the one whose Node there may be. */
  private readonly recreated: () => boolean
  private readonly registered: (node: Node, created: boolean) => void
  private timer: Timer | undefined
  private over = false
  /** The Node that exists, and what is to be made of it. */
  private existing: Node | undefined
  private reconciled: Node | undefined

  constructor(
    env: Env,
    initial: () => Node | undefined,
    recreated: () => boolean,
    registered: (node: Node, created: boolean) => void
  ) {
    this.env = env
    this.initial = initial
    this.recreated = recreated
    this.registered = registered
    this.run(beginRegistration)
  }

  cancel(): void {
    this.over = true
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
  }

  private run(step: RegistrationStep): void {
    try {
      this.act(step)
    } catch (error) {
      this.failed(step, error)
    }
  }

  /** What throws is a try that failed. */
  private failed({ state }: RegistrationStep, error: unknown): void {
    const { name, timers } = this.env
    timers.handleError("node registration", error, { node: name })
    if (!this.over) this.run(registrationAnswered(state, "error", false, this.options()))
  }

  private act({ action, state }: RegistrationStep): void {
    const { connection, name, timers } = this.env
    const reply = (answer: Answer): void => {
      if (this.over) return
      let next: RegistrationStep
      try {
        next = this.judge(state, answer)
      } catch (error) {
        this.failed({ action, state }, error)
        return
      }
      this.run(next)
    }
    switch (action.type) {
      case "sleep":
        this.timer = timers.after(action.ms, () => this.run(registrationSlept(state)))
        return
      case "create": {
        const object = this.initial()
        if (object === undefined) this.run(registrationAnswered(state, "error", false, this.options()))
        else connection.send({ verb: "create", kind: "Node", object }, reply)
        return
      }
      case "get":
        connection.send({ verb: "get", kind: "Node", name }, reply)
        return
      case "patchStatus": {
        const body = this.existing && this.reconciled ? nodePatch(this.existing, this.reconciled) : {}
        const request = {
          verb: "patch",
          kind: "Node",
          name,
          subresource: "status",
          patchType: "strategic",
          body
        } as const
        connection.send(request, reply)
        return
      }
      case "registered":
        this.over = true
        if (this.existing !== undefined) this.registered(this.existing, state.awaiting === "create")
    }
  }

  private options() {
    return { getOnExistsOnly: this.env.config.featureGates.KubeletRegistrationGetOnExistsOnly }
  }

  private judge(state: RegistrationStep["state"], answer: Answer): RegistrationStep {
    const options = this.options()
    if (Result.isFailure(answer)) return registrationAnswered(state, outcomeOf(answer.failure), false, options)
    this.existing = answer.success as Node
    if (state.awaiting !== "get") return registrationAnswered(state, "ok", false, options)
    const initial = this.initial()
    if (initial === undefined) return registrationAnswered(state, "error", false, options)
    const { needsUpdate, node } = reconcileNode(initial, this.existing, this.recreated())
    this.reconciled = node
    return registrationAnswered(state, "ok", needsUpdate, options)
  }
}
