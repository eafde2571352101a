import { formatQuantity, type Volume } from "@rollcall/api"
import type { Writer } from "./Writer.ts"

/** A source of a projected volume. */
interface Projection {
  readonly secret?: { readonly name?: string; readonly optional?: boolean }
  readonly configMap?: { readonly name?: string; readonly optional?: boolean }
  readonly downwardAPI?: unknown
  readonly serviceAccountToken?: { readonly expirationSeconds?: number }
}

const nil = (value: unknown): string => (value === undefined ? "<nil>" : String(value))

const writeProjection = (out: Writer, { configMap, downwardAPI, secret, serviceAccountToken }: Projection): void => {
  if (secret !== undefined) out.line(2, "SecretName:", secret.name ?? "").line(2, "Optional:", nil(secret.optional))
  else if (downwardAPI !== undefined) out.line(2, "DownwardAPI:", "true")
  else if (configMap !== undefined) {
    out.line(2, "ConfigMapName:", configMap.name ?? "").line(2, "ConfigMapOptional:", nil(configMap.optional))
  } else if (serviceAccountToken !== undefined) {
    out.line(2, "TokenExpirationSeconds:", serviceAccountToken.expirationSeconds ?? 3600)
  }
}

const writeVolume = (
  out: Writer,
  { configMap, emptyDir, hostPath, persistentVolumeClaim, projected, secret }: Volume
): void => {
  if (hostPath !== undefined) {
    out.line(2, "Type:", "HostPath (bare host directory volume)")
    out.line(2, "Path:", hostPath.path).line(2, "HostPathType:", hostPath.type ?? "")
  } else if (emptyDir !== undefined) {
    out.line(2, "Type:", "EmptyDir (a temporary directory that shares a pod's lifetime)")
    const { medium, sizeLimit } = emptyDir
    out
      .line(2, "Medium:", medium ?? "")
      .line(2, "SizeLimit:", sizeLimit === undefined ? "<unset>" : formatQuantity(sizeLimit))
  } else if (secret !== undefined) {
    out.line(2, "Type:", "Secret (a volume populated by a Secret)")
    out.line(2, "SecretName:", secret.secretName ?? "").line(2, "Optional:", secret.optional ?? false)
  } else if (configMap !== undefined) {
    out.line(2, "Type:", "ConfigMap (a volume populated by a ConfigMap)")
    out.line(2, "Name:", configMap.name ?? "").line(2, "Optional:", configMap.optional ?? false)
  } else if (persistentVolumeClaim !== undefined) {
    out.line(2, "Type:", "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)")
    const { claimName, readOnly } = persistentVolumeClaim
    out.line(2, "ClaimName:", claimName).line(2, "ReadOnly:", readOnly ?? false)
  } else if (projected !== undefined) {
    out.line(2, "Type:", "Projected (a volume that contains injected data from multiple sources)")
    for (const source of projected.sources ?? []) writeProjection(out, source)
  } else out.line(2, "<unknown>")
}

/** Describes the volumes of a pod by their type. Upstream: kubectl/pkg/describe, describeVolumes. */
export const writeVolumes = (out: Writer, volumes: ReadonlyArray<Volume> | undefined, indent = ""): void => {
  if (volumes === undefined || volumes.length === 0) {
    out.line(0, `${indent}Volumes:`, "<none>")
    return
  }
  out.line(0, `${indent}Volumes:`)
  for (const volume of volumes) {
    out.line(1, `${indent === "" ? "" : " "}${volume.name}:`)
    writeVolume(out, volume)
  }
}
