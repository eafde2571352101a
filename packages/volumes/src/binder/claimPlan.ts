import {
  annotationBindCompleted,
  annotationBoundByController,
  annotationSelectedNode,
  hasStorageClassSet,
  isVolumeOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  storageClassNameOf,
  waitsForConsumer
} from "@rollcall/api"
import { type EventDraft, normal, warning } from "./EventDraft.ts"
import { bestMatch, mismatchOf } from "./match.ts"
import { provisionerOf } from "./provisioners.ts"

/** Answers questions about the cluster that the plan for a claim depends on. */
export interface ClaimView {
  readonly volume: (name: string) => PersistentVolume | undefined
  /** Unbound volumes of the claim's class, and those that name the claim; additional volumes do no harm. */
  readonly candidates: (claim: PersistentVolumeClaim) => ReadonlyArray<PersistentVolume>
  readonly storageClass: (name: string) => StorageClass | undefined
  readonly defaultClass: () => StorageClass | undefined
  /** Names of unscheduled pods that use the claim. */
  readonly unplacedPods: (claim: PersistentVolumeClaim) => ReadonlyArray<string>
}

/** What to do with a claim. */
export type ClaimStep =
  /** Bind the claim to the volume; also completes a binding that was written in part. */
  | { readonly do: "bind"; readonly volume: PersistentVolume }
  /** The claim stays Pending. */
  | { readonly do: "wait"; readonly event?: EventDraft }
  /** Give the claim the default class. */
  | { readonly do: "classify"; readonly className: string }
  /** Ask an external provisioner for a volume. */
  | { readonly do: "provision"; readonly provisioner: string; readonly event: EventDraft }
  /** Only record the Event. */
  | { readonly do: "event"; readonly event: EventDraft }
  /** The claim's volume no longer exists, or belongs to another claim: its phase becomes Lost, which is final. */
  | { readonly do: "lose"; readonly event: EventDraft }

/** The next step for a claim. Upstream: pkg/controller/volume/persistentvolume/pv_controller.go syncClaim. */
export const planClaim = (claim: PersistentVolumeClaim, view: ClaimView): ClaimStep => {
  if (claim.metadata.annotations?.[annotationBindCompleted] !== undefined) return planBound(claim, view)
  return claim.spec?.volumeName ? planNamed(claim, claim.spec.volumeName, view) : planUnbound(claim, view)
}

const loseClaim = (reason: string, message: string): ClaimStep => ({ do: "lose", event: warning(reason, message) })

const planBound = (claim: PersistentVolumeClaim, { volume: find }: ClaimView): ClaimStep => {
  const name = claim.spec?.volumeName ?? ""
  if (name === "") {
    return loseClaim("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!")
  }
  const volume = find(name)
  if (volume === undefined) {
    return loseClaim("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
  }
  const { claimRef } = volume.spec ?? {}
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { do: "bind", volume }
  return loseClaim("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly")
}

/** Plans a claim that requests one volume by name. */
const planNamed = (claim: PersistentVolumeClaim, name: string, { volume: find }: ClaimView): ClaimStep => {
  const volume = find(name)
  if (volume === undefined) return { do: "wait" }
  const { claimRef } = volume.spec ?? {}
  if (claimRef === undefined) {
    const why = mismatchOf(claim, volume)
    if (why === undefined) return { do: "bind", volume }
    return { do: "wait", event: warning("VolumeMismatch", `Cannot bind to requested volume "${name}": ${why}`) }
  }
  if (isVolumeOf(volume, claim)) return { do: "bind", volume }
  if (claim.metadata.annotations?.[annotationBoundByController] === undefined) {
    return { do: "wait", event: warning("FailedBinding", `volume "${name}" already bound to a different claim.`) }
  }
  const { metadata } = claim
  const text = `invalid binding of claim "${metadata.namespace}/${metadata.name}" to volume "${name}": volume already claimed by "${claimRef.namespace}/${claimRef.name}"`
  return { do: "event", event: warning("FailedBinding", text) }
}

const planUnbound = (claim: PersistentVolumeClaim, view: ClaimView): ClaimStep => {
  const className = storageClassNameOf(claim)
  const storageClass = className === "" ? undefined : view.storageClass(className)
  const isDelayed = waitsForConsumer(storageClass)
  const volume = bestMatch(claim, view.candidates(claim), isDelayed)
  if (volume !== undefined) return { do: "bind", volume }
  if (!hasStorageClassSet(claim)) {
    const byDefault = view.defaultClass()?.metadata.name
    if (byDefault !== undefined) return { do: "classify", className: byDefault }
  }
  if (isDelayed && !claim.metadata.annotations?.[annotationSelectedNode]) {
    return { do: "wait", event: waitingFor(view.unplacedPods(claim)) }
  }
  if (className !== "") return planProvisioning(className, storageClass)
  const text = "no persistent volumes available for this claim and no storage class is set"
  return { do: "wait", event: normal("FailedBinding", text) }
}

const waitingFor = (pods: ReadonlyArray<string>): EventDraft => {
  if (pods.length === 0)
    return normal("WaitForFirstConsumer", "waiting for first consumer to be created before binding")
  const who = pods.length === 1 ? `pod ${pods[0]}` : `pods ${pods.join(",")}`
  return normal("WaitForPodScheduled", `waiting for ${who} to be scheduled`)
}

const planProvisioning = (className: string, storageClass: StorageClass | undefined): ClaimStep => {
  const failed = (message: string): ClaimStep => ({ do: "event", event: warning("ProvisioningFailed", message) })
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${className}" not found`)
  const provisioner = provisionerOf(storageClass)
  if (provisioner === undefined) return failed(`no volume plugin matched name: ${storageClass.provisioner}`)
  const text = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
  return { do: "provision", provisioner, event: normal("ExternalProvisioning", text) }
}
