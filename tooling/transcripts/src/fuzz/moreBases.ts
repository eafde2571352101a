import { wireTypeNamed } from "@rollcall/api/wire"
import type { JsonObject } from "../Case.ts"
import type { Resource } from "./Resource.ts"

const match = {
  resourceRules: [{ apiGroups: ["a.io"], apiVersions: ["v1"], operations: ["*"], resources: ["things"] }]
}
const { resourceRules } = match
const claim = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", count: 1 } }] } }
const webhook = {
  name: "w.a.io",
  clientConfig: { url: "https://127.0.0.1:1/w" },
  rules: resourceRules,
  sideEffects: "None",
  admissionReviewVersions: ["v1"]
}
/** A certificate request of the user "alice". */
const REQUEST =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWk1JR0FBZ0VBTUI0eEREQUtCZ05WQkFvTUEyUmxkakVPTUF3R0ExVUVBd3dGWVd4cFkyVXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVRhTFhMeWltbTJVZWZIT1JmK3B2Qi94eUJmdUVta2h1V3pPejZvCjh1Y0Nxa01IV0Q2WDBaT1M0N3NWU0FLV0pvU0wyQXJFL2JWWVN0cWYvUlh6RndoV29BQXdDZ1lJS29aSXpqMEUKQXdJRFNBQXdSUUlnSDdLVUxkMktIbVE0aFhrMnFIc3c5OVQ0Slg4dzhaUWRkSXZBN2dhck9rMENJUUR3ODdyVgpGTGptWUJSSWh4OGowYjVKRGRsbXdmN0ZrOW9RMXFKSUtLYjJ1QT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

/** Devices and certificates. */
export const devices: Readonly<Record<string, JsonObject>> = {
  DeviceClass: { spec: { selectors: [{ cel: { expression: "device.driver == 'a.b'" } }] } },
  ResourceClaim: { spec: claim },
  ResourceClaimTemplate: { spec: { metadata: { labels: { app: "a" } }, spec: claim } },
  ResourceSlice: {
    spec: {
      driver: "a.b",
      nodeName: "n",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "d", attributes: { model: { string: "m" } }, capacity: { memory: { value: "1Gi" } } }]
    }
  },
  CertificateSigningRequest: {
    spec: { request: REQUEST, signerName: "example.com/s", usages: ["client auth"], expirationSeconds: 3600 }
  }
}

/** Objects that decide about other writes: they are validated, not stored. */
export const deciders: Readonly<Record<string, JsonObject>> = {
  ValidatingAdmissionPolicy: {
    spec: { matchConstraints: match, validations: [{ expression: "object.spec.size < 3", message: "too large" }] }
  },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: "p", validationActions: ["Deny"] } },
  MutatingAdmissionPolicy: {
    spec: {
      matchConstraints: match,
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }]
    }
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: "p" } },
  ValidatingWebhookConfiguration: { webhooks: [webhook] },
  MutatingWebhookConfiguration: { webhooks: [webhook] },
  IPAddress: { metadata: { name: "10.0.0.9" }, spec: { parentRef: { resource: "services", name: "s" } } },
  ServiceCIDR: { spec: { cidrs: ["10.7.0.0/24"] } },
  APIService: {
    metadata: { name: "v1.a.io" },
    spec: {
      group: "a.io",
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: "d", name: "s" },
      insecureSkipTLSVerify: true
    }
  }
}

const attributes = { verb: "get", group: "apps", resource: "deployments", namespace: "fuzz" }

interface View {
  readonly kind: string
  readonly apiVersion: string
  readonly plural: string
  readonly isNamespaced: boolean
  readonly typeName: string
  readonly base: JsonObject
}

const review = (kind: string, base: JsonObject, isNamespaced = false): View => {
  const group = kind.includes("Access") || kind.includes("Rules") ? "authorization" : "authentication"
  return {
    kind,
    apiVersion: `${group}.k8s.io/v1`,
    plural: `${kind.toLowerCase()}s`,
    isNamespaced,
    typeName: `io.k8s.api.${group}.v1.${kind}`,
    base
  }
}

/** Kinds that are answered, not stored. */
const reviews: ReadonlyArray<View> = [
  review("SubjectAccessReview", { spec: { user: "alice", groups: ["g"], resourceAttributes: attributes } }),
  review("SelfSubjectAccessReview", { spec: { nonResourceAttributes: { path: "/healthz", verb: "get" } } }),
  review("LocalSubjectAccessReview", { spec: { user: "alice", resourceAttributes: attributes } }, true),
  review("TokenReview", { spec: { token: "x", audiences: ["a"] } }),
  review("SelfSubjectReview", {})
]

/** Other versions of stored kinds. */
const views: ReadonlyArray<View> = [
  {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    plural: "horizontalpodautoscalers",
    isNamespaced: true,
    typeName: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
    base: {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50
      }
    }
  },
  {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    plural: "events",
    isNamespaced: true,
    typeName: "io.k8s.api.events.v1.Event",
    base: {
      eventTime: "2021-03-04T05:06:07.123456Z",
      reportingController: "a.io/c",
      reportingInstance: "i",
      action: "A",
      reason: "R",
      regarding: { kind: "Pod", namespace: "fuzz", name: "p" },
      note: "n",
      type: "Normal"
    }
  }
]

const resourceOfView = (view: View, isDry: boolean): ReadonlyArray<Resource> => {
  const { isNamespaced, typeName, ...rest } = view
  const type = wireTypeNamed(typeName)
  return type === undefined ? [] : [{ ...rest, namespaced: isNamespaced, type, isDry, isCustom: false }]
}

/** Returns reviews, and other versions of stored kinds. */
export const otherResources = (): ReadonlyArray<Resource> => [
  ...reviews.flatMap((each) => resourceOfView(each, true)),
  ...views.flatMap((each) => resourceOfView(each, false))
]
