import {
  groupResourceOf,
  type KindName,
  type KubeObject,
  kindOfName,
  notFound,
  type ObjectOf,
  resourceOf
} from "@rollcall/api"
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@rollcall/api-server"
import {
  makeSecurity,
  nodeRestriction,
  serverAdmissionPlugins,
  serviceAccountAdmission
} from "@rollcall/api-server/security"
import type { Subresource } from "@rollcall/cluster"
import { bootstrapPolicy } from "@rollcall/rbac"
import { makeVirtualTime, rethrowErrors } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const object = (kind: string, name: string, namespace: string, rest: object): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, ...(namespace === "" ? {} : { namespace }) },
  ...rest
})

const container = { name: "c", image: "i" }

/** The objects of every case of `nodeauthorizer/decisions`, from its `about`. */
const clusterObjects: ReadonlyArray<KubeObject> = [
  object("Pod", "pod-n1", "default", {
    spec: {
      nodeName: "node1",
      containers: [
        {
          ...container,
          env: [
            { name: "E", valueFrom: { secretKeyRef: { name: "secret-env", key: "k" } } },
            { name: "F", valueFrom: { configMapKeyRef: { name: "cm-env", key: "k" } } }
          ],
          envFrom: [{ secretRef: { name: "secret-envfrom" } }, { configMapRef: { name: "cm-envfrom" } }]
        }
      ],
      volumes: [
        { name: "a", secret: { secretName: "secret-vol" } },
        { name: "b", configMap: { name: "cm-vol" } },
        { name: "c", persistentVolumeClaim: { claimName: "pvc1" } }
      ],
      serviceAccountName: "sa1",
      imagePullSecrets: [{ name: "secret-pull" }]
    }
  }),
  object("Pod", "pod-n2", "default", {
    spec: {
      nodeName: "node2",
      containers: [container],
      volumes: [
        { name: "a", secret: { secretName: "secret-n2" } },
        { name: "p", projected: { sources: [{ secret: { name: "secret-proj" } }, { configMap: { name: "cm-proj" } }] } }
      ],
      serviceAccountName: "sa2"
    }
  }),
  object("Pod", "pod-free", "default", {
    spec: {
      containers: [container],
      volumes: [{ name: "a", secret: { secretName: "secret-free" } }],
      serviceAccountName: "default"
    }
  }),
  object("PersistentVolume", "pv1", "", {
    spec: {
      claimRef: { namespace: "default", name: "pvc1" },
      csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: { namespace: "kube-system", name: "secret-csi" } }
    }
  }),
  object("VolumeAttachment", "va1", "", { spec: { nodeName: "node1" } }),
  object("VolumeAttachment", "va2", "", { spec: { nodeName: "node2" } }),
  ...bootstrapPolicy
]

const { authorizer } = makeSecurity(
  { modes: ["Node", "RBAC"] },
  {
    get: (kind, namespace, name) =>
      clusterObjects.find(
        ({ kind: known, metadata }) =>
          known === kind && metadata.name === name && (metadata.namespace ?? "") === namespace
      ),
    list: (kind, namespace) =>
      clusterObjects.filter(
        (candidate) =>
          candidate.kind === kind && (namespace === undefined || candidate.metadata.namespace === namespace)
      ),
    observe: () => {},
    now: () => 0,
    after: makeVirtualTime(0, { handleError: rethrowErrors }).timers.after,
    label: () => undefined,
    handleError: rethrowErrors
  }
)

const decisions = { Allow: "allow", Deny: "deny", NoOpinion: "noOpinion" } as const

const decide = ({ given }: Json): Json => {
  const { fieldSelector: selector } = given
  const { decision, reason } = authorizer.authorize({
    user: { user: given.user, groups: given.groups },
    verb: given.verb,
    isResource: true,
    path: "",
    group: given.apiGroup ?? "",
    version: "v1",
    resource: given.resource,
    subresource: given.subresource ?? "",
    namespace: given.namespace ?? "",
    name: given.name ?? "",
    ...(selector === undefined ? {} : { fieldSelector: `${selector.key}${selector.operator}${selector.value}` })
  })
  return { decision: decisions[decision], reason }
}

const verbs = { CREATE: "create", UPDATE: "update", DELETE: "delete" } as const

