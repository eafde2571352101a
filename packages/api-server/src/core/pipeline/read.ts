import {
  badRequest,
  genericResponse,
  groupResourceOf,
  invalid,
  type KubeObject,
  notFound,
  type Status,
  tooLargeResourceVersion,
  unknownError
} from "@rollcall/api"
import { scaleOf, scaleRefusal } from "@rollcall/api/scale"
import { validateListOptions } from "@rollcall/api/validation"
import type { GetRequest, ListPart, ListRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { invalidRevisionMessage, revisionOf } from "../objects/revisions.ts"
import type { KindState } from "../registry/KindState.ts"
import { type Selection, type SelectorTexts as Selectors, selectFrom, selectionOf } from "../watch/Selection.ts"
import { refuseOnError } from "./continuations.ts"
import { decodeContinue } from "./continueToken.ts"
import { whenAllConverted, whenConverted } from "./conversion.ts"
import { storeErrorStatus } from "./create.ts"
import type { Exchange } from "./Exchange.ts"
import { type Page, type PageRequest, pageFromStore } from "./pages.ts"
import type { ServerCore } from "./ServerCore.ts"

/** How long a read waits for a future revision. Upstream: storage/cacher, blockTimeout. */
const BLOCK_TIMEOUT_MS = 3000

const invalidRevisionStatus = (text: string): Status =>
  badRequest(`invalid resource version: ${invalidRevisionMessage(text)}`)

/** Calls `proceed` once reads show the revision, and `refuse` if they do not within `BLOCK_TIMEOUT_MS`. */
export const whenRevisionShown = (
  core: ServerCore,
  { base, channel }: KindState,
  revision: number | undefined,
  proceed: () => void,
  refuse: (status: Status) => void
) => {
  const { registry, timers } = core
  const { readWait } = (base?.state.channel ?? channel).counts
  if (revision === undefined || revision <= registry.revision) {
    // Revision 0 accepts any state, so that nothing could have waited.
    if (revision !== 0) readWait?.observe(0)
    return proceed()
  }
  const beganMs = timers.now()
  const timeout = timers.after(BLOCK_TIMEOUT_MS, () => {
    cancelWait()
    refuse(tooLargeResourceVersion(revision, registry.revision, 1))
  })
  const onShown = refuseOnError(core, refuse, () => {
    timers.cancel(timeout)
    readWait?.observe((timers.now() - beganMs) / 1000)
    proceed()
  })
  const cancelWait = registry.whenAt(revision, () => onShown(undefined))
}

/**
 * Calls `proceed` once reads show the revision that a request names. A kind without a watch cache does not wait for it: the store says
 * at once that the revision is beyond its newest. Upstream: storage/etcd3/store.go, validateMinimumResourceVersion.
 */
export const whenRequestedShown = (
  core: ServerCore,
  state: KindState,
  revision: number | undefined,
  proceed: () => void,
  refuse: (status: Status) => void,
  retryAfterSeconds = 0
) => {
  const wait = () => whenRevisionShown(core, state, revision, proceed, refuse)
  if (state.definition.isUncached !== true || revision === undefined || revision <= core.registry.revision)
    return wait()
  core.registry.current.read(
    refuseOnError(core, refuse, (result) => {
      if (Result.isFailure(result)) refuse(storeErrorStatus(result.failure))
      else if (revision > result.success) refuse(tooLargeResourceVersion(revision, result.success, retryAfterSeconds))
      else wait()
    })
  )
}

/**
 * Calls `proceed` once reads show every write that any server of the store has acknowledged before. Upstream:
 * storage/cacher, consistent reads.
 */
export const whenCurrentShown = (
  core: ServerCore,
  state: KindState,
  proceed: () => void,
  refuse: (status: Status) => void
) =>
  core.registry.current.read(
    refuseOnError(core, refuse, (result) => {
      if (Result.isFailure(result)) refuse(storeErrorStatus(result.failure))
      else if (result.success <= core.registry.revision) proceed()
      else whenRevisionShown(core, state, result.success, proceed, refuse)
    })
  )

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
  if (Number.isNaN(version)) {
    const text = request.resourceVersion ?? ""
    const fault = definition.isUncached ? invalidRevisionStatus(text) : unknownError(invalidRevisionMessage(text))
    return exchange.refuse(fault)
  }
  const refuse = (status: Status) => exchange.refuse(status)
  const namespace = definition.resource.namespaced ? (request.namespace ?? "") : ""
  const answer = (fresh?: KubeObject) => {
    const object = fresh ?? state.cache.get(namespace, name)?.object
    if (object === undefined) return exchange.refuse(notFound(groupResourceOf(definition.resource), name))
    if (subresource !== "scale") return exchange.ok(object, 200, undefined)
    const refusal = scaleRefusal(object, definition.scale)
    if (refusal !== undefined) return exchange.refuse(refusal)
    exchange.ok(scaleOf(object, definition.scale), 200, undefined)
  }
  const answerConverted = () => whenConverted(core, { state, namespace, name }, version === undefined, refuse, answer)
  whenRequestedShown(core, state, version, answerConverted, refuse)
}

