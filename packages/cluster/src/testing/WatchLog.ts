import type { KindName, ObjectOf } from "@rollcall/api"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClusterShape } from "../Cluster.ts"
import { ApiError, type ClusterError } from "../ClusterError.ts"
import type { WatchEvent, WatchRequest } from "../Connection.ts"

/** The events that a watch has delivered so far. */
export interface WatchLog<K extends KindName> {
  readonly events: ReadonlyArray<WatchEvent<ObjectOf<K>>>
  /** Waits for that many events and returns them in short form (`ADDED a`). */
  readonly atLeast: (count: number) => Effect.Effect<ReadonlyArray<string>>
  /** Waits for the end of the watch and returns its error. */
  readonly ended: Effect.Effect<ClusterError | undefined>
  readonly lastRevision: () => string
  readonly cancel: () => void
}

const TIMEOUT = "10 seconds"

const nameOf = (event: WatchEvent): string =>
  event.type === "ERROR" ? event.type : `${event.type} ${event.object.metadata.name}`

/**
 * Watches until the scope closes. Bookmarks are omitted; an ERROR event counts as the end of the watch. Throws within the
 * connection if it breaks the contract of WatchSink.
 */
export const watchLog = <K extends KindName>(
  cluster: ClusterShape,
  kind: K,
  options: Omit<WatchRequest, "verb" | "kind"> = {}
): Effect.Effect<WatchLog<K>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => open<K>(cluster, { ...options, verb: "watch", kind })),
    (log) => Effect.sync(log.cancel)
  )

const open = <K extends KindName>(cluster: ClusterShape, request: WatchRequest): WatchLog<K> => {
  const events: Array<WatchEvent<ObjectOf<K>>> = []
  const waiting = new Set<() => void>()
  let end: { readonly error: ClusterError | undefined } | undefined
  let hasReturned = false
  const checkWaiters = () => {
    for (const check of [...waiting]) check()
  }
  const waitFor = <A>(what: string, ready: () => A | undefined): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const check = () => {
        const value = ready()
        if (value === undefined) return
        waiting.delete(check)
        resume(Effect.succeed(value))
      }
      waiting.add(check)
      check()
    }).pipe(
      Effect.timeout(TIMEOUT),
      Effect.catchTag("TimeoutError", () =>
        Effect.die(new Error(`${what} did not come within ${TIMEOUT}; seen: ${events.map(nameOf).join(", ")}`))
      )
    )
  const cancel = cluster.connection.watch(request, {
    events: (batch) => {
      if (!hasReturned) throw new Error("events were delivered before watch returned")
      if (end !== undefined) throw new Error("events were delivered after the end")
      if (batch.length === 0) throw new Error("an empty batch was delivered")
      for (const event of batch) {
        if (event.type === "ERROR") end = { error: new ApiError({ status: event.object }) }
        else if (event.type !== "BOOKMARK") events.push(event as WatchEvent<ObjectOf<K>>)
      }
      checkWaiters()
    },
    end: (error) => {
      if (!hasReturned) throw new Error("the watch ended before watch returned")
      end ??= { error }
      checkWaiters()
    }
  })
  hasReturned = true
  return {
    events,
    atLeast: (count) => waitFor(`event ${count}`, () => (events.length >= count ? events.map(nameOf) : undefined)),
    ended: Effect.map(
      waitFor("the end", () => end),
      ({ error }) => error
    ),
    lastRevision: () => {
      const last = events.at(-1)
      return last === undefined || last.type === "ERROR" ? "" : (last.object.metadata.resourceVersion ?? "")
    },
    cancel
  }
}
