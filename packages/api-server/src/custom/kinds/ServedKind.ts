import { type CustomResourceDefinition, forbidden, type Status } from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import type { StoreFailure } from "@rollcall/store"
import type { KindDefinition } from "../../core/registry/KindDefinition.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Registry } from "../../core/registry/Registry.ts"
import { type ConvertObject, storedKind, versionKind } from "./kindsOf.ts"
import { isTrue } from "./names.ts"

type Done = (error: StoreFailure | undefined) => void

/** The kinds of one definition in the registry: the stored kind, and a view of it for each served version. */
export class ServedKind {
  private readonly registry: Registry
  private readonly stored: KindDefinition
  private readonly onEmptied: () => void
  private readonly convert: ConvertObject | undefined
  /** The served versions by name: their keys in the registry, and the parts of the definition that they depend on. */
  private readonly versions = new Map<string, { readonly key: string; readonly basis: unknown }>()
  /** Callbacks that wait until the stored objects have been read. */
  private waiting: Array<Done> | undefined
  private isServed = false
  private isEnded = false
  private wasTerminating = false
  private latest: CustomResourceDefinition

  /** `onEmptied` is called when the last object of a terminating definition has been removed. */
  constructor(
    registry: Registry,
    definition: CustomResourceDefinition,
    onEmptied: () => void,
    convert: ConvertObject | undefined
  ) {
    this.registry = registry
    this.convert = convert
    this.latest = definition
    this.stored = storedKind(definition)
    this.onEmptied = onEmptied
  }

  /** Returns the stored kind; undefined until it has been read. */
  base(): KindState | undefined {
    return this.isServed ? this.registry.kind(this.stored.key) : undefined
  }

  /** Serves the present state of the definition. Unchanged versions keep their watches. */
  serve(definition: CustomResourceDefinition, done: Done) {
    this.latest = definition
    if (this.isServed) {
      this.serveVersions()
      return done(undefined)
    }
    if (this.waiting !== undefined) {
      this.waiting.push(done)
      return
    }
    const waiting = [done]
    this.waiting = waiting
    try {
      this.registry.add(this.stored, (error) => {
        this.waiting = undefined
        if (this.isEnded) this.registry.removeKind(this.stored.key)
        else if (error === undefined) this.begin()
        for (const each of waiting) each(error)
      })
    } catch (error) {
      // Cleared, because the next attempt would otherwise wait for this one.
      this.waiting = undefined
      throw error
    }
  }

  /** Removes its kinds from the registry, which ends their watches. */
  end() {
    this.isEnded = true
    for (const { key } of this.versions.values()) this.registry.removeKind(key)
    this.versions.clear()
    if (this.isServed) this.registry.removeKind(this.stored.key)
    this.isServed = false
  }

  private begin() {
    this.isServed = true
    const cache = this.base()?.cache
    cache?.observe((object) => {
      if (object === undefined && cache.size === 0 && this.isDeleted()) this.onEmptied()
    })
    this.serveVersions()
  }

  private isDeleted(): boolean {
    return this.latest.metadata.deletionTimestamp !== undefined
  }

  /** Whether no objects can be created: the condition counts, which a delete of a collection of definitions does not set. */
  private isTerminating(): boolean {
    return isTrue(this.latest, "Terminating")
  }

  private readonly refusal = (name: string): Status | undefined =>
    this.isTerminating() ? noCreation(this.latest, name) : undefined

  /** Adds new and changed versions to the registry, and removes those that are no longer served. */
  private serveVersions() {
    const { spec, status } = this.latest
    const served = new Set<string>()
    for (const version of spec.versions) {
      if (!version.served) continue
      served.add(version.name)
      const storage = spec.versions.find((each) => each.storage)?.name
      // Objects are read by the schema of the version that they are stored in, and owners see them by that of theirs.
      const schemas = spec.versions.map(({ name, schema }) => ({ name, schema }))
      const conversion = spec.conversion?.strategy === "Webhook" ? spec.conversion : undefined
      const names = status?.acceptedNames
      const basis = { version: { ...version, storage: undefined }, names, storage, schemas, conversion }
      const known = this.versions.get(version.name)
      if (known !== undefined && sameValue(known.basis, basis)) continue
      const entry = versionKind(this.latest, version, this.refusal, this.convert)
      this.versions.set(version.name, { key: entry.key, basis })
      this.registry.add(entry)
    }
    for (const [name, { key }] of this.versions) {
      if (served.has(name)) continue
      this.versions.delete(name)
      this.registry.removeKind(key)
    }
    if (this.wasTerminating === this.isTerminating()) return
    this.wasTerminating = this.isTerminating()
    this.registry.notifyObservers()
  }
}

/** Upstream: customresource_handler.go, forbidCreateAdmission. */
const noCreation = ({ spec }: CustomResourceDefinition, name: string): Status =>
  forbidden(
    { group: spec.group, resource: spec.names.plural },
    name,
    "create not allowed while custom resource definition is terminating"
  )
