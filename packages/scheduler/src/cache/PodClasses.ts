import type { ClassPredicate, ClassQuery, NodeInfo, PodClass } from "./CacheRecords.ts"

/** Number of cached queries at which all are dropped: far more than a cluster has workloads with pending pods. */
const MAX_QUERIES = 4096

/** The classes of the pods on nodes, and cached queries for the classes that a predicate matches. */
export class PodClasses {
  private readonly classes = new Map<string, PodClass>()
  private readonly queries = new Map<string, ClassQuery>()
  private readonly classesWithTerms = new Set<PodClass>()

  /** Classes whose pods have inter-pod affinity or anti-affinity of their own. */
  get withTerms(): ReadonlySet<PodClass> {
    return this.classesWithTerms
  }

  /** Returns the class with this key if pods of it are on nodes, else a new one. */
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

  /** Returns the classes for which the predicate holds, kept up to date; `key` must identify the predicate. */
  matching(key: string, predicate: ClassPredicate): ReadonlySet<PodClass> {
    const known = this.queries.get(key)
    if (known !== undefined) return known.classes
    if (this.queries.size >= MAX_QUERIES) this.forgetQueries()
    const query: ClassQuery = { key, predicate, classes: new Set() }
    this.queries.set(key, query)
    for (const podClass of this.classes.values()) this.evaluate(query, podClass)
    return query.classes
  }

  /** Must be called when anything else changes that predicates depend on: the labels of namespaces. */
  forgetQueries(): void {
    this.queries.clear()
    for (const podClass of this.classes.values()) podClass.matchedBy.clear()
  }

  private register(podClass: PodClass): PodClass {
    this.classes.set(podClass.key, podClass)
    if (podClass.terms !== undefined) this.classesWithTerms.add(podClass)
    for (const query of this.queries.values()) this.evaluate(query, podClass)
    return podClass
  }

  private unregister(podClass: PodClass): void {
    this.classes.delete(podClass.key)
    this.classesWithTerms.delete(podClass)
    for (const query of podClass.matchedBy) query.classes.delete(podClass)
    podClass.matchedBy.clear()
  }

  /** Adds the class to the result of a query that it matches. */
  private evaluate(query: ClassQuery, podClass: PodClass): void {
    if (!query.predicate(podClass)) return
    query.classes.add(podClass)
    podClass.matchedBy.add(query)
  }
}
