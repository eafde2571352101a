import type { CustomResourceDefinition, ExpressionWarning, ValidatingAdmissionPolicy } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

const NAME = "validatingadmissionpolicy-status"

/** Returns what in a policy's expressions does not suit the types of the objects that its rules name. */
export type CheckTypes = (
  policy: ValidatingAdmissionPolicy,
  definitions: ReadonlyArray<CustomResourceDefinition>
) => Effect.Effect<ReadonlyArray<ExpressionWarning>>

const isObserved = ({ metadata: { generation = 0 }, status }: ValidatingAdmissionPolicy): boolean =>
  generation <= (status?.observedGeneration ?? 0)

const statusWith = (
  { metadata: { generation, name } }: ValidatingAdmissionPolicy,
  warnings: ReadonlyArray<ExpressionWarning>
) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  status: {
    observedGeneration: generation,
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings }
  }
})

/**
 * Writes into the status of each generation of a ValidatingAdmissionPolicy what the check of its types warns of. A
 * definition that changes later concerns no policy. Upstream: pkg/controller/validatingadmissionpolicystatus.
 */
export const layerPolicyStatus = (checkTypes: CheckTypes) =>
  Controller.make({
    name: NAME,
    for: "ValidatingAdmissionPolicy",
    when: (policy) => !isObserved(policy),
    watches: { CustomResourceDefinition: { concerns: () => [] } },
    workers: 5,
    reconcile: ({ cache, cluster }) => {
      const policies = cache("ValidatingAdmissionPolicy")
      const definitions = cache("CustomResourceDefinition")
      return Effect.fnUntraced(function* (name) {
        const policy = policies.get(name)
        if (policy === undefined || isObserved(policy)) return
        const body = statusWith(policy, yield* checkTypes(policy, definitions.list()))
        const options = { fieldManager: NAME, force: true, subresource: "status" } as const
        yield* cluster.patch("ValidatingAdmissionPolicy", { name }, "apply", body, options)
      })
    }
  })
