import type { FieldSet, FreshSet } from "./fieldSet.ts"
import { inElementOrder, type Path, type PathElement } from "./pathElement.ts"

/** A place in a set under construction. */
class Place {
  isMember = false
  below: Map<PathElement, Place> | undefined

  at(element: PathElement): Place {
    this.below ??= new Map()
    let place = this.below.get(element)
    if (place === undefined) {
      place = new Place()
      this.below.set(element, place)
    }
    return place
  }
}

const leaf: FieldSet = {}

/**
 * Puts a field set together path by path. The JSON form of a set cannot tell in one step whether it has anything below it, nor where the
 * path before ended; so a set under construction is a tree of its own, and costs one step for each element that a path has beyond
 * what the paths of its trail share.
 */
export class FieldSetBuilder {
  /** The places along the trail; those up to `known` are still its. */
  private readonly places: Array<Place> = [new Place()]
  private known = 0

  /** Adds the path that the trail stands at. The root is no path. */
  add(path: Path): void {
    let place = this.places[this.known] as Place
    while (this.known < path.length) {
      place = place.at(path[this.known] as PathElement)
      this.places[++this.known] = place
    }
    place.isMember = true
  }

  /** The trail went back: what lies beyond this length is another path from now on. */
  left(length: number): void {
    if (this.known > length) this.known = length
  }

  /** The set of all that was added, in the order of fieldsV1. */
  done(): FieldSet {
    const root = this.places[0] as Place
    return root.below === undefined ? leaf : built(root, root.below, false)
  }
}

const built = (place: Place, below: ReadonlyMap<PathElement, Place>, mark: boolean): FieldSet => {
  const set: FreshSet = mark && place.isMember ? { ".": {} } : {}
  for (const element of inElementOrder([...below.keys()])) {
    const child = below.get(element) as Place
    set[element] = (child.below === undefined ? {} : built(child, child.below, true)) as FreshSet
  }
  return set
}

/** Where a walk over an object stands, for the sets that it adds to. */
export class PathTrail {
  readonly path: Array<PathElement> = []
  private readonly builders: ReadonlyArray<FieldSetBuilder>

  constructor(builders: ReadonlyArray<FieldSetBuilder>) {
    this.builders = builders
  }

  enter(element: PathElement): void {
    this.path.push(element)
  }

  leave(): void {
    this.path.pop()
    for (const builder of this.builders) builder.left(this.path.length)
  }
}
