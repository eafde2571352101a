import { keyOf, type ObjectOf } from "@rollcall/api"
import { type Informer, isOlder } from "@rollcall/cluster"

/**
 * An informer's cache, overlaid with the objects that its owner has just written, so that a controller does not decide
 * on a version that it has replaced. Upstream: persistentvolume/pv_controller_base.go storeObjectUpdate.
 */
export class OwnWrites<K extends "PersistentVolume" | "PersistentVolumeClaim"> {
  private readonly informer: Informer<K>
  private readonly written = new Map<string, ObjectOf<K>>()

  constructor(informer: Informer<K>) {
    this.informer = informer
  }

  /** By `namespace/name`, or the name of a cluster-scoped object. */
  get(key: string): ObjectOf<K> | undefined {
    const seen = this.informer.get(key)
    if (this.written.size === 0) return seen
    const own = this.written.get(key)
    if (own === undefined) return seen
    if (seen !== undefined && isOlder(seen, own)) return own
    this.written.delete(key)
    return seen
  }

  /** The newest known version of each of these objects of an index. */
  newest(objects: ReadonlyArray<ObjectOf<K>>): ReadonlyArray<ObjectOf<K>> {
    return this.written.size === 0 ? objects : objects.map((object) => this.get(keyOf(object)) ?? object)
  }

  note(object: ObjectOf<K>): void {
    this.written.set(keyOf(object), object)
  }

  forget(key: string): void {
    this.written.delete(key)
  }
}
