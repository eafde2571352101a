import type { ClusterShape } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import { withLines } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"

/** The cluster of a plan: either snapshot files or a kubeconfig. */
export interface ClusterSource {
  readonly snapshot: ReadonlyArray<string>
  readonly kubeconfig: string | undefined
}

const wrong = (flag: string, message: string) => invalid("command line", flag, message)

/** Reads the documents of files, in order. */
export const readFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const documents: Array<Document> = []
  for (const file of files) for (const document of yield* readInput(file)) documents.push(document)
  return documents
})

/** Reads from the cluster of a kubeconfig. The client is imported only here, because it loads slowly. */
export const readCluster = <A, E>(kubeconfig: string, read: (cluster: ClusterShape) => Effect.Effect<A, E>) =>
  Effect.flatMap(
    Effect.promise(() => import("../../withCluster.ts")),
    ({ withCluster }) => withCluster(kubeconfig, "rollcall-plan/v1", "", read)
  )

/** Reads the input of a plan with `ofDocuments` from snapshot files, or with `ofCluster` from a live cluster. */
export const readSource = Effect.fnUntraced(function* <A, E, B, F>(
  { kubeconfig, snapshot }: ClusterSource,
  ofDocuments: (documents: ReadonlyArray<Document>) => Effect.Effect<A, E>,
  ofCluster: (cluster: ClusterShape) => Effect.Effect<B, F>
) {
  if (kubeconfig !== undefined && snapshot.length > 0) {
    return yield* wrong("--snapshot", "--snapshot and --kubeconfig exclude each other: give one of them")
  }
  if (snapshot.length > 0) return yield* ofDocuments(yield* readFiles(snapshot))
  if (kubeconfig === undefined) return yield* wrong("", "a cluster is required: give --snapshot or --kubeconfig")
  return yield* readCluster(kubeconfig, ofCluster)
}, withLines)
