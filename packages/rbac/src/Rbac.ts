import type { ClusterRole, KubeObject, PolicyRule, Role, RoleRef, Subject } from "@rollcall/api"
import { guarded, type HandleError } from "@rollcall/time"
import { type RbacUser, serviceAccountUser } from "./identity.ts"
import { type Binding, type RbacRequest, rbacGroup, rbacKinds, ruleAllows } from "./rules.ts"

/** Where roles and bindings come from. */
export interface RbacSource {
  /** Returns an object, or undefined if it does not exist. The namespace is "" for cluster-scoped kinds. */
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined
  /** Returns all objects of a kind, in key order. */
  readonly list: (kind: string) => ReadonlyArray<KubeObject>
  /** Calls `observer` for every change of a kind's objects. */
  readonly observe: (kind: string, observer: () => void) => void
  /** Reports an error that one object causes. The object is then skipped, and all others are still used. */
  readonly handleError: HandleError
}

/** RBAC allows, or has no opinion: it denies nothing. */
export interface RbacDecision {
  readonly decision: "Allow" | "NoOpinion"
  /** Why; may be empty. */
  readonly reason: string
}

/** What a user may do in a namespace, as SelfSubjectRulesReview reports it. */
export interface NamespaceRules {
  readonly resourceRules: ReadonlyArray<{
    readonly verbs: ReadonlyArray<string>
    readonly apiGroups: ReadonlyArray<string>
    readonly resources: ReadonlyArray<string>
    readonly resourceNames?: ReadonlyArray<string>
  }>
  readonly nonResourceRules: ReadonlyArray<{
    readonly verbs: ReadonlyArray<string>
    readonly nonResourceURLs: ReadonlyArray<string>
  }>
  readonly incomplete: boolean
  /** The bindings whose role does not exist. */
  readonly evaluationError?: string
}

/** The permissions that one binding grants to one subject. */
interface Grant {
  /** Bindings are evaluated in key order, cluster role bindings first. */
  readonly order: number
  readonly rules: ReadonlyArray<PolicyRule>
  /** The error that the binding's role does not exist; undefined if it does. */
  readonly missing: string | undefined
  /** Describes the grant in the reason of a decision. */
  readonly describe: string
}

/** The grants by `subjectKey`. */
type BySubject = Map<string, Array<Grant>>

/** The grants of the current bindings, by subject. */
interface Index {
  readonly cluster: BySubject
  readonly namespaces: Map<string, BySubject>
}

/** The cached grants of one user. They are valid for as long as `index` is the current one. */
interface UserGrants {
  readonly index: Index
  readonly cluster: ReadonlyArray<Grant>
  readonly namespaces: Map<string, ReadonlyArray<Grant>>
}

/** The rules of a user in a namespace, and the errors for bindings whose role does not exist. */
export interface ResolvedRules {
  readonly rules: ReadonlyArray<PolicyRule>
  readonly errors: ReadonlyArray<string>
}

/**
 * Role-based access control over the server's caches. Grants are looked up once and cached until a role or a binding
 * changes, so a decision only evaluates the few rules of the user. Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go.
 */
export class Rbac {
  private readonly source: RbacSource
  private index: Index | undefined
  /** The grants by the user object: authenticators return the same one for the same certificate or token. */
  private readonly users = new WeakMap<RbacUser, UserGrants>()

  constructor(source: RbacSource) {
    this.source = source
    for (const kind of rbacKinds) {
      source.observe(kind, () => {
        this.index = undefined
      })
    }
  }

  authorize = (request: RbacRequest): RbacDecision => {
    const { namespace, user } = request
    const grants = this.grantsOf(user)
    const allowing =
      this.firstAllowing(grants.cluster, request) ??
      (namespace === "" ? undefined : this.firstAllowing(this.grantsIn(grants, user, namespace), request))
    if (allowing !== undefined) return { decision: "Allow", reason: `RBAC: allowed by ${allowing.describe}` }
    const missing = this.allGrants(user, namespace).flatMap((grant) => grant.missing ?? [])
    return missing.length === 0 ? noOpinion : { decision: "NoOpinion", reason: `RBAC: ${joinErrors(missing)}` }
  }

  rulesFor = (user: RbacUser, namespace: string): NamespaceRules => {
    const { errors, rules } = this.resolve(user, namespace)
    return {
      resourceRules: rules
        .filter(({ resources = [] }) => resources.length > 0)
        .map(({ apiGroups = [], resourceNames = [], resources = [], verbs }) => ({
          verbs,
          apiGroups,
          resources,
          ...(resourceNames.length === 0 ? {} : { resourceNames })
        })),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ nonResourceURLs = [], verbs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(errors.length === 0 ? {} : { evaluationError: joinErrors(errors) })
    }
  }

  /** Returns all rules of the user in a namespace, or only the cluster-wide ones if the namespace is "". */
  resolve(user: RbacUser, namespace: string): ResolvedRules {
    const all = this.allGrants(user, namespace)
    return { rules: all.flatMap(({ rules }) => rules), errors: all.flatMap(({ missing }) => missing ?? []) }
  }

