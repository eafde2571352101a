import type { APIService } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"
import { withStoredDescription } from "./statusMetadata.ts"

/**
 * A version that this server serves itself is available at once. Upstream:
 * staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice/strategy.go.
 */
export const apiServices: KindOptions<APIService> = {
  directory: "apiregistration.k8s.io/apiservices",
  subresources: ["status"],
  allowUnconditionalUpdate: false,
  strategy: {
    prepareForCreate: (object) => {
      if (object.spec?.service !== undefined) return object
      const available = {
        type: "Available",
        status: "True",
        lastTransitionTime: object.metadata.creationTimestamp ?? null,
        reason: "Local",
        message: "Local APIServices are always available"
      }
      return { ...object, status: { conditions: [available] } }
    },
    prepareForStatusUpdate: withStoredDescription
  }
}
