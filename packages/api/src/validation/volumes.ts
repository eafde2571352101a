import type { ObjectMeta } from "../objects/Meta.ts"
import type { PersistentVolumeClaimSpec } from "../objects/PersistentVolume.ts"
import type { Volume } from "../objects/Volume.ts"
import { signOf } from "../quantity/Quantity.ts"
import { validateClaimSpec } from "./claimSpec.ts"
import { ErrorList } from "./ErrorList.ts"
import { goQuote } from "./goFormat.ts"
import { validateTemplateMetadata } from "./metadata.ts"
import { byteLength, isDNS1123Label, isDNS1123Subdomain, nameIsDNSSubdomain } from "./names.ts"
import { validateFileMode, validateNoBacksteps } from "./paths.ts"
import { validateDownwardAPI, validateKeyToPath, validateProjected } from "./projections.ts"
import { longTarget, type Source, volumePlugins } from "./volumePlugins.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateVolumes. */

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket"
]

/** Checks a path of the host. Upstream: validateHostPathVolumeSource. */
export const validateHostPath = (
  errors: ErrorList,
  { path: target, type }: { readonly path: string; readonly type?: string },
  path: string
): void => {
  if (!target) {
    errors.required(`${path}.path`)
    return
  }
  validateNoBacksteps(errors, target, `${path}.path`)
  if (type !== undefined && !hostPathTypes.includes(type)) errors.notSupported(`${path}.type`, type, hostPathTypes)
}

type KeyedSource = NonNullable<Volume["secret"]> | NonNullable<Volume["configMap"]>

const checkItems = (errors: ErrorList, source: KeyedSource, path: string): void => {
  validateFileMode(errors, source.defaultMode, `${path}.defaultMode`)
  source.items?.forEach((item, index) => void validateKeyToPath(errors, item, `${path}.items[${index}]`))
}

/** Checks a driver's name: a subdomain in any case, of at most 63 bytes. */
export const validateCSIDriverName = (errors: ErrorList, name: string, path: string): void => {
  if (name === "") {
    errors.required(path)
    return
  }
  if (byteLength(name) > 63) errors.tooLong(path, 63)
  errors.invalidEach(path, name, isDNS1123Subdomain(name.toLowerCase()))
}

/** Where the volumes are: in a pod, whose name claims have in theirs, or in a template. */
export interface VolumesOwner {
  readonly isPod: boolean
  readonly podName: string
}

type SourceCheck = (errors: ErrorList, volume: Volume, path: string, owner: VolumesOwner) => void

const plugin =
  (field: string): SourceCheck =>
  (errors, volume, path) => {
    const source = (volume as Readonly<Record<string, unknown>>)[field]
    volumePlugins[field]?.(errors, (source ?? {}) as Source, path, undefined)
  }

const checkCsi: SourceCheck = (errors, { csi }, path) => {
  validateCSIDriverName(errors, csi?.driver ?? "", `${path}.driver`)
  const { nodePublishSecretRef: reference } = (csi ?? {}) as {
    readonly nodePublishSecretRef?: { readonly name?: string }
  }
  if (reference === undefined) return
  const { name = "" } = reference
  if (name === "") errors.required(`${path}.nodePublishSecretRef.name`)
  else errors.invalidEach(`${path}.name`, name, nameIsDNSSubdomain(name, false))
}

interface ClaimTemplate {
  readonly metadata?: ObjectMeta
  readonly spec?: PersistentVolumeClaimSpec
}

const checkEphemeral: SourceCheck = (errors, { ephemeral, name }, path, { podName }) => {
  const { volumeClaimTemplate: template } = (ephemeral ?? {}) as { readonly volumeClaimTemplate?: ClaimTemplate }
  const at = `${path}.volumeClaimTemplate`
  if (template === undefined) errors.required(at)
  else {
    validateTemplateMetadata(errors, template.metadata, `${at}.metadata`)
    validateClaimSpec(errors, template.spec ?? {}, `${at}.spec`)
  }
  if (podName === "" || !name) return
  const claim = `${podName}-${name}`
  for (const message of nameIsDNSSubdomain(claim, false)) {
    errors.invalid(path.replace(/ephemeral$/, "name"), name, `PVC name ${goQuote(claim)}: ${message}`)
  }
}

const pullPolicies = ["Always", "IfNotPresent", "Never"]

/** An image may lack its name in a template only. Upstream: validateImageVolumeSource, validatePullPolicy. */
const checkImage: SourceCheck = (errors, volume, path, { isPod }) => {
  const { image } = volume as { readonly image?: { readonly reference?: string; readonly pullPolicy?: string } }
  const { pullPolicy = "", reference = "" } = image ?? {}
  if (isPod && reference === "") errors.required(`${path}.reference`)
  if (pullPolicy === "") errors.required(`${path}.pullPolicy`)
  else if (!pullPolicies.includes(pullPolicy)) errors.notSupported(`${path}.pullPolicy`, pullPolicy, pullPolicies)
}

/**
 * The volume sources in upstream's order. `shownAs` is the field in the message of a second source, where upstream spells
 * it differently ("downwarAPI").
 */
