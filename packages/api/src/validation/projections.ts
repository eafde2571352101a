import type { Volume } from "../objects/Volume.ts"
import type { ErrorList } from "./ErrorList.ts"
import { filePaths, validateFieldRef, validateResourceRef } from "./fieldReferences.ts"
import { validateFileMode, validateUnreservedPath } from "./paths.ts"

/*
 * Files that a volume projects. Upstream: pkg/apis/core/validation/validation.go, validateKeyToPath,
 * validateDownwardAPIVolumeFile and validateProjectionSources.
 */

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const modeOf = ({ mode }: Fields): number | undefined => (typeof mode === "number" ? mode : undefined)
const partOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined
const itemsOf = (source: Fields): ReadonlyArray<Fields> => (source.items ?? []) as ReadonlyArray<Fields>

/** Checks a key that a volume projects, and where to. */
export const validateKeyToPath = (errors: ErrorList, item: Fields, path: string): void => {
  if (text(item.key) === "") errors.required(`${path}.key`)
  if (text(item.path) === "") errors.required(`${path}.path`)
  validateUnreservedPath(errors, text(item.path), `${path}.path`)
  validateFileMode(errors, modeOf(item), `${path}.mode`)
}

/** Checks a file of the downward API. The paths of its errors have no index, as upstream. */
const checkFile = (errors: ErrorList, file: Fields, path: string): void => {
  const [field, resource] = [partOf(file.fieldRef), partOf(file.resourceFieldRef)]
  if (text(file.path) === "") errors.required(`${path}.path`)
  validateUnreservedPath(errors, text(file.path), `${path}.path`)
  if (field !== undefined) {
    validateFieldRef(errors, field, `${path}.fieldRef`, filePaths)
    if (resource !== undefined) {
      errors.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    }
  } else if (resource !== undefined) validateResourceRef(errors, resource, `${path}.resourceFieldRef`, "file")
  else errors.required(path, "one of fieldRef and resourceFieldRef is required")
  validateFileMode(errors, modeOf(file), `${path}.mode`)
}

export const validateDownwardAPI = (errors: ErrorList, source: Volume["downwardAPI"], path: string): void => {
  validateFileMode(errors, source?.defaultMode, `${path}.defaultMode`)
  for (const file of itemsOf(source ?? {})) checkFile(errors, file, path)
}

/** Where a projected volume puts its files, and what errors show of a second file at one path. */
interface Projection {
  readonly errors: ErrorList
  readonly path: string
  readonly taken: Set<string>
}

const take = ({ errors, path, taken }: Projection, file: string, shown: string): void => {
  if (file === "") return
  if (taken.has(file)) errors.invalid(path, shown, "conflicting duplicate paths")
  taken.add(file)
}

type SourceCheck = (projection: Projection, source: Fields, path: string) => void

const checkKeys: SourceCheck = (projection, source, path) => {
  const name = text(source.name)
  if (name === "") projection.errors.required(`${path}.name`)
  itemsOf(source).forEach((item, index) => {
    validateKeyToPath(projection.errors, item, `${path}.items[${index}]`)
    take(projection, text(item.path), name)
  })
}

const checkFiles: SourceCheck = (projection, source, path) => {
  for (const file of itemsOf(source)) {
    checkFile(projection.errors, file, path)
    take(projection, text(file.path), text(file.path))
  }
}

const minTokenSeconds = 600
const maxTokenSeconds = 2 ** 32

const checkToken: SourceCheck = ({ errors, path: root }, { expirationSeconds = 0, path: file }, path) => {
  const at = `${path}.expirationSeconds`
  if ((expirationSeconds as number) < minTokenSeconds) {
    errors.invalid(at, expirationSeconds, "may not specify a duration less than 10 minutes")
  }
  if ((expirationSeconds as number) > maxTokenSeconds) {
    errors.invalid(at, expirationSeconds, "may not specify a duration larger than 2^32 seconds")
  }
  if (text(file) === "") errors.required(`${root}.path`)
  else validateUnreservedPath(errors, text(file), `${root}.path`)
}

/** The sources whose feature gates are on, in upstream's order. */
const sources: ReadonlyArray<readonly [field: string, check: SourceCheck]> = [
  ["secret", checkKeys],
  ["configMap", checkKeys],
  ["downwardAPI", checkFiles],
  ["serviceAccountToken", checkToken]
]

export const validateProjected = (errors: ErrorList, projected: Volume["projected"], path: string): void => {
  validateFileMode(errors, projected?.defaultMode, `${path}.defaultMode`)
  const projection: Projection = { errors, path, taken: new Set() }
  projected?.sources?.forEach((source, index) => {
    const at = `${path}.sources[${index}]`
    let found = 0
    for (const [field, check] of sources) {
      const given = partOf((source as Fields)[field])
      if (given === undefined) continue
      found++
      check(projection, given, `${at}.${field}`)
    }
    if (found > 1) errors.forbidden(at, "may not specify more than 1 volume type per source")
  })
}
