import { type AddressRange, nextStep, stepOf } from "./ranges.ts"

/** A bound for clusters whose ranges come and go: what is forgotten is searched again. */
const MOST_RANGES = 64

interface Search {
  readonly range: AddressRange
  /** All steps before this one are used. */
  step: number
}

/** Finds the first free address of a range without trying again those that it has found used. */
export class FreeAddresses {
  private readonly searches = new Map<string, Search>()
  private readonly isUsed: (address: string) => boolean

  constructor(isUsed: (address: string) => boolean) {
    this.isUsed = isUsed
  }

  /** Returns the first step whose address is free; a step behind the last one if there is none. */
  nextStep(range: AddressRange): number {
    const search = this.searches.get(range.text) ?? this.begin(range)
    search.step = nextStep(range, this.isUsed, search.step)
    return search.step
  }

  private begin(range: AddressRange): Search {
    if (this.searches.size >= MOST_RANGES) this.searches.clear()
    const search = { range, step: 0 }
    this.searches.set(range.text, search)
    return search
  }

  /** Notes that a value may be free from now on. */
  release(value: string | number): void {
    if (typeof value === "number") return
    for (const search of this.searches.values()) {
      const step = stepOf(search.range, value)
      if (step !== undefined && step < search.step) search.step = step
    }
  }
}
