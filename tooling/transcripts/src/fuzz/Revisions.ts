import { isObject, type Json } from "../Case.ts"

/** The latest known revision of each object of a server: whether a write changed something shows nowhere else. */
export class Revisions {
  private readonly known = new Map<string, string>()

  /** Takes an answer; returns whether the object is newer than in the answer before, or undefined if there was none. */
  isNewer(body: Json | undefined): boolean | undefined {
    const metadata = isObject(body) ? body.metadata : undefined
    if (!isObject(metadata)) return undefined
    const { resourceVersion, uid } = metadata
    if (typeof uid !== "string" || typeof resourceVersion !== "string") return undefined
    const before = this.known.get(uid)
    this.known.set(uid, resourceVersion)
    return before === undefined ? undefined : before !== resourceVersion
  }
}
