import type { Steps } from "../turns/Steps.ts"
import { emptySet, type FieldSet, type FreshSet } from "./fieldSet.ts"
import { inElementOrder, type Path, type PathElement } from "./pathElement.ts"

/** A node of a set under construction. */
class Place {
  isMember: boolean
  below: Map<PathElement, Place> | undefined

  constructor(isMember: boolean) {
    this.isMember = isMember
  }

  /** Returns the child of an element, created when missing. */
  at(element: PathElement): Place {
    this.below ??= new Map()
    let place = this.below.get(element)
    if (place === undefined || place === end) {
      place = new Place(place === end)
      this.below.set(element, place)
    }
    return place
  }

  /** Adds the path to a child element. */
  add(element: PathElement): void {
    this.below ??= new Map()
    const place = this.below.get(element)
    if (place === undefined) this.below.set(element, end)
    else place.isMember = true
  }
}

/** A path without children, as most are: one shared node. */
const end = new Place(true)

/** The empty set, which `isEmpty` compares by reference. */
const leaf = emptySet as FreshSet

/**
 * Builds a field set path by path. The JSON form of a set cannot tell in constant time whether a node has children, or
 * where the previous path ended; so a set under construction is a tree of its own, and each path costs one step for
 * each element that it does not share with its trail.
 */
export class FieldSetBuilder {
  /** The nodes along the trail; those up to `known` are current. */
  private readonly places: Array<Place> = [new Place(false)]
  private known = 0
  private count = 0

  /** Adds the current path of the trail. The root is not a path. */
  add(path: Path): void {
    const last = path.length - 1
    if (last < 0) return
    this.count++
    if (this.known > last) (this.places[this.known] as Place).isMember = true
    else this.placeAt(path, last).add(path[last] as PathElement)
  }

  /** Adds a path with one more element than the trail. */
  addBelow(path: Path, element: PathElement): void {
    this.count++
    this.placeAt(path, path.length).add(element)
  }

  /** Called when the trail gets shorter: elements beyond this length belong to another path from now on. */
  left(length: number): void {
    if (this.known > length) this.known = length
  }

  /** Returns the node of the first `length` elements of the trail, which is at least that long. */
  private placeAt(path: Path, length: number): Place {
    let place = this.places[this.known] as Place
    while (this.known < length) {
      place = place.at(path[this.known] as PathElement)
      this.places[++this.known] = place
    }
    return place
  }

  /** Returns the set of all added paths, in the order of fieldsV1. */
  done(): FieldSet {
    const root = this.places[0] as Place
    return root.below === undefined ? leaf : built(root, root.below, false)
  }

  /** Whether building the set takes long. */
  get isLong(): boolean {
    return this.count >= MANY
  }

  /** As `done`, in steps, for a long set. */
  *inParts(): Steps<FieldSet> {
    const root = this.places[0] as Place
    yield
    return root.below === undefined ? leaf : yield* building(root, root.below, false)
  }
}

/** As `built`, in steps. */
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

/** A list or map with at least this many entries is walked in steps. */
export const MANY = 2048

/** The current path of a walk over an object, for the sets that it adds to. */
export class PathTrail {
  readonly path: Array<PathElement> = []
  /** Deferred walks of long parts, with the paths at which they begin. */
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

  /** Defers the walk of this part to the end: sets do not depend on the order. */
  defer(walk: Steps<void>): undefined {
    this.deferred.push({ path: [...this.path], walk })
  }

  /** Whether walks are deferred. */
  get isLong(): boolean {
    return this.deferred.length > 0
  }

  /** Runs the deferred walks, including those deferred meanwhile. */
  *finish(): Steps<void> {
    for (const { path, walk } of this.deferred) {
      this.path.splice(0, this.path.length, ...path)
      for (const builder of this.builders) builder.left(0)
      yield* walk
      yield
    }
  }
}
