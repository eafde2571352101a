import type { Volume } from "../PodSpec.ts"
import type { CheckPod } from "./Check.ts"
import { distinct, joinQuoted, namesWith, plural } from "./words.ts"

const has = (volume: Volume, source: string): boolean => (volume as Readonly<Record<string, unknown>>)[source] != null

const nameOf = ({ name = "" }: Volume): string => name

export const hostPathVolumes: CheckPod = ({ volumes = [] }) => {
  const names = volumes.filter((volume) => has(volume, "hostPath")).map(nameOf)
  return names.length === 0 ? undefined : { reason: "hostPath volumes", detail: namesWith("volume", names) }
}

const allowed = "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(" ")

/** The sources that the message names; of several, the first. */
const forbidden = (
  "hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc " +
  "azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos"
).split(" ")

export const restrictedVolumes: CheckPod = ({ volumes = [] }) => {
  const bad = volumes.filter((volume) => !allowed.some((source) => has(volume, source)))
  if (bad.length === 0) return undefined
  const types = distinct(bad.map((volume) => forbidden.find((source) => has(volume, source)) ?? "unknown"))
  const uses = `${plural(bad.length, "uses", "use")} ${plural(types.length, "restricted volume type")}`
  return {
    reason: "restricted volume types",
    detail: `${namesWith("volume", bad.map(nameOf))} ${uses} ${joinQuoted(types)}`
  }
}
