import { keyOf, type ObjectOf } from "@rollcall/api"
import { type Informer, isOlder } from "@rollcall/cluster"

/**
 * An informer's cache in which the objects that the controller itself has just written replace older ones, so that it
 * does not decide on a version that it has replaced. Upstream: persistentvolume/pv_controller_base.go
 * storeObjectUpdate.
 */
export class NewestVersions<K extends "PersistentVolume" | "PersistentVolumeClaim"> {
  private readonly informer: Informer<K>
  private readonly written = new Map<string, ObjectOf<K>>()

  constructor(informer: Informer<K>) {
    this.informer = informer
  }

  /** The newest known version of an object, by `namespace/name`, or by the name of a cluster-scoped object. */
  get(key: string): ObjectOf<K> | undefined {
    const cached = this.informer.get(key)
    if (this.written.size === 0) return cached
    const written = this.written.get(key)
    if (written === undefined) return cached
    if (cached !== undefined && isOlder(cached, written)) return written
    this.written.delete(key)
    return cached
  }

  /** The newest known version of each of these cached objects. */
  newest(objects: ReadonlyArray<ObjectOf<K>>): ReadonlyArray<ObjectOf<K>> {
    return this.written.size === 0 ? objects : objects.map((object) => this.get(keyOf(object)) ?? object)
  }

  /** Must be called with each object that the API server returned for a write. */
  note(object: ObjectOf<K>): void {
    this.written.set(keyOf(object), object)
  }

  forget(key: string): void {
    this.written.delete(key)
  }
}
