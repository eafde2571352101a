import { type CustomResourceDefinition, formatTime, type KubeObject } from "@rollcall/api"
import { sameValue, withStatus } from "@rollcall/api/values"
import { Retries } from "@rollcall/cluster"
import type { StoreFailure } from "@rollcall/store"
import { guarded } from "@rollcall/time"
import * as Result from "effect/Result"
import { rewrite } from "../../core/pipeline/rewrite.ts"
import type { ServerCore } from "../../core/pipeline/ServerCore.ts"
import { isCustom } from "../../core/registry/KindDefinition.ts"
import type { Target } from "../../core/registry/KindState.ts"
import type { Converter } from "../conversion/Converter.ts"
import { cleanupFinalizer, deleteObjectsOf, userInfo, withoutCleanup } from "./cleaning.ts"
import type { ConvertObject } from "./kindsOf.ts"
import { canConvert, conditionOf, decideStatus, isTrue, type TakenNames, withCondition } from "./names.ts"
import { ServedKind } from "./ServedKind.ts"

/** Loads what calls conversion webhooks. */
export type LoadConverter = () => Promise<{ readonly Converter: new (core: ServerCore) => Converter }>

/** When a definition is processed again after the store failed. */
const RETRY_MS = 1000
/** How its controllers write. */
const asStatus = { subresource: "status", manager: "kube-apiserver" } as const
/** How often a write is tried again after a conflict. */
const ATTEMPTS = 100

/**
 * Serves custom resources: resolves the names of their definitions, adds their kinds to the registry, and removes the
 * kinds with their objects. It observes the cache of definitions; a write is answered before it takes effect here.
 *
 * Upstream: apiextensions-apiserver/pkg/controller/{status,establish,finalizer},
 * pkg/apiserver/customresource_handler.go.
 */
export class CustomKinds {
  private readonly core: ServerCore
  /** By the name of the definition. */
  private readonly served = new Map<string, ServedKind>()
  /** The names of definitions that will be processed soon. */
  private readonly pending = new Set<string>()
  private readonly retries = new Retries<string>()
  private readonly loadConverter: LoadConverter | undefined
  private converter: Converter | undefined

  /** `loadConverter` loads what calls conversion webhooks; without it definitions that need them are not served. */
  constructor(core: ServerCore, loadConverter?: LoadConverter) {
    this.core = core
    this.loadConverter = loadConverter
  }

  /** Converts an object by a call; the first one loads what makes calls. */
  private readonly convert: ConvertObject = (definition, object, apiVersion, done) => {
    const { converter, core, loadConverter } = this
    if (converter !== undefined) return converter.convert(definition, object, apiVersion, done)
    if (loadConverter === undefined) return done(Result.fail("conversion webhooks are not called"))
    loadConverter().then(
      ({ Converter }) => {
        this.converter ??= new Converter(core)
        this.succeeds(definition.metadata.name ?? "", () => this.convert(definition, object, apiVersion, done))
      },
      (error: unknown) => {
        core.timers.handleError("custom resource definition", error)
        done(Result.fail("conversion webhooks cannot be called: look in the logs for details"))
      }
    )
  }

  /** Serves the stored definitions, then observes changes. Calls `ready` once all stored ones are served. */
  start(ready: (error: StoreFailure | undefined) => void) {
    const { cache } = this.core.registry.kinds.CustomResourceDefinition
    cache.observe((object, previous) => {
      const name = (object ?? previous)?.metadata.name
      if (name !== undefined) this.syncSoon(name)
    })
    const stored: Array<string> = []
    cache.visit(undefined, ({ metadata: { name = "" } }) => stored.push(name))
    let remaining = stored.length
    let failure: StoreFailure | undefined
    if (remaining === 0) return ready(undefined)
    const onServed = (name: string, error: StoreFailure | undefined) => {
      failure ??= error
      this.syncSoon(name)
      remaining--
      if (remaining === 0) ready(failure)
    }
    for (const name of stored) {
      // A definition that cannot be served does not prevent the server from starting.
      const isStarted = this.succeeds(name, () => this.serve(name, (error) => onServed(name, error)))
      if (!isStarted) onServed(name, undefined)
    }
  }

  private syncSoon(name: string) {
    if (this.pending.has(name)) return
    this.pending.add(name)
    this.core.timers.soon(() => {
      this.pending.delete(name)
      if (this.succeeds(name, () => this.sync(name))) this.retries.forget(name)
      else this.core.timers.after(this.retries.nextMs(name, this.core.timers.now()), () => this.syncSoon(name))
    })
  }

  /**
   * Runs a part of the work and returns whether it succeeded: an error ends only the processing of this definition.
   * Upstream: workqueues of the controllers named above.
   */
  private succeeds(name: string, act: () => void): boolean {
    return guarded(this.core.timers, "custom resource definition", act, { name })
  }

  private definition(name: string): CustomResourceDefinition | undefined {
    return this.core.registry.kinds.CustomResourceDefinition.cache.get("", name)?.object as
      | CustomResourceDefinition
      | undefined
  }

