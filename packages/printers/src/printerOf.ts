import * as admission from "./admission.ts"
import { autoscalers } from "./autoscaling.ts"
import { certificateSigningRequests } from "./certificates.ts"
import * as core from "./core.ts"
import * as devices from "./devices.ts"
import { events } from "./events.ts"
import * as network from "./network.ts"
import * as networking from "./networking.ts"
import { nodes } from "./nodes.ts"
import { defaultTable, type Printer } from "./Printer.ts"
import { pods } from "./pods.ts"
import * as policy from "./policy.ts"
import * as registration from "./registration.ts"
import * as storage from "./storage.ts"
import * as workloads from "./workloads.ts"

/** The printers of the kinds, by group. Upstream: pkg/printers/internalversion/printers.go, AddHandlers. */
const groups: Readonly<Record<string, Readonly<Record<string, Printer>>>> = {
  "": {
    ConfigMap: core.configMaps,
    Endpoints: network.endpoints,
    Event: events,
    Namespace: core.namespaces,
    Node: nodes,
    PersistentVolume: storage.persistentVolumes,
    PersistentVolumeClaim: storage.persistentVolumeClaims,
    Pod: pods,
    PodTemplate: workloads.podTemplates,
    ReplicationController: workloads.replicationControllers,
    ResourceQuota: core.resourceQuotas,
    Secret: core.secrets,
    Service: network.services,
    ServiceAccount: core.nameAndAge
  },
  "admissionregistration.k8s.io": {
    MutatingAdmissionPolicy: admission.mutatingPolicies,
    MutatingAdmissionPolicyBinding: admission.bindings,
    MutatingWebhookConfiguration: admission.webhookConfigurations,
    ValidatingAdmissionPolicy: admission.validatingPolicies,
    ValidatingAdmissionPolicyBinding: admission.bindings,
    ValidatingWebhookConfiguration: admission.webhookConfigurations
  },
  "apiregistration.k8s.io": {
    APIService: registration.apiServices
  },
  apps: {
    ControllerRevision: workloads.controllerRevisions,
    DaemonSet: workloads.daemonSets,
    Deployment: workloads.deployments,
    ReplicaSet: workloads.replicaSets,
    StatefulSet: workloads.statefulSets
  },
  autoscaling: {
    HorizontalPodAutoscaler: autoscalers,
    Scale: workloads.scales
  },
  batch: {
    CronJob: workloads.cronJobs,
    Job: workloads.jobs
  },
  "certificates.k8s.io": {
    CertificateSigningRequest: certificateSigningRequests
  },
  "coordination.k8s.io": {
    Lease: core.leases
  },
  "discovery.k8s.io": {
    EndpointSlice: network.endpointSlices
  },
  "events.k8s.io": {
    Event: events
  },
  "flowcontrol.apiserver.k8s.io": {
    FlowSchema: policy.flowSchemas,
    PriorityLevelConfiguration: policy.priorityLevels
  },
  "networking.k8s.io": {
    IPAddress: registration.ipAddresses,
    Ingress: networking.ingresses,
    IngressClass: networking.ingressClasses,
    NetworkPolicy: networking.networkPolicies,
    ServiceCIDR: registration.serviceCIDRs
  },
  "node.k8s.io": {
    RuntimeClass: core.runtimeClasses
  },
  policy: {
    PodDisruptionBudget: core.podDisruptionBudgets
  },
  "rbac.authorization.k8s.io": {
    ClusterRoleBinding: policy.bindings,
    RoleBinding: policy.bindings
  },
  "resource.k8s.io": {
    DeviceClass: core.nameAndAge,
    ResourceClaim: devices.resourceClaims,
    ResourceClaimTemplate: core.nameAndAge,
    ResourceSlice: devices.resourceSlices
  },
  "scheduling.k8s.io": {
    PriorityClass: core.priorityClasses
  },
  "storage.k8s.io": {
    CSIDriver: storage.csiDrivers,
    CSINode: storage.csiNodes,
    StorageClass: storage.storageClasses,
    VolumeAttachment: storage.volumeAttachments,
    VolumeAttributesClass: storage.volumeAttributesClasses
  }
}

const printers: ReadonlyMap<string, Printer> = new Map(
  Object.entries(groups).flatMap(([group, kinds]) =>
    Object.entries(kinds).map(([kind, printer]): [string, Printer] => [`${kind}.${group}`, printer])
  )
)

/** Returns the printer of a kind, in any version. Kinds without their own show their names and times of creation. */
export const printerOf = ({ group, kind }: { readonly group: string; readonly kind: string }): Printer =>
  printers.get(`${kind}.${group}`) ?? defaultTable
