import type { KubeletModel } from "../KubeletModel.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { PressureKind, Readiness } from "./Conditions.ts"
import type { NodeObservation } from "./NodeStatusOf.ts"

/**
 * Returns the time of the last runtime check at or before a time. Checks run every `periodMs` from the start on, or
 * continuously if the period is 0. Upstream: pkg/kubelet/kubelet.go updateRuntimeUp, every 5 s.
 */
const lastCheckAtOrBefore = (startedAtMs: number, periodMs: number, atMs: number): number =>
  periodMs === 0 ? atMs : startedAtMs + Math.floor((atMs - startedAtMs) / periodMs) * periodMs

/** Returns the time of the first runtime check at or after a time. */
const firstCheckAtOrAfter = (startedAtMs: number, periodMs: number, atMs: number): number =>
  periodMs === 0 ? atMs : startedAtMs + Math.ceil((atMs - startedAtMs) / periodMs) * periodMs

/** The period in which the runtime counts as down. Both ends may be in the future. */
interface Outage {
  readonly fromMs: number
  readonly untilMs: number
}

const noShutdown = () => undefined

const NONE: ReadonlyArray<string> = []
const RUNTIME_DOWN: ReadonlyArray<string> = ["container runtime is down"]

/** The inputs of a node's status that change over time. */
export class NodeInputs {
  private readonly model: Pick<KubeletModel, "runtimeCheckMs" | "runtimeDownAfterMs">
  private readonly pressure: Record<PressureKind, boolean> = {
    MemoryPressure: false,
    DiskPressure: false,
    PIDPressure: false,
    OutOfDisk: false
  }
  private network: boolean | undefined
  private outage: Outage | undefined
  private startedAtMs = 0
  private readonly runtime: Pick<PodRuntime, "networkProblem">
  private readonly shutdownStatus: () => string | undefined

  /** `runtime` reports network errors. `shutdownStatus` returns why the node is not ready while it shuts down. */
  constructor(
    model: Pick<KubeletModel, "runtimeCheckMs" | "runtimeDownAfterMs">,
    runtime: Pick<PodRuntime, "networkProblem"> = {},
    shutdownStatus: () => string | undefined = noShutdown
  ) {
    this.model = model
    this.runtime = runtime
    this.shutdownStatus = shutdownStatus
  }

  /** Handles a start of the kubelet's process, which checks the runtime at once. */
  processStarted(nowMs: number): void {
    this.startedAtMs = nowMs
    if (this.outage === undefined) return
    this.outage = this.outage.untilMs > nowMs ? { ...this.outage, fromMs: nowMs } : undefined
  }

  setPressure(kind: PressureKind, under: boolean): void {
    this.pressure[kind] = under
  }

  setNetworkUnavailable(unavailable: boolean): void {
    this.network = unavailable
  }

  /**
   * Handles that the runtime stops or starts to respond. It counts as down some time after its last successful check.
   */
  setRuntimeDown(down: boolean, nowMs: number): void {
    const { runtimeCheckMs, runtimeDownAfterMs } = this.model
    if (down) {
      const lastHealthyMs = lastCheckAtOrBefore(this.startedAtMs, runtimeCheckMs, nowMs)
      this.outage = { fromMs: lastHealthyMs + runtimeDownAfterMs, untilMs: Number.POSITIVE_INFINITY }
    } else if (this.outage !== undefined) {
      const untilMs = firstCheckAtOrAfter(this.startedAtMs, runtimeCheckMs, nowMs)
      this.outage = untilMs > this.outage.fromMs ? { ...this.outage, untilMs } : undefined
    }
  }

  /** Returns for how long the runtime has counted as down; 0 if it does not. */
  runtimeDownForMs(nowMs: number): number {
    const { outage } = this
    return outage === undefined || nowMs < outage.fromMs || nowMs >= outage.untilMs ? 0 : nowMs - outage.fromMs
  }

  /**
   * Returns when the kubelet notices the end of the runtime's outage: `nowMs` if it has, Infinity if it is not known.
   */
  runtimeBackMs(nowMs: number): number {
    return Math.max(nowMs, this.outage?.untilMs ?? nowMs)
  }

  /** Returns the next time at which the inputs change without a call of a setter; Infinity if they do not. */
  nextChangeMs(nowMs: number): number {
    if (this.outage === undefined) return Number.POSITIVE_INFINITY
    const { fromMs, untilMs } = this.outage
    return fromMs > nowMs ? fromMs : untilMs > nowMs ? untilMs : Number.POSITIVE_INFINITY
  }

  /** Whether the node shuts down. Nothing reports the end of a shutdown, so that each update has to check. */
  get isShuttingDown(): boolean {
    return this.shutdownStatus() !== undefined
  }

  /** Returns the inputs at this time. */
  observe(nowMs: number): NodeObservation {
    const { outage } = this
    const down = outage !== undefined && nowMs >= outage.fromMs && nowMs < outage.untilMs
    const problem = this.runtime.networkProblem?.()
    const readiness: Readiness = {
      runtimeErrors: down ? RUNTIME_DOWN : NONE,
      networkErrors: problem === undefined ? NONE : [problem],
      storageErrors: NONE,
      shutdownError: this.shutdownStatus(),
      softRequirements: undefined
    }
    return { pressure: this.pressure, networkUnavailable: this.network, readiness }
  }
}
