import type { PressureKind } from "../node/Conditions.ts"

/** Sorted, as a kubelet lists them. */
const kinds: ReadonlyArray<PressureKind> = ["DiskPressure", "MemoryPressure", "OutOfDisk", "PIDPressure"]
const bitOf = (kind: PressureKind): number => 1 << kinds.indexOf(kind)

/**
 * Pressure has two sources: faults, and the eviction manager's measurements. The node is under pressure while either
 * is set; they do not reset each other.
 */
export class PressureSources {
  private readonly apply: (kind: PressureKind, underPressure: boolean) => void
  private faults = 0
  private observed = 0

  constructor(apply: (kind: PressureKind, underPressure: boolean) => void) {
    this.apply = apply
  }

  /** The current conditions. */
  get conditions(): ReadonlyArray<PressureKind> {
    const bits = this.faults | this.observed
    return bits === 0 ? NONE : kinds.filter((kind) => (bits & bitOf(kind)) !== 0)
  }

  /** Whether a fault or a test has set the condition, regardless of measurements. */
  isFault(kind: PressureKind): boolean {
    return (this.faults & bitOf(kind)) !== 0
  }

  readonly setFault = (kind: PressureKind, underPressure: boolean): void => {
    this.faults = underPressure ? this.faults | bitOf(kind) : this.faults & ~bitOf(kind)
    this.change(kind)
  }

  readonly observe = (kind: PressureKind, underPressure: boolean): void => {
    this.observed = underPressure ? this.observed | bitOf(kind) : this.observed & ~bitOf(kind)
    this.change(kind)
  }

  private change(kind: PressureKind): void {
    this.apply(kind, ((this.faults | this.observed) & bitOf(kind)) !== 0)
  }
}

const NONE: ReadonlyArray<PressureKind> = []
