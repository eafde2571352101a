import type { PodSpec } from "@rollcall/api"

/** The number of specs that are kept, and the size of the largest in characters. */
const MAX_SPECS = 64
const MAX_SIZE = 16 * 1024

/**
 * What was made of the last specs of pods, by their JSON. Most new pods have the spec of an earlier one, because they are of one
 * template: they share one value, of which everything that depends on the spec alone is computed once.
 */
export class RecentSpecs {
  private readonly made = new Map<string, PodSpec>()
  private last: { readonly text: string; readonly made: PodSpec } | undefined

  /** Returns what was made of an equal spec, with its fields in the same order; otherwise what `make` returns. */
  get(spec: PodSpec, make: (spec: PodSpec) => PodSpec): PodSpec {
    const text = JSON.stringify(spec)
    // A map would compute the hash of the text, which takes longer than the comparison.
    if (this.last?.text === text) return this.last.made
    const known = this.made.get(text)
    if (known !== undefined) {
      this.last = { text, made: known }
      return known
    }
    const made = make(spec)
    if (text.length > MAX_SIZE) return made
    const [oldest] = this.made.size < MAX_SPECS ? [] : this.made.keys()
    if (oldest !== undefined) this.made.delete(oldest)
    this.made.set(text, made)
    return made
  }
}
