import type { JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import { NAMESPACE, type Resource } from "./Resource.ts"

/** An object of a policy. */
interface Part {
  readonly kind: string
  readonly name: string
  readonly body: JsonObject
}

/** Expressions of true or false, of which some fail for some objects. */
const expressions = [
  "true",
  "false",
  "object == null || has(object.metadata.labels)",
  "request.operation != 'DELETE'",
  "request.operation == 'CREATE' || object.metadata.generation < 3",
  "object.spec.replicas <= 1",
  "has(object.spec) && has(object.spec.replicas) ? object.spec.replicas < 2 : true",
  "object.metadata.name.startsWith('o-')",
  "oldObject == null || object == null || oldObject.metadata.uid == object.metadata.uid",
  "request.userInfo.username == 'jane' || 'system:masters' in request.userInfo.groups",
  "namespaceObject.metadata.name == 'fuzz' && namespaceObject.status.phase == 'Active'",
  "request.?subResource.orValue('') == ''",
  "request.kind.kind == request.requestKind.kind",
  "!has(request.dryRun) || !request.dryRun",
  "authorizer.group('').resource('pods').namespace('fuzz').check('get').allowed()",
  "authorizer.requestResource.check('update').reason() == ''",
  "object.metadata.labels.all(key, key.size() < 8)",
  "object.metadata.?labels['app'].orValue('') in ['', 'a']",
  "dyn(object).nothing == 1",
  "has(request.options) && request.options.?fieldManager.orValue('') != 'm'",
  "variables.short",
  "quantity('1Gi').isGreaterThan(quantity(object.spec.resources.requests.storage))",
  "size(object.metadata.managedFields) < 2",
  "object.spec.containers.all(each, each.image.matches('^busybox'))"
]

const messages = [
  "'of ' + request.name",
  "string(object.metadata.name) + '\\n'",
  "object.metadata.name + ' ' + request.operation",
  "'  '",
  "object.nothing"
]

const conditions: ReadonlyArray<JsonObject> = [
  { name: "all", expression: "true" },
  { name: "created", expression: "request.operation == 'CREATE'" },
  { name: "named", expression: "object.metadata.name != 'x'" },
  { name: "broken", expression: "object.nothing == 1" }
]

const matchOf = (random: Random, { apiVersion, plural }: Resource): JsonObject => {
  const parts = apiVersion.split("/")
  const [version = "", group = ""] = parts.reverse()
  const rule = {
    apiGroups: random.pick([["*"], [group]]),
    apiVersions: random.pick([["*"], [version]]),
    operations: random.pick([["*"], ["CREATE"], ["CREATE", "UPDATE"], ["UPDATE", "DELETE"], ["CONNECT", "CREATE"]]),
    resources: random.pick([["*"], ["*/*"], [plural], [`${plural}/*`, plural], [`${plural}/status`], ["*/scale", "*"]]),
    scope: random.pick(["Namespaced", "Namespaced", "*"])
  }
  return {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": NAMESPACE } },
    resourceRules: [rule],
    matchPolicy: random.pick(["Equivalent", "Exact"]),
    ...(random.chance(0.2) && { objectSelector: { matchLabels: { app: "a" } } }),
    ...(random.chance(0.15) && { excludeResourceRules: [{ ...rule, resources: [plural] }] })
  }
}

const commonOf = (random: Random) => ({
  failurePolicy: random.pick(["Fail", "Ignore"]),
  variables: [{ name: "short", expression: "object.metadata.name.size() < 6" }],
  ...(random.chance(0.4) && { matchConditions: [random.pick(conditions)] })
})

const validating = (random: Random, resource: Resource): ReadonlyArray<Part> => {
  const validation = (): JsonObject => ({
    expression: random.pick(expressions),
    ...(random.chance(0.3) && { message: "refused" }),
    ...(random.chance(0.4) && { messageExpression: random.pick(messages) }),
    ...(random.chance(0.4) && {
      reason: random.pick(["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"])
    })
  })
  const validations = Array.from({ length: 1 + random.below(2) }, validation)
  const annotations = random.chance(0.2) ? [{ key: "a", valueExpression: random.pick(messages) }] : []
  const spec = {
    ...commonOf(random),
    matchConstraints: matchOf(random, resource),
    validations,
    auditAnnotations: annotations
  }
  const actions = random.pick([["Deny"], ["Deny"], ["Warn"], ["Deny", "Audit"], ["Audit", "Warn"]])
  const bound = {
    policyName: "fuzz-refuses",
    validationActions: actions,
    ...(random.chance(0.3) && { matchResources: matchOf(random, resource) })
  }
  return [
    { kind: "ValidatingAdmissionPolicy", name: "fuzz-refuses", body: { spec } },
    { kind: "ValidatingAdmissionPolicyBinding", name: "fuzz-refuses", body: { spec: bound } }
  ]
}

const configurations = [
  "Object{metadata: Object.metadata{labels: {'added': '1'}}}",
  "Object{metadata: Object.metadata{annotations: {'by': request.userInfo.username}}}",
  "Object{}",
  "has(object.metadata.labels) ? Object{} : Object{metadata: Object.metadata{labels: {'app': 'b'}}}",
  "Object{spec: Object.spec{replicas: 5}}",
  "Object{metadata: Object.metadata{name: 'other'}}"
]

const patches = [
  "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}]",
  "[JSONPatch{op: 'test', path: '/metadata/name', value: 'x'}]",
  "has(object.metadata.labels) ? [JSONPatch{op: 'remove', path: '/metadata/labels'}] : []",
  "[JSONPatch{op: 'remove', path: '/spec/nothing'}]",
  "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]",
  "[JSONPatch{op: 'add', path: '/unknown', value: 1}]",
  "[JSONPatch{op: 'replace', path: '/metadata/labels', value: variables.short ? {'x': 'y'} : {}}]"
]

const mutating = (random: Random, resource: Resource): ReadonlyArray<Part> => {
  const mutation = (): JsonObject =>
    random.chance(0.5)
      ? { patchType: "ApplyConfiguration", applyConfiguration: { expression: random.pick(configurations) } }
      : { patchType: "JSONPatch", jsonPatch: { expression: random.pick(patches) } }
  const match = matchOf(random, resource)
  const rules = (match.resourceRules as ReadonlyArray<JsonObject>).map((rule) => ({
    ...rule,
    operations: random.pick([["CREATE"], ["UPDATE"], ["CREATE", "UPDATE"]])
  }))
  const spec = {
    ...commonOf(random),
    matchConstraints: { ...match, resourceRules: rules },
    reinvocationPolicy: random.pick(["Never", "IfNeeded"]),
    mutations: Array.from({ length: 1 + random.below(2) }, mutation)
  }
  return [
    { kind: "MutatingAdmissionPolicy", name: "fuzz-changes", body: { spec } },
    { kind: "MutatingAdmissionPolicyBinding", name: "fuzz-changes", body: { spec: { policyName: "fuzz-changes" } } }
  ]
}

/** Returns the objects of policies for writes of some resource of the namespace. */
export const policies = (random: Random, resources: ReadonlyArray<Resource>): ReadonlyArray<Part> => {
  const resource = random.pick(resources)
  if (random.chance(0.25)) return [...validating(random, resource), ...mutating(random, resource)]
  return random.chance(0.6) ? validating(random, resource) : mutating(random, resource)
}
