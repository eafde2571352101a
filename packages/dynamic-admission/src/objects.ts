import { isKindName, type KindName, type KubeObject, kindOf, kinds } from "@rollcall/api"
import type { AdmissionKindState, AdmissionKinds, ObjectCache } from "./ports.ts"

/** The objects of a kind, which do not change. */
class FixedObjects implements ObjectCache {
  private readonly objects: ReadonlyArray<KubeObject>

  constructor(objects: ReadonlyArray<KubeObject>) {
    this.objects = objects
  }

  get size(): number {
    return this.objects.length
  }

  get(namespace: string, name: string): { readonly object: KubeObject } | undefined {
    const object = this.objects.find(
      ({ metadata }) => (metadata.namespace ?? "") === namespace && metadata.name === name
    )
    return object && { object }
  }

  visit(namespace: string | undefined, visitor: (object: KubeObject) => void): void {
    for (const object of this.objects)
      if (namespace === undefined || object.metadata.namespace === namespace) visitor(object)
  }

  observe(): void {}
}

const keyOf = ({ metadata: { name = "", namespace = "" } }: KubeObject): string => `${namespace}/${name}`

/** Returns the kinds of the API with these objects, such as those of files: then no server is needed. */
export const kindsWith = (objects: ReadonlyArray<KubeObject>): AdmissionKinds => {
  const sorted = objects.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  const states = Object.fromEntries(
    (Object.keys(kinds) as Array<KindName>).map((key): [string, AdmissionKindState] => {
      const { defaults, resource } = kindOf(key)
      const { group, kind, version } = resource
      const apiVersion = group === "" ? version : `${group}/${version}`
      const definition = { key, resource, apiVersion, defaults: defaults as (object: KubeObject) => KubeObject }
      const own = sorted.filter((object) => object.kind === kind && object.apiVersion === apiVersion)
      return [key, { definition, cache: new FixedObjects(own) }]
    })
  ) as Record<KindName, AdmissionKindState>
  return {
    kinds: states,
    kind: (name) => (isKindName(name) ? states[name] : undefined),
    states: () => Object.values(states)
  }
}
