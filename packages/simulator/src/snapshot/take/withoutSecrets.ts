import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Predicate from "effect/Predicate"

const containerLists: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"])
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
const SHOWN_DIGITS = 12

/**
 * Hides fields that a rehearsal does not read and that may contain secrets: the values of environment variables, the commands and the
 * arguments of containers, in pods and in templates. Each text is replaced by a salted hash: equal texts stay equal and different ones
 * different, so templates still compare, and the salt prevents guessing of short texts. managedFields and the last-applied
 * annotation, which repeat all of this, are removed.
 */
export const withoutSecrets = (salt: Uint8Array): (<A>(object: A) => A) => {
  const known = new Map<string, string>()
  const hidden = (text: string): string => {
    const before = known.get(text)
    if (before !== undefined) return before
    const digest = `hidden-${bytesToHex(hmac(sha256, salt, utf8ToBytes(text))).slice(0, SHOWN_DIGITS)}`
    known.set(text, digest)
    return digest
  }
  const hiddenAll = (value: unknown): unknown => {
    if (typeof value === "string") return hidden(value)
    return Array.isArray(value) ? value.map(hiddenAll) : value
  }
  const variable = (value: unknown): unknown =>
    Predicate.isReadonlyObject(value) && typeof value.value === "string"
      ? { ...value, value: hidden(value.value) }
      : value
  const container = (value: unknown): unknown => {
    if (!Predicate.isReadonlyObject(value)) return value
    const { args, command, env } = value
    return {
      ...value,
      ...(args === undefined ? {} : { args: hiddenAll(args) }),
      ...(command === undefined ? {} : { command: hiddenAll(command) }),
      ...(Array.isArray(env) ? { env: env.map(variable) } : {})
    }
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!Predicate.isReadonlyObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "managedFields" && key !== LAST_APPLIED)
        .map(([key, field]) => [
          key,
          containerLists.has(key) && Array.isArray(field) ? field.map((one) => walk(container(one))) : walk(field)
        ])
    )
  }
  return <A>(object: A) => walk(object) as A
}
