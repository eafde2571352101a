import {
  ephemeralClaimName,
  isControlledBy,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod
} from "@rollcall/api"
import { containersOf } from "./Reference.ts"
import type { ReferenceReader } from "./ReferenceReader.ts"

const PROTECTION = "kubernetes.io/pvc-protection"

type PodVolume = NonNullable<Pod["spec"]["volumes"]>[number]

/** A volume of a pod that is a claim. */
export interface ClaimedVolume {
  readonly volume: string
  readonly claim: string
  /** Whether the claim is made for the pod. */
  readonly isEphemeral: boolean
  /** Where containers use it: mounted as a file system, as a device, or both. */
  readonly modes: ReadonlySet<"Filesystem" | "Block">
}

const NONE: ReadonlyArray<ClaimedVolume> = []

const claimOf = (pod: Pod, { ephemeral, name, persistentVolumeClaim }: PodVolume): string | undefined =>
  persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : ephemeralClaimName(pod, name))

/** Returns the volumes of a pod that are claims and that its containers use, in the order of the pod. */
export const claimedVolumes = (pod: Pod): ReadonlyArray<ClaimedVolume> => {
  const claimed = (pod.spec.volumes ?? []).flatMap((volume) => {
    const claim = claimOf(pod, volume)
    return claim === undefined ? [] : [{ claim, volume }]
  })
  if (claimed.length === 0) return NONE
  const containers = containersOf(pod.spec)
  const mounts = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)))
  const devices = new Set(containers.flatMap(({ volumeDevices = [] }) => volumeDevices.map(({ name }) => name)))
  return claimed.flatMap(({ claim, volume: { name, persistentVolumeClaim } }) => {
    const modes = new Set<"Filesystem" | "Block">()
    if (mounts.has(name)) modes.add("Filesystem")
    if (devices.has(name)) modes.add("Block")
    return modes.size === 0 ? [] : [{ volume: name, claim, isEphemeral: persistentVolumeClaim === undefined, modes }]
  })
}

/** What a read has given: an object, or why there is none. */
type Found<A> = A | "missing" | "unsynced" | "unreadable"

const fetched = (what: string, error: string): string => `failed to fetch ${what} from API server: ${error}`
const TIMED_OUT = "context deadline exceeded"

/** Why a pod cannot use a claim. Upstream: desired_state_of_world_populator.go, getPVCExtractPV. */
const claimFault = (name: string, claim: Found<PersistentVolumeClaim>): string | undefined => {
  if (claim === "unreadable") return undefined
  if (claim === "unsynced") return fetched("PVC", TIMED_OUT)
  if (claim === "missing") return fetched("PVC", `persistentvolumeclaims ${JSON.stringify(name)} not found`)
  const { metadata, spec, status } = claim
  if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(PROTECTION) !== true)
    return "PVC is being deleted"
  if (status?.phase !== "Bound") return "PVC is not bound"
  return spec?.volumeName ? undefined : "PVC has empty pvc.Spec.VolumeName"
}

/** Why a claim cannot use the volume that it names. Upstream: desired_state_of_world_populator.go, getPVSpec. */
const volumeFault = (
  name: string,
  volume: Found<PersistentVolume>,
  { metadata: { uid = "" } }: PersistentVolumeClaim
): string | undefined => {
  if (volume === "unreadable") return undefined
  if (volume === "unsynced") return fetched(`PV ${name}`, TIMED_OUT)
  if (volume === "missing") return fetched(`PV ${name}`, `persistentvolumes ${JSON.stringify(name)} not found`)
  const bound = volume.spec?.claimRef
  if (bound === undefined || bound === null)
    return `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`
  return bound.uid === uid
    ? undefined
    : `found PV object ${name} but its pv.Spec.ClaimRef.UID ${bound.uid ?? ""} does not point to claim.UID ${uid}`
}

const ownerFault = (pod: Pod, claim: PersistentVolumeClaim): string | undefined =>
  isControlledBy(claim, pod)
    ? undefined
    : `PVC ${claim.metadata.namespace}/${claim.metadata.name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`

const modeFault = ({ modes, volume }: ClaimedVolume, object: Found<PersistentVolume>): string | undefined => {
  if (typeof object === "string") return undefined
  const mode = object.spec?.volumeMode ?? "Filesystem"
  const text = (field: string) => `volume ${volume} has volumeMode ${mode}, but is specified in ${field}`
  if (modes.has("Filesystem") && mode !== "Filesystem") return text("volumeMounts")
  return modes.has("Block") && mode !== "Block" ? text("volumeDevices") : undefined
}

const claimReference = (name: string) => ({ kind: "PersistentVolumeClaim", name, isOptional: false, keys: [] }) as const
const volumeReference = (name: string) => ({ kind: "PersistentVolume", name, isOptional: false, keys: [] }) as const

const readClaim = (
  reader: ReferenceReader,
  pod: Pod,
  used: ClaimedVolume,
  done: (fault: string | undefined) => void
) => {
  const { namespace = "" } = pod.metadata
  const { claim: name, isEphemeral } = used
  const processing = (fault: string | undefined) =>
    fault === undefined ? undefined : `error processing PVC ${namespace}/${name}: ${fault}`
  const reference = claimReference(name)
  reader.read(namespace, [reference], (answers) => {
    const claim = answers(reference) as Found<PersistentVolumeClaim>
    const fault = processing(claimFault(name, claim))
    if (fault !== undefined || typeof claim === "string") return done(fault)
    const other = isEphemeral ? ownerFault(pod, claim) : undefined
    if (other !== undefined) return done(other)
    const bound = volumeReference(claim.spec?.volumeName ?? "")
    reader.read("", [bound], (found) => {
      const volume = found(bound) as Found<PersistentVolume>
      done(processing(volumeFault(bound.name, volume, claim)) ?? modeFault(used, volume))
    })
  })
}

/** A claim that cannot be mounted: its volume in the pod, and why. */
export interface ClaimFault {
  readonly volume: string
  readonly fault: string
}

/** Reads the claims of a pod and their volumes; `done` is called once, with those that cannot be mounted in the order of the pod. */
export const readClaims = (
  reader: ReferenceReader,
  pod: Pod,
  claims: ReadonlyArray<ClaimedVolume>,
  done: (faults: ReadonlyArray<ClaimFault>) => void
): void => {
  const faults: Array<string | undefined> = []
  let left = claims.length
  for (const [index, used] of claims.entries()) {
    readClaim(reader, pod, used, (fault) => {
      faults[index] = fault
      left -= 1
      if (left > 0) return
      done(claims.flatMap(({ volume }, at) => (faults[at] === undefined ? [] : [{ volume, fault: faults[at] }])))
    })
  }
}

/** The message of the Event about claims that cannot be mounted. Upstream: volume_manager.go, WaitForAttachAndMount. */
export const unmountedMessage = (faults: ReadonlyArray<ClaimFault>): string => {
  const volumes = faults.map(({ volume }) => volume).toSorted()
  const errors = faults.map(({ fault }) => fault).join("; ")
  return `Unable to attach or mount volumes: unmounted volumes=[${volumes.join(" ")}], unattached volumes=[], failed to process volumes=[${volumes.join(" ")}]: ${errors}`
}
