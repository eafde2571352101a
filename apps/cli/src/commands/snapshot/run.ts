import { randomBytes } from "node:crypto"
import { formatTime, type KindName, type KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, fromConnection, isForbidden, isNotFound } from "@rollcall/cluster"
import { annotationKinds, annotationTaken, type SnapshotKind, snapshotKinds } from "@rollcall/simulator/snapshot"
import { layerWallClock } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { clusterConnection } from "../../live.ts"
import { openOutput } from "../../output.ts"
import { listKind } from "./listKind.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

export interface SnapshotCommand {
  /** Empty: as kubectl finds it. */
  readonly kubeconfig: string
  readonly context: string
  readonly out: string | undefined
}

const SALT_BYTES = 16

/** Without them there is nothing to rehearse. */
const needed: ReadonlySet<KindName> = new Set(["Node", "Pod"])

interface Taken {
  readonly kind: KindName
  /** Undefined: it may not be read, or the cluster does not know it. */
  readonly objects: ReadonlyArray<KubeObject> | undefined
}

const take = (cluster: ClusterShape, { kind, namespace }: SnapshotKind): Effect.Effect<Taken, ClusterError> =>
  listKind(cluster, kind, namespace).pipe(
    Effect.map((objects): Taken => ({ kind, objects })),
    Effect.catchIf(
      (error: ClusterError) => !needed.has(kind) && (isForbidden(error) || isNotFound(error)),
      ({ message }) =>
        Effect.as(Console.error(`rollcall: warning: the snapshot has no ${kind}: ${message}`), {
          kind,
          objects: undefined
        })
    )
  )

const takeAll = Effect.fnUntraced(
  function* ({ context, kubeconfig }: SnapshotCommand) {
    const cluster = fromConnection(yield* clusterConnection(kubeconfig, "rollcall-snapshot/v1", context))
    const taken = yield* Effect.forEach(snapshotKinds, (kind) => take(cluster, kind))
    return { taken, nowMs: yield* Clock.currentTimeMillis }
  },
  Effect.scoped,
  Effect.provide(layerWallClock())
)

/** A List, an object a line: it can be compared with ordinary tools, and kubectl reads it. */
const render = (taken: ReadonlyArray<Taken>, nowMs: number): ReadonlyArray<string> => {
  const kinds = taken.flatMap(({ kind, objects }) => (objects === undefined ? [] : [`${kind}=${objects.length}`]))
  const metadata = { annotations: { [annotationTaken]: formatTime(nowMs), [annotationKinds]: kinds.join(",") } }
  const safe = withoutSecrets(randomBytes(SALT_BYTES))
  const items = taken.flatMap(({ objects = [] }) => objects.map((object) => JSON.stringify(safe(object))))
  const lines = items.map((item, index) => `${item}${index === items.length - 1 ? "" : ","}\n`)
  return [`{"apiVersion":"v1","kind":"List","metadata":${JSON.stringify(metadata)},"items":[\n`, ...lines, "]}\n"]
}

const LINES_AT_ONCE = 1000

/** Everything has been read before the file is touched. */
export const runSnapshot = Effect.fnUntraced(function* (given: SnapshotCommand) {
  const { nowMs, taken } = yield* takeAll(given)
  const lines = render(taken, nowMs)
  const { write } = yield* openOutput(given.out, given.kubeconfig === "" ? [] : [given.kubeconfig])
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    yield* write(lines.slice(at, at + LINES_AT_ONCE).join(""))
  }
  if (given.out === undefined) return
  const count = (kind: KindName) => taken.find((one) => one.kind === kind)?.objects?.length ?? 0
  const [nodes, pods] = [count("Node"), count("Pod")]
  const others = taken.reduce((sum, { objects = [] }) => sum + objects.length, -nodes - pods)
  yield* Console.error(
    `rollcall: ${given.out} has ${many(nodes, "node")}, ${many(pods, "pod")} and ${many(others, "other object")}`
  )
}, Effect.scoped)

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`
