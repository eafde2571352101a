import type { KindName, KubeObject } from "@rollcall/api"
import { ApiError, type Connection, type WatchEvent } from "@rollcall/cluster"
import { type Change, Store } from "@rollcall/store"
import { layerEtcd } from "@rollcall/store-etcd"
import { layerWallClock, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A change of an object: its revision and its key, `12 default/a`. */
const changeText = (revision: number, key: string) => `${revision} ${key}`

/** The changes of a kind that a watch has delivered over all servers that it went to. */
export interface Followed {
  readonly changes: ReadonlyArray<string>
  /** How often it went on at the other server. */
  readonly resumed: number
  /** The error for which it could not go on. */
  readonly gone: string | undefined
}

const RESUME_MS = 50
const GONE = 410

/** Watches a kind after a revision. When the server ends the watch or dies, it goes on at the other one, where it was. */
export const followKind = (
  connections: ReadonlyArray<Connection>,
  timers: TimersShape,
  kind: KindName,
  { after, first, take }: { after: number; first: number; take: (object: KubeObject, type: string) => void }
) => {
  const changes: Array<string> = []
  let [revision, turn, resumed, isOver] = [after, first, 0, false]
  let gone: string | undefined
  let cancel = () => {}
  const onEvent = (event: WatchEvent) => {
    if (event.type === "ERROR") return
    const { metadata } = event.object as KubeObject
    revision = Number(metadata.resourceVersion)
    if (event.type === "BOOKMARK") return
    changes.push(changeText(revision, `${metadata.namespace ?? ""}/${metadata.name}`))
    take(event.object as KubeObject, event.type)
  }
  const follow = () => {
    if (isOver) return
    const connection = connections[turn++ % connections.length] as Connection
    const request = { verb: "watch", kind, resourceVersion: String(revision), allowWatchBookmarks: true } as const
    cancel = connection.watch(request, {
      events: (batch) => batch.forEach(onEvent),
      end: (error) => {
        if (error instanceof ApiError && error.status.code === GONE) gone = error.message
        resumed++
        timers.after(RESUME_MS, follow)
      }
    })
  }
  follow()
  return {
    followed: (): Followed => ({ changes, resumed, gone }),
    stop: () => {
      isOver = true
      cancel()
    }
  }
}

const changeOf = (prefix: string, change: Change): string => {
  const key = change.type === "put" ? change.entry.key : change.key
  const revision = change.type === "put" ? change.entry.modRevision : change.revision
  const path = key.slice(prefix.length)
  return changeText(revision, path.includes("/") ? path : `/${path}`)
}

const QUIET_MS = 1500

/** Reads from etcd's own history all changes below a prefix after a revision, up to another one. */
export const historyOf = (endpoints: ReadonlyArray<string>, prefix: string, after: number, until: number) =>
  Effect.gen(function* () {
    const layer = layerEtcd({ endpoints: [...endpoints], root: "/registry", prefix: "/registry", timeoutMs: 10_000 })
    const store = Context.get(yield* Layer.build(layer.pipe(Layer.provide(layerWallClock()))), Store)
    const changes: Array<string> = []
    const stop = store.watch(prefix, after, {
      changes: (batch) => {
        for (const change of batch) changes.push(changeOf(prefix, change))
      },
      end: (error) => changes.push(`ended: ${error?.message}`)
    })
    let before = -1
    while (changes.length !== before) {
      before = changes.length
      yield* Effect.sleep(QUIET_MS)
    }
    stop()
    return changes.filter((text) => Number.parseInt(text, 10) <= until)
  }).pipe(Effect.scoped)

/** Returns what a watch missed, repeated or made up, by what etcd has. */
export const followFaults = (
  name: string,
  { changes, gone }: Omit<Followed, "resumed">,
  history: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const faults = gone === undefined ? [] : [`${name}: the watch could not go on: ${gone}`]
  const at = history.findIndex((change, index) => change !== changes[index])
  if (at >= 0) faults.push(`${name}: change ${at} is ${history[at]} in etcd, and ${changes[at]} in the watch`)
  return faults
}
