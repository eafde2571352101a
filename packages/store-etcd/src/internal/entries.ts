import { parseExactly } from "@rollcall/api/json"
import type { Change, Entry, Revision } from "@rollcall/store"
import type { Event, KeyValue } from "../generated/etcd_pb.ts"
import { type KeySpace, storeKeyOf } from "./keys.ts"

const decoder = new TextDecoder()
/** The type of an event: etcd's Event.DELETE. */
const DELETE = 1

/** Returns the value of a key; the text itself if it is no JSON, because another program wrote it. */
const parse = (bytes: Uint8Array): unknown => {
  const text = decoder.decode(bytes)
  try {
    return parseExactly(text)
  } catch {
    return text
  }
}

/** Makes the entry of a key. Its value is read when it is asked for: nobody asks for most of those that a watch delivers. */
export const entryOf = (key: string, { createRevision, modRevision, value: bytes }: KeyValue): Entry => {
  let isRead = false
  let value: unknown
  return {
    key,
    get value() {
      if (!isRead) value = parse(bytes)
      isRead = true
      return value
    },
    createRevision: Number(createRevision),
    modRevision: Number(modRevision)
  }
}

/** The changes of a watch's events; `lost` is the revision of the first change whose previous state is compacted. */
export interface Events {
  readonly changes: ReadonlyArray<Change>
  readonly lost: Revision | undefined
}

/** Converts the events of a watch. Those after a lost one are left out. */
export const changesOf = (space: KeySpace, events: ReadonlyArray<Event>): Events => {
  const changes: Array<Change> = []
  for (const { kv, prevKv, type } of events) {
    if (kv === undefined) continue
    const revision = Number(kv.modRevision)
    const key = storeKeyOf(space, kv.key)
    const previous = prevKv && entryOf(key, prevKv)
    const isCreate = type !== DELETE && kv.createRevision === kv.modRevision
    if (type !== DELETE && (isCreate || previous !== undefined)) {
      changes.push({ type: "put", entry: entryOf(key, kv), previous })
    } else if (type === DELETE && previous !== undefined) changes.push({ type: "delete", key, revision, previous })
    else return { changes: changes.filter((change) => revisionOf(change) < revision), lost: revision }
  }
  return { changes, lost: undefined }
}

/** Returns the revision of a change. */
export const revisionOf = (change: Change): Revision =>
  change.type === "put" ? change.entry.modRevision : change.revision
