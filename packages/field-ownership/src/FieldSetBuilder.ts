import type { Steps } from "@rollcall/time"
import { emptySet, type FieldSet, type FreshSet } from "./fieldSet.ts"
import { inElementOrder, type Path, type PathElement } from "./pathElement.ts"

/** A node of a set under construction. */
class BuilderNode {
  /** Whether the node's own path is in the set. */
  isMember: boolean
  below: Map<PathElement, BuilderNode> | undefined

  constructor(isMember: boolean) {
    this.isMember = isMember
  }

  /** Returns the child at an element; creates it if it is missing. */
  at(element: PathElement): BuilderNode {
    this.below ??= new Map()
    let node = this.below.get(element)
    if (node === undefined || node === leafNode) {
      node = new BuilderNode(node === leafNode)
      this.below.set(element, node)
    }
    return node
  }

  /** Adds the path to a child element. */
  add(element: PathElement): void {
    this.below ??= new Map()
    const node = this.below.get(element)
    if (node === undefined) this.below.set(element, leafNode)
    else node.isMember = true
  }
}

/** The node of a path in the set with no paths below it. Most are of this form, so they share one node. */
const leafNode = new BuilderNode(true)

/** The empty set, which `isEmpty` compares by reference. */
const leaf = emptySet as FreshSet

/**
 * Builds a field set path by path, while a `PathTrail` walks over an object. The set under construction is a tree of its
 * own, because the JSON form of a set cannot tell in constant time whether a node has children. The builder remembers the
 * nodes along the trail, so a path costs one step for each element that it does not share with the path before.
 */
export class FieldSetBuilder {
  /** The node of the root, and those of the first elements of the trail; valid up to the index `currentLength`. */
  private readonly nodes: Array<BuilderNode> = [new BuilderNode(false)]
  private currentLength = 0
  private count = 0

  /** Adds the current path of the trail. Does nothing for the root, which is not a path. */
  add(path: Path): void {
    const last = path.length - 1
    if (last < 0) return
    this.count++
    if (this.currentLength > last) (this.nodes[this.currentLength] as BuilderNode).isMember = true
    else this.nodeAt(path, last).add(path[last] as PathElement)
  }

  /** Adds a path with one more element than the trail. */
  addBelow(path: Path, element: PathElement): void {
    this.count++
    this.nodeAt(path, path.length).add(element)
  }

  /** Must be called when the trail gets shorter than before: later elements belong to another path from now on. */
  trailShortened(length: number): void {
    if (this.currentLength > length) this.currentLength = length
  }

  /** Returns the node of the first `length` elements of the trail, which is at least that long. */
  private nodeAt(path: Path, length: number): BuilderNode {
    let node = this.nodes[this.currentLength] as BuilderNode
    while (this.currentLength < length) {
      node = node.at(path[this.currentLength] as PathElement)
      this.nodes[++this.currentLength] = node
    }
    return node
  }

  /** Returns the set of all added paths, in the order of fieldsV1. */
  build(): FieldSet {
    const root = this.nodes[0] as BuilderNode
    return root.below === undefined ? leaf : nodeSet(root, root.below, false)
  }

  /** Whether building the set takes long. */
  get isLong(): boolean {
    return this.count >= STEP_ENTRIES
  }

  /** Does the work of `build` in steps, for a long set. */
  *buildInSteps(): Steps<FieldSet> {
    const root = this.nodes[0] as BuilderNode
    yield
    return root.below === undefined ? leaf : yield* nodeSetInSteps(root, root.below, false)
  }
}

/** Does the work of `nodeSet` in steps. */
const nodeSetInSteps = function* (
  node: BuilderNode,
  below: ReadonlyMap<PathElement, BuilderNode>,
  mark: boolean
): Steps<FreshSet> {
  const set: FreshSet = mark && node.isMember ? { ".": leaf } : {}
  const elements = inElementOrder([...below.keys()])
  yield
  let count = 0
  for (const element of elements) {
    const child = below.get(element)
    set[element] = child?.below === undefined ? leaf : yield* nodeSetInSteps(child, child.below, true)
    if (++count % STEP_ENTRIES === 0) yield
  }
  return set
}

/** Returns the subtree of a node as a field set; with `mark`, marked if the node's own path is in the set. */
const nodeSet = (node: BuilderNode, below: ReadonlyMap<PathElement, BuilderNode>, mark: boolean): FreshSet => {
  const set: FreshSet = mark && node.isMember ? { ".": leaf } : {}
  for (const element of inElementOrder([...below.keys()])) {
    const child = below.get(element)
    set[element] = child?.below === undefined ? leaf : nodeSet(child, child.below, true)
  }
  return set
}

/** A list or map with more entries than this is walked in steps of as many entries. */
export const STEP_ENTRIES = 2048

/** The current path of a walk over an object, which the builders of sets follow. */
export class PathTrail {
  readonly path: Array<PathElement> = []
  /** The deferred walks of long parts, with the paths at which they start. */
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
    for (const builder of this.builders) builder.trailShortened(this.path.length)
  }

  /** Defers the walk of the part at the current path to the end, where it can pause: a set does not depend on the order. */
  defer(walk: Steps<void>): undefined {
    this.deferred.push({ path: [...this.path], walk })
  }

  /** Whether walks are deferred. */
  get isLong(): boolean {
    return this.deferred.length > 0
  }

  /** Runs the deferred walks, including those that they defer themselves. */
  *runDeferredInSteps(): Steps<void> {
    for (const { path, walk } of this.deferred) {
      this.path.splice(0, this.path.length, ...path)
      for (const builder of this.builders) builder.trailShortened(0)
      yield* walk
      yield
    }
  }
}
