import type { Node } from "@rollcall/api"
import { type Answer, type ClusterError, isForbidden } from "@rollcall/cluster"
import { errorText, type Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Env, outcomeOf } from "../internal/Env.ts"
import { nodePatch } from "./NodePatch.ts"
import type { NodeSetters } from "./NodeSetters.ts"
import { reconcileNode } from "./ReconcileNode.ts"
import { beginRegistration, type RegistrationStep, registrationAnswered, registrationSlept } from "./Registration.ts"
import { registrationFailureLine } from "./RegistrationLog.ts"

/** Runs the registration of one process, until it succeeds or is cancelled. */
export class RegistrationLoop {
  private readonly env: Env
  private readonly setters: NodeSetters
  private readonly registered: (node: Node, created: boolean) => void
  private timer: Timer | undefined
  private over = false
  /** The existing Node, and its reconciled version. */
  private existing: Node | undefined
  private reconciled: Node | undefined
  private trouble = "the node has not been registered yet"

  constructor(env: Env, setters: NodeSetters, registered: (node: Node, created: boolean) => void) {
    this.env = env
    this.setters = setters
    this.registered = registered
    this.run(beginRegistration)
  }

  /** Why the node is not registered. */
  get problem(): string {
    return this.trouble
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

  /** An exception counts as a failed try. */
  private failed({ state }: RegistrationStep, error: unknown): void {
    const { name, timers } = this.env
    this.trouble = errorText(error)
    timers.handleError("node registration", error, { node: name })
    if (!this.over) this.run(registrationAnswered(state, "error", false, this.options()))
  }

  private act({ action, state }: RegistrationStep): void {
    const { connection, log, name, timers } = this.env
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
        const object = this.setters.initial()
        if (object === undefined) {
          this.run(this.withoutNode(state))
          return
        }
        log("info", "Attempting to register node", { node: name })
        connection.send({ verb: "create", kind: "Node", object }, reply)
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
        log("info", "Successfully registered node", { node: name })
        if (this.existing !== undefined) this.registered(this.existing, state.awaiting === "create")
    }
  }

  /** The cloud provider of the machine does not respond. */
  private withoutNode(state: RegistrationStep["state"]): RegistrationStep {
    this.trouble = "the cloud provider does not respond"
    this.env.log("error", "Unable to construct v1.Node object for kubelet", { err: this.trouble })
    return registrationAnswered(state, "error", false, this.options())
  }

  private options() {
    return { getOnExistsOnly: this.env.config.featureGates.KubeletRegistrationGetOnExistsOnly }
  }

  private judge(state: RegistrationStep["state"], answer: Answer): RegistrationStep {
    const options = this.options()
    if (Result.isFailure(answer)) {
      const step = registrationAnswered(state, outcomeOf(answer.failure), false, options)
      // An alreadyExists answer leads to a read, not to an error.
      if (step.action.type === "sleep") this.tell(state.awaiting, answer.failure)
      return step
    }
    this.existing = answer.success as Node
    if (state.awaiting === "get") this.env.log("info", "Node was previously registered", { node: this.env.name })
    if (state.awaiting !== "get") return registrationAnswered(state, "ok", false, options)
    const initial = this.setters.initial()
    if (initial === undefined) return this.withoutNode(state)
    const { needsUpdate, node } = reconcileNode(initial, this.existing, this.setters.isRecreated)
    this.reconciled = node
    return registrationAnswered(state, "ok", needsUpdate, options)
  }

  private tell(awaiting: RegistrationStep["state"]["awaiting"], error: ClusterError): void {
    const { log, name } = this.env
    this.trouble = error.message
    const { fields, message, severity } = registrationFailureLine(awaiting, isForbidden(error), error.message, name)
    log(severity, message, fields)
  }
}
