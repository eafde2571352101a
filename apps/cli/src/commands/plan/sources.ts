import type { ClusterShape } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import { withLines } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"

/** Where a plan takes its cluster from. */
export interface ClusterSource {
  readonly snapshot: ReadonlyArray<string>
  readonly kubeconfig: string | undefined
}

const wrong = (flag: string, message: string) => invalid("command line", flag, message)

/** The documents of these files, in order. */
export const documentsOf = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const documents: Array<Document> = []
  for (const file of files) for (const document of yield* readInput(file)) documents.push(document)
  return documents
})

/** Reads from a cluster, which it loads a client for. */
export const readingCluster = <A, E>(kubeconfig: string, read: (cluster: ClusterShape) => Effect.Effect<A, E>) =>
  Effect.flatMap(
    Effect.promise(() => import("../../withCluster.ts")),
    ({ withCluster }) => withCluster(kubeconfig, "rollcall-plan/v1", "", read)
  )

/** What a plan goes by: out of files, or of a cluster. */
export const readSource = Effect.fnUntraced(function* <A, E, B, F>(
  { kubeconfig, snapshot }: ClusterSource,
  ofDocuments: (documents: ReadonlyArray<Document>) => Effect.Effect<A, E>,
  ofCluster: (cluster: ClusterShape) => Effect.Effect<B, F>
) {
  if (kubeconfig !== undefined && snapshot.length > 0) {
    return yield* wrong("--snapshot", "the cluster is taken from files or from a cluster, not from both")
  }
  if (snapshot.length > 0) return yield* ofDocuments(yield* documentsOf(snapshot))
  if (kubeconfig === undefined) return yield* wrong("", "needs --snapshot or --kubeconfig: which cluster?")
  return yield* readingCluster(kubeconfig, ofCluster)
}, withLines)
