import type { KubeletModel } from "../KubeletModel.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { PressureKind, Readiness } from "./Conditions.ts"
import type { NodeObservation } from "./NodeStatusOf.ts"

/**
 * The time of the last runtime check at or before a time, and of the first at or after it. Checks run every `periodMs`
 * from the start on; with a period of 0 continuously. Upstream: pkg/kubelet/kubelet.go updateRuntimeUp, every 5 s.
 */
export const checkBefore = (startedAtMs: number, periodMs: number, atMs: number): number =>
  periodMs === 0 ? atMs : startedAtMs + Math.floor((atMs - startedAtMs) / periodMs) * periodMs

export const checkAfter = (startedAtMs: number, periodMs: number, atMs: number): number =>
  periodMs === 0 ? atMs : startedAtMs + Math.ceil((atMs - startedAtMs) / periodMs) * periodMs

/** When the runtime counts as down: from, and until (both may be in the future). */
interface Outage {
  readonly fromMs: number
  readonly untilMs: number
}

const nothing = () => undefined

const NONE: ReadonlyArray<string> = []
const RUNTIME_DOWN: ReadonlyArray<string> = ["container runtime is down"]

/** The inputs of a modelled node's status that change over time. */
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

  /** `runtime`: reports network errors. */
  constructor(
    model: Pick<KubeletModel, "runtimeCheckMs" | "runtimeDownAfterMs">,
    runtime: Pick<PodRuntime, "networkProblem"> = {},
    shutdownStatus: () => string | undefined = nothing
  ) {
    this.model = model
    this.runtime = runtime
    this.shutdownStatus = shutdownStatus
  }

  /** The kubelet's process starts, and checks the runtime at once. */
  started(nowMs: number): void {
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

  /** The runtime stops or starts responding. It counts as down some time after the last check that found it healthy. */
  setRuntimeDown(down: boolean, nowMs: number): void {
    const { runtimeCheckMs, runtimeDownAfterMs } = this.model
    if (down) {
      const lastSeenWell = checkBefore(this.startedAtMs, runtimeCheckMs, nowMs)
      this.outage = { fromMs: lastSeenWell + runtimeDownAfterMs, untilMs: Number.POSITIVE_INFINITY }
    } else if (this.outage !== undefined) {
      const untilMs = checkAfter(this.startedAtMs, runtimeCheckMs, nowMs)
      this.outage = untilMs > this.outage.fromMs ? { ...this.outage, untilMs } : undefined
    }
  }

  /** For how long the runtime has counted as down; 0: it does not. */
  runtimeDownForMs(nowMs: number): number {
    const { outage } = this
    return outage === undefined || nowMs < outage.fromMs || nowMs >= outage.untilMs ? 0 : nowMs - outage.fromMs
  }

  /** When the runtime's outage ends for the kubelet, if it has not ended yet. */
  runtimeBackMs(nowMs: number): number {
    return Math.max(nowMs, this.outage?.untilMs ?? nowMs)
  }

  /** When the inputs next change without an event; Infinity if they do not. */
  nextChangeMs(nowMs: number): number {
    if (this.outage === undefined) return Number.POSITIVE_INFINITY
    const { fromMs, untilMs } = this.outage
    return fromMs > nowMs ? fromMs : untilMs > nowMs ? untilMs : Number.POSITIVE_INFINITY
  }

  /** The end of a shutdown is no event: each update has to check. */
  get isShuttingDown(): boolean {
    return this.shutdownStatus() !== undefined
  }

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
