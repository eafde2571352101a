import type { ResourceClaim } from "@rollcall/api"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { CLAIM_NAME, EXTENDED_CLAIM } from "./podClaims.ts"

/** Upstream: pkg/controller/resourceclaim/metrics/metrics.go. */
const creates = Metric.counter("resourceclaim_controller_creates_total", {
  description: "[ALPHA] Number of ResourceClaims creation requests, categorized by creation status and admin access",
  incremental: true
})
const claims = Metric.gauge("resourceclaim_controller_resource_claims", {
  description:
    "[ALPHA] Number of ResourceClaims, categorized by allocation status, admin access, and source. Source can be 'resource_claim_template' (created from a template), 'extended_resource' (extended resources), or empty (manually created by a user)."
})

const adminAccessOf = ({ spec }: ResourceClaim): string =>
  String(spec.devices?.requests?.some(({ exactly }) => exactly?.adminAccess === true) === true)

const labelsOf = (claim: ResourceClaim) => {
  const { annotations = {} } = claim.metadata
  const source =
    annotations[EXTENDED_CLAIM] === "true"
      ? "extended_resource"
      : (annotations[CLAIM_NAME] ?? "") === ""
        ? ""
        : "resource_claim_template"
  const allocated = String(claim.status?.allocation !== undefined)
  return { allocated, admin_access: adminAccessOf(claim), source }
}

/** The metrics of the controller of claims. */
export class ClaimMeters {
  private readonly context: Context.Context<never>
  private readonly counts = new Map<string, number>()

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  created(claim: ResourceClaim, status: "success" | "failure"): void {
    const labels = Metric.withAttributes({ status, admin_access: adminAccessOf(claim) })
    labels(creates).updateUnsafe(1, this.context)
  }

  /** Must be called for each change of a claim in the cache. */
  observed(before: ResourceClaim | undefined, after: ResourceClaim | undefined): void {
    if (before !== undefined) this.count(before, -1)
    if (after !== undefined) this.count(after, 1)
  }

  private count(claim: ResourceClaim, by: 1 | -1): void {
    const labels = labelsOf(claim)
    const key = Object.values(labels).join(" ")
    const count = (this.counts.get(key) ?? 0) + by
    this.counts.set(key, count)
    claims.pipe(Metric.withAttributes(labels)).updateUnsafe(count, this.context)
  }
}
