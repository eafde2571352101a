import type { PressureKind } from "../node/Conditions.ts"

/** Sorted, as a kubelet lists them. */
const kinds: ReadonlyArray<PressureKind> = ["DiskPressure", "MemoryPressure", "OutOfDisk", "PIDPressure"]
const bitOf = (kind: PressureKind): number => 1 << kinds.indexOf(kind)

/**
 * Two may say that a node is under pressure: whoever plays with it, and the eviction manager by what it measured. The node is
 * under pressure while either says so; neither takes back what the other said.
 */
export class PressureSources {
  private readonly apply: (kind: PressureKind, underPressure: boolean) => void
  private told = 0
  private observed = 0

  constructor(apply: (kind: PressureKind, underPressure: boolean) => void) {
    this.apply = apply
  }

  /** Conditions that hold now. */
  get conditions(): ReadonlyArray<PressureKind> {
    const bits = this.told | this.observed
    return bits === 0 ? NONE : kinds.filter((kind) => (bits & bitOf(kind)) !== 0)
  }

  /** A fault or a test says so, whatever is observed. */
  isTold(kind: PressureKind): boolean {
    return (this.told & bitOf(kind)) !== 0
  }

  readonly tell = (kind: PressureKind, underPressure: boolean): void => {
    this.told = underPressure ? this.told | bitOf(kind) : this.told & ~bitOf(kind)
    this.change(kind)
  }

  readonly observe = (kind: PressureKind, underPressure: boolean): void => {
    this.observed = underPressure ? this.observed | bitOf(kind) : this.observed & ~bitOf(kind)
    this.change(kind)
  }

  private change(kind: PressureKind): void {
    this.apply(kind, ((this.told | this.observed) & bitOf(kind)) !== 0)
  }
}

const NONE: ReadonlyArray<PressureKind> = []
