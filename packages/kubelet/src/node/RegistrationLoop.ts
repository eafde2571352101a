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

/**
 * Registers the Node of a kubelet process: tries until it succeeds or is cancelled. `registered` is called once with
 * the Node.
 */
export class RegistrationLoop {
  private readonly env: Env
  private readonly setters: NodeSetters
  private readonly onRegistered: (node: Node) => void
  private timer: Timer | undefined
  private isOver = false
  /** The Node that the API returned, and the version that the kubelet wants it to be. */
  private existing: Node | undefined
  private reconciled: Node | undefined
  private lastProblem = "the node has not been registered yet"

  constructor(env: Env, setters: NodeSetters, onRegistered: (node: Node) => void) {
    this.env = env
    this.setters = setters
    this.onRegistered = onRegistered
    this.run(beginRegistration)
  }

  /** Why the node is not registered yet. */
  get problem(): string {
    return this.lastProblem
  }

  cancel(): void {
    this.isOver = true
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
  }

  private run(step: RegistrationStep): void {
    try {
      this.act(step)
    } catch (error) {
      this.retryAfterError(step, error)
    }
  }

  /** Handles an exception like a failed try. */
  private retryAfterError({ state }: RegistrationStep, error: unknown): void {
    const { name, timers } = this.env
    this.lastProblem = errorText(error)
    timers.handleError("node registration", error, { node: name })
    if (!this.isOver) this.run(registrationAnswered(state, "error", false, this.options()))
  }

  private act({ action, state }: RegistrationStep): void {
    const { connection, log, name, timers } = this.env
    const reply = (answer: Answer): void => {
      if (this.isOver) return
      let next: RegistrationStep
      try {
        next = this.nextStep(state, answer)
      } catch (error) {
        this.retryAfterError({ action, state }, error)
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
          this.run(this.retryWithoutNode(state))
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
        this.isOver = true
        log("info", "Successfully registered node", { node: name })
        if (this.existing !== undefined) this.onRegistered(this.existing)
    }
  }

  /** Handles that there is no Node to register, because the cloud provider of the machine does not respond. */
  private retryWithoutNode(state: RegistrationStep["state"]): RegistrationStep {
    this.lastProblem = "the cloud provider does not respond"
    this.env.log("error", "Unable to construct v1.Node object for kubelet", { err: this.lastProblem })
    return registrationAnswered(state, "error", false, this.options())
  }

  private options() {
    return { getOnExistsOnly: this.env.config.featureGates.KubeletRegistrationGetOnExistsOnly }
  }

  private nextStep(state: RegistrationStep["state"], answer: Answer): RegistrationStep {
    const options = this.options()
    if (Result.isFailure(answer)) {
      const step = registrationAnswered(state, outcomeOf(answer.failure), false, options)
      // Only a try that has failed is followed by a sleep. An alreadyExists answer is followed by a read.
      if (step.action.type === "sleep") this.logFailure(state.awaiting, answer.failure)
      return step
    }
    this.existing = answer.success as Node
    if (state.awaiting === "get") this.env.log("info", "Node was previously registered", { node: this.env.name })
    if (state.awaiting !== "get") return registrationAnswered(state, "ok", false, options)
    const initial = this.setters.initial()
    if (initial === undefined) return this.retryWithoutNode(state)
    const { needsUpdate, node } = reconcileNode(initial, this.existing, this.setters.isRecreated)
    this.reconciled = node
    return registrationAnswered(state, "ok", needsUpdate, options)
  }

  private logFailure(awaiting: RegistrationStep["state"]["awaiting"], error: ClusterError): void {
    const { log, name } = this.env
    this.lastProblem = error.message
    const { fields, message, severity } = registrationFailureLine(awaiting, isForbidden(error), error.message, name)
    log(severity, message, fields)
  }
}
