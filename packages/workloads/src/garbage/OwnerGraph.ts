import { foregroundFinalizer, type KubeObject, type OwnerReference, orphanFinalizer } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"
import { kindOf } from "./customKinds.ts"
import { sameOwners } from "./sameOwners.ts"
import { keepsItem, UnreadPods } from "./UnreadPods.ts"

/** A node of the graph: the parts of an object that it needs. */
export interface Item {
  readonly uid: string
  readonly kind: AnyKind
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly owners: ReadonlyArray<OwnerReference>
  readonly phase: ItemPhase
}

/**
 * The state of an object in the graph:
 * - `alive`: not terminating
 * - `deleting`: terminating; its dependents are processed when it has been deleted
 * - `waiting`: terminating, until its blocking dependents have been deleted (finalizer foregroundDeletion)
 * - `orphaning`: terminating, until its dependents no longer refer to it (finalizer orphan)
 */
export type ItemPhase = "alive" | "deleting" | "waiting" | "orphaning"

/** The work that changes of the graph produce. Items are identified by uid. */
export interface GraphSink {
  /** The item may have lost its owners, or what blocked its deletion. */
  readonly check: (uid: string) => void
  /** The item's dependents are to be orphaned. */
  readonly orphan: (uid: string) => void
  /** The item, which has dependents, was deleted. */
  readonly ownerDeleted: (item: Item) => void
  /** The item refers to an owner in another namespace, which counts as absent. */
  readonly foreignOwner: (item: Item, reference: OwnerReference) => void
  /** The object could not be added to the graph; the others of the same list were. */
  readonly failed: (kind: AnyKind, object: KubeObject, error: unknown) => void
}

const phaseOf = ({ metadata: { deletionTimestamp, finalizers } }: KubeObject): ItemPhase => {
  if (deletionTimestamp === undefined) return "alive"
  if (finalizers?.includes(orphanFinalizer)) return "orphaning"
  return finalizers?.includes(foregroundFinalizer) ? "waiting" : "deleting"
}

const noOwners: ReadonlyArray<OwnerReference> = []

const noPods = new UnreadPods([])

const isBlocking = (reference: OwnerReference): boolean => reference.blockOwnerDeletion === true

/**
 * Owners and dependents, by uid, as observed by watches. Unlike upstream's graph it only contains observed objects:
 * for an unobserved owner it queues the dependent for a check against the API, where upstream adds a virtual node and
 * checks that.
 *
 * Upstream: pkg/controller/garbagecollector/graph_builder.go.
 */
export class OwnerGraph {
  private readonly items = new Map<string, Item>()
  private readonly dependentsByOwner = new Map<string, Set<Item>>()
  /** The kinds that have had items. */
  private readonly kinds = new Set<AnyKind>()
  private readonly sink: GraphSink
  private hasAllKinds = false
  /** The first list of pods, until the dependents of an owner of theirs are asked for. */
  private unread = noPods
  /** Whether a pod has changed since the first list. */
  private hasPodChanges = false
  /** The items that were linked since then, while there were unread pods: those come before them among an owner's dependents. */
  private readonly late = new Set<Item>()

  constructor(sink: GraphSink) {
    this.sink = sink
  }

  get size(): number {
    return this.items.size + this.unread.size
  }

  get(uid: string): Item | undefined {
    const item = this.items.get(uid)
    if (item !== undefined || this.unread.size === 0) return item
    this.readAll()
    return this.items.get(uid)
  }

  private readAll(): void {
    const { late, unread } = this
    this.unread = noPods
    if (unread.size > 0) {
      const linked = [...unread.ownerUids].map((uid) => [uid, this.dependentsByOwner.get(uid)] as const)
      const later = linked.map(([uid, items]) => [uid, [...(items ?? [])].filter((item) => late.has(item))] as const)
      for (const [uid, items] of later) for (const item of items) this.unlink(uid, item)
      unread.visit((pod) => this.observe("Pod", pod))
      for (const [uid, items] of later) for (const item of items) this.link(uid, undefined, item)
    }
    late.clear()
  }

