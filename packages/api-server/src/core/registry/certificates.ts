import type { CertificateSigningRequest, CertificateSigningRequestCondition } from "@rollcall/api"
import { certificateSigningRequestRules } from "@rollcall/api/validation"
import type { KindOptions } from "./KindDefinition.ts"

type Conditions = ReadonlyArray<CertificateSigningRequestCondition>

const conditionsOf = ({ status }: CertificateSigningRequest): Conditions => status?.conditions ?? []

/** Restores the conditions of a type, unless their number changes: then validation refuses the update. */
const withStored = (conditions: Conditions, stored: Conditions, type: string): Conditions => {
  const before = stored.filter((condition) => condition.type === type)
  if (conditions.filter((condition) => condition.type === type).length !== before.length) return conditions
  let next = 0
  return conditions.map((condition) => (condition.type === type ? (before[next++] ?? condition) : condition))
}

/** Upstream: pkg/registry/certificates/certificates/strategy.go. */
export const certificateSigningRequests: KindOptions<CertificateSigningRequest> = {
  subresources: ["status", "approval"],
  strategy: {
    prepareForUpdate: (request, stored) => ({ ...request, spec: stored.spec }),
    prepareForStatusUpdate: (request, stored) => {
      const conditions = ["Approved", "Denied"].reduce(
        (all, type) => withStored(all, conditionsOf(stored), type),
        conditionsOf(request)
      )
      return conditions.length === 0 ? request : { ...request, status: { ...request.status, conditions } }
    }
  },
  parts: {
    approval: {
      prepare: (request, stored) => {
        const { conditions: _, ...rest } = stored.status ?? {}
        const { conditions } = request.status ?? {}
        return { ...stored, metadata: request.metadata, status: { ...rest, ...(conditions && { conditions }) } }
      },
      validate: certificateSigningRequestRules().updateApproval
    }
  }
}
