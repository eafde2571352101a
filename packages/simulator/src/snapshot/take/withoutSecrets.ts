import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Predicate from "effect/Predicate"

const containerLists: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"])
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
/** The hexadecimal digits of a hash that are kept: enough that different texts stay different. */
const HASH_DIGITS = 12

/**
 * Makes a function that hides fields of an object that may contain secrets and that a rehearsal does not read: the values of environment
 * variables, the commands and the arguments of containers, in pods and in templates. Each text is replaced by a salted hash: equal texts
 * stay equal and different ones different, so templates still compare, and the salt prevents guessing of short texts. managedFields and
 * the last-applied annotation, which repeat all of this, are removed.
 */
export const withoutSecrets = (salt: Uint8Array): (<A>(object: A) => A) => {
  const known = new Map<string, string>()
  const hash = (text: string): string => {
    const cached = known.get(text)
    if (cached !== undefined) return cached
    const digest = `hidden-${bytesToHex(hmac(sha256, salt, utf8ToBytes(text))).slice(0, HASH_DIGITS)}`
    known.set(text, digest)
    return digest
  }
  const hashAll = (value: unknown): unknown => {
    if (typeof value === "string") return hash(value)
    return Array.isArray(value) ? value.map(hashAll) : value
  }
  const hideVariable = (value: unknown): unknown =>
    Predicate.isReadonlyObject(value) && typeof value.value === "string"
      ? { ...value, value: hash(value.value) }
      : value
  const hideContainer = (value: unknown): unknown => {
    if (!Predicate.isReadonlyObject(value)) return value
    const { args, command, env } = value
    return {
      ...value,
      ...(args === undefined ? {} : { args: hashAll(args) }),
      ...(command === undefined ? {} : { command: hashAll(command) }),
      ...(Array.isArray(env) ? { env: env.map(hideVariable) } : {})
    }
  }
  const hideSecrets = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hideSecrets)
    if (!Predicate.isReadonlyObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "managedFields" && key !== LAST_APPLIED)
        .map(([key, field]) => [
          key,
          containerLists.has(key) && Array.isArray(field)
            ? field.map((item) => hideSecrets(hideContainer(item)))
            : hideSecrets(field)
        ])
    )
  }
  return <A>(object: A) => hideSecrets(object) as A
}
