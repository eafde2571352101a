import { mandatoryFlowSchemas } from "../flowcontrol/bootstrap.ts"
import type {
  FlowSchema,
  FlowSchemaSpec,
  FlowSubject,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule
} from "../objects/FlowControl.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateConditions } from "./flowControlStatus.ts"
import { validateObjectMeta } from "./metadata.ts"
import { nameIsDNSLabel, nameIsDNSSubdomain } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"
import type { Validation } from "./Validation.ts"

/** Upstream: pkg/apis/flowcontrol/validation/validation.go, of FlowSchema. */

const MAX_PRECEDENCE = 10_000
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"]
const orNull = <A>(value: A | undefined): A | null => value ?? null

const shownSubject = ({ group, kind, serviceAccount, user }: FlowSubject) => ({
  Kind: kind,
  User: user === undefined ? null : { Name: user.name },
  Group: group === undefined ? null : { Name: group.name },
  ServiceAccount:
    serviceAccount === undefined ? null : { Namespace: serviceAccount.namespace, Name: serviceAccount.name }
})

/** Returns the spec as messages show it: as the server's internal type. */
const shownSpec = (spec: FlowSchemaSpec) => ({
  PriorityLevelConfiguration: { Name: spec.priorityLevelConfiguration.name },
  MatchingPrecedence: spec.matchingPrecedence ?? 0,
  DistinguisherMethod: spec.distinguisherMethod === undefined ? null : { Type: spec.distinguisherMethod.type },
  Rules: orNull(
    spec.rules?.map(({ nonResourceRules, resourceRules, subjects }) => ({
      Subjects: orNull(subjects?.map(shownSubject)),
      ResourceRules: orNull(
        resourceRules?.map((rule) => ({
          Verbs: orNull(rule.verbs),
          APIGroups: orNull(rule.apiGroups),
          Resources: orNull(rule.resources),
          ClusterScope: rule.clusterScope ?? false,
          Namespaces: orNull(rule.namespaces)
        }))
      ),
      NonResourceRules: orNull(
        nonResourceRules?.map((rule) => ({ Verbs: orNull(rule.verbs), NonResourceURLs: orNull(rule.nonResourceURLs) }))
      )
    }))
  )
})

/** Checks that `*` is the only element of a list. */
const checkWildcard = (errors: ErrorList, values: ReadonlyArray<string>, what: string, path: string): boolean => {
  if (!values.includes("*")) return false
  if (values.length > 1) errors.invalid(path, values, `if '*' is present, must not specify other ${what}`)
  return true
}

const checkVerbs = (errors: ErrorList, values: ReadonlyArray<string> = [], path: string): void => {
  if (values.length === 0) errors.required(path, "verbs must contain at least one value")
  else if (!checkWildcard(errors, values, "verbs", path) && !values.every((verb) => verbs.includes(verb))) {
    errors.notSupported(path, values, verbs)
  }
}

const checkResourceRule = (errors: ErrorList, rule: ResourcePolicyRule, path: string): void => {
  const { apiGroups = [], clusterScope = false, resources = [] } = rule
  checkVerbs(errors, rule.verbs, `${path}.verbs`)
  if (apiGroups.length === 0) {
    errors.required(`${path}.apiGroups`, "resource rules must supply at least one api group")
  } else checkWildcard(errors, apiGroups, "api groups", `${path}.apiGroups`)
  if (resources.length === 0) errors.required(`${path}.resources`, "resource rules must supply at least one resource")
  else checkWildcard(errors, resources, "resources", `${path}.resources`)
  const namespaces = rule.namespaces ?? []
  const at = `${path}.namespaces`
  if (namespaces.length === 0 && !clusterScope) {
    errors.required(at, "resource rules that are not cluster scoped must supply at least one namespace")
  } else if (!checkWildcard(errors, namespaces, "namespaces", at)) {
    namespaces.forEach((namespace, index) => {
      for (const message of nameIsDNSLabel(namespace, false)) {
        errors.invalid(
          `${at}[${index}]`,
          namespace,
          `each member of this list must be '*' or a DNS-1123 label; ${message}`
        )
      }
    })
  }
}

