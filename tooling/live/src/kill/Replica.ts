import type { KubeObject } from "@rollcall/api"
import { type Connection, isGone, type WatchEvent } from "@rollcall/cluster"
import { type Ledger, must, type State, stateOf } from "./Ledger.ts"
import { keyOf, type LoadKind } from "./load.ts"

/**
 * A copy of one kind that is maintained by watches alone, across restarts of the server: each watch resumes at the last event
 * of the previous one.
 */
export interface Replica {
  readonly kind: LoadKind
  /** Starts a watch; `problem` returns its error. */
  readonly follow: (connection: Connection) => void
  readonly stop: () => void
  /** Returns the revision up to which the copy is complete. */
  readonly revision: () => number
  readonly state: ReadonlyMap<string, State>
  /** Restarts from a list, as after 410 Gone. */
  readonly reset: (items: ReadonlyArray<KubeObject>, revision: number) => void
  readonly isGone: () => boolean
  readonly events: () => number
  readonly problem: () => string | undefined
}

export const makeReplica = (kind: LoadKind, ledger: Ledger): Replica => {
  const state = new Map<string, State>()
  let revision = 0
  let events = 0
  let gone = false
  let problem: string | undefined
  let cancel: (() => void) | undefined

  const see = (event: WatchEvent) => {
    if (event.type === "ERROR") {
      gone ||= event.object.code === 410
      return
    }
    const { metadata } = event.object
    const at = Number(metadata.resourceVersion)
    if (event.type === "BOOKMARK") {
      must(at >= revision, () => `${kind}: a bookmark of ${at} after ${revision}`)
      revision = at
      return
    }
    must(at > revision, () => `${kind}: an event of ${at} after ${revision}`)
    revision = at
    events++
    const key = keyOf(kind, metadata.name ?? "")
    const before = state.get(key)
    must(
      (event.type === "ADDED") === (before === undefined),
      () => `${key}: ${event.type} at ${at} on top of ${before?.revision}`
    )
    if (event.type === "DELETED") {
      state.delete(key)
      ledger.deliver(String(at), `${key} deleted`)
    } else {
      const next = stateOf(event.object)
      state.set(key, next)
      ledger.deliver(String(at), `${key} ${next.mark}`)
    }
  }
  const guarded = (run: () => void) => {
    try {
      run()
    } catch (cause) {
      problem ??= cause instanceof Error ? cause.message : String(cause)
    }
  }
  return {
    kind,
    state,
    revision: () => revision,
    events: () => events,
    isGone: () => gone,
    problem: () => problem,
    stop: () => cancel?.(),
    reset: (items, at) => {
      state.clear()
      for (const item of items) state.set(keyOf(kind, item.metadata.name ?? ""), stateOf(item))
      revision = at
      gone = false
    },
    follow: (connection) => {
      cancel?.()
      const sink = {
        events: (batch: ReadonlyArray<WatchEvent>) => guarded(() => batch.forEach(see)),
        end: (error: Parameters<Parameters<Connection["watch"]>[1]["end"]>[0]) => {
          if (error !== undefined && isGone(error)) gone = true
        }
      }
      cancel = connection.watch(
        { verb: "watch", kind, resourceVersion: String(revision), allowWatchBookmarks: true },
        sink
      )
    }
  }
}
