import type { Node, PersistentVolume } from "@rollcall/api"
import { factsOf, type VolumeFacts } from "./volumeFacts.ts"

/** A volume with its derived values. */
export interface Candidate {
  readonly name: string
  readonly volume: PersistentVolume
  readonly facts: VolumeFacts
}

const candidateOf = (volume: PersistentVolume): Candidate => ({
  name: volume.metadata.name ?? "",
  volume,
  facts: factsOf(volume)
})

/** Whether a volume is preferred to another: the smaller one, or of equal sizes the one whose name sorts first. */
export const comesFirst = (left: Candidate, right: Candidate): boolean =>
  left.facts.size === right.facts.size ? left.name < right.name : left.facts.size < right.facts.size

/** The index of the candidate in the sorted bucket, or the index at which it would be inserted. */
const indexOf = (sorted: Bucket, candidate: Candidate): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = sorted[middle]
    if (other !== undefined && comesFirst(other, candidate)) low = middle + 1
    else high = middle
  }
  return low
}

/** Volumes in order of preference: see `comesFirst`. */
export type Bucket = ReadonlyArray<Candidate>

/**
 * The volumes of a storage class, smallest first, and indexed by the label that a node needs in order to access them:
 * of thousands of local disks, only those of the node itself are checked.
 */
export class ClassVolumes {
  /** Volumes whose accessible nodes are not determined by one label. */
  private readonly unrestricted: Array<Candidate> = []
  /** Label → value → volumes. */
  private readonly byLabel = new Map<string, Map<string, Array<Candidate>>>()

  add(volume: PersistentVolume): void {
    const candidate = candidateOf(volume)
    for (const bucket of this.bucketsOf(candidate)) bucket.splice(indexOf(bucket, candidate), 0, candidate)
  }

  remove(volume: PersistentVolume): void {
    const candidate = candidateOf(volume)
    for (const bucket of this.bucketsOf(candidate)) {
      const at = indexOf(bucket, candidate)
      if (bucket[at]?.volume === volume) bucket.splice(at, 1)
    }
    const { requiredLabel } = candidate.facts
    const byValue = this.byLabel.get(requiredLabel?.label ?? "")
    for (const value of requiredLabel?.values ?? []) if (byValue?.get(value)?.length === 0) byValue.delete(value)
  }

  /**
   * Calls `visit` with each bucket of volumes that the node may be able to access. The label is only the first test:
   * the caller must check `nodeAffinityMatches`.
   */
  forNode({ metadata: { labels } }: Pick<Node, "metadata">, visit: (bucket: Bucket) => void): void {
    if (this.unrestricted.length > 0) visit(this.unrestricted)
    for (const [label, byValue] of this.byLabel) {
      const bucket = byValue.get(labels?.[label] ?? "")
      if (bucket !== undefined) visit(bucket)
    }
  }

  private bucketsOf({ facts: { requiredLabel } }: Candidate): ReadonlyArray<Array<Candidate>> {
    if (requiredLabel === undefined) return [this.unrestricted]
    const byValue = this.byLabel.get(requiredLabel.label) ?? new Map<string, Array<Candidate>>()
    this.byLabel.set(requiredLabel.label, byValue)
    return [...requiredLabel.values].map((value) => {
      const bucket = byValue.get(value) ?? []
      byValue.set(value, bucket)
      return bucket
    })
  }
}
