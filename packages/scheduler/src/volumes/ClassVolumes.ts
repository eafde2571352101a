import type { Node, PersistentVolume } from "@rollcall/api"
import { factsOf, type VolumeFacts } from "./volumeFacts.ts"

/** A volume with derived values that are needed repeatedly. */
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

/** Whether a volume is preferred to another: the smaller one, by name among equals. */
export const comesFirst = (left: Candidate, right: Candidate): boolean =>
  left.facts.size === right.facts.size ? left.name < right.name : left.facts.size < right.facts.size

/** The index of the candidate in the sorted list, or where it would be inserted. */
const placeOf = (sorted: Bucket, candidate: Candidate): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = sorted[middle]
    if (other !== undefined && comesFirst(other, candidate)) low = middle + 1
    else high = middle
  }
  return low
}

/** Volumes in order of preference. */
export type Bucket = ReadonlyArray<Candidate>

/**
 * The volumes of a storage class, smallest first, and indexed by the label that a node needs to reach them: of
 * thousands of local disks a node only checks its own.
 */
export class ClassVolumes {
  private readonly open: Array<Candidate> = []
  private readonly pinned = new Map<string, Map<string, Array<Candidate>>>()

  add(volume: PersistentVolume): void {
    const candidate = candidateOf(volume)
    for (const bucket of this.bucketsOf(candidate)) bucket.splice(placeOf(bucket, candidate), 0, candidate)
  }

  remove(volume: PersistentVolume): void {
    const candidate = candidateOf(volume)
    for (const bucket of this.bucketsOf(candidate)) {
      const at = placeOf(bucket, candidate)
      if (bucket[at]?.volume === volume) bucket.splice(at, 1)
    }
    const { pin } = candidate.facts
    const byValue = this.pinned.get(pin?.label ?? "")
    for (const value of pin?.values ?? []) if (byValue?.get(value)?.length === 0) byValue.delete(value)
  }

  /** Passes the volumes that a node may reach to `look`: a superset of those that it can. */
  forNode({ metadata: { labels } }: Pick<Node, "metadata">, look: (bucket: Bucket) => void): void {
    if (this.open.length > 0) look(this.open)
    for (const [label, byValue] of this.pinned) {
      const bucket = byValue.get(labels?.[label] ?? "")
      if (bucket !== undefined) look(bucket)
    }
  }

  private bucketsOf({ facts: { pin } }: Candidate): ReadonlyArray<Array<Candidate>> {
    if (pin === undefined) return [this.open]
    const byValue = this.pinned.get(pin.label) ?? new Map<string, Array<Candidate>>()
    this.pinned.set(pin.label, byValue)
    return [...pin.values].map((value) => {
      const bucket = byValue.get(value) ?? []
      byValue.set(value, bucket)
      return bucket
    })
  }
}
