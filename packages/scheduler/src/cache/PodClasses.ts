import type { ClassPredicate, Matching, NodeInfo, PodClass } from "./CacheRecords.ts"

/** Questions remembered before all are forgotten: far more than a cluster has workloads with pods to place. */
const MATCHINGS_LIMIT = 4096

/** The classes of the pods that are on nodes, and which of them a selector matches. */
export class PodClasses {
  private readonly classes = new Map<string, PodClass>()
  private readonly matchings = new Map<string, Matching>()
  private readonly affine = new Set<PodClass>()

  /** Classes whose pods have inter-pod affinity or anti-affinity of their own. */
  get withTerms(): ReadonlySet<PodClass> {
    return this.affine
  }

  /** The class of this key if pods of it are on nodes, else the one that is made. */
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

  /** Classes for which the predicate holds; `key` names the predicate and must tell apart all that differ. */
  matching(key: string, predicate: ClassPredicate): ReadonlySet<PodClass> {
    const known = this.matchings.get(key)
    if (known !== undefined) return known.classes
    if (this.matchings.size >= MATCHINGS_LIMIT) this.forgetMatchings()
    const matching: Matching = { key, predicate, classes: new Set() }
    this.matchings.set(key, matching)
    for (const podClass of this.classes.values()) this.judge(matching, podClass)
    return matching.classes
  }

  /** For when what a predicate looks at besides the class has changed. */
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