  /** Returns the listed version of a pod that changes, if it has not been read. */
  private findUnread(pod: KubeObject): KubeObject | undefined {
    if (this.unread.size === 0) return undefined
    this.hasPodChanges = true
    return this.unread.find(pod)
  }

  private readDependents(uid: string): void {
    if (this.unread.size > 0 && this.unread.ownerUids.has(uid)) this.readAll()
  }

  /** Reads one pod. */
  private read(pod: KubeObject): void {
    this.unread.take(pod)
    this.observe("Pod", pod)
  }

  /** The objects that have an owner with this UID. */
  dependentsOf(uid: string): ReadonlyArray<Item> {
    this.readDependents(uid)
    return [...(this.dependentsByOwner.get(uid) ?? [])]
  }

  /** Dependents that block the deletion of a waiting owner. */
  blockingDependentsOf(uid: string): ReadonlyArray<Item> {
    return this.dependentsOf(uid).filter(({ owners }) => owners.some((owner) => owner.uid === uid && isBlocking(owner)))
  }

  /**
   * Must be called when every kind has been listed. Only now does the absence of an owner mean something, so the owners
   * of all items are checked.
   */
  allListed(): void {
    const { items, unread } = this
    let areOwned = [...items.values()].every(({ namespace, owners }) => this.areItems(owners, namespace))
    unread.visit(({ metadata: { namespace = "", ownerReferences = noOwners } }) => {
      areOwned &&= this.areItems(ownerReferences, namespace)
    })
    if (!areOwned) this.readAll()
    this.hasAllKinds = true
    for (const item of this.items.values()) this.checkOwners(item, item.owners)
  }

  /**
   * Must be called when an object was added or changed. An invalid one is reported to the sink, and its item stays
   * unchanged.
   */
  observe(kind: AnyKind, object: KubeObject): void {
    if (kind === "Pod" && this.unread.size > 0) {
      if (!this.hasAllKinds) this.readAll()
      const pod = this.findUnread(object)
      if (pod !== undefined && keepsItem(pod, object)) return
      if (pod !== undefined) this.read(pod)
    }
    this.kinds.add(kind)
    try {
      this.setItem(kind, object)
    } catch (error) {
      this.sink.failed(kind, object, error)
    }
  }

  private setItem(kind: AnyKind, object: KubeObject): void {
    const { name = "", namespace = "", ownerReferences: owners = noOwners, uid = "" } = object.metadata
    // Only an object with a uid can own or be owned.
    if (uid === "") return
    if (!Array.isArray(owners)) throw new TypeError("metadata.ownerReferences is not a list")
    const old = this.items.get(uid)
    const phase = phaseOf(object)
    // By far the most common case: neither owners nor deletion have changed.
    if (old !== undefined && old.phase === phase && sameOwners(old.owners, owners)) return
    const item: Item = { uid, kind, namespace, name, owners, phase }
    this.items.set(uid, item)
    if (this.unread.size > 0 && this.hasPodChanges) {
      if (old !== undefined) this.late.delete(old)
      this.late.add(item)
    }
    const added = old === undefined ? owners : this.relink(old, item)
    for (const owner of owners) this.link(owner.uid, old, item)
    this.checkOwners(item, added)
    if (phase !== old?.phase) this.queueForPhase(item)
  }

  /** Must be called when an object was deleted, as `forget`: an object is found where its uid is not. */
  forgetObject(kind: AnyKind, object: KubeObject): void {
    const pod = kind === "Pod" ? this.findUnread(object) : undefined
    if (pod !== undefined) this.read(pod)
    this.forget(object.metadata.uid ?? "")
  }

  /** Must be called when an object was deleted; queues its dependents, and the waiting owners that it blocked. */
  forget(uid: string): void {
    const item = this.get(uid)
    if (item === undefined) return
    // Later they would be without an owner.
    this.readDependents(uid)
    this.items.delete(uid)
    this.late.delete(item)
    for (const owner of item.owners) this.unlink(owner.uid, item)
    const dependents = this.dependentsOf(uid)
    if (dependents.length > 0) this.sink.ownerDeleted(item)
    for (const dependent of dependents) this.sink.check(dependent.uid)
    for (const owner of item.owners) {
      if (this.get(owner.uid)?.phase === "waiting") this.sink.check(owner.uid)
    }
  }

