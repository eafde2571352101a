import { randomBytes } from "node:crypto"
import type { KindName } from "@rollcall/api"
import { renderSnapshot, takeSnapshot } from "@rollcall/simulator/snapshot"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { withCluster } from "../../withCluster.ts"

export interface SnapshotCommand {
  /** Empty: as kubectl finds it. */
  readonly kubeconfig: string
  readonly context: string
  readonly out: string | undefined
}

const SALT_BYTES = 16
const LINES_AT_ONCE = 1000

const warn = (message: string) => Console.error(`rollcall: warning: ${message}`)
const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** Everything has been read before the file is touched. */
export const runSnapshot = Effect.fnUntraced(function* (given: SnapshotCommand) {
  const taken = yield* withCluster(given.kubeconfig, "rollcall-snapshot/v1", given.context, (cluster) =>
    takeSnapshot(cluster, warn)
  )
  const lines = renderSnapshot(taken, randomBytes(SALT_BYTES))
  const { write } = yield* openOutput(given.out, given.kubeconfig === "" ? [] : [given.kubeconfig])
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    yield* write(lines.slice(at, at + LINES_AT_ONCE).join(""))
  }
  if (given.out === undefined) return
  const count = (kind: KindName) => taken.kinds.find((one) => one.kind === kind)?.objects?.length ?? 0
  const [nodes, pods] = [count("Node"), count("Pod")]
  const others = taken.kinds.reduce((sum, { objects = [] }) => sum + objects.length, -nodes - pods)
  yield* Console.error(
    `rollcall: ${given.out} has ${many(nodes, "node")}, ${many(pods, "pod")} and ${many(others, "other object")}`
  )
}, Effect.scoped)
