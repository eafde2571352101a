import { isNodeReady, type Node } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import type { NodeSetters } from "./NodeSetters.ts"

/** How long after its start a kubelet checks frequently whether its node has become ready. */
const FAST_CHECKS_MS = 120_000
/** The period of these checks. */
const FAST_PERIOD_MS = 100

/**
 * Returns the time of the first fast check after `readyMs`, from when on the node is ready, or Infinity if no such
 * check runs any more. Upstream: pkg/kubelet/kubelet.go fastStatusUpdateOnce.
 */
export const fastCheckAfter = (startedAtMs: number, readyMs: number): number => {
  const checks = Math.floor((readyMs - startedAtMs) / FAST_PERIOD_MS) + 1
  return checks * FAST_PERIOD_MS > FAST_CHECKS_MS ? Number.POSITIVE_INFINITY : startedAtMs + checks * FAST_PERIOD_MS
}

/** The fast checks of a kubelet whose node has not been ready since the start. */
export class ReadyChecks {
  private readonly env: Pick<Env, "model">
  private readonly setters: Pick<NodeSetters, "computed">
  private readonly inputs: Pick<NodeInputs, "nextChangeMs">
  private isOn = false

  constructor(
    env: Pick<Env, "model">,
    setters: Pick<NodeSetters, "computed">,
    inputs: Pick<NodeInputs, "nextChangeMs">
  ) {
    this.env = env
    this.setters = setters
    this.inputs = inputs
  }

  get areOn(): boolean {
    return this.isOn
  }

  start(): void {
    this.isOn = true
  }

  /** Returns the time from which a fast check would find the node ready, or Infinity if no fast checks run. */
  nextMs(node: Node | undefined, now: number): number {
    if (node !== undefined && isNodeReady(node)) this.isOn = false
    if (!this.isOn || node === undefined || this.env.model.statusJitter === 0) return Number.POSITIVE_INFINITY
    return isNodeReady(this.setters.computed(node).node) ? now : this.inputs.nextChangeMs(now)
  }
}
