import type {
  FlowSchema,
  FlowSchemaSpec,
  FlowSubject,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule
} from "../objects/FlowControl.ts"

/*
 * The objects of API Priority and Fairness that a server creates itself. The server always resets the mandatory ones to
 * these values. It resets the suggested ones only if their annotation `autoUpdateSpec` is "true". Upstream:
 * staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
 */

/** The annotation that says whether the server keeps the spec at its default. */
export const autoUpdateSpec = "apf.kubernetes.io/autoupdate-spec"

const metadataOf = (name: string) => ({ name, annotations: { [autoUpdateSpec]: "true" } })

const makePriorityLevel = (name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  metadata: metadataOf(name),
  spec,
  status: {}
})

const queuedLevel = (name: string, shares: number, lendablePercent: number, queuing: QueuingConfiguration) =>
  makePriorityLevel(name, {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: "Queue", queuing },
      lendablePercent
    }
  })

/** Each flow is assigned `handSize` of the queues at random. */
const queues = (count: number, handSize: number): QueuingConfiguration => ({
  queues: count,
  handSize,
  queueLengthLimit: 50
})

/** Schemas with a lower `matchingPrecedence` are tried first. */
const makeFlowSchema = (
  name: string,
  level: string,
  matchingPrecedence: number,
  distinguisher: "ByUser" | "ByNamespace" | undefined,
  rules: PolicyRulesWithSubjects
): FlowSchema => {
  const spec: FlowSchemaSpec = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
    rules: [rules]
  }
  return {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: metadataOf(name),
    spec,
    status: {}
  }
}

const groupSubjects = (...names: ReadonlyArray<string>): ReadonlyArray<FlowSubject> =>
  names.map((name) => ({ kind: "Group", group: { name } }))

const userSubjects = (...names: ReadonlyArray<string>): ReadonlyArray<FlowSubject> =>
  names.map((name) => ({ kind: "User", user: { name } }))

const kubeSystemAccounts: FlowSubject = {
  kind: "ServiceAccount",
  serviceAccount: { namespace: "kube-system", name: "*" }
}

const resourceRule = (
  verbs: ReadonlyArray<string>,
  group: string,
  resources: ReadonlyArray<string>,
  clusterScope: boolean
): ResourcePolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
  ...(clusterScope ? { clusterScope } : {}),
  namespaces: ["*"]
})

const allRequests = {
  resourceRules: [resourceRule(["*"], "*", ["*"], true)],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }]
}

const allUsers = groupSubjects("system:unauthenticated", "system:authenticated")

export const mandatoryPriorityLevels: ReadonlyArray<PriorityLevelConfiguration> = [
  makePriorityLevel("catch-all", {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 }
  }),
  makePriorityLevel("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } })
]

export const mandatoryFlowSchemas: ReadonlyArray<FlowSchema> = [
  makeFlowSchema("exempt", "exempt", 1, undefined, { subjects: groupSubjects("system:masters"), ...allRequests }),
  makeFlowSchema("catch-all", "catch-all", 10_000, "ByUser", { subjects: allUsers, ...allRequests })
]

export const suggestedPriorityLevels: ReadonlyArray<PriorityLevelConfiguration> = [
  queuedLevel("system", 30, 33, queues(64, 6)),
  queuedLevel("node-high", 40, 25, queues(64, 6)),
  queuedLevel("leader-election", 10, 0, queues(16, 4)),
  queuedLevel("workload-high", 40, 50, queues(128, 6)),
  queuedLevel("workload-low", 100, 90, queues(128, 6)),
  queuedLevel("global-default", 20, 50, queues(128, 6))
]

const COORDINATION = "coordination.k8s.io"

export const suggestedFlowSchemas: ReadonlyArray<FlowSchema> = [
  makeFlowSchema("system-nodes", "system", 500, "ByUser", { subjects: groupSubjects("system:nodes"), ...allRequests }),
  makeFlowSchema("system-node-high", "node-high", 400, "ByUser", {
    subjects: groupSubjects("system:nodes"),
    resourceRules: [
      resourceRule(["*"], "", ["nodes", "nodes/status"], true),
      resourceRule(["*"], COORDINATION, ["leases"], false)
    ]
  }),
  makeFlowSchema("probes", "exempt", 2, undefined, {
    subjects: allUsers,
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }]
  }),
  makeFlowSchema("system-leader-election", "leader-election", 100, "ByUser", {
    subjects: [...userSubjects("system:kube-controller-manager", "system:kube-scheduler"), kubeSystemAccounts],
    resourceRules: [resourceRule(["get", "create", "update"], COORDINATION, ["leases"], false)]
  }),
  makeFlowSchema("kube-controller-manager", "workload-high", 800, "ByNamespace", {
    subjects: userSubjects("system:kube-controller-manager"),
    ...allRequests
  }),
  makeFlowSchema("kube-scheduler", "workload-high", 800, "ByNamespace", {
    subjects: userSubjects("system:kube-scheduler"),
    ...allRequests
  }),
  makeFlowSchema("kube-system-service-accounts", "workload-high", 900, "ByNamespace", {
    subjects: [kubeSystemAccounts],
    ...allRequests
  }),
  makeFlowSchema("service-accounts", "workload-low", 9000, "ByUser", {
    subjects: groupSubjects("system:serviceaccounts"),
    ...allRequests
  }),
  makeFlowSchema("global-default", "global-default", 9900, "ByUser", { subjects: allUsers, ...allRequests })
]
