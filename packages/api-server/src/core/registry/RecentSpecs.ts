import type { PodSpec } from "@rollcall/api"

/** The number of specs that are kept, their size in characters, and that of the largest. */
const MAX_SPECS = 256
const MAX_CHARACTERS = 1024 * 1024
const MAX_SIZE = 16 * 1024

/**
 * What was made of the last specs of pods, by their JSON. Most new pods have the spec of an earlier one, because they are of one
 * template: they share one value, of which everything that depends on the spec alone is computed once.
 */
export class RecentSpecs {
  /** In the order of their last use. */
  private readonly made = new Map<string, PodSpec>()
  private characters = 0
  private last: { readonly text: string; readonly made: PodSpec } | undefined

  /** Returns what was made of an equal spec, with its fields in the same order; otherwise what `make` returns. */
  get(spec: PodSpec, make: (spec: PodSpec) => PodSpec): PodSpec {
    const text = JSON.stringify(spec)
    // A map would compute the hash of the text, which takes longer than the comparison.
    if (this.last?.text === text) return this.last.made
    const known = this.made.get(text)
    if (known !== undefined) {
      this.last = { text, made: known }
      this.made.delete(text)
      this.made.set(text, known)
      return known
    }
    const made = make(spec)
    if (text.length > MAX_SIZE) return made
    this.made.set(text, made)
    this.characters += text.length
    for (const oldest of this.made.keys()) {
      if (this.made.size <= MAX_SPECS && this.characters <= MAX_CHARACTERS) break
      this.made.delete(oldest)
      this.characters -= oldest.length
    }
    return made
  }
}
