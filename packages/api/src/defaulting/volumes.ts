import type { Volume } from "../objects/Volume.ts"
import type { Fields } from "../values.ts"
import { completeFieldRef, pullPolicyOf, withPart } from "./container.ts"
import { mapItems, withDefaults, withPointerDefaults } from "./fill.ts"
import { withRoundedResources } from "./resourceList.ts"

/** Upstream: pkg/apis/core/v1/defaults.go SetDefaults_Volume, and zz_generated.defaults.go. */

/** The defaults of sources that pods and PersistentVolumes share. */
const sharedDefaults: Readonly<Record<string, Fields>> = {
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" }
}

const sourceDefaults: Readonly<Record<string, Fields>> = {
  ...sharedDefaults,
  secret: { defaultMode: 0o644 },
  configMap: { defaultMode: 0o644 },
  projected: { defaultMode: 0o644 },
  downwardAPI: { defaultMode: 0o644 }
}

const mapPart = (object: Fields, name: string, complete: (item: Fields) => Fields): Fields => {
  const items = object[name]
  if (!Array.isArray(items)) return object
  const completed = mapItems(items as ReadonlyArray<Fields>, complete)
  return completed === items ? object : { ...object, [name]: completed }
}

/** A pointer has a default only if it is absent: the empty type of a hostPath is a type. */
const completeHostPath = (source: Fields): Fields => (source.type === undefined ? { ...source, type: "" } : source)

const azureDiskDefaults: Fields = { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" }

const completeAzureDisk = (source: Fields): Fields => withPointerDefaults(source, azureDiskDefaults)

/** Completes the sources that pods and PersistentVolumes share. */
export const completeSource = <A extends object>(object: A): A => {
  let completed = withPart(withPart(object, "hostPath", completeHostPath), "azureDisk", completeAzureDisk)
  for (const name in sharedDefaults) {
    completed = withPart(completed, name, (source) => withDefaults(source, sharedDefaults[name] ?? {}))
  }
  return completed
}

const completeFiles = (source: Fields): Fields =>
  mapPart(source, "items", (item) => withPart(item, "fieldRef", completeFieldRef))

const completeProjection = (source: Fields): Fields =>
  withPart(withPart(source, "downwardAPI", completeFiles), "serviceAccountToken", (token) =>
    withDefaults(token, { expirationSeconds: 3600 })
  )

const completeTemplate = (template: Fields): Fields =>
  withPart(template.spec === undefined ? { ...template, spec: {} } : template, "spec", (spec) =>
    withRoundedResources(withDefaults(spec, { volumeMode: "Filesystem" }))
  )

/** What the sources have besides plain defaults. */
const completions: Readonly<Record<string, (source: Fields) => Fields>> = {
  hostPath: completeHostPath,
  azureDisk: completeAzureDisk,
  downwardAPI: completeFiles,
  projected: (source) => mapPart(source, "sources", completeProjection),
  ephemeral: (source) => withPart(source, "volumeClaimTemplate", completeTemplate),
  image: (source) => withDefaults(source, { pullPolicy: pullPolicyOf(String(source.reference ?? "")) })
}

/** Sets the defaults of a pod's volume. A volume with only a name is an emptyDir. */
export const completeVolume = (volume: Volume): Volume => {
  let completed = volume
  let hasSource = false
  for (const name in volume) {
    if (name === "name") continue
    hasSource = true
    const defaults = sourceDefaults[name]
    const complete = completions[name]
    if (defaults !== undefined) completed = withPart(completed, name, (source) => withDefaults(source, defaults))
    if (complete !== undefined) completed = withPart(completed, name, complete)
  }
  return hasSource ? completed : { ...volume, emptyDir: {} }
}
