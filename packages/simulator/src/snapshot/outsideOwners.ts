import { isKindName, type KindName, type KubeObject, type OwnerReference, resourceOf } from "@rollcall/api"

/** An object of a snapshot, under the kind that it was listed as. */
export interface Listed {
  readonly kind: KindName
  readonly object: KubeObject
}

/** An owner that objects of a snapshot name, and that is not in it. */
export interface OutsideOwner {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Rollcall has a controller of its kind, which would act if the object were there. */
  readonly isModelled: boolean
  /** What it owns. */
  readonly owned: ReadonlyArray<Listed>
}

/** Kinds whose controllers are part of a rehearsal. */
const controllers: ReadonlySet<string> = new Set(["ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job"])

const namespaceOf = ({ kind }: OwnerReference, { metadata }: KubeObject): string =>
  isKindName(kind) && !resourceOf(kind).namespaced ? "" : (metadata.namespace ?? "default")

const nameKey = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`

const keyOfListed = ({ kind, object: { metadata } }: Listed): string =>
  nameKey(kind, resourceOf(kind).namespaced ? (metadata.namespace ?? "default") : "", metadata.name ?? "")

/**
 * Objects that were written by hand without a uid get the one by which others call them their owner: the reference means them.
 */
export const withReferredUids = <A extends Listed>(listed: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (!listed.some(({ object }) => object.metadata.uid === undefined)) return listed
  const uids = new Map<string, string>()
  for (const { object } of listed) {
    for (const reference of object.metadata.ownerReferences ?? []) {
      uids.set(nameKey(reference.kind, namespaceOf(reference, object), reference.name), reference.uid)
    }
  }
  return listed.map((one) => {
    const uid = one.object.metadata.uid === undefined ? uids.get(keyOfListed(one)) : undefined
    return uid === undefined ? one : { ...one, object: { ...one.object, metadata: { ...one.object.metadata, uid } } }
  })
}

/** Who owns objects of a snapshot without being in it; owners of a kind that is `whole` are known to be gone, and none of these. */
export const outsideOwnersOf = (
  listed: ReadonlyArray<Listed>,
  whole: ReadonlySet<KindName>
): ReadonlyArray<OutsideOwner> => {
  const known = new Set(listed.map(({ object }) => object.metadata.uid))
  const found = new Map<string, OutsideOwner & { readonly owned: Array<Listed> }>()
  for (const one of listed) {
    for (const reference of one.object.metadata.ownerReferences ?? []) {
      const { apiVersion, kind, name, uid } = reference
      if (known.has(uid) || (isKindName(kind) && whole.has(kind))) continue
      const owner = found.get(uid) ?? {
        apiVersion,
        kind,
        namespace: namespaceOf(reference, one.object),
        name,
        uid,
        isModelled: controllers.has(kind) && /^(apps|batch)\//.test(apiVersion),
        owned: []
      }
      found.set(uid, owner)
      owner.owned.push(one)
    }
  }
  return [...found.values()]
}

/** An owner as far as it is known: it is there, and that is all. */
export const standInOf = ({ apiVersion, kind, name, namespace, uid }: OutsideOwner) => ({
  apiVersion,
  kind,
  metadata: { name, uid, ...(namespace === "" ? {} : { namespace }) }
})
