import { type KindName, type KubeObject, resourceOf } from "@rollcall/api"
import type { Subresource } from "@rollcall/cluster"
import type { AdmissionAttributes, AdmissionVerb, UserInfo } from "../core/admission/Admission.ts"

/** A write to pass to a plugin: the caller's object and the stored object. */
export interface AdmissionSample {
  readonly kind: KindName
  readonly verb: AdmissionVerb
  readonly subresource?: Subresource
  /** The caller's object; absent for a delete. */
  readonly object?: KubeObject
  /** The stored object; absent for a create. */
  readonly oldObject?: KubeObject
  /** The user of the write; by default an administrator. */
  readonly userInfo?: UserInfo
}

const admin: UserInfo = { user: "admin", groups: ["system:masters", "system:authenticated"] }
const kubelet: UserInfo = { user: "system:node:node-1", groups: ["system:nodes", "system:authenticated"] }

const makeObject = (apiVersion: string, kind: string, metadata: object, more: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata, ...more }) as KubeObject

const inDefault = { namespace: "default" }
const objects: Readonly<Partial<Record<KindName, KubeObject>>> = {
  Pod: makeObject(
    "v1",
    "Pod",
    { name: "a", ...inDefault },
    { spec: { serviceAccountName: "default", containers: [{ name: "main", image: "main:1" }] } }
  ),
  Node: makeObject("v1", "Node", { name: "node-1", labels: { "kubernetes.io/hostname": "node-1" } }, { spec: {} }),
  Service: makeObject(
    "v1",
    "Service",
    { name: "a", ...inDefault },
    { spec: { ports: [{ port: 80 }], selector: { app: "a" } } }
  ),
  ConfigMap: makeObject("v1", "ConfigMap", { name: "a", ...inDefault }, { data: { key: "value" } }),
  PersistentVolumeClaim: makeObject(
    "v1",
    "PersistentVolumeClaim",
    { name: "a", ...inDefault },
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }
  ),
  PersistentVolume: makeObject("v1", "PersistentVolume", { name: "a" }, { spec: { capacity: { storage: "1Gi" } } }),
  PriorityClass: makeObject("scheduling.k8s.io/v1", "PriorityClass", { name: "a" }, { value: 10 })
}

const withLabel = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, changed: "yes" } }
})

/** Writes with all verbs, by an administrator and by a kubelet. */
export const admissionSamples: ReadonlyArray<AdmissionSample> = Object.entries(objects).flatMap(([name, object]) => {
  const kind = name as KindName
  return [admin, kubelet].flatMap(
    (userInfo): ReadonlyArray<AdmissionSample> => [
      { kind, verb: "create", object, userInfo },
      { kind, verb: "update", object: withLabel(object), oldObject: object, userInfo },
      ...(kind === "Pod"
        ? [{ kind, verb: "update", subresource: "resize", object, oldObject: object, userInfo } as const]
        : []),
      { kind, verb: "delete", oldObject: object, userInfo }
    ]
  )
})

/** The objects that plugins find when they look for some. */
export const storedSamples: ReadonlyArray<KubeObject> = [
  makeObject("v1", "Namespace", { name: "default" }),
  makeObject("v1", "ServiceAccount", { name: "default", ...inDefault }),
  ...Object.values(objects)
]

/** Returns a sample in the form in which a plugin receives it. */
export const attributesOf = ({
  kind,
  object,
  oldObject,
  subresource,
  userInfo = admin,
  verb
}: AdmissionSample): AdmissionAttributes => {
  const { name = "", namespace = "" } = (object ?? oldObject)?.metadata ?? {}
  const resource = resourceOf(kind)
  return { verb, kind, resource, subresource, namespace, name, object, oldObject, userInfo, dryRun: false }
}
