import { defaultNamespace, defaultSecret } from "../defaulting/core.ts"
import { defaultNode } from "../defaulting/node.ts"
import { defaultPod } from "../defaulting/pod.ts"
import { ConfigMap, Event, Namespace, Secret, ServiceAccount } from "../objects/Core.ts"
import { Node } from "../objects/Node.ts"
import { Pod } from "../objects/Pod.ts"
import * as configuration from "../validation/configuration.ts"
import { validateEvent, validateEventUpdate } from "../validation/event.ts"
import { validateNamespace, validateNamespaceStatusUpdate, validateNamespaceUpdate } from "../validation/namespace.ts"
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "../validation/node.ts"
import { validatePod, validatePodUpdate } from "../validation/pod.ts"
import { validatePodStatusUpdate } from "../validation/podStatus.ts"
import { podStatusWarnings, podWarnings } from "../warnings/pod.ts"
import { nodeWarnings } from "../warnings/services.ts"
import { serviceAccountWarnings } from "../warnings/workloads.ts"
import { kind } from "./Kind.ts"

/** Upstream: pkg/apis/core, but for services and volumes. */

export const nodes = kind<Node>(Node, {
  scope: "Cluster",
  shortNames: ["no"],
  defaults: defaultNode,
  validation: { create: validateNode, update: validateNodeUpdate, updateStatus: validateNodeStatusUpdate },
  warnings: nodeWarnings,
  fields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) }
})

export const pods = kind<Pod>(Pod, {
  shortNames: ["po"],
  categories: ["all"],
  defaults: defaultPod,
  validation: { create: validatePod, update: validatePodUpdate, updateStatus: validatePodStatusUpdate },
  warnings: podWarnings,
  statusWarnings: podStatusWarnings,
  fields: {
    "spec.nodeName": ({ spec }) => spec.nodeName,
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy,
    "spec.schedulerName": ({ spec }) => spec.schedulerName,
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName,
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
    "status.phase": ({ status }) => status?.phase,
    "status.podIP": ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP,
    "status.podIPs": ({ status }) => status?.podIPs?.map(({ ip }) => ip).join(","),
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName
  },
  renamedFields: { "spec.host": "spec.nodeName" }
})

export const namespaces = kind<Namespace>(Namespace, {
  scope: "Cluster",
  shortNames: ["ns"],
  defaults: defaultNamespace,
  validation: {
    create: validateNamespace,
    update: validateNamespaceUpdate,
    updateStatus: validateNamespaceStatusUpdate
  },
  fields: { "status.phase": ({ status }) => status?.phase }
})

export const events = kind<Event>(Event, {
  shortNames: ["ev"],
  validation: { create: (event) => validateEvent(event), update: (event, old) => validateEventUpdate(event, old) },
  fields: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind,
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace,
    "involvedObject.name": ({ involvedObject }) => involvedObject.name,
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid,
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion,
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion,
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath,
    reason: ({ reason }) => reason,
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ reportingComponent, source }) => source?.component || reportingComponent,
    type: ({ type }) => type
  }
})

export const configMaps = kind<ConfigMap>(ConfigMap, {
  shortNames: ["cm"],
  validation: { create: configuration.validateConfigMap, update: configuration.validateConfigMapUpdate }
})

export const secrets = kind<Secret>(Secret, {
  defaults: defaultSecret,
  validation: { create: configuration.validateSecret, update: configuration.validateSecretUpdate },
  fields: { type: ({ type }) => type }
})

export const serviceAccounts = kind<ServiceAccount>(ServiceAccount, {
  shortNames: ["sa"],
  validation: { create: configuration.validateServiceAccount, update: configuration.validateServiceAccountUpdate },
  warnings: serviceAccountWarnings
})
