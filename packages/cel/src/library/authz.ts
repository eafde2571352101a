import { STRING_FACTOR } from "../estimateSizes.ts"
import type { CelFunction } from "../operators.ts"
import { undeclared } from "../types.ts"
import { CelError, Extension, sizeOf, type Value } from "../values.ts"
import type { Library } from "./Library.ts"

/** What an expression asks the authorizer, about a path or a resource. */
export interface AuthorizationCheck {
  /** The user, if it is not that of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly verb: string
  readonly path?: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

/** What the authorizer answers. */
export interface AuthorizationAnswer {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

export type Authorize = (check: AuthorizationCheck) => AuthorizationAnswer

const prefix = "kubernetes.authorization."

let count = 0

/** A value that is equal only to itself. */
abstract class Unique extends Extension {
  readonly key = String(count++)
}

/** The variable `authorizer`. */
export class Authorizer extends Unique {
  readonly typeName = `${prefix}Authorizer`
  readonly authorize: Authorize
  readonly serviceAccount: AuthorizationCheck["serviceAccount"]
  constructor(authorize: Authorize, serviceAccount?: AuthorizationCheck["serviceAccount"]) {
    super()
    this.authorize = authorize
    this.serviceAccount = serviceAccount
  }
}

type Asked = Omit<AuthorizationCheck, "verb">

/** A check whose verb is missing: of a path, of a group whose resource is missing too, or of a resource. */
abstract class Check extends Unique {
  readonly authorize: Authorize
  readonly asked: Asked
  constructor(authorize: Authorize, asked: Asked) {
    super()
    this.authorize = authorize
    this.asked = asked
  }
}

class PathCheck extends Check {
  readonly typeName = `${prefix}PathCheck`
}

class GroupCheck extends Check {
  readonly typeName = `${prefix}GroupCheck`
}

/** The variable `authorizer.requestResource`, and what others build. */
export class ResourceCheck extends Check {
  readonly typeName = `${prefix}ResourceCheck`
}

class Decision extends Unique {
  readonly typeName = `${prefix}Decision`
  readonly answer: AuthorizationAnswer
  constructor(answer: AuthorizationAnswer) {
    super()
    this.answer = answer
  }
}

const nothing: Asked = { group: "", resource: "", subresource: "", namespace: "", name: "" }

const askedBy = ({ serviceAccount }: Authorizer, asked: Partial<Asked>): Asked => ({
  ...nothing,
  ...asked,
  ...(serviceAccount && { serviceAccount })
})

const withText =
  (field: "fieldSelector" | "labelSelector" | "name" | "namespace" | "subresource"): CelFunction =>
  ([check, text]) =>
    check instanceof ResourceCheck && typeof text === "string"
      ? new ResourceCheck(check.authorize, { ...check.asked, [field]: text })
      : undefined

const ofDecision =
  (of: (answer: AuthorizationAnswer) => Value): CelFunction =>
  ([decision]) =>
    decision instanceof Decision ? of(decision.answer) : undefined

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

const serviceAccount: CelFunction = ([authorizer, namespace, name]) => {
  if (!(authorizer instanceof Authorizer) || typeof namespace !== "string" || typeof name !== "string") return undefined
  if (name.length > 253 || !subdomain.test(name)) return new CelError("Invalid service account name")
  if (!label.test(namespace)) return new CelError("Invalid service account namespace")
  return new Authorizer(authorizer.authorize, { namespace, name })
}

/** As a selector is parsed: a list, one traversal of the text, and its requirements. */
const selectorCost = (size: number): number =>
  10 + Math.ceil(size * STRING_FACTOR) + Math.ceil(size * REQUIREMENTS_PER_CHARACTER) * COST_PER_REQUIREMENT

const REQUIREMENTS_PER_CHARACTER = 0.5
const COST_PER_REQUIREMENT = 50

/** At most two checks fit into the budget of an expression. */
const CHECK_COST = 350_000

/** Checks of authorization. Upstream: apiserver/pkg/cel/library/authz.go. */
export const authzLibrary: Library = {
  types: Object.fromEntries(
    ["Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"].map((name) => [
      name,
      undeclared(`${prefix}${name}`)
    ])
  ),
  typeNames: ["Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"],
  overloads: [
    ".path Authorizer string -> PathCheck = authorizer_path",
    ".group Authorizer string -> GroupCheck = authorizer_group",
    ".serviceAccount Authorizer string string -> Authorizer = authorizer_serviceaccount",
    ".resource GroupCheck string -> ResourceCheck = groupcheck_resource",
    ".subresource ResourceCheck string -> ResourceCheck = resourcecheck_subresource",
    ".namespace ResourceCheck string -> ResourceCheck = resourcecheck_namespace",
    ".name ResourceCheck string -> ResourceCheck = resourcecheck_name",
    ".fieldSelector ResourceCheck string -> ResourceCheck = authorizer_fieldselector",
    ".labelSelector ResourceCheck string -> ResourceCheck = authorizer_labelselector",
    ".check PathCheck string -> Decision = pathcheck_check",
    ".check ResourceCheck string -> Decision = resourcecheck_check",
    ".errored Decision -> bool = decision_errored",
    ".error Decision -> string = decision_error",
    ".allowed Decision -> bool = decision_allowed",
    ".reason Decision -> string = decision_reason"
  ],
  functions: {
    allowed: ofDecision(({ allowed }) => allowed),
    check: ([check, verb]) =>
      (check instanceof PathCheck || check instanceof ResourceCheck) && typeof verb === "string"
        ? new Decision(check.authorize({ ...check.asked, verb }))
        : undefined,
    error: ofDecision(({ error }) => error ?? ""),
    errored: ofDecision(({ error }) => error !== undefined),
    fieldSelector: withText("fieldSelector"),
    group: ([authorizer, group]) =>
      authorizer instanceof Authorizer && typeof group === "string"
        ? new GroupCheck(authorizer.authorize, askedBy(authorizer, { group }))
        : undefined,
    labelSelector: withText("labelSelector"),
    name: withText("name"),
    namespace: withText("namespace"),
    path: ([authorizer, path]) => {
      if (!(authorizer instanceof Authorizer) || typeof path !== "string") return undefined
      if (path.trim() === "") return new CelError("path must not be empty")
      return new PathCheck(authorizer.authorize, askedBy(authorizer, { path }))
    },
    reason: ofDecision(({ reason }) => reason),
    resource: ([check, resource]) => {
      if (!(check instanceof GroupCheck) || typeof resource !== "string") return undefined
      if (resource.trim() === "") return new CelError("resource must not be empty")
      return new ResourceCheck(check.authorize, { ...check.asked, resource })
    },
    serviceAccount,
    subresource: withText("subresource")
  },
  costs: {
    check: () => CHECK_COST,
    fieldSelector: ([, selector = null]) => selectorCost(sizeOf(selector)),
    labelSelector: ([, selector = null]) => selectorCost(sizeOf(selector))
  },
  estimates: { check: () => ({ cost: { min: CHECK_COST, max: CHECK_COST } }) },
  equality: {}
}

/** The types of the variables `authorizer` and `authorizer.requestResource`. */
export const AUTHORIZER = authzLibrary.types.Authorizer as NonNullable<Library["types"][string]>
export const RESOURCE_CHECK = authzLibrary.types.ResourceCheck as NonNullable<Library["types"][string]>
