import type { ErrorList } from "./ErrorList.ts"
import { isDNS1123Label, isDNS1123Subdomain, nameIsDNSLabel, rangeText } from "./names.ts"
import { validateDescendingPath } from "./paths.ts"

/*
 * The volume plugins that pods and PersistentVolumes have in common. Upstream: pkg/apis/core/validation/validation.go,
 * validate*VolumeSource and validate*PersistentVolumeSource.
 */

/** The fields of a source, whose types decoding has checked. */
export type Source = Readonly<Record<string, unknown>>

/** Checks a source. `persistent` is the name of the volume, if it is a PersistentVolume's. */
export type SourceCheck = (errors: ErrorList, source: Source, path: string, persistent: string | undefined) => void

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const number = (value: unknown): number => (typeof value === "number" ? value : 0)
const isEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0
const partOf = (value: unknown): Source | undefined =>
  typeof value === "object" && value !== null ? (value as Source) : undefined

/** Requires fields that hold texts. */
const requires =
  (...fields: ReadonlyArray<string>): SourceCheck =>
  (errors, source, path) => {
    for (const field of fields) if (text(source[field]) === "") errors.required(`${path}.${field}`)
  }

const checkPartition: SourceCheck = (errors, { partition }, path) => {
  const value = number(partition)
  if (value < 0 || value > 255) errors.invalid(`${path}.partition`, value, rangeText(1, 255))
}

/** Checks the secret that a source refers to; a PersistentVolume's also names a namespace. */
const checkSecret: SourceCheck = (errors, { secretRef }, path, persistent) => {
  const reference = partOf(secretRef)
  if (reference === undefined) return
  if (text(reference.name) === "") errors.required(`${path}.secretRef.name`)
  if (persistent !== undefined && text(reference.namespace) === "") errors.required(`${path}.secretRef.namespace`)
}

const iscsiNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/
}

const checkIscsiName = (errors: ErrorList, name: string, path: string, persistent: boolean): void => {
  const format = iscsiNames[name.slice(0, 3)]
  if (format === undefined) {
    errors.invalid(
      path,
      name,
      persistent ? "must be valid format" : "must be valid format starting with iqn, eui, or naa"
    )
  } else if (!format.test(name)) errors.invalid(path, name, "must be valid format")
}

export const longTarget =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."

const checkIscsi: SourceCheck = (errors, source, path, persistent) => {
  const { chapAuthDiscovery, chapAuthSession, initiatorName, lun, secretRef } = source
  const [target, iqn] = [text(source.targetPortal), text(source.iqn)]
  if (target === "") errors.required(`${path}.targetPortal`)
  if (persistent !== undefined && initiatorName !== undefined && `${persistent}:${target}`.length > 64) {
    errors.invalid(`${path}.targetportal`, target, longTarget)
  }
  if (iqn === "") errors.required(`${path}.iqn`)
  else checkIscsiName(errors, iqn, `${path}.iqn`, persistent !== undefined)
  if (number(lun) < 0 || number(lun) > 255) errors.invalid(`${path}.lun`, lun, rangeText(0, 255))
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined) {
    errors.required(`${path}.secretRef`)
  }
  const reference = persistent === undefined ? undefined : partOf(secretRef)
  if (reference !== undefined && text(reference.name) === "") errors.required(`${path}.secretRef.name`)
  if (initiatorName === undefined) return
  checkIscsiName(errors, text(initiatorName), `${path}.initiatorname`, persistent !== undefined)
}

const checkFibreChannel: SourceCheck = (errors, { lun, targetWWNs, wwids }, path) => {
  const at = `${path}.targetWWNs`
  const [hasTargets, hasIds] = [!isEmptyList(targetWWNs), !isEmptyList(wwids)]
  if (!hasTargets && !hasIds) errors.required(at, "must specify either targetWWNs or wwids, but not both")
  if (hasTargets && hasIds) errors.invalid(at, targetWWNs, "targetWWNs and wwids can not be specified simultaneously")
  if (!hasTargets) return
  if (lun === undefined) errors.required(`${path}.lun`, "lun is required if targetWWNs is specified")
  else if (number(lun) < 0 || number(lun) > 255) errors.invalid(`${path}.lun`, lun, rangeText(0, 255))
}

const checkNfs: SourceCheck = (errors, source, path) => {
  requires("server", "path")(errors, source, path, undefined)
  const directory = text(source.path)
  if (!directory.startsWith("/")) errors.invalid(`${path}.path`, directory, "must be an absolute path")
}

const checkFlocker: SourceCheck = (errors, source, path) => {
  const [name, uuid] = [text(source.datasetName), text(source.datasetUUID)]
  if (name === "" && uuid === "") errors.required(path, "one of datasetName and datasetUUID is required")
  if (name !== "" && uuid !== "") {
    errors.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
  }
  if (name.includes("/")) errors.invalid(`${path}.datasetName`, name, "must not contain '/'")
}

const hostPorts = "must be a host:port pair or multiple pairs separated by commas"
const hostPort = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/

const checkQuobyte: SourceCheck = (errors, source, path) => {
  const [registry, tenant] = [text(source.registry), text(source.tenant)]
  if (registry === "") errors.required(`${path}.registry`, hostPorts)
  else if (tenant.length >= 65) {
    errors.required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters")
  } else {
    for (const pair of registry.split(","))
      if (!hostPort.test(pair)) errors.invalid(`${path}.registry`, registry, hostPorts)
  }
  if (text(source.volume) === "") errors.required(`${path}.volume`)
}

