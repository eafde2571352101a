import { type CustomResourceDefinition, formatTime, type KubeObject } from "@rollcall/api"
import { Retries } from "@rollcall/cluster"
import type { StoreFailure } from "@rollcall/store"
import { guarded } from "@rollcall/time"
import * as Result from "effect/Result"
import { sameValue } from "../../core/objects/values.ts"
import { rewrite } from "../../core/pipeline/rewrite.ts"
import type { ServerCore } from "../../core/pipeline/ServerCore.ts"
import type { Target } from "../../core/registry/KindState.ts"
import { cleanupFinalizer, emptyKind, userInfo, withoutCleanup } from "./cleaning.ts"
import { conditionOf, decideStatus, isTrue, type TakenNames, withCondition } from "./names.ts"
import { ServedKind } from "./ServedKind.ts"

const RETRY_MS = 1000
const ATTEMPTS = 100

/**
 * Serves custom resources: resolves the names of their definitions, adds their kinds to the registry, and removes the
 * kinds with their objects. It observes the cache of definitions; a write is answered before it takes effect here.
 *
 * Upstream: apiextensions-apiserver/pkg/controller/{status,establish,finalizer}, pkg/apiserver/customresource_handler.go.
 */
export class CustomKinds {
  private readonly core: ServerCore
  private readonly served = new Map<string, ServedKind>()
  private readonly pending = new Set<string>()
  private readonly retries = new Retries<string>()

  constructor(core: ServerCore) {
    this.core = core
  }

  /** Serves the stored definitions, then observes changes. Calls `ready` once all stored ones are served. */
  start(ready: (error: StoreFailure | undefined) => void) {
    const { cache } = this.core.registry.kinds.CustomResourceDefinition
    cache.observe((object, previous) => {
      const name = (object ?? previous)?.metadata.name
      if (name !== undefined) this.soon(name)
    })
    const stored: Array<string> = []
    cache.visit(undefined, ({ metadata: { name = "" } }) => stored.push(name))
    let left = stored.length
    let failure: StoreFailure | undefined
    if (left === 0) return ready(undefined)
    const settled = (name: string, error: StoreFailure | undefined) => {
      failure ??= error
      this.soon(name)
      left--
      if (left === 0) ready(failure)
    }
    for (const name of stored) {
      // A definition that cannot be served does not prevent the server from starting.
      const isAsked = this.contained(name, () => this.serve(name, (error) => settled(name, error)))
      if (!isAsked) settled(name, undefined)
    }
  }

  private soon(name: string) {
    if (this.pending.has(name)) return
    this.pending.add(name)
    this.core.timers.soon(() => {
      this.pending.delete(name)
      if (this.contained(name, () => this.sync(name))) this.retries.forget(name)
      else this.core.timers.after(this.retries.nextMs(name, this.core.timers.now()), () => this.soon(name))
    })
  }

  /** An error ends only the processing of this definition. Upstream: workqueues of the controllers named above. */
  private contained(name: string, act: () => void): boolean {
    return guarded(this.core.timers, "custom resource definition", act, { name })
  }

  private definition(name: string): CustomResourceDefinition | undefined {
    return this.core.registry.kinds.CustomResourceDefinition.cache.get("", name)?.object as
      | CustomResourceDefinition
      | undefined
  }

  private sync(name: string) {
    const definition = this.definition(name)
    if (definition === undefined) {
      this.served.get(name)?.end()
      this.served.delete(name)
      this.offerNames()
      return
    }
    if (definition.metadata.deletionTimestamp === undefined) {
      const now = formatTime(this.core.timers.now())
      const status = decideStatus(definition, this.takenNames(name), now)
      if (!sameValue(status, definition.status)) {
        return this.write(name, (current) => ({
          ...current,
          status: decideStatus(current, this.takenNames(name), now)
        }))
      }
    }
    this.serve(name, (error) => {
      if (error !== undefined) this.core.timers.after(RETRY_MS, () => this.soon(name))
      else if (definition.metadata.finalizers?.includes(cleanupFinalizer)) this.cleanUp(name, definition)
    })
  }

  /** Serves the definition in its present state, if its names are accepted. */
  private serve(name: string, done: (error: StoreFailure | undefined) => void) {
    const definition = this.definition(name)
    if (definition === undefined || !isTrue(definition, "Established")) return done(undefined)
    const known = this.served.get(name)
    const kind = known ?? new ServedKind(this.core.registry, definition, () => this.soon(name))
    if (known === undefined) this.served.set(name, kind)
    kind.serve(definition, done)
  }

  /** Removes a terminating definition after its objects. */
  private cleanUp(name: string, definition: CustomResourceDefinition) {
    if (definition.metadata.deletionTimestamp === undefined) return
    const base = this.served.get(name)?.base()
    if (conditionOf(definition, "Terminating") === undefined) {
      const now = formatTime(this.core.timers.now())
      return this.write(name, (current) => ({
        ...current,
        status: { ...current.status, conditions: withCondition(current.status?.conditions ?? [], terminating, now) }
      }))
    }
    if (base === undefined) return this.write(name, withoutCleanup)
    emptyKind(this.core, base, () => {
      if (base.cache.size === 0) this.write(name, withoutCleanup)
      // Finalizers hold some objects: each one that is removed triggers another check.
    })
  }

  private write(name: string, change: (current: CustomResourceDefinition) => KubeObject) {
    const state = this.core.registry.kinds.CustomResourceDefinition
    const target: Target = { state, namespace: "", name, subresource: undefined, dryRun: false }
    rewrite(
      this.core,
      userInfo,
      target,
      (stored) => Result.succeed(change(stored as CustomResourceDefinition)),
      { attempts: ATTEMPTS, internal: true },
      (result) => {
        if (Result.isFailure(result) && result.failure.reason !== "NotFound") {
          this.core.timers.after(RETRY_MS, () => this.soon(name))
        }
      }
    )
  }

  /** Another definition may be waiting for a name that became free. */
  private offerNames() {
    this.core.registry.kinds.CustomResourceDefinition.cache.visit(undefined, (object) => {
      const { metadata } = object
      if (!isTrue(object as CustomResourceDefinition, "NamesAccepted") && metadata.name) this.soon(metadata.name)
    })
  }

  /** Returns the names of the group's other kinds, including built-in ones. */
  private takenNames(name: string): TakenNames {
    const resources = new Set<string>()
    const kinds = new Set<string>()
    const group = this.definition(name)?.spec.group
    const put = (set: Set<string>, names: ReadonlyArray<string | undefined>) => {
      for (const each of names) if (each) set.add(each)
    }
    for (const { definition } of Object.values(this.core.registry.kinds)) {
      const { kind, plural, shortNames, singular } = definition.resource
      if (definition.resource.group !== group) continue
      put(resources, [plural, singular, ...shortNames])
      put(kinds, [kind, `${kind}List`])
    }
    this.core.registry.kinds.CustomResourceDefinition.cache.visit(undefined, (object) => {
      const { metadata, spec, status } = object as CustomResourceDefinition
      const names = status?.acceptedNames
      if (metadata.name === name || spec.group !== group || names === undefined) return
      put(resources, [names.plural, names.singular, ...(names.shortNames ?? [])])
      put(kinds, [names.kind, names.listKind])
    })
    return { resources, kinds }
  }
}

const terminating = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress"
} as const
