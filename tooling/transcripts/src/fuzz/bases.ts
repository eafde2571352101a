import { isKindName, type KindName } from "@rollcall/api"
import type { JsonObject } from "../Case.ts"
import { deciders, devices } from "./moreBases.ts"

const container = { name: "c", image: "busybox:1", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }
const labels = { app: "a" }
const template = { metadata: { labels }, spec: { containers: [container] } }
const workload = { selector: { matchLabels: labels }, template }
const job = { template: { spec: { ...template.spec, restartPolicy: "Never" } } }
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }
const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }]
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]
const backend = { service: { name: "s", port: { number: 80 } } }
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
const schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { size: { type: "integer" }, color: { type: "string" } } } }
}

/** Valid objects, which are made invalid one or a few fields at a time. Kinds that are not served are left out. */
const valid: Readonly<Record<string, JsonObject>> = {
  ConfigMap: { data: { a: "1", b: "two" } },
  Secret: { type: "Opaque", data: { a: "YQ==" } },
  ServiceAccount: { secrets: [{ name: "s" }], imagePullSecrets: [{ name: "p" }] },
  Pod: {
    metadata: { labels },
    spec: {
      // Distributions add volumes of their own to the token's.
      automountServiceAccountToken: false,
      containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      initContainers: [{ name: "i", image: "busybox:1" }],
      volumes: [{ name: "v", emptyDir: {} }],
      tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }]
    }
  },
  PodTemplate: { template },
  ReplicationController: { spec: { replicas: 2, selector: labels, template } },
  LimitRange: { spec: { limits: [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "500m" } }] } },
  ResourceQuota: { spec: { hard: { pods: "100", "requests.cpu": "1k" }, scopes: ["NotTerminating"] } },
  Node: { metadata: { labels }, spec: { taints: [{ key: "k", effect: "NoSchedule" }], podCIDR: "10.1.0.0/24" } },
  Service: { spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] } },
  Endpoints: { subsets: [{ addresses: [{ ip: "10.2.3.4" }], ports: [{ port: 80 }] }] },
  EndpointSlice: { addressType: "IPv4", endpoints: [{ addresses: ["10.2.3.4"] }], ports: [{ name: "", port: 80 }] },
  Ingress: {
    spec: {
      ingressClassName: "c",
      tls: [{ hosts: ["a.io"], secretName: "s" }],
      rules: [{ host: "a.io", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }]
    }
  },
  IngressClass: { spec: { controller: "a.io/c", parameters: { kind: "K", name: "n", scope: "Cluster" } } },
  NetworkPolicy: {
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ port: 80 }] }]
    }
  },
  Deployment: { spec: { replicas: 2, ...workload } },
  ReplicaSet: { spec: { replicas: 2, ...workload } },
  DaemonSet: { spec: workload },
  StatefulSet: {
    spec: {
      replicas: 2,
      serviceName: "s",
      ...workload,
      volumeClaimTemplates: [{ metadata: { name: "d" }, spec: claim }]
    }
  },
  Job: { spec: job },
  CronJob: { spec: { schedule: "*/5 * * * *", jobTemplate: { spec: job } } },
  HorizontalPodAutoscaler: {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
      ]
    }
  },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  Lease: { spec: { holderIdentity: "h", leaseDurationSeconds: 10, renewTime: "2021-03-04T05:06:07.000000Z" } },
  Event: {
    involvedObject: { kind: "Pod", namespace: "fuzz", name: "p" },
    reason: "R",
    message: "m",
    type: "Normal",
    source: { component: "c" },
    count: 1
  },
  PriorityClass: { value: 100, description: "d" },
  PersistentVolume: {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } }
  },
  PersistentVolumeClaim: {
    spec: { storageClassName: "", ...claim, dataSource: { kind: "PersistentVolumeClaim", name: "c" } }
  },
  StorageClass: { provisioner: "example.com/p", parameters: { a: "b" } },
  VolumeAttachment: { spec: { attacher: "a.b", nodeName: "n", source: { persistentVolumeName: "v" } } },
  CSINode: { spec: { drivers: [{ name: "a.b", nodeID: "n", topologyKeys: ["k"] }] } },
  CSIDriver: { spec: { attachRequired: true, podInfoOnMount: false } },
  CSIStorageCapacity: { storageClassName: "s", capacity: "1Gi" },
  VolumeAttributesClass: { driverName: "a.b", parameters: { a: "b" } },
  RuntimeClass: { handler: "h", overhead: { podFixed: { cpu: "1" } } },
  ControllerRevision: { revision: 1, data: { a: 1 } },
  Role: { rules },
  ClusterRole: { rules },
  RoleBinding: { roleRef, subjects },
  ClusterRoleBinding: { roleRef, subjects }
}

/** Valid objects that would change how the servers serve: they are validated, not stored. */
const dry: Readonly<Record<string, JsonObject>> = {
  CustomResourceDefinition: {
    spec: {
      group: "fuzz.example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    }
  },
  FlowSchema: {
    spec: {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 100,
      rules: [
        {
          subjects: [{ kind: "Group", group: { name: "g" } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }]
        }
      ]
    }
  },
  PriorityLevelConfiguration: {
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } } }
  },
  Namespace: { spec: {} }
}

type Bases = Partial<Readonly<Record<KindName, JsonObject>>>

const served = (all: Readonly<Record<string, JsonObject>>): Bases =>
  Object.fromEntries(Object.entries(all).filter(([kind]) => isKindName(kind)))

/** Of these kinds an object may be stored as it is here, where it decides about nothing; its changes are validated only. */
export const harmless: ReadonlySet<string> = new Set([
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "Namespace",
  "ServiceCIDR",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration"
])

export const bases: Bases = served({ ...valid, ...devices })
export const dryKinds: Bases = served({ ...dry, ...deciders })
