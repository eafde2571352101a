import { internalError, type ResourceQuota, type Status } from "@rollcall/api"
import {
  checkRequest,
  evaluatorOf,
  groupResourceText,
  hasSameUse,
  type QuotaView,
  type QuotaWrite
} from "@rollcall/api/quota"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "./Admission.ts"
import { forbiddenBy } from "./forbiddenBy.ts"

/** How often a quota that others write is read again. Upstream: checkAttributes. */
const RETRIES = 3

/** A write that waits for its decision. */
interface Waiter {
  readonly attributes: AdmissionAttributes
  readonly write: QuotaWrite
  readonly done: (refusal: Status | undefined) => void
}

const writeOf = ({ object, oldObject, subresource, verb }: AdmissionAttributes): QuotaWrite | undefined =>
  object === undefined || verb === "delete" || verb === "connect" ? undefined : { verb, subresource, object, oldObject }

const viewOf = ({ now, reader }: AdmissionContext): QuotaView => ({
  now: now(),
  deviceClasses: () => reader.list("DeviceClass"),
  claims: (namespace) => reader.list("ResourceClaim", namespace),
  pod: (namespace, name) => reader.get("Pod", namespace, name)
})

const evaluatorFor = ({ resource }: AdmissionAttributes) => evaluatorOf(groupResourceText(resource))

/**
 * Charges the writes of a server to the quotas of their namespaces. Writes of a namespace that arrive while its quotas are
 * written are decided together afterwards, and cost one write of each quota. Upstream:
 * apiserver/pkg/admission/plugin/resourcequota/controller.go.
 */
class Charges {
  /** The writes that wait, by namespace; a namespace whose quotas are being written has an entry. */
  private readonly waiting = new Map<string, Array<Waiter>>()

  charge(waiter: Waiter, context: AdmissionContext): void {
    const { namespace } = waiter.attributes
    const queue = this.waiting.get(namespace)
    if (queue !== undefined) {
      queue.push(waiter)
      return
    }
    this.waiting.set(namespace, [])
    this.decide([waiter], context)
  }

  private decide(waiters: ReadonlyArray<Waiter>, context: AdmissionContext): void {
    const { namespace } = (waiters[0] as Waiter).attributes
    let isEnded = false
    const end = (outcome: Outcome) => {
      if (isEnded) return
      isEnded = true
      for (const waiter of waiters) waiter.done(outcome.get(waiter))
      const next = this.waiting.get(namespace) ?? []
      this.waiting.delete(namespace)
      if (next.length === 0) return
      this.waiting.set(namespace, [])
      this.decide(next, context)
    }
    settle({ context, outcome: new Map(), end }, waiters, undefined, RETRIES)
  }
}

/** Why each refused write is refused. */
type Outcome = Map<Waiter, Status>

/** Writes that are decided together; `end` is called once all are. */
interface Batch {
  readonly context: AdmissionContext
  readonly outcome: Outcome
  readonly end: (outcome: Outcome) => void
}

type Settle = (
  batch: Batch,
  waiters: ReadonlyArray<Waiter>,
  /** The names of the quotas to look at; undefined for all. */
  names: ReadonlySet<string> | undefined,
  retries: number
) => void

/** Settles the writes. An exception refuses all of them, and is passed on, so that it is reported; others still go on. */
const settle: Settle = (batch, waiters, names, retries) => {
  try {
    settleOrThrow(batch, waiters, names, retries)
  } catch (error) {
    const refusal = internalError(error instanceof Error ? error.message : String(error))
    for (const waiter of waiters) batch.outcome.set(waiter, refusal)
    batch.end(batch.outcome)
    throw error
  }
}

/** Decides writes of one namespace in their order, then writes the quotas that they change. Upstream: checkQuotas. */
const settleOrThrow: Settle = (batch, waiters, names, retries) => {
  const { context, end, outcome } = batch
  const { namespace } = (waiters[0] as Waiter).attributes
  const before = context.reader
    .list("ResourceQuota", namespace)
    .filter(({ metadata }) => names === undefined || names.has(metadata.name ?? ""))
  const { charged, quotas } = chargeAll(batch, waiters, before)
  const changed = quotas.filter((quota, at) => !hasSameUse(quota, before[at] as ResourceQuota))
  if (changed.length === 0) return end(outcome)
  const failed = new Map<string, Status>()
  const open = new Set(changed)
  for (const quota of changed) {
    context.updateStatus(quota, (result) => {
      if (!open.delete(quota)) return
      if (Result.isFailure(result)) failed.set(quota.metadata.name ?? "", result.failure)
      if (open.size > 0) return
      const [error] = failed.values()
      if (error === undefined) return end(outcome)
      if (retries > 0) return settle(batch, charged, new Set(failed.keys()), retries - 1)
      for (const waiter of charged) outcome.set(waiter, error)
      end(outcome)
    })
  }
}

/** Returns the quotas after the writes that they allow, and those writes. The outcome has the refusals of the others. */
const chargeAll = (
  { context, outcome }: Batch,
  waiters: ReadonlyArray<Waiter>,
  before: ReadonlyArray<ResourceQuota>
): { readonly quotas: ReadonlyArray<ResourceQuota>; readonly charged: ReadonlyArray<Waiter> } => {
  const charged: Array<Waiter> = []
  let quotas = before
  for (const waiter of waiters) {
    const { attributes, write } = waiter
    const evaluator = evaluatorFor(attributes)
    if (evaluator === undefined) continue
    const decision = checkRequest(quotas, write, evaluator, viewOf(context))
    if ("refusal" in decision) outcome.set(waiter, forbiddenBy(attributes, decision.refusal))
    else if (
      !attributes.dryRun &&
      decision.quotas.some((quota, at) => !hasSameUse(quota, quotas[at] as ResourceQuota))
    ) {
      quotas = decision.quotas
      charged.push(waiter)
    }
  }
  return { quotas, charged }
}

/** The updates that can change what an object uses, by kind. */
const updates: Readonly<Record<string, ReadonlyArray<string | undefined>>> = {
  Pod: [undefined, "resize"],
  Service: [undefined],
  PersistentVolumeClaim: [undefined, "status"]
}

/**
 * Refuses objects that exceed the quotas of their namespace, and records what they use in the quotas before they are
 * stored. Upstream: apiserver/pkg/admission/plugin/resourcequota.
 */
export const resourceQuotaAdmission = (): AdmissionPlugin => {
  const charges = new Charges()
  return {
    name: "ResourceQuota",
    admits: (kind, verb, subresource) => {
      if (verb === "create") return subresource === undefined && kind !== "Event"
      return verb === "update" && updates[kind]?.includes(subresource) === true
    },
    reserve: (attributes, context, done) => {
      const { namespace } = attributes
      if (namespace === "" || context.reader.list("ResourceQuota", namespace).length === 0) return done(undefined)
      const write = writeOf(attributes)
      if (write === undefined || evaluatorFor(attributes)?.handles(write) !== true) return done(undefined)
      charges.charge({ attributes, write, done }, context)
    }
  }
}
