import type { PersistentVolumeClaimSpec } from "../objects/PersistentVolume.ts"
import { canonicalQuantity, signOf } from "../quantity/Quantity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateLabelSelector } from "./labels.ts"
import { isDNS1123Subdomain, nameIsDNSLabel, nameIsDNSSubdomain } from "./names.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaimSpec. */

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]
const volumeModes = ["Block", "Filesystem"]

/** Checks the access modes of a volume or a claim. */
export const checkAccessModes = (errors: ErrorList, modes: ReadonlyArray<string>, path: string): void => {
  for (const mode of modes) if (!accessModes.includes(mode)) errors.notSupported(path, mode, accessModes)
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode))
  if (others && modes.includes("ReadWriteOncePod")) {
    errors.forbidden(path, "may not use ReadWriteOncePod with other access modes")
  }
}

export const checkVolumeMode = (errors: ErrorList, mode: string | undefined, path: string): void => {
  if (mode !== undefined && !volumeModes.includes(mode)) errors.notSupported(path, mode, volumeModes)
}

/** Checks the name of a class, which may be absent or empty. */
export const checkClassName = (errors: ErrorList, name: string | undefined, path: string): void => {
  if (name !== undefined && name !== "") errors.invalidEach(path, name, nameIsDNSSubdomain(name, false))
}

interface Source {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

const checkSource = (errors: ErrorList, source: Source, path: string, isAnyGroup: boolean): void => {
  const { apiGroup = "", kind, name, namespace = "" } = source
  if (name === "") errors.required(`${path}.name`)
  if (kind === "") errors.required(`${path}.kind`)
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  }
  if (apiGroup !== "" && !isAnyGroup) errors.invalidEach(`${path}.apiGroup`, apiGroup, isDNS1123Subdomain(apiGroup))
  if (namespace !== "") errors.invalidEach(`${path}.namespace`, namespace, nameIsDNSLabel(namespace, false))
}

/** An absent group is not an empty one. */
const isSameSource = (one: Source, other: Source): boolean =>
  one.apiGroup === other.apiGroup && one.kind === other.kind && one.name === other.name

type Spec = PersistentVolumeClaimSpec

/** Upstream: allowInvalidAPIGroupInDataSourceOrRef. */
const hasSourceGroup = ({ dataSource, dataSourceRef }: Spec): boolean =>
  dataSource?.apiGroup !== undefined || dataSourceRef?.apiGroup !== undefined

const checkSources = (errors: ErrorList, spec: Spec, path: string, stored: Spec | undefined): void => {
  const { dataSource, dataSourceRef } = spec
  const isAnyGroup = stored !== undefined && hasSourceGroup(stored)
  if (dataSource !== undefined) checkSource(errors, dataSource, `${path}.dataSource`, isAnyGroup)
  if (dataSourceRef !== undefined) checkSource(errors, dataSourceRef, `${path}.dataSourceRef`, isAnyGroup)
  if (dataSource === undefined || dataSourceRef === undefined) return
  // Go shows the value of the path itself, which has no exported fields.
  const refuse = (detail: string) => errors.invalid(path, {}, detail)
  if (dataSourceRef.namespace) refuse("may not be specified when dataSourceRef.namespace is specified")
  else if (!isSameSource(dataSource, dataSourceRef)) refuse("must match dataSourceRef")
}

/** Checks the spec of a claim, which may be `stored` before, or of a template of claims. */
export const validateClaimSpec = (errors: ErrorList, spec: Spec, path: string, stored?: Spec): void => {
  const modes = spec.accessModes ?? []
  if (modes.length === 0) errors.required(`${path}.accessModes`, "at least 1 access mode is required")
  validateLabelSelector(errors, spec.selector, `${path}.selector`)
  checkAccessModes(errors, modes, `${path}.accessModes`)
  const storage = spec.resources?.requests?.storage
  const storagePath = `${path}.resources[storage]`
  if (storage === undefined) errors.required(storagePath)
  else if (signOf(storage) <= 0) errors.invalid(storagePath, canonicalQuantity(storage), "must be greater than zero")
  checkClassName(errors, spec.storageClassName, `${path}.storageClassName`)
  checkVolumeMode(errors, spec.volumeMode, `${path}.volumeMode`)
  checkSources(errors, spec, path, stored)
  checkClassName(errors, spec.volumeAttributesClassName, `${path}.volumeAttributesClassName`)
}
