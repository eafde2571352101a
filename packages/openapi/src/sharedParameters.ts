import type { Json } from "./OpenApiKind.ts"

/** The hash FNV-1 of 64 bits. */
const fnv = (text: string): bigint => {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte)
  return hash
}

/** The number of bytes of a hash that are in a name. */
const NAME_BYTES = 6

const hashText = (text: string): string => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(fnv(text))
  return bytes.subarray(0, NAME_BYTES).toString("base64url")
}

/** The parameters that kubectl before 1.27 looks for in operations; and names, whose description has their kind. */
const unshared: ReadonlySet<unknown> = new Set(["name", "fieldValidation", "dryRun"])

const isOwn = ({ in: place, name, schema }: Json): boolean => {
  if (place !== "body") return unshared.has(name)
  return !String((schema as Json | undefined)?.$ref).startsWith("#/definitions/io.k8s.apimachinery")
}

/**
 * The parameters of a version 2 document that its operations refer to. Upstream: kube-openapi/pkg/builder/parameters.go.
 */
export class SharedParameters {
  private readonly byName = new Map<string, Json>()

  /** Returns what an operation has in the place of a parameter: a reference, unless it is its own. */
  placed(parameter: Json): Json {
    if (isOwn(parameter)) return parameter
    const name = `${parameter.name}-${hashText(JSON.stringify(parameter))}`
    this.byName.set(name, parameter)
    return { $ref: `#/parameters/${name}` }
  }

  all(): ReadonlyMap<string, Json> {
    return this.byName
  }
}
