import { apiVersionOf, type KindName, type KubeObject } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The page size of lists, as in kubectl. */
const PAGE = 500

/** Lists all objects of a kind in pages, and adds `apiVersion` and `kind`, which list items lack. */
export const listKind = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  kind: KindName,
  namespace: string | undefined
): Effect.fn.Return<ReadonlyArray<KubeObject>, ClusterError> {
  const found: Array<KubeObject> = []
  let from: string | undefined
  do {
    const { items, metadata } = yield* cluster.list(kind, {
      limit: PAGE,
      ...(namespace === undefined ? {} : { namespace }),
      ...(from === undefined ? {} : { continue: from })
    })
    for (const item of items) found.push({ ...item, apiVersion: apiVersionOf(kind), kind } as KubeObject)
    from = metadata.continue === "" ? undefined : metadata.continue
  } while (from !== undefined)
  return found
})
