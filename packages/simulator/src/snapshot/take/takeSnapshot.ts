import { formatTime, type KindName, type KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isForbidden, isNotFound } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { annotationKinds, annotationTaken } from "../coverage.ts"
import { type SnapshotKind, snapshotKinds } from "../snapshotKinds.ts"
import { listKind } from "./listKind.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

/** The kinds without which a rehearsal is impossible. */
const requiredKinds: ReadonlySet<KindName> = new Set(["Node", "Pod"])

/** The objects read of one kind. */
export interface TakenKind {
  readonly kind: KindName
  /** The objects; undefined if reading them is forbidden, or if the cluster does not serve the kind. */
  readonly objects: ReadonlyArray<KubeObject> | undefined
}

/** The objects read of a cluster. */
export interface TakenSnapshot {
  readonly kinds: ReadonlyArray<TakenKind>
  /** The time after the last list, in milliseconds since the Unix epoch. */
  readonly takenMs: number
}

type Warn = (message: string) => Effect.Effect<void>

const takeKind = (
  cluster: ClusterShape,
  { kind, namespace }: SnapshotKind,
  warn: Warn
): Effect.Effect<TakenKind, ClusterError> =>
  listKind(cluster, kind, namespace).pipe(
    Effect.map((objects): TakenKind => ({ kind, objects })),
    Effect.catchIf(
      (error: ClusterError) => !requiredKinds.has(kind) && (isForbidden(error) || isNotFound(error)),
      ({ message }) => Effect.as(warn(`the snapshot has no ${kind}: ${message}`), { kind, objects: undefined })
    )
  )

/**
 * Lists every kind of `snapshotKinds`, and sends no other requests. Fails if Nodes or Pods are not readable; calls `warn` for each other
 * kind that is not.
 */
export const takeSnapshot = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  warn: Warn
): Effect.fn.Return<TakenSnapshot, ClusterError> {
  const kinds = yield* Effect.forEach(snapshotKinds, (kind) => takeKind(cluster, kind, warn))
  return { kinds, takenMs: yield* Clock.currentTimeMillis }
})

/**
 * Renders a snapshot as the lines of a JSON List, one object a line, so that ordinary tools can compare it and kubectl can read it.
 * Fields that may contain secrets are hashed with the salt (`withoutSecrets`).
 */
export const renderSnapshot = ({ kinds, takenMs }: TakenSnapshot, salt: Uint8Array): ReadonlyArray<string> => {
  const counts = kinds.flatMap(({ kind, objects }) => (objects === undefined ? [] : [`${kind}=${objects.length}`]))
  const metadata = { annotations: { [annotationTaken]: formatTime(takenMs), [annotationKinds]: counts.join(",") } }
  const hideSecrets = withoutSecrets(salt)
  const items = kinds.flatMap(({ objects = [] }) => objects.map((object) => JSON.stringify(hideSecrets(object))))
  const lines = items.map((item, index) => `${item}${index === items.length - 1 ? "" : ","}\n`)
  return [`{"apiVersion":"v1","kind":"List","metadata":${JSON.stringify(metadata)},"items":[\n`, ...lines, "]}\n"]
}
