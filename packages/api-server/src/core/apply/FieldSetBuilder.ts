import type { Steps } from "../turns/Steps.ts"
import { emptySet, type FieldSet, type FreshSet } from "./fieldSet.ts"
import { inElementOrder, type Path, type PathElement } from "./pathElement.ts"

/** A place in a set under construction. */
class Place {
  isMember: boolean
  below: Map<PathElement, Place> | undefined

  constructor(isMember: boolean) {
    this.isMember = isMember
  }

  /** The place of an element below, to be added to. */
  at(element: PathElement): Place {
    this.below ??= new Map()
    let place = this.below.get(element)
    if (place === undefined || place === end) {
      place = new Place(place === end)
      this.below.set(element, place)
    }
    return place
  }

  /** Adds the path to an element below. */
  add(element: PathElement): void {
    this.below ??= new Map()
    const place = this.below.get(element)
    if (place === undefined) this.below.set(element, end)
    else place.isMember = true
  }
}

/** A path with nothing below it, as most are: one place for all of them. */
const end = new Place(true)

/** The one that `isEmpty` knows. */
const leaf = emptySet as FreshSet

/**
 * Puts a field set together path by path. The JSON form of a set cannot tell in one step whether it has anything below it, nor where the
 * path before ended; so a set under construction is a tree of its own, and costs one step for each element that a path has beyond
 * what the paths of its trail share.
 */
export class FieldSetBuilder {
  /** The places along the trail; those up to `known` are still its. */
  private readonly places: Array<Place> = [new Place(false)]
  private known = 0
  private count = 0

  /** Adds the path that the trail stands at. The root is no path. */
  add(path: Path): void {
    const last = path.length - 1
    if (last < 0) return
    this.count++
    if (this.known > last) (this.places[this.known] as Place).isMember = true
    else this.placeAt(path, last).add(path[last] as PathElement)
  }

  /** Adds a path that has one more element than the trail. */
  addBelow(path: Path, element: PathElement): void {
    this.count++
    this.placeAt(path, path.length).add(element)
  }

  /** The trail went back: what lies beyond this length is another path from now on. */
  left(length: number): void {
    if (this.known > length) this.known = length
  }

  /** The place of so many elements of the trail, which is as long at least. */
  private placeAt(path: Path, length: number): Place {
    let place = this.places[this.known] as Place
    while (this.known < length) {
      place = place.at(path[this.known] as PathElement)
      this.places[++this.known] = place
    }
    return place
  }

  /** The set of all that was added, in the order of fieldsV1. */
  done(): FieldSet {
    const root = this.places[0] as Place
    return root.below === undefined ? leaf : built(root, root.below, false)
  }

  /** Whether to put it together takes long. */
  get isLong(): boolean {
    return this.count >= MANY
  }

  /** As `done`, of a long set. */
  *inParts(): Steps<FieldSet> {
    const root = this.places[0] as Place
    yield
    return root.below === undefined ? leaf : yield* building(root, root.below, false)
  }
}

/** As `built`, in parts. */
const building = function* (place: Place, below: ReadonlyMap<PathElement, Place>, mark: boolean): Steps<FreshSet> {
  const set: FreshSet = mark && place.isMember ? { ".": leaf } : {}
  const elements = inElementOrder([...below.keys()])
  yield
  let count = 0
  for (const element of elements) {
    const child = below.get(element)
    set[element] = child?.below === undefined ? leaf : yield* building(child, child.below, true)
    if (++count % MANY === 0) yield
  }
  return set
}

const built = (place: Place, below: ReadonlyMap<PathElement, Place>, mark: boolean): FreshSet => {
  const set: FreshSet = mark && place.isMember ? { ".": leaf } : {}
  for (const element of inElementOrder([...below.keys()])) {
    const child = below.get(element)
    set[element] = child?.below === undefined ? leaf : built(child, child.below, true)
  }
  return set
}

/** A list or map with so many entries is walked in parts. */
export const MANY = 2048

/** Where a walk over an object stands, for the sets that it adds to. */
export class PathTrail {
  readonly path: Array<PathElement> = []
  /** Walks of what is long, and where they begin. */
  private readonly deferred: Array<{ readonly path: Path; readonly walk: Steps<void> }> = []
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

  /** Has this part walked, from here, when the rest is done: sets do not depend on the order. */
  defer(walk: Steps<void>): undefined {
    this.deferred.push({ path: [...this.path], walk })
  }

  /** Whether there is more to walk. */
  get isLong(): boolean {
    return this.deferred.length > 0
  }

  /** Walks what was deferred, and is deferred meanwhile. */
  *finish(): Steps<void> {
    for (const { path, walk } of this.deferred) {
      this.path.splice(0, this.path.length, ...path)
      for (const builder of this.builders) builder.left(0)
      yield* walk
      yield
    }
  }
}