const checkGlusterfs: SourceCheck = (errors, source, path, persistent) => {
  requires("endpoints", "path")(errors, source, path, persistent)
  const { endpointsNamespace: namespace } = source
  if (persistent === undefined || typeof namespace !== "string") return
  const at = `${path}.endpointsNamespace`
  const unset = "if the endpointnamespace is set, it must be a valid namespace name"
  if (namespace === "") errors.invalid(at, namespace, unset)
  else errors.invalidEach(at, namespace, nameIsDNSLabel(namespace, false))
}

const checkFlexVolume: SourceCheck = (errors, source, path, persistent) => {
  requires("driver")(errors, source, path, persistent)
  for (const key of Object.keys(partOf(source.options) ?? {})) {
    const domain = `.${(key.split("/")[0] ?? "").toLowerCase()}`
    if (!domain.endsWith(".kubernetes.io") && !domain.endsWith(".k8s.io")) continue
    errors.invalid(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved")
  }
}

const checkAzureFile: SourceCheck = (errors, source, path, persistent) => {
  requires("secretName", "shareName")(errors, source, path, persistent)
  if (persistent !== undefined && source.secretNamespace === "") errors.required(`${path}.secretNamespace`)
}

const cachingModes = ["None", "ReadOnly", "ReadWrite"]
const diskKinds = ["Dedicated", "Managed", "Shared"]
const managedUris = ["/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"]
const blobUris = ["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"]

const checkAzureDisk: SourceCheck = (errors, source, path, persistent) => {
  requires("diskName", "diskURI")(errors, source, path, persistent)
  const { cachingMode, kind } = source
  const uri = text(source.diskURI)
  const refuse = (field: string, value: unknown, supported: ReadonlyArray<string>) =>
    errors.notSupported(`${path}.${field}`, value, supported)
  if (cachingMode !== undefined && !cachingModes.includes(text(cachingMode))) {
    refuse("cachingMode", cachingMode, cachingModes)
  }
  if (kind !== undefined && !diskKinds.includes(text(kind))) refuse("kind", kind, diskKinds)
  if (kind === "Managed" && !uri.startsWith("/subscriptions/"))
    errors.notSupportedText(`${path}.diskURI`, uri, managedUris)
  if (kind !== undefined && kind !== "Managed" && !uri.startsWith("https://"))
    errors.notSupportedText(`${path}.diskURI`, uri, blobUris)
}

const checkStorageOS: SourceCheck = (errors, source, path, persistent) => {
  const [name, namespace] = [text(source.volumeName), text(source.volumeNamespace)]
  if (name === "") errors.required(`${path}.volumeName`)
  else errors.invalidEach(`${path}.volumeName`, name, isDNS1123Label(name))
  if (namespace !== "") errors.invalidEach(`${path}.volumeNamespace`, namespace, isDNS1123Label(namespace))
  checkSecret(errors, source, path, persistent)
}

const checkMonitors: SourceCheck = (errors, { monitors }, path) => {
  if (isEmptyList(monitors)) errors.required(`${path}.monitors`)
}

const all =
  (...checks: ReadonlyArray<SourceCheck>): SourceCheck =>
  (errors, source, path, persistent) => {
    for (const check of checks) check(errors, source, path, persistent)
  }

/** The checks of the plugins by field. */
export const volumePlugins: Readonly<Record<string, SourceCheck>> = {
  awsElasticBlockStore: all(requires("volumeID"), checkPartition),
  azureDisk: checkAzureDisk,
  azureFile: checkAzureFile,
  cephfs: checkMonitors,
  cinder: all(requires("volumeID"), checkSecret),
  fc: checkFibreChannel,
  flexVolume: checkFlexVolume,
  flocker: checkFlocker,
  // Errors have an older name of the field.
  gcePersistentDisk: (errors, source, path, persistent) =>
    all(requires("pdName"), checkPartition)(
      errors,
      source,
      path.replace(/gcePersistentDisk$/, "persistentDisk"),
      persistent
    ),
  gitRepo: (errors, source, path, persistent) => {
    requires("repository")(errors, source, path, persistent)
    validateDescendingPath(errors, text(source.directory), `${path}.directory`)
  },
  glusterfs: checkGlusterfs,
  iscsi: checkIscsi,
  nfs: checkNfs,
  photonPersistentDisk: requires("pdID"),
  portworxVolume: requires("volumeID"),
  quobyte: checkQuobyte,
  rbd: all(checkMonitors, requires("image")),
  scaleIO: requires("gateway", "system", "volumeName"),
  storageos: checkStorageOS,
  vsphereVolume: requires("volumePath")
}

/** Checks a reference of a PersistentVolume's driver to a secret. Upstream: validatePVSecretReference. */
export const checkSecretReference = (errors: ErrorList, reference: Source, path: string): void => {
  const [name, namespace] = [text(reference.name), text(reference.namespace)]
  if (name === "") errors.required(`${path}.name`)
  else errors.invalidEach(`${path}.name`, name, isDNS1123Subdomain(name))
  if (namespace === "") errors.required(`${path}.namespace`)
  else errors.invalidEach(`${path}.namespace`, namespace, isDNS1123Label(namespace))
}
