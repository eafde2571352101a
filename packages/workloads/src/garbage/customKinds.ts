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

/**
 * Returns the kind that a definition serves: in the storage version if that is served, since it needs no conversion.
 * Returns undefined if the definition is not established or serves no version.
 */
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

/**
 * Casts a kind to the type that the methods of Cluster take. For a custom kind this is safe as long as only the
 * metadata of its objects is used, which all kinds have.
 */
export const asKindName = (kind: AnyKind): KindName => kind as KindName

export const isCustomKind = (kind: AnyKind): boolean => !isKindName(kind)

/** The apiVersion of a kind; of a custom kind the part after the first dot, as in `Dial.rollcall.example.com/v1`. */
export const versionOf = (kind: AnyKind): string =>
  isKindName(kind) ? apiVersionOf(kind) : kind.slice(kind.indexOf(".") + 1)

/** The versions in which Kubernetes serves a kind beside that of its requests. */
const otherVersions: Partial<Record<KindName, string>> = { HorizontalPodAutoscaler: "autoscaling/v1" }

/** Whether an owner reference may name the kind in this version. */
export const isServed = (kind: KindName, apiVersion: string): boolean =>
  apiVersion === apiVersionOf(kind) || apiVersion === otherVersions[kind]

/** The name of a kind; of a custom kind the part before the first dot. */
export const kindOf = (kind: AnyKind): string => (isKindName(kind) ? kind : kind.slice(0, kind.indexOf(".")))

/** The custom kinds of a cluster, by the name of their definition. */
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

  /** Returns the kind that an owner reference names; undefined if no definition has it. */
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
