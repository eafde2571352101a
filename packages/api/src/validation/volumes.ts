import type { Volume } from "../objects/Volume.ts"
import { signOf } from "../quantity/Quantity.ts"
import { ErrorList } from "./ErrorList.ts"
import { byteLength, isDNS1123Label, isDNS1123Subdomain } from "./names.ts"
import { validateFileMode, validateNoBacksteps, validateUnreservedPath } from "./paths.ts"

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

const checkHostPath = (
  errors: ErrorList,
  { path: target, type }: NonNullable<Volume["hostPath"]>,
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
  source.items?.forEach(({ key, mode, path: target = "" }, index) => {
    const at = `${path}.items[${index}]`
    if (!key) errors.required(`${at}.key`)
    if (target === "") errors.required(`${at}.path`)
    validateUnreservedPath(errors, target, `${at}.path`)
    validateFileMode(errors, mode, `${at}.mode`)
  })
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

type SourceCheck = (errors: ErrorList, volume: Volume, path: string) => void

const noCheck: SourceCheck = () => {}

/**
 * The volume sources in upstream's order. Those that the node model uses have a check. `shownAs` is the field in the
 * message of a second source, where upstream spells it differently ("downwarAPI").
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
  ["hostPath", (errors, { hostPath }, path) => hostPath && checkHostPath(errors, hostPath, path)],
  ["gitRepo", noCheck],
  ["gcePersistentDisk", noCheck],
  ["awsElasticBlockStore", noCheck],
  [
    "secret",
    (errors, { secret = {} }, path) => {
      if (!secret.secretName) errors.required(`${path}.secretName`)
      checkItems(errors, secret, path)
    }
  ],
  ["nfs", noCheck],
  ["iscsi", noCheck],
  ["glusterfs", noCheck],
  ["flocker", noCheck],
  [
    "persistentVolumeClaim",
    (errors, { persistentVolumeClaim }, path) => {
      if (!persistentVolumeClaim?.claimName) errors.required(`${path}.claimName`)
    }
  ],
  ["rbd", noCheck],
  ["cinder", noCheck],
  ["cephfs", noCheck, "cephFS"],
  ["quobyte", noCheck],
  [
    "downwardAPI",
    (errors, volume, path) => validateFileMode(errors, volume.downwardAPI?.defaultMode, `${path}.defaultMode`),
    "downwarAPI"
  ],
  ["fc", noCheck],
  ["flexVolume", noCheck],
  [
    "configMap",
    (errors, { configMap = {} }, path) => {
      if (!configMap.name) errors.required(`${path}.name`)
      checkItems(errors, configMap, path)
    }
  ],
  ["azureFile", noCheck],
  ["vsphereVolume", noCheck],
  ["photonPersistentDisk", noCheck],
  ["portworxVolume", noCheck],
  ["azureDisk", noCheck],
  ["storageos", noCheck],
  [
    "projected",
    (errors, volume, path) => validateFileMode(errors, volume.projected?.defaultMode, `${path}.defaultMode`)
  ],
  ["scaleIO", noCheck],
  ["csi", (errors, { csi }, path) => validateCSIDriverName(errors, csi?.driver ?? "", `${path}.driver`)],
  ["ephemeral", noCheck],
  ["image", noCheck]
]

const checkSource = (errors: ErrorList, volume: Volume, path: string): void => {
  let found = 0
  for (const [field, check, shownAs = field] of sources) {
    if (!(field in volume)) continue
    if (found > 0) errors.forbidden(`${path}.${shownAs}`, "may not specify more than 1 volume type")
    else check(errors, volume, `${path}.${field}`)
    found++
  }
  if (found === 0) errors.required(path, "must specify a volume type")
}

/** Validates volumes and returns the valid ones by name: containers may refer to them. */
export const validateVolumes = (
  errors: ErrorList,
  volumes: ReadonlyArray<Volume> | undefined,
  path: string
): ReadonlyMap<string, Volume> => {
  const validVolumes = new Map<string, Volume>()
  volumes?.forEach((volume, index) => {
    const at = `${path}[${index}]`
    const name = volume.name ?? ""
    const volumeErrors = new ErrorList()
    checkSource(volumeErrors, volume, at)
    if (name === "") volumeErrors.required(`${at}.name`)
    else volumeErrors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
    if (validVolumes.has(name)) volumeErrors.duplicate(`${at}.name`, name)
    if (volumeErrors.size === 0) validVolumes.set(name, volume)
    else errors.append(volumeErrors.all)
  })
  return validVolumes
}
