import { apiVersionOf, type CustomResourceDefinition, isKindName, type KindName, resourceOf } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"

/** A kind that a definition adds to the cluster, as requests call it. */
export interface CustomResource {
  readonly kind: AnyKind
  /** `group/Kind`: owner references may name any version. */
  readonly groupKind: string
  readonly namespaced: boolean
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.find(({ type }) => type === "Established")?.status === "True"

/** What a definition serves: in the version that is stored where that is served, as it costs no conversion. */
export const customResourceOf = (definition: CustomResourceDefinition): CustomResource | undefined => {
  const { group, names, scope, versions } = definition.spec
  const served = versions.filter((version) => version.served)
  const version = served.find(({ storage }) => storage) ?? served[0]
  if (version === undefined || !isEstablished(definition)) return undefined
  const { kind } = names
  return {
    kind: `${kind}.${group}/${version.name}`,
    groupKind: `${group}/${kind}`,
    namespaced: scope === "Namespaced"
  }
}

/** The port asks by modelled kinds; of a custom one only the metadata is looked at, which all have. */
export const asked = (kind: AnyKind): KindName => kind as KindName

export const isCustomKind = (kind: AnyKind): boolean => !isKindName(kind)

/** `Dial.rollcall.example.com/v1`: what stands behind the first dot is its apiVersion. */
export const versionOf = (kind: AnyKind): string =>
  isKindName(kind) ? apiVersionOf(kind) : kind.slice(kind.indexOf(".") + 1)

export const kindOf = (kind: AnyKind): string => (isKindName(kind) ? kind : kind.slice(0, kind.indexOf(".")))

/** The custom kinds of a cluster, by `group/Kind`, as its definitions come and go. */
export class CustomResources {
  private readonly byDefinition = new Map<string, CustomResource>()

  set(name: string, resource: CustomResource): void {
    this.byDefinition.set(name, resource)
  }

  delete(name: string): void {
    this.byDefinition.delete(name)
  }

  get(name: string): CustomResource | undefined {
    return this.byDefinition.get(name)
  }

  names(): Iterable<string> {
    return [...this.byDefinition.keys()]
  }

  /** What serves a kind that an owner reference names. */
  find(apiVersion: string, kind: string): CustomResource | undefined {
    const groupKind = `${apiVersion.slice(0, apiVersion.indexOf("/"))}/${kind}`
    for (const resource of this.byDefinition.values()) if (resource.groupKind === groupKind) return resource
    return undefined
  }

  isNamespaced(kind: AnyKind): boolean {
    if (isKindName(kind)) return resourceOf(kind).namespaced
    for (const resource of this.byDefinition.values()) if (resource.kind === kind) return resource.namespaced
    return false
  }
}
