import { apiVersionOf, type KindName, type KubeObject } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The page size of lists, as in kubectl. */
const PAGE_SIZE = 500

/** Lists all objects of a kind in pages, and adds `apiVersion` and `kind`, which list items lack. */
export const listKind = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  kind: KindName,
  namespace: string | undefined
): Effect.fn.Return<ReadonlyArray<KubeObject>, ClusterError> {
  const found: Array<KubeObject> = []
  let continueToken: string | undefined
  do {
    const { items, metadata } = yield* cluster.list(kind, {
      limit: PAGE_SIZE,
      ...(namespace === undefined ? {} : { namespace }),
      ...(continueToken === undefined ? {} : { continue: continueToken })
    })
    for (const item of items) found.push({ ...item, apiVersion: apiVersionOf(kind), kind } as KubeObject)
    continueToken = metadata.continue === "" ? undefined : metadata.continue
  } while (continueToken !== undefined)
  return found
})