  /** Replaces a kind's items by a list: items that are not listed were deleted. */
  replace(kind: AnyKind, objects: ReadonlyArray<KubeObject>): void {
    const isFirst = !this.kinds.has(kind)
    const isPods = isFirst && kind === "Pod" && !this.hasAllKinds
    if (isPods && UnreadPods.canBe(objects)) {
      this.kinds.add(kind)
      this.unread = new UnreadPods(objects)
      return
    }
    if (kind === "Pod") this.readAll()
    for (const object of objects) this.observe(kind, object)
    // The first list of a kind replaces nothing: each of forty kinds would look through all items.
    if (isFirst) return
    const listed = new Set(objects.map(({ metadata }) => metadata.uid))
    for (const item of this.items.values()) if (item.kind === kind && !listed.has(item.uid)) this.forget(item.uid)
  }

  /** Queues the work for an item that has just reached its phase. */
  private queueForPhase(item: Item): void {
    if (item.phase === "orphaning") this.sink.orphan(item.uid)
    if (item.phase !== "waiting") return
    for (const dependent of this.dependentsOf(item.uid)) this.sink.check(dependent.uid)
    this.sink.check(item.uid)
  }

  /**
   * Removes the item from owners that it no longer has, and queues those that it no longer blocks; returns the new
   * references.
   */
  private relink(old: Item, item: Item): ReadonlyArray<OwnerReference> {
    // Of several references to the same owner the first counts.
    const owners = new Map(item.owners.toReversed().map((owner) => [owner.uid, owner]))
    for (const before of old.owners) {
      const after = owners.get(before.uid)
      if (after === undefined) this.unlink(before.uid, old)
      if (isBlocking(before) && (after === undefined || !isBlocking(after)) && this.get(before.uid)) {
        this.sink.check(before.uid)
      }
    }
    const known = new Set(old.owners.map(({ uid }) => uid))
    return item.owners.filter(({ uid }) => !known.has(uid))
  }

  /** Adds the item to its owner's dependents, in place of its old version. */
  private link(ownerUid: string, old: Item | undefined, item: Item): void {
    const dependents = this.dependentsByOwner.get(ownerUid)
    if (dependents === undefined) {
      this.dependentsByOwner.set(ownerUid, new Set([item]))
      return
    }
    if (old !== undefined) dependents.delete(old)
    dependents.add(item)
  }

  private unlink(ownerUid: string, item: Item): void {
    const dependents = this.dependentsByOwner.get(ownerUid)
    if (dependents === undefined) return
    dependents.delete(item)
    if (dependents.size === 0) this.dependentsByOwner.delete(ownerUid)
  }

  /** Whether the owners of an object are items, as the references say. */
  private areItems(owners: ReadonlyArray<OwnerReference>, namespace: string): boolean {
    return owners.every((reference) => {
      const owner = this.items.get(reference.uid)
      return owner !== undefined && isNamed(owner, reference) && mayOwn(owner, namespace)
    })
  }

  /**
   * Queues an item for a check against the API if an owner is not in the graph, or has another name, kind or namespace
   * than the reference says.
   */
  private checkOwners(item: Item, owners: ReadonlyArray<OwnerReference>): void {
    if (!this.hasAllKinds || item.phase === "deleting") return
    let needsCheck = false
    for (const reference of owners) {
      const owner = this.get(reference.uid)
      if (owner === undefined || !isNamed(owner, reference)) needsCheck = true
      else if (!mayOwn(owner, item.namespace)) {
        this.sink.foreignOwner(item, reference)
        needsCheck = true
      }
    }
    if (needsCheck) this.sink.check(item.uid)
  }
}

const isNamed = ({ kind, name }: Item, reference: OwnerReference): boolean =>
  name === reference.name && kindOf(kind) === reference.kind

const mayOwn = (owner: Item, namespace: string): boolean => owner.namespace === "" || owner.namespace === namespace
