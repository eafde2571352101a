import {
  badRequest,
  genericResponse,
  groupResourceOf,
  invalid,
  type KubeObject,
  notFound,
  type Status,
  tooLargeResourceVersion
} from "@rollcall/api"
import { validateListOptions } from "@rollcall/api/validation"
import type { GetRequest, ListRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import { type Selection, selectFrom, selectionOf } from "../watch/Selection.ts"
import { refuseOnError } from "./continuations.ts"
import type { Exchange } from "./Exchange.ts"
import { type Page, pageFromStore } from "./pages.ts"
import type { ServerCore } from "./ServerCore.ts"
import { scaleOf } from "./scale.ts"

/** How long a read waits for a future revision. Upstream: storage/cacher, blockTimeout. */
const BLOCK_TIMEOUT_MS = 3000

/** Parses a resourceVersion parameter. Returns undefined if it is absent or empty, and NaN if it is invalid. */
export const revisionOf = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

/** Returns the message for a resourceVersion that is no number, as Go's parser words it. */
export const invalidRevisionMessage = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`

const invalidRevisionStatus = (text: string): Status =>
  badRequest(`invalid resource version: ${invalidRevisionMessage(text)}`)

/** Calls `proceed` once reads show the revision, and `refuse` if they do not within `BLOCK_TIMEOUT_MS`. */
const whenRevisionShown = (
  core: ServerCore,
  revision: number | undefined,
  proceed: () => void,
  refuse: (status: Status) => void
) => {
  const { registry, timers } = core
  if (revision === undefined || revision <= registry.revision) return proceed()
  const timeout = timers.after(BLOCK_TIMEOUT_MS, () => {
    cancelWait()
    refuse(tooLargeResourceVersion(revision, registry.revision, 1))
  })
  const onShown = refuseOnError(core, refuse, () => {
    timers.cancel(timeout)
    proceed()
  })
  const cancelWait = registry.whenAt(revision, () => onShown(undefined))
}

/** GET of one object, or of its status or scale. */
export const get = (core: ServerCore, exchange: Exchange, state: KindState, request: GetRequest) => {
  const { definition } = state
  const { name, subresource } = request
  if (subresource === "binding" || subresource === "eviction" || subresource === "finalize") {
    return exchange.refuse(genericResponse(definition.subresources.has(subresource) ? 405 : 404))
  }
  if (subresource !== undefined && !definition.subresources.has(subresource))
    return exchange.refuse(genericResponse(404))
  const version = revisionOf(request.resourceVersion)
  if (Number.isNaN(version)) return exchange.refuse(invalidRevisionStatus(request.resourceVersion ?? ""))
  const answer = () => {
    const cached = state.cache.get(definition.resource.namespaced ? (request.namespace ?? "") : "", name)
    if (cached === undefined) return exchange.refuse(notFound(groupResourceOf(definition.resource), name))
    exchange.ok(subresource === "scale" ? scaleOf(cached.object, definition.scale) : cached.object, 200, undefined)
  }
  whenRevisionShown(core, version, answer, (status) => exchange.refuse(status))
}

/** GET of a collection. */
export const list = (core: ServerCore, exchange: Exchange, state: KindState, request: ListRequest) => {
  const { definition } = state
  const errors = validateListOptions(request)
  if (errors.length > 0) {
    return exchange.refuse(invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors))
  }
  const selection = selectionOf(definition, request)
  if (Result.isFailure(selection)) return exchange.refuse(badRequest(selection.failure.message))
  const version = revisionOf(request.resourceVersion)
  if (Number.isNaN(version)) return exchange.refuse(invalidRevisionStatus(request.resourceVersion ?? ""))
  const refuse = (status: Status) => exchange.refuse(status)
  const answer = (page: Page) => exchange.ok(listOf(state, page), 200, undefined)

  if (request.continue) {
    if (request.resourceVersion) {
      return refuse(badRequest("specifying resource version is not allowed when using continue"))
    }
    return pageFromStore(
      core,
      state,
      selection.success,
      { token: request.continue, limit: request.limit },
      answer,
      refuse
    )
  }
  whenRevisionShown(
    core,
    version,
    () => {
      if (request.resourceVersionMatch === "Exact" && version !== undefined && version !== core.registry.revision) {
        return pageFromStore(
          core,
          state,
          selection.success,
          { revision: version, limit: request.limit },
          answer,
          refuse
        )
      }
      // Revision 0 accepts any cached state: the cache returns the whole list whatever the limit, as upstream's does.
      const limit = version === 0 ? undefined : request.limit
      if (limit !== undefined && limit > 0) {
        // The cache finds by index what the store would have to scan for; if everything fits into one page, it is the
        // same page.
        const whole = selection.success.hasSelector ? wholeList(core, state, selection.success) : undefined
        if (whole !== undefined && whole.items.length <= limit) return answer(whole)
        return pageFromStore(
          core,
          state,
          selection.success,
          { revision: core.registry.revision, limit },
          answer,
          refuse
        )
      }
      answer(wholeList(core, state, selection.success))
    },
    refuse
  )
}

/** Returns the selected objects of the cache, as one page. */
const wholeList = (core: ServerCore, state: KindState, selection: Selection): Page => {
  const items: Array<KubeObject> = []
  selectFrom(state.cache, selection, (object) => items.push(object))
  return { items, revision: core.registry.revision }
}

const listOf = ({ definition }: KindState, page: Page) => ({
  kind: `${definition.resource.kind}List`,
  apiVersion: definition.apiVersion,
  metadata: {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining })
  },
  items: page.items
})
