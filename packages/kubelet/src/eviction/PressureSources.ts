import type { PressureKind } from "../node/Conditions.ts"

/** The conditions in the order in which a kubelet lists them. Sets of them are kept as bits, by their index here. */
const kinds: ReadonlyArray<PressureKind> = ["DiskPressure", "MemoryPressure", "OutOfDisk", "PIDPressure"]
const bitOf = (kind: PressureKind): number => 1 << kinds.indexOf(kind)

/**
 * Combines the two sources of pressure: faults, and the eviction manager's measurements. The node is under pressure
 * while either is set, and neither resets the other.
 */
export class PressureSources {
  private readonly apply: (kind: PressureKind, underPressure: boolean) => void
  private faults = 0
  private observed = 0

  constructor(apply: (kind: PressureKind, underPressure: boolean) => void) {
    this.apply = apply
  }

  /** The conditions that either source sets. */
  get conditions(): ReadonlyArray<PressureKind> {
    const bits = this.faults | this.observed
    return bits === 0 ? NONE : kinds.filter((kind) => (bits & bitOf(kind)) !== 0)
  }

  /** Whether a fault has set the condition. */
  isFault(kind: PressureKind): boolean {
    return (this.faults & bitOf(kind)) !== 0
  }

  readonly setFault = (kind: PressureKind, underPressure: boolean): void => {
    this.faults = underPressure ? this.faults | bitOf(kind) : this.faults & ~bitOf(kind)
    this.applyChange(kind)
  }

  readonly observe = (kind: PressureKind, underPressure: boolean): void => {
    this.observed = underPressure ? this.observed | bitOf(kind) : this.observed & ~bitOf(kind)
    this.applyChange(kind)
  }

  private applyChange(kind: PressureKind): void {
    this.apply(kind, ((this.faults | this.observed) & bitOf(kind)) !== 0)
  }
}

const NONE: ReadonlyArray<PressureKind> = []
