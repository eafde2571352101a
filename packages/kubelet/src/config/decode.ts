import { checkLeniently, InvalidInput, invalid, missing, type Problem, problemAt, wrongValue } from "@rollcall/input"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { KubeletConfigurationFile, otherFields } from "./fields.ts"

export const kubeletApiVersion = "kubelet.config.k8s.io/v1beta1"
export const kubeletKind = "KubeletConfiguration"

/** What one file says: known fields only, null where it takes a value away from the file before. */
export interface ConfigLayer {
  /** The file, or where else it stands, as messages name it. */
  readonly file: string
  /** Where it stands in its file; empty for the file as a whole. */
  readonly path: string
  readonly fields: typeof KubeletConfigurationFile.Type
}

export interface DecodedLayer {
  readonly layer: ConfigLayer
  /** One for each field that has no effect here or that nobody knows. */
  readonly warnings: ReadonlyArray<string>
}

export interface DecodeOptions {
  /** Where the object stands in its file: `spec.config.kubelet`. It then needs no apiVersion and kind. */
  readonly embeddedAt?: string
}

const join = (base: string, name: string) => (base === "" ? name : `${base}.${name}`)

/** An object inside another file need not say what it is, but not something else either. */
const wrongTypeMeta = (
  file: string,
  value: Readonly<Record<string, unknown>>,
  embeddedAt: string
): ReadonlyArray<Problem> =>
  Object.entries({ apiVersion: kubeletApiVersion, kind: kubeletKind }).flatMap(([name, wanted]) => {
    const found = value[name]
    const path = join(embeddedAt, name)
    if (found === undefined || found === null || found === "") {
      return embeddedAt === "" ? [problemAt(file, path, missing(`, expected ${wanted}`))] : []
    }
    return found === wanted ? [] : [problemAt(file, path, wrongValue(found, wanted))]
  })

const checkFile = checkLeniently(KubeletConfigurationFile)

/**
 * Checks one KubeletConfiguration as it was parsed from YAML or JSON: the type of every value, and every name. As upstream, a
 * field that nobody knows is left out with a warning; but a name that is nearly a field's is a problem.
 * Upstream: pkg/kubelet/kubeletconfig/configfiles, DecodeKubeletConfiguration.
 */
export const decodeKubeletConfiguration = (
  file: string,
  value: unknown,
  { embeddedAt = "" }: DecodeOptions = {}
): Result.Result<DecodedLayer, InvalidInput> => {
  if (!Predicate.isReadonlyObject(value)) {
    return Result.fail(invalid(file, embeddedAt, wrongValue(value, `a ${kubeletKind}`)))
  }
  const problems = wrongTypeMeta(file, value, embeddedAt)
  if (problems.length > 0) return Result.fail(new InvalidInput({ problems }))
  return Result.map(checkFile(file, value, embeddedAt), (read): DecodedLayer => {
    const { apiVersion: _, kind: __, ...fields } = read.value
    // In the order of the file, which the schema does not keep.
    const ineffective = Object.keys(value).filter((name) => Object.hasOwn(otherFields, name) && value[name] !== null)
    return {
      layer: { file, path: embeddedAt, fields },
      warnings: [
        ...read.unknown.map(({ path }) => `${file}: strict decoding error: unknown field "${path}"`),
        ...ineffective.map((name) => `${file}: ${join(embeddedAt, name)} is not supported and has no effect`)
      ]
    }
  })
}
