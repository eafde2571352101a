import { apiVersionOf, type CustomResourceDefinition, isKindName, type KindName, resourceOf } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"

/** A kind that a CustomResourceDefinition adds, as requests name it. */
export interface CustomResource {
  readonly kind: AnyKind
  /** `group/Kind`: owner references may name any version. */
  readonly groupKind: string
  readonly namespaced: boolean
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.find(({ type }) => type === "Established")?.status === "True"

/** The served kind of a definition: in the storage version if that is served, which needs no conversion. */
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

/** The port is typed by modelled kinds; of a custom kind only the metadata is used, which all kinds have. */
export const asKindName = (kind: AnyKind): KindName => kind as KindName

export const isCustomKind = (kind: AnyKind): boolean => !isKindName(kind)

/** For `Dial.rollcall.example.com/v1`: the apiVersion is the part after the first dot. */
export const versionOf = (kind: AnyKind): string =>
  isKindName(kind) ? apiVersionOf(kind) : kind.slice(kind.indexOf(".") + 1)

export const kindOf = (kind: AnyKind): string => (isKindName(kind) ? kind : kind.slice(0, kind.indexOf(".")))

/** The custom kinds of a cluster, by `group/Kind`, updated with its definitions. */
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

  /** The kind that an owner reference names. */
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
