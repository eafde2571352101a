import type { ClusterShape } from "@rollcall/cluster"
import type { Document } from "@rollcall/input/documents"
import { withLineNumbers } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"
import { usageError } from "../../usageError.ts"

/** The cluster of a plan: either snapshot files or a kubeconfig. */
export interface ClusterSource {
  /** The files of --snapshot; `-` is standard input. */
  readonly snapshotFiles: ReadonlyArray<string>
  readonly kubeconfig: string | undefined
}

/** Reads the documents of files, in order. */
const readFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const documents: Array<Document> = []
  for (const file of files) for (const document of yield* readInput(file)) documents.push(document)
  return documents
})

/** Connects to the cluster of a kubeconfig and reads from it with `read`. The client is imported only here, because it loads slowly. */
export const readCluster = <A, E>(kubeconfig: string, read: (cluster: ClusterShape) => Effect.Effect<A, E>) =>
  Effect.flatMap(
    Effect.promise(() => import("../../withCluster.ts")),
    ({ withCluster }) => withCluster({ kubeconfig, userAgent: "rollcall-plan/v1" }, read)
  )

/**
 * Reads the input of a plan: `ofDocuments` reads the documents of the snapshot files, `ofCluster` reads the cluster of the kubeconfig. Fails
 * unless the command line names exactly one of the two. An error in a file has the line where it is.
 */
export const readSource = Effect.fnUntraced(function* <A, E, B, F>(
  { kubeconfig, snapshotFiles }: ClusterSource,
  ofDocuments: (documents: ReadonlyArray<Document>) => Effect.Effect<A, E>,
  ofCluster: (cluster: ClusterShape) => Effect.Effect<B, F>
) {
  if (kubeconfig !== undefined && snapshotFiles.length > 0) {
    return yield* usageError("--snapshot and --kubeconfig exclude each other: give one of them", "--snapshot")
  }
  if (snapshotFiles.length > 0) return yield* ofDocuments(yield* readFiles(snapshotFiles))
  if (kubeconfig === undefined) return yield* usageError("a cluster is required: give --snapshot or --kubeconfig")
  return yield* readCluster(kubeconfig, ofCluster)
}, withLineNumbers)
