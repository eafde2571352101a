import type { ClassPredicate, Matching, NodeInfo, PodClass } from "./CacheRecords.ts"

/** Number of cached queries before all are dropped: far more than a cluster has workloads with pending pods. */
const MATCHINGS_LIMIT = 4096

/** The classes of the pods on nodes, and a cache of which classes a selector matches. */
export class PodClasses {
  private readonly classes = new Map<string, PodClass>()
  private readonly matchings = new Map<string, Matching>()
  private readonly affine = new Set<PodClass>()

  /** Classes whose pods have inter-pod affinity or anti-affinity of their own. */
  get withTerms(): ReadonlySet<PodClass> {
    return this.affine
  }

  /** The class of this key if pods of it are on nodes, else a new one. */
  readonly intern = (key: string, make: () => PodClass): PodClass => this.classes.get(key) ?? make()

  add(podClass: PodClass, node: NodeInfo, terminating: boolean): void {
    const known = this.classes.get(podClass.key) ?? this.register(podClass)
    const count = known.nodes.get(node)
    if (count === undefined) known.nodes.set(node, { all: 1, live: terminating ? 0 : 1 })
    else {
      count.all++
      if (!terminating) count.live++
    }
  }

  remove(podClass: PodClass, node: NodeInfo, terminating: boolean): void {
    const known = this.classes.get(podClass.key)
    const count = known?.nodes.get(node)
    if (known === undefined || count === undefined) return
    count.all--
    if (!terminating) count.live--
    if (count.all > 0) return
    known.nodes.delete(node)
    if (known.nodes.size === 0) this.unregister(known)
  }

  /** Classes for which the predicate holds; `key` must identify the predicate. */
  matching(key: string, predicate: ClassPredicate): ReadonlySet<PodClass> {
    const known = this.matchings.get(key)
    if (known !== undefined) return known.classes
    if (this.matchings.size >= MATCHINGS_LIMIT) this.forgetMatchings()
    const matching: Matching = { key, predicate, classes: new Set() }
    this.matchings.set(key, matching)
    for (const podClass of this.classes.values()) this.judge(matching, podClass)
    return matching.classes
  }

  /** To be called when anything else that predicates depend on has changed. */
  forgetMatchings(): void {
    this.matchings.clear()
    for (const podClass of this.classes.values()) podClass.matchedBy.clear()
  }

  private register(podClass: PodClass): PodClass {
    this.classes.set(podClass.key, podClass)
    if (podClass.terms !== undefined) this.affine.add(podClass)
    for (const matching of this.matchings.values()) this.judge(matching, podClass)
    return podClass
  }

  private unregister(podClass: PodClass): void {
    this.classes.delete(podClass.key)
    this.affine.delete(podClass)
    for (const matching of podClass.matchedBy) matching.classes.delete(podClass)
    podClass.matchedBy.clear()
  }

  private judge(matching: Matching, podClass: PodClass): void {
    if (!matching.predicate(podClass)) return
    matching.classes.add(podClass)
    podClass.matchedBy.add(matching)
  }
}
