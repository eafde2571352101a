import { isKindName, type KindName, type KubeObject, type OwnerReference, resourceOf } from "@rollcall/api"
import { isNamesake } from "../input/objects.ts"

/** An object of a snapshot, with the kind that was listed. */
export interface Listed {
  readonly kind: KindName
  readonly object: KubeObject
}

/** An owner that objects of a snapshot refer to and that the snapshot lacks. */
export interface OutsideOwner {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Whether Rollcall has a controller for its kind, which would act if the object existed. */
  readonly isModelled: boolean
  /** The objects that refer to it as an owner. */
  readonly owned: ReadonlyArray<Listed>
}

/** Kinds whose controllers run in a rehearsal, and their versions. */
const modelledOwners: Readonly<Record<string, RegExp>> = {
  CronJob: /^batch\//,
  DaemonSet: /^apps\//,
  Deployment: /^apps\//,
  Job: /^batch\//,
  ReplicaSet: /^apps\//,
  ReplicationController: /^v1$/,
  StatefulSet: /^apps\//
}

const isModelledOwner = (apiVersion: string, kind: string): boolean =>
  Object.hasOwn(modelledOwners, kind) && modelledOwners[kind]?.test(apiVersion) === true

const namespaceOf = ({ kind }: OwnerReference, { metadata }: KubeObject): string =>
  isKindName(kind) && !resourceOf(kind).namespaced ? "" : (metadata.namespace ?? "default")

const nameKey = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`

const keyOfListed = ({ kind, object: { metadata } }: Listed): string =>
  nameKey(kind, resourceOf(kind).namespaced ? (metadata.namespace ?? "default") : "", metadata.name ?? "")

/** Sets the uid of objects that lack one, such as those written by hand, to the uid in the ownerReferences to them. */
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

/** Returns the UIDs in the ownerReferences of objects that none of them has. */
const missingOwners = (listed: ReadonlyArray<Listed>): ReadonlySet<string> => {
  const missing = new Set<string>()
  const seen = new Set<ReadonlyArray<OwnerReference>>()
  for (const { object } of listed) {
    const { ownerReferences } = object.metadata
    if (ownerReferences === undefined || seen.has(ownerReferences)) continue
    seen.add(ownerReferences)
    for (const { uid } of ownerReferences) missing.add(uid)
  }
  for (const { object } of listed) if (object.metadata.uid !== undefined) missing.delete(object.metadata.uid)
  return missing
}

/** Returns the owners that a snapshot lacks. Owners of a kind in `whole` are left out: they are known to be deleted. */
export const outsideOwnersOf = (
  listed: ReadonlyArray<Listed>,
  whole: ReadonlySet<KindName>
): ReadonlyArray<OutsideOwner> => {
  const missing = missingOwners(listed)
  if (missing.size === 0) return []
  const found = new Map<string, OutsideOwner & { readonly owned: Array<Listed> }>()
  for (const one of listed) {
    for (const reference of one.object.metadata.ownerReferences ?? []) {
      const { apiVersion, kind, name, uid } = reference
      if (!missing.has(uid) || (isKindName(kind) && whole.has(kind) && !isNamesake(apiVersion, kind))) continue
      const owner = found.get(uid) ?? {
        apiVersion,
        kind,
        namespace: namespaceOf(reference, one.object),
        name,
        uid,
        isModelled: isModelledOwner(apiVersion, kind),
        owned: []
      }
      found.set(uid, owner)
      owner.owned.push(one)
    }
  }
  return [...found.values()]
}

/** Returns a minimal object that stands in for a missing owner. */
export const standInOf = ({ apiVersion, kind, name, namespace, uid }: OutsideOwner) => ({
  apiVersion,
  kind,
  metadata: { name, uid, ...(namespace === "" ? {} : { namespace }) }
})
