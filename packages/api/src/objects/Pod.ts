import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { Affinity, Toleration, TopologySpreadConstraint } from "./Affinity.ts"
import { Container, EphemeralContainer, ResourceRequirements } from "./Container.ts"
import { LocalObjectReference, ObjectMeta } from "./Meta.ts"
import { PodStatus } from "./PodStatus.ts"
import { ResourceList } from "./Scalars.ts"
import { Volume } from "./Volume.ts"

/** Pod-level security: the fields that node-side rules read; the rest is passed through. */
export const PodSecurityContext = Schema.Struct({
  runAsUser: opt(Schema.Int),
  runAsGroup: opt(Schema.Int),
  runAsNonRoot: opt(Schema.Boolean),
  fsGroup: opt(Schema.Int),
  supplementalGroups: opt(list(Schema.Int)),
  supplementalGroupsPolicy: opt(oneOf("Merge", "Strict")),
  sysctls: opt(list(Schema.Struct({ name: Schema.String, value: Schema.String }))),
  seccompProfile: opt(Schema.Struct({ type: Schema.String, localhostProfile: opt(Schema.String) })),
  appArmorProfile: opt(Schema.Struct({ type: Schema.String, localhostProfile: opt(Schema.String) }))
})
export interface PodSecurityContext extends Schema.Schema.Type<typeof PodSecurityContext> {}

/** The containers of a pod, its placement rules and its termination. Immutable except for a few fields. */
export const PodSpec = Schema.Struct({
  volumes: opt(list(Volume)),
  initContainers: opt(list(Container)),
  containers: list(Container),
  ephemeralContainers: opt(list(EphemeralContainer)),
  restartPolicy: opt(oneOf("Always", "OnFailure", "Never")),
  terminationGracePeriodSeconds: opt(Schema.Int),
  activeDeadlineSeconds: opt(Schema.Int),
  dnsPolicy: opt(oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
  nodeSelector: opt(StringMap),
  serviceAccountName: opt(Schema.String),
  serviceAccount: opt(Schema.String),
  automountServiceAccountToken: opt(Schema.Boolean),
  nodeName: opt(Schema.String),
  hostNetwork: opt(Schema.Boolean),
  hostPID: opt(Schema.Boolean),
  hostIPC: opt(Schema.Boolean),
  shareProcessNamespace: opt(Schema.Boolean),
  securityContext: opt(PodSecurityContext),
  imagePullSecrets: opt(list(LocalObjectReference)),
  hostname: opt(Schema.String),
  subdomain: opt(Schema.String),
  affinity: opt(Affinity),
  schedulerName: opt(Schema.String),
  tolerations: opt(list(Toleration)),
  hostAliases: opt(list(Schema.Struct({ ip: Schema.String, hostnames: opt(list(Schema.String)) }))),
  priorityClassName: opt(Schema.String),
  priority: opt(Schema.Int),
  preemptionPolicy: opt(oneOf("PreemptLowerPriority", "Never")),
  dnsConfig: opt(Opaque),
  readinessGates: opt(list(Schema.Struct({ conditionType: Schema.String }))),
  runtimeClassName: opt(Schema.String),
  enableServiceLinks: opt(Schema.Boolean),
  overhead: opt(ResourceList),
  topologySpreadConstraints: opt(list(TopologySpreadConstraint)),
  setHostnameAsFQDN: opt(Schema.Boolean),
  os: opt(Schema.Struct({ name: oneOf("linux", "windows") })),
  hostUsers: opt(Schema.Boolean),
  schedulingGates: opt(list(Schema.Struct({ name: Schema.String }))),
  resourceClaims: opt(
    list(
      Schema.Struct({
        name: Schema.String,
        resourceClaimName: opt(Schema.String),
        resourceClaimTemplateName: opt(Schema.String)
      })
    )
  ),
  /** Pod-level resources. */
  resources: opt(ResourceRequirements),
  hostnameOverride: opt(Schema.String)
})
export interface PodSpec extends Schema.Schema.Type<typeof PodSpec> {}

/** Containers that are started and stopped together on one node. */
export const Pod = Schema.Struct({
  ...typed("v1", "Pod"),
  spec: PodSpec,
  status: opt(PodStatus)
})
export interface Pod extends Schema.Schema.Type<typeof Pod> {}

/** The template of a workload's pods. */
export const PodTemplateSpec = Schema.Struct({ metadata: opt(ObjectMeta), spec: PodSpec })
export interface PodTemplateSpec extends Schema.Schema.Type<typeof PodTemplateSpec> {}

/** The body of a POST to pods/binding. */
export const Binding = Schema.Struct({
  ...typed("v1", "Binding"),
  target: Schema.Struct({
    apiVersion: opt(Schema.String),
    kind: opt(Schema.String),
    namespace: opt(Schema.String),
    name: Schema.String,
    uid: opt(Schema.String)
  })
})
export interface Binding extends Schema.Schema.Type<typeof Binding> {}
