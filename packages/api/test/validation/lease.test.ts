import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Lease } from "../../src/index.ts"
import { noErrors } from "../../src/validation/FieldError.ts"
import { fieldErrorText } from "../../src/validation/index.ts"
import { validateLease, validateLeaseUpdate } from "../../src/validation/lease.ts"

const stored: Lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "n", namespace: "kube-node-lease", uid: "u", resourceVersion: "1", labels: { a: "b" } },
  spec: { holderIdentity: "n", leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z" }
}

const spec = fc.record(
  {
    leaseDurationSeconds: fc.integer({ min: -2, max: 2 }),
    leaseTransitions: fc.integer({ min: -2, max: 2 }),
    strategy: fc.constantFrom("", "OldestEmulationVersion", "other"),
    preferredHolder: fc.constantFrom("", "x")
  },
  { requiredKeys: [] }
)

describe("an update of a lease", () => {
  it("accepts a renewal without a list", () => {
    const renewal = { ...stored, spec: { ...stored.spec, renewTime: "2026-01-01T00:00:10.000000Z" } }
    assert.strictEqual(validateLeaseUpdate(renewal, stored), noErrors)
  })

  it("finds the errors that a create finds, on the fast and on the full path", () => {
    fc.assert(
      fc.property(spec, fc.boolean(), (changed, copied) => {
        const metadata = copied ? { ...stored.metadata, labels: { ...stored.metadata.labels } } : stored.metadata
        const lease = { ...stored, metadata, spec: changed }
        assert.deepStrictEqual(validateLeaseUpdate(lease, stored), validateLease(lease))
      })
    )
  })

  it("does not let a renewal rename the lease", () => {
    const renamed = { ...stored, metadata: { ...stored.metadata, name: "m" } }
    const fault = 'metadata.name: Invalid value: "m": field is immutable'
    assert.deepStrictEqual(validateLeaseUpdate(renamed, stored).map(fieldErrorText), [fault])
  })

  it("refuses an unknown strategy", () => {
    assert.deepStrictEqual(validateLease({ ...stored, spec: { preferredHolder: "x" } }).map(fieldErrorText), [
      "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"
    ])
  })
})