  /** Brings a definition's status and its served kinds up to date. */
  private sync(name: string) {
    const definition = this.definition(name)
    if (definition === undefined) {
      this.served.get(name)?.end()
      this.served.delete(name)
      this.syncWithoutNames()
      return
    }
    const now = formatTime(this.core.timers.now())
    const calls = this.loadConverter !== undefined
    const next = (current: CustomResourceDefinition) => decideStatus(current, this.takenNames(name), now, calls)
    const decided = next(definition)
    // Names that others wrote are not served: its own are written below, after which this runs again.
    if (sameValue(decided?.acceptedNames, definition.status?.acceptedNames)) {
      this.serve(name, (error) => {
        if (error !== undefined) this.core.timers.after(RETRY_MS, () => this.syncSoon(name))
        else if (definition.metadata.finalizers?.includes(cleanupFinalizer)) this.cleanUp(name, definition)
      })
    }
    if (sameValue(decided, definition.status)) return
    this.writeStatus(name, next)
  }

  /** Serves a definition in its present state, once its names are accepted. Calls `done` when its objects have been read. */
  private serve(name: string, done: (error: StoreFailure | undefined) => void) {
    const definition = this.definition(name)
    if (definition === undefined || !isServed(definition, this.loadConverter !== undefined)) return done(undefined)
    const known = this.served.get(name)
    const kind = known ?? new ServedKind(this.core.registry, definition, () => this.syncSoon(name), this.convert)
    if (known === undefined) this.served.set(name, kind)
    kind.serve(definition, done)
  }

  /** Deletes the objects of a terminating definition, then lets the definition go by removing its finalizer. */
  private cleanUp(name: string, definition: CustomResourceDefinition) {
    if (definition.metadata.deletionTimestamp === undefined) return
    const base = this.served.get(name)?.base()
    const nowMs = this.core.timers.now()
    if (conditionOf(definition, "Terminating")?.reason !== terminating.reason) {
      const now = formatTime(nowMs)
      return this.writeStatus(name, ({ status }) => ({
        ...status,
        conditions: withCondition(status?.conditions ?? [], terminating, now)
      }))
    }
    const release = () => this.write(name, (current) => withoutCleanup(current, this.core.timers.now()))
    if (base === undefined) return release()
    deleteObjectsOf(this.core, base, () => {
      if (base.cache.size === 0) release()
      // Finalizers hold some objects: each one that is removed triggers another check.
    })
  }

  /** Writes what it changes of the status, as its owner. */
  private writeStatus(name: string, next: (current: CustomResourceDefinition) => CustomResourceDefinition["status"]) {
    this.write(name, (current) => withStatus(current, next(current)))
  }

  private write(name: string, change: (current: CustomResourceDefinition) => KubeObject) {
    const state = this.core.registry.kinds.CustomResourceDefinition
    const target: Target = { state, namespace: "", name, dryRun: false, ...asStatus }
    rewrite(
      this.core,
      userInfo,
      target,
      (stored) => Result.succeed(change(stored as CustomResourceDefinition)),
      { attempts: ATTEMPTS },
      (result) => {
        if (Result.isFailure(result) && result.failure.reason !== "NotFound") {
          this.core.timers.after(RETRY_MS, () => this.syncSoon(name))
        }
      }
    )
  }

  /** Processes definitions without accepted names: a name that they need may have become free. */
  private syncWithoutNames() {
    this.core.registry.kinds.CustomResourceDefinition.cache.visit(undefined, (object) => {
      const { metadata } = object
      if (!isTrue(object as CustomResourceDefinition, "NamesAccepted") && metadata.name) this.syncSoon(metadata.name)
    })
  }

  /** Returns the names of the group's kinds: those that definitions got, this one included, and built-in ones. */
  private takenNames(name: string): TakenNames {
    const resources = new Set<string>()
    const kinds = new Set<string>()
    const group = this.definition(name)?.spec.group
    const put = (set: Set<string>, names: ReadonlyArray<string | undefined>) => {
      for (const each of names) if (each) set.add(each)
    }
    for (const { definition } of Object.values(this.core.registry.kinds)) {
      const { kind, plural, shortNames, singular } = definition.resource
      if (definition.resource.group !== group || isCustom(definition)) continue
      put(resources, [plural, singular, ...shortNames])
      put(kinds, [kind, `${kind}List`])
    }
    this.core.registry.kinds.CustomResourceDefinition.cache.visit(undefined, (object) => {
      const { spec, status } = object as CustomResourceDefinition
      const names = status?.acceptedNames
      if (spec.group !== group || names === undefined) return
      put(resources, [names.plural, names.singular, ...(names.shortNames ?? [])])
      put(kinds, [names.kind, names.listKind])
    })
    return { resources, kinds }
  }
}

/** Whether requests for the custom resources are answered. Upstream: customresource_handler.go, ServeHTTP. */
const isServed = (definition: CustomResourceDefinition, callsWebhooks: boolean): boolean =>
  isTrue(definition, "Established") || (isTrue(definition, "NamesAccepted") && canConvert(definition, callsWebhooks))

const terminating = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress"
} as const
