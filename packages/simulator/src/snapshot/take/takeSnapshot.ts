import { formatTime, type KindName, type KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isForbidden, isNotFound } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { annotationKinds, annotationTaken } from "../coverage.ts"
import { type SnapshotKind, snapshotKinds } from "../snapshotKinds.ts"
import { listKind } from "./listKind.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

/** Without them there is nothing to rehearse. */
const needed: ReadonlySet<KindName> = new Set(["Node", "Pod"])

/** What was read of a kind. */
export interface TakenKind {
  readonly kind: KindName
  /** Undefined: it may not be read, or the cluster does not know it. */
  readonly objects: ReadonlyArray<KubeObject> | undefined
}

/** What was read of a cluster. */
export interface TakenSnapshot {
  readonly kinds: ReadonlyArray<TakenKind>
  /** When it had all been read, in milliseconds since the epoch. */
  readonly takenMs: number
}

type Warn = (message: string) => Effect.Effect<void>

const take = (
  cluster: ClusterShape,
  { kind, namespace }: SnapshotKind,
  warn: Warn
): Effect.Effect<TakenKind, ClusterError> =>
  listKind(cluster, kind, namespace).pipe(
    Effect.map((objects): TakenKind => ({ kind, objects })),
    Effect.catchIf(
      (error: ClusterError) => !needed.has(kind) && (isForbidden(error) || isNotFound(error)),
      ({ message }) => Effect.as(warn(`the snapshot has no ${kind}: ${message}`), { kind, objects: undefined })
    )
  )

/**
 * Reads every kind that rehearsals and plans look at. Only lists; nodes and pods have to be readable. `warn` is told of each other kind
 * that is not.
 */
export const takeSnapshot = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  warn: Warn
): Effect.fn.Return<TakenSnapshot, ClusterError> {
  const kinds = yield* Effect.forEach(snapshotKinds, (kind) => take(cluster, kind, warn))
  return { kinds, takenMs: yield* Clock.currentTimeMillis }
})

/**
 * A snapshot as lines of a List, an object a line: it can be compared with ordinary tools, and kubectl reads it. What people put
 * secrets into is hidden (`withoutSecrets`), with this salt.
 */
export const renderSnapshot = ({ kinds, takenMs }: TakenSnapshot, salt: Uint8Array): ReadonlyArray<string> => {
  const counts = kinds.flatMap(({ kind, objects }) => (objects === undefined ? [] : [`${kind}=${objects.length}`]))
  const metadata = { annotations: { [annotationTaken]: formatTime(takenMs), [annotationKinds]: counts.join(",") } }
  const safe = withoutSecrets(salt)
  const items = kinds.flatMap(({ objects = [] }) => objects.map((object) => JSON.stringify(safe(object))))
  const lines = items.map((item, index) => `${item}${index === items.length - 1 ? "" : ","}\n`)
  return [`{"apiVersion":"v1","kind":"List","metadata":${JSON.stringify(metadata)},"items":[\n`, ...lines, "]}\n"]
}