/** Returns the error of a non-resource path, undefined if it is valid. */
const pathFault = (path: string): string | undefined => {
  if (path === "") return "must not be empty"
  if (path === "/") return undefined
  if (!path.startsWith("/")) return "must start with slash"
  if (path.includes(" ")) return "must not contain white-space"
  if (path.includes("//")) return "must not contain double slash"
  const wildcards = path.split("*").length - 1
  return wildcards > 1 || (wildcards === 1 && !path.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined
}

const checkNonResourceRule = (errors: ErrorList, rule: NonResourcePolicyRule, path: string): void => {
  const { nonResourceURLs = [] } = rule
  checkVerbs(errors, rule.verbs, `${path}.verbs`)
  const at = `${path}.nonResourceURLs`
  if (nonResourceURLs.length === 0) errors.required(at, "nonResourceURLs must contain at least one value")
  else if (!checkWildcard(errors, nonResourceURLs, "non-resource URLs", at)) {
    nonResourceURLs.forEach((url, index) => {
      const fault = pathFault(url)
      if (fault !== undefined) errors.invalid(`${at}[${index}]`, url, fault)
    })
  }
}

const subjectKinds = { User: "user", Group: "group", ServiceAccount: "serviceAccount" } as const

const checkAccount = (errors: ErrorList, { name, namespace }: { name?: string; namespace?: string }, path: string) => {
  if (!name) errors.required(`${path}.name`)
  else if (name !== "*") errors.invalidEach(`${path}.name`, name, nameIsDNSSubdomain(name, false))
  if (namespace) errors.invalidEach(`${path}.namespace`, namespace, nameIsDNSLabel(namespace, false))
  else errors.required(`${path}.namespace`, "must specify namespace for service account")
}

/** The fields of the other kinds, in the order in which upstream forbids them. */
const otherFields = {
  User: ["ServiceAccount", "Group"],
  Group: ["ServiceAccount", "User"],
  ServiceAccount: ["User", "Group"]
} as const

const checkSubject = (errors: ErrorList, subject: FlowSubject, path: string): void => {
  const kind = subject.kind as keyof typeof subjectKinds
  if (!Object.hasOwn(subjectKinds, kind)) {
    errors.notSupported(`${path}.kind`, subject.kind, ["Group", "ServiceAccount", "User"])
    return
  }
  const field = subjectKinds[kind]
  const own = subject[field]
  if (own === undefined) errors.required(`${path}.${field}`, `${field} is required when subject kind is '${kind}'`)
  else if (kind === "ServiceAccount") checkAccount(errors, own, `${path}.${field}`)
  else if (!own.name) errors.required(`${path}.${field}.name`)
  for (const other of otherFields[kind]) {
    const name = subjectKinds[other]
    if (subject[name] === undefined) continue
    errors.forbidden(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`)
  }
}

const checkRule = (errors: ErrorList, rule: PolicyRulesWithSubjects, path: string): void => {
  const { nonResourceRules = [], resourceRules = [], subjects = [] } = rule
  if (subjects.length === 0) errors.required(`${path}.subjects`, "subjects must contain at least one value")
  subjects.forEach((subject, index) => {
    checkSubject(errors, subject, `${path}.subjects[${index}]`)
  })
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
  }
  resourceRules.forEach((each, index) => {
    checkResourceRule(errors, each, `${path}.resourceRules[${index}]`)
  })
  nonResourceRules.forEach((each, index) => {
    checkNonResourceRule(errors, each, `${path}.nonResourceRules[${index}]`)
  })
}

const noSpec: FlowSchemaSpec = { priorityLevelConfiguration: { name: "" }, matchingPrecedence: 1000 }

const checkSpec = (errors: ErrorList, name: string, spec: FlowSchemaSpec): void => {
  const { distinguisherMethod, matchingPrecedence = 0, rules = [] } = spec
  const at = "spec.matchingPrecedence"
  if (matchingPrecedence <= 0) errors.invalid(at, matchingPrecedence, "must be a positive value")
  if (matchingPrecedence > MAX_PRECEDENCE) {
    errors.invalid(at, matchingPrecedence, `must not be greater than ${MAX_PRECEDENCE}`)
  }
  if (matchingPrecedence === 1 && name !== "exempt") {
    errors.invalid(at, matchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1")
  }
  const methods = ["ByNamespace", "ByUser"]
  if (distinguisherMethod !== undefined && !methods.includes(distinguisherMethod.type)) {
    errors.notSupported("spec.distinguisherMethod.type", { Type: distinguisherMethod.type }, methods)
  }
  const level = spec.priorityLevelConfiguration?.name ?? ""
  const levelPath = "spec.priorityLevelConfiguration.name"
  if (level === "") errors.required(levelPath, "must reference a priority level")
  else errors.invalidEach(levelPath, level, nameIsDNSSubdomain(level, false))
  rules.forEach((rule, index) => {
    checkRule(errors, rule, `spec.rules[${index}]`)
  })
}

const check = (errors: ErrorList, schema: FlowSchema): void => {
  validateObjectMeta(errors, schema.metadata, { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true })
  const { spec = noSpec } = schema
  const name = schema.metadata?.name ?? ""
  checkSpec(errors, name, spec)
  const mandatory = mandatoryFlowSchemas.find(({ metadata }) => metadata.name === name)
  if (mandatory !== undefined && !semanticEqual(spec, mandatory.spec)) {
    errors.invalid("spec", shownSpec(spec), `spec of '${name}' must equal the fixed value`)
  }
  validateConditions(errors, schema.status)
}

export const flowSchemaRules: Validation<FlowSchema> = {
  create: (schema) => {
    const errors = new ErrorList()
    check(errors, schema)
    return errors.all
  },
  update: (schema): FieldErrors => {
    const errors = new ErrorList()
    check(errors, schema)
    return errors.all
  },
  updateStatus: (schema) => {
    const errors = new ErrorList()
    validateConditions(errors, schema.status)
    return errors.all
  }
}