  /** Returns the rules of a role, or undefined if it does not exist. */
  rulesOf(roleRef: RoleRef, namespace: string): ReadonlyArray<PolicyRule> | undefined {
    if (roleRef.kind !== "ClusterRole") {
      const role = this.source.get("Role", namespace, roleRef.name) as Role | undefined
      return role === undefined ? undefined : (role.rules ?? [])
    }
    const role = this.source.get("ClusterRole", "", roleRef.name) as ClusterRole | undefined
    return role === undefined ? undefined : (role.rules ?? [])
  }

  /** Returns the first grant that allows the request. An invalid rule allows nothing, and does not affect other rules. */
  private firstAllowing(grants: ReadonlyArray<Grant>, request: RbacRequest): Grant | undefined {
    return grants.find(({ describe, rules }) => {
      try {
        return rules.some((rule) => ruleAllows(rule, request))
      } catch (error) {
        this.source.handleError("rbac", error, { grant: describe })
        return false
      }
    })
  }

  private allGrants(user: RbacUser, namespace: string): ReadonlyArray<Grant> {
    const grants = this.grantsOf(user)
    return namespace === "" ? grants.cluster : [...grants.cluster, ...this.grantsIn(grants, user, namespace)]
  }

  private currentIndex(): Index {
    this.index ??= this.buildIndex()
    return this.index
  }

  private buildIndex(): Index {
    const index: Index = { cluster: new Map(), namespaces: new Map() }
    for (const [order, binding] of bindingsOf(this.source.list("ClusterRoleBinding")).entries()) {
      this.addBinding(index.cluster, binding, order)
    }
    for (const [order, binding] of bindingsOf(this.source.list("RoleBinding")).entries()) {
      const { namespace = "" } = binding.metadata
      let subjects = index.namespaces.get(namespace)
      if (subjects === undefined) {
        subjects = new Map()
        index.namespaces.set(namespace, subjects)
      }
      this.addBinding(subjects, binding, order)
    }
    return index
  }

  /** Adds a binding's grants; an invalid binding or role grants nothing. */
  private addBinding(subjects: BySubject, binding: Binding, order: number): void {
    const { name, namespace } = binding.metadata
    const addBinding = () => this.addGrants(subjects, binding, order)
    guarded(this.source, "rbac", addBinding, { binding: name, namespace })
  }

  private addGrants(subjects: BySubject, binding: Binding, order: number): void {
    const { metadata, roleRef, subjects: named } = binding
    const { namespace = "" } = metadata
    const rules = this.rulesOf(roleRef, namespace)
    const missing =
      rules === undefined ? `${roleRef.kind.toLowerCase()}.${rbacGroup} "${roleRef.name}" not found` : undefined
    for (const subject of named ?? []) {
      const grant = { order, rules: rules ?? [], missing, describe: descriptionOf(binding, subject) }
      const key = subjectKey(subject, namespace)
      const known = subjects.get(key)
      if (known === undefined) subjects.set(key, [grant])
      else known.push(grant)
    }
  }

  private grantsOf(user: RbacUser): UserGrants {
    const index = this.currentIndex()
    const known = this.users.get(user)
    if (known?.index === index) return known
    const grants: UserGrants = { index, cluster: grantsFor(index.cluster, user), namespaces: new Map() }
    this.users.set(user, grants)
    return grants
  }

  private grantsIn({ index, namespaces }: UserGrants, user: RbacUser, namespace: string): ReadonlyArray<Grant> {
    const known = namespaces.get(namespace)
    if (known !== undefined) return known
    const found = grantsFor(index.namespaces.get(namespace), user)
    // A namespace that occurs only in a request is not cached.
    if (index.namespaces.has(namespace)) namespaces.set(namespace, found)
    return found
  }
}

const noOpinion: RbacDecision = { decision: "NoOpinion", reason: "" }

const bindingsOf = (objects: ReadonlyArray<KubeObject>) => objects as ReadonlyArray<Binding>

const userKey = (name: string): string => `u:${name}`
const groupKey = (name: string): string => `g:${name}`

const subjectKey = ({ kind, name, namespace }: Subject, bindingNamespace: string): string => {
  if (kind === "Group") return groupKey(name)
  return userKey(kind === "ServiceAccount" ? serviceAccountUser(namespace || bindingNamespace, name) : name)
}

const grantsFor = (subjects: BySubject | undefined, { groups, user }: RbacUser): ReadonlyArray<Grant> => {
  if (subjects === undefined) return []
  const found = [userKey(user), ...new Set(groups.map(groupKey))].flatMap((key) => subjects.get(key) ?? [])
  found.sort((left, right) => left.order - right.order)
  // A binding counts once, even if several of its subjects match the user.
  return found.filter(({ order }, position) => order !== found[position - 1]?.order)
}

const descriptionOf = ({ kind, metadata, roleRef }: Binding, subject: Subject): string => {
  const name = metadata.namespace ? `${metadata.name}/${metadata.namespace}` : metadata.name
  const who =
    subject.kind === "ServiceAccount"
      ? `${subject.name}/${subject.namespace || metadata.namespace || ""}`
      : subject.name
  return `${kind} "${name}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${who}"`
}

/** Formats several errors as Go does. */
const joinErrors = (errors: ReadonlyArray<string>): string => {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`
}
