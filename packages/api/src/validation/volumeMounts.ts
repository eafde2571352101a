import type { Container, VolumeMount } from "../objects/Container.ts"
import type { Volume } from "../objects/Volume.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateDescendingPath } from "./paths.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateVolumeMounts and ValidateVolumeDevices. */

const propagations = ["Bidirectional", "HostToContainer", "None"]

const checkPropagation = (errors: ErrorList, mount: VolumeMount, container: Container, path: string): void => {
  const { mountPropagation: mode } = mount
  if (mode === undefined) return
  if (!propagations.includes(mode)) errors.notSupported(path, mode, propagations)
  const { privileged } = (container.securityContext ?? {}) as { readonly privileged?: boolean }
  if (mode === "Bidirectional" && privileged !== true) {
    errors.forbidden(path, "Bidirectional mount propagation is available only to privileged containers")
  }
}

const recursiveModes = ["Disabled", "Enabled", "IfPossible"]

const checkRecursiveReadOnly = (errors: ErrorList, mount: VolumeMount, path: string): void => {
  const { mountPropagation, readOnly, recursiveReadOnly: mode } = mount
  if (mode === undefined || mode === "Disabled") return
  if (!recursiveModes.includes(mode)) {
    errors.notSupported(path, mode, recursiveModes)
    return
  }
  if (readOnly !== true) errors.forbidden(path, "may only be specified when readOnly is true")
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    errors.forbidden(path, "may only be specified when mountPropagation is None or not specified")
  }
}

export const validateVolumeMounts = (
  errors: ErrorList,
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
  path: string
): void => {
  const points = new Set<string>()
  const deviceNames = new Set(container.volumeDevices?.map(({ name }) => name))
  const devicePaths = new Set(container.volumeDevices?.map(({ devicePath }) => devicePath))
  container.volumeMounts?.forEach((mount, index) => {
    const at = `${path}[${index}]`
    const { mountPath = "", name = "", subPath, subPathExpr } = mount
    if (name === "") errors.required(`${at}.name`)
    if (!volumes.has(name)) errors.notFound(`${at}.name`, name)
    if (mountPath === "") errors.required(`${at}.mountPath`)
    if (points.has(mountPath)) errors.invalid(`${at}.mountPath`, mountPath, "must be unique")
    points.add(mountPath)
    if (deviceNames.has(name)) {
      errors.invalid(`${at}.name`, name, "must not already exist in volumeDevices")
    }
    if (devicePaths.has(mountPath)) {
      errors.invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices")
    }
    // The path has no index, as upstream.
    if (subPath) validateDescendingPath(errors, subPath, `${path}.subPath`)
    if (subPathExpr) {
      if (subPath) {
        errors.invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive")
      }
      validateDescendingPath(errors, subPathExpr, `${path}.subPathExpr`)
    }
    checkPropagation(errors, mount, container, `${path}.mountPropagation`)
    checkRecursiveReadOnly(errors, mount, `${path}.recursiveReadOnly`)
  })
}

export const validateVolumeDevices = (
  errors: ErrorList,
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
  path: string
): void => {
  const names = new Set<string>()
  const paths = new Set<string>()
  const mountNames = new Set(container.volumeMounts?.map(({ name }) => name))
  const mountPaths = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath))
  container.volumeDevices?.forEach(({ devicePath = "", name = "" }, index) => {
    const at = `${path}[${index}]`
    const volume = volumes.get(name)
    if (name === "") errors.required(`${at}.name`)
    if (names.has(name)) errors.invalid(`${at}.name`, name, "must be unique")
    if (volume === undefined) errors.notFound(`${at}.name`, name)
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
      errors.invalid(`${at}.name`, name, detail)
    }
    if (devicePath === "") errors.required(`${at}.devicePath`)
    if (paths.has(devicePath)) errors.invalid(`${at}.devicePath`, devicePath, "must be unique")
    if (devicePath.split("/").includes("..")) {
      errors.invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')")
    } else paths.add(devicePath)
    if (mountNames.has(name)) {
      errors.invalid(`${at}.name`, name, "must not already exist in volumeMounts")
    }
    if (mountPaths.has(devicePath)) {
      errors.invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts")
    }
    if (name !== "") names.add(name)
  })
}