const sources: ReadonlyArray<readonly [field: string, check: SourceCheck, shownAs?: string]> = [
  [
    "emptyDir",
    (errors, { emptyDir }, path) => {
      if (emptyDir?.sizeLimit !== undefined && signOf(emptyDir.sizeLimit) < 0) {
        errors.forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")
      }
    }
  ],
  ["hostPath", (errors, { hostPath }, path) => hostPath && validateHostPath(errors, hostPath, path)],
  ["gitRepo", plugin("gitRepo")],
  ["gcePersistentDisk", plugin("gcePersistentDisk")],
  ["awsElasticBlockStore", plugin("awsElasticBlockStore")],
  [
    "secret",
    (errors, { secret = {} }, path) => {
      if (!secret.secretName) errors.required(`${path}.secretName`)
      checkItems(errors, secret, path)
    }
  ],
  ["nfs", plugin("nfs")],
  [
    "iscsi",
    (errors, volume, path, owner) => {
      plugin("iscsi")(errors, volume, path, owner)
      const { initiatorName, targetPortal = "" } = (volume.iscsi ?? {}) as Readonly<Record<string, string>>
      if (initiatorName === undefined || `${volume.name}:${targetPortal}`.length <= 64) return
      errors.invalid(path.replace(/iscsi$/, "name"), volume.name ?? "", longTarget)
    }
  ],
  ["glusterfs", plugin("glusterfs")],
  ["flocker", plugin("flocker")],
  [
    "persistentVolumeClaim",
    (errors, { persistentVolumeClaim }, path) => {
      if (!persistentVolumeClaim?.claimName) errors.required(`${path}.claimName`)
    }
  ],
  ["rbd", plugin("rbd")],
  ["cinder", plugin("cinder")],
  ["cephfs", plugin("cephfs"), "cephFS"],
  ["quobyte", plugin("quobyte")],
  ["downwardAPI", (errors, volume, path) => validateDownwardAPI(errors, volume.downwardAPI, path), "downwarAPI"],
  ["fc", plugin("fc")],
  ["flexVolume", plugin("flexVolume")],
  [
    "configMap",
    (errors, { configMap = {} }, path) => {
      if (!configMap.name) errors.required(`${path}.name`)
      checkItems(errors, configMap, path)
    }
  ],
  ["azureFile", plugin("azureFile")],
  ["vsphereVolume", plugin("vsphereVolume")],
  ["photonPersistentDisk", plugin("photonPersistentDisk")],
  ["portworxVolume", plugin("portworxVolume")],
  ["azureDisk", plugin("azureDisk")],
  ["storageos", plugin("storageos")],
  ["projected", (errors, volume, path) => validateProjected(errors, volume.projected, path)],
  ["scaleIO", plugin("scaleIO")],
  ["csi", checkCsi],
  ["ephemeral", checkEphemeral],
  ["image", checkImage]
]

const checkSource = (errors: ErrorList, volume: Volume, path: string, owner: VolumesOwner): void => {
  let found = 0
  for (const [field, check, shownAs = field] of sources) {
    if (!(field in volume)) continue
    if (found > 0) errors.forbidden(`${path}.${shownAs}`, "may not specify more than 1 volume type")
    else check(errors, volume, `${path}.${field}`, owner)
    found++
  }
  if (found === 0) errors.required(path, "must specify a volume type")
}

const MADE_CLAIM = "must not reference a PVC that gets created for an ephemeral volume"

/** Returns the names of the claims that will be made for a pod of this name. */
const claimsMadeFor = (volumes: ReadonlyArray<Volume> = [], { isPod, podName }: VolumesOwner): ReadonlySet<string> => {
  const ephemeral = isPod && podName !== "" ? volumes.filter((volume) => volume.ephemeral !== undefined) : []
  return new Set(ephemeral.map(({ name }) => `${podName}-${name ?? ""}`))
}

/** Validates volumes and returns the valid ones by name: containers may refer to them. */
export const validateVolumes = (
  errors: ErrorList,
  volumes: ReadonlyArray<Volume> | undefined,
  path: string,
  owner: VolumesOwner
): ReadonlyMap<string, Volume> => {
  const validVolumes = new Map<string, Volume>()
  const made = claimsMadeFor(volumes, owner)
  volumes?.forEach((volume, index) => {
    const at = `${path}[${index}]`
    const name = volume.name ?? ""
    const volumeErrors = new ErrorList()
    checkSource(volumeErrors, volume, at, owner)
    if (name === "") volumeErrors.required(`${at}.name`)
    else volumeErrors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
    if (validVolumes.has(name)) volumeErrors.duplicate(`${at}.name`, name)
    if (volumeErrors.size === 0) validVolumes.set(name, volume)
    else errors.append(volumeErrors.all)
    const { claimName = "" } = volume.persistentVolumeClaim ?? {}
    const isMade = volume.persistentVolumeClaim !== undefined && made.has(claimName)
    if (isMade) errors.invalid(`${at}.persistentVolumeClaim.claimName`, claimName, MADE_CLAIM)
  })
  return validVolumes
}
