import { randomBytes } from "node:crypto"
import type { KindName } from "@rollcall/api"
import { renderSnapshot, takeSnapshot } from "@rollcall/simulator/snapshot"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { withCluster } from "../../withCluster.ts"

export interface SnapshotCommand {
  /** The path of the kubeconfig; "" selects the kubeconfig that kubectl would use. */
  readonly kubeconfig: string
  /** The name of a context; "" selects the current context. */
  readonly context: string
  readonly out: string | undefined
}

/** The salt of the hashes that replace texts that may be secret: 128 random bits, new for each snapshot. */
const SALT_BYTES = 16
/** The lines of one write: few writes, and no text of the whole snapshot in memory. */
const LINES_PER_WRITE = 1000

const warn = (message: string) => Console.error(`rollcall: warning: ${message}`)
const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** Runs `rollcall snapshot`. It reads all objects before it opens the output file, so that a failed read leaves the file as it was. */
export const runSnapshot = Effect.fnUntraced(function* (given: SnapshotCommand) {
  const { context, kubeconfig } = given
  const snapshot = yield* withCluster({ kubeconfig, context, userAgent: "rollcall-snapshot/v1" }, (cluster) =>
    takeSnapshot(cluster, warn)
  )
  const lines = renderSnapshot(snapshot, randomBytes(SALT_BYTES))
  const { write } = yield* openOutput(given.out, kubeconfig === "" ? [] : [kubeconfig])
  for (let start = 0; start < lines.length; start += LINES_PER_WRITE) {
    yield* write(lines.slice(start, start + LINES_PER_WRITE).join(""))
  }
  if (given.out === undefined) return
  const count = (kind: KindName) => snapshot.kinds.find((taken) => taken.kind === kind)?.objects?.length ?? 0
  const [nodes, pods] = [count("Node"), count("Pod")]
  const others = snapshot.kinds.reduce((sum, { objects = [] }) => sum + objects.length, -nodes - pods)
  yield* Console.error(
    `rollcall: ${given.out} has ${countOf(nodes, "node")}, ${countOf(pods, "pod")} and ${countOf(others, "other object")}`
  )
}, Effect.scoped)
