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

/**
 * The objects of API Priority and Fairness that a server creates itself. The mandatory ones are always reset to these
 * values; the suggested ones follow the annotation. Upstream:
 * staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
 */

/** The annotation that says whether the server keeps the spec at its default. */
export const autoUpdateSpec = "apf.kubernetes.io/autoupdate-spec"

const metadataOf = (name: string) => ({ name, annotations: { [autoUpdateSpec]: "true" } })

const levelOf = (name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration => ({
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  metadata: metadataOf(name),
  spec,
  status: {}
})

const queued = (name: string, shares: number, lendablePercent: number, queuing: QueuingConfiguration) =>
  levelOf(name, {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: "Queue", queuing },
      lendablePercent
    }
  })

const queues = (count: number, handSize: number): QueuingConfiguration => ({
  queues: count,
  handSize,
  queueLengthLimit: 50
})

const schemaOf = (
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

const groups = (...names: ReadonlyArray<string>): ReadonlyArray<FlowSubject> =>
  names.map((name) => ({ kind: "Group", group: { name } }))

const users = (...names: ReadonlyArray<string>): ReadonlyArray<FlowSubject> =>
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

const everything = {
  resourceRules: [resourceRule(["*"], "*", ["*"], true)],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }]
}

const everyone = groups("system:unauthenticated", "system:authenticated")

export const mandatoryPriorityLevels: ReadonlyArray<PriorityLevelConfiguration> = [
  levelOf("catch-all", {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 }
  }),
  levelOf("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } })
]

export const mandatoryFlowSchemas: ReadonlyArray<FlowSchema> = [
  schemaOf("exempt", "exempt", 1, undefined, { subjects: groups("system:masters"), ...everything }),
  schemaOf("catch-all", "catch-all", 10_000, "ByUser", { subjects: everyone, ...everything })
]

export const suggestedPriorityLevels: ReadonlyArray<PriorityLevelConfiguration> = [
  queued("system", 30, 33, queues(64, 6)),
  queued("node-high", 40, 25, queues(64, 6)),
  queued("leader-election", 10, 0, queues(16, 4)),
  queued("workload-high", 40, 50, queues(128, 6)),
  queued("workload-low", 100, 90, queues(128, 6)),
  queued("global-default", 20, 50, queues(128, 6))
]

const COORDINATION = "coordination.k8s.io"

export const suggestedFlowSchemas: ReadonlyArray<FlowSchema> = [
  schemaOf("system-nodes", "system", 500, "ByUser", { subjects: groups("system:nodes"), ...everything }),
  schemaOf("system-node-high", "node-high", 400, "ByUser", {
    subjects: groups("system:nodes"),
    resourceRules: [
      resourceRule(["*"], "", ["nodes", "nodes/status"], true),
      resourceRule(["*"], COORDINATION, ["leases"], false)
    ]
  }),
  schemaOf("probes", "exempt", 2, undefined, {
    subjects: everyone,
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }]
  }),
  schemaOf("system-leader-election", "leader-election", 100, "ByUser", {
    subjects: [...users("system:kube-controller-manager", "system:kube-scheduler"), kubeSystemAccounts],
    resourceRules: [resourceRule(["get", "create", "update"], COORDINATION, ["leases"], false)]
  }),
  schemaOf("kube-controller-manager", "workload-high", 800, "ByNamespace", {
    subjects: users("system:kube-controller-manager"),
    ...everything
  }),
  schemaOf("kube-scheduler", "workload-high", 800, "ByNamespace", {
    subjects: users("system:kube-scheduler"),
    ...everything
  }),
  schemaOf("kube-system-service-accounts", "workload-high", 900, "ByNamespace", {
    subjects: [kubeSystemAccounts],
    ...everything
  }),
  schemaOf("service-accounts", "workload-low", 9000, "ByUser", {
    subjects: groups("system:serviceaccounts"),
    ...everything
  }),
  schemaOf("global-default", "global-default", 9900, "ByUser", { subjects: everyone, ...everything })
]
