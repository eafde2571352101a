import { apiVersionOf, type KindName, type KubeObject } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** Objects in one answer, as kubectl asks for them. */
const PAGE = 500

/** All objects of a kind, page by page; each with the kind and version that items of lists do not name. */
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
