import type { Status } from "@rollcall/api"
import type { PatchRequest, UpdateRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import { refuseOnError } from "./continuations.ts"
import { storeErrorStatus } from "./create.ts"
import type { Audit, AuditRecord, Exchange, Reply } from "./Exchange.ts"
import { whenRevisionShown } from "./read.ts"
import type { ServerCore } from "./ServerCore.ts"

/**
 * The maximum number of writes that are not asked about. With more, the question costs less than it saves: those who wait
 * for it are written together. Measured with 128 writers on one etcd.
 */
const MAX_UNASKED = 32

/** Whether the request changes an object that the cache has, and is better written at once. */
export const mayWriteFromCache = (
  { registry }: ServerCore,
  { cache, definition }: KindState,
  request: UpdateRequest | PatchRequest
): boolean =>
  registry.current.unasked < MAX_UNASKED &&
  request.dryRun !== true &&
  cache.get(definition.resource.namespaced ? (request.namespace ?? "") : "", request.name) !== undefined

/** The codes from which on an answer stands: its write failed, and may yet have been carried out. */
const FAILED = 500

/**
 * Handles an update or a patch without asking the store first whether the cached object is its newest: the store compares
 * the revision when it writes. An answer without a write, as a refusal is, stands only if the cache had everything that
 * was acknowledged before; otherwise the request is handled again. Upstream: storage/etcd3/store.go, GuaranteedUpdate,
 * which begins with the cached object.
 */
export const writeFromCache = (
  core: ServerCore,
  state: KindState,
  reply: Reply,
  makeExchange: (reply: Reply, audit: Audit | undefined) => Exchange,
  dispatch: (exchange: Exchange) => void
): void => {
  const { audit, registry } = core
  const shown = registry.revision
  let record: AuditRecord | undefined
  const keep = (of: AuditRecord) => {
    record = of
  }
  const settle: Reply = (answer, code, warnings) => {
    if (record !== undefined) audit?.(record)
    reply(answer, code, warnings)
  }
  const again = () => makeExchange(reply, audit)
  const refuse = (status: Status) => again().refuse(status)
  const settleIfCurrent: Reply = (answer, code, warnings) => {
    registry.current.unasked--
    if (exchange.hasWritten || code >= FAILED) return settle(answer, code, warnings)
    registry.current.read(
      refuseOnError(core, refuse, (result) => {
        if (Result.isFailure(result)) refuse(storeErrorStatus(result.failure))
        else if (result.success <= shown) settle(answer, code, warnings)
        else whenRevisionShown(core, state, result.success, () => dispatch(again()), refuse)
      })
    )
  }
  const exchange = makeExchange(settleIfCurrent, audit && keep)
  registry.current.unasked++
  refuseOnError(core, (status) => exchange.refuse(status), dispatch)(exchange)
}
