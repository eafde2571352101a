import type { ExpressionUse } from "@rollcall/api/validation"
import {
  AUTHORIZER,
  anyFields,
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  RESOURCE_CHECK,
  STRING,
  TIMESTAMP
} from "@rollcall/cel"

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  objectOf(new Map(Object.entries(fields)), 2, `kubernetes.${name}`)

const groupVersionKind = object("GroupVersionKind", { group: STRING, version: STRING, kind: STRING })
const groupVersionResource = object("GroupVersionResource", { group: STRING, version: STRING, resource: STRING })

const userInfo = object("UserInfo", {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING))
})

const request = object("AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: STRING,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo,
  dryRun: BOOL,
  options: DYN
})

const namespace = object("Namespace", {
  metadata: object("NamespaceMetadata", {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING)
  }),
  spec: object("NamespaceSpec", { finalizers: listOf(STRING) }),
  status: object("NamespaceStatus", {
    conditions: listOf(
      object("NamespaceCondition", {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING
      })
    ),
    phase: STRING
  })
})

/** Returns the types of the variables of an expression. Upstream: apiserver/pkg/admission/plugin/cel/compile.go. */
export const variablesFor = (
  { authorizer, params }: Pick<ExpressionUse, "authorizer" | "params">,
  variables: CelType | undefined
): Readonly<Record<string, CelType>> => ({
  object: DYN,
  oldObject: DYN,
  namespaceObject: namespace,
  request,
  ...(params ? { params: DYN } : {}),
  ...(authorizer ? { authorizer: AUTHORIZER, "authorizer.requestResource": RESOURCE_CHECK } : {}),
  ...(variables === undefined ? {} : { variables })
})

/** Returns the type of the variables of a policy; a variable of an object's type is dynamic for those that read it. */
export const variablesType = (types: ReadonlyMap<string, CelType>): CelType =>
  objectOf(new Map([...types].map(([name, type]) => [name, simplified(type)])), 2, "kubernetes.variables")

const simplified = (type: CelType): CelType => {
  if (type.kind === "list") return listOf(simplified(type.params[0] ?? DYN))
  if (type.kind === "map") return mapOf(simplified(type.params[0] ?? DYN), simplified(type.params[1] ?? DYN))
  return ["object", "opaque", "optional_type", "type", "param"].includes(type.kind) ? DYN : type
}

const jsonPatch = objectOf(
  new Map([
    ["op", STRING],
    ["from", STRING],
    ["path", STRING],
    ["value", DYN]
  ]),
  2,
  "JSONPatch"
)

/** Returns the type of a message that mutations make: an operation of a JSON patch, or the object or a part of it. */
export const messageTypeOf = (name: string): CelType | undefined => {
  if (name === "JSONPatch") return jsonPatch
  return name === "Object" || name.startsWith("Object.") ? anyFields(name) : undefined
}
