import type { KubeObject, ObjectOf } from "@rollcall/api"
import type { AdmissionKinds, ConfigurationKind, ObjectCache } from "../ports.ts"

/** A policy with its bindings. */
export interface Hook<Policy, Binding> {
  readonly policy: Policy
  readonly bindings: ReadonlyArray<Binding>
}

interface BindingLike extends KubeObject {
  readonly spec?: { readonly policyName?: string }
}

/**
 * The policies that have bindings, with these, by name. They are read from the caches of the server and so act with the next
 * request. Upstream: plugin/policy/generic/policy_source.go.
 */
export class PolicyHooks<P extends ConfigurationKind, B extends ConfigurationKind> {
  private readonly policies: ObjectCache
  private readonly bindings: ObjectCache
  private known: ReadonlyArray<Hook<ObjectOf<P>, ObjectOf<B>>> | undefined

  constructor(registry: AdmissionKinds, policy: P, binding: B) {
    this.policies = registry.kinds[policy].cache
    this.bindings = registry.kinds[binding].cache
    const forget = () => {
      this.known = undefined
    }
    this.policies.observe(forget)
    this.bindings.observe(forget)
  }

  /** Whether no policy can be bound. */
  get isEmpty(): boolean {
    return this.policies.size === 0 || this.bindings.size === 0
  }

  get all(): ReadonlyArray<Hook<ObjectOf<P>, ObjectOf<B>>> {
    this.known ??= this.read()
    return this.known
  }

  private read(): ReadonlyArray<Hook<ObjectOf<P>, ObjectOf<B>>> {
    const byPolicy = new Map<string, Array<ObjectOf<B>>>()
    this.bindings.visit(undefined, (object) => {
      const name = (object as BindingLike).spec?.policyName ?? ""
      const others = byPolicy.get(name)
      if (others === undefined) byPolicy.set(name, [object as ObjectOf<B>])
      else others.push(object as ObjectOf<B>)
    })
    return [...byPolicy].flatMap(([name, bindings]) => {
      const policy = this.policies.get("", name)?.object as ObjectOf<P> | undefined
      return policy === undefined ? [] : [{ policy, bindings }]
    })
  }
}