/** GET of a collection. */
export const list = (core: ServerCore, exchange: Exchange, state: KindState, request: ListRequest) =>
  listPage(
    core,
    state,
    request,
    (page) => exchange.ok(listOf(state, page), 200, undefined),
    (status) => exchange.refuse(status)
  )

/** The options of a list, and those by which a deletecollection lists. */
type ListOptions = ListPart &
  Selectors & {
    /** Whether upstream lists in pages without being asked to. */
    readonly isPaged?: boolean
  }

/** Lists the objects that the options select. Upstream: generic/registry/store.go, ListPredicate. */
export const listPage = (
  core: ServerCore,
  state: KindState,
  request: ListOptions,
  answer: (page: Page) => void,
  refuse: (status: Status) => void
) => {
  const { definition } = state
  const errors = validateListOptions(request)
  if (errors.length > 0) return refuse(invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors))
  const selection = selectionOf(definition, request)
  if (Result.isFailure(selection)) return refuse(badRequest(selection.failure.message))
  const readPage = (page: PageRequest) => pageFromStore(core, state, selection.success, page, answer, refuse)
  const { limit, resourceVersion } = request

  if (request.continue) {
    const token = decodeContinue(request.continue)
    if (Result.isFailure(token)) return refuse(token.failure)
    if (resourceVersion && resourceVersion !== "0") {
      return refuse(badRequest("specifying resource version is not allowed when using continue"))
    }
    const from = token.success
    const read = () => readPage({ from, limit: resourceVersion === "0" && isCached(state) ? undefined : limit })
    if (from.revision <= core.registry.revision) return read()
    return whenRequestedShown(core, state, from.revision, read, refuse)
  }
  const version = revisionOf(resourceVersion)
  if (Number.isNaN(version)) return refuse(invalidRevisionStatus(resourceVersion ?? ""))
  const isOne = namesOne(state, selection.success)
  const answerNow = () => {
    const { revision } = core.registry
    if (version !== undefined && version !== revision && isExact(request, version, isOne)) {
      return readPage({ revision: version, limit, isOne })
    }
    if (version === undefined) (state.base?.state.channel ?? state.channel).counts.consistentReads++
    // Revision 0 accepts any cached state: the cache returns the whole list whatever the limit, as upstream's does.
    if ((version === 0 && isCached(state)) || limit === undefined || limit <= 0)
      return answer(wholeList(core, state, selection.success))
    // The cache finds by index what the store would have to scan for; a list that does not fill a page is the same.
    const whole = selection.success.hasSelector ? wholeList(core, state, selection.success) : undefined
    if (whole !== undefined && whole.items.length < limit) return answer(whole)
    return readPage({ revision, limit, isOne })
  }
  // A page comes from the store while the cache is not filled. Upstream: cacher/delegator.go shouldDelegateListOnNotReadyCache.
  const readsStore = ((limit ?? 0) > 0 || request.isPaged === true) && !selection.success.hasSelector
  const refuseUnfilled = (status: Status) =>
    readsStore ? readPage({ revision: core.registry.revision, limit, isOne }) : refuse(status)
  const answerConverted = () => whenAllConverted(core, state, refuseUnfilled, answerNow)
  whenRequestedShown(core, state, version, answerConverted, refuse)
}

/** Whether upstream has a watch cache of the kind: it has none of Events. Upstream: pkg/kubeapiserver/options, cache sizes. */
const isCached = ({ definition }: KindState): boolean => definition.resource.kind !== "Event"

/** Whether the list shows this very revision: on request, or for a page, where that is the meaning of old. */
const isExact = (
  { isPaged, limit = 0, resourceVersionMatch: match }: ListOptions,
  version: number,
  isOne: boolean
): boolean => match === "Exact" || (match === undefined && !isOne && (limit > 0 || isPaged === true) && version > 0)

/**
 * Whether the selectors name one object, which has no pages: nor does a limit make a revision exact. Upstream:
 * ListPredicate, which then reads one key.
 */
const namesOne = ({ definition }: KindState, { name, namespace }: Selection): boolean =>
  name !== undefined && (namespace !== undefined || !definition.resource.namespaced)

/** Returns how many objects a list read from the cache: without an index, all that it compared with its selectors. */
const fetchedOf = (
  { cache }: KindState,
  { indexedValue, matches, name, namespace }: Selection,
  found: number
): number =>
  matches === undefined || name !== undefined || indexedValue !== undefined ? found : cache.sizeOf(namespace)

/** Returns the selected objects of the cache, as one page. */
const wholeList = (core: ServerCore, state: KindState, selection: Selection): Page => {
  const items: Array<KubeObject> = []
  selectFrom(state.cache, selection, (object) => items.push(object))
  const { counts } = state.base?.state.channel ?? state.channel
  counts.cacheLists++
  counts.cacheFetched += fetchedOf(state, selection, items.length)
  counts.cacheReturned += items.length
  return { items, revision: core.registry.revision }
}

/** Returns the list of a page. */
export const listOf = ({ definition }: KindState, page: Page) => ({
  kind: definition.listKind ?? `${definition.resource.kind}List`,
  apiVersion: definition.apiVersion,
  metadata: {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining })
  },
  items: page.items
})
