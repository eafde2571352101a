import { foregroundFinalizer, type KubeObject, type OwnerReference, orphanFinalizer } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"
import { kindOf } from "./customKinds.ts"

/** What the graph keeps of an object. */
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
 * - `alive`
 * - `deleting`: on its way out; what it owns is dealt with when it has gone
 * - `waiting`: being deleted, and waits until its blocking dependents have gone (finalizer foregroundDeletion)
 * - `orphaning`: being deleted, and waits until its dependents no longer refer to it (finalizer orphan)
 */
export type ItemPhase = "alive" | "deleting" | "waiting" | "orphaning"

/** What a change of the graph gives to do. Items are named by uid. */
export interface GraphSink {
  /** This item may have lost its owners, or what held up its deletion. */
  readonly check: (uid: string) => void
  /** This item's dependents are to be let go. */
  readonly orphan: (uid: string) => void
  /** The item refers to an owner that lives in another namespace, which counts as none. */
  readonly foreignOwner: (item: Item, reference: OwnerReference) => void
  /** An object that cannot be taken into the graph: those listed with it are. */
  readonly failed: (kind: AnyKind, object: KubeObject, error: unknown) => void
}

const phaseOf = ({ metadata: { deletionTimestamp, finalizers } }: KubeObject): ItemPhase => {
  if (deletionTimestamp === undefined) return "alive"
  if (finalizers?.includes(orphanFinalizer)) return "orphaning"
  return finalizers?.includes(foregroundFinalizer) ? "waiting" : "deleting"
}

const none: ReadonlyArray<OwnerReference> = []

const blocks = (reference: OwnerReference): boolean => reference.blockOwnerDeletion === true

/**
 * Who owns whom, by uid, as the watches tell it. Unlike upstream's it holds only what has been seen: an object whose owner has not
 * been seen is checked against the API itself, where upstream checks a virtual node in the owner's place.
 *
 * Upstream: pkg/controller/garbagecollector/graph_builder.go.
 */
export class OwnerGraph {
  private readonly items = new Map<string, Item>()
  private readonly dependentsByOwner = new Map<string, Set<Item>>()
  private readonly sink: GraphSink
  private complete = false

  constructor(sink: GraphSink) {
    this.sink = sink
  }

  get size(): number {
    return this.items.size
  }

  get(uid: string): Item | undefined {
    return this.items.get(uid)
  }

  dependentsOf(uid: string): ReadonlyArray<Item> {
    return [...(this.dependentsByOwner.get(uid) ?? [])]
  }

  /** Those without which a waiting owner cannot go. */
  blockingDependentsOf(uid: string): ReadonlyArray<Item> {
    return this.dependentsOf(uid).filter(({ owners }) => owners.some((owner) => owner.uid === uid && blocks(owner)))
  }

  /** Every kind has been listed: an owner that is not here now is worth asking for. */
  allListed(): void {
    this.complete = true
    for (const item of this.items.values()) this.checkOwners(item, item.owners)
  }

  /** An object came or changed. One that cannot be read is told to the sink, and stays what it was. */
  observe(kind: AnyKind, object: KubeObject): void {
    try {
      this.take(kind, object)
    } catch (error) {
      this.sink.failed(kind, object, error)
    }
  }

  private take(kind: AnyKind, object: KubeObject): void {
    const { name = "", namespace = "", ownerReferences: owners = none, uid = "" } = object.metadata
    // Only what the API has stored can own or be owned.
    if (uid === "") return
    if (!Array.isArray(owners)) throw new TypeError("metadata.ownerReferences is not a list")
    const old = this.items.get(uid)
    const phase = phaseOf(object)
    // The common case by far: neither owners nor deletion have changed.
    if (old !== undefined && old.phase === phase && sameOwners(old.owners, owners)) return
    const item: Item = { uid, kind, namespace, name, owners, phase }
    this.items.set(uid, item)
    const added = old === undefined ? owners : this.relink(old, item)
    for (const owner of owners) this.link(owner.uid, old, item)
    this.checkOwners(item, added)
    if (phase !== old?.phase) this.entered(item)
  }

  /** An object has gone. */
  forget(uid: string): void {
    const item = this.items.get(uid)
    if (item === undefined) return
    this.items.delete(uid)
    for (const owner of item.owners) this.unlink(owner.uid, item)
    for (const dependent of this.dependentsOf(uid)) this.sink.check(dependent.uid)
    for (const owner of item.owners) {
      if (this.items.get(owner.uid)?.phase === "waiting") this.sink.check(owner.uid)
    }
  }

  /** A kind as a list has it: what was there and is not listed has gone. */
  replace(kind: AnyKind, objects: ReadonlyArray<KubeObject>): void {
    const listed = new Set(objects.map(({ metadata }) => metadata.uid))
    for (const object of objects) this.observe(kind, object)
    for (const item of this.items.values()) if (item.kind === kind && !listed.has(item.uid)) this.forget(item.uid)
  }

  private entered(item: Item): void {
    if (item.phase === "orphaning") this.sink.orphan(item.uid)
    if (item.phase !== "waiting") return
    for (const dependent of this.dependentsOf(item.uid)) this.sink.check(dependent.uid)
    this.sink.check(item.uid)
  }

  /** Takes the item out of the owners that it no longer has, wakes those that it no longer blocks; the references that are new. */
  private relink(old: Item, item: Item): ReadonlyArray<OwnerReference> {
    // Of several references to one owner the first counts.
    const owners = new Map(item.owners.toReversed().map((owner) => [owner.uid, owner]))
    for (const before of old.owners) {
      const after = owners.get(before.uid)
      if (after === undefined) this.unlink(before.uid, old)
      if (blocks(before) && (after === undefined || !blocks(after)) && this.items.has(before.uid)) {
        this.sink.check(before.uid)
      }
    }
    const known = new Set(old.owners.map(({ uid }) => uid))
    return item.owners.filter(({ uid }) => !known.has(uid))
  }

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

  /** An owner that is not known, or not where the reference says, is a reason to ask the API. */
  private checkOwners(item: Item, owners: ReadonlyArray<OwnerReference>): void {
    if (!this.complete || item.phase === "deleting") return
    let doubtful = false
    for (const reference of owners) {
      const owner = this.items.get(reference.uid)
      if (owner === undefined || owner.name !== reference.name || kindOf(owner.kind) !== reference.kind) doubtful = true
      else if (owner.namespace !== "" && owner.namespace !== item.namespace) {
        this.sink.foreignOwner(item, reference)
        doubtful = true
      }
    }
    if (doubtful) this.sink.check(item.uid)
  }
}

const same = (left: OwnerReference, right: OwnerReference): boolean =>
  left === right ||
  (left.uid === right.uid &&
    left.name === right.name &&
    left.kind === right.kind &&
    left.apiVersion === right.apiVersion &&
    left.controller === right.controller &&
    left.blockOwnerDeletion === right.blockOwnerDeletion)

/** Whether two objects refer to the same owners in the same way; quick when they share the list. */
export const sameOwners = (
  left: ReadonlyArray<OwnerReference> = [],
  right: ReadonlyArray<OwnerReference> = []
): boolean =>
  left === right ||
  (left.length === right.length && left.every((reference, index) => same(reference, right[index] ?? reference)))
