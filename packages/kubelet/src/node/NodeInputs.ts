import type { KubeletModel } from "../KubeletModel.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { PressureKind, Readiness } from "./Conditions.ts"
import type { NodeObservation } from "./NodeStatusOf.ts"

/**
 * The instant of the last look at the runtime at or before a time, and of the first at or after it. Looks are made every
 * `periodMs` from the start on; a period of 0 looks always. Upstream: pkg/kubelet/kubelet.go updateRuntimeUp, every 5 s.
 */
export const lookBefore = (startedAtMs: number, periodMs: number, atMs: number): number =>
  periodMs === 0 ? atMs : startedAtMs + Math.floor((atMs - startedAtMs) / periodMs) * periodMs

export const lookAfter = (startedAtMs: number, periodMs: number, atMs: number): number =>
  periodMs === 0 ? atMs : startedAtMs + Math.ceil((atMs - startedAtMs) / periodMs) * periodMs

/** When the runtime counts as down: from, and until (both may lie ahead). */
interface Outage {
  readonly fromMs: number
  readonly untilMs: number
}

const nothing = () => undefined

const NONE: ReadonlyArray<string> = []
const RUNTIME_DOWN: ReadonlyArray<string> = ["container runtime is down"]

/** What happens to a modelled node, and what its kubelet makes of it. */
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

  /** `runtime`: says what is wrong with its network. */
  constructor(
    model: Pick<KubeletModel, "runtimeCheckMs" | "runtimeDownAfterMs">,
    runtime: Pick<PodRuntime, "networkProblem"> = {},
    shutdownStatus: () => string | undefined = nothing
  ) {
    this.model = model
    this.runtime = runtime
    this.shutdownStatus = shutdownStatus
  }

  /** The kubelet's process starts, and looks at the runtime at once. */
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

  /** The runtime stops or begins to answer. It counts as down a while after the last look that found it well. */
  setRuntimeDown(down: boolean, nowMs: number): void {
    const { runtimeCheckMs, runtimeDownAfterMs } = this.model
    if (down) {
      const lastSeenWell = lookBefore(this.startedAtMs, runtimeCheckMs, nowMs)
      this.outage = { fromMs: lastSeenWell + runtimeDownAfterMs, untilMs: Number.POSITIVE_INFINITY }
    } else if (this.outage !== undefined) {
      const untilMs = lookAfter(this.startedAtMs, runtimeCheckMs, nowMs)
      this.outage = untilMs > this.outage.fromMs ? { ...this.outage, untilMs } : undefined
    }
  }

  /** For how long the runtime has counted as down; 0: it does not. */
  runtimeDownForMs(nowMs: number): number {
    const { outage } = this
    return outage === undefined || nowMs < outage.fromMs || nowMs >= outage.untilMs ? 0 : nowMs - outage.fromMs
  }

  /** When the kubelet is through with the runtime's outage, if it is not over yet. */
  runtimeBackMs(nowMs: number): number {
    return Math.max(nowMs, this.outage?.untilMs ?? nowMs)
  }

  /** The next instant at which the observation changes by itself, Infinity if it does not. */
  nextChangeMs(nowMs: number): number {
    if (this.outage === undefined) return Number.POSITIVE_INFINITY
    const { fromMs, untilMs } = this.outage
    return fromMs > nowMs ? fromMs : untilMs > nowMs ? untilMs : Number.POSITIVE_INFINITY
  }

  /** What ends it is not told: each pass has to look. */
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