/**
 * Applies the change of a vector, such as `metadata.labels a=b added`, to a pod. Other changes, and none, return it
 * unchanged.
 */
const applyChange = (pod: KubeObject, change: string | undefined): KubeObject => {
  const match = /^metadata\.(labels|annotations) (.+)=(.+) added$/.exec(change ?? "")
  if (match === null) return pod
  const [, map = "", key = "", value = ""] = match
  return { ...pod, metadata: { ...pod.metadata, [map]: { [key]: value } } }
}

const contextOf = (given: Json): AdmissionContext => {
  const known: ReadonlyArray<KubeObject> = [
    ...(given.pods ?? []).map(({ name, nodeName }: Json) =>
      object("Pod", name, "default", { spec: { nodeName, containers: [container] } })
    ),
    ...(given.nodes ?? []).map(({ name, uid }: Json) => ({
      ...object("Node", name, "", {}),
      metadata: { name, uid }
    })),
    object("ServiceAccount", "default", "default", {})
  ]
  return {
    reader: {
      get: <K extends KindName>(kind: K, _: string, name: string) =>
        known.find((one) => one.kind === kind && one.metadata.name === name) as ObjectOf<K> | undefined,
      list: () => [],
      observe: () => undefined
    },
    updateStatus: (object, done) => done(Result.succeed(object)),
    now: () => 0,
    makeName: (base) => `${base}abcde`
  }
}

const attributesOf = (given: Json, context: AdmissionContext): AdmissionAttributes => {
  const kind: KindName = given.object?.kind ?? kindOfName(given.resource) ?? "ConfigMap"
  const verb = verbs[given.operation as keyof typeof verbs]
  const namespace = given.namespace ?? given.object?.metadata.namespace ?? (kind === "Pod" ? "default" : "")
  const name: string = given.name ?? given.object?.metadata.name ?? ""
  const stored = context.reader.get(kind, namespace, name)
  const before = given.oldObject ?? (verb === "create" ? undefined : (stored ?? object(kind, name, namespace, {})))
  return {
    verb,
    kind,
    resource: resourceOf(kind),
    subresource: given.subresource as Subresource | undefined,
    namespace,
    name,
    object: verb === "delete" ? undefined : (given.object ?? (before && applyChange(before, given.change))),
    oldObject: before,
    userInfo: { user: given.user, groups: ["system:nodes", "system:authenticated"] },
    dryRun: false
  }
}

/** Returns the refusal of a plugin's mutating or validating part. */
const refusalBy = (plugin: AdmissionPlugin, attributes: AdmissionAttributes, context: AdmissionContext) => {
  if (!plugin.admits(attributes.kind, attributes.verb, attributes.subresource)) return undefined
  const { subresource, verb } = attributes
  // Deletes and posts to a pod's subresources have nothing to mutate.
  const mutates = verb !== "delete" && (subresource === undefined || subresource === "status")
  const mutated = mutates ? plugin.mutate?.(attributes, context) : undefined
  if (mutated !== undefined && Result.isFailure(mutated)) return mutated.failure
  return plugin.validate?.(attributes, context)
}

/** The plugins that the vectors were recorded with, in the order of a server's chain. */
const chain = serverAdmissionPlugins().filter(
  (plugin) => plugin === serviceAccountAdmission || plugin === nodeRestriction
)

const admit = ({ given }: Json): Json => {
  const context = contextOf(given)
  const attributes = attributesOf(given, context)
  // Admission is not called for a write of an object that does not exist.
  const missing =
    given.pods !== undefined && attributes.verb !== "create" && !context.reader.get("Pod", "default", attributes.name)
  if (missing) {
    const { code, message, reason } = notFound(groupResourceOf(attributes.resource), attributes.name)
    return { allowed: false, code, reason, message }
  }
  for (const plugin of chain) {
    const refused = refusalBy(plugin, attributes, context)
    if (refused === undefined) continue
    const { code, message, reason } = refused
    // ServiceAccount admission refuses first, with its own message.
    return { allowed: false, code, reason, ...(plugin === nodeRestriction ? { message } : {}) }
  }
  return { allowed: true }
}

export const securityAdapters: Adapters = {
  "nodeauthorizer/decisions": decide,
  "noderestriction/admission": admit
}
