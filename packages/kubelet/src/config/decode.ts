import { checkLeniently, InvalidInput, invalid, missing, type Problem, problemAt, wrongValue } from "@rollcall/input"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { KubeletConfigurationFile, unsupportedFields } from "./fields.ts"

export const kubeletApiVersion = "kubelet.config.k8s.io/v1beta1"
export const kubeletKind = "KubeletConfiguration"

/** The content of one configuration file: only known fields. null removes the value of the previous file. */
export interface ConfigLayer {
  /** The name of the file in messages. */
  readonly file: string
  /** The path of the configuration within the file. Empty if it is the whole file. */
  readonly path: string
  readonly fields: typeof KubeletConfigurationFile.Type
}

export interface DecodedLayer {
  readonly layer: ConfigLayer
  /** One warning for each unknown field, then one for each field that has no effect here. */
  readonly warnings: ReadonlyArray<string>
}

export interface DecodeOptions {
  /** The path of the object within its file: `spec.config.kubelet`. apiVersion and kind may then be omitted. */
  readonly embeddedAt?: string
}

const join = (base: string, name: string) => (base === "" ? name : `${base}.${name}`)

/**
 * Returns the problems of apiVersion and kind. An object inside another file may omit them, but other values are
 * problems.
 */
const typeMetaProblems = (
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
 * Checks the field names and the types of values of one KubeletConfiguration, which was parsed from YAML or JSON. As
 * upstream, an unknown field is omitted with a warning; unlike upstream, a name that is similar to a field's name is a
 * problem. Upstream: pkg/kubelet/kubeletconfig/configfiles, DecodeKubeletConfiguration.
 */
export const decodeKubeletConfiguration = (
  file: string,
  value: unknown,
  { embeddedAt = "" }: DecodeOptions = {}
): Result.Result<DecodedLayer, InvalidInput> => {
  if (!Predicate.isReadonlyObject(value)) {
    return Result.fail(invalid(file, embeddedAt, wrongValue(value, `a ${kubeletKind}`)))
  }
  const problems = typeMetaProblems(file, value, embeddedAt)
  if (problems.length > 0) return Result.fail(new InvalidInput({ problems }))
  return Result.map(checkFile(file, value, embeddedAt), (read): DecodedLayer => {
    const { apiVersion: _, kind: __, ...fields } = read.value
    // The keys of the input, because the schema does not keep the order of the file.
    const ineffective = Object.keys(value).filter(
      (name) => Object.hasOwn(unsupportedFields, name) && value[name] !== null
    )
    return {
      layer: { file, path: embeddedAt, fields },
      warnings: [
        ...read.unknown.map(({ path }) => `${file}: strict decoding error: unknown field "${path}"`),
        ...ineffective.map((name) => `${file}: ${join(embeddedAt, name)} is not supported and has no effect`)
      ]
    }
  })
}
